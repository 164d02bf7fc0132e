"""The tables that answer each kind of question, from games just played or from a stored run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.measures import MatchMeasures, bundle_moments, pooled_rate
from paxsim.experiment.plan import Facts, stored_facts
from paxsim.experiment.result import Result
from paxsim.experiment.stopping import reached
from paxsim.experiment.store import stored_tallies
from paxsim.experiment.tables import Row, group_of, make_table, match_tables, size_of, spread
from paxsim.experiment.tally import SUPERBLOCKS, Tally
from paxsim.quoting import one_line
from paxsim.stats import (
    DIFFERENCE,
    Interval,
    bootstrap_ratings,
    confidence_sequence,
    contrast,
    difference_sums,
    p_value,
    paired_difference,
    sequential_test,
)

Bundles = list[list[MatchMeasures]]
Tables = dict[str, pd.DataFrame]

ROME = "Rome"


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
    bundles = [
        [MatchMeasures(bundle, i, tally, watched) for i in range(len(bundle))]
        for bundle, tally in zip(facts, tallies, strict=True)
    ]
    main, more = _ANSWERS[question["kind"]](question, bundles)
    matches = [match for bundle in bundles for match in bundle]
    return Result(manifest, bundles, {**more, **match_tables(matches)}, main)


def _simulate(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
    return "strategies", {}


# --- tournament -----------------------------------------------------------------------------


def _tournament(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
    matches = [match for bundle in bundles for match in bundle]
    standings, payoffs, ratings = [], [], []
    for _, group in itertools.groupby(matches, key=lambda match: match.players):
        found = list(group)
        standings.append(_standings(found))
        payoffs.append(_payoffs(found))
        ratings.append(_ratings(found))
    tables = {
        "standings": pd.concat(standings, ignore_index=True),
        "payoffs": pd.concat(payoffs, ignore_index=True),
        "ratings": pd.concat(ratings, ignore_index=True),
    }
    return "standings", tables


def _names(matches: list[MatchMeasures]) -> list[str]:
    return list(dict.fromkeys(label for match in matches for label in match.labels))


def _pool(
    matches: list[MatchMeasures], name: str, rival: str | None = None
) -> tuple[Interval, int] | None:
    """Win rate of a seat of a strategy, in the line-ups that have it (and a rival)."""
    wins, games = np.zeros(SUPERBLOCKS), np.zeros(SUPERBLOCKS)
    played = 0
    for match in matches:
        places = match.strategies.get(name)
        if not places or (rival is not None and rival not in match.strategies):
            continue
        wins += match.superblock_wins()[:, places].sum(axis=1)
        games += len(places) * match.superblock_games()
        played += match.games
    return (pooled_rate(wins, games), played) if played else None


def _standings(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Win rate of every strategy over all its line-ups, best first."""
    rows: list[Row] = []
    for name in _names(matches):
        pooled = _pool(matches, name)
        assert pooled is not None
        rate, played = pooled
        lineups = [match for match in matches if name in match.strategies]
        rows.append(
            {
                **_setting_of(matches[0]),
                "strategy": name,
                **spread("win_rate", rate),
                "fair_share": float(np.mean([match.fair_share() for match in lineups])),
                "rome_wins": float(np.mean([match.rome_rate().estimate for match in lineups])),
                "lineups": len(lineups),
                "games": played,
                "blocks": sum(match.blocks for match in lineups),
                "example_game": _example(lineups, name),
            }
        )
    return make_table(rows).sort_values("win_rate", ascending=False, kind="stable")


def _setting_of(match: MatchMeasures) -> Row:
    """The columns that say what a row over many line-ups is about."""
    group = group_of(match)
    return {key: group[key] for key in ("players", "deck", "rules")}


def _example(matches: list[MatchMeasures], name: str) -> int:
    """A game that a strategy won, in one of these line-ups."""
    found = [match.example(match.strategies[name]) for match in matches]
    return min((number for number in found if number >= 0), default=-1)


