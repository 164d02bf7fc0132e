"""Questions that users ask: simulate, tournament, compare, solo, ablate, metagame and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from paxsim.cards import CATEGORIES, DEFAULT_DECK, Deck
from paxsim.errors import (
    PaxsimError,
    checked_bool,
    checked_int,
    checked_list,
    is_integer,
    is_number,
    safe_repr,
    unknown,
)
from paxsim.experiment.design import Match, Plan, blocks_for_games, make_match, plan_for_games
from paxsim.experiment.estimates import (
    MatchMeasures,
    bundle_moments,
    checked_precision,
    games_if_fixed,
    games_when_watched,
    precision_rule,
    sequential_rule,
)
from paxsim.experiment.result import Result
from paxsim.experiment.run import RunOptions, run, run_plan
from paxsim.lineup import LINEUP_SEED, Lineup, as_specs, draw_lineups, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.policies.restricted import (
    ACTIONS,
    POWERS,
    Forbidden,
    make_restricted,
    read_forbidden,
    rules_without,
)
from paxsim.rules import LIST_LENGTHS, MAX_PLAYERS, SOLO_LEVELS, Rules, field_names, load_rules
from paxsim.setting import DEFAULT_PLAYERS, Setting, make_setting, players_meant
from paxsim.stats import describe_power
from paxsim.stats.sequential import half_width
from paxsim.text import significant

if TYPE_CHECKING:
    from paxsim.gametheory.games import Counts

#: Default number of games; the limit, below which all sums are exact in 64 bits; and the limit of
#: a run with a target precision.
DEFAULT_GAMES = 100_000
MAX_GAMES = 10_000_000_000
PRECISION_GAMES = 20_000_000
#: Blocks played to see how much results vary from block to block.
PILOT_BLOCKS = 1_000
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
    plan = _simulation(policies, players, games, seed, permutations=permutations, **setting)
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
    plan = _simulation(policies, players, games, seed, **setting)
    lines = []
    for (match,), blocks in zip(_pilot(plan), plan.blocks, strict=True):
        where = f"{match.players} players: " if match.players > 1 else "Solo: "
        if target is None:
            sd = max(variance for _, variance in match.watched_variances()) ** 0.5
            half = significant(100 * half_width(blocks, sd), 2)
            lines.append(f"{where}{blocks * match.facts.block_size:,} games give ±{half}%.")
            continue
        fixed, watched = games_if_fixed(match, target), games_when_watched(match, target)
        lines.append(
            f"{where}±{significant(100 * target)}% takes about {fixed:,} games if their number "
            f"is fixed beforehand (--games {fixed}), and about {watched:,} with --precision, which "
            f"may stop at any time; this run has at most {plan.games:,}."
        )
    return lines


def _pilot(plan: Plan) -> list[list[MatchMeasures]]:
    """Play the first blocks of every bundle of a plan."""
    trial = replace(plan, blocks=(PILOT_BLOCKS,) * len(plan.bundles))
    measures = []
    for bundle, tally in zip(plan.bundles, run_plan(trial), strict=True):
        facts = [match.facts for match in bundle]
        measures.append([MatchMeasures(facts, i, tally) for i in range(len(facts))])
    return measures


def _simulation(
    policies: LineupLike,
    players: int | Sequence[int] | None,
    games: Any,
    seed: int,
    *,
    solo_level: int | None = None,
    permutations: bool = False,
    **cards_and_rules: Any,
) -> Plan:
    games = checked_games(games)
    specs = as_specs(policies)
    if players is None:
        players = players_meant(len(specs), solo_level)
    if players is None:
        players = 1 if solo_level is not None else DEFAULT_PLAYERS
    bundles = []
    for count in _numbers("players", players, 1, MAX_PLAYERS):
        setting = make_setting(count, solo_level=solo_level, **cards_and_rules)
        lineup = make_lineup(specs, setting.players)
        bundles.append((make_match(setting, lineup, permutations),))
    return plan_for_games(bundles, [games] * len(bundles), seed)


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
    bundles: list[tuple[Match, ...]] = []
    shares: list[int] = []
    for count in _numbers("players", players, 2, MAX_PLAYERS):
        setting = make_setting(count, deck=deck, rules=rules)
        lineups = draw_lineups(contestants, count)
        _check_enough(games, len(lineups), count)
        bundles += [(make_match(setting, make_lineup(lineup, count)),) for lineup in lineups]
        shares += [-(-games // len(lineups))] * len(lineups)
    plan = plan_for_games(bundles, shares, seed)
    return run(plan, {"kind": "tournament"}, run_options)


def find_strategies(policies: LineupLike) -> list[Policy]:
    """Return the policies of a tournament or meta-game."""
    chosen = [get_policy(spec) for spec in as_specs(policies)]
    labels = [policy.label for policy in chosen]
    if len(set(labels)) < max(2, len(chosen)):
        raise PaxsimError(f"policies must be two or more, all different, got {', '.join(labels)}")
    return chosen


#: Blocks of a line-up at least: a single one says nothing about chance.
FEWEST_BLOCKS = 2


def _check_enough(games: int, lineups: int, players: int) -> None:
    fewest = FEWEST_BLOCKS * players * lineups
    if games < fewest:
        raise PaxsimError(
            f"games must be at least {fewest} for {lineups} line-ups of {players} players, "
            f"got {games}"
        )


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
    chosen = _numbers("levels", levels, SOLO_LEVELS[0], SOLO_LEVELS[-1])
    settings = [make_setting(1, solo_level=level, deck=deck, rules=rules) for level in chosen]
    # All levels of a policy have common deals, for the chance of a whole campaign.
    bundles = [
        tuple(make_match(setting, make_lineup([spec], 1)) for setting in settings)
        for spec in as_specs(policies)
    ]
    plan = plan_for_games(bundles, [games * len(chosen)] * len(bundles), seed)
    return run(plan, {"kind": "solo"}, run_options)


def checked_games(games: Any) -> int:
    """Return a valid number of games, which may be written as 1e6."""
    number = int(games) if isinstance(games, float) and games.is_integer() else games
    if not is_integer(number) or not 1 <= number <= MAX_GAMES:
        raise PaxsimError(
            f"games must be a whole number from 1 to {MAX_GAMES:,}, such as 100_000 or 1e6, "
            f"got {safe_repr(games)}"
        )
    return int(number)


def _numbers(field: str, value: int | Sequence[int], low: int, high: int) -> list[int]:
    """Return one number or several, such as player counts, as a list."""
    expected = f"a whole number from {low} to {high}, or a list of them"
    values = [value] if is_integer(value) else checked_list(field, value, expected)
    numbers = [checked_int(field, number, low, high) for number in values]
    if len(set(numbers)) < len(numbers):
        raise PaxsimError(f"{field} must all be different, got {safe_repr(value)}")
    return numbers


# --- comparisons ----------------------------------------------------------------------------


def compare(
    a: str | Policy,
    b: str | Policy,
    opponents: LineupLike = "random",
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    delta: float = 0.0,
    sequential: bool = False,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Compare two policies against the same opponents on the same deals.

    Parameters
    ----------
    a, b : str or Policy
        The two candidates; each plays with the same opponents, seat by seat and deal by deal.
    opponents : str, Policy or sequence
        Policies at the other seats: one policy, or ``players - 1``.
    players, games, seed
        As for `simulate`; `games` counts those of both candidates.
    delta : float
        Test whether `a` is better by more than this (a win rate, 0.01 is one percentage point).
    sequential : bool
        Stop as soon as the sequential test has decided; `games` is then the limit.
    deck, rules, **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the table ``comparison``, and those of `simulate`.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.compare("tribune", "random", players=2, games=4_000, progress=False)
    >>> result["comparison"]["decision"].tolist()
    ['better']
    """
    plan = _comparison(a, b, opponents, players, games, seed, delta, deck, rules)
    sequential = checked_bool("sequential", sequential)
    question = {"kind": "compare", "delta": float(delta), "sequential": sequential}
    stop = sequential_rule(plan, delta) if sequential else None
    return run(plan, question, run_options, stop)


