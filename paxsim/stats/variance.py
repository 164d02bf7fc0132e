"""How much of the outcome is strategy, seat and luck, and by when it is decided.

A block is one deal played once for each rotation of the line-up, so over its games every strategy
sits once at every seat: a full square of seat by strategy for each deal, with one share of the win
in each cell. What is the same on all deals is no luck: it splits into strategy, seat, and seat with
strategy. All else is the *luck of the cards*. Blocks can't split it further: that two games of a
deal end differently where seats have changed does not tell what the cards decided and what the
seating did.

What can split it are games dealt anew from a point on (`decided_shares`): two games that are equal
up to there and have other cards from there on end alike as far as the end was decided by then.

Of several line-ups each splits for itself, and the parts are added up over all of them.

Sums are of whole numbers and divided once at the end. Each component is freed of what chance alone
would give it, so where there is nothing it comes out as a little more or less than nothing; below
zero it stays below zero. Intervals come from a jackknife over groups of deals, or of line-ups.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import ALPHA
from paxsim.stats.intervals import rarest_unseen

#: What the variance splits into.
PARTS = ("strategy", "seat", "seat_strategy", "luck")
#: Groups of deals, or of line-ups, that the jackknife leaves out in turn.
GROUPS = 20
Estimate = tuple[float, float, float]


def variance_shares(shares: NDArray[np.int64]) -> dict[str, Estimate]:
    """Shares of the variance by part (`PARTS`), each with the ends of its interval.

    Parameters
    ----------
    shares : numpy.ndarray of int, shape (deals, players, players)
        Share of the win by deal, seat and strategy, in any unit, e.g. 840ths.
    """
    sums, players = _square_sums(shares)
    found = _jackknife(sums, lambda total: _parts_of_all(_components(total, players)))
    return dict(zip(PARTS, found, strict=True))


def pooled_variance_shares(shares: NDArray[np.int64]) -> dict[str, Estimate]:
    """The same over several line-ups, each of which splits for itself.

    Parameters
    ----------
    shares : numpy.ndarray of int, shape (lineups, deals, players, players)
        Share of the win by line-up, deal, seat and strategy; every line-up on deals of its own.
    """
    if len(shares) == 1:
        return variance_shares(shares[0])
    rows = []
    for square in shares:
        sums, players = _square_sums(square)
        rows.append(_components(sums.astype(object).sum(axis=0).tolist(), players))
    found = _jackknife(np.array(rows, object), _parts_of_all)
    return dict(zip(PARTS, found, strict=True))


def _parts_of_all(components: list[int]) -> list[float]:
    *parts, everything = components
    return [part / everything if everything else math.nan for part in parts]


def _square_sums(shares: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """What the parts are made from, deal by deal, and the number of players."""
    y = _whole(shares)
    deals, players, _ = y.shape
    sums = np.concatenate(
        [
            np.column_stack([(y**2).sum(axis=(1, 2)), (y.sum(axis=1) ** 2).sum(axis=1),
                             (y.sum(axis=2) ** 2).sum(axis=1), y.sum(axis=(1, 2)) ** 2,
                             np.ones(deals, np.int64)]),
            y.reshape(deals, -1),
        ],
        axis=1,
    )  # fmt: skip
    return sums, players


def _components(total: list[int], n: int) -> list[int]:
    """Parts of the variance and the whole of it, from the sums over some deals, in one unit.

    Let q be a square form of a block's cells. The square of a *mean* is too large by chance;
    free of it is the mean of q over pairs of different blocks, ``(q(sum) - sum of q) / pairs``.
    """
    squares, by_strategy, by_seat, whole, deals, *cells = total
    square = np.array(cells, object).reshape(n, n)
    pairs_whole = square.sum() ** 2 - whole
    strategy = n * ((square.sum(axis=0) ** 2).sum() - by_strategy) - pairs_whole
    seat = n * ((square.sum(axis=1) ** 2).sum() - by_seat) - pairs_whole
    constant = n**2 * ((square**2).sum() - squares) - pairs_whole
    everything = n**2 * (deals - 1) * squares - pairs_whole
    return [strategy, seat, constant - strategy - seat, everything - constant, everything]


def decided_shares(shares: NDArray[np.int64]) -> list[Estimate]:
    """How much of the variance of the outcome is decided at each of some points of a game.

    Parameters
    ----------
    shares : numpy.ndarray of int, shape (deals, points, copies, players)
        Share of the win by deal and seat in copies of the game that are dealt anew from each
        point on; in any unit.

    Returns
    -------
    list of tuple of float
        For each point the share with the ends of its interval: 0 if the copies end as differently
        as any two games, 1 if they end alike.
    """
    y = _whole(shares)
    deals, points, copies, players = y.shape
    if copies < 2:
        raise PaxsimError(f"decided: found {copies} copies of a game; allowed: 2 or more")
    columns = [
        (y.sum(axis=2) ** 2).sum(axis=2), (y**2).sum(axis=(2, 3)), y.sum(axis=(2, 3)),
        np.ones((deals, points), np.int64),
    ]  # fmt: skip
    sums = np.stack(columns, axis=2).reshape(deals, -1)
    found = _jackknife(sums, lambda total: _decided(total, copies, players))
    # Where all copies of all deals end alike, a deal with others is rare, but not impossible.
    rare = rarest_unseen(deals)
    return [
        (value, value * (1 - rare), value + (1 - value) * rare)
        if low == high
        else (value, low, high)
        for value, low, high in found
    ]


def _decided(total: list[int], copies: int, players: int) -> list[float]:
    """Covariance of two copies as a part of the variance, point by point."""
    found = []
    for point in range(0, len(total), 4):
        together, squares, whole, deals = total[point : point + 4]
        games = deals * copies * players
        # All over the same denominator: games**2 (copies - 1).
        mean = whole**2 * (copies - 1)
        within = (together - squares) * games - mean
        everything = squares * games * (copies - 1) - mean
        found.append(within / everything if everything else math.nan)
    return found


def _whole(shares: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.asarray(shares)
    if not np.issubdtype(found.dtype, np.integer) or len(found) < 2:
        raise PaxsimError(
            f"variance: found {len(found)} deals of {found.dtype}; "
            "allowed: two or more, in whole numbers of some unit"
        )
    return found.astype(np.int64)


def _jackknife(
    sums: NDArray[np.int64], estimate: Callable[[list[int]], list[float]]
) -> list[Estimate]:
    """Estimates from sums over deals, with intervals from leaving out groups of deals in turn."""
    groups = np.arange(len(sums)) % min(GROUPS, len(sums) // 2 or 1)
    n = int(groups.max()) + 1
    of_groups = np.stack([sums[groups == group].sum(axis=0) for group in range(n)]).astype(object)
    total = of_groups.sum(axis=0)
    whole = estimate(total.tolist())
    left_out = [estimate((total - group).tolist()) for group in of_groups]
    critical = -float(stdtrit(n - 1, ALPHA / 2)) if n > 1 else math.inf
    found = []
    for value, values in zip(whole, zip(*left_out, strict=True), strict=True):
        middle = math.fsum(values) / n
        half = critical * math.sqrt((n - 1) / n * math.fsum((v - middle) ** 2 for v in values))
        found.append((value, value - half, value + half))
    return found
