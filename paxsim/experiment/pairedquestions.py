"""Questions that pairs of games on the same deals answer: two policies, or two rule sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_bool, checked_list, is_number
from paxsim.experiment.ask import HowToRun, ask
from paxsim.experiment.cutting import CHUNK_GAMES
from paxsim.experiment.plan import Plan, make_match, plan_for_games
from paxsim.experiment.questions import DEFAULT_GAMES, RulesLike, checked_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress
from paxsim.experiment.sizing import size_of_comparison
from paxsim.experiment.stopping import sequential_rule
from paxsim.lineup import as_specs, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.quoting import told
from paxsim.rules import load_rules
from paxsim.setting import make_setting

__all__ = ["compare", "compare_rules", "comparison_size"]


def compare(
    a: str | Policy,
    b: str | Policy,
    field: LineupLike = "random",
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    delta: float = 0.0,
    sequential: bool = False,
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
    deck, rules, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    plan = _comparison(a, b, field, players, games, seed, delta, deck, rules, chunk_games)
    sequential = checked_bool("sequential", sequential)
    question = {"kind": "compare", "delta": float(delta), "sequential": sequential}
    stop = sequential_rule(plan, delta) if sequential else None
    return ask(plan, question, how, stop)


def comparison_size(
    a: str | Policy,
    b: str | Policy,
    field: LineupLike = "random",
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    delta: float,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
) -> list[str]:
    """How many games `compare` needs to find a difference of `delta`, in a sentence.

    Judged by a few blocks that are played for a start. Parameters as for `compare`.
    """
    plan = _comparison(a, b, field, players, games, seed, delta, deck, rules, CHUNK_GAMES)
    if delta == 0:
        raise PaxsimError(
            "delta: found 0; allowed for planning: the smallest that matters, e.g. 1%"
        )
    return size_of_comparison(plan, delta)


def _comparison(
    a: str | Policy,
    b: str | Policy,
    field: LineupLike,
    players: int,
    games: Any,
    seed: int,
    delta: Any,
    deck: str | Path | Deck,
    rules: RulesLike,
    chunk_games: int,
) -> Plan:
    """The plan of two candidates on common deals."""
    games = checked_games(games)
    if not is_number(delta) or not -1 < delta < 1:
        raise PaxsimError(f"delta: found {told(delta)}; allowed: between -100% (-1) and 100% (1)")
    setting = make_setting(players, deck=deck, rules=rules)
    if setting.players < 2:
        raise PaxsimError("players: found 1; allowed in a comparison: 2 to 8")
    others = as_specs(field, "field")
    if len(others) == 1:
        others *= setting.players - 1
    if len(others) != setting.players - 1:
        raise PaxsimError(
            f"field: found {len(others)} policies; "
            f"allowed with {players} players: {players - 1}, or one"
        )
    bundle = tuple(
        make_match(setting, make_lineup([candidate, *others], setting.players), every_seat=True)
        for candidate in (a, b)
    )
    return plan_for_games([bundle], [games], seed, chunk_games)


def compare_rules(
    policies: LineupLike,
    variants: Sequence[RulesLike],
    players: int = 4,
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
    """What do changes of the rules change, one at a time, on the same deals?

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up.
    variants : sequence
        Changes, each compared with the game without it.
    rules : str, path, dict or Rules, optional
        The rule set that is changed; by default the published game.
    players, games, seed, deck, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`; `games` are those of each rule set.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    unchanged = load_rules(rules)
    base = make_setting(players, deck=deck, rules=unchanged)
    lineup = make_lineup(policies, base.players)
    variants = checked_list("variants", variants, "a list of rule sets")
    bundles = [
        (
            make_match(base, lineup),
            make_match(make_setting(players, deck=deck, rules=variant), lineup),
        )
        for variant in (unchanged.with_changes(load_rules(change)) for change in variants)
    ]
    plan = plan_for_games(bundles, [2 * games] * len(bundles), seed, chunk_games)
    return ask(plan, {"kind": "compare_rules"}, how)
