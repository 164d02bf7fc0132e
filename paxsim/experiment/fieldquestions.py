"""Questions about a field of many line-ups: how it fares, and what numbers of the rules do to it.

One line-up is a sample of one. Here several play the same deals, and what is said is about all of
them together (`paxsim.experiment.pooling`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, unknown
from paxsim.experiment.ask import HowToRun, ask
from paxsim.experiment.cutting import CHUNK_GAMES
from paxsim.experiment.plan import make_match, plan_for_games
from paxsim.experiment.questions import DEFAULT_GAMES, RulesLike, checked_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import LineupLike
from paxsim.quoting import told
from paxsim.rules import LIST_LENGTHS, MAX_PLAYERS, Rules, field_names, load_rules
from paxsim.setting import make_setting

#: Rule sets and line-ups of one question, at most: all of a bundle are tallied together.
MAX_LINEUPS = 40
MAX_VALUES = 24


def simulate_field(
    lineups: Sequence[LineupLike],
    players: int,
    games: int = DEFAULT_GAMES,
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
    """Play several line-ups on the same deals and measure Rome, seats and length of all together.

    Parameters
    ----------
    lineups : sequence
        The line-ups, each as for `simulate`.
    players : int
        Seats at the table.
    games : int
        Games in all, rounded up to whole blocks: one deal, every line-up, every rotation.
    seed, deck, rules, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    setting = make_setting(players, deck=deck, rules=rules)
    bundle = tuple(make_match(setting, lineup) for lineup in _lineups(lineups, players))
    plan = plan_for_games([bundle], [games], seed, chunk_games)
    return ask(plan, {"kind": "simulate_field", "lineups": len(bundle)}, how)


def vary_rules(
    values: Mapping[str, Sequence[Any]],
    lineups: Sequence[LineupLike],
    players: int = 4,
    games: int = DEFAULT_GAMES,
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
    """What do several values of a rule do, one rule at a time, on the same deals?

    Parameters
    ----------
    values : mapping of str to sequence
        Rule fields with the values to try; the value in force is always among them.
    lineups : sequence
        Who plays: one line-up or more, each as for `simulate`.
    players : int
        Seats at the table.
    games : int
        Games of each rule set, over all line-ups.
    rules : str, path, dict or Rules, optional
        The rule set from which each value is a change; by default the published game.
    seed, deck, jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    base = load_rules(rules)
    tried = _values(values, base, players)
    found = _lineups(lineups, players)
    bundles = [
        tuple(
            make_match(make_setting(players, deck=deck, rules=rule_set), lineup)
            for rule_set in [base, *(_changed(base, name, value) for value in others)]
            for lineup in found
        )
        for name, (_, others) in tried.items()
    ]
    sets = [1 + len(others) for _, others in tried.values()]
    plan = plan_for_games(bundles, [games * number for number in sets], seed, chunk_games)
    fields = {name: [here, *others] for name, (here, others) in tried.items()}
    return ask(plan, {"kind": "vary_rules", "lineups": len(found), "fields": fields}, how)


def _values(
    values: Mapping[str, Sequence[Any]], base: Rules, players: int
) -> dict[str, tuple[Any, list[Any]]]:
    """The value in force and the others, by rule field."""
    if not isinstance(values, Mapping) or not values:
        raise PaxsimError(f"values: found {told(values)}; allowed: a rule field or more")
    in_force = base.resolve(players)
    found = {}
    for name, tried in values.items():
        if name not in field_names() or name in LIST_LENGTHS:
            raise unknown("rules: field", name, [f for f in field_names() if f not in LIST_LENGTHS])
        listed = list(dict.fromkeys(checked_list(f"rules: {name}", tried, "a list of values")))
        others = [value for value in listed if value != in_force[name]]
        if not others or len(others) >= MAX_VALUES:
            raise PaxsimError(
                f"rules: {name}: found {told(listed)}; allowed: one value or more besides "
                f"{told(in_force[name])}, which is in force, and fewer than {MAX_VALUES}"
            )
        found[name] = (in_force[name], others)
    return found


def _changed(base: Rules, name: str, value: Any) -> Rules:
    """A rule set with another value, which may be the published one."""
    return load_rules({**base.changed(), name: value})


def _lineups(lineups: Sequence[LineupLike], players: int) -> list[Lineup]:
    """The line-ups of a field; solo has no others to be a field."""
    players = checked_int("players", players, 2, MAX_PLAYERS)
    found = checked_list("lineups", lineups, "a list of line-ups")
    if not 1 <= len(found) <= MAX_LINEUPS:
        raise PaxsimError(f"lineups: found {len(found)}; allowed: 1 to {MAX_LINEUPS}")
    return [make_lineup(lineup, players) for lineup in found]
