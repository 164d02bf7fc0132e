"""Seats against the fair share, and how wins are won."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from paxsim.charts.data import (
    HISTOGRAMS,
    histogram_table,
    how_games_were_won,
    one_value,
    only,
    table_of,
)
from paxsim.charts.style import ABOVE, BELOW, COLOURS, DASHES, FAINT, HATCHES, INK, QUIET, chart
from paxsim.stats.constants import SURE
from paxsim.text import in_percent, number


@chart(5.0, 3.6)
def seat_bars(
    source: Any, players: int | None = None, *, lineup: str | None = None, ax: Axes | None = None
) -> None:
    """How far each seat is from the fair share of wins, with intervals; unsure ones are grey.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or its table ``seats``.
    players : int, optional
        The player count; by default the first.
    lineup : str, optional
        The line-up, where a result has several.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    table = table_of(source, "seats")
    players = one_value(table, "players", players)
    rows = (
        only(table, players=players, lineup=lineup)
        .drop_duplicates("seat")
        .sort_values("seat", kind="stable")
    )
    over = 100 * rows["over_fair"]
    spread = [over - 100 * rows["over_fair_low"], 100 * rows["over_fair_high"] - over]
    ax.bar(
        rows["seat"],
        over,
        yerr=np.clip(spread, 0, None),
        width=0.7,
        color=_verdict_colours(rows),
        edgecolor=INK,
        linewidth=0.5,
        error_kw={"elinewidth": 1.2, "capsize": 3, "ecolor": INK},
    )
    ax.axhline(0, color=INK, linewidth=1.2)
    # Beside the panel, where no bar strikes it through.
    ax.annotate("fair", (1.01, 0), xycoords=("axes fraction", "data"), fontsize=7, va="center",
                ha="left", annotation_clip=False)  # fmt: skip
    ax.set_xticks(rows["seat"].tolist())
    ax.set_xlabel("seat")
    ax.set_ylabel("share of wins over fair (points)")
    fair = in_percent(float(rows["fair_share"].iloc[0]))
    ax.set_title(f"{players} players (fair: {fair} %)", fontsize="medium")


def _verdict_colours(rows: pd.DataFrame) -> list[str]:
    """Above and below the fair share have a colour each, what is not sure is grey."""
    return [
        FAINT if p >= SURE else ABOVE if over > 0 else BELOW
        for p, over in zip(rows["p_holm"], rows["over_fair"], strict=True)
    ]


#: Parts of a bar, 0..1, below which nothing can be seen.
LEAST_SHOWN = 0.015
WAYS = {
    "with_rome": "a player, with Rome",
    "on_points": "a player, on points",
    "rome_alone": "Rome alone",
}


@chart(7.0, 3.6)
def how_won(source: Any, *, ax: Axes | None = None) -> None:
    """How games are won: by a player with Rome, by a player on points, or by Rome alone.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or a table with ``label``, ``with_rome``, ``on_points`` and ``rome_alone``.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    _stack(how_games_were_won(source), WAYS, ax)
    ax.set_xlabel("share of games (%)")
    ax.set_title("How games are won")


@chart(7.0, 3.6)
def stacked_shares(
    source: Any,
    parts: Mapping[str, str],
    *,
    label: str = "share (%)",
    title: str = "",
    ax: Axes | None = None,
) -> None:
    """Any shares that add up to one, as stacked bars.

    Parameters
    ----------
    source : pandas.DataFrame
        A row a bar, with ``label`` and the columns of `parts`, each 0..1.
    parts : mapping of str to str
        Column to what the legend calls it, from left to right.
    label, title : str
        What the axis and the chart say.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    _stack(source, parts, ax)
    ax.set_xlabel(label)
    ax.set_title(title)


