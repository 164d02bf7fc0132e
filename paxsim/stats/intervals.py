"""Intervals computed over blocks: means, rates, contrasts, ratios, differences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv, ndtri, stdtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import (
    LEVEL,
    MAX_EXPONENT,
    PSEUDO_BLOCKS,
    PSEUDO_DIFFERENCES,
    ZERO_VARIANCE,
)
from paxsim.stats.moments import Moments

Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-math.inf, math.inf)
RATE: Bounds = (0.0, 1.0)
DIFFERENCE: Bounds = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """Estimate with its interval.

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
        ``"t"``, ``"log"`` (t interval of the logarithm), ``"clopper-pearson"`` (with an effective
        number of games), ``"equal"`` (all blocks are equal, see `max_unobserved_rate`),
        ``"difference"`` (see `difference_interval`), ``"none"`` (undefined) or ``"sequence"``.
    df : float
        Degrees of freedom of the standard error.
    n_effective : float
        For ``"clopper-pearson"``, the number of independent games that would be as informative; for
        ``"equal"``, the number of blocks.
    bounds : tuple of float
        Range of possible values of the quantity.
    spread : float
        For ``"difference"``, the standard error that the interval was made with.
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
    spread: float = math.nan

    @property
    def half_width(self) -> float:
        """Half the width: the number to print after a plus-minus sign."""
        return (self.high - self.low) / 2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def check_level(level: float) -> float:
    """Return `level` if it lies between 0 and 1, otherwise raise an error."""
    if not 0 < level < 1:
        raise PaxsimError(f"level must be between 0 and 1, e.g. 0.95, got {level!r}")
    return level


def normal_quantile(level: float = LEVEL) -> float:
    """Return the number of standard errors to either side for a level (1.96 for 0.95)."""
    return float(ndtri((1 + check_level(level)) / 2))


def t_quantile(df: float, level: float = LEVEL) -> float:
    """Return the two-sided quantile of Student's t distribution."""
    return -float(stdtrit(df, (1 - check_level(level)) / 2))


