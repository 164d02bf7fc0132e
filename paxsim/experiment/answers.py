"""The tables that answer each kind of question, from games just played or from a stored run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.errors import PaxsimError, checked_path, one_line
from paxsim.experiment.design import Facts, stored_facts
from paxsim.experiment.estimates import MatchMeasures, bundle_moments, reached
from paxsim.experiment.fieldgroups import merge_groups, stored_groups
from paxsim.experiment.metatables import metagame_tables, payoff_table
from paxsim.experiment.result import DECIMALS, Making, Result, Tables
from paxsim.experiment.store import holds_run, stored_tallies
from paxsim.experiment.tables import (
    Row,
    by_players,
    changes_by_restrictions,
    changes_by_rules,
    field_tables,
    group_of,
    make_table,
    match_tables,
    payoffs,
    ratings,
    rule_values,
    size_of,
    spread,
    standings,
)
from paxsim.experiment.tables import rome as rome_table
from paxsim.experiment.tally import Tally, pooled_facts, pooled_tally
from paxsim.stats import (
    Interval,
    confidence_sequence,
    contrast,
    difference_sums,
    p_value,
    paired_difference,
    sequential_test,
)

Bundles = list[list[MatchMeasures]]
Made = dict[str, Making]


def answer(
    manifest: dict[str, Any], facts: Sequence[Sequence[Facts]], tallies: Sequence[Tally]
) -> Result:
    """Build the result of a run.

    Parameters
    ----------
    manifest : dict
        What the run is.
    facts : sequence of sequence of Facts
        Its matches, by bundle.
    tallies : sequence of dict
        What was played, by bundle.
    """
    question = manifest["question"]
    watched = question.get("precision")
    lineups = question.get("lineups")
    if lineups is not None:
        return _answer_of_field(manifest, facts, tallies, lineups)
    bundles = [
        [MatchMeasures(bundle, i, tally, watched) for i in range(len(bundle))]
        for bundle, tally in zip(facts, tallies, strict=True)
    ]
    main, more = _ANSWERS[question["kind"]](question, bundles)
    matches = [match for bundle in bundles for match in bundle]
    return Result(manifest, bundles, Tables({**more, **match_tables(matches)}), main)


def _answer_of_field(
    manifest: dict[str, Any],
    facts: Sequence[Sequence[Facts]],
    tallies: Sequence[Tally],
    lineups: int,
) -> Result:
    """The result of a run in which all line-ups of a field count as one."""
    single = [
        MatchMeasures(bundle, i, tally)
        for bundle, tally in zip(facts, tallies, strict=True)
        for i in range(lineups)
    ]
    pooled = [
        (pooled_facts(bundle, lineups), pooled_tally(bundle, tally, lineups))
        for bundle, tally in zip(facts, tallies, strict=True)
    ]
    bundles = [
        [MatchMeasures(bundle, i, tally) for i in range(len(bundle))] for bundle, tally in pooled
    ]
    tables = field_tables([match for bundle in bundles for match in bundle])
    fields = manifest["question"].get("fields")
    if fields is None:
        lineup_table = partial(rome_table, single)
        return Result(manifest, bundles, Tables({**tables, "lineups": lineup_table}), "rome")
    tables["rule_values"] = lambda: make_table(rule_values(fields, bundles))
    return Result(manifest, bundles, Tables(tables), "rule_values")


def _simulate(question: dict[str, Any], bundles: Bundles) -> tuple[str, Made]:
    return "strategies", {}


# --- tournament -----------------------------------------------------------------------------


def _tournament(question: dict[str, Any], bundles: Bundles) -> tuple[str, Made]:
    matches = [match for bundle in bundles for match in bundle]
    made = {"standings": standings, "payoffs": payoffs, "ratings": ratings}
    return "standings", {name: partial(by_players, make, matches) for name, make in made.items()}


# --- comparisons ----------------------------------------------------------------------------


def _compare(question: dict[str, Any], bundles: Bundles) -> tuple[str, Made]:
    a, b = bundles[0]
    moments = bundle_moments(bundles[0])
    first, second = a.layout.share(0), a.layout.size + b.layout.share(0)
    differing = int(b.detail("differing")[b.layout.share(0)])
    difference = paired_difference(moments, first, second, differing=differing)
    paired, p = difference.paired, p_value(difference.paired)
    rates = [match.win_rate([0]) for match in (a, b)]
    if question["sequential"]:
        # The run may have stopped because of the difference: only these hold nevertheless.
        rates = [_at_any_time(rate, moments.n) for rate in rates]
        paired = _at_any_time(paired, moments.n)
        p = math.nan
    test = sequential_test(*difference_sums(moments, first, second), delta=question["delta"])
    row = {
        "players": a.players,
        "a": a.labels[0],
        "b": b.labels[0],
        "field": ", ".join(a.labels[1:]),
        "deck": a.facts.deck,
        "rules": group_of(a)["rules"],
        **spread("a_win_rate", rates[0]),
        **spread("b_win_rate", rates[1]),
        **spread("difference", paired),
        **spread("unpaired", difference.unpaired),
        "variance_factor": difference.variance_factor,
        "p": p,
        "delta": question["delta"],
        "decision": test.decision,
        "e_value": test.e_value,
        "games": a.games + b.games,
        "blocks": a.blocks,
        "example_game": a.example([0]),
        "example_game_b": b.example([0]),
    }
    return "comparison", {"comparison": make_table([row])}


def _at_any_time(found: Interval, blocks: int) -> Interval:
    """The same estimate with an interval that holds at every look."""
    variance = found.se**2 * blocks
    return confidence_sequence(blocks, found.estimate, variance, bounds=found.bounds)


# --- solo -----------------------------------------------------------------------------------


def _solo(question: dict[str, Any], bundles: Bundles) -> tuple[str, Made]:
    levels = make_table([_level(match) for bundle in bundles for match in bundle])
    campaigns: list[Row] = []
    for bundle in bundles:
        if len(bundle) > 1:
            group = group_of(bundle[0])
            campaigns.append(
                {
                    "strategy": bundle[0].labels[0],
                    "levels": ",".join(str(match.facts.solo_level) for match in bundle),
                    **spread("success", campaign_chance(bundle)),
                    "deck": group["deck"],
                    "rules": group["rules"],
                    "games": sum(match.games for match in bundle),
                    "blocks": bundle[0].blocks,
                    "example_game": bundle[-1].example([0]),
                }
            )
    return "levels", {
        "levels": levels,
        **({"campaigns": make_table(campaigns)} if campaigns else {}),
    }


def _level(match: MatchMeasures) -> Row:
    return {
        "strategy": match.labels[0],
        "level": match.facts.solo_level,
        **spread("success", match.win_rate([0])),
        **spread("rounds", match.rounds()),
        "deck": match.facts.deck,
        "rules": group_of(match)["rules"],
        **size_of(match, match.example([0])),
    }


def campaign_chance(bundle: list[MatchMeasures]) -> Interval:
    """Chance to win all levels one after another: the product of the levels' success rates.

    Every game of a campaign is dealt anew, but the rates were measured on common deals, so their
    errors hang together. The interval is that of the sum of the rates' logarithms (delta method),
    over blocks.
    """
    rates = [match.win_rate([0]) for match in bundle]
    product = math.prod(rate.estimate for rate in rates)
    moments = bundle_moments(bundle)
    if product == 0:
        # What files would write as 0 is no bound.
        ends = (0.0, max(math.prod(rate.high for rate in rates), 10.0**-DECIMALS))
        return replace(rates[0], estimate=0.0, low=ends[0], high=ends[1], method="t")
    weights = np.zeros(moments.d)
    first = 0
    for match, rate in zip(bundle, rates, strict=True):
        weights[first + match.layout.share(0)] = 1 / rate.estimate
        first += match.layout.size
    logarithm = contrast(moments, weights, bounds=(0.0, sum(1 / rate.estimate for rate in rates)))
    low, high = (
        product * math.exp(end - logarithm.estimate) for end in (logarithm.low, logarithm.high)
    )
    return replace(
        logarithm, estimate=product, low=low, high=min(high, 1.0), se=product * logarithm.se
    )


# --- meta-game ------------------------------------------------------------------------------


def _metagame(question: dict[str, Any], bundles: Bundles) -> tuple[str, Made]:
    matches = [match for bundle in bundles for match in bundle]
    if question["added"]:  # a part of a game, which says nothing by itself about its states
        return "payoffs", {"payoffs": payoff_table(question["strategies"], matches)}
    return "states", metagame_tables(question["strategies"], matches)


_ANSWERS: dict[str, Callable[[dict[str, Any], Bundles], tuple[str, Made]]] = {
    "simulate": _simulate,
    "tournament": _tournament,
    "compare": _compare,
    "compare_rules": changes_by_rules,
    "ablate": changes_by_restrictions,
    "solo": _solo,
    "metagame": _metagame,
}


# --- stored runs ----------------------------------------------------------------------------


def load_result(path: str | Path) -> Result:
    """Present a stored run without playing; what is left out is said in ``timing``."""
    path = checked_path("run", path)
    if not holds_run(path) and (groups := stored_groups(path)):
        return _shown_together([load_result(group) for group in groups])
    manifest, found, damaged = stored_tallies(path)
    expected = len(manifest["plan"]["bundles"])
    if len(found) < expected:
        raise PaxsimError(
            f"run: {path} has games of {len(found)} of its {expected} line-ups; "
            f"allowed: all; go on with: {manifest['command']} --out {path}"
        )
    try:
        facts = [list(map(stored_facts, bundle)) for bundle in manifest["plan"]["bundles"]]
        result = answer(manifest, facts, [found[i] for i in range(expected)])
    except Exception as error:  # files that are sound by themselves, and do not belong together
        raise PaxsimError(
            f"run: the chunks of {path} do not fit its manifest ({one_line(repr(error))}); "
            "allowed: a run as it was written"
        ) from None
    result.timing = {"damaged": damaged}
    return result


def _shown_together(results: list[Result]) -> Result:
    """The groups of a field as one run."""
    merged = merge_groups(results)
    merged.timing = {"damaged": [name for one in results for name in one.timing["damaged"]]}
    planned = sum(one.manifest["plan"]["games"] for one in results)
    merged.manifest = {**merged.manifest, "plan": {**merged.manifest["plan"], "games": planned}}
    return merged


def incomplete(result: Result) -> str:
    """What a stored run still lacks, in words; empty if it is complete or stopped by its rule."""
    question = result.manifest["question"]
    planned = result.manifest["plan"]["games"]
    if result.games == planned:
        return ""
    precision = question.get("precision")
    if precision and reached(result.matches[0], precision) <= precision:
        return ""
    if question.get("sequential") and result["comparison"].at[0, "decision"] != "undecided":
        return ""
    return f"{result.games:,} of {planned:,} games so far"
