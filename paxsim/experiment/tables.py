"""Tidy tables of an experiment: one row per group, with intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from paxsim.cards import CATEGORIES
from paxsim.experiment.estimates import (
    MatchMeasures,
    bundle_moments,
    change_between,
    joint_rates,
    pool_of,
)
from paxsim.experiment.tally import POINT_PARTS, SUPERBLOCKS
from paxsim.measures import MEASURES
from paxsim.stats import (
    DIFFERENCE,
    RATE,
    Interval,
    bootstrap_ratings,
    confidence_sequence,
    contrast,
    difference_sums,
    holm,
    mean_difference,
    p_value,
    paired_difference,
    seats_against_fair_share,
    sequential_test,
)
from paxsim.stats.intervals import Bounds

if TYPE_CHECKING:
    from paxsim.gametheory.metagame import Estimate

Row = dict[str, Any]
Bundle: TypeAlias = Sequence[MatchMeasures]
#: Decimals of numbers in files.
DECIMALS = 9


def group_of(match: MatchMeasures) -> Row:
    """Return the columns that say which group a row is about."""
    facts = match.facts
    return {
        "players": facts.players,
        "solo_level": facts.solo_level,
        "lineup": ", ".join(facts.policies),
        "deck": facts.deck,
        "rules": facts.rules_text,
    }


def spread(name: str, interval: Interval | Estimate) -> Row:
    """Return an estimate and its interval as three columns."""
    return {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}


def size_of(match: MatchMeasures, example: int) -> Row:
    """Return how much was played, and the number of an example (`paxsim trace --run`)."""
    return {"games": match.games, "blocks": match.blocks, "example_game": example}


def make_table(rows: Iterable[Row]) -> pd.DataFrame:
    """Make a table from rows; a missing example is NA."""
    table = pd.DataFrame(list(rows))
    for name in {"example_game", "solo_level"} & set(table.columns):
        numbers = table[name].astype("Int64")
        table[name] = numbers.mask(numbers < 0)
    return table


def strategies(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return the win rate of every strategy against the fair share, and how it wins.

    The intervals of a line-up's strategies are joint.
    """
    rows = []
    for match in matches:
        names, rates, excess = match.strategies, match.win_rates(), match.over_fair_shares()
        means = match.points
        single = match.over_fair_shares(joint=False).values()
        p_values = holm([p_value(each) for each in single]) if match.players > 1 else [1.0]
        for (name, places), p in zip(names.items(), p_values, strict=True):
            rate, friend = rates[name], match.mean("with_rome", places, RATE)
            rows.append(
                {
                    **group_of(match),
                    "strategy": name,
                    "seats": len(places),
                    **spread("win_rate", rate),
                    "fair_share": match.fair_share(),
                    **spread("over_fair", excess[name]),
                    "p_holm": float(p),
                    "won_with_rome": friend.estimate,
                    "won_on_points": rate.estimate - friend.estimate,
                    **spread("points", means[name]),
                    **size_of(match, match.example(places)),
                }
            )
    return make_table(rows)


