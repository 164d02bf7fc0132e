"""State flow of a meta-game: states by Rome's rate, and the moves between them."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from paxsim.charts.style import ABOVE, BELOW, FAINT, QUIET, chart, style, table_of
from paxsim.text import in_percent, whole_percent

#: Area of the mark of a state that no start leads to, and what is added if all do.
_SMALL, _LARGE = 50, 330
_DIAMOND = 44
#: Basins below this share of starts are ignored; coalitions leave states of larger ones only.
_NONE, _MINOR = 0.005, 0.05
#: Box behind text, so that lines do not cross it.
_PAPER = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
#: Room for marks beside 0 and 100%.
_SIDE = 12
#: Height of a row in inches, and of everything else.
ROW_HEIGHT, AROUND_ROWS = 0.54, 1.0

Place = tuple[float, float]


@chart(7.4, 4.6)
def state_flow(
    source: Any,
    coalitions: pd.DataFrame | None = None,
    *,
    title: str = "Best responses and coalitions",
    legend: bool = True,
    ax: Any = None,
) -> None:
    """Draw states by Rome's rate, with the moves of single players and of coalitions.

    A row is what is played. A circle is the state in which all play it: filled if it is stable, and
    larger if more starts lead there. A solid arrow is the best response of a single player. From
    states that many starts lead to, dashed arrows go to the coalitions of each size that leave Rome
    the least, in the row of their strategy: a full diamond if its members gain significantly.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A meta-game, or its table ``states``.
    coalitions : pandas.DataFrame, optional
        Its table ``coalitions``; needed beside a table of states.
    title : str
        Title.
    legend : bool
        Whether to explain the marks below the chart.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on.
    """
    states = table_of(source, "states")
    moves = table_of(source, "coalitions") if coalitions is None else coalitions
    shown = shown_states(states)
    rows = {name: number for number, name in enumerate(shown["state"])}
    places = {row["state"]: (100 * row["rome_wins"], rows[row["state"]])
              for _, row in shown.iterrows()}  # fmt: skip
    sizes = {row["state"]: _area(row) for _, row in shown.iterrows()}
    for name in places:
        _draw_answer(ax, moves, places, sizes, name)
    for _, row in shown[shown["basin"] >= _MINOR].iterrows():
        _draw_coalitions(ax, moves, places[row["state"]], row, rows)
    for _, row in shown.iterrows():
        ax.scatter(*places[row["state"]], s=_area(row), edgecolor=BELOW, linewidth=1.4, zorder=4,
                   facecolor=BELOW if row["stable"] else "white")  # fmt: skip
    _frame(ax, shown, title)
    if legend:
        add_flow_legend(ax)


def shown_states(states: pd.DataFrame) -> pd.DataFrame:
    """Return the states that `state_flow` draws, in the order of Rome's rate."""
    shown = states[(states["kind"] == "pure") | (states["basin"] >= _NONE)]
    return shown.sort_values("rome_wins", kind="stable").reset_index(drop=True)


def _area(row: Any) -> float:
    """Return the area of a state's mark, in square points."""
    return _SMALL + _LARGE * float(row["basin"])


def _draw_answer(ax: Axes, moves: pd.DataFrame, places: dict, sizes: dict, state: str) -> None:
    """Draw an arrow to the best response of a single player, if that gains significantly."""
    alone = moves[(moves["state"] == state) & (moves["seats"] == 1) & (moves["gain_low"] > 0)]
    if alone.empty:
        return
    best = alone.loc[alone["gain"].idxmax(), "strategy"]
    if best in places:
        _arrow(ax, places[state], places[best], QUIET, "-", sizes[state], sizes[best])


def _draw_coalitions(
    ax: Axes, moves: pd.DataFrame, place: Place, row: Any, rows: dict[str, int]
) -> None:
    """Draw the coalitions of two and more, but not all, that leave Rome the least."""
    for seats in range(2, int(row["players"])):
        here = moves[(moves["state"] == row["state"]) & (moves["seats"] == seats)]
        if here.empty:
            continue
        best = here.loc[here["rome_after"].idxmin()]
        there = (100 * float(best["rome_after"]), rows[best["strategy"]])
        _arrow(ax, place, there, ABOVE, "--", _area(row), _DIAMOND)
        face = ABOVE if best["gain_low"] > 0 else "white"
        ax.scatter(*there, marker="D", s=_DIAMOND, facecolor=face, edgecolor=ABOVE, zorder=5)
        gain = in_percent(best["gain"], sign="+")
        ax.annotate(
            f"{seats} seats: {gain}", there, (0, -8 - 10 * (seats % 2)), ha="center", va="top",
            textcoords="offset points", fontsize=8, color=ABOVE, zorder=6, bbox=_PAPER,
        )  # fmt: skip


def _arrow(
    ax: Axes, start: Place, end: Place, colour: str, dashes: str, from_area: float, to_area: float
) -> None:
    """Draw an arrow from the rim of one mark to the rim of another."""
    look = {"arrowstyle": "-|>", "color": colour, "linestyle": dashes, "linewidth": 1.1,
           "shrinkA": _rim(from_area), "shrinkB": _rim(to_area),
           "connectionstyle": f"arc3,rad={0.18 if dashes == '-' else 0.0}"}  # fmt: skip
    ax.annotate("", end, start, arrowprops=look, zorder=3)


def _rim(area: float) -> float:
    """Return the points from the centre of a mark to just outside it."""
    return math.sqrt(area / math.pi) + 3


def _frame(ax: Axes, shown: pd.DataFrame, title: str) -> None:
    ax.set_yticks(range(len(shown)), [_row_label(row) for _, row in shown.iterrows()])
    ax.tick_params(axis="y", labelsize=8.5, length=0)
    ax.set_ylim(-0.8, len(shown) - 0.3)
    ax.set_xlim(-_SIDE, 100 + _SIDE)
    ax.set_xticks(range(0, 101, 25))
    ax.set_xlabel("games that Rome wins (%)")
    ax.grid(axis="both", color=FAINT)
    ax.set_title(title)


def add_flow_legend(ax: Axes, columns: int = 2) -> None:
    """Explain the marks of `state_flow` below a chart."""
    mark: dict[str, Any] = {"linestyle": "", "markeredgecolor": BELOW, "markersize": 7}
    diamond: dict[str, Any] = {"linestyle": "--", "marker": "D", "color": ABOVE, "markersize": 5}
    handles = [
        Line2D([], [], marker="o", markerfacecolor=BELOW, label="all play it: stable", **mark),
        Line2D(
            [], [], marker="o", markerfacecolor="white", label="all play it: not stable", **mark
        ),
        Line2D([], [], color=QUIET, marker=">", markersize=4, label="best response of one"),
        Line2D([], [], label="some leave together, and gain (points each)", **diamond),
        Line2D([], [], label="and do not gain", markerfacecolor="white", **diamond),
    ]
    with style():
        ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.4, -0.22), ncols=columns)


def _row_label(row: Any) -> str:
    """Return what is played, and the share of starts that lead to the state."""
    name = str(row["state"]).replace(" + ", "\n+ ").replace(" → ", "\n→ ")
    return f"{name}\n{whole_percent(row['basin'])}% of starts" if row["basin"] >= _NONE else name
