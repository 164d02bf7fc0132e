"""Runs of single line-ups, `simulate` and `solo`, and of several as one: `simulate_lineups`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, Unpack

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, is_integer, safe_repr
from paxsim.experiment.design import Plan, make_match, plan_for_games
from paxsim.experiment.estimates import (
    MatchMeasures,
    checked_precision,
    games_when_watched,
    measure,
    precision_rule,
)
from paxsim.experiment.result import Result
from paxsim.experiment.run import RunOptions, run, run_plan
from paxsim.lineup import Lineup, as_specs, make_lineup
from paxsim.playing import LineupLike, prepare
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules
from paxsim.setting import make_setting
from paxsim.stats import blocks_for_half_width
from paxsim.stats.sequential import half_width
from paxsim.text import significant

#: Default number of games; the limit, below which all sums are exact in 64 bits; and the limit of
#: a run with a target precision.
DEFAULT_GAMES = 100_000
MAX_GAMES = 10_000_000_000
PRECISION_GAMES = 20_000_000
#: Blocks played to see how much results vary from block to block.
PILOT_BLOCKS = 1_000
RulesLike = str | Path | dict[str, Any] | Rules | None
#: Limit for the line-ups that share deals in `simulate_lineups`.
GROUP_LINEUPS = 15
#: Limit for the line-ups of a meta-game, and of those that count as one.
MOST_LINEUPS = 3_500

Member = TypeVar("Member")


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
    **run_options: Unpack[RunOptions],
) -> Result:
    """Play a line-up and measure win rates by strategy and by seat, and Rome's.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up: one policy for every seat, or as many as players.
    players : int or sequence of int, optional
        Player counts (default: the number of policies, or 4 for a single one).
    games : int
        Games for each player count, rounded up to whole blocks. If one policy that never draws
        plays all seats, a block is one game, because all rotations would be the same game.
    seed : int
        Random seed of the deals.
    precision : float, optional
        Stop when every win rate is known to plus or minus this; `games` is then the limit.
    solo_level, deck, rules
        See `paxsim.make_setting`.
    permutations : bool
        Play every permutation of the line-up instead of every rotation (up to 5 players).
    **run_options
        How the games are run, see `paxsim.experiment.RunOptions`.

    Returns
    -------
    Result
        With the tables ``strategies``, ``seats``, ``seat_strategies``, ``rome``, ``points`` and
        ``games``.

    Raises
    ------
    PaxsimError
        If an argument is invalid or a policy fails.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.simulate("tribune,random", games=2_000, seed=1, progress=False)
    >>> result["strategies"]["strategy"].tolist()
    ['tribune', 'random']
    """
    setting: dict[str, Any] = {"solo_level": solo_level, "deck": deck, "rules": rules}
    plan = _plan(policies, players, games, seed, permutations=permutations, **setting)
    stop = None
    if precision is not None:
        precision = checked_precision(precision)
        if len(plan.bundles) > 1:
            raise PaxsimError("precision needs a single player count, got several")
        stop = precision_rule(plan, precision)
    return run(plan, {"kind": "simulate", "precision": precision}, run_options, stop)


def simulation_size(
    policies: LineupLike,
    players: int | Sequence[int] | None = None,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    precision: float | None = None,
    **setting: Any,
) -> list[str]:
    """Estimate how many games `simulate` takes for a precision, or how precise `games` will be.

    A pilot of 1,000 blocks is played. Parameters are as for `simulate`; returns a sentence for
    each player count.
    """
    target = None if precision is None else checked_precision(precision)
    plan = _plan(policies, players, games, seed, **setting)
    lines = []
    for (match,), blocks in zip(play_pilot(plan), plan.blocks, strict=True):
        where = f"{match.players} players: " if match.players > 1 else "Solo: "
        sd = max(variance for _, variance in match.watched_variances()) ** 0.5
        size = match.facts.block_size
        if target is None:
            half = significant(100 * half_width(blocks, sd), 2)
            lines.append(f"{where}{blocks * size:,} games give ±{half}%.")
            continue
        fixed = blocks_for_half_width(target, sd) * size
        watched = games_when_watched(match, target)
        lines.append(
            f"{where}±{significant(100 * target)}% takes about {fixed:,} games if their number "
            f"is fixed beforehand (--games {fixed}), and about {watched:,} with --precision, which "
            f"may stop at any time; this run has at most {plan.games:,}."
        )
    return lines


def play_pilot(plan: Plan) -> list[list[MatchMeasures]]:
    """Play the first blocks of every bundle of a plan."""
    trial = replace(plan, blocks=(PILOT_BLOCKS,) * len(plan.bundles))
    pairs = zip(plan.bundles, run_plan(trial), strict=True)
    return [measure([match.facts for match in bundle], tally) for bundle, tally in pairs]


def _plan(
    policies: LineupLike,
    players: int | Sequence[int] | None,
    games: Any,
    seed: int,
    *,
    solo_level: int | None = None,
    permutations: bool = False,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
) -> Plan:
    games = checked_games(games)
    counts = [None] if players is None else checked_numbers("players", players, 1, MAX_PLAYERS)
    pairs = [prepare(policies, count, solo_level, deck, rules) for count in counts]
    bundles = [(make_match(setting, lineup, permutations),) for setting, lineup in pairs]
    return plan_for_games(bundles, [games] * len(bundles), seed)


def solo(
    policies: LineupLike,
    levels: int | Sequence[int] = SOLO_LEVELS,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Measure how often a policy wins at each solo level, and a whole campaign.

    Parameters
    ----------
    policies : str, Policy or sequence
        One or more policies, each playing alone.
    levels : int or sequence of int
        Solo levels, 1 to 5.
    games : int
        Games for each policy and level.
    seed, deck, rules, **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the tables ``levels`` and ``campaigns``, and those of `simulate`.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.solo("random", levels=1, games=200, progress=False).main
    'levels'
    """
    games = checked_games(games)
    chosen = checked_numbers("levels", levels, SOLO_LEVELS[0], SOLO_LEVELS[-1])
    settings = [make_setting(1, solo_level=level, deck=deck, rules=rules) for level in chosen]
    # All levels of a policy have common deals, for the chance of a whole campaign.
    bundles = [
        tuple(make_match(setting, make_lineup([spec], 1)) for setting in settings)
        for spec in as_specs(policies)
    ]
    plan = plan_for_games(bundles, [games * len(chosen)] * len(bundles), seed)
    return run(plan, {"kind": "solo"}, run_options)


