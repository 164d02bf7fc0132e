"""Intervals computed over blocks: means, rates, contrasts, ratios, differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtr, ndtri, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, PSEUDO_BLOCKS, ZERO_VARIANCE
from paxsim.stats.moments import Moments


def check_level(level: float) -> float:
    """Return `level` if it lies between 0 and 1; complain otherwise."""
    if not 0 < level < 1:
        raise PaxsimError(f"level: found {level!r}; allowed: a number between 0 and 1, e.g. 0.95")
    return level


def normal_quantile(level: float) -> float:
    """Number of standard errors to either side for a two-sided `level` (1.96 for 0.95)."""
    return float(ndtri((1 + check_level(level)) / 2))


def score_bounds(rate: float, n: float, critical: float) -> tuple[float, float]:
    """Wilson's bounds for a rate seen in `n` (effective) observations.

    They hold every p with ``|rate - p| <= critical * sqrt(p (1 - p) / n)``, so they stay within
    0..1 and have a width above zero even for a rate of 0 or 1.

    Parameters
    ----------
    rate : float
        Observed rate, 0..1.
    n : float
        Number of observations; need not be whole.
    critical : float
        Number of standard errors: a normal or t quantile.
    """
    q = critical**2 / n
    centre = (rate + q / 2) / (1 + q)
    half = math.sqrt(q * (rate * (1 - rate) + q / 4)) / (1 + q)
    # At 0 and 1 the bound is the rate itself, which rounding may miss by an ulp.
    low = 0.0 if rate == 0 else max(0.0, centre - half)
    high = 1.0 if rate == 1 else min(1.0, centre + half)
    return low, high


def wilson(wins: float, games: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval (Wilson 1927) for a rate among independent games.

    Parameters
    ----------
    wins : float
        Wins, 0..games. Shared wins may count as fractions: the interval is then a little wide.
    games : float
        Number of independent games.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Lower and upper bound of the rate, 0..1.
    """
    _check_counts(wins, games)
    return score_bounds(wins / games, games, normal_quantile(level))


def jeffreys(wins: float, games: float, level: float = LEVEL) -> tuple[float, float]:
    """Jeffreys' interval: equal tails of Beta(wins + 1/2, losses + 1/2).

    As Brown, Cai & DasGupta (2001) advise, the lower bound is 0 when nothing was won and the
    upper one 1 when everything was. Parameters and result as for `wilson`.
    """
    _check_counts(wins, games)
    tail = (1 - check_level(level)) / 2
    a, b = wins + 0.5, games - wins + 0.5
    low = 0.0 if wins == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if wins == games else float(betaincinv(a, b, 1 - tail))
    return low, high


def _check_counts(wins: float, games: float) -> None:
    if games <= 0 or not 0 <= wins <= games:
        raise PaxsimError(f"rate: found {wins!r} wins in {games!r} games")


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


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A difference over the same blocks, the same without pairing, and what pairing gained.

    Attributes
    ----------
    paired : Interval
        From the difference within each block: the one to report.
    unpaired : Interval
        As if the two had been measured on different deals.
    variance_factor : float
        Unpaired variance / paired variance: how many times more blocks an unpaired comparison
        would need for the same precision. Above 1 when good deals are good for both (two runs on
        common deals). Below 1 for two strategies of the same games, where one's win is the
        other's loss: there pairing is not a gain but the truth, and the unpaired interval is too
        narrow. Infinite if the paired difference never varies, nan if nothing varies at all.
    """

    paired: Interval
    unpaired: Interval
    variance_factor: float


def paired_difference(
    moments: Moments,
    a: int,
    b: int,
    *,
    level: float = LEVEL,
    bounds: Bounds = DIFFERENCE,
    differing: int | None = None,
) -> PairedDifference:
    """Compare values `a` and `b` of the same block vectors: mean of a - mean of b.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    a, b : int
        Which two values of the block vector.
    level, bounds
        See `paxsim.stats.intervals.make_interval`.
    differing : int, optional
        Blocks in which the two differ, if that is known; see `difference_interval`.
    """
    weights = unit(moments.d, a) - unit(moments.d, b)
    paired = contrast(moments, weights, level=level, bounds=bounds, differing=differing)
    unpaired = _welch(moments, a, moments, b, level, bounds)
    if paired.se > 0:
        factor = (unpaired.se / paired.se) ** 2
    else:
        factor = math.inf if unpaired.se > 0 else math.nan
    return PairedDifference(paired, unpaired, factor)


def cautious_difference(
    moments: Moments, weights: ArrayLike, *, level: float = LEVEL, bounds: Bounds = DIFFERENCE
) -> Interval:
    """Interval for a mean of differences of which nobody counted in how many blocks they are not 0.

    Mean and variance alone tell how many blocks must differ at least: as many as give this sum of
    squares if each differs by the most that `bounds` allow, and Kish's number if all differ alike.
    As many are taken for granted, and ``z**2`` of their size are added on both sides of zero, as
    `difference_interval` does. So it is wider than the t interval, the more the fewer blocks
    differ, and does not shrink to nothing with the first of them.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    weights : array_like, shape (d,)
        Of the difference, one weight for each value of the block vector.
    level, bounds
        See `paxsim.stats.intervals.make_interval`; the bounds are finite.
    """
    plain = contrast(moments, weights, level=level, bounds=bounds)
    if plain.se == 0:
        return plain
    blocks, mean = plain.blocks, plain.estimate
    squares = plain.se**2 * blocks * (blocks - 1) + blocks * mean**2
    most2 = max(abs(bounds[0]), abs(bounds[1])) ** 2
    least = max(squares / most2, (blocks * mean) ** 2 / squares)
    size2 = (squares + PSEUDO_BLOCKS * most2) / (least + PSEUDO_BLOCKS)
    wider = math.sqrt(plain.se**2 + normal_quantile(LEVEL) ** 2 * size2 / blocks**2)
    found = difference_interval(mean, wider, blocks, level=level, bounds=bounds)
    return replace(found, se=plain.se, method="few", centre=mean, spread=wider)


def unpaired_difference(
    first: Moments,
    a: int,
    second: Moments,
    b: int,
    *,
    level: float = LEVEL,
    bounds: Bounds = DIFFERENCE,
) -> Interval:
    """Welch interval for mean `a` of one run - mean `b` of another on *different* deals.

    Parameters
    ----------
    first, second : Moments
        Sums over the blocks of two independent runs.
    a, b : int
        Which value of each run's block vector.
    level, bounds
        See `paxsim.stats.intervals.make_interval`.
    """
    return _welch(first, a, second, b, level, bounds)


def _welch(x: Moments, a: int, y: Moments, b: int, level: float, bounds: Bounds) -> Interval:
    if min(x.n, y.n) < 1:
        raise PaxsimError("no blocks: there is nothing to compare")
    vx, vy = float(x.covariance[a, a]) / x.n, float(y.covariance[b, b]) / y.n
    # Welch and Satterthwaite's degrees of freedom; a run whose blocks are all equal adds nothing.
    spread = sum(v**2 / (m.n - 1) for v, m in ((vx, x), (vy, y)) if v > 0)
    df = (vx + vy) ** 2 / spread if spread > 0 else min(x.n, y.n) - 1
    return difference_interval(
        float(x.mean[a] - y.mean[b]),
        math.sqrt(vx + vy),
        min(x.n, y.n),
        level=level,
        bounds=bounds,
        df=df,
    )
