"""Symmetric games of n players as tables, and what a strategy can expect in a mixed population.

All seats are alike and all draw from one population, so a table needs one row for each multiset of
strategies. A table may have a leading dimension of *draws*: the same game measured again and again,
for the bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.errors import PaxsimError
from paxsim.gametheory.multisets import Counts, chances, multisets, rows_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SymmetricGame:
    """Payoffs of a symmetric game.

    Attributes
    ----------
    players : int
        Seats at the table.
    payoffs : ndarray, shape (..., multisets, strategies)
        What one seat of a strategy gets in each multiset (rows as in `multisets`); of a strategy
        that is not in it, whatever stands there is never used.
    rome : ndarray, shape (..., multisets)
        How often Rome wins in each multiset.
    """

    players: int
    payoffs: Floats
    rome: Floats

    def __post_init__(self) -> None:
        rows = len(multisets(self.strategies, self.players))
        if self.payoffs.shape[-2] != rows or self.payoffs.shape[:-1] != self.rome.shape:
            raise PaxsimError(
                f"game: payoffs of shape {self.payoffs.shape} and Rome's rates of shape "
                f"{self.rome.shape}; wanted {rows} multisets"
            )

    @property
    def strategies(self) -> int:
        """How many strategies there are."""
        return self.payoffs.shape[-1]

    def draw(self, number: int) -> SymmetricGame:
        """One of the draws of a game that has several."""
        return SymmetricGame(self.players, self.payoffs[number], self.rome[number])

    def draws(self, numbers: slice) -> SymmetricGame:
        """Some of the draws."""
        return SymmetricGame(self.players, self.payoffs[numbers], self.rome[numbers])

    @property
    def against_rivals(self) -> Floats:
        """What a strategy gets against each multiset of rivals, (..., rivals, strategies)."""
        rows = _beside_rivals(self.strategies, self.players)
        return self.payoffs[..., rows, np.arange(self.strategies)]

    def expected_payoffs(self, population: ArrayLike) -> Floats:
        """What each strategy gets on average if rivals are drawn from a population.

        Exact: the sum over all multisets of rivals, with their multinomial chances.

        Parameters
        ----------
        population : array_like, shape (..., states, strategies)
            Shares of the strategies; one state may be given without its dimension.

        Returns
        -------
        ndarray, shape (..., states, strategies)
        """
        return np.asarray(chances(population, self.players - 1) @ self.against_rivals)

    def mean_payoff(self, population: ArrayLike) -> Floats:
        """What a seat of a population gets on average."""
        return np.asarray((np.asarray(population) * self.expected_payoffs(population)).sum(axis=-1))

    def rome_rate(self, population: ArrayLike) -> Floats:
        """How often Rome wins if all seats are drawn from a population, shape (..., states)."""
        found = chances(population, self.players)
        rates = self.rome[..., None, :] if found.ndim > 1 else self.rome
        return np.asarray((found * rates).sum(axis=-1))

    def seated(self, population: ArrayLike, seats: Sequence[int]) -> Seated:
        """What happens if some seats are taken and the others are drawn from a population.

        Parameters
        ----------
        population : array_like, shape (strategies,)
            Shares of the strategies among the other seats.
        seats : sequence of int, shape (strategies,)
            How many seats are taken by each strategy.
        """
        taken = tuple(int(number) for number in seats)
        left = self.players - sum(taken)
        others, rows = _beside(self.players, taken)
        likely = chances(population, left)
        # A strategy that is not at a table has no payoff there, and counts for nothing.
        here = others + np.array(taken) > 0
        paid = np.where(here, self.payoffs[..., rows, :], 0.0)
        expected = np.where(np.array(taken) > 0, np.swapaxes(paid, -1, -2) @ likely, np.nan)
        rome = self.rome[..., rows] @ likely
        if left == 0:
            return Seated(expected, np.full(rome.shape, np.nan), rome)
        return Seated(expected, ((paid * others).sum(axis=-1) @ likely) / left, rome)


@dataclass(frozen=True, eq=False)
class Seated:
    """Tables with some seats taken, on average over who else sits there.

    Attributes
    ----------
    taken : ndarray, shape (..., strategies)
        What a seat gets that was taken by each strategy; NaN for one that took none.
    others : ndarray, shape (...)
        What each of the other seats gets; NaN if there is none.
    rome : ndarray, shape (...)
        How often Rome wins.
    """

    taken: Floats
    others: Floats
    rome: Floats


@lru_cache(maxsize=64)
def _beside_rivals(strategies: int, players: int) -> NDArray[np.intp]:
    """Rows of the table with each strategy beside each multiset of rivals, (rivals, strategies)."""
    rivals = multisets(strategies, players - 1)
    one = np.eye(strategies, dtype=np.int64)
    return np.stack([rows_of(rivals + one[strategy]) for strategy in range(strategies)], axis=1)


@lru_cache(maxsize=1024)
def _beside(players: int, taken: tuple[int, ...]) -> tuple[Counts, NDArray[np.intp]]:
    """Multisets of the seats that are not taken, and the rows of the table with all seats."""
    others = multisets(len(taken), players - sum(taken))
    return others, rows_of(others + np.array(taken, np.int64))


def pure_state(strategies: int, strategy: int) -> Floats:
    """The population in which everybody plays one strategy."""
    state = np.zeros(strategies)
    state[strategy] = 1.0
    return state