def simulate_lineups(
    lineups: Sequence[LineupLike],
    players: int,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Play several line-ups and measure Rome, seats and length over all of them.

    A block is one deal, played by all line-ups in all rotations. More than `GROUP_LINEUPS` play in
    groups, each on its own deals.

    Parameters
    ----------
    lineups : sequence
        The line-ups, each as for `simulate`.
    players : int
        Number of seats.
    games : int
        Games of all line-ups, rounded up to whole blocks.
    seed, deck, rules, **run_options
        As for `simulate`; group k has the seed plus k.
    """
    games = checked_games(games)
    setting = make_setting(players, deck=deck, rules=rules)
    groups = equal_groups(checked_lineups(lineups, players), GROUP_LINEUPS)
    bundles = [tuple(make_match(setting, lineup) for lineup in group) for group in groups]
    plan = plan_for_games(bundles, [-(-games // len(groups))] * len(groups), seed, len(groups))
    return run(plan, {"kind": "simulate_lineups", "lineups": len(groups[0])}, run_options)


def equal_groups(members: Sequence[Member], most: int) -> list[list[Member]]:
    """Split a sequence into groups of one size, the largest up to a limit."""
    size = max(n for n in range(1, most + 1) if len(members) % n == 0)
    return [list(members[first : first + size]) for first in range(0, len(members), size)]


def checked_lineups(lineups: Sequence[LineupLike], players: int) -> list[Lineup]:
    """Return line-ups of two or more players."""
    players = checked_int("players", players, 2, MAX_PLAYERS)
    chosen = checked_list("lineups", lineups, "a list of line-ups")
    if len(chosen) > MOST_LINEUPS:
        raise PaxsimError(f"there can be at most {MOST_LINEUPS} line-ups, got {len(chosen)}")
    return [make_lineup(lineup, players) for lineup in chosen]


def checked_games(games: Any) -> int:
    """Return a valid number of games, which may be written as 1e6."""
    number = int(games) if isinstance(games, float) and games.is_integer() else games
    if not is_integer(number) or not 1 <= number <= MAX_GAMES:
        raise PaxsimError(
            f"games must be a whole number from 1 to {MAX_GAMES:,}, such as 100_000 or 1e6, "
            f"got {safe_repr(games)}"
        )
    return int(number)


def checked_numbers(field: str, value: int | Sequence[int], low: int, high: int) -> list[int]:
    """Return one number or several, such as player counts, as a list."""
    expected = f"a whole number from {low} to {high}, or a list of them"
    values = [value] if is_integer(value) else checked_list(field, value, expected)
    numbers = [checked_int(field, number, low, high) for number in values]
    if len(set(numbers)) < len(numbers):
        raise PaxsimError(f"{field} must all be different, got {safe_repr(value)}")
    return numbers
