"""Symmetric n-player games as payoff tables over multisets of strategies."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.errors import PaxsimError

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def number_of_multisets(strategies: int, seats: int) -> int:
    """Return the number of multisets of a given size."""
    return math.comb(strategies + seats - 1, seats)


@lru_cache(maxsize=64)
def multisets(strategies: int, seats: int) -> Counts:
    """Return all multisets in a fixed order: seats by strategy, shape (multisets, strategies)."""
    chosen = list(itertools.combinations_with_replacement(range(strategies), seats))
    flat = np.array(chosen, np.int64).reshape(len(chosen), seats)
    counts = (flat[:, :, None] == np.arange(strategies)).sum(axis=1)
    counts.setflags(write=False)
    return counts


@lru_cache(maxsize=64)
def orders(strategies: int, seats: int) -> Floats:
    """Return the number of orders of each multiset (multinomial coefficients)."""
    rows = multisets(strategies, seats).tolist()
    numbers = [math.factorial(seats) // math.prod(map(math.factorial, row)) for row in rows]
    return np.array(numbers, np.float64)


@lru_cache(maxsize=64)
def _row_numbers(strategies: int, seats: int) -> dict[tuple[int, ...], int]:
    return {tuple(row): i for i, row in enumerate(multisets(strategies, seats).tolist())}


def rows_of(counts: Counts) -> NDArray[np.intp]:
    """Return the rows of some multisets of one size in `multisets`."""
    numbers = _row_numbers(counts.shape[1], int(counts[0].sum()))
    return np.array([numbers[tuple(row)] for row in counts.tolist()], np.intp)


def chances(population: ArrayLike, seats: int) -> Floats:
    """Return the multinomial probability of each multiset of seats drawn from a population.

    Parameters
    ----------
    population : array_like, shape (..., strategies)
        Shares of the strategies.
    seats : int
        Number of seats.

    Returns
    -------
    ndarray, shape (..., multisets)

    Examples
    --------
    >>> chances([0.5, 0.5], 2)
    array([0.25, 0.5 , 0.25])
    """
    shares = np.asarray(population, np.float64)
    counts = multisets(shares.shape[-1], seats)
    powers = shares[..., None, :] ** counts
    return np.asarray(powers.prod(axis=-1) * orders(shares.shape[-1], seats))


def drawn_multisets(strategies: int, seats: int, most: int, seed: int) -> NDArray[np.intp]:
    """Return the rows of `multisets` to play: all, or a random `most` of them.

    Multisets with one or two strategies are always included, so that pure states, their neighbours
    and coalitions that leave them are measured rather than estimated.
    """
    counts = multisets(strategies, seats)
    if len(counts) <= most:
        return np.arange(len(counts))
    kinds = (counts > 0).sum(axis=1)
    few, many = np.flatnonzero(kinds <= 2), np.flatnonzero(kinds > 2)
    rng = np.random.default_rng(seed)
    drawn = rng.choice(many, max(0, most - len(few)), replace=False)
    return np.sort(np.concatenate([few, drawn]))


class Seated(NamedTuple):
    """Expected results when some seats are taken and the others are drawn from a population."""

    taken: Floats  # payoff of a taken seat by strategy; NaN for strategies that took none
    others: Floats  # payoff of each other seat; NaN if there is none
    rome: Floats  # Rome's rate


@dataclass(frozen=True, eq=False)
class SymmetricGame:
    """Payoff table of a symmetric game, or of many bootstrap draws of one.

    Attributes
    ----------
    players : int
        Number of players.
    payoffs : ndarray, shape (..., multisets, strategies)
        Payoff of a seat of each strategy in each multiset (rows as in `multisets`); values of
        strategies that are not in the multiset are ignored.
    rome : ndarray, shape (..., multisets)
        Rome's rate in each multiset.

    Examples
    --------
    >>> payoffs = np.array([[-1, np.nan], [4, 0], [np.nan, 2]])  # hawk-dove
    >>> game = SymmetricGame(2, payoffs, rome=np.zeros(3))
    >>> game.expected_payoffs([0.5, 0.5])
    array([1.5, 1. ])
    """

    players: int
    payoffs: Floats
    rome: Floats

    def __post_init__(self) -> None:
        rows = number_of_multisets(self.strategies, self.players)
        if self.payoffs.shape[-2] != rows or self.payoffs.shape[:-1] != self.rome.shape:
            raise PaxsimError(
                f"payoffs and Rome's rates must have {rows} multisets, got shapes "
                f"{self.payoffs.shape} and {self.rome.shape}"
            )

    @property
    def strategies(self) -> int:
        """Number of strategies."""
        return self.payoffs.shape[-1]

    def draw(self, index: int | slice) -> SymmetricGame:
        """Return one or some of the bootstrap draws."""
        return SymmetricGame(self.players, self.payoffs[index], self.rome[index])

    @property
    def against_rivals(self) -> Floats:
        """Payoffs against each multiset of rivals, shape (..., rivals, strategies)."""
        rows = _beside_rivals(self.strategies, self.players)
        return self.payoffs[..., rows, np.arange(self.strategies)]

    def expected_payoffs(self, population: ArrayLike) -> Floats:
        """Return the exact expected payoffs when rivals are drawn from a population.

        Parameters
        ----------
        population : array_like, shape (..., states, strategies)
            Shares of the strategies; a single state may omit its dimension.

        Returns
        -------
        ndarray, shape (..., states, strategies)
        """
        return np.asarray(chances(population, self.players - 1) @ self.against_rivals)

    def mean_payoff(self, population: ArrayLike) -> Floats:
        """Return the mean payoff in a population."""
        return np.asarray((np.asarray(population) * self.expected_payoffs(population)).sum(axis=-1))

    def rome_rate(self, population: ArrayLike) -> Floats:
        """Return Rome's rate when all seats are drawn from a population, shape (..., states)."""
        probabilities = chances(population, self.players)
        rates = self.rome[..., None, :] if probabilities.ndim > 1 else self.rome
        return np.asarray((probabilities * rates).sum(axis=-1))

    def seated(self, population: ArrayLike, seats: Sequence[int]) -> Seated:
        """Return expected results when each strategy takes some seats, beside a population."""
        taken = tuple(int(number) for number in seats)
        left = self.players - sum(taken)
        others, rows = _beside(self.players, taken)
        probabilities = chances(population, left)
        # Payoffs of absent strategies are undefined and must not contribute NaN.
        present = others + np.array(taken) > 0
        paid = np.where(present, self.payoffs[..., rows, :], 0.0)
        expected = np.where(np.array(taken) > 0, np.swapaxes(paid, -1, -2) @ probabilities, np.nan)
        rome = self.rome[..., rows] @ probabilities
        if left == 0:
            return Seated(expected, np.full(rome.shape, np.nan), rome)
        return Seated(expected, ((paid * others).sum(axis=-1) @ probabilities) / left, rome)


