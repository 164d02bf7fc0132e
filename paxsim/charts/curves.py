"""Dose and response: a rate over the values of something, named at the ends of the lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from paxsim.charts.data import table_of
from paxsim.charts.style import COLOURS, DASHES, INK, MARKERS, QUIET, chart
from paxsim.text import whole_percent

#: Part of the height of the axes that a name at the end of a line takes up.
NAME_HEIGHT = 0.055


#: Where a line ends, its name and its colour: (x, y, name, colour) in units of the data.
End = tuple[float, float, str, str]


def name_ends(ax: Axes, ends: list[End], offset: float = 6.0) -> None:
    """Write names beside the ends of lines, moved apart where they would overlap.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Whose limits are set already.
    ends : list of (x, y, name, colour)
        In units of the data.
    offset : float
        Points between the end and its name, which stands to the left of it if this is negative.
    """
    low, high = ax.get_ylim()
    step = NAME_HEIGHT * (high - low)
    above = np.inf
    for x, y, name, colour in sorted(ends, key=lambda end: -end[1]):
        place = min(y, above - step)
        above = place
        ax.annotate(name, (x, y), xytext=(offset, _points(ax, place - y)), va="center",
                    textcoords="offset points", ha="left" if offset > 0 else "right", fontsize=8,
                    color=colour, annotation_clip=False)  # fmt: skip


def _gap(ends: list[End]) -> float:
    """How far apart the nearest two ends are."""
    heights = sorted(y for _, y, _, _ in ends)
    return min(np.diff(heights), default=np.inf)


def _fork(starts: list[End], ends: list[End]) -> bool:
    """Whether lines begin together and some go on where others end, through their names."""
    return len({end[0] for end in starts}) == 1 < len({end[0] for end in ends})


def _points(ax: Axes, distance: float) -> float:
    """A distance along the y axis in points of type."""
    low, high = ax.get_ylim()
    figure: Any = ax.figure
    height = figure.get_size_inches()[1] * 72 * ax.get_position().height
    return distance / (high - low) * height


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
    ax: Axes | None = None,
) -> None:
    """A rate over a number, a line a group with its intervals, named where they are furthest apart.

    Parameters
    ----------
    source : pandas.DataFrame
        A row a point: the columns `x`, `by`, `value`, and its ``_low`` and ``_high``.
    x, value, by : str
        What goes from left to right, what is drawn, and what tells lines apart.
    axis, label, of, title : str
        What the horizontal axis, the vertical one, the names of the lines (with a place for the
        group) and the chart say.
    half : bool
        The scale is 0 to 100 %, with a line at one half.
    unit : float
        Factor of the vertical axis: 100 shows rates in percent.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    starts: list[End] = []
    ends: list[End] = []
    for number, (name, rows) in enumerate(source.groupby(by, sort=False)):
        rows = rows.sort_values(x, kind="stable")
        colour = COLOURS[number % len(COLOURS)]
        middle = unit * rows[value]
        ax.errorbar(rows[x], middle, yerr=_spread(rows, value, unit), color=colour, lw=2, ms=5,
                    capsize=2.5, elinewidth=1.2, marker=MARKERS[number % len(MARKERS)],
                    linestyle=DASHES[number % len(DASHES)])  # fmt: skip
        for found, at in ((starts, 0), (ends, -1)):
            found.append((rows[x].iloc[at], middle.iloc[at], of.format(name), colour))
    if half:
        ax.axhline(50, color=QUIET, linewidth=0.9, linestyle=(0, (1, 2)))
        ax.set_ylim(-2, 104)
    ax.grid(axis="y", visible=True)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(axis)
    ax.set_ylabel(label)
    ax.set_title(title)
    if _fork(starts, ends) or _gap(starts) > _gap(ends):
        ax.set_xticks(sorted(source[x].unique()))
        low, high = ax.get_xlim()
        if ax.get_xscale() == "log":
            ax.set_xlim(low * (low / high) ** 0.22, high)
        else:
            ax.set_xlim(low - 0.22 * (high - low), high)
        name_ends(ax, starts, -8.0)
    else:
        name_ends(ax, ends)


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
    ax: Axes | None = None,
) -> None:
    """What the values of one rule do to something; the value in force stands out.

    Parameters
    ----------
    source : pandas.DataFrame
        The rows of one rule of a table ``rule_values``.
    value, label : str
        What is drawn, and what the vertical axis says.
    unit : float
        Factor of the vertical axis.
    limits : tuple of float, optional
        Ends of the vertical axis.
    reference : float, optional
        Draw a line here, in units of the axis.
    title : str, optional
        What the chart says; by default the name of the rule.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    places = source["value"].to_numpy(float) if _numeric(source) else np.arange(len(source))
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
    """Lengths of the intervals below and above; none where an end is not known."""
    middle, low, high = (
        unit * rows[f"{value}{end}"].to_numpy(float) for end in ("", "_low", "_high")
    )
    known = np.isfinite(low) & np.isfinite(high)
    return [np.where(known, np.clip(length, 0, None), 0.0) for length in
            (middle - low, high - middle)]  # fmt: skip


def _numeric(source: pd.DataFrame) -> bool:
    return all(isinstance(v, (int, float, np.number)) and not isinstance(v, (bool, np.bool_))
               for v in source["value"])  # fmt: skip


@chart(4.6, 4.0)
def field_ranges(source: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> None:
    """Rome's rate by field and player count: the interval, and the range over line-ups in grey.

    Parameters
    ----------
    source : pandas.DataFrame
        Columns ``players``, ``field``, ``rome_wins`` with ``_low`` and ``_high``; where there are
        ``lowest_lineup`` and ``highest_lineup``, they are drawn as a wide bar.
    title : str
        What the chart says.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    counts = list(dict.fromkeys(source["players"]))
    names = list(dict.fromkeys(source["field"]))
    heights: list[float] = []
    labels: list[str] = []
    for group, players in enumerate(counts):
        rows = source[source["players"] == players].set_index("field")
        for number, name in enumerate(names):
            place = group * (len(names) + 0.8) + number
            heights.append(place)
            labels.append(f"{players} players: {name}" if number == 0 else str(name))
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
    """A row; all in one colour, as colours tell other things apart in the chart beside it."""
    if not pd.isna(row.get("lowest_lineup")):
        ends = [100 * row["lowest_lineup"], 100 * row["highest_lineup"]]
        ax.plot(ends, [place, place], color="#C9CDD2", lw=7, solid_capstyle="butt", zorder=1)
    low, value, high = (100 * row[f"rome_wins{end}"] for end in ("_low", "", "_high"))
    ax.plot([low, high], [place, place], color=INK, lw=2, solid_capstyle="butt", zorder=3)
    ax.plot([value], [place], marker="o", ms=5, color=INK, zorder=4)
    ax.annotate(whole_percent(row["rome_wins"]), (101.5, place), va="center", fontsize=8,
                color=INK, annotation_clip=False)  # fmt: skip


