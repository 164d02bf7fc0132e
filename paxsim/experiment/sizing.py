"""How many games an answer will take, judging by a few hundred blocks played for a start."""

from __future__ import annotations

from dataclasses import replace

from paxsim.experiment.measures import MatchMeasures, bundle_moments
from paxsim.experiment.plan import Plan
from paxsim.experiment.run import run_plan
from paxsim.experiment.stopping import games_if_fixed, games_when_watched
from paxsim.stats import plan_power
from paxsim.stats.planning import half_width
from paxsim.text import significant

#: Blocks played to see how much results vary from block to block.
PILOT_BLOCKS = 1_000


def pilot(plan: Plan) -> list[list[MatchMeasures]]:
    """Play the first blocks of every bundle of a plan."""
    trial = replace(plan, blocks=(PILOT_BLOCKS,) * len(plan.bundles))
    found = []
    for bundle, tally in zip(plan.bundles, run_plan(trial), strict=True):
        facts = [match.facts for match in bundle]
        found.append([MatchMeasures(facts, i, tally) for i in range(len(facts))])
    return found


def size_of_run(plan: Plan, precision: float | None) -> list[str]:
    """What a run will show, or how many games a precision will take, in sentences."""
    lines = []
    for (match,), blocks in zip(pilot(plan), plan.blocks, strict=True):
        where = f"{match.players} players: " if match.players > 1 else "Solo: "
        if precision is None:
            sd = max(variance for _, variance in match.watched_variances()) ** 0.5
            games = blocks * match.facts.block_size
            half = significant(100 * half_width(blocks, sd), 2)
            lines.append(f"{where}{games:,} games give ±{half}%.")
            continue
        fixed, watched = games_if_fixed(match, precision), games_when_watched(match, precision)
        lines.append(
            f"{where}±{significant(100 * precision)}% takes about {fixed:,} games if their number "
            f"is fixed beforehand (--games {fixed}), and about {watched:,} with --precision, which "
            f"may stop at any time; allowed: {plan.games:,}."
        )
    return lines


def size_of_comparison(plan: Plan, difference: float) -> list[str]:
    """How many games it takes to find that a is better than b by so much, in sentences."""
    (bundle,) = pilot(plan)
    moments = bundle_moments(bundle)
    a, b = 0, bundle[0].layout.size
    covariance = moments.covariance
    sd = max(covariance[a, a] - 2 * covariance[a, b] + covariance[b, b], 1e-12) ** 0.5
    return [plan_power(difference, plan.block_games(0), sd, allowed=plan.games).text]