def _payoffs(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Win rate of a seat of a strategy in the line-ups in which it meets a rival."""
    rows: list[Row] = []
    for name, rival in itertools.permutations(_names(matches), 2):
        pooled = _pool(matches, name, rival)
        if pooled is not None:
            rate, played = pooled
            met = [m for m in matches if name in m.strategies and rival in m.strategies]
            rows.append(
                {
                    **_setting_of(matches[0]),
                    "strategy": name,
                    "against": rival,
                    **spread("win_rate", rate),
                    "games": played,
                    "blocks": sum(match.blocks for match in met),
                    "example_game": _example(met, name),
                }
            )
    return make_table(rows)


def _ratings(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Plackett-Luce ratings, with Rome (where it wins alone) as a contestant."""
    names = [*_names(matches), ROME]
    column = {name: index for index, name in enumerate(names)}
    wins = np.zeros((SUPERBLOCKS, len(matches), len(names)))
    seats = np.zeros((len(matches), len(names)))
    for row, match in enumerate(matches):
        found = match.superblock_wins()
        for position, label in enumerate(match.labels):
            wins[:, row, column[label]] += found[:, position]
            seats[row, column[label]] += 1
        wins[:, row, column[ROME]] += found[:, -1]
        seats[row, column[ROME]] = 1
    used = wins.sum(axis=(1, 2)) > 0
    rated = bootstrap_ratings(wins[used], seats)
    rows = [
        {
            **_setting_of(matches[0]),
            "strategy": names[i],
            "rating": rated.rating[i],
            "rating_low": rated.low[i],
            "rating_high": rated.high[i],
            "chance_best": rated.best[i],
            "misfit": rated.misfit,
            "games": sum(match.games for match in matches),
            "blocks": sum(match.blocks for match in matches),
        }
        for i in rated.order
    ]
    return make_table(rows)


# --- comparisons ----------------------------------------------------------------------------


def _compare(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
    a, b = bundles[0]
    moments = bundle_moments(bundles[0])
    first, second = a.layout.share(0), a.layout.size + b.layout.share(0)
    difference = paired_difference(moments, first, second)
    paired, p = difference.paired, p_value(difference.paired)
    if question["sequential"]:
        # The run may have stopped because of the difference: only this holds nevertheless.
        paired = confidence_sequence(
            moments.n, paired.estimate, paired.se**2 * moments.n, bounds=DIFFERENCE
        )
        p = math.nan
    test = sequential_test(*difference_sums(moments, first, second), delta=question["delta"])
    row = {
        "players": a.players,
        "a": a.labels[0],
        "b": b.labels[0],
        "field": ", ".join(a.labels[1:]),
        "deck": a.facts.deck,
        "rules": group_of(a)["rules"],
        **spread("a_win_rate", a.win_rate([0])),
        **spread("b_win_rate", b.win_rate([0])),
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


def _compare_rules(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
    rows: list[Row] = []
    for bundle in bundles:
        base, variant = bundle
        moments = bundle_moments(bundle)
        layout = base.layout
        row = {**group_of(variant), **spread("rome_wins", variant.rome_rate())}
        change = np.zeros(moments.d)
        change[layout.rome], change[layout.size + layout.rome] = -1.0, 1.0
        row |= spread("rome_change", contrast(moments, change, bounds=DIFFERENCE))
        change = np.zeros(moments.d)
        change[layout.rounds], change[layout.size + layout.rounds] = -1.0, 1.0
        row |= spread("rounds_change", contrast(moments, change))
        for seat in (0, layout.players - 1):
            change = np.zeros(moments.d)
            change[layout.seat(seat)], change[layout.size + layout.seat(seat)] = -1.0, 1.0
            row |= spread(f"seat{seat + 1}_change", contrast(moments, change, bounds=DIFFERENCE))
        row |= {"games": base.games + variant.games, "blocks": base.blocks}
        rows.append({**row, "example_game": variant.rome_example()})
    return "rule_changes", {"rule_changes": make_table(rows)}


# --- solo -----------------------------------------------------------------------------------


def _solo(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
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
        ends = (0.0, math.prod(rate.high for rate in rates))
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


_ANSWERS: dict[str, Callable[[dict[str, Any], Bundles], tuple[str, Tables]]] = {
    "simulate": _simulate,
    "tournament": _tournament,
    "compare": _compare,
    "compare_rules": _compare_rules,
    "solo": _solo,
}


# --- stored runs ----------------------------------------------------------------------------


def show(path: str | Path) -> Result:
    """Present a stored run without playing; what is left out is said in ``timing``."""
    path = checked_path("run", path)
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
