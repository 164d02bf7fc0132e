"""Tidy tables of an experiment: one row a group, with intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

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
from paxsim.experiment.result import Making
from paxsim.experiment.tally import POINT_PARTS, SUPERBLOCKS
from paxsim.stats import (
    DIFFERENCE,
    Interval,
    bootstrap_ratings,
    cautious_difference,
    contrast,
    holm,
    p_value,
    seats_against_fair_share,
)
from paxsim.stats.intervals import Bounds

Row = dict[str, Any]


def group_of(match: MatchMeasures) -> Row:
    """The columns that say which group a row is about."""
    facts = match.facts
    return {
        "players": facts.players,
        "solo_level": facts.solo_level,
        "lineup": ", ".join(facts.policies),
        "deck": facts.deck,
        "rules": facts.rules_text,
    }


def spread(name: str, interval: Interval) -> Row:
    """An estimate and its interval as three columns."""
    return {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}


def size_of(match: MatchMeasures, example: int) -> Row:
    """How much was played, and the number of a game to look at (`paxsim trace --run`)."""
    return {"games": match.games, "blocks": match.blocks, "example_game": example}


def make_table(rows: list[Row]) -> pd.DataFrame:
    """A table of rows; where there is no example of what a row is about, there is no number."""
    table = pd.DataFrame(rows)
    for name in {"example_game", "solo_level"} & set(table.columns):
        numbers = table[name].astype("Int64")
        table[name] = numbers.mask(numbers < 0)
    return table


def strategies(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Win rate of every strategy against the fair share, and how it wins.

    The intervals of a line-up's strategies hold together.
    """
    rows = []
    for match in matches:
        found, rates, excess = match.strategies, match.win_rates(), match.over_fair_shares()
        p_values = holm([p_value(excess[name]) for name in found]) if match.players > 1 else [1.0]
        for (name, places), p in zip(found.items(), p_values, strict=True):
            rate, friend = rates[name], match.with_rome(places)
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
                    **spread("points", match.points(places)),
                    **size_of(match, match.example(places)),
                }
            )
    return make_table(rows)


