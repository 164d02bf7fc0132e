"""Statistics that stay valid while a run is being watched."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import lambertw, nctdtr, ndtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import (
    ALLOWED_GAMES,
    ALPHA,
    LEVEL,
    MIN_BLOCKS,
    POWER,
    SEQUENTIAL_START,
    SEQUENTIAL_TIGHTEST,
)
from paxsim.stats.intervals import DIFFERENCE, RATE, Bounds, Interval, check_level
from paxsim.stats.moments import Moments
from paxsim.text import in_percent, significant

# Bets from bold to timid, each 1/sqrt(2) of the one before: whatever the size of the difference
# that 20 million games can show, one of them comes within 4 % of the best growth.
_BETS = 2.0 ** (-np.arange(1, 21) / 2)
_COSTS = -np.log1p(-_BETS) - _BETS


def sequence_radius(
    n: ArrayLike,
    variance: ArrayLike,
    *,
    alpha: float = ALPHA,
    span: float = 0.0,
    tightest_at: int = SEQUENTIAL_TIGHTEST,
) -> NDArray[np.float64]:
    """Half-width of the confidence sequence after `n` blocks.

    Parameters
    ----------
    n, variance : array_like
        Number of blocks and variance of a block (divisor n - 1) at each look.
    alpha : float
        Chance that the sequence misses the truth at *any* look.
    span : float
        Width of the range of possible block values; see `confidence_sequence`.
    tightest_at : int
        Number of blocks at which to be narrowest.
    """
    n = np.asarray(n, np.float64)
    sd = np.sqrt(np.asarray(variance, np.float64) + span**2 / n)
    # Width at n blocks as a function of u = n rho^2 is least where u = log(u + 1) - 2 log(alpha).
    rho2 = (-lambertw(-(alpha**2) / math.e, -1).real - 1) / tightest_at
    u = n * rho2
    return np.asarray(sd * np.sqrt((1 + 1 / u) * (np.log1p(u) - 2 * math.log(alpha)) / n))


def confidence_sequence(
    n: int,
    mean: float,
    variance: float,
    *,
    alpha: float = ALPHA,
    bounds: Bounds = RATE,
    tightest_at: int = SEQUENTIAL_TIGHTEST,
) -> Interval:
    """Interval for a block mean that holds at all looks together.

    The normal-mixture boundary of Robbins (1970) with estimated variance, an asymptotic
    confidence sequence in the sense of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024):
    ``mean +- sd sqrt((1 + 1/u) (log(1 + u) - 2 log(alpha)) / n)`` with ``u`` proportional to n.
    At its tightest it is 1.55 times as wide as the interval for a fixed n: the price of watching
    and of stopping when it is narrow enough (`precise_enough`).

    "Asymptotic" means that the first look must not be too early. Two guards: before
    `SEQUENTIAL_START` blocks the interval is all of `bounds`, and the variance is taken as if one
    further block had been off by the whole range, so that blocks which happen to be equal at
    first do not look certain. The second fades as 1/n.

    Parameters
    ----------
    n : int
        Number of blocks so far.
    mean, variance : float
        Mean and variance (divisor n - 1) of the blocks so far.
    alpha : float
        Chance that the sequence misses the truth at *any* look.
    bounds : tuple of float
        Between which values a block can lie: (0, 1) for a rate, (-1, 1) for a difference.
    tightest_at : int
        Number of blocks at which to be narrowest; fix it before the run.

    Returns
    -------
    Interval
        Of kind ``"sequence"``.
    """
    _check(alpha, bounds)
    low, high = bounds
    if n < SEQUENTIAL_START:
        radius = math.inf
    else:
        radius = float(
            sequence_radius(n, variance, alpha=alpha, span=high - low, tightest_at=tightest_at)
        )
    se = math.sqrt(variance / n) if n > 0 else math.nan
    ends = (max(low, mean - radius), min(high, mean + radius))
    return Interval(mean, *ends, se, n, 1 - alpha, "sequence", n - 1, math.nan, bounds)


def precise_enough(interval: Interval, target: float) -> bool:
    """Whether a run may stop: the interval's half-width is at most `target`."""
    return interval.half_width <= target


