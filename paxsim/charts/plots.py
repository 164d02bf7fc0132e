"""Bars, forests, distributions and curves of estimates with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from paxsim.charts.style import (
    ABOVE,
    BELOW,
    COLOURS,
    DASHES,
    FAINT,
    HATCHES,
    INK,
    MARKERS,
    QUIET,
    chart,
    checked_result,
    of_players,
    only,
    table_of,
)
from paxsim.errors import unknown
from paxsim.measures import MEASURES
from paxsim.stats.constants import SURE
from paxsim.text import in_percent, number, whole_percent

#: Share of a bar, 0 to 1, below which nothing is visible.
LEAST_SHOWN = 0.015
#: All possible rates, in percent, with room for a mark at either end.
ALL_RATES = (-2.0, 102.0)
#: Height of a name at the end of a line, as a share of the height of the axes.
NAME_HEIGHT = 0.055

#: End of a line: (x, y, name, colour) in units of the data.
End = tuple[float, float, str, str]


@chart(5.0, 3.6)
def seat_bars(
    source: Any, players: int | None = None, *, lineup: str | None = None, ax: Any = None
) -> None:
    """Draw the distance of each seat from the fair share of wins; grey if not significant.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or its table ``seats``.
    players : int, optional
        The player count; by default the first.
    lineup : str, optional
        The line-up, where a result has several.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, simulate
    >>> charts.seat_bars(simulate("random,first", games=200)).get_title(loc="left")
    '2 players (fair: 49.5%)'
    """
    players, table = of_players(table_of(source, "seats"), players)
    rows = only(table, lineup=lineup).drop_duplicates("seat").sort_values("seat", kind="stable")
    over = 100 * rows["over_fair"]
    spread = [over - 100 * rows["over_fair_low"], 100 * rows["over_fair_high"] - over]
    ax.bar(
        rows["seat"],
        over,
        yerr=np.clip(spread, 0, None),
        width=0.7,
        color=[
            _verdict_colour(difference, p < SURE)
            for difference, p in zip(rows["over_fair"], rows["p_holm"], strict=True)
        ],
        edgecolor=INK,
        linewidth=0.5,
        error_kw={"elinewidth": 1.2, "capsize": 3, "ecolor": INK},
    )
    ax.axhline(0, color=INK, linewidth=1.2)
    ax.annotate("fair", (1.01, 0), xycoords=("axes fraction", "data"), fontsize=7, va="center",
                ha="left", annotation_clip=False)  # fmt: skip
    ax.set_xticks(rows["seat"].tolist())
    ax.set_xlabel("seat")
    ax.set_ylabel("share of wins over fair (points)")
    fair = in_percent(float(rows["fair_share"].iloc[0]))
    ax.set_title(f"{players} players (fair: {fair}%)", fontsize="medium")


def _verdict_colour(difference: float, sure: bool) -> str:
    """Return the colour of a difference: above or below 0, or grey if not significant."""
    return (ABOVE if difference > 0 else BELOW) if sure else FAINT


@chart(7.0, 3.6)
def stacked_shares(
    source: Any,
    parts: Mapping[str, str],
    *,
    label: str = "share (%)",
    title: str = "",
    ax: Any = None,
) -> None:
    """Draw shares that add up to one as stacked bars.

    Parameters
    ----------
    source : pandas.DataFrame
        One row per bar: ``label`` and the columns of `parts`, each 0 to 1.
    parts : mapping of str to str
        Name in the legend by column, from left to right.
    label, title : str
        Label of the axis, and title.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts
    >>> table = pd.DataFrame({"label": ["luck", "skill"], "won": [0.2, 0.7], "lost": [0.8, 0.3]})
    >>> ax = charts.stacked_shares(table, {"won": "games won", "lost": "games lost"})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['games won', 'games lost']
    """
    places = np.arange(len(source))
    left = np.zeros(len(source))
    for index, (column, name) in enumerate(parts.items()):
        width = 100 * source[column].to_numpy(float)
        if not width.any():
            continue
        visible = np.abs(width).max() >= 100 * LEAST_SHOWN
        ax.barh(places, width, left=left, height=0.7, color=COLOURS[index % len(COLOURS)],
                hatch=HATCHES[index % len(HATCHES)], edgecolor="white", lw=0.8,
                label=name if visible else "")  # fmt: skip
        for place, start, size in zip(places.tolist(), left.tolist(), width.tolist(), strict=True):
            if size >= 7:
                ax.text(start + size / 2, place, number(size, 0), ha="center", va="center",
                        fontsize=7.5, color=INK,
                        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none",
                              "alpha": 0.85})  # fmt: skip
        left += width
    ax.set_yticks(places, source["label"].astype(str).tolist())
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.axvline(50, color=QUIET, linewidth=0.6, linestyle=(0, (1, 2)))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
    ax.set_xlabel(label)
    ax.set_title(title)


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
    ax: Any = None,
) -> None:
    """Draw estimates with intervals, one row each.

    Parameters
    ----------
    source : pandas.DataFrame
        A table with the columns `by`, `value`, and its ``_low`` and ``_high``.
    value, by : str
        Columns of the estimate and of the names of rows.
    label, title : str
        Label of the axis, and title.
    unit : float
        Factor of the axis: 100 shows rates in percent.
    reference : float, optional
        Draw a line here, in units of the table.
    emphasis : str, optional
        The row that stands out.
    log : bool
        A logarithmic axis; where an estimate is 0, an arrow points there from the upper end.
    limits : tuple of float, optional
        Ends of the axis; by default those of the data.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, solo
    >>> levels = solo("random", levels=[1, 2], games=60)["levels"]
    >>> len(charts.forest(levels, "success", by="level", label="success (%)").get_yticks())
    2
    """
    places = np.arange(len(source))
    middle = unit * source[value].to_numpy(float)
    low, high = (unit * source[f"{value}_{end}"].to_numpy(float) for end in ("low", "high"))
    # A logarithmic axis begins at a third of the smallest number above 0.
    numbers = np.concatenate([low, middle, high])
    least = float(numbers[numbers > 0].min(initial=1.0)) / 3 if log else -np.inf
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
        # The default labels are formulas, and the style shows none.
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


#: Draws a forest without style and footer, inside other charts.
draw_forest: Any = forest.__wrapped__  # type: ignore[attr-defined]


@chart(6.0, 4.4)
def rating_forest(source: Any, players: int | None = None, *, ax: Any = None) -> None:
    """Draw ratings (log strength, Plackett–Luce) with their intervals, best first.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A tournament, or its table ``ratings``.
    players : int, optional
        The player count; by default the first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, tournament
    >>> result = tournament("random,first,builder", players=2, games=120)
    >>> charts.rating_forest(result).get_title(loc="left")
    'Ratings, 2 players'
    """
    players, rows = of_players(table_of(source, "ratings"), players)
    # Rome rarely wins alone, and its rating would compress the scale of all others.
    rows = rows[rows["strategy"] != "Rome"].sort_values("rating", ascending=False, kind="stable")
    draw_forest(
        rows, "rating", by="strategy", label="rating (log strength; 0 is average)", unit=1.0,
        title=f"Ratings, {players} players", reference=0.0, ax=ax,
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
    ax: Any = None,
) -> None:
    """Draw changes to the rules, the largest on top; grey if not significant.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A comparison of rule sets, or its table ``rule_changes``, in which ``change``, or else
        ``rules``, reads FIELD=VALUE.
    value : str
        Column of the change, with ``_low`` and ``_high``.
    label, title : str
        Label of the axis, and title.
    unit : float
        Factor of the axis: 100 shows rates in percentage points.
    by : str, optional
        Column of the names of rows; by default the changes.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, compare_rules
    >>> result = compare_rules("random", [{"rome_needs": 3}, {"rome_needs": 5}], 2, games=40)
    >>> sorted(label.get_text() for label in charts.tornado(result).get_yticklabels())
    ['rome_needs = 3', 'rome_needs = 5']
    """
    table = table_of(source, "rule_changes")
    changes = table["change"] if "change" in table else table["rules"]
    fields = changes.str.partition("=")[0]
    # Grouped by name and sorted stably: of equal changes the first name stands on top.
    reach = table[value].abs().groupby(fields).transform("max")
    names = changes.str.replace("=", " = ") if by is None else table[by].astype(str)
    table = table.assign(_reach=reach, _field=fields, _name=names).sort_values(
        ["_reach", "_field", value], ascending=[False, True, True], kind="stable"
    )
    most = unit * max(float(table[[f"{value}_low", f"{value}_high"]].abs().max(axis=None)), 1e-9)
    for place, (_, row) in enumerate(table.iterrows()):
        change, low, high = (unit * row[name] for name in (value, f"{value}_low", f"{value}_high"))
        p = row.get(f"{value}_p_holm")
        sure = low > 0 or high < 0 if p is None else p < SURE
        ax.barh(place, change, height=0.6, color=_verdict_colour(change, sure),
                edgecolor=INK if sure else QUIET, lw=0.5,
                hatch="///" if sure and change > 0 else "")  # fmt: skip
        ax.plot([low, high], [place, place], color=INK, linewidth=1.1)
    ax.axvline(0, color=INK, linewidth=1)
    ax.set_yticks(range(len(table)), table["_name"].tolist(), fontsize=7)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_xlim(-1.05 * most, 1.05 * most)
    ax.grid(axis="x", visible=True)
    ax.set_xlabel(label)
    ax.set_title(title)


@chart(6.4, 4.0)
def mistake_costs(source: Any, *, ax: Any = None) -> None:
    """Draw what decisions cost, by policy and kind of decision.

    Parameters
    ----------
    source : Habits
        What `paxsim.analysis.analyse_games` returns.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import analyse_games, charts
    >>> charts.mistake_costs(analyse_games("first", 2, games=2, rollouts=2)).get_title(loc="left")
    'Cost of decisions, by kind'
    """
    kinds = source.table["policy"].str.partition(":")[0] + " · " + source.table["kind"]
    draw_forest(
        source.table.assign(label=kinds), "cost", by="label", reference=0.0, ax=ax,
        label="cost of a seat's decisions per game (percentage points)",
        title="Cost of decisions, by kind",
    )  # fmt: skip


@chart(6.0, 3.4)
def distribution(
    source: Any, name: str = "rounds", *, players: int | None = None, ax: Any = None
) -> None:
    """Draw the share of games by the value of a measure, one line per player count.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or a table with ``players``, ``value`` and ``share``.
    name : str
        A measure, such as ``"rounds"``, ``"winner_points"`` or ``"margin"``.
    players : int, optional
        Only this player count.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, simulate
    >>> charts.distribution(simulate("random", 2, games=40), "winner_points").get_xlabel()
    'points of the winner, where the players won'
    """
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
    ax.set_xlabel(MEASURES[name].label)
    ax.set_ylabel("share of games (%)")
    if players is None:
        ax.set_title(name.replace("_", " ").capitalize())
    else:
        ax.set_title(f"{players} players" if players > 1 else "solo")
    if table["players"].nunique() > 1:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def histogram_table(source: Any, name: str) -> pd.DataFrame:
    """Return shares of games by value of a measure: columns players, value, share."""
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES)
    if isinstance(source, pd.DataFrame):
        return source
    pooled: dict[int, Any] = {}
    for match in checked_result(source).matches:
        pooled[match.players] = pooled.get(match.players, 0) + match.histogram(name)
    tables = []
    for players, counts in pooled.items():
        values = np.flatnonzero(counts)
        shares = counts[values] / counts.sum()
        tables.append(pd.DataFrame({"players": players, "value": values, "share": shares}))
    return pd.concat(tables, ignore_index=True)


# --- curves ---------------------------------------------------------------------------------


def _name_lines(ax: Axes, ends: list[End], offset: float) -> None:
    """Write names beside the ends of lines, moved apart if they overlap.

    `offset` is the distance of a name from its end in points; negative to the left.
    """
    low, high = ax.get_ylim()
    figure: Any = ax.figure
    points = figure.get_size_inches()[1] * 72 * ax.get_position().height / (high - low)
    above = np.inf
    for x, y, name, colour in sorted(ends, key=lambda end: -end[1]):
        place = above = min(y, above - NAME_HEIGHT * (high - low))
        ax.annotate(name, (x, y), xytext=(offset, points * (place - y)), va="center",
                    textcoords="offset points", ha="left" if offset > 0 else "right", fontsize=8,
                    color=colour, annotation_clip=False)  # fmt: skip


def _gap(ends: list[End]) -> float:
    """Return the distance of the nearest two ends."""
    heights = sorted(y for _, y, _, _ in ends)
    return min(np.diff(heights), default=np.inf)


@chart(6.4, 4.2)
def dose_curves(
    source: pd.DataFrame,
    x: str,
    value: str,
    *,
    by: str,
    axis: str,
    label: str,
    of: str = "{}",
    title: str = "",
    half: bool = False,
    unit: float = 100.0,
    ax: Any = None,
) -> None:
    """Draw a rate over a number, one line per group, named where lines are furthest apart.

    Parameters
    ----------
    source : pandas.DataFrame
        One row per point: columns `x`, `by`, `value`, and its ``_low`` and ``_high``.
    x, value, by : str
        Columns of the horizontal axis, of the rate, and of the groups.
    axis, label, of, title : str
        Labels of the axes, format of the names of lines, and title.
    half : bool
        Scale the axis from 0 to 100%, with a line at one half.
    unit : float
        Factor of the vertical axis: 100 shows rates in percent.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, simulate
    >>> rome = simulate("random", players=[2, 3], games=60)["rome"]
    >>> names = {"axis": "players", "label": "games that Rome wins (%)"}
    >>> ax = charts.dose_curves(rome, "players", "rome_wins", by="deck", **names)
    >>> [text.get_text() for text in ax.texts]
    ['assumed']
    """
    starts: list[End] = []
    ends: list[End] = []
    for index, (name, rows) in enumerate(source.groupby(by, sort=False)):
        rows = rows.sort_values(x, kind="stable")
        colour = COLOURS[index % len(COLOURS)]
        middle = unit * rows[value]
        ax.errorbar(rows[x], middle, yerr=_spread(rows, value, unit), color=colour, lw=2, ms=5,
                    capsize=2.5, elinewidth=1.2, marker=MARKERS[index % len(MARKERS)],
                    linestyle=DASHES[index % len(DASHES)])  # fmt: skip
        for places, at in ((starts, 0), (ends, -1)):
            places.append((rows[x].iloc[at], middle.iloc[at], of.format(name), colour))
    if half:
        ax.axhline(50, color=QUIET, linewidth=0.9, linestyle=(0, (1, 2)))
        ax.set_ylim(-2, 104)
    elif (source[value] < 0).any():
        ax.axhline(0, color=QUIET, linewidth=0.8)
    ax.grid(axis="y", visible=True)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(axis)
    ax.set_ylabel(label)
    ax.set_title(title)
    # Lines of different lengths would continue through the names of others.
    fork = len({x for x, *_ in starts}) == 1 < len({x for x, *_ in ends})
    if fork or _gap(starts) > _gap(ends):
        ax.set_xticks(sorted(source[x].unique()))
        low, high = ax.get_xlim()
        if ax.get_xscale() == "log":
            ax.set_xlim(low * (low / high) ** 0.22, high)
        else:
            ax.set_xlim(low - 0.22 * (high - low), high)
        _name_lines(ax, starts, -8.0)
    else:
        _name_lines(ax, ends, 6.0)


#: Draws curves without style and footer, inside other charts.
draw_curves: Any = dose_curves.__wrapped__  # type: ignore[attr-defined]


@chart(3.0, 2.4)
def rule_curve(
    source: pd.DataFrame,
    value: str = "rome_wins",
    *,
    label: str = "Rome wins (%)",
    unit: float = 100.0,
    limits: tuple[float, float] | None = None,
    reference: float | None = None,
    title: str | None = None,
    ax: Any = None,
) -> None:
    """Draw the effect of the values of one rule; the value in force stands out.

    Parameters
    ----------
    source : pandas.DataFrame
        The rows of one rule of a table ``rule_values``.
    value, label : str
        Column of the estimate, and label of the vertical axis.
    unit : float
        Factor of the vertical axis.
    limits : tuple of float, optional
        Ends of the vertical axis.
    reference : float, optional
        Draw a line here, in units of the axis.
    title : str, optional
        Title; by default the name of the rule.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts
    >>> table = pd.DataFrame({"rule": "rome_needs", "value": [3, 4], "in_force": [False, True]})
    >>> table = table.assign(rome_wins=[0.6, 0.4], rome_wins_low=0.3, rome_wins_high=0.7)
    >>> charts.rule_curve(table).get_title(loc="left")
    'rome_needs'
    """
    values = source["value"].infer_objects()
    places = values.to_numpy(float) if values.dtype.kind in "iuf" else np.arange(len(source))
    middle = unit * source[value].to_numpy(float)
    if reference is not None:
        ax.axhline(reference, color=QUIET, linewidth=0.9, linestyle=(0, (1, 2)))
    ax.errorbar(places, middle, yerr=_spread(source, value, unit), color=COLOURS[0], lw=1.8,
                ms=4, marker="o", capsize=2, elinewidth=1.1)  # fmt: skip
    here = source["in_force"].to_numpy(bool)
    ax.plot(places[here], middle[here], marker="D", ms=8, mfc="none", mec=INK, mew=1.4, lw=0,
            clip_on=False)  # fmt: skip
    ax.set_xticks(places, [str(v) for v in source["value"]])
    ax.margins(x=0.08)
    if limits is not None:
        ax.set_ylim(*limits)
    ax.grid(axis="y", visible=True)
    ax.set_ylabel(label)
    if title is None:
        ax.set_title(str(source["rule"].iloc[0]))
    else:
        ax.set_title(title, fontsize=7.5)


def _spread(rows: pd.DataFrame, value: str, unit: float) -> list[np.ndarray]:
    """Return the lengths of the intervals below and above; 0 where an end is unknown."""
    middle, low, high = (
        unit * rows[f"{value}{end}"].to_numpy(float) for end in ("", "_low", "_high")
    )
    finite = np.isfinite(low) & np.isfinite(high)
    return [np.where(finite, np.clip(length, 0, None), 0.0) for length in
            (middle - low, high - middle)]  # fmt: skip


@chart(4.6, 4.0)
def population_ranges(source: pd.DataFrame, *, title: str = "", ax: Any = None) -> None:
    """Draw Rome's rate by population and player count, with the range over line-ups in grey.

    Parameters
    ----------
    source : pandas.DataFrame
        Columns ``players``, ``population``, ``rome_wins`` with ``_low`` and ``_high``; and
        ``lowest_lineup`` and ``highest_lineup`` for a wide bar.
    title : str
        Title.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts
    >>> table = pd.DataFrame({"players": 4, "population": ["builders", "feeders"]})
    >>> table = table.assign(rome_wins=[0.6, 0.4], rome_wins_low=0.3, rome_wins_high=0.7)
    >>> [label.get_text() for label in charts.population_ranges(table).get_yticklabels()]
    ['4 players: builders', 'feeders']
    """
    counts = list(dict.fromkeys(source["players"]))
    names = list(dict.fromkeys(source["population"]))
    heights: list[float] = []
    labels: list[str] = []
    for group, players in enumerate(counts):
        rows = source[source["players"] == players].set_index("population")
        for row, name in enumerate(names):
            place = group * (len(names) + 0.8) + row
            heights.append(place)
            labels.append(f"{players} players: {name}" if row == 0 else str(name))
            if name in rows.index:
                _draw_range(ax, place, rows.loc[name])
    ax.axvline(50, color=QUIET, linewidth=0.9, linestyle=(0, (1, 2)))
    ax.set_yticks(heights, labels)
    ax.set_ylim(max(heights) + 0.7, -0.7)
    ax.set_xlim(-2, 112)
    ax.set_xticks(range(0, 101, 25))
    ax.grid(axis="x", visible=True)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("games that Rome wins (%)\ngrey bar: lowest to highest line-up")
    ax.set_title(title)


def _draw_range(ax: Axes, place: float, row: Any) -> None:
    if not pd.isna(row.get("lowest_lineup")):
        ends = [100 * row["lowest_lineup"], 100 * row["highest_lineup"]]
        ax.plot(ends, [place, place], color="#C9CDD2", lw=7, solid_capstyle="butt", zorder=1)
    low, value, high = (100 * row[f"rome_wins{end}"] for end in ("_low", "", "_high"))
    ax.plot([low, high], [place, place], color=INK, lw=2, solid_capstyle="butt", zorder=3)
    ax.plot([value], [place], marker="o", ms=5, color=INK, zorder=4)
    ax.annotate(whole_percent(row["rome_wins"]), (101.5, place), va="center", fontsize=8,
                color=INK, annotation_clip=False)  # fmt: skip


@chart(7.0, 4.2)
def rome_rate(source: Any, *, by: str | None = None, ax: Any = None) -> None:
    """Draw how often Rome wins, by player count.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or a table with ``players``, ``rome_wins``, ``rome_wins_low`` and ``_high``.
    by : str, optional
        Column of the lines; by default ``population``, ``deck`` or ``lineup`` if needed.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, simulate
    >>> charts.rome_rate(simulate("random", players=[2, 3], games=60)).get_title(loc="left")
    'How often Rome wins'
    """
    table = table_of(source, "rome")
    if by is None and table["players"].duplicated().any():
        by = next((name for name in ("population", "deck", "lineup") if name in table), None)
    if by is None:
        by, table = "", table.assign(**{"": ""})
    draw_curves(table, "players", "rome_wins", by=by, axis="players", half=True, ax=ax,
                label="games that Rome wins (%)", title="How often Rome wins")  # fmt: skip