def _stack(table: pd.DataFrame, parts: Mapping[str, str], ax: Axes) -> None:
    places = np.arange(len(table))
    left = np.zeros(len(table))
    for index, (column, said) in enumerate(parts.items()):
        width = 100 * table[column].to_numpy(float)
        if not width.any():
            continue
        # What is nowhere wide enough to be seen has no place in the legend.
        seen = np.abs(width).max() >= 100 * LEAST_SHOWN
        ax.barh(places, width, left=left, height=0.7, color=COLOURS[index % len(COLOURS)],
                hatch=HATCHES[index % len(HATCHES)], edgecolor="white", lw=0.8,
                label=said if seen else "")  # fmt: skip
        for place, start, size in zip(places.tolist(), left.tolist(), width.tolist(), strict=True):
            if size >= 7:
                ax.text(start + size / 2, place, number(size, 0), ha="center", va="center",
                        fontsize=7.5, color=INK,
                        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none",
                              "alpha": 0.85})  # fmt: skip
        left += width
    ax.set_yticks(places, table["label"].astype(str).tolist())
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.axvline(50, color=QUIET, linewidth=0.6, linestyle=(0, (1, 2)))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)


#: All rates there can be, in percent, with room for a mark at either end.
ALL_RATES = (-2.0, 102.0)


