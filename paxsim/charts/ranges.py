"""Estimates with their ranges: forest plots and the tornado of rule changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from paxsim.charts.data import one_value, only, table_of
from paxsim.charts.style import ABOVE, BELOW, FAINT, INK, QUIET, chart
from paxsim.stats.constants import SURE

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
