"""The questions that users ask: simulate, tournament, solo; `pairedquestions` has comparisons.

Each checks what was asked, makes a plan, has it played and presents the tables. A stored run is
presented by the same functions (`show`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import (
    PaxsimError,
    checked_int,
    checked_list,
    is_whole,
)
from paxsim.experiment.answers import show
from paxsim.experiment.ask import HowToRun, ask
from paxsim.experiment.cutting import CHUNK_GAMES
from paxsim.experiment.plan import Match, Plan, make_match, plan_for_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress
from paxsim.experiment.sizing import size_of_run
from paxsim.experiment.stopping import checked_precision, precision_rule
from paxsim.lineup import as_specs, draw_lineups, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.registry import find_policy
from paxsim.quoting import told
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules
from paxsim.setting import DEFAULT_PLAYERS, make_setting, players_meant

__all__ = [
    "show",
    "simulate",
    "simulation_size",
    "solo",
    "tournament",
]

#: Games unless said otherwise, the most of a line-up, of which all sums are exact in 64 bits, and
#: the most that a run with a target precision may take.
DEFAULT_GAMES = 100_000
MAX_GAMES = 10_000_000_000
PRECISION_GAMES = 20_000_000
RulesLike = str | Path | dict[str, Any] | Rules | None


def simulate(
    policies: LineupLike,
    players: int | Sequence[int] | None = None,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    precision: float | None = None,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    permutations: bool = False,
    jobs: int | None = None,
    out: str | Path | None = None,
    backend: str = "threads",
    address: str | None = None,
    chunk_games: int = CHUNK_GAMES,
    progress: Progress | bool | None = None,
    command: str = "",
    notices: list[str] | None = None,
) -> Result:
    """Play a line-up and measure win rates by strategy and by seat, and Rome's.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up: one policy for every seat, or as many as players.
    players : int or sequence of int, optional
        Player counts; by default as many as there are policies, and 4 if there is one.
    games : int
        Games for each player count, rounded up to whole blocks. One policy at all seats plays
        every deal once if it never draws: all rotations would be the same game.
    seed : int
        Names the deals.
    precision : float, optional
        Stop as soon as every win rate is known to plus or minus this; `games` is then the most.
    solo_level, deck, rules
        See `paxsim.make_setting`.
    permutations : bool
        Play every permutation of the line-up instead of every rotation (up to 5 players).
    jobs, out, backend, address, chunk_games, progress, command, notices
        How it is carried out: see `paxsim.experiment.ask.HowToRun`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    asked = (policies, players, games, seed, solo_level, deck, rules, permutations)
    plan = _simulation(*asked, chunk_games)
    stop = None
    if precision is not None:
        precision = checked_precision(precision)
        if len(plan.bundles) > 1:
            raise PaxsimError("precision: found several player counts; allowed: one at a time")
        stop = precision_rule(plan, precision)
    return ask(plan, {"kind": "simulate", "precision": precision}, how, stop)


def simulation_size(
    policies: LineupLike,
    players: int | Sequence[int] | None = None,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    precision: float | None = None,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    permutations: bool = False,
) -> list[str]:
    """How many games `simulate` will take for a precision, or how precise `games` will be.

    Judged by a few blocks that are played for a start; in a sentence for each player count.
    Parameters as for `simulate`.
    """
    if precision is not None:
        precision = checked_precision(precision)
    asked = (policies, players, games, seed, solo_level, deck, rules, permutations)
    return size_of_run(_simulation(*asked, CHUNK_GAMES), precision)


def _simulation(
    policies: LineupLike,
    players: int | Sequence[int] | None,
    games: Any,
    seed: int,
    solo_level: int | None,
    deck: str | Path | Deck,
    rules: RulesLike,
    permutations: bool,
    chunk_games: int,
) -> Plan:
    """The plan of a line-up at several player counts."""
    games = checked_games(games)
    specs = as_specs(policies)
    if players is None:
        players = players_meant(len(specs), solo_level)
    if players is None:
        players = 1 if solo_level is not None else DEFAULT_PLAYERS
    bundles = []
    for count in _numbers("players", players, 1, MAX_PLAYERS):
        setting = make_setting(count, solo_level=solo_level, deck=deck, rules=rules)
        lineup = make_lineup(specs, setting.players)
        bundles.append((make_match(setting, lineup, permutations),))
    return plan_for_games(bundles, [games] * len(bundles), seed, chunk_games)