def comparison_size(
    a: str | Policy,
    b: str | Policy,
    opponents: LineupLike = "random",
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    delta: float,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
) -> list[str]:
    """Estimate how many games `compare` needs to detect a difference of `delta`, in a sentence.

    A pilot of 1,000 blocks is played. Parameters are as for `compare`.
    """
    plan = _comparison(a, b, opponents, players, games, seed, delta, deck, rules)
    if delta == 0:
        raise PaxsimError("delta must be the smallest difference that matters, e.g. 1%, got 0")
    (bundle,) = _pilot(plan)
    moments = bundle_moments(bundle)
    i, j = 0, bundle[0].layout.size
    covariance = moments.covariance
    sd = max(covariance[i, i] - 2 * covariance[i, j] + covariance[j, j], 1e-12) ** 0.5
    return [describe_power(delta, plan.block_games(0), sd, plan.games)]


def _comparison(
    a: str | Policy,
    b: str | Policy,
    opponents: LineupLike,
    players: int,
    games: Any,
    seed: int,
    delta: Any,
    deck: str | Path | Deck,
    rules: RulesLike,
) -> Plan:
    games = checked_games(games)
    if not is_number(delta) or not -1 < delta < 1:
        raise PaxsimError(f"delta must be between -100% (-1) and 100% (1), got {safe_repr(delta)}")
    setting = make_setting(players, deck=deck, rules=rules)
    checked_int("players", setting.players, 2, MAX_PLAYERS)
    others = as_specs(opponents, "opponents")
    if len(others) == 1:
        others *= setting.players - 1
    if len(others) != setting.players - 1:
        raise PaxsimError(
            f"opponents must be one policy, or {players - 1} with {players} players, "
            f"got {len(others)}"
        )
    bundle = tuple(
        make_match(setting, make_lineup([candidate, *others], setting.players), every_seat=True)
        for candidate in (a, b)
    )
    return plan_for_games([bundle], [games], seed)


