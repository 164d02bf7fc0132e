"""Runs of all line-ups of some strategies: tournaments and meta-games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.experiment.design import Plan, make_match, plan_for_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import RunOptions, run
from paxsim.experiment.simulation import (
    DEFAULT_GAMES,
    MOST_LINEUPS,
    RulesLike,
    checked_games,
    checked_numbers,
)
from paxsim.lineup import LINEUP_SEED, as_specs, draw_lineups, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.rules import MAX_PLAYERS
from paxsim.setting import Setting, make_setting
from paxsim.text import quantity

if TYPE_CHECKING:
    from paxsim.gametheory.games import Counts

#: Blocks of a line-up at least: a single one says nothing about chance.
FEWEST_BLOCKS = 2
#: Limit for the line-ups that are played; of more, these are drawn and the others estimated.
MOST_PLAYED = 500
#: Default blocks of each line-up: every win rate, and Rome's, is then known to a percentage point
#: (95 %) or better, and differences on common deals are more precise.
BLOCKS = 10_000


def tournament(
    policies: LineupLike,
    players: int | Sequence[int] = (2, 3, 4),
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Let every policy meet every other, and rate them.

    With two players all pairs play. With more, all combinations do, or a balanced draw of them.

    Parameters
    ----------
    policies : sequence
        The contestants, at least two.
    players : int or sequence of int
        Player counts.
    games : int
        Games for each player count, shared among its line-ups.
    seed, deck, rules, **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the tables ``standings``, ``payoffs`` (win rates by pair) and ``ratings``
        (Plackett-Luce), and those of `simulate` for every line-up.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.tournament("tribune,random", 2, games=2_000, progress=False)
    >>> result["standings"]["strategy"].tolist()
    ['tribune', 'random']
    """
    games = checked_games(games)
    contestants = find_strategies(policies)
    bundles, shares = [], []
    for count in checked_numbers("players", players, 2, MAX_PLAYERS):
        setting = make_setting(count, deck=deck, rules=rules)
        lineups = draw_lineups(contestants, count)
        _check_enough(games, len(lineups), count)
        bundles += [(make_match(setting, make_lineup(lineup, count)),) for lineup in lineups]
        shares += [-(-games // len(lineups))] * len(lineups)
    plan = plan_for_games(bundles, shares, seed)
    return run(plan, {"kind": "tournament"}, run_options)


def metagame(
    policies: LineupLike,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Find which equilibria adapting players reach, and how often Rome wins there.

    Every multiset of the strategies plays. Of more than `MOST_PLAYED`, a draw of them does, and the
    others are estimated from these.

    Parameters
    ----------
    policies : sequence
        The strategies, two or more, all different.
    players : int
        2 to 8.
    games : int, optional
        Games in all, shared among the line-ups (default: `BLOCKS` blocks of each).
    seed, deck, rules, **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the tables ``states`` (equilibria, the share of starts that lead there, Rome's rate,
        regret and stability), ``coalitions`` (what seats gain by leaving a state together) and
        ``payoffs`` (the game itself).

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.metagame("tribune,random", 2, games=1_200, progress=False)
    >>> result["states"]["state"].iloc[0]
    'tribune'
    """
    strategies = find_strategies(policies)
    setting = table_setting(len(strategies), players, deck, rules)
    lineups = drawn_lineups(len(strategies), setting.players)
    blocks = blocks_each(games, len(lineups), setting.players)
    plan = plan_of(strategies, setting, lineups, blocks, seed)
    return run(plan, question_of(strategies), run_options)


def question_of(strategies: Sequence[Policy], added: Policy | None = None) -> dict[str, Any]:
    """Return the question of a meta-game, or of a run that adds the line-ups of one strategy."""
    return {
        "kind": "metagame",
        "strategies": [policy.label for policy in strategies],
        "added": [] if added is None else [added.label],
    }


def table_setting(
    strategies: int, players: int, deck: str | Path | Deck, rules: RulesLike
) -> Setting:
    """Return the setting of a meta-game, if it has not too many line-ups."""
    from paxsim.gametheory.games import number_of_multisets

    players = checked_int("players", players, 2, MAX_PLAYERS)
    lineups = number_of_multisets(strategies, players)
    if lineups > MOST_LINEUPS:
        raise PaxsimError(
            f"{strategies} policies make {lineups:,} line-ups of {players} players, more than "
            f"{MOST_LINEUPS:,}; use fewer policies or players"
        )
    return make_setting(players, deck=deck, rules=rules)


def drawn_lineups(strategies: int, players: int) -> Counts:
    """Return the line-ups of a meta-game that are played, by the seats of every strategy."""
    from paxsim.gametheory.games import drawn_multisets, multisets  # no other experiment needs it

    rows = drawn_multisets(strategies, players, MOST_PLAYED, LINEUP_SEED)
    return multisets(strategies, players)[rows]


def blocks_each(games: int | None, lineups: int, players: int) -> int:
    """Return the blocks of each line-up that make this many games in all."""
    if games is None:
        return BLOCKS
    games = checked_games(games)
    _check_enough(games, lineups, players)
    return -(-games // (players * lineups))


def plan_of(
    strategies: Sequence[Policy], setting: Setting, lineups: Counts, blocks: int, seed: int
) -> Plan:
    """Return a plan of line-ups on common deals, each given by the seats of every strategy."""
    bundles = []
    for counts in lineups.tolist():
        pairs = zip(strategies, counts, strict=True)
        seated = [policy for policy, count in pairs for _ in range(count)]
        bundles.append((make_match(setting, make_lineup(seated, setting.players)),))
    return Plan(tuple(bundles), (blocks,) * len(bundles), seed)


def find_strategies(policies: LineupLike) -> list[Policy]:
    """Return the policies of a tournament or meta-game."""
    chosen = [get_policy(spec) for spec in as_specs(policies)]
    labels = [policy.label for policy in chosen]
    if len(set(labels)) < max(2, len(chosen)):
        raise PaxsimError(f"policies must be two or more, all different, got {', '.join(labels)}")
    return chosen


def _check_enough(games: int, lineups: int, players: int) -> None:
    fewest = FEWEST_BLOCKS * players * lineups
    if games < fewest:
        raise PaxsimError(
            f"games must be at least {fewest} for {quantity(lineups, 'line-up')} of {players} "
            f"players, got {games}"
        )
