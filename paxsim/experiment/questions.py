"""The questions that users ask: simulate, tournament, compare, solo.

Each checks what was asked, makes a plan, has it played and presents the tables. A stored run is
presented by the same functions (`show`).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.experiment.backends import workers
from paxsim.experiment.execute import Progress, StopRule, default_jobs, run_plan
from paxsim.experiment.plan import (
    CHUNK_GAMES,
    Match,
    Plan,
    blocks_for_games,
    make_match,
)
from paxsim.experiment.precision import precision_rule
from paxsim.experiment.present import present
from paxsim.experiment.results import Result
from paxsim.experiment.store import RunDirectory, make_manifest, stored_tallies
from paxsim.experiment.tally import Tally, merge_tallies
from paxsim.lineup import make_lineup
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy, split_specs
from paxsim.rules import SOLO_LEVELS, Rules
from paxsim.setting import make_setting
from paxsim.simulate import LineupLike

#: Games unless said otherwise, and the most that a run with a target precision may take.
DEFAULT_GAMES = 100_000
MAX_GAMES = 1_000_000_000
PRECISION_GAMES = 20_000_000
#: Line-ups of a tournament with more than two players; all combinations if there are no more.
MAX_LINEUPS = 120
#: Draws the line-ups of a tournament where not all are played.
LINEUP_SEED = 20_26

RulesLike = str | Path | dict[str, Any] | Rules | None


@dataclass(frozen=True)
class HowToRun:
    """How an experiment is carried out; nothing here changes its numbers.

    Attributes
    ----------
    jobs : int, optional
        Workers; by default one a core.
    backend, address
        See `paxsim.experiment.backends.workers`.
    out : pathlib.Path, optional
        Run directory: keep finished work there and go on with it.
    chunk_games : int
        Games a worker plays at a time, about.
    progress : callable, optional
        Told about every finished chunk.
    command : str
        The command line, for the manifest.
    """

    jobs: int | None = None
    backend: str = "threads"
    address: str | None = None
    out: str | Path | None = None
    chunk_games: int = CHUNK_GAMES
    progress: Progress | None = None
    command: str = ""
    notices: list[str] = field(default_factory=list)


def simulate(
    policies: LineupLike,
    players: int | Sequence[int] | None = None,
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    *,
    precision: float | None = None,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    permutations: bool = False,
    **how: Any,
) -> Result:
    """Play a line-up and measure win rates by strategy and by seat, and Rome's.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up: one policy for every seat, or as many as players.
    players : int or sequence of int, optional
        Player counts; by default as many as there are policies.
    games : int
        Games for each player count, rounded up to whole blocks.
    seed : int
        Names the deals.
    precision : float, optional
        Stop as soon as every win rate is known to plus or minus this; `games` is then the most.
    solo_level, deck, rules
        See `paxsim.make_setting`.
    permutations : bool
        Play every permutation of the line-up instead of every rotation (up to 5 players).
    **how
        See `HowToRun`: ``jobs``, ``backend``, ``address``, ``out``, ``chunk_games``, ``progress``.
    """
    games = checked_games(games)
    specs = as_specs(policies)
    counts = [players] if isinstance(players, int) or players is None else list(players)
    if counts == [None]:
        counts = [1 if solo_level is not None else len(specs)]
    bundles = []
    for count in counts:
        setting = make_setting(count, solo_level=solo_level, deck=deck, rules=rules)
        lineup = make_lineup(specs, setting.players)
        bundles.append((make_match(setting, lineup, permutations),))
    smallest = min(bundle[0].block_size for bundle in bundles)
    plan = _plan(bundles, blocks_for_games(games, smallest), seed, how)
    stop = None
    if precision is not None:
        if len(bundles) > 1:
            raise PaxsimError("precision: found several player counts; allowed: one at a time")
        stop = precision_rule(plan, precision)
    return ask(plan, {"kind": "simulate", "precision": precision}, HowToRun(**how), stop)


def tournament(
    policies: LineupLike,
    players: int | Sequence[int] = (2, 3, 4),
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **how: Any,
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
    seed, deck, rules, **how
        As for `simulate`.
    """
    games = checked_games(games)
    found = [find_policy(spec) for spec in as_specs(policies)]
    if len({policy.label for policy in found}) < max(2, len(found)):
        raise PaxsimError(
            f"policies: found {', '.join(policy.label for policy in found)}; "
            "allowed: two or more, all different"
        )
    counts = [players] if isinstance(players, int) else list(players)
    bundles: list[tuple[Match, ...]] = []
    blocks = 1
    for count in counts:
        if count < 2:
            raise PaxsimError(f"players: found {count}; allowed in a tournament: 2 to 8")
        setting = make_setting(count, deck=deck, rules=rules)
        lineups = draw_lineups(found, count)
        bundles += [(make_match(setting, make_lineup(lineup, count)),) for lineup in lineups]
        blocks = max(blocks, blocks_for_games(games, len(lineups) * count))
    plan = _plan(bundles, blocks, seed, how)
    return ask(plan, {"kind": "tournament"}, HowToRun(**how))


