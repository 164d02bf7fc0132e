"""Tidy tables of an experiment: one row a group, with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd

from paxsim.cards import CATEGORIES
from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.summary import Making
from paxsim.experiment.tallylayout import POINT_PARTS
from paxsim.stats import Interval, holm, p_value, seats_against_fair_share

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