@lru_cache(maxsize=64)
def _beside_rivals(strategies: int, players: int) -> NDArray[np.intp]:
    """Return the rows with each strategy beside each multiset of rivals, (rivals, strategies)."""
    rivals = multisets(strategies, players - 1)
    one = np.eye(strategies, dtype=np.int64)
    return np.stack([rows_of(rivals + one[strategy]) for strategy in range(strategies)], axis=1)


@lru_cache(maxsize=1024)
def _beside(players: int, taken: tuple[int, ...]) -> tuple[Counts, NDArray[np.intp]]:
    """Return the multisets of the seats not taken, and the rows of the full tables."""
    others = multisets(len(taken), players - sum(taken))
    return others, rows_of(others + np.array(taken, np.int64))


# --- line-ups that were not played --------------------------------------------------------------


def fill_missing(
    players: int, rows: NDArray[np.intp], payoffs: Floats, rome: Floats
) -> tuple[Floats, Floats]:
    """Return payoffs and Rome's rates of all multisets, by a quadratic fit where none was played.

    `rows` are the rows of `multisets` that were played, and `payoffs` (..., played, strategies) and
    `rome` (..., played) are the results there.
    """
    counts = multisets(payoffs.shape[-1], players)
    if len(rows) == len(counts):
        return payoffs, rome
    whole = np.full((*payoffs.shape[:-2], *counts.shape), np.nan)
    rates = np.full((*rome.shape[:-1], len(counts)), np.nan)
    whole[..., rows, :], rates[..., rows] = payoffs, rome
    missing = np.setdiff1d(np.arange(len(counts)), rows)
    rates[..., missing] = rome @ _fit(counts, rows, missing).T
    for strategy in range(counts.shape[1]):
        played, absent = (part[counts[part, strategy] > 0] for part in (rows, missing))
        if len(absent):
            fit = _fit(counts, played, absent)
            whole[..., absent, strategy] = whole[..., played, strategy] @ fit.T
    return whole, rates


def leave_one_out_error(players: int, rows: NDArray[np.intp], payoffs: Floats) -> float:
    """Return the root mean square leave-one-out error of `fill_missing`, for the same arguments.

    NaN if the fit passes through all played multisets.
    """
    counts = multisets(payoffs.shape[-1], players)
    residuals = []
    for strategy in range(counts.shape[1]):
        here = counts[rows, strategy] > 0
        hat = _fit(counts, rows[here], rows[here])
        measured = payoffs[here, strategy]
        leverage = hat.diagonal()
        free = leverage < 1 - 1e-9
        residuals.append(((measured - hat @ measured) / np.where(free, 1 - leverage, 1.0))[free])
    errors = np.concatenate(residuals)
    return float(np.sqrt(np.mean(errors**2))) if len(errors) else float("nan")


def _fit(counts: Counts, rows: NDArray[np.intp], targets: NDArray[np.intp]) -> Floats:
    """Return the matrix of the least squares fit, shape (targets, rows)."""
    return np.asarray(_terms(counts[targets]) @ np.linalg.pinv(_terms(counts[rows])))


def _terms(counts: Counts) -> Floats:
    """Return the terms of a quadratic function of the counts, shape (rows, terms).

    The counts of a row sum to the number of players, so the products of two span the constant and
    the linear terms too.
    """
    first, second = np.triu_indices(counts.shape[1])
    return np.asarray(counts[:, first] * counts[:, second], np.float64)