@chart(6.0, 4.4)
def forest(
    source: Any,
    value: str,
    *,
    by: str,
    label: str,
    title: str = "",
    unit: float = 100.0,
    reference: float | None = None,
    emphasis: str | None = None,
    log: bool = False,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> None:
    """Estimates with intervals, one row each.

    Parameters
    ----------
    source : pandas.DataFrame
        A table with the columns `by`, `value`, and its ``_low`` and ``_high``.
    value, by : str
        What is drawn, and what names the rows.
    label, title : str
        What the axis and the chart say.
    unit : float
        Factor of the axis: 100 shows rates in percent.
    reference : float, optional
        Draw a line here, in units of the table.
    emphasis : str, optional
        The row that stands out.
    log : bool
        A logarithmic axis; where an estimate is 0, an arrow points there from the upper end.
    limits : tuple of float, optional
        Ends of the axis; by default those of what is drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    places = np.arange(len(source))
    middle = unit * source[value].to_numpy(float)
    low, high = (unit * source[f"{value}_{end}"].to_numpy(float) for end in ("low", "high"))
    least = _least_shown(np.concatenate([low, middle, high])) if log else -np.inf
    for place, name, x, left, right in zip(places, source[by], middle, low, high, strict=True):
        special = name == emphasis
        colour = ABOVE if special else BELOW
        ends = [max(left, least), max(right, least)]
        ax.plot(ends, [place, place], color=colour, lw=1.8, solid_capstyle="butt")
        marker, size = ("D", 6) if special else ("o", 4.5)
        ax.plot([max(x, least)], [place], marker=marker if x > least else "<", ms=size,
                color=colour)  # fmt: skip
    if log:
        ax.set_xscale("log")
        # The usual labels are formulas, which texts of users must never be read as.
        ax.xaxis.set_major_locator(LogLocator(numticks=6))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
    if reference is not None:
        ax.axvline(unit * reference, color=QUIET, linewidth=1, linestyle="--", zorder=0)
    if limits is not None:
        ax.set_xlim(*limits)
    ax.set_yticks(places, source[by].astype(str).tolist())
    ax.set_ylim(len(source) - 0.5, -0.5)
    ax.grid(axis="x", visible=True)
    ax.set_xlabel(label)
    ax.set_title(title)


def _least_shown(values: np.ndarray) -> float:
    """The left end of a logarithmic axis: a third of the smallest number above 0."""
    return float(values[values > 0].min(initial=1.0)) / 3


@chart(6.0, 4.4)
def rating_forest(source: Any, players: int | None = None, *, ax: Axes | None = None) -> None:
    """Ratings (log strength, Plackett-Luce) with their intervals, best first.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A tournament, or its table ``ratings``.
    players : int, optional
        The player count; by default the first.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    table = table_of(source, "ratings")
    players = one_value(table, "players", players)
    rows = only(table, players=players)
    # Rome seldom wins alone; its rating would squeeze all others into a corner.
    rows = rows[rows["strategy"] != "Rome"].sort_values("rating", ascending=False, kind="stable")
    title = f"Ratings, {players} players"
    forest.__wrapped__(  # type: ignore[attr-defined]
        rows, "rating", by="strategy", label="rating (log strength; 0 is average)", title=title,
        unit=1.0, reference=0.0, ax=ax,
    )  # fmt: skip


@chart(7.4, 6.4)
def tornado(
    source: Any,
    value: str = "rome_change",
    *,
    label: str = "change of Rome's rate (percentage points)",
    title: str = "What a change of the rules changes",
    unit: float = 100.0,
    by: str | None = None,
    ax: Axes | None = None,
) -> None:
    """Changes of the rules, one at a time, the largest effect on top; unsure ones are grey.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A comparison of rule sets, or its table ``rule_changes``, in which ``change``, or else
        ``rules``, reads FIELD=VALUE.
    value : str
        The change that is drawn, a column with ``_low`` and ``_high``.
    label, title : str
        What the axis and the chart say.
    unit : float
        Factor of the axis: 100 shows rates in percentage points.
    by : str, optional
        Column of what the rows are called; by default the changes as they are.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    table = table_of(source, "rule_changes")
    changes = table["change"] if "change" in table else table["rules"]
    fields = changes.str.partition("=")[0]
    # Grouped by name and sorted stably: of equal changes the first name stands on top.
    reach = table[value].abs().groupby(fields).max()
    reach = reach.sort_values(ascending=False, kind="stable")
    most = unit * max(float(table[[f"{value}_low", f"{value}_high"]].abs().max(axis=None)), 1e-9)
    sizes = table[value]
    order = [
        index
        for name in reach.index
        for index in sizes[fields == name].sort_values(kind="stable").index
    ]
    for place, index in enumerate(order):
        _draw_bar(ax, place, table.loc[index], value, unit)
    ax.axvline(0, color=INK, linewidth=1)
    said = changes.str.replace("=", " = ") if by is None else table[by]
    names = [str(said[index]) for index in order]
    # Rows of their own with the values beside the axis: nothing is written across a bar.
    ax.set_yticks(range(len(order)), names, fontsize=7)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlim(-1.05 * most, 1.05 * most)
    ax.grid(axis="x", visible=True)
    ax.set_xlabel(label)
    ax.set_title(title)


def _draw_bar(ax: Axes, place: float, row: pd.Series, value: str, unit: float) -> None:
    change, low, high = (unit * row[name] for name in (value, f"{value}_low", f"{value}_high"))
    p = row.get(f"{value}_p_holm")
    sure = low > 0 or high < 0 if p is None else p < SURE
    colour = (ABOVE if change > 0 else BELOW) if sure else FAINT
    ax.barh(place, change, height=0.6, color=colour, edgecolor=INK if sure else QUIET, lw=0.5,
            hatch="///" if sure and change > 0 else "")  # fmt: skip
    ax.plot([low, high], [place, place], color=INK, linewidth=1.1)


@chart(6.0, 3.4)
def distribution(
    source: Any, name: str = "rounds", *, players: int | None = None, ax: Axes | None = None
) -> None:
    """Share of games by rounds, the winner's points or margins; a line a player count.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or a table with ``players``, ``value`` and ``share``.
    name : str
        ``"rounds"``, ``"winner_points"`` or ``"margins"``.
    players : int, optional
        Only this player count, for small multiples.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    table = only(histogram_table(source, name), players=players)
    for index, (count, rows) in enumerate(table.groupby("players")):
        values = np.arange(rows["value"].min() - 1, rows["value"].max() + 2)
        shares = rows.set_index("value")["share"].reindex(values, fill_value=0.0)
        ax.plot(
            values,
            100 * shares,
            drawstyle="steps-mid",
            color=COLOURS[index % len(COLOURS)],
            linestyle=DASHES[index % len(DASHES)],
            linewidth=1.5,
            label=f"{count} players" if count > 1 else "solo",
        )
    ax.grid(axis="y", visible=True)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(HISTOGRAMS.get(name, name))
    ax.set_ylabel("share of games (%)")
    ax.set_title({"winner_points": "Points of the winner"}.get(name, name.capitalize()))
    if players is not None:
        ax.set_title(f"{players} players" if players > 1 else "solo")
    if table["players"].nunique() > 1:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
