"""Who plays in the studies, and the runs that several studies share.

Three fields: *alike* (one strategy at all seats), *mixed* (a fixed line-up of different
strategies), *best* (the strategies that did best in the tournament, in turn).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from paxsim.experiment.questions import simulate, solo, tournament
from paxsim.experiment.result import Result
from paxsim.lineup import draw_lineups
from paxsim.policies.registry import BUILT_IN, find_policy
from paxsim.report.study import MIN_BLOCKS, Study
from paxsim.rules import SOLO_LEVELS

#: The player counts of the studies.
PLAYERS = (2, 3, 4, 5, 6, 7, 8)
#: The mixed field: with n players the first n, so that every count has different ways to play.
MIXED = (
    "weighted",
    "opportunist",
    "starver",
    "conspirator",
    "builder",
    "economist",
    "admiral",
    "merchant",
)
#: Plays by no plan at all: a yardstick, not a strategy.
YARDSTICK = "random"
#: How many of the tournament's best make up the best field.
BEST = 3


def strategies() -> list[str]:
    """The strategies for two and more players that come with the package."""
    names = [name for name in BUILT_IN if name not in ("first", YARDSTICK)]
    return [name for name in names if "2-8" in find_policy(name).fits]


def solo_strategies() -> list[str]:
    """The strategies for solo games that come with the package."""
    return [name for name in BUILT_IN if name != "first" and find_policy(name).solo]


def mixed_lineup(players: int) -> list[str]:
    """The mixed field for a player count."""
    return list(MIXED[:players])


def games_asked(games: int, counts: Sequence[int]) -> int:
    """What to ask `simulate` for, so that all player counts together make this many games.

    It plays the same number of blocks with every player count, and counts those of the smallest.
    """
    return max(MIN_BLOCKS, games // sum(counts)) * min(counts)


def tournament_games(games: int, names: Sequence[str], counts: Sequence[int]) -> int:
    """What to ask `tournament` for, so that it plays at most about this many games.

    However few are wanted, every line-up gets the two blocks without which nothing can be said.
    """
    found = [find_policy(name) for name in names]
    sizes = [count * len(draw_lineups(found, count)) for count in counts]
    return max(max(MIN_BLOCKS, games // sum(sizes)) * min(sizes), 2 * max(sizes))


def play_mixed(study: Study) -> dict[int, Result]:
    """The mixed field, by player count."""
    games = study.games("mixed") // sum(PLAYERS)
    return {
        players: study.ask(
            f"mixed-{players}",
            simulate,
            policies=mixed_lineup(players),
            players=players,
            games=max(MIN_BLOCKS, games) * players,
        )
        for players in PLAYERS
    }


def play_tournament(study: Study) -> Result:
    """Every strategy against every other, with 2 to 8 players."""
    names = strategies()
    return study.ask(
        "tournament",
        tournament,
        policies=names,
        players=list(PLAYERS),
        games=tournament_games(study.games("tournament"), names, PLAYERS),
    )


def play_solo(study: Study) -> Result:
    """Every strategy at the five solo levels."""
    names = solo_strategies()
    return study.ask(
        "solo",
        solo,
        policies=names,
        levels=list(SOLO_LEVELS),
        games=max(MIN_BLOCKS, study.games("solo") // (len(names) * len(SOLO_LEVELS))),
    )


def ranking(standings: pd.DataFrame, players: int) -> list[str]:
    """Strategies by win rate in a tournament with so many players, best first."""
    rows = standings[standings["players"] == players]
    return rows.sort_values("win_rate", ascending=False)["strategy"].tolist()


def best_lineup(standings: pd.DataFrame, players: int) -> list[str]:
    """The best field for a player count: the tournament's best, in turn."""
    best = ranking(standings, players)[:BEST]
    return [best[seat % len(best)] for seat in range(players)]


def best_solo(result: Result) -> str:
    """The strategy with the highest success over all solo levels together."""
    success = result["levels"].groupby("strategy", sort=False)["success"].sum()
    return str(success.idxmax())


def joined(results: Sequence[Result], table: str) -> pd.DataFrame:
    """A table of several results, one below the other."""
    return pd.concat([result[table] for result in results], ignore_index=True)


def caption(results: Sequence[Result]) -> str:
    """The footer of a chart made from several results."""
    games = sum(result.games for result in results)
    blocks = sum(result.blocks for result in results)
    plan = results[0].manifest["plan"]
    decks = list(dict.fromkeys(m.facts.deck for result in results for m in result.matches))
    rules = {str(m.facts.rules) for result in results for m in result.matches}
    named = f"deck {decks[0]}" if len(decks) == 1 else f"{len(decks)} decks"
    changed = "published rules" if rules == {"{}"} else f"{len(rules)} rule sets"
    return (
        f"{games:,} games in {blocks:,} blocks, seed {plan['seed']}, {named}, {changed}, "
        f"paxsim {plan['version']}"
    )