def seats(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Win rate of every seat against the fair share; intervals hold for all seats together."""
    rows = []
    for match in matches:
        if match.players == 1:
            continue
        entries = [match.layout.seat(seat) for seat in range(match.players)]
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
    """Win rate of every strategy at every seat."""
    rows = []
    for match in matches:
        for name, places in match.strategies.items():
            for seat in range(match.players):
                rate = match.cell_rate(seat, name)
                rows.append(
                    {
                        **group_of(match),
                        "strategy": name,
                        "seat": seat + 1,
                        **spread("win_rate", rate),
                        **size_of(match, match.example(places, seat)),
                    }
                )
    return make_table(rows)


def rome(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """How often Rome wins, with whom, and which categories it holds."""
    rows = []
    for match in matches:
        held = match.detail("rome_held") / match.games
        nobody = match.detail("primus")[-1] / match.games
        rows.append(
            {
                **group_of(match),
                **spread("rome_wins", match.rome_rate()),
                **spread("rome_alone", match.rome_alone()),
                "nobody_primus": nobody,
                **{f"holds_{c}": held[i] for i, c in enumerate(CATEGORIES)},
                **size_of(match, match.rome_example()),
            }
        )
    return make_table(rows)


def points(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """Where a strategy's points come from, a game (also where Rome won)."""
    rows = []
    for match in matches:
        parts = match.detail("parts") / match.games
        for name, places in match.strategies.items():
            means = parts[places].mean(axis=0)
            rows.append(
                {
                    **group_of(match),
                    "strategy": name,
                    **dict(zip(POINT_PARTS, means.tolist(), strict=True)),
                    **spread("points", match.points(places)),
                    **size_of(match, match.example(places)),
                }
            )
    return make_table(rows)


def games(matches: Iterable[MatchMeasures]) -> pd.DataFrame:
    """How long games are and how close."""
    rows = []
    for match in matches:
        first = min(match.rome_example(), match.example(), key=lambda number: number % (1 << 63))
        rows.append(
            {
                **group_of(match),
                **spread("rounds", match.rounds()),
                **spread("margin", match.margin()),
                "players_won": int(match.detail("winner_points").sum()),
                "decisions": match.detail("decisions")[0] / match.games,
                **size_of(match, first),
            }
        )
    return make_table(rows)


def match_tables(matches: list[MatchMeasures]) -> dict[str, Making]:
    """All tables that every kind of experiment has."""
    made = (strategies, seats, seat_strategies, rome, points, games)
    return {make.__name__: partial(make, matches) for make in made}


def field_tables(matches: list[MatchMeasures]) -> dict[str, Making]:
    """The tables of a field of many line-ups, in which no strategy has a place of its own."""
    return {make.__name__: partial(make, matches) for make in (seats, rome, games)}


def by_players(
    make: Callable[[list[MatchMeasures]], pd.DataFrame], matches: list[MatchMeasures]
) -> pd.DataFrame:
    """A table of the matches with each player count, one below the other."""
    groups = itertools.groupby(matches, key=lambda match: match.players)
    return pd.concat([make(list(group)) for _, group in groups], ignore_index=True)


def _names(matches: list[MatchMeasures]) -> list[str]:
    return list(dict.fromkeys(label for match in matches for label in match.labels))


def standings(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Win rate of every strategy over all its line-ups, best first.

    The intervals hold together; ``p`` is of "it has its fair share", for each alone.
    """
    names = _names(matches)
    lineups = {name: [match for match in matches if name in match.strategies] for name in names}
    pools = [pool_of(lineups[name], name) for name in names]
    rows: list[Row] = []
    for name, pool, rate in zip(names, pools, joint_rates(pools), strict=True):
        fair = _mean([match.fair_share() for match in lineups[name]])
        rows.append(
            {
                **_setting_of(matches[0]),
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


def _setting_of(match: MatchMeasures) -> Row:
    """The columns that say what a row over many line-ups is about."""
    group = group_of(match)
    return {key: group[key] for key in ("players", "deck", "rules")}


def _example(matches: list[MatchMeasures], name: str) -> int:
    """A game that a strategy won, in one of these line-ups."""
    found = [match.example(match.strategies[name]) for match in matches]
    return min((number for number in found if number >= 0), default=-1)


def payoffs(matches: list[MatchMeasures]) -> pd.DataFrame:
    """Win rate of a seat of a strategy in the line-ups in which it meets a rival.

    Each interval is for itself; ``p`` is of "both win equally often", for each pair alone.
    """
    rows: list[Row] = []
    for name, rival in itertools.permutations(_names(matches), 2):
        met = [m for m in matches if name in m.strategies and rival in m.strategies]
        if met:
            mine, theirs = pool_of(met, name), pool_of(met, rival)
            rows.append(
                {
                    **_setting_of(matches[0]),
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
    """Plackett-Luce ratings of the strategies, from the games that a player won.

    Rome is no contestant: what it wins alone is nobody's, and with many players it never does.
    ``readable`` says whether one number for each strategy describes who wins (see `Ratings`).
    """
    names = _names(matches)
    column = {name: index for index, name in enumerate(names)}
    wins = np.zeros((SUPERBLOCKS, len(matches), len(names)))
    seats = np.zeros((len(matches), len(names)))
    for row, match in enumerate(matches):
        found = match.superblock_wins()
        for position, label in enumerate(match.labels):
            wins[:, row, column[label]] += found[:, position]
            seats[row, column[label]] += 1
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
            "sure_misfit": rated.sure_misfit,
            "readable": rated.readable,
            "games": sum(match.games for match in matches),
            "blocks": sum(match.blocks for match in matches),
        }
        for i in rated.order
    ]
    return make_table(rows)


ChangeTables = dict[str, pd.DataFrame]
FactBundles = list[list[MatchMeasures]]


def changes_by_rules(question: dict[str, Any], bundles: FactBundles) -> tuple[str, ChangeTables]:
    """Every rule set against the published one."""
    rows: list[Row] = []
    for bundle in bundles:
        base, variant = bundle
        layout = base.layout
        most = max(match.seen("rounds")[1] for match in bundle)
        changes = {
            "rome_change": change_between(base, variant, [layout.rome]),
            "rounds_change": change_between(base, variant, [layout.rounds], (-most, most)),
            **{
                f"seat{seat + 1}_change": change_between(base, variant, [layout.seat(seat)])
                for seat in (0, layout.players - 1)
            },
        }
        row = {**group_of(variant), **spread("rome_wins", variant.rome_rate())}
        for name, change in changes.items():
            row |= {**spread(name, change), f"{name}_p": p_value(change)}
        row |= {"rome_differs": int(variant.detail("differing")[layout.rome])}
        row |= {"games": base.games + variant.games, "blocks": base.blocks}
        rows.append({**row, "example_game": variant.rome_example()})
    return "rule_changes", {"rule_changes": make_table(rows)}


def changes_by_restrictions(
    question: dict[str, Any], bundles: FactBundles
) -> tuple[str, ChangeTables]:
    """Every restriction against play as the rules allow it, for whom it holds.

    `question` has, for each bundle, what was forbidden and the position of the only seat that was
    restricted, or None if all were.
    """
    rows: list[Row] = []
    changes: list[Interval] = []
    asked = zip(question["without"], question["positions"], bundles, strict=True)
    for without, position, bundle in asked:
        base, variant = bundle
        layout = base.layout
        whose = base.strategies if position is None else {base.labels[position]: [position]}
        for strategy, places in whose.items():
            changes.append(change_between(base, variant, [layout.share(place) for place in places]))
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
                    **spread("rome_change", change_between(base, variant, [layout.rome])),
                    "games": base.games + variant.games,
                    "blocks": base.blocks,
                    "example_game": variant.example(places),
                }
            )
    for row, p in zip(rows, holm([p_value(change) for change in changes]), strict=True):
        row["p_holm"] = float(p)
    table = make_table(rows)
    table["position"] = table["position"].astype("Int64")
    return "restrictions", {"restrictions": table}


def rule_values(
    fields: Mapping[str, Sequence[Any]], bundles: Sequence[Sequence[MatchMeasures]]
) -> list[Row]:
    """A row for each value of each rule, in the order of the values.

    Parameters
    ----------
    fields : mapping of str to sequence
        Rule fields with their values, the one in force first.
    bundles : sequence of sequence of MatchMeasures
        By field, the matches of its values on common deals.
    """
    rows = []
    for (name, values), bundle in zip(fields.items(), bundles, strict=True):
        found = [
            {
                **group_of(match),
                "rule": name,
                "value": value,
                "in_force": number == 0,
                **_levels(match),
                **_changes(bundle, number),
                **size_of(match, match.rome_example()),
            }
            for number, (value, match) in enumerate(zip(values, bundle, strict=True))
        ]
        rows += sorted(found, key=_order)
    return rows


def _order(row: Row) -> tuple[bool, Any]:
    """Numbers by size; words and switches stay where they are."""
    number = isinstance(row["value"], int) and not isinstance(row["value"], bool)
    return (not number, row["value"] if number else 0)


def _levels(match: MatchMeasures) -> Row:
    """What holds under a rule set."""
    return {
        **spread("rome_wins", match.rome_rate()),
        **spread(
            "seat1_over_fair",
            contrast(match.moments, _over_fair(match), bounds=DIFFERENCE),
        ),
        **spread("rounds", match.rounds()),
    }


def _over_fair(match: MatchMeasures) -> np.ndarray:
    """Weights of the first seat's share less what would be fair."""
    weights = np.zeros(match.layout.size)
    weights[[match.layout.seat(seat) for seat in range(match.players)]] = -1 / match.players
    weights[match.layout.seat(0)] += 1.0
    return weights


def _changes(bundle: Sequence[MatchMeasures], number: int) -> Row:
    """Differences from the rule set in force, within blocks; none for that one itself."""
    base, match = bundle[0], bundle[number]
    rome, rounds = np.zeros(match.layout.size), np.zeros(match.layout.size)
    rome[match.layout.rome] = rounds[match.layout.rounds] = 1.0
    most = max(one.seen("rounds")[1] for one in (base, match))
    asked: dict[str, tuple[np.ndarray, Bounds]] = {
        "rome_change": (rome, DIFFERENCE),
        "seat1_change": (_over_fair(match), DIFFERENCE),
        "rounds_change": (rounds, (-most, most)),
    }
    if number == 0:
        return {f"{name}{end}": np.nan for name in asked for end in ("", "_low", "_high")}
    moments = bundle_moments(bundle)
    row: Row = {}
    for name, (of_match, bounds) in asked.items():
        weights = np.zeros(moments.d)
        weights[match.span] = of_match
        weights[base.span] = -of_match
        row |= spread(name, cautious_difference(moments, weights, bounds=bounds))
    return row
