"""Where players who answer each other go: states by Rome's rate, and the ways between them."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from paxsim.charts.data import table_of
from paxsim.charts.style import ABOVE, BELOW, FAINT, INK, QUIET, chart
from paxsim.text import number

#: Area of a state's mark: of one that no start leads to, and what is added if all do.
_SMALL, _LARGE = 60, 640
#: A basin below this share of the starts is none, and from one below that no coalition is drawn.
_NONE, _MINOR = 0.005, 0.05
#: Behind words, so that lines do not cross them out.
_PAPER = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}


@chart(7.4, 4.6)
def state_flow(
    source: Any,
    coalitions: pd.DataFrame | None = None,
    *,
    title: str = "Where players go who answer each other",
    ax: Axes | None = None,
) -> None:
    """States by how often Rome wins there, with where one deviator and a few together would go.

    A mark is a state: filled if it is stable, the larger the more starts lead there. A solid arrow
    is the best answer of one player who leaves it. From states that many starts lead to, dashed
    lines go to the coalitions of each size that leave Rome the least: a full diamond if its members
    surely gain, an empty one if not.

    Parameters
    ----------
    source : Result or pandas.DataFrame
        A meta-game, or its table ``states``.
    coalitions : pandas.DataFrame, optional
        Its table ``coalitions``; needed beside a table of states.
    title : str
        What the chart says.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    assert ax is not None
    states = table_of(source, "states")
    moves = table_of(source, "coalitions") if coalitions is None else coalitions
    pure, reached = states["kind"] == "pure", states["basin"] >= _NONE
    shown = states[pure | (states["stable"] & reached) | reached]
    shown = shown.sort_values("rome_wins", kind="stable").reset_index(drop=True)
    places = {row["state"]: (x, 100 * row["rome_wins"]) for x, row in shown.iterrows()}
    sizes = {row["state"]: _area(row) for _, row in shown.iterrows()}
    for name in places:
        _draw_answer(ax, moves, places, sizes, name)
    for _, row in shown[shown["basin"] >= _MINOR].iterrows():
        _draw_coalitions(ax, moves, places[row["state"]], row)
    for _, row in shown.iterrows():
        _draw_state(ax, places[row["state"]], row)
    _frame(ax, shown, title)


def _area(row: Any) -> float:
    """Area of a state's mark, in square points."""
    return _SMALL + _LARGE * float(row["basin"])


def _draw_state(ax: Axes, place: tuple[float, float], row: Any) -> None:
    """A mark, filled if the state is stable, with the share of starts that lead there."""
    face = BELOW if row["stable"] else "white"
    ax.scatter(*place, s=_area(row), facecolor=face, edgecolor=BELOW, linewidth=1.4, zorder=4)
    if row["basin"] >= _NONE:
        ax.annotate(f"{100 * row['basin']:.0f} % of starts", place, (0, 17), ha="center",
                    textcoords="offset points", fontsize=7, color=INK, zorder=6)  # fmt: skip


def _draw_answer(ax: Axes, moves: pd.DataFrame, places: dict, sizes: dict, state: str) -> None:
    """An arrow to the best answer of one player, if that surely gains."""
    alone = moves[(moves["state"] == state) & (moves["seats"] == 1) & (moves["gain_low"] > 0)]
    if alone.empty:
        return
    best = alone.loc[alone["gain"].idxmax(), "strategy"]
    if best in places:
        _arrow(ax, places[state], places[best], QUIET, "-", sizes[state], sizes[best])


def _draw_coalitions(ax: Axes, moves: pd.DataFrame, place: tuple[float, float], row: Any) -> None:
    """The coalitions of two and more, but not all, that leave Rome the least."""
    sizes = range(2, int(row["players"]))
    for place_number, seats in enumerate(sizes):
        here = moves[(moves["state"] == row["state"]) & (moves["seats"] == seats)]
        if here.empty:
            continue
        best = here.loc[here["rome_after"].idxmin()]
        there = (place[0] - 0.62 + 0.3 * place_number, 100 * float(best["rome_after"]))
        _arrow(ax, place, there, ABOVE, "--", _area(row), _SMALL)
        face = ABOVE if best["gain_low"] > 0 else "white"
        ax.scatter(*there, marker="D", s=46, facecolor=face, edgecolor=ABOVE, zorder=5)
        gain = number(100 * best["gain"], 1, "+")
        ax.annotate(
            f"{seats} {best['strategy']}\nwin rate {gain} each", there, (0, -9),
            ha="center", va="top", textcoords="offset points", fontsize=6.5, color=ABOVE, zorder=6,
            bbox=_PAPER,
        )  # fmt: skip


def _arrow(
    ax: Axes, start: tuple, end: tuple, colour: str, dashes: str, from_area: float, to_area: float
) -> None:
    """An arrow from the rim of one mark to the rim of another."""
    how = {"arrowstyle": "-|>", "color": colour, "linestyle": dashes, "linewidth": 1.1,
           "shrinkA": _rim(from_area), "shrinkB": _rim(to_area),
           "connectionstyle": f"arc3,rad={0.18 if dashes == '-' else 0.0}"}  # fmt: skip
    ax.annotate("", end, start, arrowprops=how, zorder=3)


def _rim(area: float) -> float:
    """Points from the middle of a mark to a little outside of it."""
    return math.sqrt(area / math.pi) + 3


def _frame(ax: Axes, shown: pd.DataFrame, title: str) -> None:
    ax.set_xticks(range(len(shown)), [_wrapped(str(name)) for name in shown["state"]])
    ax.tick_params(axis="x", labelsize=7.5, length=0)
    ax.set_xlim(-0.9, len(shown) - 0.4)
    ax.set_ylim(-14, 114)
    ax.set_yticks(range(0, 101, 25))
    ax.set_xlabel("who plays")
    ax.set_ylabel("games that Rome wins (%)")
    ax.grid(axis="y", color=FAINT)
    ax.set_title(title)
    mark: dict[str, Any] = {"linestyle": "", "markeredgecolor": BELOW, "markersize": 7}
    diamond: dict[str, Any] = {"linestyle": "--", "marker": "D", "color": ABOVE, "markersize": 5}
    handles = [
        Line2D([], [], marker="o", markerfacecolor=BELOW, label="stable state", **mark),
        Line2D([], [], marker="o", markerfacecolor="white", label="not stable", **mark),
        Line2D([], [], color=QUIET, marker=">", markersize=4, label="best answer of one"),
        Line2D([], [], label="some leave together, and gain", **diamond),
        Line2D([], [], label="and do not gain", markerfacecolor="white", **diamond),
    ]
    ax.legend(handles=handles, fontsize=6.5, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _wrapped(name: str) -> str:
    return name.replace(" + ", "\n+ ").replace(" → ", "\n→ ")
