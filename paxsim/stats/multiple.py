"""Corrections for many comparisons: joint intervals, adjusted p-values, seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtr, fdtri, ndtri, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, MAX_T_POINTS
from paxsim.stats.intervals import RATE, UNBOUNDED, Bounds, Interval, contrast, p_value
from paxsim.stats.moments import Moments


def simultaneous_contrasts(
    moments: Moments,
    contrasts: Sequence[ArrayLike],
    *,
    bounds: Bounds | Sequence[Bounds] = UNBOUNDED,
) -> tuple[Interval, ...]:
    """Return joint 95% intervals for several weighted sums of block means.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    contrasts : sequence of array_like, shape (k, d)
        One row of weights for each contrast.
    bounds : tuple of float, or a sequence of them
        Range of possible values, of all contrasts or of each.

    Returns
    -------
    tuple of Interval
        In the order of the contrasts. All of them hold with probability 0.95.

    Examples
    --------
    >>> wins = Moments.of([[1, 2, 1], [0, 3, 1], [2, 2, 0], [1, 1, 2], [0, 2, 2], [1, 2, 1]], 4)
    >>> [f"{x.low:.2f} {x.high:.2f}" for x in simultaneous_contrasts(wins, np.eye(3), bounds=RATE)]
    ['0.03 0.57', '0.23 0.77', '0.07 0.62']
    """
    matrix = np.asarray(contrasts, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != moments.d or len(matrix) == 0:
        raise PaxsimError(f"contrasts must have shape (k, {moments.d}), got {matrix.shape}")
    limits = np.broadcast_to(bounds, (len(matrix), 2)).tolist()
    covariance = matrix @ moments.covariance @ matrix.T
    # Rounding noise does not count as a spread.
    constant = [contrast(moments, row).se == 0 for row in matrix]
    covariance[constant] = 0.0
    level = joint_level(covariance, moments.n)
    return tuple(
        contrast(moments, row, level=level, bounds=(low, high))
        for row, (low, high) in zip(matrix, limits, strict=True)
    )


def joint_level(covariance: NDArray[np.float64], n: int) -> float:
    """Return the level for each of several intervals at which all hold with probability 0.95.

    The critical value is the quantile of the largest |t| of a multivariate t distribution with
    the correlation of the estimates (max-t; Hothorn, Bretz & Westfall 2008). With no more blocks
    than contrasts the estimated correlation is worthless; then it is Šidák's, a little wider.
    The covariance is that of the estimates from `n` blocks, up to a factor.
    """
    alpha = 1 - LEVEL
    k, df = len(covariance), max(n - 1, 1)
    # Constants take no part in the maximum.
    varies = np.flatnonzero(covariance.diagonal() > 0)
    if len(varies) and n > k + 1:
        sd = np.sqrt(covariance.diagonal()[varies])
        correlation = covariance[np.ix_(varies, varies)] / np.outer(sd, sd)
        critical = max_t_quantile(correlation, df)
        if len(varies) < k:
            # The constants share the error: Bonferroni between the two groups.
            critical = max(critical, -float(stdtrit(df, alpha / k / 2)))
    else:
        critical = -float(stdtrit(df, (1 - (1 - alpha) ** (1 / k)) / 2))
    return 1 - 2 * float(stdtr(df, -critical))


def max_t_quantile(correlation: ArrayLike, df: float) -> float:
    """Return the 95% quantile of the largest absolute value of a multivariate t vector.

    A t vector is a direction times a length, and for a given direction the probability that the
    largest entry stays below c is known (an F distribution, Genz & Bretz 2009). Only the average
    over directions is numerical, over fixed quasi-random ones; the error is below 0.01 standard
    errors. The correlation may be singular, as that of shares with a constant sum.
    """
    r = np.asarray(correlation, np.float64)
    k = len(r)
    single, sidak = (-float(stdtrit(df, (1 - q) / 2)) for q in (LEVEL, LEVEL ** (1 / k)))
    if k == 1:
        return single
    values, vectors = np.linalg.eigh(r)
    # The symmetric root does not depend on the choice of eigenvectors, which is arbitrary for equal
    # correlations and differs between machines.
    root = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    # Sorted, because interpolating in order is five times faster.
    reach = np.sort(1 / np.abs(_directions(k) @ root.T).max(axis=1))
    lengths, chances = _length_table(k, float(df))

    def miss(c: float) -> float:
        return float(np.interp(c * reach, lengths, chances).mean()) - LEVEL

    # Bisection between the quantiles of one and of k independent variables, with a margin for
    # rounding: importing a root finder would take longer.
    low, high = 0.9 * single, 1.1 * sidak
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if miss(middle) < 0 else (low, middle)
    return (low + high) / 2


def even_points(points: int, k: int) -> NDArray[np.float64]:
    """Return points that fill a cube evenly, shape (points, k), coordinates between 0 and 1."""
    # Multiples of Roberts' generalised golden ratio: scipy's Sobol points take a second to import.
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (k + 1))
    steps = root ** -np.arange(1.0, k + 1)
    uniform = (0.5 + np.arange(1, points + 1)[:, None] * steps) % 1
    return np.asarray(np.clip(uniform, 1e-12, 1 - 1e-12))


@lru_cache(maxsize=32)
def _directions(k: int) -> NDArray[np.float64]:
    """Return unit vectors spread evenly over all directions, shape (points, k)."""
    normal = ndtri(even_points(MAX_T_POINTS, k))
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


@lru_cache(maxsize=32)
def _length_table(k: int, df: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a table of lengths of a t vector and their cumulative probabilities.

    Interpolating is ten times faster than the F distribution itself.
    """
    longest = np.sqrt(k * fdtri(k, df, 1 - 1e-6))
    lengths = np.linspace(0, longest, 2001)
    return lengths, fdtr(k, df, lengths**2 / k)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted by the method of Holm (1979).

    If differences with an adjusted value below 0.05 are called real, the probability of even *one*
    false claim is at most 5%, whatever the dependence of the comparisons.

    Parameters
    ----------
    p_values : array_like, shape (k,)
        One p-value for each comparison.

    Returns
    -------
    ndarray, shape (k,)
        Adjusted p-values in the same order.

    Raises
    ------
    PaxsimError
        If a value is not between 0 and 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = _checked(p_values)
    # statsmodels' version collects garbage, 50 ms a call, and is slow to import.
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted by the method of Benjamini & Hochberg (1995).

    Among the differences with an adjusted value below 0.05, about 5% at most are false claims:
    for screening many candidates. Parameters and result as for `holm`.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    p = _checked(p_values)
    if p.size == 0:
        return p
    from scipy.stats import false_discovery_control  # takes a second to import

    return np.asarray(false_discovery_control(p, method="bh"), np.float64)


