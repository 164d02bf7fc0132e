"""The question of the meta-game: what do players do who answer each other, and how does Rome fare?

Every multiset of the strategies is a line-up and plays the same deals; the table of what a seat of
each strategy wins there is a game of its own, and `paxsim.gametheory` says where it leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.experiment.ask import HowToRun, ask
from paxsim.experiment.cutting import CHUNK_GAMES
from paxsim.experiment.plan import Match, Plan, make_match
from paxsim.experiment.questions import RulesLike, checked_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress
from paxsim.gametheory.multisets import Counts, drawn_multisets, multisets, number_of_multisets
from paxsim.lineup import LINEUP_SEED, as_specs, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.rules import MAX_PLAYERS
from paxsim.setting import Setting, make_setting

#: Line-ups that are played at most; of more, so many are drawn and the others estimated.
MOST_PLAYED = 500
#: Line-ups that a table may have at all.
MOST_LINEUPS = 3_500
#: Blocks of each line-up unless said otherwise: every win rate, and Rome's, is then known to a
#: percentage point (95 %) or better; differences on common deals are surer.
BLOCKS = 10_000
#: Blocks of a line-up at least: one tells nothing about chance.
FEWEST_BLOCKS = 2


def metagame(
    policies: LineupLike,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    backend: str = "threads",
    address: str | None = None,
    chunk_games: int = CHUNK_GAMES,
    progress: Progress | bool | None = None,
    command: str = "",
    notices: list[str] | None = None,
) -> Result:
    """Where do players end who answer each other, and how often does Rome win there?

    Every multiset of the strategies plays (or, of more than `MOST_PLAYED`, a draw of them, and the
    others are estimated from these). The result has the tables ``states`` (where the players may
    end, how many starts lead there, Rome's rate, regret, and how sure all this is), ``coalitions``
    (what seats gain by leaving a state together) and ``payoffs`` (the game itself).

    Parameters
    ----------
    policies : sequence
        The strategies, two or more, all different.
    players : int
        2 to 8.
    games : int, optional
        Games in all, shared among the line-ups; by default `BLOCKS` blocks of each.
    seed, deck, rules, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    found = find_strategies(policies)
    setting = table_setting(len(found), players, deck, rules)
    rows = drawn_multisets(len(found), setting.players, MOST_PLAYED, LINEUP_SEED)
    lineups = multisets(len(found), setting.players)[rows]
    blocks = BLOCKS if games is None else blocks_each(games, len(lineups), setting.players)
    plan = plan_of(found, setting, lineups, blocks, seed, chunk_games)
    return ask(plan, question_of(found), how)


def question_of(strategies: Sequence[Policy], added: Policy | None = None) -> dict[str, Any]:
    """What a run says of its question; a run that only adds line-ups of one strategy names it."""
    return {
        "kind": "metagame",
        "strategies": [policy.label for policy in strategies],
        "added": [] if added is None else [added.label],
    }


def find_strategies(policies: LineupLike) -> list[Policy]:
    """The strategies of a meta-game, checked."""
    found = [find_policy(spec) for spec in as_specs(policies)]
    if len({policy.label for policy in found}) < max(2, len(found)):
        raise PaxsimError(
            f"policies: found {', '.join(policy.label for policy in found)}; "
            "allowed: two or more, all different"
        )
    return found


def table_setting(
    strategies: int, players: int, deck: str | Path | Deck, rules: RulesLike
) -> Setting:
    """What is played, if so many strategies make a table that can be worked with."""
    players = checked_int("players", players, 2, MAX_PLAYERS)
    lineups = number_of_multisets(strategies, players)
    if lineups > MOST_LINEUPS:
        raise PaxsimError(
            f"policies: found {strategies}, which make {lineups:,} line-ups of {players} players; "
            f"allowed: at most {MOST_LINEUPS:,} line-ups, so fewer policies or players"
        )
    return make_setting(players, deck=deck, rules=rules)


def blocks_each(games: int, lineups: int, players: int) -> int:
    """Blocks of each line-up that make about so many games in all."""
    games = checked_games(games)
    fewest = FEWEST_BLOCKS * players * lineups
    if games < fewest:
        raise PaxsimError(
            f"games: found {games} for {lineups} line-ups of {players} players; "
            f"allowed: at least {fewest}"
        )
    return -(-games // (players * lineups))


def plan_of(
    strategies: Sequence[Policy],
    setting: Setting,
    lineups: Counts,
    blocks: int,
    seed: int,
    chunk_games: int,
) -> Plan:
    """A plan that plays line-ups, each given by the seats of every strategy, on common deals."""
    bundles: list[tuple[Match, ...]] = []
    for counts in lineups:
        seats = zip(strategies, counts.tolist(), strict=True)
        seated = [policy for policy, number in seats for _ in range(number)]
        bundles.append((make_match(setting, make_lineup(seated, setting.players)),))
    return Plan(tuple(bundles), (blocks,) * len(bundles), seed, chunk_games)
