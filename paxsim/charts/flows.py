"""State flow of a meta-game: states by Rome's rate, and the moves between them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

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
#: Height of a row, and of everything else, in inches.
ROW_HEIGHT, AROUND_ROWS = 0.54, 1.0


class Mark(NamedTuple):
    """Place of a mark, in units of the data, and its area in square points."""

    x: float
    y: float
    area: float


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

    Examples
    --------
    >>> from paxsim import charts, metagame
    >>> result = metagame("random,first", players=3, games=120)
    >>> charts.state_flow(result).get_title(loc="left")
    'Best responses and coalitions'
    """
    states = shown_states(table_of(source, "states"))
    moves = table_of(source, "coalitions") if coalitions is None else coalitions
    rows = {name: number for number, name in enumerate(states["state"])}
    marks = {row["state"]: Mark(100 * row["rome_wins"], rows[row["state"]],
                                _SMALL + _LARGE * float(row["basin"]))
             for _, row in states.iterrows()}  # fmt: skip
    for name, mark in marks.items():
        alone = moves[(moves["state"] == name) & (moves["seats"] == 1) & (moves["gain_low"] > 0)]
        if not alone.empty:
            best = alone.loc[alone["gain"].idxmax(), "strategy"]
            if best in marks:
                _draw_arrow(ax, mark, marks[best], QUIET, "-")
    for _, row in states[states["basin"] >= _MINOR].iterrows():
        _draw_coalitions(ax, moves, marks[row["state"]], row, rows)
    for _, row in states.iterrows():
        x, y, area = marks[row["state"]]
        ax.scatter(x, y, s=area, edgecolor=BELOW, linewidth=1.4, zorder=4,
                   facecolor=BELOW if row["stable"] else "white")  # fmt: skip
    ax.set_yticks(range(len(states)), [_row_label(row) for _, row in states.iterrows()])
    ax.tick_params(axis="y", labelsize=8.5, length=0)
    ax.set_ylim(-0.8, len(states) - 0.3)
    ax.set_xlim(-_SIDE, 100 + _SIDE)
    ax.set_xticks(range(0, 101, 25))
    ax.set_xlabel("games that Rome wins (%)")
    ax.grid(axis="both", color=FAINT)
    ax.set_title(title)
    if legend:
        add_flow_legend(ax)


def shown_states(states: pd.DataFrame) -> pd.DataFrame:
    """Return the states that `state_flow` draws, in the order of Rome's rate."""
    shown = states[(states["kind"] == "pure") | (states["basin"] >= _NONE)]
    return shown.sort_values("rome_wins", kind="stable").reset_index(drop=True)


def _draw_coalitions(
    ax: Axes, moves: pd.DataFrame, start: Mark, row: Any, rows: dict[str, int]
) -> None:
    """Draw the coalitions of two and more, but not all, that leave Rome the least."""
    for seats in range(2, int(row["players"])):
        here = moves[(moves["state"] == row["state"]) & (moves["seats"] == seats)]
        if here.empty:
            continue
        best = here.loc[here["rome_after"].idxmin()]
        end = Mark(100 * float(best["rome_after"]), rows[best["strategy"]], _DIAMOND)
        _draw_arrow(ax, start, end, ABOVE, "--")
        face = ABOVE if best["gain_low"] > 0 else "white"
        ax.scatter(end.x, end.y, marker="D", s=_DIAMOND, facecolor=face, edgecolor=ABOVE, zorder=5)
        gain = in_percent(best["gain"], sign="+")
        ax.annotate(
            f"{seats} seats: {gain}", end[:2], (0, -8 - 10 * (seats % 2)), ha="center", va="top",
            textcoords="offset points", fontsize=8, color=ABOVE, zorder=6, bbox=_PAPER,
        )  # fmt: skip


def _draw_arrow(ax: Axes, start: Mark, end: Mark, colour: str, dashes: str) -> None:
    """Draw an arrow from the rim of one mark to the rim of another."""
    from_rim, to_rim = (math.sqrt(mark.area / math.pi) + 3 for mark in (start, end))
    look = {"arrowstyle": "-|>", "color": colour, "linestyle": dashes, "linewidth": 1.1,
           "shrinkA": from_rim, "shrinkB": to_rim,
           "connectionstyle": f"arc3,rad={0.18 if dashes == '-' else 0.0}"}  # fmt: skip
    ax.annotate("", end[:2], start[:2], arrowprops=look, zorder=3)


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
        Line2D(
            [], [], label="some leave together, but do not gain", markerfacecolor="white", **diamond
        ),
    ]
    with style():
        ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.4, -0.22), ncols=columns)


def _row_label(row: Any) -> str:
    """Return what is played, and the share of starts that lead to the state."""
    name = str(row["state"]).replace(" + ", "\n+ ").replace(" → ", "\n→ ")
    return f"{name}\n{whole_percent(row['basin'])}% of starts" if row["basin"] >= _NONE else name
