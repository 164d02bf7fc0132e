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
    of_players,
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
    title: str = "Win rate of a seat, by strategy (%)",
    ax: Any = None,
) -> None:
    """Draw strategies by player count: rate and half its interval; grey if not significant.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A tournament, or a table with ``strategy``, `columns`, `value` with ``_low`` and ``_high``.
        A column ``sure`` (bool) marks significant differences; without it, they are those whose
        interval excludes the fair rate.
    value, columns : str
        Columns of the rate, and of the horizontal axis.
    fair : str, optional
        Column of the fair rate: colour is the difference from it. None colours by the rate.
    title : str
        Title.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.

    Examples
    --------
    >>> from paxsim import charts, tournament
    >>> ax = charts.strategy_heatmap(tournament("random,first", players=2, games=40))
    >>> sorted(label.get_text() for label in ax.get_yticklabels())
    ['first', 'random']
    """
    table = table_of(source, "standings")
    palette: Any = _diverging
    norm = Normalize(0.0, 1.0)
    if fair is None:
        over, palette = table[value], matplotlib.colormaps[SEQUENTIAL]
        table = table.assign(sure=True)
    else:
        over = table[value] - table[fair]
        reach = max(float(over.abs().max()), 0.01)
        norm = TwoSlopeNorm(0.0, -reach, reach)
        if "sure" not in table:
            inside = table[fair].between(table[f"{value}_low"], table[f"{value}_high"])
            table = table.assign(sure=~inside)
    order = _by_mean(table, value)
    across = sorted(table[columns].unique())
    cells = {(row["strategy"], row[columns]): row for _, row in table.assign(over=over).iterrows()}
    for y, name in enumerate(order):
        for x, column in enumerate(across):
            row = cells.get((name, column))
            if row is not None:
                arrow = (" ▲" if row["over"] > 0 else " ▼") if fair and row["sure"] else ""
                half = number(50 * (row[f"{value}_high"] - row[f"{value}_low"]), 1)
                text = f"{in_percent(row[value])}{arrow}\n±{half}"
                shade = palette(float(norm(row["over"]))) if row["sure"] else None
                _draw_cell(ax, x, y, text, shade)
    _frame(ax, order, across)
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

    Examples
    --------
    >>> from paxsim import charts, tournament
    >>> result = tournament("random,first,builder", players=2, games=120)
    >>> charts.payoff_heatmap(result).get_title(loc="left")
    'Win rates against rivals, 2 players'
    """
    players, table = of_players(table_of(source, "payoffs"), players)
    order = _by_mean(table, "win_rate")
    grid = table.pivot(index="strategy", columns="against", values="win_rate").loc[order, order]
    fair = 1 / players
    norm = TwoSlopeNorm(fair, 0.0, max(float(np.nanmax(grid.to_numpy(float))), 1.01 * fair))
    for y, name in enumerate(order):
        for x, rival in enumerate(order):
            rate = grid.at[name, rival]
            if not pd.isna(rate):
                _draw_cell(ax, x, y, whole_percent(rate), _diverging(float(norm(rate))))
    _frame(ax, order, order)
    ax.tick_params(axis="x", rotation=45)
    for label in ax.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    ax.set_xlabel("when this strategy plays too")
    ax.set_ylabel("win rate (%) of a seat of this strategy")
    ax.set_title(f"Win rates against rivals, {players} players")
    # The key of colours, with a mark at the fair share.
    shown = ListedColormap([_diverging(x) for x in np.linspace(0, 1, 256)])
    bar = ax.figure.colorbar(ScalarMappable(norm, shown), ax=ax, shrink=0.6, pad=0.02)
    most = float(norm.vmax or 1.0)
    labels = ["0%", f"{whole_percent(fair)}%: fair", f"{whole_percent(most)}%"]
    bar.set_ticks([0.0, fair, most], labels=labels)
    bar.ax.axhline(fair, color=INK, linewidth=1.5)
    bar.outline.set_visible(False)


def _by_mean(table: pd.DataFrame, value: str) -> list[Any]:
    """Return the strategies by their mean of a column, the highest first."""
    means = table.groupby("strategy")[value].mean()
    return means.sort_values(ascending=False, kind="stable").index.tolist()


def _diverging(x: float) -> Any:
    """Return a colour of the diverging palette, 0 to 1, on which text is legible."""
    return matplotlib.colormaps[DIVERGING](0.12 + 0.76 * x)


def _draw_cell(ax: Axes, x: int, y: int, text: str, shade: Any) -> None:
    """Draw a cell, grey without a shade."""
    face = FAINT if shade is None else shade
    ax.add_patch(
        matplotlib.patches.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="white")
    )
    ink = QUIET
    if shade is not None:
        red, green, blue = shade[:3]
        ink = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else INK
    ax.text(x, y, text, ha="center", va="center", fontsize=6.5, color=ink)


def _frame(ax: Axes, rows: list[Any], columns: list[Any]) -> None:
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks(range(len(columns)), [*map(str, columns)])
    ax.set_yticks(range(len(rows)), [*map(str, rows)])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
