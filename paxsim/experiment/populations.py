"""Experiments over many line-ups, and meta-games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, safe_repr, unknown
from paxsim.experiment.api import DEFAULT_GAMES, RulesLike, checked_games
from paxsim.experiment.design import CHUNK_GAMES, Match, Plan, make_match, plan_for_games
from paxsim.experiment.fieldgroups import FEW_TOGETHER, group_arguments, group_folders, merge_groups
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress, RunOptions, Standing, ask
from paxsim.gametheory.games import Counts, drawn_multisets, multisets, number_of_multisets
from paxsim.lineup import LINEUP_SEED, Lineup, as_specs, draw_lineups, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.rules import LIST_LENGTHS, MAX_PLAYERS, Rules, field_names, load_rules
from paxsim.setting import MAX_NUMBER, Setting, make_setting

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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
    games, seed = checked_games(games), checked_int("seed", seed, 0, MAX_NUMBER)
    players = checked_int("players", players, 2, MAX_PLAYERS)
    lineups = draw_lineups([get_policy(one) for one in as_specs(strategies)], players)
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
        raise PaxsimError(f"values: found {safe_repr(values)}; allowed: a rule field or more")
    in_force = base.resolve(players)
    found = {}
    for name, tried in values.items():
        if name not in field_names() or name in LIST_LENGTHS:
            raise unknown("rules: field", name, [f for f in field_names() if f not in LIST_LENGTHS])
        listed = list(dict.fromkeys(checked_list(f"rules: {name}", tried, "a list of values")))
        others = [value for value in listed if value != in_force[name]]
        if not others or len(others) >= MAX_VALUES:
            raise PaxsimError(
                f"rules: {name}: found {safe_repr(listed)}; allowed: one value or more besides "
                f"{safe_repr(in_force[name])}, which is in force, and fewer than {MAX_VALUES}"
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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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
    found = [get_policy(spec) for spec in as_specs(policies)]
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