@chart(7.0, 4.2)
def rome_rate(
    source: Any, *, by: str | None = None, quiet: Sequence[str] = (), ax: Axes | None = None
) -> None:
    """How often Rome wins, by player count, with the band of the interval.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A result, or a table with ``players``, ``rome_wins``, ``rome_wins_low`` and ``_high``.
    by : str, optional
        Column that tells lines apart; by default ``field`` or ``lineup``, where lines need it.
    quiet : sequence of str
        Groups that are drawn thin and grey, as a background.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    table = table_of(source, "rome")
    ends = _draw_lines(table, "rome_wins", by or _grouping(table), quiet, ax)
    ax.axhline(50, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)))
    ax.set_ylim(0, 102)
    ax.set_ylabel("games that Rome wins (%)")
    ax.set_title("How often Rome wins")
    name_ends(ax, ends)


@chart(7.0, 4.2)
def by_players(
    source: Any,
    value: str,
    *,
    by: str,
    label: str,
    title: str = "",
    zero: bool = False,
    ax: Axes | None = None,
) -> None:
    """Any rate by player count, one line a group, in percent.

    Parameters
    ----------
    source : pandas.DataFrame
        A table with ``players``, the column `value` and its ``_low`` and ``_high``.
    value, by : str
        The rate (0..1) and the column that tells lines apart.
    label, title : str
        What the vertical axis and the chart say.
    zero : bool
        Draw a line at zero.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    ends = _draw_lines(table_of(source, "rome"), value, by, (), ax)
    if zero:
        ax.axhline(0, color=QUIET, linewidth=0.8)
    ax.set_ylabel(label)
    ax.set_title(title)
    name_ends(ax, ends)


def _grouping(table: pd.DataFrame) -> str | None:
    """The column that tells lines apart, if there is more than one row a player count."""
    if not table["players"].duplicated().any():
        return None
    return next((name for name in ("field", "deck", "lineup") if name in table), None)


def _draw_lines(
    table: pd.DataFrame, value: str, by: str | None, quiet: Sequence[str], ax: Axes
) -> list[tuple[float, float, str, str]]:
    """Draw the lines; return where each ends, its name and its colour."""
    groups = [("", table)] if by is None else list(table.groupby(by, sort=False))
    number = 0
    ends = []
    for name, rows in groups:
        rows = rows.sort_values("players", kind="stable")
        end = (rows["players"].iloc[-1], 100 * rows[value].iloc[-1])
        if name in quiet:
            ax.plot(rows["players"], 100 * rows[value], color=QUIET, lw=0.7, alpha=0.7)
            ends.append((*end, str(name), QUIET))
            continue
        look: dict[str, Any] = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": DASHES[number % len(DASHES)],
        }
        ax.plot(rows["players"], 100 * rows[value], lw=2, ms=5, zorder=3, **look)
        low, high = 100 * rows[f"{value}_low"], 100 * rows[f"{value}_high"]
        ax.fill_between(rows["players"], low, high, color=look["color"], alpha=0.22, lw=0)
        ends.append((*end, str(name), look["color"]))
        number += 1
    ax.grid(axis="y", visible=True)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("players")
    return ends if len(groups) > 1 else []
