"""Intervals computed over blocks: means, rates, contrasts, ratios, differences.

Bounded quantities
------------------
What lies between two bounds gets Wilson's interval on that range: a rate p (the mean's place on
the range, 0..1) has a variance of ``p (1 - p) / n``, and n is chosen so that at the estimate this
is the variance that the blocks show. Near a bound the interval is lopsided, as it should be.

Few blocks with the event
-------------------------
If only a handful of blocks differ from the others, they tell little about the spread: three games
lost in three blocks may be three single ones by chance, where whole blocks are lost more often.
So the variance is blended with that of the worst case, blocks that are all or nothing, with the
weight of one block to that of the blocks that contain the event (Kish's number of them). A mean
of *differences* is blended likewise, see `difference_interval`.

All blocks equal
----------------
When every block gave the same value the estimated spread is zero, and so would be the width of
an interval. That is not honest: ten blocks without a win do not prove that winning is
impossible. What n equal blocks do show is that a *different* block is rare: by Wilson's interval
for 0 of n its probability is at most ``w = z**2 / (n + z**2)`` (`rarest_unseen`). A quantity known
to lie within bounds a..b, seen as c in every block, then has a mean within
``c - w (c - a) .. c + w (b - c)``. Without bounds nothing can be said and the interval is infinite:
give bounds. With the first differing block the blends above take over, and the width hardly moves.

Every sum is taken exactly and rounded once, so results are the same on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, PSEUDO_BLOCKS, ZERO_VARIANCE
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
        blocks equal, see the module), ``"few"`` (few blocks differ, see `difference_interval`),
        ``"none"`` (undefined) or ``"sequence"``.
    df : float
        Degrees of freedom of the standard error.
    n_effective : float
        For ``"wilson"`` the independent games that would be as informative; for ``"equal"`` the
        blocks that were equal.
    bounds : tuple of float
        Between which values the quantity can lie at all.
    centre, spread : float
        For ``"few"`` the middle of the interval and the standard error that it was made with.
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
    centre: float = math.nan
    spread: float = math.nan

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
    events: float | None = None,
) -> Interval:
    """Build the interval for an estimate whose standard error comes from blocks.

    Between finite bounds it is Wilson's interval with an effective sample size and a t quantile
    (Dean & Pagano 2015), while few blocks contain the event with a blended variance (see the head
    of this module); else the t interval. For many blocks the two are the same.

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
    events : float, optional
        Blocks that say anything at all, if not all do (those with the condition of a ratio): the
        degrees of freedom and the rule for equal blocks go by them, and nothing is blended.
    """
    informative = blocks if events is None else events
    df = max(informative - 1, 1) if df is None else df
    low, high = bounds
    critical = -float(stdtrit(df, (1 - check_level(level)) / 2))
    if se == 0:
        w = rarest_unseen(informative, level)
        ends = (estimate - w * (estimate - low), estimate + w * (high - estimate))
        return Interval(estimate, *ends, 0.0, blocks, level, "equal", df, informative, bounds)
    width = high - low
    place = (estimate - low) / width if math.isfinite(width) else math.nan
    if not 0 < place < 1:
        ends = _cut(estimate, critical * se, bounds)
        return Interval(estimate, *ends, se, blocks, level, "t", df, math.nan, bounds)
    used = (se / width) ** 2 if events is not None else _blended(place, se / width, blocks)
    n = place * (1 - place) / used
    below, above = score_bounds(place, n, critical)
    ends = (low + width * below, low + width * above)
    return Interval(estimate, *ends, se, blocks, level, "wilson", df, n, bounds)


def rarest_unseen(blocks: float, level: float = LEVEL) -> float:
    """Most that a kind of block can be of all blocks, if none of so many was of it."""
    z2 = normal_quantile(level) ** 2
    return z2 / (blocks + z2)


def _blended(place: float, se: float, blocks: int) -> float:
    """Variance of the mean, blended with that of blocks that are all or nothing."""
    spread = se**2 * (blocks - 1)  # the mean square of the blocks about their mean
    events = blocks * min(x**2 / (x**2 + spread) for x in (place, 1 - place))
    worst = place * (1 - place) / (blocks - 1)
    return (events * se**2 + PSEUDO_BLOCKS * worst) / (events + PSEUDO_BLOCKS)


def difference_interval(
    estimate: float,
    se: float,
    blocks: int,
    differing: int | None = None,
    *,
    level: float = LEVEL,
    bounds: Bounds = DIFFERENCE,
    df: float | None = None,
) -> Interval:
    """Interval for a mean of differences, which may be exactly 0 in many blocks.

    If it is not known how many blocks differ, it is the t interval, cut at `bounds`. With few
    differing blocks neither their number nor the size of their differences is known well. The size
    is blended with the largest possible one, as if half a block more differed by that. The number
    is treated as Agresti & Coull (1998) and Wilson (1927) treat a count: ``z**2`` blocks are added,
    on both sides of zero as long as the differences go both ways, while for those that all go one
    way the middle moves by half of that and it is a score interval for their number.

    Parameters
    ----------
    estimate, se : float
        Mean difference and its standard error.
    blocks, differing : int
        All blocks, and those whose difference is not 0, if that is known; see also
        `paxsim.stats.differences.cautious_difference`.
    level : float
        Confidence level.
    bounds : tuple of float
        Between which values a difference can lie.
    df : float, optional
        Degrees of freedom, ``blocks - 1`` unless given.
    """
    if se == 0:
        return make_interval(estimate, se, blocks, level=level, bounds=bounds)
    df = blocks - 1 if df is None else df
    critical = -float(stdtrit(df, (1 - check_level(level)) / 2))
    if differing is None:
        ends = _cut(estimate, critical * se, bounds)
        return Interval(estimate, *ends, se, blocks, level, "t", df, math.nan, bounds)
    z2 = normal_quantile(LEVEL) ** 2
    squares = se**2 * blocks * (blocks - 1) + blocks * estimate**2
    largest = max(abs(bounds[0]), abs(bounds[1]))
    size2 = (squares + PSEUDO_BLOCKS * largest**2) / (differing + PSEUDO_BLOCKS)
    size = math.sqrt(size2)
    one_way = blocks * estimate / (differing * size)
    centre = estimate + one_way * size * z2 / (2 * blocks)
    added = z2 * size2 * (1 - 0.75 * one_way**2)
    spread = math.sqrt(se**2 + added / blocks**2)
    ends = _cut(centre, critical * spread, bounds)
    return Interval(estimate, *ends, se, blocks, level, "few", df, math.nan, bounds, centre, spread)


def _cut(middle: float, half: float, bounds: Bounds) -> Bounds:
    """The ends of an interval, within bounds."""
    return max(bounds[0], middle - half), min(bounds[1], middle + half)


def p_value(interval: Interval, reference: float = 0.0) -> float:
    """Two-sided p-value of "the true value is `reference`".

    It inverts the interval: p is below ``1 - level`` exactly if `reference` lies outside.
    """
    x = interval
    if x.method not in ("t", "wilson", "equal", "few"):
        raise PaxsimError(f"p-value: an interval of kind {x.method!r} has none")
    if x.estimate == reference:
        return 1.0
    low, high = x.bounds
    if not low <= reference <= high:
        return 0.0
    if x.method == "equal":
        end = high if reference > x.estimate else low
        w = (reference - x.estimate) / (end - x.estimate)
        return 0.0 if w == 1 else 2 * float(ndtr(-math.sqrt(x.n_effective * w / (1 - w))))
    centre, se = x.estimate, x.se
    if x.method == "few":
        centre, se = x.centre, x.spread
    elif x.method == "wilson":
        se = math.sqrt((reference - low) * (high - reference) / x.n_effective)
    return 0.0 if se == 0 else 2 * float(stdtr(x.df, -abs(centre - reference) / se))


def contrast(
    moments: Moments,
    weights: ArrayLike,
    *,
    level: float = LEVEL,
    bounds: Bounds = UNBOUNDED,
    differing: int | None = None,
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
    differing : int, optional
        Of a difference, if known: the blocks in which it is not 0. See `difference_interval`.
    """
    w = np.asarray(weights, np.float64)
    if w.shape != (moments.d,):
        raise PaxsimError(f"contrast: {w.size} weights for {moments.d} values")
    estimate = exact_dot(w, moments.mean)
    se = math.sqrt(_variance(moments.covariance, w) / moments.n)
    if differing is not None or bounds == DIFFERENCE:
        return difference_interval(estimate, se, moments.n, differing, level=level, bounds=bounds)
    return make_interval(estimate, se, moments.n, level=level, bounds=bounds)


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
    # About the mean of so few, their squares come out too small: divide by one less than them.
    se *= math.sqrt(kish / (kish - 1) * (n - 1) / n) if kish > 1 + ZERO_VARIANCE else 0.0
    return make_interval(value, se, n, level=level, bounds=bounds, events=kish)


def unit(d: int, index: int) -> NDArray[np.float64]:
    """Weights that pick one value of a block vector, shape (d,)."""
    if not -d <= index < d:
        raise PaxsimError(f"value {index} of a block vector of {d}")
    weights = np.zeros(d)
    weights[index] = 1.0
    return weights


def exact_dot(weights: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Sum of products, rounded once: the order, and so the machine, does not matter."""
    return math.fsum((weights * values).tolist())


def _variance(covariance: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Variance of a weighted sum; exactly zero where only rounding noise is left."""
    used = np.flatnonzero(weights)
    w, inner = weights[used], covariance[np.ix_(used, used)]
    value = math.fsum((np.outer(w, w) * inner).ravel().tolist())
    size = exact_dot(np.abs(w), np.sqrt(inner.diagonal())) ** 2
    return value if value > ZERO_VARIANCE * size else 0.0
