"""Stopping at a target precision, with intervals that hold while being watched."""

from __future__ import annotations

from paxsim.errors import PaxsimError
from paxsim.experiment.execute import StopRule
from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.plan import Plan
from paxsim.experiment.tally import WIN, Tally
from paxsim.stats import blocks_for_half_width, confidence_sequence


def precision_rule(plan: Plan, precision: float) -> StopRule:
    """Stop when every strategy's win rate and Rome's are known to plus or minus `precision`.

    After the first look a target that can't be reached within the plan is refused, with the number
    of games that it would take.
    """
    if not isinstance(precision, (int, float)) or not 0 < precision < 0.5:
        raise PaxsimError(f"precision: found {precision!r}; allowed: between 0 and 0.5 (50%)")
    (match,) = plan.bundles[0]
    info = match.describe()

    def stop(tallies: list[Tally | None]) -> bool:
        tally = tallies[0]
        assert tally is not None
        measures = MatchMeasures(info, tally, [info], 0)
        variances = block_variances(measures)
        widths = [
            confidence_sequence(measures.blocks, rate, variance).half_width
            for rate, variance in variances
        ]
        if max(widths) <= precision:
            return True
        needed = blocks_needed(max(variance for _, variance in variances), precision)
        if needed > plan.blocks:
            raise PaxsimError(
                f"precision: ±{precision:.4%} would take about "
                f"{needed * match.block_size:,} games; allowed: {plan.games:,} (see --games)"
            )
        return False

    return stop


def block_variances(measures: MatchMeasures) -> list[tuple[float, float]]:
    """Mean and variance over blocks of every position's share and of Rome's wins."""
    mean, covariance = measures.moments.mean, measures.moments.covariance
    layout = measures.layout
    found = [
        (float(mean[i]), float(covariance[i, i]))
        for i in (layout.share(position) for position in range(measures.players))
    ]
    rome = layout.rome
    found.append((float(mean[rome] * WIN), float(covariance[rome, rome] * WIN**2)))
    return found


def blocks_needed(variance: float, precision: float) -> int:
    """Blocks after which the confidence sequence is narrow enough, by doubling and halving."""
    high = blocks_for_half_width(precision, max(variance, 1e-9) ** 0.5)
    while confidence_sequence(high, 0.5, variance).half_width > precision:
        high *= 2
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if confidence_sequence(middle, 0.5, variance).half_width > precision:
            low = middle
        else:
            high = middle
    return high
