"""Intervals that all hold together: the chance that *any* of them misses is 1 - level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv, ndtri, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, MAX_T_POINTS, RESAMPLING_SEED
from paxsim.stats.intervals import RATE, UNBOUNDED, Bounds, Interval, contrast, unit
from paxsim.stats.moments import Moments
from paxsim.stats.rates import check_level


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
    bounds: Bounds = UNBOUNDED,
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
    bounds : tuple of float
        Between which values every contrast can lie.
    method : str
        ``"max-t"`` or ``"sidak"``.
    """
    if method not in ("max-t", "sidak"):
        raise PaxsimError(f"method: found {method!r}; allowed: max-t, sidak")
    matrix = np.asarray(contrasts, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != moments.d or len(matrix) == 0:
        raise PaxsimError(f"contrasts: shape {matrix.shape} for {moments.d} values")
    alpha = 1 - check_level(level)
    k, df = len(matrix), max(moments.n - 1, 1)
    covariance = matrix @ moments.covariance @ matrix.T
    # A contrast that never varies takes no part in the maximum, but keeps its place.
    varies = [i for i, row in enumerate(matrix) if contrast(moments, row).se > 0]
    if method == "max-t" and varies and moments.n > k + 1:
        sd = np.sqrt(covariance.diagonal()[varies])
        correlation = covariance[np.ix_(varies, varies)] / np.outer(sd, sd)
        critical = max_t_quantile(correlation, df, level)
        if len(varies) < k:
            # The equal ones share the error: Bonferroni between the two groups.
            critical = max(critical, -float(stdtrit(df, alpha / k / 2)))
    else:
        method = "sidak"
        critical = -float(stdtrit(df, (1 - (1 - alpha) ** (1 / k)) / 2))
    local = 1 - 2 * float(stdtr(df, -critical))
    intervals = tuple(contrast(moments, row, level=local, bounds=bounds) for row in matrix)
    return Simultaneous(intervals, level, local, critical, method)


def max_t_quantile(correlation: ArrayLike, df: float, level: float = LEVEL) -> float:
    """Quantile of the largest absolute value of a multivariate t vector.

    Computed from quasi-random points with a fixed seed, so the same input gives the same
    result; the error is about 0.01 standard errors. The correlation may be singular: shares that
    add up to a constant are.

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
    if k == 1:
        return -float(stdtrit(df, (1 - level) / 2))
    values, vectors = np.linalg.eigh(r)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    normals, chi = _points(k, float(df))
    largest = np.abs(normals @ root.T).max(axis=1) / chi
    return float(np.quantile(largest, level))


@lru_cache(maxsize=32)
def _points(k: int, df: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Spread-out normal vectors (points, k) and matching ``sqrt(chi2 / df)`` (points,)."""
    from scipy.stats import qmc  # slow to import, needed only here

    uniform = qmc.Sobol(k + 1, rng=np.random.default_rng(RESAMPLING_SEED)).random(MAX_T_POINTS)
    uniform = np.clip(uniform, 1e-12, 1 - 1e-12)
    chi = np.sqrt(2 * gammaincinv(df / 2, uniform[:, 0]) / df)
    return ndtri(uniform[:, 1:]), chi
