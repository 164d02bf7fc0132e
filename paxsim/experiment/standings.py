"""The tables of a tournament: standings, who wins against whom, and ratings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.overall import joint_rates, pool_of
from paxsim.experiment.tables import Row, group_of, make_table, spread
from paxsim.experiment.tallylayout import SUPERBLOCKS
from paxsim.stats import bootstrap_ratings, p_value


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
