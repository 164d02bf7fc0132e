"""Questions about a field of many line-ups: how it fares, and what numbers of the rules do to it.

One line-up is a sample of one. Here several play the same deals, and what is said is about all of
them together (`paxsim.experiment.pooling`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, unknown
from paxsim.experiment.ask import HowToRun, ask
from paxsim.experiment.cutting import CHUNK_GAMES
from paxsim.experiment.fieldgroups import (
    FEW_TOGETHER,
    group_arguments,
    group_folders,
    merge_groups,
)
from paxsim.experiment.plan import make_match, plan_for_games
from paxsim.experiment.questions import DEFAULT_GAMES, RulesLike, checked_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress, Standing
from paxsim.lineup import Lineup, as_specs, draw_lineups, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.registry import find_policy
from paxsim.quoting import told
from paxsim.rules import LIST_LENGTHS, MAX_PLAYERS, Rules, field_names, load_rules
from paxsim.setting import MAX_NUMBER, make_setting

#: Rule sets and line-ups of one question, at most: all of a bundle are tallied together.
MAX_LINEUPS = 40
MAX_VALUES = 24
#: Tasks of a group, so that all workers have something to do.
GROUP_TASKS = 8


def simulate_field(
    lineups: Sequence[LineupLike],
    players: int,
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


def vary_rules_among(
    values: Mapping[str, Sequence[Any]],
    strategies: LineupLike,
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
    """The same over all line-ups that a tournament of these strategies has.

    They are asked about in small groups, each with deals of its own: group k has the seed and k
    more. So does the report, whose figures are got again with its seed and number of games.

    Parameters
    ----------
    values, players, deck, rules
        As for `vary_rules`.
    strategies : str or sequence
        From whom line-ups are drawn, each equally often.
    games : int
        Games of each rule set, over all line-ups; two deals a group at least.
    out : path, optional
        Keeps a folder a group.
    seed, jobs, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games, seed = checked_games(games), checked_int("seed", seed, 0, MAX_NUMBER)
    players = checked_int("players", players, 2, MAX_PLAYERS)
    lineups = draw_lineups([find_policy(one) for one in as_specs(strategies)], players)
    deals = max(2, -(-games // (players * len(lineups))))
    groups = group_arguments(lineups, FEW_TOGETHER, players=players, deals=deals, seed=seed)
    folders = group_folders(Path(how.out), len(groups)) if how.out else [None] * len(groups)
    tried = _values(values, load_rules(rules), players)
    sets = sum(1 + len(others) for _, others in tried.values())
    task = max(1, min(chunk_games, sets * groups[0]["games"] // GROUP_TASKS))
    found: list[Result] = []
    with how.shown_progress() as shown:
        for group, folder in zip(groups, folders, strict=True):
            found.append(
                vary_rules(
                    values, **group, deck=deck, rules=rules, jobs=jobs, out=folder, backend=backend,
                    address=address, chunk_games=task, command=command, notices=notices,
                    progress=_one_of(len(groups), sum(one.games for one in found), shown),
                )
            )  # fmt: skip
    result = merge_groups(found)
    result.timing = {
        **found[0].timing,
        **{name: sum(one.timing[name] for one in found) for name in ("seconds", "playing_seconds")},
        "damaged": [name for one in found for name in one.timing["damaged"]],
    }
    return result


def _one_of(groups: int, done: int, shown: Progress | None) -> Progress | bool:
    """Tells how far a run of so many equal groups is, while one of them is played."""
    if shown is None:
        return False

    def tell(at: Standing, more: int) -> None:
        expected = None if at.expected is None else groups * at.expected
        shown(replace(at, games=done + at.games, expected=expected), more)

    return tell


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
