"""Intervals that all hold together: the chance that *any* of them misses is 1 - level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtr, fdtri, ndtri, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, MAX_T_POINTS
from paxsim.stats.intervals import (
    RATE,
    UNBOUNDED,
    Bounds,
    Interval,
    check_level,
    contrast,
    p_value,
    unit,
)
from paxsim.stats.moments import Moments


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """Intervals that hold together.

    Attributes
    ----------
    intervals : tuple of Interval
        In the order asked for.
    level : float
        Chance that all of them hold.
    local_level : float
        Level at which each had to be computed for that.
    critical : float
        Standard errors to either side (before the skew of a rate near 0 or 1).
    method : str
        ``"max-t"`` or ``"sidak"``.
    """

    intervals: tuple[Interval, ...]
    level: float
    local_level: float
    critical: float
    method: str


def simultaneous_rates(
    moments: Moments,
    indices: Sequence[int],
    *,
    level: float = LEVEL,
    method: str = "max-t",
) -> Simultaneous:
    """Joint intervals for several rates of the block vector, e.g. the win rates of all seats.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    indices : sequence of int
        Which values of the block vector.
    level, method
        See `simultaneous_contrasts`.
    """
    rows = [unit(moments.d, index) for index in indices]
    return simultaneous_contrasts(moments, rows, level=level, bounds=RATE, method=method)


def simultaneous_contrasts(
    moments: Moments,
    contrasts: Sequence[ArrayLike],
    *,
    level: float = LEVEL,
    bounds: Bounds | Sequence[Bounds] = UNBOUNDED,
    method: str = "max-t",
) -> Simultaneous:
    """Joint intervals for several weighted sums of block means.

    ``"max-t"`` takes the correlation of the estimates into account (Hothorn, Bretz & Westfall
    2008): the critical value is the quantile of the largest |t| of a multivariate t
    distribution with the correlation that the blocks show. ``"sidak"`` does without it and is
    a little wider; it is also what "max-t" falls back to with no more blocks than contrasts,
    when the estimated correlation is worthless.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    contrasts : sequence of array_like, shape (k, d)
        One row of weights for each contrast.
    level : float
        Chance that all the intervals hold.
    bounds : tuple of float, or a sequence of them
        Between which values the contrasts can lie, all or each.
    method : str
        ``"max-t"`` or ``"sidak"``.
    """
    if method not in ("max-t", "sidak"):
        raise PaxsimError(f"method: found {method!r}; allowed: max-t, sidak")
    matrix = np.asarray(contrasts, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != moments.d or len(matrix) == 0:
        raise PaxsimError(f"contrasts: shape {matrix.shape} for {moments.d} values")
    limits = cast(
        "list[Bounds]",
        [bounds] * len(matrix) if isinstance(bounds[0], (int, float)) else list(bounds),
    )
    covariance = matrix @ moments.covariance @ matrix.T
    # Rounding noise does not count as a spread.
    never = [contrast(moments, row).se == 0 for row in matrix]
    covariance[never] = 0.0
    local, critical, method = joint_level(covariance, moments.n, level, method)
    intervals = tuple(
        contrast(moments, row, level=local, bounds=limit)
        for row, limit in zip(matrix, limits, strict=True)
    )
    return Simultaneous(intervals, level, local, critical, method)


def joint_level(
    covariance: NDArray[np.float64], n: int, level: float = LEVEL, method: str = "max-t"
) -> tuple[float, float, str]:
    """Level for each of several intervals, so that all hold together, with its t and its method.

    Parameters
    ----------
    covariance : ndarray, shape (k, k)
        Covariance of the estimates, up to a factor.
    n : int
        Independent units (blocks) behind it.
    level, method
        See `simultaneous_contrasts`.
    """
    alpha = 1 - check_level(level)
    k, df = len(covariance), max(n - 1, 1)
    # What never varies takes no part in the maximum, but keeps its place.
    varies = np.flatnonzero(covariance.diagonal() > 0)
    if method == "max-t" and len(varies) and n > k + 1:
        sd = np.sqrt(covariance.diagonal()[varies])
        correlation = covariance[np.ix_(varies, varies)] / np.outer(sd, sd)
        critical = max_t_quantile(correlation, df, level)
        if len(varies) < k:
            # The equal ones share the error: Bonferroni between the two groups.
            critical = max(critical, -float(stdtrit(df, alpha / k / 2)))
    else:
        method = "sidak"
        critical = -float(stdtrit(df, (1 - (1 - alpha) ** (1 / k)) / 2))
    return 1 - 2 * float(stdtr(df, -critical)), critical, method


def max_t_quantile(correlation: ArrayLike, df: float, level: float = LEVEL) -> float:
    """Quantile of the largest absolute value of a multivariate t vector.

    A t vector is a direction times a length, and for a given direction the chance that the
    largest entry stays below c is known (an F distribution, Genz & Bretz 2009); only the average
    over directions is taken numerically, over quasi-random ones with a fixed seed. The same input
    gives the same result; the error is below 0.01 standard errors. The correlation may be
    singular: shares that add up to a constant are.

    Parameters
    ----------
    correlation : array_like, shape (k, k)
        Correlation matrix.
    df : float
        Degrees of freedom.
    level : float
        Probability that the largest does not exceed the result.
    """
    r = np.asarray(correlation, np.float64)
    k = len(r)
    single, sidak = (-float(stdtrit(df, (1 - q) / 2)) for q in (level, level ** (1 / k)))
    if k == 1:
        return single
    values, vectors = np.linalg.eigh(r)
    # The symmetric root: any other would turn with the eigenvectors, of which equal correlations
    # leave many choices, and another machine makes another one.
    root = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    # Sorted, because interpolating in order is five times faster.
    reach = np.sort(1 / np.abs(_directions(k) @ root.T).max(axis=1))
    lengths, chances = _length_table(k, float(df))

    def miss(c: float) -> float:
        return float(np.interp(c * reach, lengths, chances).mean()) - level

    # It lies between the value for one and for k independent ones; leave room for rounding.
    # By halving: importing a root finder would take longer than a thousand steps of it.
    low, high = 0.9 * single, 1.1 * sidak
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if miss(middle) < 0 else (low, middle)
    return (low + high) / 2


def even_points(points: int, k: int) -> NDArray[np.float64]:
    """Points that fill a cube evenly, shape (points, k), each coordinate between 0 and 1."""
    # Roberts' generalised golden ratio: multiples of these steps fill a cube evenly. (scipy has
    # Sobol's points for it, but takes a second to import them.)
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (k + 1))
    steps = root ** -np.arange(1.0, k + 1)
    uniform = (0.5 + np.arange(1, points + 1)[:, None] * steps) % 1
    return np.asarray(np.clip(uniform, 1e-12, 1 - 1e-12))


@lru_cache(maxsize=32)
def _directions(k: int) -> NDArray[np.float64]:
    """Unit vectors spread evenly over all directions, shape (points, k)."""
    normal = ndtri(even_points(MAX_T_POINTS, k))
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


@lru_cache(maxsize=32)
def _length_table(k: int, df: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lengths of a t vector and the chance to stay below them, close enough to interpolate.

    The F distribution itself is slow: a table makes the quantile ten times faster.
    """
    longest = np.sqrt(k * fdtri(k, df, 1 - 1e-6))
    lengths = np.linspace(0, longest, 2001)
    return lengths, fdtr(k, df, lengths**2 / k)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values adjusted by Holm (1979).

    Call a difference real if its adjusted value is below 0.05: the chance of even *one* false
    claim among all is then at most 5 %, however the comparisons hang together.

    Parameters
    ----------
    p_values : array_like, shape (k,)
        One p-value for each comparison.

    Returns
    -------
    ndarray, shape (k,)
        Adjusted p-values in the same order.
    """
    p = _checked(p_values)
    # Written out: statsmodels' version collects garbage, 50 ms a call, and is slow to import.
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values adjusted by Benjamini & Hochberg (1995).

    Among the differences with an adjusted value below 0.05, about 5 % at most are false claims:
    for screening many candidates. Parameters and result as for `holm`.
    """
    p = _checked(p_values)
    if p.size == 0:
        return p
    from scipy.stats import false_discovery_control  # takes a second to import

    return np.asarray(false_discovery_control(p, method="bh"), np.float64)