def seats(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return the win rate of every seat against the fair share, with joint intervals."""
    rows = []
    for match in matches:
        if match.players == 1:
            continue
        entries = [match.layout.place("seat", seat) for seat in range(match.players)]
        for seat, test in enumerate(seats_against_fair_share(match.moments, entries), start=1):
            rows.append(
                {
                    **group_of(match),
                    "seat": seat,
                    **spread("win_rate", test.share),
                    "fair_share": test.fair.estimate,
                    **spread("over_fair", test.difference),
                    "p_holm": test.p_holm,
                    **size_of(match, match.example(seat=seat - 1)),
                }
            )
    return make_table(rows)


def seat_strategies(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return the win rate of every strategy at every seat."""
    return make_table(
        {
            **group_of(match),
            "strategy": name,
            "seat": seat + 1,
            **spread("win_rate", match.cell_rate(seat, name)),
            **size_of(match, match.example(places, seat)),
        }
        for match in matches
        for name, places in match.strategies.items()
        for seat in range(match.players)
    )


def rome(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return how often Rome wins, with whom, and which categories it holds."""
    rows = []
    for match in matches:
        held = match.detail("rome_held") / match.games
        rows.append(
            {
                **group_of(match),
                **spread("rome_wins", match.rome_rate()),
                **spread("rome_alone", match.measure("rome_alone")),
                "nobody_primus": match.detail("primus")[-1] / match.games,
                **{f"holds_{c}": held[i] for i, c in enumerate(CATEGORIES)},
                **size_of(match, match.rome_example()),
            }
        )
    return make_table(rows)


def points(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return the parts of a strategy's points per game, also of games that Rome won."""
    rows = []
    for match in matches:
        parts, means = match.detail("parts") / match.games, match.points
        for name, places in match.strategies.items():
            row = {**group_of(match), "strategy": name}
            row |= zip(POINT_PARTS, parts[places].mean(axis=0).tolist(), strict=True)
            row |= spread("points", means[name])
            rows.append(row | size_of(match, match.example(places)))
    return make_table(rows)


def games(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return the mean of each measure of games; how many games where others are defined."""
    counts = {measure.where for measure in MEASURES.values()}
    rows = []
    for match in matches:
        first = min(match.rome_example(), match.example(), key=lambda number: number % (1 << 63))
        row = group_of(match)
        for name in MEASURES:
            if name in counts:
                row[name] = int(match.histogram(name)[1])
            elif name not in ("rome", "rome_alone"):
                row |= spread(name, match.measure(name))
        rows.append(row | size_of(match, first))
    return make_table(rows)


def by_players(
    make: Callable[[list[MatchMeasures]], pd.DataFrame], matches: list[MatchMeasures]
) -> pd.DataFrame:
    """Return the tables of the matches with each player count, one below the other."""
    groups = itertools.groupby(matches, key=lambda match: match.players)
    return pd.concat([make(list(group)) for _, group in groups], ignore_index=True)


def _names(matches: list[MatchMeasures]) -> list[str]:
    return list(dict.fromkeys(label for match in matches for label in match.labels))


def standings(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Return the win rate of every strategy over all its line-ups, best first.

    The intervals are joint; ``p`` tests the fair share, for each strategy alone.
    """
    names = _names(matches)
    lineups = {name: [match for match in matches if name in match.strategies] for name in names}
    pools = [pool_of(lineups[name], name) for name in names]
    rows: list[Row] = []
    for name, pool, rate in zip(names, pools, joint_rates(pools), strict=True):
        fair = _mean([match.fair_share() for match in lineups[name]])
        rows.append(
            {
                **setting_of(matches[0]),
                "strategy": name,
                **spread("win_rate", rate),
                "fair_share": fair,
                "p": p_value(pool.interval(), fair),
                "rome_wins": _mean([match.rome_rate().estimate for match in lineups[name]]),
                "lineups": len(lineups[name]),
                "games": sum(match.games for match in lineups[name]),
                "blocks": pool.blocks,
                "example_game": _example(lineups[name], name),
            }
        )
    table = make_table(rows)
    order = sorted(range(len(rows)), key=lambda i: (-rows[i]["win_rate"], rows[i]["strategy"]))
    return table.iloc[order]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def setting_of(match: MatchMeasures) -> Row:
    """Return the columns that say what a row over many line-ups is about."""
    group = group_of(match)
    return {key: group[key] for key in ("players", "deck", "rules")}


def _example(matches: list[MatchMeasures], name: str) -> int:
    """Return the number of a game that a strategy won, in one of these line-ups."""
    games = [match.example(match.strategies[name]) for match in matches]
    return min((number for number in games if number >= 0), default=-1)


def payoffs(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Return the win rate of a seat of a strategy in the line-ups that have a rival.

    Intervals are for each pair alone, as is ``p``, which tests equal win rates.
    """
    rows: list[Row] = []
    for name, rival in itertools.permutations(_names(matches), 2):
        met = [m for m in matches if name in m.strategies and rival in m.strategies]
        if met:
            mine, theirs = pool_of(met, name), pool_of(met, rival)
            rows.append(
                {
                    **setting_of(matches[0]),
                    "strategy": name,
                    "against": rival,
                    **spread("win_rate", mine.interval()),
                    "p": p_value(mine.lead(theirs)),
                    "games": sum(match.games for match in met),
                    "blocks": mine.blocks,
                    "example_game": _example(met, name),
                }
            )
    return make_table(rows)


def ratings(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Return Plackett-Luce ratings of the strategies, from the games that a player won.

    Games that Rome wins alone don't count. ``readable`` says whether one number for each strategy
    describes who wins (see `Ratings`).
    """
    names = _names(matches)
    column = {name: index for index, name in enumerate(names)}
    wins = np.zeros((SUPERBLOCKS, len(matches), len(names)))
    seats = np.zeros((len(matches), len(names)))
    for row, match in enumerate(matches):
        won = match.superblock_wins()
        for position, label in enumerate(match.labels):
            wins[:, row, column[label]] += won[:, position]
            seats[row, column[label]] += 1
    used = wins.sum(axis=(1, 2)) > 0
    rated = bootstrap_ratings(wins[used], seats)
    return make_table(
        {
            **setting_of(matches[0]),
            "strategy": names[i],
            "rating": rated.rating[i],
            "rating_low": rated.low[i],
            "rating_high": rated.high[i],
            "chance_best": rated.best[i],
            "misfit": rated.misfit,
            "sure_misfit": rated.sure_misfit,
            "readable": rated.readable,
            "games": sum(match.games for match in matches),
            "blocks": sum(match.blocks for match in matches),
        }
        for i in rated.order
    )


def comparison(a: MatchMeasures, b: MatchMeasures, question: Mapping[str, Any]) -> pd.DataFrame:
    """Return the difference between the win rates of two candidates, paired by deal."""
    moments = bundle_moments([a, b])
    first, second = a.layout.place("share", 0), a.layout.size + b.layout.place("share", 0)
    differing = int(b.detail("differing")[b.layout.place("share", 0)])
    difference = paired_difference(moments, first, second, differing=differing)
    paired, p = difference.paired, p_value(difference.paired)
    rates = [match.win_rate([0]) for match in (a, b)]
    answer: dict[str, Any] = {"p": p}
    if "sequential" in question:
        # The run may have stopped because of the difference, so fixed-size intervals don't hold.
        rates = [_at_any_time(rate, moments.n) for rate in rates]
        paired = _at_any_time(paired, moments.n)
        delta = question["delta"]
        test = sequential_test(*difference_sums(moments, first, second), delta=delta)
        answer = {"delta": delta, "decision": test.decision, "e_value": test.e_value}
    row = {
        "players": a.players,
        "a": a.labels[0],
        "b": b.labels[0],
        "opponents": ", ".join(a.labels[1:]),
        "deck": a.facts.deck,
        "rules": a.facts.rules_text,
        **spread("a_win_rate", rates[0]),
        **spread("b_win_rate", rates[1]),
        **spread("difference", paired),
        **spread("unpaired", difference.unpaired),
        "variance_factor": difference.variance_factor,
        **answer,
        "games": a.games + b.games,
        "blocks": a.blocks,
        "example_game": a.example([0]),
        "example_game_b": b.example([0]),
    }
    return make_table([row])


def _at_any_time(rate: Interval, blocks: int) -> Interval:
    """Return the same estimate with an interval that holds at every look."""
    return confidence_sequence(blocks, rate.estimate, rate.se**2 * blocks, bounds=rate.bounds)


def levels(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Return the success rate of every strategy at every solo level."""
    return make_table(
        {
            "strategy": match.labels[0],
            "level": match.facts.solo_level,
            **spread("success", match.win_rate([0])),
            **spread("rounds", match.measure("rounds")),
            "deck": match.facts.deck,
            "rules": match.facts.rules_text,
            **size_of(match, match.example([0])),
        }
        for match in matches
    )


def campaigns(bundles: Iterable[Bundle]) -> pd.DataFrame:
    """Return every strategy's chance to win all solo levels one after another."""
    return make_table(
        {
            "strategy": bundle[0].labels[0],
            "levels": ",".join(str(match.facts.solo_level) for match in bundle),
            **spread("success", campaign_chance(bundle)),
            "deck": bundle[0].facts.deck,
            "rules": bundle[0].facts.rules_text,
            "games": sum(match.games for match in bundle),
            "blocks": bundle[0].blocks,
            "example_game": bundle[-1].example([0]),
        }
        for bundle in bundles
    )


def campaign_chance(bundle: Bundle) -> Interval:
    """Return the chance to win all levels: the product of the levels' success rates.

    Every game of a campaign has its own deal, but the rates were measured on common deals, so their
    errors are correlated. The interval adds up the distances from the rates' logarithms to the ends
    of their intervals like correlated errors (Zou & Donner 2008).
    """
    rates = [match.win_rate([0]) for match in bundle]
    product = math.prod(rate.estimate for rate in rates)
    if product == 0:
        # A bound that files would round to 0 is none.
        high = max(math.prod(rate.high for rate in rates), 10.0**-DECIMALS)
        return replace(rates[0], estimate=0.0, low=0.0, high=high, method="none")
    moments = bundle_moments(bundle)
    rows = np.zeros((len(bundle), moments.d))
    for row, match in zip(rows, bundle, strict=True):
        row[match.span] = match.weights("share")
    covariance = rows @ moments.covariance @ rows.T
    errors = np.array([rate.se for rate in rates]) * math.sqrt(moments.n)
    errors[errors == 0] = math.inf  # a rate that never varied is not correlated
    correlation = covariance / np.outer(errors, errors)
    np.fill_diagonal(correlation, 1.0)

    def distance(ends: list[float]) -> float:
        logs = np.log([end / rate.estimate for end, rate in zip(ends, rates, strict=True)])
        return math.sqrt(logs @ correlation @ logs)

    low = product * math.exp(-distance([rate.low for rate in rates]))
    high = min(1.0, product * math.exp(distance([rate.high for rate in rates])))
    return replace(rates[0], estimate=product, low=low, high=high, method="none")


def rule_changes(bundles: Iterable[Bundle]) -> pd.DataFrame:
    """Return what every rule set changes, each the second match of its bundle."""
    rows: list[Row] = []
    for base, variant in bundles:
        most = max(match.range_of("rounds")[1] for match in (base, variant))
        changes = {
            "rome_change": change_between(base, variant, "rome"),
            "rounds_change": change_between(base, variant, "rounds", bounds=(-most, most)),
            **{
                f"seat{seat + 1}_change": change_between(base, variant, "seat", [seat])
                for seat in (0, base.players - 1)
            },
        }
        row = {**group_of(variant), **spread("rome_wins", variant.rome_rate())}
        for name, change in changes.items():
            row |= {**spread(name, change), f"{name}_p": p_value(change)}
        row |= {"rome_differs": int(variant.detail("differing")[variant.layout.place("rome")])}
        row |= {"games": base.games + variant.games, "blocks": base.blocks}
        rows.append({**row, "example_game": variant.rome_example()})
    return make_table(rows)


def restrictions(question: Mapping[str, Any], bundles: Sequence[Bundle]) -> pd.DataFrame:
    """Return what every restriction changes, for the strategies that it restricts.

    The question says for each bundle what was forbidden (``without``), and to which position of the
    line-up, None for all (``positions``). A bundle has the match without it, and with it.
    """
    rows: list[Row] = []
    changes: list[Interval] = []
    cases = zip(question["without"], question["positions"], bundles, strict=True)
    for without, position, (base, variant) in cases:
        restricted = base.strategies if position is None else {base.labels[position]: [position]}
        for strategy, places in restricted.items():
            changes.append(change_between(base, variant, "share", places))
            rows.append(
                {
                    **group_of(base),
                    "without": without,
                    "seats": "all" if position is None else "1",
                    "strategy": strategy,
                    "position": None if position is None else position + 1,
                    **spread("base_win_rate", base.win_rate(places)),
                    **spread("win_rate", variant.win_rate(places)),
                    **spread("win_change", changes[-1]),
                    **spread("base_rome_wins", base.rome_rate()),
                    **spread("rome_wins", variant.rome_rate()),
                    **spread("rome_change", change_between(base, variant, "rome")),
                    "games": base.games + variant.games,
                    "blocks": base.blocks,
                    "example_game": variant.example(places),
                }
            )
    for row, p in zip(rows, holm([p_value(change) for change in changes]), strict=True):
        row["p_holm"] = float(p)
    table = make_table(rows)
    table["position"] = table["position"].astype("Int64")
    return table


def rule_values(fields: Mapping[str, Sequence[Any]], bundles: Sequence[Bundle]) -> pd.DataFrame:
    """Return a row for each value of each rule, in the order of the values.

    By rule field there are its values, the one in force first, and a bundle of their matches.
    """
    rows: list[Row] = []
    for (name, values), bundle in zip(fields.items(), bundles, strict=True):
        values_rows = []
        for value, match in zip(values, bundle, strict=True):
            over_fair = contrast(match.moments, _over_fair(match), bounds=DIFFERENCE)
            values_rows.append(
                {
                    **group_of(match),
                    "rule": name,
                    "value": value,
                    "in_force": match is bundle[0],
                    **spread("rome_wins", match.rome_rate()),
                    **spread("seat1_over_fair", over_fair),
                    **spread("rounds", match.measure("rounds")),
                    **_changes(bundle, match),
                    **size_of(match, match.rome_example()),
                }
            )
        rows += sorted(values_rows, key=_order)
    return make_table(rows)


def _order(row: Row) -> tuple[bool, Any]:
    """Return a sort key: numbers by size, words and switches in their order."""
    number = isinstance(row["value"], int) and not isinstance(row["value"], bool)
    return (not number, row["value"] if number else 0)


def _over_fair(match: MatchMeasures) -> np.ndarray:
    """Return the weights of the first seat's share minus the fair share."""
    return match.weights("seat", [0]) - match.weights("seat", range(match.players))


def _changes(bundle: Bundle, match: MatchMeasures) -> Row:
    """Return the differences from the rule set in force, within blocks."""
    base = bundle[0]
    most = max(one.range_of("rounds")[1] for one in (base, match))
    contrasts: dict[str, tuple[np.ndarray, Bounds]] = {
        "rome_change": (match.weights("rome"), DIFFERENCE),
        "seat1_change": (_over_fair(match), DIFFERENCE),
        "rounds_change": (match.weights("rounds"), (-most, most)),
    }
    if match is base:
        return {f"{name}{end}": np.nan for name in contrasts for end in ("", "_low", "_high")}
    moments = bundle_moments(bundle)
    row: Row = {}
    for name, (of_match, bounds) in contrasts.items():
        weights = np.zeros(moments.d)
        weights[match.span] = of_match
        weights[base.span] = -of_match
        row |= spread(name, mean_difference(moments, weights, bounds=bounds))
    return row
