"""How many games an answer of a given precision takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import nctdtr, ndtr, stdtrit

from paxsim.errors import PaxsimError
from paxsim.stats.constants import ALLOWED_GAMES, LEVEL, MIN_BLOCKS, POWER
from paxsim.stats.rates import check_level
from paxsim.text import in_percent, significant


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