def compare_rules(
    policies: LineupLike,
    variants: Sequence[RulesLike],
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Measure the effect of rule changes, one at a time, on the same deals.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up.
    variants : sequence
        Rule changes, each compared with the game without it.
    players, games, seed
        As for `simulate`; `games` are those of each rule set.
    rules : str, path, dict or Rules, optional
        The rule set that is changed (default: the published game).
    deck, **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the table ``rule_changes``, and those of `simulate`.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.compare_rules("random", ["rome_needs=5"], games=400, progress=False)
    >>> result["rule_changes"]["rules"].tolist()
    ['rome_needs=5']
    """
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
    plan = plan_for_games(bundles, [2 * games] * len(bundles), seed)
    return run(plan, {"kind": "compare_rules"}, run_options)


# --- several line-ups as one ----------------------------------------------------------------

#: Limit for the line-ups of a group, which share deals: with one rule set, and with several.
GROUP_LINEUPS, GROUP_LINEUPS_BY_RULES = 15, 3
#: Limit for the rule sets that are compared on common deals.
MAX_VALUES = 24

Member = TypeVar("Member")


def equal_groups(members: Sequence[Member], most: int) -> list[list[Member]]:
    """Split a sequence into groups of one size, the largest up to a limit."""
    size = max(n for n in range(1, most + 1) if len(members) % n == 0)
    return [list(members[first : first + size]) for first in range(0, len(members), size)]


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

    A block is one deal, played by all line-ups in all rotations. More than 15 line-ups play in
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
    groups = equal_groups(_lineups(lineups, players), GROUP_LINEUPS)
    bundles = [tuple(make_match(setting, lineup) for lineup in group) for group in groups]
    plan = plan_for_games(bundles, [-(-games // len(groups))] * len(groups), seed, len(groups))
    return run(plan, {"kind": "simulate_lineups", "lineups": len(groups[0])}, run_options)


def vary_rules(
    values: Mapping[str, Sequence[Any]],
    lineups: Sequence[LineupLike] | None = None,
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    strategies: LineupLike | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Measure the effect of several values of a rule, one rule at a time, on the same deals.

    Parameters
    ----------
    values : mapping of str to sequence
        Rule fields with the values to try; the value in force is added.
    lineups : sequence, optional
        One or more line-ups, each as for `simulate`. More than 3 play in groups, each on its own
        deals; group k has the seed plus k.
    players : int
        Number of seats.
    games : int
        Games of each rule set, over all line-ups; at least two deals of each.
    strategies : str or sequence, optional
        Instead of line-ups: all that a tournament of these strategies has.
    rules : str, path, dict or Rules, optional
        The rule set that is changed (default: the published game).
    seed, deck, **run_options
        As for `simulate`.
    """
    players = checked_int("players", players, 2, MAX_PLAYERS)
    if strategies is not None and lineups is None:
        lineups = draw_lineups([get_policy(one) for one in as_specs(strategies)], players)
    base = load_rules(rules)
    fields = _values(values, base, players)
    groups = equal_groups(_lineups(lineups, players), GROUP_LINEUPS_BY_RULES)
    games = max(checked_games(games), FEWEST_BLOCKS * players * sum(map(len, groups)))
    bundles = []
    sets = []
    for name, tried in fields.items():
        changed = (load_rules({**base.changed(), name: value}) for value in tried[1:])
        settings = [make_setting(players, deck=deck, rules=one) for one in (base, *changed)]
        bundles += [
            tuple(make_match(setting, lineup) for setting in settings for lineup in group)
            for group in groups
        ]
        sets += [len(tried)] * len(groups)
    share = -(-games // len(groups))
    plan = plan_for_games(bundles, [share * number for number in sets], seed, len(groups))
    question = {"kind": "vary_rules", "lineups": len(groups[0]), "fields": fields}
    return run(plan, question, run_options)


def _values(values: Mapping[str, Sequence[Any]], base: Rules, players: int) -> dict[str, list[Any]]:
    """Return the values by rule field, the one in force first."""
    if not isinstance(values, Mapping) or not values:
        raise PaxsimError(f"values must name one or more rule fields, got {safe_repr(values)}")
    in_force = base.resolve(players)
    fields = {}
    for name, tried in values.items():
        if name not in field_names() or name in LIST_LENGTHS:
            raise unknown("rules: field", name, [f for f in field_names() if f not in LIST_LENGTHS])
        listed = list(dict.fromkeys(checked_list(f"rules: {name}", tried, "a list of values")))
        others = [value for value in listed if value != in_force[name]]
        if not 1 <= len(others) < MAX_VALUES:
            raise PaxsimError(
                f"rules: {name} must have 1 to {MAX_VALUES - 1} values besides "
                f"{safe_repr(in_force[name])}, which is in force, got {safe_repr(listed)}"
            )
        fields[name] = [in_force[name], *others]
    return fields


def _lineups(lineups: Sequence[LineupLike] | None, players: int) -> list[Lineup]:
    players = checked_int("players", players, 2, MAX_PLAYERS)
    chosen = checked_list("lineups", lineups, "a list of line-ups")
    if len(chosen) > MOST_LINEUPS:
        raise PaxsimError(f"there can be at most {MOST_LINEUPS} line-ups, got {len(chosen)}")
    return [make_lineup(lineup, players) for lineup in chosen]


# --- meta-games -----------------------------------------------------------------------------

#: Limit for the line-ups that are played; of more, these are drawn and the others estimated.
MOST_PLAYED = 500
#: Limit for the line-ups of a meta-game.
MOST_LINEUPS = 3_500
#: Default blocks of each line-up: every win rate, and Rome's, is then known to a percentage point
#: (95 %) or better, and differences on common deals are more precise.
BLOCKS = 10_000


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
    from paxsim.gametheory.games import drawn_multisets, multisets  # no other experiment needs it

    strategies = find_strategies(policies)
    setting = table_setting(len(strategies), players, deck, rules)
    rows = drawn_multisets(len(strategies), setting.players, MOST_PLAYED, LINEUP_SEED)
    lineups = multisets(len(strategies), setting.players)[rows]
    blocks = BLOCKS if games is None else blocks_each(games, len(lineups), setting.players)
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


def blocks_each(games: int, lineups: int, players: int) -> int:
    """Return the blocks of each line-up that make this many games in all."""
    games = checked_games(games)
    _check_enough(games, lineups, players)
    return -(-games // (players * lineups))


def plan_of(
    strategies: Sequence[Policy], setting: Setting, lineups: Counts, blocks: int, seed: int
) -> Plan:
    """Return a plan of line-ups on common deals, each given by the seats of every strategy."""
    bundles: list[tuple[Match, ...]] = []
    for counts in lineups:
        seats = zip(strategies, counts.tolist(), strict=True)
        seated = [policy for policy, number in seats for _ in range(number)]
        bundles.append((make_match(setting, make_lineup(seated, setting.players)),))
    return Plan(tuple(bundles), (blocks,) * len(bundles), seed)


# --- ablation -------------------------------------------------------------------------------

#: Values of `seats`: one seat after another is restricted, or all at once.
ONE, ALL = "1", "all"
#: Words that stand for several restrictions.
_GROUPS = {"categories": CATEGORIES, "actions": ACTIONS, "powers": tuple(POWERS)}

#: Tuned policies by what is forbidden to them ("" for nothing) and position.
Answers = Mapping[tuple[str, int], Policy]


@dataclass(frozen=True)
class Restriction:
    """Something that is forbidden to a seat, or to all.

    Attributes
    ----------
    without : str
        What is forbidden (see `paxsim.policies.restricted`); ``+`` joins several things.
    position : int or None
        The position of the line-up to which it is forbidden; None for all.
    """

    without: str
    position: int | None

    def apply(self, setting: Setting, lineup: Lineup) -> tuple[Setting, Lineup]:
        """Return the rules and the line-up with the restriction."""
        words = self.without.split("+")
        powers = [word for word in words if word in POWERS] if self.position is None else []
        declined = "+".join(word for word in words if word not in powers)
        policies = list(lineup.policies)
        if declined:
            forbidden = read_forbidden(declined)
            _check_cards(forbidden, setting.deck)
            places = range(len(policies)) if self.position is None else [self.position]
            for place in places:
                policies[place] = make_restricted(policies[place], forbidden)
        rules = replace(setting.rules, **rules_without(powers))  # type: ignore[arg-type]
        return replace(setting, rules=rules), make_lineup(policies, setting.players)

    def pair(
        self, setting: Setting, lineup: Lineup, answers: Answers | None
    ) -> tuple[Match, Match]:
        """Return the match without the restriction and the one with it."""
        restricted = self.apply(setting, lineup)
        if answers is not None:
            lineup = self._answered(lineup, answers, "")
            restricted = restricted[0], self._answered(restricted[1], answers, self.without)
        return (
            make_match(setting, lineup, every_seat=True),
            make_match(*restricted, every_seat=True),
        )

    def _answered(self, lineup: Lineup, answers: Answers, without: str) -> Lineup:
        """Return the line-up with the tuned policy at the restricted position."""
        policies = list(lineup.policies)
        if self.position is None or (without, self.position) not in answers:
            where = "all seats" if self.position is None else f"position {self.position + 1}"
            raise PaxsimError(
                f"answers must come from tune_for_ablation with the same arguments; there is none "
                f"without {without or 'anything'!r} for {where}"
            )
        policies[self.position] = answers[without, self.position]
        return Lineup(tuple(policies))


def ablate(
    policies: LineupLike,
    without: str | Sequence[str],
    players: int | None = None,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    seats: int | str = ONE,
    positions: Sequence[int] | None = None,
    answers: Answers | None = None,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Measure the value of a card, category, action or power by forbidding it.

    Every restriction is played on the same deals as the line-up without it, and differences are
    taken within blocks.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up: one policy for every seat, or as many as players.
    without : str or sequence of str
        Things that are forbidden, one after another; ``"A+B"`` forbids two things together. A
        category or a card (``land/2/4``): never added to the display. ``peek``, ``buy``, ``react``,
        ``second`` (more than one card a turn): never done. ``double-draw`` (religion), ``discount``
        (wealth), ``bonus`` (fleets and armies), ``senator-income``: a change of the rules, for all
        seats only. ``categories``, ``actions``, ``powers``, ``cards``: each of them in turn.
    players, games, seed, solo_level, deck, rules
        As for `simulate`; `games` are those of each restriction, and as many are played without it.
    seats : 1 or "all"
        Restrict one position of the line-up, each in turn, or all of them at once.
    positions : sequence of int, optional
        With one seat at a time: only these positions of the line-up, from 1.
    answers : mapping, optional
        Policies tuned to play with and without what is forbidden, instead of the line-up's: see
        `paxsim.tuning.tune_for_ablation`.
    **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the table ``restrictions``, and those of `simulate`.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.ablate("random", "peek", 2, games=400, progress=False)
    >>> result["restrictions"]["without"].tolist()
    ['peek']
    """
    games = checked_games(games)
    setting, lineup = setting_and_lineup(policies, players, solo_level, deck, rules)
    restrictions = restrictions_of(lineup, setting.deck, without, seats, positions)
    bundles = tuple(restriction.pair(setting, lineup, answers) for restriction in restrictions)
    blocks = (blocks_for_games(games, bundles[0][0].block_size),) * len(bundles)
    question = {
        "kind": "ablate",
        "without": [restriction.without for restriction in restrictions],
        "positions": [restriction.position for restriction in restrictions],
        "tuned": answers is not None,
    }
    return run(Plan(bundles, blocks, seed), question, run_options)


def setting_and_lineup(
    policies: LineupLike,
    players: int | None,
    solo_level: int | None,
    deck: str | Path | Deck,
    rules: RulesLike,
) -> tuple[Setting, Lineup]:
    """Return the setting and the line-up; by default as many play as there are policies."""
    specs = as_specs(policies)
    if players is None:
        players = players_meant(len(specs), solo_level)
    setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
    return setting, make_lineup(specs, setting.players)


def restrictions_of(
    lineup: Lineup,
    deck: Deck,
    without: str | Sequence[str],
    seats: int | str,
    positions: Sequence[int] | None,
) -> list[Restriction]:
    """Return all restrictions, one thing and one position after another."""
    return [
        Restriction(words, position)
        for words in _things(without, deck)
        for position in _positions(lineup, seats, positions)
    ]


def _things(without: str | Sequence[str], deck: Deck) -> list[str]:
    """Return the things that are forbidden one after another, with words for several replaced."""
    if isinstance(without, str):
        without = without.split(",")
    things: list[str] = []
    for one in checked_list("without", without, "a list such as intrigue,peek,land/2/4"):
        words = [word.strip() for word in one.split("+")] if isinstance(one, str) else [""]
        if not all(words):
            raise PaxsimError(
                f"without must be like intrigue or intrigue+peek, got {safe_repr(one)}"
            )
        if words == ["cards"]:
            things += map(str, deck.counts)
        elif len(words) == 1 and words[0] in _GROUPS:
            things += _GROUPS[words[0]]
        else:
            things.append("+".join(words))
    return list(dict.fromkeys(things))


def _positions(
    lineup: Lineup, seats: int | str, positions: Sequence[int] | None
) -> list[int | None]:
    """Return the positions that are restricted in turn, or None for all at once.

    Of positions with the same neighbours all around the table, which play the same games, only the
    first is restricted.
    """
    if str(seats) == ALL and positions is None:
        return [None]
    if str(seats) != ONE:
        more = "" if positions is None else " with positions"
        raise PaxsimError(
            f"seats must be {ONE} (one at a time) or {ALL}, got {safe_repr(seats)}{more}"
        )
    labels = lineup.labels
    if positions is not None:
        chosen = checked_list("positions", positions, "a list of numbers, e.g. [1, 3]")
        return [checked_int("position", one, 1, len(labels)) - 1 for one in dict.fromkeys(chosen)]
    around = {tuple(lineup.at_seats(place)): place for place in reversed(range(len(labels)))}
    return [*sorted(around.values())]


def _check_cards(forbidden: Forbidden, deck: Deck) -> None:
    """Check that the deck has all cards that are forbidden."""
    for card in forbidden.cards:
        if card not in deck.counts:
            raise unknown(f"without: deck {deck.name}: card", str(card), map(str, deck.counts))