def log_e_value(
    n: ArrayLike,
    total: ArrayLike,
    squares: ArrayLike,
    reference: float,
    lowest: float,
) -> NDArray[np.float64]:
    """Log of the evidence that the mean of bounded blocks is *above* `reference`.

    See `sequential_test`. All arguments but the last two may be arrays of looks.

    Parameters
    ----------
    n : array_like
        Number of blocks.
    total, squares : array_like
        Sum of the block values and of their squares.
    reference : float
        Mean to be beaten.
    lowest : float
        Lowest possible block value, below `reference`.
    """
    n, total, squares = (np.asarray(x, np.float64)[..., None] for x in (n, total, squares))
    unit = reference - lowest
    gain = (total - n * reference) / unit
    spread = (squares - 2 * reference * total + n * reference**2) / unit**2
    bets = _BETS * gain - _COSTS * spread
    top = bets.max(axis=-1)  # taken out, so that the exponentials cannot overflow
    return np.asarray(top + np.log(np.exp(bets - top[..., None]).mean(axis=-1)))


@dataclass(frozen=True, slots=True)
class SequentialResult:
    """State of a sequential test after some blocks.

    Attributes
    ----------
    decision : str
        ``"better"``, ``"not better"`` or ``"undecided"``.
    e_value : float
        Evidence for "better by more than delta"; decides at ``1 / alpha``.
    e_value_not : float
        Evidence for "better by less than delta", on the same scale.
    n : int
        Blocks so far; for a decision already taken, the blocks at that time.
    """

    decision: str
    e_value: float
    e_value_not: float
    n: int


def sequential_test(
    n: int,
    total: float,
    squares: float,
    *,
    delta: float = 0.0,
    alpha: float = ALPHA,
    bounds: Bounds = DIFFERENCE,
    previous: SequentialResult | None = None,
) -> SequentialResult:
    """Is a better than b by at least `delta`? May be asked after every block.

    Let x be the paired difference a - b of a block, within `bounds`. A gambler who thinks its
    mean exceeds delta puts a fraction of his capital on every block; if the mean is delta or less
    his capital is not expected to grow, and by Ville's inequality the chance that it *ever*
    reaches 20 times the start is at most 1/20. His capital is the e-value. For y = (x - delta) /
    (delta - lowest), which is never below -1, and a bet 0 < v < 1, Fan, Grama & Liu (2015) show
    ``1 + v y >= exp(v y - (-log(1 - v) - v) y**2)``; the product of the right sides over the
    blocks depends on the sums of x and x**2 only. Averaging over a fixed list of bets, bold to
    timid, removes the need to choose one. The mirror image tests "the mean is below delta".

    Why this one: it needs only the sums that are kept anyway (so the result does not depend on
    chunk size or workers), and the bound of `alpha` is exact for any distribution within
    `bounds`, any number of looks and from the first block on, with no appeal to large numbers.
    The price: with a real difference it decides after about twice the blocks, on average, that a
    fixed-n test with a power of 80 % takes; given time it finds every difference, though.

    Errors: if the true mean is below delta, "better" is ever said with probability <= alpha; if
    above, "not better" is. At exactly delta each of the two has probability <= alpha, so the test
    stays undecided for ever with probability >= 1 - 2 alpha: limit the number of blocks.

    Parameters
    ----------
    n : int
        Number of blocks so far.
    total, squares : float
        Sum of the differences and of their squares; `difference_sums` takes them from `Moments`.
    delta : float
        By how much a has to be better, strictly within `bounds`.
    alpha : float
        Error rate.
    bounds : tuple of float
        Between which values a difference can lie.
    previous : SequentialResult, optional
        Result of the last look. A decision once taken stands.
    """
    _check(alpha, bounds)
    if previous is not None and previous.decision != "undecided":
        return previous
    if not bounds[0] < delta < bounds[1]:
        raise PaxsimError(f"delta: found {delta!r}; allowed: strictly between {bounds}")
    above = float(log_e_value(n, total, squares, delta, bounds[0]))
    below = float(log_e_value(n, -total, squares, -delta, -bounds[1]))
    decision = "undecided"
    if max(above, below) >= -math.log(alpha):
        decision = "better" if above >= below else "not better"
    # Beyond e**700 a float overflows; nobody needs to know such evidence more precisely.
    return SequentialResult(decision, math.exp(min(above, 700)), math.exp(min(below, 700)), n)


def difference_sums(moments: Moments, a: int, b: int) -> tuple[int, float, float]:
    """Number of blocks, sum and sum of squares of value a - value b, for `sequential_test`."""
    total = moments.total[a] - moments.total[b]
    squares = moments.cross[a, a] - 2 * moments.cross[a, b] + moments.cross[b, b]
    unit = int(moments.units[a])  # the same for both, or their difference would mean nothing
    return moments.n, float(total) / unit, float(squares) / unit**2


