"""Rates by player count, as lines with bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from paxsim.charts.curves import name_ends
from paxsim.charts.data import table_of
from paxsim.charts.style import COLOURS, DASHES, MARKERS, QUIET, chart


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
