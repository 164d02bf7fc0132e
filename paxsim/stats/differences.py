"""Differences between two strategies, with and without the help of common deals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL, PSEUDO_BLOCKS
from paxsim.stats.intervals import (
    DIFFERENCE,
    Bounds,
    Interval,
    contrast,
    difference_interval,
    unit,
)
from paxsim.stats.moments import Moments
from paxsim.stats.rates import normal_quantile


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
