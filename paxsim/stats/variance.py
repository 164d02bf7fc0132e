"""Shares of the variance of the outcome: strategy, seat and luck, and the course of the game.

Over the games of a block every strategy sits once at every seat: a full square of seat by strategy
for each deal, with one share of the win in each cell. What is the same on all deals is not luck: it
splits into strategy, seat, and their interaction. The rest is the *luck of the cards*. Blocks can't
split it further, into the cards and the seating.

Games that are dealt again from some point on can (`decided_shares`): two games that are equal up to
there and have different cards afterwards end the same way as far as the end was decided by then.

Several line-ups are split separately, and their components added.

Sums are of whole numbers and divided once at the end. Components are unbiased, so one that is zero
may be estimated slightly below zero and is not clipped. Intervals come from a jackknife over groups
of deals or of line-ups.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from paxsim.errors import PaxsimError
from paxsim.stats.intervals import max_unobserved_rate, t_quantile

#: Components of the variance.
PARTS = ("strategy", "seat", "seat_strategy", "luck")
#: Number of groups of deals, or of line-ups, that the jackknife leaves out in turn.
GROUPS = 20
Estimate = tuple[float, float, float]


def variance_shares(shares: NDArray[np.int64]) -> dict[str, Estimate]:
    """Return the shares of the variance by component (`PARTS`), each with its interval.

    Parameters
    ----------
    shares : numpy.ndarray of int, shape (lineups, deals, players, players)
        Share of the win by line-up, deal, seat and strategy, in any unit, e.g. 840ths. Every
        line-up has deals of its own.

    Returns
    -------
    dict of str to tuple of float
        Estimate and interval by component.

    Raises
    ------
    PaxsimError
        If there are fewer than two deals, or the shares are not whole numbers.

    Examples
    --------
    >>> shares = np.zeros((1, 40, 2, 2), int)
    >>> shares[:, :, 0, :] = 1  # the first seat always wins
    >>> {part: estimate for part, (estimate, low, high) in variance_shares(shares).items()}
    {'strategy': 0.0, 'seat': 1.0, 'seat_strategy': 0.0, 'luck': 0.0}
    """
    players = shares.shape[-1]
    if len(shares) == 1:
        deals = _square_sums(shares[0])
        estimates = _jackknife(deals, lambda total: _relative(_components(total, players)))
    else:
        totals = [_square_sums(square).astype(object).sum(axis=0).tolist() for square in shares]
        lineups = np.array([_components(total, players) for total in totals], object)
        estimates = _jackknife(lineups, _relative)
    return dict(zip(PARTS, estimates, strict=True))


def _relative(components: list[int]) -> list[float]:
    *parts, everything = components
    return [part / everything if everything else math.nan for part in parts]


def _square_sums(shares: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sums from which components are computed, by deal."""
    y = _whole(shares)
    deals = len(y)
    return np.concatenate(
        [
            np.column_stack([(y**2).sum(axis=(1, 2)), (y.sum(axis=1) ** 2).sum(axis=1),
                             (y.sum(axis=2) ** 2).sum(axis=1), y.sum(axis=(1, 2)) ** 2,
                             np.ones(deals, np.int64)]),
            y.reshape(deals, -1),
        ],
        axis=1,
    )  # fmt: skip


def _components(total: list[int], n: int) -> list[int]:
    """Return the components of the variance and the total, from sums over deals, in one unit.

    Let q be a quadratic form of a block's cells. The square of a *mean* is biased; unbiased is the
    mean of q over pairs of different blocks, ``(q(sum) - sum of q) / pairs``.
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
    """Return the share of the variance of the outcome that is decided at some points of a game.

    Parameters
    ----------
    shares : numpy.ndarray of int, shape (deals, points, copies, players)
        Share of the win by deal and seat in copies of the game that are dealt again from each
        point on; in any unit.

    Returns
    -------
    list of tuple of float
        For each point the share with the ends of its interval: 0 if the copies end as differently
        as any two games, 1 if they end the same way.

    Raises
    ------
    PaxsimError
        If there are fewer than two deals or copies, or the shares are not whole numbers.

    Examples
    --------
    >>> winners = np.array([[0, 0], [1, 1], [1, 0], [1, 1], [0, 0], [0, 1], [0, 0], [1, 1]])
    >>> shares = np.eye(2, dtype=int)[winners][:, None]  # 8 deals, 1 point, 2 copies, 2 players
    >>> [(share, low, high)] = decided_shares(shares)
    >>> share
    0.5
    """
    y = _whole(shares)
    deals, points, copies, players = y.shape
    if copies < 2:
        raise PaxsimError(f"copies of a game must be 2 or more, got {copies}")
    columns = [
        (y.sum(axis=2) ** 2).sum(axis=2), (y**2).sum(axis=(2, 3)), y.sum(axis=(2, 3)),
        np.ones((deals, points), np.int64),
    ]  # fmt: skip
    sums = np.stack(columns, axis=2).reshape(deals, -1)
    estimates = _jackknife(sums, lambda total: _decided(total, copies, players))
    # If all copies of all deals end the same way, other deals are rare, but not impossible.
    rare = max_unobserved_rate(deals)
    return [
        (value, value * (1 - rare), value + (1 - value) * rare)
        if low == high
        else (value, low, high)
        for value, low, high in estimates
    ]


def _decided(total: list[int], copies: int, players: int) -> list[float]:
    """Return the covariance of two copies as a share of the variance, by point."""
    values = []
    for point in range(0, len(total), 4):
        together, squares, whole, deals = total[point : point + 4]
        games = deals * copies * players
        # All over the same denominator: games**2 (copies - 1).
        mean = whole**2 * (copies - 1)
        within = (together - squares) * games - mean
        everything = squares * games * (copies - 1) - mean
        values.append(within / everything if everything else math.nan)
    return values


def _whole(shares: NDArray[np.int64]) -> NDArray[np.int64]:
    shares = np.asarray(shares)
    if not np.issubdtype(shares.dtype, np.integer):
        raise PaxsimError(f"shares of the win must be whole numbers, got {shares.dtype}")
    if len(shares) < 2:
        raise PaxsimError(f"shares of the variance need 2 or more deals, got {len(shares)}")
    return shares.astype(np.int64)


def _jackknife(
    sums: NDArray[np.int64], estimate: Callable[[list[int]], list[float]]
) -> list[Estimate]:
    """Return estimates from sums, with intervals from leaving out groups in turn."""
    groups = np.arange(len(sums)) % min(GROUPS, len(sums) // 2 or 1)
    n = int(groups.max()) + 1
    by_group = np.stack([sums[groups == group].sum(axis=0) for group in range(n)]).astype(object)
    total = by_group.sum(axis=0)
    left_out = [estimate((total - group).tolist()) for group in by_group]
    critical = t_quantile(n - 1) if n > 1 else math.inf
    estimates = []
    for value, values in zip(estimate(total.tolist()), zip(*left_out, strict=True), strict=True):
        middle = math.fsum(values) / n
        half = critical * math.sqrt((n - 1) / n * math.fsum((v - middle) ** 2 for v in values))
        estimates.append((value, value - half, value + half))
    return estimates
