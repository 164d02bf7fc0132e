"""Coalitions: seats that leave a state together, all to the same other strategy.

An equilibrium is safe from everybody who leaves it alone. Two or three who leave it together may
still gain, and whether they do is what decides if a group of people stays there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paxsim.gametheory.symmetric import Floats, SymmetricGame


@dataclass(frozen=True, eq=False)
class Coalition:
    """What some seats get by leaving a state together; arrays have the shape of the game's draws.

    Attributes
    ----------
    strategy, seats : int
        What they play instead, and how many they are.
    before, after : ndarray, shape (...)
        What each of them gets in the state, and in the coalition.
    others : ndarray, shape (...)
        What each of those who stay gets; NaN if nobody does.
    rome_before, rome_after : ndarray, shape (...)
        How often Rome wins.
    """

    strategy: int
    seats: int
    before: Floats
    after: Floats
    others: Floats
    rome_before: Floats
    rome_after: Floats

    @property
    def gain(self) -> Floats:
        """What each member gains, shape (...)."""
        return np.asarray(self.after - self.before)


def coalitions(game: SymmetricGame, population: Floats) -> list[Coalition]:
    """All coalitions of one seat (the deviator of an equilibrium) to all seats.

    Those who stay are drawn from the population; if that is a pure state, all numbers are rows of
    the table.
    """
    before, rome = game.mean_payoff(population), game.rome_rate(population)
    found = []
    for strategy in np.flatnonzero(population < 1).tolist():
        for seats in range(1, game.players + 1):
            there = game.seated(population, _seats(game, {strategy: seats}))
            after = there.taken[..., strategy]
            found.append(Coalition(strategy, seats, before, after, there.others, rome, there.rome))
    return found


def gain_from_inside(game: SymmetricGame, population: Floats, coalition: Coalition) -> Floats:
    """What one member can gain at most by leaving the coalition for anything else, shape (...).

    Below 0 the coalition holds together by itself; above, somebody is tempted to break it.
    """
    left = coalition.seats - 1
    found = []
    for other in range(game.strategies):
        if other != coalition.strategy:
            there = game.seated(population, _seats(game, {coalition.strategy: left, other: 1}))
            found.append(there.taken[..., other] - coalition.after)
    return np.asarray(np.max(found, axis=0))


def _seats(game: SymmetricGame, taken: dict[int, int]) -> list[int]:
    """Seats by strategy, of those that take some."""
    return [taken.get(strategy, 0) for strategy in range(game.strategies)]