def compare(
    a: str | Policy,
    b: str | Policy,
    field: LineupLike = "random",
    players: int = 4,
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    *,
    delta: float = 0.0,
    sequential: bool = False,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **how: Any,
) -> Result:
    """Is policy `a` better than `b` in the same field, on the same deals?

    Parameters
    ----------
    a, b : str or Policy
        The two candidates; each plays with the same field, seat by seat and deal by deal.
    field : str, Policy or sequence
        Who plays the other seats: one policy, or ``players - 1``.
    players, games, seed
        As for `simulate`; `games` counts those of both candidates.
    delta : float
        Ask whether `a` is better by at least this much (a win rate, 0.01 is one percentage point).
    sequential : bool
        Stop as soon as the sequential test has decided; `games` is then the most.
    deck, rules, **how
        As for `simulate`.
    """
    games = checked_games(games)
    setting = make_setting(players, deck=deck, rules=rules)
    if setting.players < 2:
        raise PaxsimError("players: found 1; allowed in a comparison: 2 to 8")
    others = as_specs(field)
    if len(others) == 1:
        others *= setting.players - 1
    if len(others) != setting.players - 1:
        raise PaxsimError(
            f"field: found {len(others)} policies; "
            f"allowed with {players} players: {players - 1}, or one"
        )
    bundle = tuple(
        make_match(setting, make_lineup([candidate, *others], setting.players))
        for candidate in (a, b)
    )
    plan = _plan([bundle], blocks_for_games(games, 2 * bundle[0].block_size), seed, how)
    question = {"kind": "compare", "delta": delta, "sequential": sequential}
    stop = None
    if sequential:
        from paxsim.experiment.present import sequential_rule

        stop = sequential_rule(plan, delta)
    return ask(plan, question, HowToRun(**how), stop)


def compare_rules(
    policies: LineupLike,
    variants: Sequence[RulesLike],
    players: int = 4,
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    **how: Any,
) -> Result:
    """What do changes of the rules change, one at a time, on the same deals?

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up.
    variants : sequence
        Rule sets, each compared with the published game.
    players, games, seed, deck, **how
        As for `simulate`; `games` are those of each rule set.
    """
    games = checked_games(games)
    base = make_setting(players, deck=deck)
    lineup = make_lineup(policies, base.players)
    bundles = [
        (
            make_match(base, lineup),
            make_match(make_setting(players, deck=deck, rules=variant), lineup),
        )
        for variant in variants
    ]
    plan = _plan(bundles, blocks_for_games(games, base.players), seed, how)
    return ask(plan, {"kind": "compare_rules"}, HowToRun(**how))


