"""Statistics that stay valid while a run is being watched, and planning of the size of a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import lambertw, nctdtr, ndtr

from paxsim.errors import PaxsimError
from paxsim.stats.constants import (
    ALPHA,
    LEVEL,
    MIN_BLOCKS,
    POWER,
    SEQUENTIAL_START,
    SEQUENTIAL_TIGHTEST,
)
from paxsim.stats.intervals import DIFFERENCE, RATE, Bounds, Interval, t_quantile
from paxsim.stats.moments import Moments
from paxsim.text import in_percent, significant

# From bold to timid: for every difference that 20 million games can detect, the growth of one of
# these bets is within 4% of the best.
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
    """Return the half-width of a confidence sequence at some looks; `span` is that of its bounds.

    For the other parameters see `confidence_sequence`.
    """
    n = np.asarray(n, np.float64)
    sd = np.sqrt(np.asarray(variance, np.float64) + span**2 / n)
    # The width at n blocks is least where u = n rho^2 solves u = log(u + 1) - 2 log(alpha).
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
    """Return an interval for a block mean that holds at all looks together.

    The normal-mixture boundary of Robbins (1970) with estimated variance, an asymptotic
    confidence sequence in the sense of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024):
    ``mean +- sd sqrt((1 + 1/u) (log(1 + u) - 2 log(alpha)) / n)`` with ``u`` proportional to n.
    At its tightest it is 1.55 times as wide as the interval for a fixed n. In return, a run may
    stop as soon as it is narrow enough.

    "Asymptotic" means that the first look must not be too early. There are two precautions: before
    `SEQUENTIAL_START` blocks the interval is all of `bounds`, and the variance includes one
    further block that is off by the whole range, so that equal first blocks don't look certain.
    The second vanishes as 1/n.

    Parameters
    ----------
    n : int
        Number of blocks so far.
    mean, variance : float
        Mean and variance (divisor n - 1) of the blocks so far.
    alpha : float
        Probability that the sequence misses the truth at *any* look.
    bounds : tuple of float
        Range of possible block values: (0, 1) for a rate, (-1, 1) for a difference.
    tightest_at : int
        Number of blocks at which it is narrowest; fix it before the run.

    Returns
    -------
    Interval
        With method ``"sequence"``.

    Raises
    ------
    PaxsimError
        If `alpha` is not between 0 and 1, or `bounds` are not finite.

    Examples
    --------
    >>> interval = confidence_sequence(2000, mean=0.3, variance=0.04)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.286, 0.314)
    """
    if not 0 < alpha < 1:
        raise PaxsimError(f"alpha must be between 0 and 1, got {alpha!r}")
    if not -math.inf < bounds[0] < bounds[1] < math.inf:
        raise PaxsimError(f"bounds must be finite and in ascending order, got {bounds!r}")
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


def log_e_value(
    n: ArrayLike, total: ArrayLike, squares: ArrayLike, reference: float, lowest: float
) -> NDArray[np.float64]:
    """Return the log of the evidence that the mean of the blocks is *above* a reference.

    No block is below `lowest`. The first three arguments may be arrays of looks; see
    `sequential_test`.
    """
    n, total, squares = (np.asarray(x, np.float64)[..., None] for x in (n, total, squares))
    unit = reference - lowest
    gain = (total - n * reference) / unit
    spread = (squares - 2 * reference * total + n * reference**2) / unit**2
    bets = _BETS * gain - _COSTS * spread
    top = bets.max(axis=-1)  # so that the exponentials can't overflow
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
    """

    decision: str
    e_value: float
    e_value_not: float


def sequential_test(
    n: int, total: float, squares: float, *, delta: float = 0.0
) -> SequentialResult:
    """Test whether a is better than b by at least `delta`; valid after every block.

    Let x be the paired difference a - b of a block, within -1..1. A gambler who thinks that its
    mean exceeds delta bets a fraction of his capital on every block. If the mean is delta or less,
    his capital is not expected to grow, and by Ville's inequality the probability that it *ever*
    reaches 20 times the start is at most 1/20. His capital is the e-value. For y = (x - delta) /
    (delta - lowest), which is never below -1, and a bet 0 < v < 1, Fan, Grama & Liu (2015) show
    ``1 + v y >= exp(v y - (-log(1 - v) - v) y**2)``; the product of the right sides over the
    blocks depends only on the sums of x and x**2. Averaging over a fixed list of bets, bold to
    timid, avoids choosing one. The mirror image tests "the mean is below delta".

    The test needs only sums that are there anyway, so chunk size and number of workers don't
    matter. The bound on errors is exact for any bounded distribution and any number of looks, from
    the first block on. With a real difference it needs, on average, about twice the blocks of a
    fixed-n test with a power of 80%, but in the end it finds every difference.

    If the true mean is below delta, the probability of "better" is at most 0.05; if it is above,
    that of "not better" is. At exactly delta each of the two has this probability, and the test
    stays undecided forever with probability 0.9 or more: limit the number of blocks.

    Parameters
    ----------
    n : int
        Number of blocks so far.
    total, squares : float
        Sum of the differences and of their squares; see `difference_sums`.
    delta : float
        Required advantage of a, between -1 and 1.

    Raises
    ------
    PaxsimError
        If `delta` is not between -1 and 1.

    Examples
    --------
    >>> sequential_test(400, total=100.0, squares=37.5).decision
    'better'
    >>> sequential_test(400, total=100.0, squares=37.5, delta=0.5).decision
    'not better'
    """
    lowest, highest = DIFFERENCE
    if not lowest < delta < highest:
        raise PaxsimError(f"delta must be between {lowest:g} and {highest:g}, got {delta!r}")
    above = float(log_e_value(n, total, squares, delta, lowest))
    below = float(log_e_value(n, -total, squares, -delta, -highest))
    decision = "undecided"
    if max(above, below) >= -math.log(ALPHA):
        decision = "better" if above >= below else "not better"
    # Beyond e**700 a float overflows.
    return SequentialResult(decision, math.exp(min(above, 700)), math.exp(min(below, 700)))


