"""Measures: numbers of every finished game, whose means, intervals and histograms are reported.

A measure is one function here. The tally sums it up, the table ``games`` has its mean with an
interval, and `paxsim.charts.distribution` draws its histogram; nothing else needs to be edited.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Returned by a measure for a game that it is not defined for.
UNDEFINED = -1


@dataclass(frozen=True)
class Measure:
    """Declaration of a measure.

    `value` is a function that is compiled; it takes the result record of a game and the number of
    players, and returns a whole number, 0 or more, or `UNDEFINED`. `where` is the measure that
    counts the games it is defined for, if not all. A rate is 0 or 1 in every game. `sentence` says
    the estimate in the terminal, `label` is the axis of the histogram.
    """

    name: str
    value: Callable[[Any, int], int]
    heading: str
    label: str
    sentence: str
    where: str
    rate: bool


#: All measures by name, in the order of their columns.
MEASURES: dict[str, Measure] = {}


def measure(
    heading: str = "", *, label: str = "", sentence: str = "", where: str = "", rate: bool = False
) -> Callable[[Callable[[Any, int], int]], Callable[[Any, int], int]]:
    """Register a function as a measure under its own name; see `Measure`."""

    def decorate(value: Callable[[Any, int], int]) -> Callable[[Any, int], int]:
        name = value.__name__
        shown = heading or name.replace("_", " ")
        MEASURES[name] = Measure(name, value, shown, label or shown, sentence, where, rate)
        return value

    return decorate


@measure("Rome wins %", rate=True)
def rome(result, players):
    """Games that Rome wins, alone or with a player."""
    return result.rome_wins


@measure("Rome alone %", rate=True)
def rome_alone(result, players):
    """Games that Rome wins and no player with it."""
    return 1 if result.rome_wins and result.winners == 0 else 0


@measure("games won on points", rate=True)
def players_won(result, players):
    """Games that Rome does not win."""
    return 0 if result.rome_wins else 1


@measure(label="rounds of a game", sentence="{} rounds")
def rounds(result, players):
    """Rounds of a game."""
    return result.rounds


@measure(
    "winning margin",
    label="points between winner and next, where the players won",
    sentence="winning margin {} points in the {where:,} games won on points",
    where="players_won",
)
def margin(result, players):
    """Points between the winner and the next seat; 0 in solo."""
    if result.rome_wins:
        return UNDEFINED
    best = second = result.points[0]
    if players > 1:
        best, second = max(best, result.points[1]), min(best, result.points[1])
    for seat in range(2, players):
        points = result.points[seat]
        second = max(second, min(best, points))
        best = max(best, points)
    return best - second


@measure(label="points of the winner, where the players won", where="players_won")
def winner_points(result, players):
    """Points of the winner."""
    if result.rome_wins:
        return UNDEFINED
    best = result.points[0]
    for seat in range(1, players):
        best = max(best, result.points[seat])
    return best


@measure()
def decisions(result, players):
    """Decisions of all seats that had a choice."""
    return result.decisions