def solo(
    policies: LineupLike,
    levels: int | Sequence[int] = SOLO_LEVELS,
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **how: Any,
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
    seed, deck, rules, **how
        As for `simulate`.
    """
    games = checked_games(games)
    wanted = [levels] if isinstance(levels, int) else list(levels)
    bundles = []
    for spec, level in itertools.product(as_specs(policies), wanted):
        setting = make_setting(1, solo_level=level, deck=deck, rules=rules)
        bundles.append((make_match(setting, make_lineup([spec], 1)),))
    plan = _plan(bundles, games, seed, how)
    return ask(plan, {"kind": "solo"}, HowToRun(**how))


def show(path: str | Path) -> Result:
    """Present a stored run without playing; what is missing or damaged is said in ``timing``."""
    manifest, found, damaged = stored_tallies(Path(path))
    expected = len(manifest["plan"]["bundles"])
    if len(found) < expected:
        raise PaxsimError(
            f"run: {path} has results for {len(found)} of {expected} parts; "
            f"allowed: a run that was played; go on with: {manifest['command']}"
        )
    tallies = [_merged(found[bundle]) for bundle in range(expected)]
    result = present(manifest, tallies)
    result.timing = {"damaged": damaged}
    return result


def ask(
    plan: Plan, question: dict[str, Any], how: HowToRun, stop: StopRule | None = None
) -> Result:
    """Have a plan played and present its tables."""
    begin = time.perf_counter()
    command = how.command or f"paxsim.{question['kind']}(...)"
    store = RunDirectory(Path(how.out), plan, question, command) if how.out is not None else None
    with workers(how.backend, how.address):
        tallies = run_plan(plan, jobs=how.jobs, store=store, progress=how.progress, stop=stop)
    played = time.perf_counter()
    result = present(make_manifest(plan, question, command), tallies)
    if store is not None:
        how.notices.extend(f"damaged and played again: {name}" for name in store.damaged)
    result.timing = {
        "seconds": time.perf_counter() - begin,
        "playing_seconds": played - begin,
        "jobs": default_jobs() if how.jobs is None else how.jobs,
        "backend": how.backend,
    }
    return result


def checked_games(games: Any) -> int:
    """A number of games: a positive whole number, also as ``1e6``."""
    if isinstance(games, float) and games.is_integer():
        games = int(games)
    return checked_int("games", games, 1, MAX_GAMES)


def as_specs(policies: LineupLike) -> list[str | Policy]:
    """The policies of a line-up as a list."""
    if isinstance(policies, str):
        return list(split_specs(policies))
    return [policies] if isinstance(policies, Policy) else list(policies)


def draw_lineups(policies: list[Policy], players: int) -> list[list[Policy]]:
    """Line-ups in which everybody plays equally often, and with as many others as possible.

    All combinations if there are at most `MAX_LINEUPS`; else shuffled rounds in which everybody
    plays once, cut into tables. With fewer policies than seats they are dealt out in turn.
    """
    count = len(policies)
    if players <= count:
        combinations = list(
            itertools.islice(itertools.combinations(policies, players), MAX_LINEUPS + 1)
        )
    else:
        fill = itertools.combinations_with_replacement(policies, players)
        combinations = list(
            itertools.islice((c for c in fill if len(set(map(id, c))) > 1), MAX_LINEUPS + 1)
        )
    if len(combinations) <= MAX_LINEUPS:
        return [list(lineup) for lineup in combinations]
    rng = np.random.default_rng(LINEUP_SEED)
    queue: list[Policy] = []
    lineups: list[list[Policy]] = []
    while len(lineups) < MAX_LINEUPS:
        lineup: list[Policy] = []
        while len(lineup) < players:
            if not queue:
                queue = [policies[i] for i in rng.permutation(count)]
            following = next((p for p in queue if p not in lineup), queue[0])
            queue.remove(following)
            lineup.append(following)
        lineups.append(lineup)
    return lineups


def _plan(
    bundles: Sequence[tuple[Match, ...]], blocks: int, seed: int, how: dict[str, Any]
) -> Plan:
    return Plan(tuple(bundles), blocks, seed, how.get("chunk_games", CHUNK_GAMES))


def _merged(tallies: list[Tally]) -> Tally:
    merged = tallies[0]
    for tally in tallies[1:]:
        merged = merge_tallies(merged, tally)
    return merged
