"""Distributions: how long games are, how many points win them, and by how much."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from paxsim.charts.data import HISTOGRAMS, histogram_table, only
from paxsim.charts.style import COLOURS, DASHES, chart


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
    for number, (count, rows) in enumerate(table.groupby("players")):
        values = np.arange(rows["value"].min() - 1, rows["value"].max() + 2)
        shares = rows.set_index("value")["share"].reindex(values, fill_value=0.0)
        ax.plot(
            values,
            100 * shares,
            drawstyle="steps-mid",
            color=COLOURS[number % len(COLOURS)],
            linestyle=DASHES[number % len(DASHES)],
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
