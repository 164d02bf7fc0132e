"""Multisets of strategies: who sits at a table, where only how many of each kind matters."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
