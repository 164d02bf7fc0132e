"""Symmetric games of n players as tables, and what a strategy can expect in a mixed population."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.errors import PaxsimError

Counts = NDArray[np.int64]


def number_of_multisets(strategies: int, seats: int) -> int:
    """How many ways there are to fill so many seats with so many strategies."""
    return math.comb(strategies + seats - 1, seats)


@lru_cache(maxsize=64)
def multisets(strategies: int, seats: int) -> Counts:
    """All multisets in a fixed order, shape ``(multisets, strategies)``: seats of each strategy."""
    chosen = list(itertools.combinations_with_replacement(range(strategies), seats))
    flat = np.array(chosen, np.int64).reshape(len(chosen), seats)
    counts = (flat[:, :, None] == np.arange(strategies)).sum(axis=1)
    counts.setflags(write=False)
    return counts


@lru_cache(maxsize=64)
def orders(strategies: int, seats: int) -> NDArray[np.float64]:
    """In how many orders the seats of each multiset can be drawn, shape ``(multisets,)``."""
    rows = multisets(strategies, seats).tolist()
    ways = [math.factorial(seats) // math.prod(map(math.factorial, row)) for row in rows]
    return np.array(ways, np.float64)


@lru_cache(maxsize=64)
def _row_numbers(strategies: int, seats: int) -> dict[tuple[int, ...], int]:
    return {tuple(row): i for i, row in enumerate(multisets(strategies, seats).tolist())}


def rows_of(counts: Counts) -> NDArray[np.intp]:
    """Where multisets of one size stand in `multisets`, shape ``(rows,)``."""
    numbers = _row_numbers(counts.shape[1], int(counts[0].sum()))
    return np.array([numbers[tuple(row)] for row in counts.tolist()], np.intp)


def chances(population: ArrayLike, seats: int) -> NDArray[np.float64]:
    """Chance of each multiset if so many seats are drawn from a population (multinomial).

    Parameters
    ----------
    population : array_like, shape (..., strategies)
        Shares of the strategies.
    seats : int
        How many are drawn.

    Returns
    -------
    ndarray, shape (..., multisets)
    """
    shares = np.asarray(population, np.float64)
    counts = multisets(shares.shape[-1], seats)
    powers = shares[..., None, :] ** counts
    return np.asarray(powers.prod(axis=-1) * orders(shares.shape[-1], seats))


def drawn_multisets(strategies: int, seats: int, most: int, seed: int) -> NDArray[np.intp]:
    """Rows of `multisets` to play: all, or `most` of them if there are more.

    Those with one or two strategies always belong to them: pure states, their neighbours and
    coalitions that leave them are then known and not estimated. The others are drawn at random.
    """
    counts = multisets(strategies, seats)
    if len(counts) <= most:
        return np.arange(len(counts))
    kinds = (counts > 0).sum(axis=1)
    few, many = np.flatnonzero(kinds <= 2), np.flatnonzero(kinds > 2)
    rng = np.random.default_rng(seed)
    drawn = rng.choice(many, max(0, most - len(few)), replace=False)
    return np.sort(np.concatenate([few, drawn]))


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


@dataclass(frozen=True, eq=False)
class Filled:
    """A whole table from a part of it.

    Attributes
    ----------
    payoffs : ndarray, shape (..., multisets, strategies)
        Measured where they were, fitted elsewhere.
    rome : ndarray, shape (..., multisets)
        Rome's rates, likewise.
    """

    payoffs: Floats
    rome: Floats


def fill(players: int, rows: NDArray[np.intp], payoffs: Floats, rome: Floats) -> Filled:
    """The whole table.

    Parameters
    ----------
    players : int
        Seats at the table.
    rows : ndarray of int, shape (played,)
        Which rows of `multisets` were played.
    payoffs : ndarray, shape (..., played, strategies)
        What a seat of each strategy got there.
    rome : ndarray, shape (..., played)
        How often Rome won there.
    """
    counts = multisets(payoffs.shape[-1], players)
    if len(rows) == len(counts):
        return Filled(payoffs, rome)
    whole = np.full((*payoffs.shape[:-2], *counts.shape), np.nan)
    rates = np.full((*rome.shape[:-1], len(counts)), np.nan)
    whole[..., rows, :], rates[..., rows] = payoffs, rome
    missing = np.setdiff1d(np.arange(len(counts)), rows)
    rates[..., missing] = rome @ _fit(counts, rows, missing).T
    for strategy in range(counts.shape[1]):
        known, wanted = (part[counts[part, strategy] > 0] for part in (rows, missing))
        if len(wanted):
            fit = _fit(counts, known, wanted)
            whole[..., wanted, strategy] = whole[..., known, strategy] @ fit.T
    return Filled(whole, rates)


def left_out_error(players: int, rows: NDArray[np.intp], payoffs: Floats) -> float:
    """How far off the fit is on a line-up that it has not seen: root of the mean square.

    NaN if it goes through all that was played, and nothing is left to tell. Parameters as for
    `fill`, without draws.
    """
    counts = multisets(payoffs.shape[-1], players)
    errors = []
    for strategy in range(counts.shape[1]):
        here = counts[rows, strategy] > 0
        hat = _fit(counts, rows[here], rows[here])
        found = payoffs[here, strategy]
        seen = hat.diagonal()
        free = seen < 1 - 1e-9  # what the fit must go through says nothing about it
        errors.append(((found - hat @ found) / np.where(free, 1 - seen, 1.0))[free])
    found = np.concatenate(errors)
    return float(np.sqrt(np.mean(found**2))) if len(found) else float("nan")


def _fit(counts: Counts, known: NDArray[np.intp], wanted: NDArray[np.intp]) -> Floats:
    """The matrix that takes what was measured to what is wanted, shape (wanted, known)."""
    return np.asarray(_terms(counts[wanted]) @ np.linalg.pinv(_terms(counts[known])))


def _terms(counts: Counts) -> Floats:
    """Terms of a quadratic function of the counts, shape (rows, terms).

    The counts of a row add up to the players, so squares and products of two are all there is: they
    span the constant and the linear terms. One's own seat shifts a strategy's count by one, which
    changes the terms but not what they span.
    """
    first, second = np.triu_indices(counts.shape[1])
    return np.asarray(counts[:, first] * counts[:, second], np.float64)
