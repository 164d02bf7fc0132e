"""From tallies to the tables that answer each kind of question."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from paxsim.experiment.execute import StopRule
from paxsim.experiment.measures import MatchMeasures, pooled_rate
from paxsim.experiment.plan import Plan
from paxsim.experiment.results import Result, common_tables, measures_of
from paxsim.experiment.tables import Row, group_of, spread
from paxsim.experiment.tally import WIN, Layout, Tally
from paxsim.stats import (
    DIFFERENCE,
    Interval,
    Moments,
    bootstrap_ratings,
    contrast,
    difference_sums,
    p_value,
    paired_difference,
    sequential_test,
)

Bundles = list[list[MatchMeasures]]
Tables = dict[str, pd.DataFrame]

ROME = "Rome"


def present(manifest: dict[str, Any], tallies: list[Tally]) -> Result:
    """Build the result of a run from its manifest and tallies."""
    bundles = measures_of(manifest, tallies)
    question = manifest["question"]
    main, more = _PRESENTERS[question["kind"]](question, bundles, tallies)
    return Result(manifest, bundles, {**more, **common_tables(bundles)}, main)


def _simulate(
    question: dict[str, Any], bundles: Bundles, tallies: list[Tally]
) -> tuple[str, Tables]:
    return "strategies", {}


# --- tournament -----------------------------------------------------------------------------


def _tournament(
    question: dict[str, Any], bundles: Bundles, tallies: list[Tally]
) -> tuple[str, Tables]:
    matches = [match for bundle in bundles for match in bundle]
    standings, payoffs, ratings = [], [], []
    for players, group in itertools.groupby(matches, key=lambda match: match.players):
        found = list(group)
        standings.append(_standings(players, found))
        payoffs.append(_payoffs(players, found))
        ratings.append(_ratings(players, found))
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
    wins, games, played = 0.0, 0.0, 0
    for match in matches:
        places = match.strategies.get(name)
        if not places or (rival is not None and rival not in match.strategies):
            continue
        found = match.superblock_wins()
        wins = wins + found[:, places].sum(axis=1)
        games = games + len(places) * match.superblock_games()
        played += match.games
    return (pooled_rate(np.asarray(wins), np.asarray(games)), played) if played else None


def _standings(players: int, matches: list[MatchMeasures]) -> pd.DataFrame:
    """Win rate of every strategy over all its line-ups, best first."""
    rows: list[Row] = []
    for name in _names(matches):
        pooled = _pool(matches, name)
        assert pooled is not None
        rate, played = pooled
        lineups = [match for match in matches if name in match.strategies]
        rows.append(
            {
                "players": players,
                "strategy": name,
                **spread("win_rate", rate),
                "fair_share": float(np.mean([match.fair_share() for match in lineups])),
                "rome_wins": float(np.mean([match.rome_rate().estimate for match in lineups])),
                "lineups": len(lineups),
                "games": played,
                "blocks": sum(match.blocks for match in lineups),
            }
        )
    return pd.DataFrame(rows).sort_values("win_rate", ascending=False)


def _payoffs(players: int, matches: list[MatchMeasures]) -> pd.DataFrame:
    """Win rate of a seat of a strategy in the line-ups in which it meets a rival."""
    rows: list[Row] = []
    for name, rival in itertools.permutations(_names(matches), 2):
        pooled = _pool(matches, name, rival)
        if pooled is not None:
            rate, played = pooled
            rows.append(
                {
                    "players": players,
                    "strategy": name,
                    "against": rival,
                    **spread("win_rate", rate),
                    "games": played,
                }
            )
    return pd.DataFrame(rows)


def _ratings(players: int, matches: list[MatchMeasures]) -> pd.DataFrame:
    """Plackett-Luce ratings, with Rome (where it wins alone) as a contestant."""
    names = [*_names(matches), ROME]
    column = {name: index for index, name in enumerate(names)}
    groups = len(matches[0].superblock_wins())
    wins = np.zeros((groups, len(matches), len(names)))
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
            "players": players,
            "strategy": names[i],
            "rating": rated.rating[i],
            "rating_low": rated.low[i],
            "rating_high": rated.high[i],
            "chance_best": rated.best[i],
            "misfit": rated.misfit,
        }
        for i in rated.order
    ]
    return pd.DataFrame(rows)


# --- comparisons ----------------------------------------------------------------------------


def _bundle_moments(bundle: list[MatchMeasures], tally: Tally) -> Moments:
    """Sums over the blocks of a whole bundle; its matches have blocks of one size."""
    return Moments(
        n=bundle[0].blocks,
        total=tally["sums"].copy(),
        cross=tally["products"].copy(),
        scale=WIN * bundle[0].info["block_size"],
    )


def _compare(
    question: dict[str, Any], bundles: Bundles, tallies: list[Tally]
) -> tuple[str, Tables]:
    (a, b), tally = bundles[0], tallies[0]
    moments = _bundle_moments(bundles[0], tally)
    first, second = a.layout.share(0), a.layout.size + b.layout.share(0)
    difference = paired_difference(moments, first, second)
    test = sequential_test(*difference_sums(moments, first, second), delta=question["delta"])
    row = {
        "players": a.players,
        "a": a.labels[0],
        "b": b.labels[0],
        "field": ", ".join(a.labels[1:]),
        "deck": a.info["deck"],
        "rules": group_of(a)["rules"],
        **spread("a_win_rate", a.win_rate([0])),
        **spread("b_win_rate", b.win_rate([0])),
        **spread("difference", difference.paired),
        **spread("unpaired", difference.unpaired),
        "variance_factor": difference.variance_factor,
        "p": p_value(difference.paired),
        "delta": question["delta"],
        "decision": test.decision,
        "e_value": test.e_value,
        "games": a.games + b.games,
        "blocks": a.blocks,
    }
    return "comparison", {"comparison": pd.DataFrame([row])}


def sequential_rule(plan: Plan, delta: float) -> StopRule:
    """Stop a comparison when the sequential test has decided."""
    infos = [match.describe() for match in plan.bundles[0]]
    second = Layout(infos[0]["players"]).size

    def stop(tallies: list[Tally | None]) -> bool:
        tally = tallies[0]
        assert tally is not None
        bundle = [MatchMeasures(info, tally, infos, i) for i, info in enumerate(infos)]
        sums = difference_sums(_bundle_moments(bundle, tally), 0, second)
        return sequential_test(*sums, delta=delta).decision != "undecided"

    return stop


def _compare_rules(
    question: dict[str, Any], bundles: Bundles, tallies: list[Tally]
) -> tuple[str, Tables]:
    rows: list[Row] = []
    for bundle, tally in zip(bundles, tallies, strict=True):
        base, variant = bundle
        moments = _bundle_moments(bundle, tally)
        layout = base.layout
        row = {**group_of(variant), **spread("rome_wins", variant.rome_rate())}
        change = np.zeros(moments.d)
        change[layout.rome], change[layout.size + layout.rome] = -WIN, WIN
        row |= spread("rome_change", contrast(moments, change, bounds=DIFFERENCE))
        change = np.zeros(moments.d)
        change[layout.rounds], change[layout.size + layout.rounds] = -WIN, WIN
        row |= spread("rounds_change", contrast(moments, change))
        for seat in (0, layout.players - 1):
            change = np.zeros(moments.d)
            change[layout.seat(seat)], change[layout.size + layout.seat(seat)] = -1.0, 1.0
            row |= spread(f"seat{seat + 1}_change", contrast(moments, change, bounds=DIFFERENCE))
        rows.append({**row, "games": base.games + variant.games, "blocks": base.blocks})
    return "rule_changes", {"rule_changes": pd.DataFrame(rows)}


# --- solo -----------------------------------------------------------------------------------


def _solo(question: dict[str, Any], bundles: Bundles, tallies: list[Tally]) -> tuple[str, Tables]:
    levels: list[Row] = []
    campaigns: list[Row] = []
    matches = [match for bundle in bundles for match in bundle]
    for name, group in itertools.groupby(matches, key=lambda match: match.labels[0]):
        found = list(group)
        for match in found:
            levels.append(
                {
                    "strategy": name,
                    "level": match.info["solo_level"],
                    **spread("success", match.win_rate([0])),
                    **spread("rounds", match.rounds()),
                    "deck": match.info["deck"],
                    "rules": group_of(match)["rules"],
                    "games": match.games,
                    "blocks": match.blocks,
                    "example_game": match.example([0]),
                }
            )
        if len({match.info["solo_level"] for match in found}) > 1:
            campaigns.append({"strategy": name, **spread("success", campaign_chance(found))})
    tables = {"levels": pd.DataFrame(levels)}
    if campaigns:
        tables["campaigns"] = pd.DataFrame(campaigns)
    return "levels", tables


def campaign_chance(matches: list[MatchMeasures]) -> Interval:
    """Chance to win all levels one after another: the product of the levels' success rates.

    Every game of a campaign is dealt anew. The interval is that of the sum of the logarithms, the
    levels' errors taken as fully dependent because they are measured on common deals.
    """
    rates = [match.win_rate([0]) for match in matches]
    product = math.prod(rate.estimate for rate in rates)
    if product == 0:
        return Interval(0.0, 0.0, math.prod(rate.high for rate in rates), 0.0,
                        rates[0].blocks, rates[0].level, "t", math.nan, math.nan)  # fmt: skip
    relative = sum(rate.se / rate.estimate for rate in rates)
    critical = 1.96
    low, high = product * math.exp(-critical * relative), product * math.exp(critical * relative)
    return Interval(product, low, min(high, 1.0), product * relative, rates[0].blocks,
                    rates[0].level, "t", math.nan, math.nan)  # fmt: skip


_PRESENTERS: dict[str, Callable[[dict[str, Any], Bundles, list[Tally]], tuple[str, Tables]]] = {
    "simulate": _simulate,
    "tournament": _tournament,
    "compare": _compare,
    "compare_rules": _compare_rules,
    "solo": _solo,
}