@dataclass(frozen=True, slots=True)
class SeatTest:
    """Comparison of a seat with its fair share.

    Attributes
    ----------
    share : Interval
        Its share of wins; holds jointly with those of the other seats.
    fair : Interval
        The fair share, which is itself an estimate.
    difference : Interval
        Share - fair share; holds jointly with those of the other seats.
    p_holm : float
        p-value of "the difference is zero", corrected for the number of seats.
    """

    share: Interval
    fair: Interval
    difference: Interval
    p_holm: float


def seats_against_fair_share(moments: Moments, seats: Sequence[int]) -> tuple[SeatTest, ...]:
    """Test every seat's share of wins against the fair share.

    The fair share depends on how often Rome wins alone in the same games, so it is an estimate,
    too: within each block the difference is ``share of the seat - (sum of the shares) / players``,
    and the interval is that of its mean.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    seats : sequence of int
        Indices of the shares of all seats in the block vector.

    Examples
    --------
    >>> wins = Moments.of([[3, 1], [2, 2], [3, 0], [2, 1], [3, 1], [2, 1]], scale=4)
    >>> first, second = seats_against_fair_share(wins, [0, 1])
    >>> round(first.share.estimate, 3), round(first.fair.estimate, 3), round(first.p_holm, 3)
    (0.625, 0.438, 0.225)
    """
    k = len(seats)
    if k < 2:
        raise PaxsimError("seats can be compared with a fair share in games of 2 or more players")
    pick = np.zeros((k, moments.d))
    pick[np.arange(k), list(seats)] = 1.0
    average = pick.mean(axis=0)
    shares = simultaneous_contrasts(moments, list(pick), bounds=RATE)
    # A seat that never wins is a whole fair share below it; one that always wins, the rest above.
    bounds = (-1 / k, 1 - 1 / k)
    differences = simultaneous_contrasts(moments, list(pick - average), bounds=bounds)
    fair = contrast(moments, average, bounds=RATE)
    single = [contrast(moments, row, bounds=bounds) for row in pick - average]
    p_values = holm([p_value(difference) for difference in single]).tolist()
    rows = zip(shares, differences, p_values, strict=True)
    return tuple(SeatTest(share, fair, difference, p) for share, difference, p in rows)


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise PaxsimError("p-values must be a list of numbers between 0 and 1")
    return p