def fair_share(p_rome_alone: float, players: int) -> float:
    """Win share of each seat if all seats were equal.

    Parameters
    ----------
    p_rome_alone : float
        Probability that Rome wins and no player does.
    players : int
        Number of players.
    """
    if not 0 <= p_rome_alone <= 1 or players < 1:
        raise PaxsimError(f"fair share: found {p_rome_alone!r} for Rome and {players!r} players")
    return (1 - p_rome_alone) / players


@dataclass(frozen=True, slots=True)
class SeatTest:
    """One seat against its fair share.

    Attributes
    ----------
    seat : int
        Which value of the block vector.
    share : Interval
        Its share of wins, holding jointly with those of the other seats.
    fair : Interval
        The fair share, which is itself an estimate.
    difference : Interval
        Share - fair share, holding jointly with those of the other seats.
    p : float
        p-value of "the difference is zero", for this seat alone.
    p_holm : float
        The same, corrected for looking at all seats.
    """

    seat: int
    share: Interval
    fair: Interval
    difference: Interval
    p: float
    p_holm: float


def seats_against_fair_share(
    moments: Moments, seats: Sequence[int], *, level: float = LEVEL
) -> tuple[SeatTest, ...]:
    """Test every seat's share of wins against the fair share.

    The fair share depends on how often Rome alone wins, estimated from the same games, so the
    two are not compared as if one were known: within each block the difference is
    ``share of the seat - (sum of the shares) / players``, and the interval is over its mean.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    seats : sequence of int
        Which values of the block vector are the seats' shares; all seats of the table.
    level : float
        Chance that all the intervals hold.
    """
    k = len(seats)
    if k < 2:
        raise PaxsimError("seats: a single seat always has its fair share")
    pick = np.zeros((k, moments.d))
    pick[np.arange(k), list(seats)] = 1.0
    average = pick.mean(axis=0)
    shares = simultaneous_rates(moments, seats, level=level).intervals
    excess = pick - average
    # A seat that never wins is a whole fair share below it, one that always does the rest above.
    bounds = (-1 / k, 1 - 1 / k)
    differences = simultaneous_contrasts(moments, list(excess), level=level, bounds=bounds)
    fair = contrast(moments, average, level=level, bounds=RATE)
    p = np.array([p_value(x) for x in differences.intervals])
    rows = zip(seats, shares, differences.intervals, p, holm(p), strict=True)
    return tuple(SeatTest(s, x, fair, d, float(a), float(b)) for s, x, d, a, b in rows)


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise PaxsimError("p-values: wanted a list of numbers between 0 and 1")
    return p