def tournament(
    policies: LineupLike,
    players: int | Sequence[int] = (2, 3, 4),
    games: float = DEFAULT_GAMES,
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
    """Let every policy meet every other, and rate them.

    With two players all pairs play. With more, all combinations do, or a balanced draw of
    `MAX_LINEUPS` of them.

    Parameters
    ----------
    policies : sequence
        The contestants, at least two.
    players : int or sequence of int
        Player counts.
    games : int
        Games for each player count, shared among its line-ups.
    seed, deck, rules, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    found = [find_policy(spec) for spec in as_specs(policies)]
    if len({policy.label for policy in found}) < max(2, len(found)):
        raise PaxsimError(
            f"policies: found {', '.join(policy.label for policy in found)}; "
            "allowed: two or more, all different"
        )
    bundles: list[tuple[Match, ...]] = []
    shares: list[int] = []
    for count in _numbers("players", players, 1, MAX_PLAYERS):
        if count < 2:
            raise PaxsimError(f"players: found {count}; allowed in a tournament: 2 to 8")
        setting = make_setting(count, deck=deck, rules=rules)
        lineups = draw_lineups(found, count)
        fewest = 2 * count * len(lineups)  # two blocks of each: one tells nothing about chance
        if games < fewest:
            raise PaxsimError(
                f"games: found {games} for {len(lineups)} line-ups of {count} players; "
                f"allowed: at least {fewest}"
            )
        bundles += [(make_match(setting, make_lineup(lineup, count)),) for lineup in lineups]
        shares += [-(-games // len(lineups))] * len(lineups)
    plan = plan_for_games(bundles, shares, seed, chunk_games)
    return ask(plan, {"kind": "tournament"}, how)


def solo(
    policies: LineupLike,
    levels: int | Sequence[int] = SOLO_LEVELS,
    games: float = DEFAULT_GAMES,
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
    """How often does a policy win at each solo level, and a whole campaign?

    Parameters
    ----------
    policies : str, Policy or sequence
        One or more policies, each playing on its own.
    levels : int or sequence of int
        Solo levels, 1 to 5.
    games : int
        Games for each policy and level.
    seed, deck, rules, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    wanted = _numbers("levels", levels, SOLO_LEVELS[0], SOLO_LEVELS[-1])
    settings = [make_setting(1, solo_level=level, deck=deck, rules=rules) for level in wanted]
    # The levels of a policy are played on common deals, for the chance of a whole campaign.
    bundles = [
        tuple(make_match(setting, make_lineup([spec], 1)) for setting in settings)
        for spec in as_specs(policies)
    ]
    plan = plan_for_games(bundles, [games * len(wanted)] * len(bundles), seed, chunk_games)
    return ask(plan, {"kind": "solo"}, how)


def checked_games(games: Any) -> int:
    """A number of games: a positive whole number, which may be written as 1e6."""
    found = int(games) if isinstance(games, float) and games.is_integer() else games
    if not is_whole(found) or not 1 <= found <= MAX_GAMES:
        raise PaxsimError(
            f"games: found {told(games)}; "
            f"allowed: a whole number from 1 to {MAX_GAMES}, such as 100_000 or 1e6"
        )
    return int(found)


def _numbers(field: str, found: int | Sequence[int], low: int, high: int) -> list[int]:
    """One number or several, such as player counts, as a list."""
    allowed = f"a whole number from {low} to {high}, or a list of such"
    several = [found] if is_whole(found) else checked_list(field, found, allowed)
    numbers = [checked_int(field, number, low, high) for number in several]
    if len(set(numbers)) < len(numbers):
        raise PaxsimError(f"{field}: found {told(found)}; allowed: every number once")
    return numbers
