"""Heatmaps: strategies by player count or solo level, and strategies against one another."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, TwoSlopeNorm

from paxsim.charts.style import (
    DIVERGING,
    FAINT,
    INK,
    QUIET,
    SEQUENTIAL,
    chart,
    one_value,
    only,
    table_of,
)
from paxsim.text import in_percent, number, whole_percent


@chart(7.6, 6.2)
def strategy_heatmap(
    source: Any,
    *,
    value: str = "win_rate",
    columns: str = "players",
    fair: str | None = "fair_share",
    sure: str = "sure",
    title: str = "Win rate of a seat, by strategy (%)",
    ax: Any = None,
) -> None:
    """Draw strategies by player count: rate and half its interval; grey if not significant.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A tournament, or a table with ``strategy``, `columns`, `value` with ``_low`` and ``_high``.
    value, columns : str
        Columns of the rate, and of the horizontal axis.
    fair : str, optional
        Column of the fair rate: colour is the difference from it. None colours by the rate.
    sure : str
        Column (bool) of significant differences; if missing, those whose interval excludes the
        fair rate.
    title : str
        Title.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.
    """
    table = table_of(source, "standings")
    if sure not in table and fair is not None:
        inside = table[fair].between(table[f"{value}_low"], table[f"{value}_high"])
        table = table.assign(**{sure: ~inside})
    order = (
        table.groupby("strategy")[value].mean().sort_values(ascending=False, kind="stable").index
    )
    across = sorted(table[columns].unique())
    cells = {(row["strategy"], row[columns]): row for _, row in table.iterrows()}
    colour = _difference_colours(table, value, fair) if fair else _rate_colours()
    for y, name in enumerate(order):
        for x, column in enumerate(across):
            row = cells.get((name, column))
            if row is not None:
                significant = bool(row[sure]) if fair else True
                shade = colour(row[value] - row[fair] if fair else row[value])
                _draw_cell(
                    ax,
                    x,
                    y,
                    _cell_text(row, value, fair, significant),
                    shade if significant else None,
                )
    _frame(ax, [str(name) for name in order], [str(column) for column in across])
    ax.set_xlabel({"players": "players", "level": "solo level"}.get(columns, columns))
    ax.set_title(title)


@chart(7.6, 6.6)
def payoff_heatmap(source: Any, players: int | None = None, *, ax: Any = None) -> None:
    """Draw the win rate of the row's seat in line-ups where the column plays too.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A tournament, or its table ``payoffs``.
    players : int, optional
        The player count; by default the first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.
    """
    table = table_of(source, "payoffs")
    players = one_value(table, "players", players)
    table = only(table, players=players)
    order = (
        table.groupby("strategy")["win_rate"]
        .mean()
        .sort_values(ascending=False, kind="stable")
        .index
    )
    grid = table.pivot(index="strategy", columns="against", values="win_rate").loc[order, order]
    fair = 1 / players
    norm = TwoSlopeNorm(fair, 0.0, max(float(np.nanmax(grid.to_numpy(float))), 1.01 * fair))
    palette = matplotlib.colormaps[DIVERGING]
    colour = lambda rate: palette(0.12 + 0.76 * float(norm(rate)))  # noqa: E731
    for y, name in enumerate(order):
        for x, rival in enumerate(order):
            rate = grid.at[name, rival]
            if not pd.isna(rate):
                _draw_cell(ax, x, y, whole_percent(rate), colour(rate))
    names = [str(name) for name in order]
    _frame(ax, names, names)
    ax.tick_params(axis="x", rotation=45)
    for label in ax.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    ax.set_xlabel("when this strategy plays too")
    ax.set_ylabel("win rate (%) of a seat of this strategy")
    ax.set_title(f"Win rates against rivals, {players} players")
    _key(ax, norm, fair)


def _key(ax: Axes, norm: TwoSlopeNorm, fair: float) -> None:
    """Draw the key of colours, with a mark at the fair share."""
    palette = matplotlib.colormaps[DIVERGING]
    shown = ListedColormap([palette(0.12 + 0.76 * x) for x in np.linspace(0, 1, 256)])
    bar = ax.figure.colorbar(ScalarMappable(norm, shown), ax=ax, shrink=0.6, pad=0.02)
    ticks = [0.0, fair, float(norm.vmax or 1.0)]
    labels = ["0%", f"{whole_percent(fair)}%: fair", f"{whole_percent(ticks[-1])}%"]
    bar.set_ticks(ticks, labels=labels)
    bar.ax.axhline(fair, color=INK, linewidth=1.5)
    bar.outline.set_visible(False)


def _difference_colours(table: pd.DataFrame, value: str, fair: str) -> Any:
    """Return colours by difference from the fair rate, symmetric around it."""
    reach = max(float((table[value] - table[fair]).abs().max()), 0.01)
    norm = TwoSlopeNorm(0.0, -reach, reach)
    palette = matplotlib.colormaps[DIVERGING]
    return lambda difference: palette(0.12 + 0.76 * float(norm(difference)))


def _rate_colours() -> Any:
    norm = Normalize(0.0, 1.0)
    palette = matplotlib.colormaps[SEQUENTIAL]
    return lambda rate: palette(float(norm(rate)))


def _cell_text(row: pd.Series, value: str, fair: str | None, significant: bool) -> str:
    """Return the rate, an arrow if it differs from fair, and half the interval."""
    half = 50 * (row[f"{value}_high"] - row[f"{value}_low"])
    arrow = ""
    if fair is not None and significant:
        arrow = " ▲" if row[value] > row[fair] else " ▼"
    return f"{in_percent(row[value])}{arrow}\n±{number(half, 1)}"


def _draw_cell(ax: Axes, x: int, y: int, text: str, shade: Any) -> None:
    """Draw a cell, grey without a shade."""
    face = FAINT if shade is None else shade
    ax.add_patch(
        matplotlib.patches.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="white")
    )
    ink = QUIET if shade is None else ("white" if _is_dark(shade) else INK)
    ax.text(x, y, text, ha="center", va="center", fontsize=6.5, color=ink)


def _is_dark(shade: Any) -> bool:
    red, green, blue = shade[:3]
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5


def _frame(ax: Axes, rows: list[str], columns: list[str]) -> None:
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
