"""Intervals computed over blocks: means, rates, contrasts, ratios, differences.

All blocks equal
----------------
When every block gave the same value the estimated spread is zero, and so would be the width of
an interval. That is not honest: ten blocks without a win do not prove that winning is
impossible. What n equal blocks do show is that a *different* block is rare: by Wilson's interval
for 0 of n its probability is at most ``w = z**2 / (n + z**2)``. A quantity known to lie within
bounds a..b, seen as c in every block, then has a mean within ``c - w (c - a) .. c + w (b - c)``.
For a rate of 0 or 1 this is Wilson's interval with the blocks as sample size. Without bounds
nothing can be said and the interval is infinite: give bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, ZERO_VARIANCE
from paxsim.stats.moments import Moments
from paxsim.stats.rates import check_level, normal_quantile, score_bounds

Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-math.inf, math.inf)
RATE: Bounds = (0.0, 1.0)
DIFFERENCE: Bounds = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval.

    Attributes
    ----------
    estimate, low, high : float
        In the unit of the quantity; rates are 0..1.
    se : float
        Standard error.
    blocks : int
        Number of blocks behind it.
    level : float
        Confidence level of this interval alone.
    method : str
        ``"t"``, ``"wilson"`` (score interval with an effective sample size), ``"equal"`` (all
        blocks equal, see the module), ``"none"`` (undefined) or ``"sequence"``.
    df : float
        Degrees of freedom of the standard error.
    n_effective : float
        For ``"wilson"`` the independent games that would be as informative; for ``"equal"`` the
        blocks that were equal.
    bounds : tuple of float
        Between which values the quantity can lie at all.
    """

    estimate: float
    low: float
    high: float
    se: float
    blocks: int
    level: float
    method: str
    df: float
    n_effective: float
    bounds: Bounds = UNBOUNDED

    @property
    def half_width(self) -> float:
        """Half the width: the number to print after a plus-minus sign."""
        return (self.high - self.low) / 2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def make_interval(
    estimate: float,
    se: float,
    blocks: int,
    *,
    level: float = LEVEL,
    bounds: Bounds = UNBOUNDED,
    df: float | None = None,
    n_equal: float | None = None,
) -> Interval:
    """Build the interval for an estimate whose standard error comes from blocks.

    A rate (bounds 0..1) gets Wilson's interval with the effective sample size
    ``rate (1 - rate) / se**2`` and a t quantile (Dean & Pagano 2015); for many blocks this is the
    t interval, near 0 and 1 it is skewed as it should be. All else gets the t interval, cut at
    `bounds`. A standard error of zero leads to the rule in the head of this module.

    Parameters
    ----------
    estimate, se : float
        Estimate and standard error.
    blocks : int
        Number of blocks.
    level : float
        Confidence level.
    bounds : tuple of float
        Between which values the quantity can lie.
    df : float, optional
        Degrees of freedom, ``blocks - 1`` unless given.
    n_equal : float, optional
        Equal blocks to count on if the standard error is zero; all unless given.
    """
    df = blocks - 1 if df is None else df
    low, high = bounds
    if se == 0:
        n = float(blocks if n_equal is None else n_equal)
        z2 = normal_quantile(level) ** 2
        w = z2 / (n + z2)
        ends = (estimate - w * (estimate - low), estimate + w * (high - estimate))
        return Interval(estimate, *ends, 0.0, blocks, level, "equal", df, n, bounds)
    critical = -float(stdtrit(df, (1 - check_level(level)) / 2))
    if bounds == RATE and 0 < estimate < 1:
        n = estimate * (1 - estimate) / se**2
        ends = score_bounds(estimate, n, critical)
        return Interval(estimate, *ends, se, blocks, level, "wilson", df, n, bounds)
    ends = (max(low, estimate - critical * se), min(high, estimate + critical * se))
    return Interval(estimate, *ends, se, blocks, level, "t", df, math.nan, bounds)