def clopper_pearson(wins: float, games: float, level: float = LEVEL) -> Bounds:
    """Return the exact interval of Clopper & Pearson (1934) for a rate among independent games.

    Parameters
    ----------
    wins : float
        Wins, 0..games. Shared wins may count as fractions.
    games : float
        Number of independent games.
    level : float
        Confidence level, reached or exceeded for every rate.

    Returns
    -------
    tuple of float
        Lower and upper bound of the rate, 0..1.

    Raises
    ------
    PaxsimError
        If there are no games, or more wins than games.

    Examples
    --------
    >>> low, high = clopper_pearson(7, 20)
    >>> round(low, 3), round(high, 3)
    (0.154, 0.592)
    """
    if games <= 0 or not 0 <= wins <= games:
        raise PaxsimError(f"wins must be between 0 and the number of games, got {wins} of {games}")
    tail, losses = (1 - check_level(level)) / 2, games - wins
    low = float(betaincinv(wins, losses + 1, tail)) if wins > 0 else 0.0
    high = 1 - float(betaincinv(losses, wins + 1, tail)) if losses > 0 else 1.0
    return low, high


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

    Between finite bounds it is Clopper and Pearson's with an effective number of games (Korn &
    Graubard 1998), exact if every block is all or nothing. Between 0 and infinity it is the t
    interval of the logarithm, otherwise the t interval.

    `events` is the number of informative blocks, if not all are (those with the condition of a
    ratio). A standard error with explicit `df` is widened like a t interval.
    """
    informative = blocks if events is None else events
    inflation = 1.0 if df is None else t_quantile(df) / normal_quantile()
    df = max(informative - 1, 1) if df is None else df
    low, high = bounds
    if se == 0:
        w = max_unobserved_rate(informative, level)
        ends = (estimate - w * (estimate - low), estimate + w * (high - estimate))
        return Interval(estimate, *ends, 0.0, blocks, level, "equal", df, informative, bounds)
    half, width = t_quantile(df, level) * se, high - low
    place = (estimate - low) / width if math.isfinite(width) else math.nan
    if 0 < place < 1:
        n = _effective_games(place, (inflation * se / width) ** 2, informative, level)
        below, above = clopper_pearson(place * n, n, level)
        ends = (low + width * below, low + width * above)
        return Interval(estimate, *ends, se, blocks, level, "clopper-pearson", df, n, bounds)
    if low == 0 and high == math.inf:
        factor = math.exp(min(half / estimate, MAX_EXPONENT))
        ends = (estimate / factor, estimate * factor)
        return Interval(estimate, *ends, se, blocks, level, "log", df, math.nan, bounds)
    ends = (max(low, estimate - half), min(high, estimate + half))
    return Interval(estimate, *ends, se, blocks, level, "t", df, math.nan, bounds)


def max_unobserved_rate(blocks: float, level: float = LEVEL) -> float:
    """Return an upper confidence bound on the frequency of a block type that was never observed.

    Examples
    --------
    >>> round(max_unobserved_rate(1000), 4)
    0.0037
    """
    return 1 - ((1 - check_level(level)) / 2) ** (1 / blocks)


def _effective_games(place: float, variance: float, blocks: float, level: float) -> float:
    """Return how many independent games would be as informative as the blocks.

    Their variance is averaged over the blocks that contain the event (or its opposite, if that is
    rarer) and `PSEUDO_BLOCKS` that are all or nothing: few events don't tell how large they can be.
    A higher level allows for rarer events, so more such blocks are added.
    """
    added = PSEUDO_BLOCKS * (math.log((1 - level) / 2) / math.log((1 - LEVEL) / 2)) ** 2
    spread = variance * (blocks - 1)  # the mean square of the blocks about their mean
    events = blocks * min(x**2 / (x**2 + spread) for x in (place, 1 - place))
    observed = spread / (place * (1 - place))  # 1 if all blocks are all or nothing
    return blocks * (events + added) / (events * observed + added)


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
    """Build the interval for a mean of differences, which may be exactly 0 in many blocks.

    With few differing blocks, neither their number nor the size of their differences is known
    well. As Agresti & Coull (1998) do for a count, ``z**2`` differing blocks are added, on both
    sides of zero. Their mean square is that of the differing blocks and of `PSEUDO_DIFFERENCES`
    with the largest possible difference.

    Parameters
    ----------
    estimate, se : float
        Mean difference and its standard error.
    blocks, differing : int
        Number of all blocks, and of those whose difference is not 0. If these were not counted, a
        lower bound follows from mean and variance: enough for this sum of squares if each differs
        by the most that `bounds` allow, and Kish's number if all differ by the same.
    level : float
        Confidence level.
    bounds : tuple of float
        Range of possible differences.
    df : float, optional
        Degrees of freedom (default: ``blocks - 1``).

    Examples
    --------
    >>> interval = difference_interval(0.01, 0.0063, blocks=500, differing=40)
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.003, 0.023)
    """
    if se == 0:
        return make_interval(estimate, se, blocks, level=level, bounds=bounds)
    df = blocks - 1 if df is None else df
    squares = se**2 * blocks * (blocks - 1) + blocks * estimate**2
    largest2 = max(abs(bounds[0]), abs(bounds[1])) ** 2
    if differing is None:
        known: float = max(squares / largest2, (blocks * estimate) ** 2 / squares)
    else:
        known = differing
    size2 = (squares + PSEUDO_DIFFERENCES * largest2) / (known + PSEUDO_DIFFERENCES)
    spread = math.sqrt(se**2 + normal_quantile() ** 2 * size2 / blocks**2)
    half = t_quantile(df, level) * spread
    ends = (max(bounds[0], estimate - half), min(bounds[1], estimate + half))
    return Interval(estimate, *ends, se, blocks, level, "difference", df, math.nan, bounds, spread)


def p_value(interval: Interval, reference: float = 0.0) -> float:
    """Return the two-sided p-value of "the true value is `reference`".

    It inverts the interval: p is below ``1 - level`` exactly if `reference` lies outside.

    Examples
    --------
    >>> difference = difference_interval(0.02, 0.01, blocks=500, differing=300)
    >>> round(p_value(difference), 3)
    0.048
    """
    x = interval
    if x.method not in ("t", "clopper-pearson", "equal", "difference"):
        raise PaxsimError(f"an interval of kind {x.method!r} has no p-value")
    if x.estimate == reference:
        return 1.0
    low, high = x.bounds
    if not low <= reference <= high:
        return 0.0
    if x.method == "equal":
        end = high if reference > x.estimate else low
        w = (reference - x.estimate) / (end - x.estimate)
        return min(1.0, 2 * (1 - w) ** x.n_effective)
    if x.method == "clopper-pearson":
        place, w = ((value - low) / (high - low) for value in (x.estimate, reference))
        if w > place:  # few wins are as unlikely as many losses
            place, w = 1 - place, 1 - w
        wins = x.n_effective * place
        return min(1.0, 2 * float(betainc(wins, x.n_effective - wins + 1, w)))
    se = x.spread if x.method == "difference" else x.se
    return 2 * float(stdtr(x.df, -abs(x.estimate - reference) / se))


def contrast(
    moments: Moments,
    weights: ArrayLike,
    *,
    level: float = LEVEL,
    bounds: Bounds = UNBOUNDED,
) -> Interval:
    """Return the interval for a weighted sum of block means, ``weights @ mean``.

    With bounds of -1..1 it is a difference: see `mean_difference`.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    weights : array_like, shape (d,)
        One weight for each value of the block vector.
    level : float
        Confidence level.
    bounds : tuple of float
        Range of possible values of the sum.

    Examples
    --------
    >>> wins = Moments.of([[3, 1], [2, 2], [4, 0], [2, 1]], scale=4)
    >>> contrast(wins, [1, -1], bounds=DIFFERENCE).estimate
    0.4375
    """
    make = difference_interval if bounds == DIFFERENCE else make_interval
    return make(*_weighted(moments, weights), moments.n, level=level, bounds=bounds)


def mean_difference(
    moments: Moments,
    weights: ArrayLike,
    *,
    bounds: Bounds = DIFFERENCE,
    differing: int | None = None,
) -> Interval:
    """Return the interval for a mean of differences within blocks, ``weights @ mean``.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    weights : array_like, shape (d,)
        Weights of the difference, one for each value of the block vector.
    bounds : tuple of float
        Smallest and largest possible difference.
    differing : int, optional
        Number of blocks that differ, if counted; see `difference_interval`.

    Examples
    --------
    >>> wins = Moments.of([[1, 0]] + [[0, 0]] * 99, scale=4)
    >>> interval = mean_difference(wins, [1, -1])
    >>> interval.estimate, round(interval.low, 3), round(interval.high, 3)
    (0.0025, -0.03, 0.035)
    """
    estimate, se = _weighted(moments, weights)
    return difference_interval(estimate, se, moments.n, differing, bounds=bounds)


def _weighted(moments: Moments, weights: ArrayLike) -> tuple[float, float]:
    """Return a weighted sum of block means and its standard error."""
    w = np.asarray(weights, np.float64)
    if w.shape != (moments.d,):
        raise PaxsimError(f"expected {moments.d} weights, one for each value, got {w.size}")
    estimate = math.fsum((w * moments.mean).tolist())  # rounded once, the same on every machine
    return estimate, math.sqrt(_variance(moments.covariance, w) / moments.n)


def block_mean(
    moments: Moments, index: int, *, level: float = LEVEL, bounds: Bounds = UNBOUNDED
) -> Interval:
    """Return the t interval for the mean of value `index` of the block vector.

    With bounds of 0..1 it is a rate: see `block_rate`.

    Examples
    --------
    >>> rounds = block_mean(Moments.of([[9.0], [11.0], [10.0], [12.0]]), 0)
    >>> rounds.estimate, round(rounds.half_width, 2)
    (10.5, 2.05)
    """
    return contrast(moments, unit(moments.d, index), level=level, bounds=bounds)


def block_rate(moments: Moments, index: int, *, level: float = LEVEL) -> Interval:
    """Return the interval for a rate or a share of wins, value `index` of the block vector.

    Examples
    --------
    >>> wins = [[0], [2], [1], [1], [0], [1], [0], [1]]  # in blocks of four games
    >>> rate = block_rate(Moments.of(wins, scale=4), 0)
    >>> rate.estimate, round(rate.low, 3), round(rate.high, 3)
    (0.1875, 0.054, 0.413)
    """
    return block_mean(moments, index, level=level, bounds=RATE)


def ratio(moments: Moments, over: int, under: int, *, bounds: Bounds = RATE) -> Interval:
    """Return the interval for a ratio of two block means by the delta method.

    With bounds 0..1 it is a conditional rate: P(primus wins | Rome wins) is the mean of "primus
    and Rome win" over the mean of "Rome wins". If no block contains the condition, the estimate is
    nan and the interval is `bounds`. With bounds of 0 and infinity it is a mean over some games,
    such as the winner's margin; without two blocks that differ, its ends are nan.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    over, under : int
        Index of the numerator and of the denominator in the block vector.
    bounds : tuple of float
        Range of possible values of the ratio.

    Examples
    --------
    >>> both_and_rome = Moments.of([[1, 2], [0, 1], [1, 1], [0, 2]], scale=4)
    >>> round(ratio(both_and_rome, 0, 1).estimate, 3)
    0.333
    """
    mean, n = moments.mean, moments.n
    under = range(moments.d)[under]
    unknown = bounds if math.isfinite(bounds[1]) else (math.nan, math.nan)
    if mean[under] == 0:
        return Interval(math.nan, *unknown, math.nan, n, LEVEL, "none", math.nan, 0.0, bounds)
    value = float(mean[over] / mean[under])
    weights = (unit(moments.d, over) - value * unit(moments.d, under)) / mean[under]
    se = math.sqrt(_variance(moments.covariance, weights) / n)
    # Only blocks that contain the condition are informative; Kish's effective number counts them.
    kish = float(moments.total[under]) ** 2 / float(moments.cross[under, under])
    # Squares about the mean of so few are too small: divide by one less.
    se *= math.sqrt(kish / (kish - 1) * (n - 1) / n) if kish > 1 + ZERO_VARIANCE else 0.0
    if se == 0 and bounds[1] == math.inf:
        return Interval(value, *unknown, se, n, LEVEL, "none", math.nan, kish, bounds)
    return make_interval(value, se, n, bounds=bounds, events=kish)


def unit(d: int, index: int) -> NDArray[np.float64]:
    """Return weights that pick one value of a block vector, shape (d,)."""
    if not -d <= index < d:
        raise PaxsimError(f"a block vector of {d} values has no value {index}")
    weights = np.zeros(d)
    weights[index] = 1.0
    return weights


def _variance(covariance: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the variance of a weighted sum, exactly zero if only rounding noise is left."""
    used = np.flatnonzero(weights)
    w, inner = weights[used], covariance[np.ix_(used, used)]
    value = math.fsum((np.outer(w, w) * inner).ravel().tolist())
    size = math.fsum((np.abs(w) * np.sqrt(inner.diagonal())).tolist()) ** 2
    return value if value > ZERO_VARIANCE * size else 0.0


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Difference over the same blocks, the same without pairing, and the gain from pairing.

    Attributes
    ----------
    paired : Interval
        From the difference within each block: the one to report.
    unpaired : Interval
        As if the two had been measured on different deals.
    variance_factor : float
        Unpaired variance / paired variance: how many times more blocks an unpaired comparison
        would need for the same precision. Above 1 if good deals are good for both (two runs on
        common deals). Below 1 for two strategies of the same games, where one's win is the
        other's loss and the unpaired interval is too narrow. Infinite if the paired difference
        never varies, nan if nothing varies.
    """

    paired: Interval
    unpaired: Interval
    variance_factor: float


def paired_difference(
    moments: Moments, a: int, b: int, *, differing: int | None = None
) -> PairedDifference:
    """Compare values `a` and `b` of the same block vectors: mean of a - mean of b.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    a, b : int
        Indices of the two values in the block vector.
    differing : int, optional
        Number of blocks in which the two differ; see `difference_interval`.

    Examples
    --------
    >>> wins = Moments.of([[3, 2], [1, 0], [4, 2], [2, 2]], scale=4)  # two runs on the same deals
    >>> difference = paired_difference(wins, 0, 1)
    >>> difference.paired.estimate, difference.variance_factor
    (0.25, 4.0)
    """
    n = moments.n
    weights = unit(moments.d, a) - unit(moments.d, b)
    paired = mean_difference(moments, weights, differing=differing)
    variances = [float(moments.covariance[i, i]) / n for i in (a, b)]
    # Welch and Satterthwaite's degrees of freedom; a value that never varies adds nothing.
    spread = sum(v**2 / (n - 1) for v in variances if v > 0)
    df = sum(variances) ** 2 / spread if spread > 0 else n - 1
    gap = float(moments.mean[a] - moments.mean[b])
    # Different deals would hardly ever be equal, so all blocks count as differing.
    unpaired = difference_interval(gap, math.sqrt(sum(variances)), n, n, df=df)
    if paired.se > 0:
        factor = (unpaired.se / paired.se) ** 2
    else:
        factor = math.inf if unpaired.se > 0 else math.nan
    return PairedDifference(paired, unpaired, factor)
