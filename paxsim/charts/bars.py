"""Seats against the fair share, and how wins are won."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from paxsim.charts.data import how_games_were_won, one_value, only, table_of
from paxsim.charts.style import ABOVE, BELOW, COLOURS, FAINT, HATCHES, INK, QUIET, chart
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