def p_value(interval: Interval, reference: float = 0.0) -> float:
    """Two-sided p-value of "the true value is `reference`".

    It inverts the interval: p is below ``1 - level`` exactly if `reference` lies outside.
    """
    x = interval
    if x.method not in ("t", "wilson", "equal"):
        raise PaxsimError(f"p-value: an interval of kind {x.method!r} has none")
    if x.estimate == reference:
        return 1.0
    if not x.bounds[0] <= reference <= x.bounds[1]:
        return 0.0
    if x.method == "equal":
        end = x.bounds[1] if reference > x.estimate else x.bounds[0]
        w = (reference - x.estimate) / (end - x.estimate)
        return 0.0 if w == 1 else 2 * float(ndtr(-math.sqrt(x.n_effective * w / (1 - w))))
    se = math.sqrt(reference * (1 - reference) / x.n_effective) if x.method == "wilson" else x.se
    return 0.0 if se == 0 else 2 * float(stdtr(x.df, -abs(x.estimate - reference) / se))


def contrast(
    moments: Moments,
    weights: ArrayLike,
    *,
    level: float = LEVEL,
    bounds: Bounds = UNBOUNDED,
) -> Interval:
    """Interval for a weighted sum of block means, ``weights @ mean``.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    weights : array_like, shape (d,)
        One weight for each value of the block vector.
    level, bounds
        See `make_interval`.
    """
    w = np.asarray(weights, np.float64)
    if w.shape != (moments.d,):
        raise PaxsimError(f"contrast: {w.size} weights for {moments.d} values")
    return make_interval(
        float(w @ moments.mean),
        math.sqrt(_variance(moments.covariance, w) / moments.n),
        moments.n,
        level=level,
        bounds=bounds,
    )


def block_mean(
    moments: Moments, index: int, *, level: float = LEVEL, bounds: Bounds = UNBOUNDED
) -> Interval:
    """t interval for the mean of value `index` of the block vector, e.g. the turns of a game.

    Bounds of 0..1 make it a rate: see `block_rate`.
    """
    return contrast(moments, unit(moments.d, index), level=level, bounds=bounds)


def block_rate(moments: Moments, index: int, *, level: float = LEVEL) -> Interval:
    """Interval for a rate or a share of wins, value `index` of the block vector (0..1)."""
    return block_mean(moments, index, level=level, bounds=RATE)


def ratio(
    moments: Moments,
    over: int,
    under: int,
    *,
    level: float = LEVEL,
    bounds: Bounds = RATE,
) -> Interval:
    """Interval for a ratio of two block means by the delta method.

    With bounds 0..1 it is a conditional rate: P(primus wins | Rome wins) is the mean of "primus
    and Rome win" over the mean of "Rome wins". If no block contains the condition the estimate is
    nan and the interval is `bounds`.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    over, under : int
        Which values of the block vector stand above and below the line.
    level, bounds
        See `make_interval`.
    """
    mean, n = moments.mean, moments.n
    under = range(moments.d)[under]
    if mean[under] == 0:
        return Interval(math.nan, *bounds, math.nan, n, level, "none", math.nan, 0.0, bounds)
    value = float(mean[over] / mean[under])
    weights = (unit(moments.d, over) - value * unit(moments.d, under)) / mean[under]
    se = math.sqrt(_variance(moments.covariance, weights) / n)
    # Only blocks that contain the condition say something; Kish's effective number counts them.
    kish = float(moments.total[under]) ** 2 / float(moments.cross[under, under])
    return make_interval(value, se, n, level=level, bounds=bounds, n_equal=kish)


def unit(d: int, index: int) -> NDArray[np.float64]:
    """Weights that pick one value of a block vector, shape (d,)."""
    if not -d <= index < d:
        raise PaxsimError(f"value {index} of a block vector of {d}")
    weights = np.zeros(d)
    weights[index] = 1.0
    return weights


def _variance(covariance: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Variance of a weighted sum; exactly zero where only rounding noise is left."""
    value = float(weights @ covariance @ weights)
    size = float(np.abs(weights) @ np.sqrt(covariance.diagonal())) ** 2
    return value if value > ZERO_VARIANCE * size else 0.0