def _check(alpha: float, bounds: Bounds) -> None:
    if not 0 < alpha < 1 or not -math.inf < bounds[0] < bounds[1] < math.inf:
        raise PaxsimError(f"sequential: error rate {alpha!r} and bounds {bounds!r}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run has to be for its purpose.

    Attributes
    ----------
    blocks, games : int
        Size of the run.
    allowed : int
        Most games a run may have.
    text : str
        One or two sentences for the user; says what is possible if `games` exceeds `allowed`.
    """

    blocks: int
    games: int
    allowed: int
    text: str

    @property
    def fits(self) -> bool:
        """Whether the run is allowed."""
        return self.games <= self.allowed


def half_width(blocks: int, sd: float, level: float = LEVEL) -> float:
    """Half-width of the t interval of a mean over `blocks` with standard deviation `sd`."""
    return -float(stdtrit(blocks - 1, (1 - check_level(level)) / 2)) * sd / math.sqrt(blocks)


def blocks_for_half_width(target: float, sd: float = 0.5, level: float = LEVEL) -> int:
    """Fewest blocks for a half-width of at most `target`; at least `MIN_BLOCKS`.

    Parameters
    ----------
    target : float
        Half-width in the unit of the quantity (0.01 is one percentage point).
    sd : float
        Standard deviation of a block; 0.5 is the worst case of a rate.
    level : float
        Confidence level.
    """
    if not target > 0 or not sd >= 0:
        raise PaxsimError(f"precision: half-width {target!r}, standard deviation {sd!r}")
    check_level(level)
    return _fewest(lambda n: half_width(n, sd, level) <= target)


def power(blocks: int, difference: float, sd: float, level: float = LEVEL) -> float:
    """Chance that a two-sided t test over `blocks` finds a true `difference`."""
    if sd == 0:
        return 1.0
    df, shift = blocks - 1, abs(difference) / sd * math.sqrt(blocks)
    critical = -float(stdtrit(df, (1 - check_level(level)) / 2))
    if df > 1e5 or shift > 30:
        # The t distribution is normal here, and its noncentral form slow or inaccurate.
        return float(ndtr(shift - critical) + ndtr(-shift - critical))
    return float(1 - nctdtr(df, shift, critical) + nctdtr(df, shift, -critical))


def blocks_for_power(
    difference: float, sd: float, target: float = POWER, level: float = LEVEL
) -> int:
    """Fewest blocks to find a true `difference` with probability `target`.

    Parameters
    ----------
    difference : float
        Smallest difference worth finding.
    sd : float
        Standard deviation of the difference within a block.
    target : float
        Power, between ``1 - level`` and 1.
    level : float
        Confidence level of the test.
    """
    if difference == 0 or not sd >= 0 or not 1 - level < target < 1:
        raise PaxsimError(f"power {target!r} to find a difference of {difference!r} (sd {sd!r})")
    return _fewest(lambda n: power(n, difference, sd, level) >= target)


def plan_power(
    difference: float,
    games_per_block: int,
    sd: float,
    target: float = POWER,
    level: float = LEVEL,
    allowed: int = ALLOWED_GAMES,
) -> Plan:
    """Plan a run that finds `difference` with probability `target`; see `blocks_for_power`."""
    blocks = blocks_for_power(difference, sd, target, level)
    text = (
        f"Finding a difference of {_points(difference)} with {in_percent(target, 0)}% chance takes "
        f"{_size(blocks, games_per_block)}."
    )
    most = allowed // games_per_block
    if most >= 2 and blocks > most:
        text += (
            f" Allowed are {allowed:,} games, which find it with "
            f"{in_percent(power(most, difference, sd, level), 0)}% chance."
        )
    return Plan(blocks, blocks * games_per_block, allowed, text)


def _fewest(enough: Callable[[int], bool]) -> int:
    """Smallest n >= `MIN_BLOCKS` that is enough, by doubling and halving."""
    high = MIN_BLOCKS
    while not enough(high):
        if high > 2**60:
            raise PaxsimError("no number of blocks is enough")
        high *= 2
    low = high // 2 if high > MIN_BLOCKS else high - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _points(x: float) -> str:
    return f"{significant(100 * x, 3)} percentage points"


def _size(blocks: int, games_per_block: int) -> str:
    return f"{blocks:,} blocks ({blocks * games_per_block:,} games)"