def difference_sums(moments: Moments, a: int, b: int) -> tuple[int, float, float]:
    """Return blocks, sum and sum of squares of value a - value b, for `sequential_test`.

    Examples
    --------
    >>> difference_sums(Moments.of([[3, 1], [2, 2], [4, 0]], scale=4), 0, 1)
    (3, 1.5, 1.25)
    """
    total = moments.total[a] - moments.total[b]
    squares = moments.cross[a, a] - 2 * moments.cross[a, b] + moments.cross[b, b]
    unit = int(moments.units[a])  # the same for both
    return moments.n, float(total) / unit, float(squares) / unit**2


# --- planning -----------------------------------------------------------------------------------


def half_width(blocks: int, sd: float) -> float:
    """Return the half-width of the t interval of a mean with standard deviation `sd`."""
    return t_quantile(blocks - 1) * sd / math.sqrt(blocks)


def blocks_for_half_width(target: float, sd: float = 0.5) -> int:
    """Return the fewest blocks for a half-width of at most `target`, but at least `MIN_BLOCKS`.

    Parameters
    ----------
    target : float
        Half-width in the unit of the quantity (0.01 is one percentage point).
    sd : float
        Standard deviation of a block; 0.5 is the worst case of a rate.

    Examples
    --------
    >>> blocks_for_half_width(0.01, sd=0.3)
    3460
    """
    if not target > 0 or not sd >= 0:
        raise PaxsimError(
            f"half-width must be positive and standard deviation not negative, got {target!r} "
            f"and {sd!r}"
        )
    return _fewest(lambda n: half_width(n, sd) <= target)


def power(blocks: int, difference: float, sd: float) -> float:
    """Return the probability that a two-sided t test finds a true `difference`."""
    if sd == 0:
        return 1.0
    df, shift = blocks - 1, abs(difference) / sd * math.sqrt(blocks)
    critical = t_quantile(df)
    if df > 1e5 or shift > 30:
        # The t distribution is normal here, and its noncentral form slow or inaccurate.
        return float(ndtr(shift - critical) + ndtr(-shift - critical))
    return float(1 - nctdtr(df, shift, critical) + nctdtr(df, shift, -critical))


def blocks_for_power(difference: float, sd: float, target: float = POWER) -> int:
    """Return the fewest blocks to find a true `difference` with probability `target`.

    Parameters
    ----------
    difference : float
        Smallest difference worth finding.
    sd : float
        Standard deviation of the difference within a block.
    target : float
        Power, between 0.05 and 1.

    Examples
    --------
    >>> blocks_for_power(0.01, sd=0.4)
    12561
    """
    if difference == 0 or not sd >= 0 or not 1 - LEVEL < target < 1:
        raise PaxsimError(
            f"difference must not be 0, sd not negative and power between {1 - LEVEL:.2g} and 1, "
            f"got {difference!r}, {sd!r} and {target!r}"
        )
    return _fewest(lambda n: power(n, difference, sd) >= target)


def describe_power(difference: float, games_per_block: int, sd: float, allowed: int) -> str:
    """Describe the run that finds `difference` with probability `POWER`.

    Parameters
    ----------
    difference, sd : float
        See `blocks_for_power`.
    games_per_block, allowed : int
        Games in a block, and the largest number of games.

    Examples
    --------
    >>> describe_power(0.01, 4, sd=0.4, allowed=1_000_000)  # doctest: +ELLIPSIS
    'Finding a difference of 1 percentage points ... takes 12,561 blocks (50,244 games).'
    """
    blocks = blocks_for_power(difference, sd)
    text = (
        f"Finding a difference of {significant(100 * difference, 3)} percentage points with "
        f"{in_percent(POWER, 0)}% chance takes {blocks:,} blocks ({blocks * games_per_block:,} "
        "games)."
    )
    most = allowed // games_per_block
    if 2 <= most < blocks:
        chance = in_percent(power(most, difference, sd), 0)
        text += f" With the {allowed:,} games allowed, the chance is {chance}%."
    return text


def _fewest(enough: Callable[[int], bool]) -> int:
    """Return the smallest n >= `MIN_BLOCKS` that is enough, by doubling and bisection."""
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
