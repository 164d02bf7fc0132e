"""Estimates with their ranges: forest plots and the tornado of rule changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from paxsim.charts.data import one_value, only, table_of
from paxsim.charts.style import ABOVE, BELOW, FAINT, INK, QUIET, chart


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
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    places = np.arange(len(source))
    middle = unit * source[value].to_numpy(float)
    low, high = (unit * source[f"{value}_{end}"].to_numpy(float) for end in ("low", "high"))
    for place, name, x, left, right in zip(places, source[by], middle, low, high, strict=True):
        special = name == emphasis
        colour = ABOVE if special else BELOW
        ax.plot([left, right], [place, place], color=colour, lw=1.8, solid_capstyle="butt")
        marker, size = ("D", 6) if special else ("o", 4.5)
        ax.plot([x], [place], marker=marker, ms=size, color=colour)
    if reference is not None:
        ax.axvline(unit * reference, color=QUIET, linewidth=1, linestyle="--", zorder=0)
    ax.set_yticks(places, source[by].astype(str).tolist())
    ax.set_ylim(len(source) - 0.5, -0.5)
    ax.grid(axis="x", visible=True)
    ax.set_xlabel(label)
    ax.set_title(title)


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
    rows = rows[rows["strategy"] != "Rome"].sort_values("rating", ascending=False)
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
    ax: Axes | None = None,
) -> None:
    """Changes of the rules, one at a time, the largest effect on top; unsure ones are grey.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A comparison of rule sets, or its table ``rule_changes``: ``rules`` reads FIELD=VALUE.
    value : str
        The change that is drawn, a column with ``_low`` and ``_high``.
    label, title : str
        What the axis and the chart say.
    unit : float
        Factor of the axis: 100 shows rates in percentage points.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    table = table_of(source, "rule_changes")
    fields = table["rules"].str.partition("=")[0]
    reach = table[value].abs().groupby(fields).max().sort_values(ascending=False)
    most = unit * max(float(reach.max()), 1e-9)
    for place, name in enumerate(reach.index):
        rows = table[fields == name].sort_values(value)
        for offset, (_, row) in zip(_offsets(rows[value]), rows.iterrows(), strict=True):
            _draw_bar(ax, place + offset, row, value, unit, most)
    ax.axvline(0, color=INK, linewidth=1)
    ax.set_yticks(range(len(reach)), [str(name) for name in reach.index])
    ax.set_ylim(len(reach) - 0.4, -0.6)
    ax.set_xlim(-1.3 * most, 1.3 * most)
    ax.grid(axis="x", visible=True)
    ax.set_xlabel(label)
    ax.set_title(title)


def _offsets(changes: pd.Series) -> list[float]:
    """Bars of a row on opposite sides share its middle; on one side they stand apart."""
    if len(changes) < 2 or (len(changes) == 2 and changes.iloc[0] < 0 < changes.iloc[-1]):
        return [0.0] * len(changes)
    return np.linspace(-0.22, 0.22, len(changes)).tolist()


def _draw_bar(ax: Axes, place: float, row: pd.Series, value: str, unit: float, most: float) -> None:
    change, low, high = (unit * row[name] for name in (value, f"{value}_low", f"{value}_high"))
    sure = low > 0 or high < 0
    colour = (ABOVE if change > 0 else BELOW) if sure else FAINT
    ax.barh(place, change, height=0.36, color=colour, edgecolor=INK if sure else QUIET, lw=0.5,
            hatch="///" if sure and change > 0 else "")  # fmt: skip
    ax.plot([low, high], [place, place], color=INK, linewidth=1.1)
    right = change >= 0
    # Beside the interval's end, but inside the axes where the interval is longer than they are.
    end = min(high, 1.2 * most) if right else max(low, -1.2 * most)
    said: dict[str, Any] = {"ha": "left" if right else "right", "color": INK if sure else QUIET}
    value_said = row["rules"].partition("=")[2]
    ax.text(end + (0.015 if right else -0.015) * most, place, value_said, va="center",
            fontsize=7, **said)  # fmt: skip
