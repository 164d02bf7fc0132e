"""When a run stops by itself: at a target precision, or when a comparison is decided.

Both look at results while they grow, so their intervals and tests hold while being watched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paxsim.errors import PaxsimError, is_number
from paxsim.experiment.measures import MatchMeasures, bundle_moments, watched_rate
from paxsim.experiment.plan import Plan
from paxsim.experiment.tally import Tally
from paxsim.experiment.tallylayout import Layout
from paxsim.quoting import told
from paxsim.stats import blocks_for_half_width, difference_sums, sequential_test
from paxsim.text import significant

#: Asked, with the tallies by bundle, whether a run is to stop.
StopRule = Callable[[list[Tally | None]], bool]


def precision_rule(plan: Plan, precision: float) -> StopRule:
    """Stop when every strategy's win rate and Rome's are known to plus or minus `precision`.

    At the first look a target that can't be reached within the plan is refused, with the number
    of games that it would take.
    """
    precision = checked_precision(precision)
    (match,) = plan.bundles[0]
    looks = 0

    def stop(tallies: list[Tally | None]) -> bool:
        nonlocal looks
        looks += 1
        tally = tallies[0]
        assert tally is not None
        measures = MatchMeasures([match.facts], 0, tally, precision)
        if reached(measures, precision) <= precision:
            return True
        needed = games_when_watched(measures, precision)
        # Later on it would be a pity about the games: what they show is reported instead.
        if looks == 1 and needed > plan.games:
            raise PaxsimError(
                f"precision: ±{significant(100 * precision)}% would take about {needed:,} games; "
                f"allowed: {plan.games:,} (see --games)"
            )
        return False

    return stop


def sequential_rule(plan: Plan, delta: float) -> StopRule:
    """Stop a comparison when the sequential test has decided."""
    facts = [match.facts for match in plan.bundles[0]]
    second = Layout(facts[0].players).size

    def stop(tallies: list[Tally | None]) -> bool:
        tally = tallies[0]
        assert tally is not None
        bundle = [MatchMeasures(facts, i, tally) for i in range(len(facts))]
        sums = difference_sums(bundle_moments(bundle), 0, second)
        return sequential_test(*sums, delta=delta).decision != "undecided"

    return stop


def checked_precision(precision: Any) -> float:
    """A half-width of rates that can be asked for."""
    if not is_number(precision) or not 0 < precision < 0.5:
        raise PaxsimError(f"precision: found {told(precision)}; allowed: between 0 and 50% (0.5)")
    return float(precision)


def reached(measures: MatchMeasures, precision: float) -> float:
    """The half-width of the least sure of the watched rates."""
    blocks = measures.blocks
    return max(
        watched_rate(blocks, rate, variance, precision).half_width
        for rate, variance in measures.watched_variances()
    )


def games_when_watched(measures: MatchMeasures, precision: float) -> int:
    """Games after which a watched run will be sure enough, judging by what was played."""
    variance = max(variance for _, variance in measures.watched_variances())
    return blocks_needed(variance, precision) * measures.facts.block_size


def games_if_fixed(measures: MatchMeasures, precision: float) -> int:
    """The same for a run whose number of games is fixed beforehand."""
    variance = max(variance for _, variance in measures.watched_variances())
    return blocks_for_half_width(precision, variance**0.5) * measures.facts.block_size


def blocks_needed(variance: float, precision: float) -> int:
    """Blocks after which a watched interval is narrow enough, by doubling and halving."""
    high = blocks_for_half_width(precision, max(variance, 1e-9) ** 0.5)
    while watched_rate(high, 0.5, variance, precision).half_width > precision:
        high *= 2
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if watched_rate(middle, 0.5, variance, precision).half_width > precision:
            low = middle
        else:
            high = middle
    return high
