"""Runs that compare matches on the same deals: policies, rules and restrictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from paxsim.cards import CATEGORIES, DEFAULT_DECK, Deck
from paxsim.errors import (
    PaxsimError,
    checked_bool,
    checked_int,
    checked_list,
    safe_repr,
    unknown,
)
from paxsim.experiment.design import Match, Plan, blocks_for_games, make_match, plan_for_games
from paxsim.experiment.estimates import bundle_moments, checked_share, sequential_rule
from paxsim.experiment.result import Result
from paxsim.experiment.run import RunOptions, run
from paxsim.experiment.simulation import (
    DEFAULT_GAMES,
    RulesLike,
    checked_games,
    checked_lineups,
    equal_groups,
    play_pilot,
)
from paxsim.experiment.tournaments import FEWEST_BLOCKS
from paxsim.lineup import Lineup, as_specs, make_lineup
from paxsim.playing import LineupLike, prepare
from paxsim.policies.policy import Policy
from paxsim.policies.restricted import (
    ACTIONS,
    POWERS,
    make_restricted,
    read_forbidden,
    rules_without,
)
from paxsim.rules import LIST_LENGTHS, MAX_PLAYERS, Rules, field_names, load_rules
from paxsim.setting import Setting, make_setting
from paxsim.stats import describe_power

#: Limit for the line-ups that share deals when values of a rule are compared, and for the values.
GROUP_LINEUPS_BY_RULES, MAX_VALUES = 3, 24
#: Values of `seats`: one seat after another is restricted, or all at once.
ONE, ALL = "1", "all"
#: Words that stand for several restrictions.
_GROUPS = {"categories": CATEGORIES, "actions": ACTIONS, "powers": tuple(POWERS)}

#: Tuned policies by what is forbidden to them ("" for nothing) and position.
Answers = Mapping[tuple[str, int], Policy]


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
        With `sequential`: test whether `a` is better by more than this (0.01 is one percentage
        point).
    sequential : bool
        Stop as soon as a sequential test has decided; `games` is then the limit.
    deck, rules, **run_options
        As for `simulate`.

    Returns
    -------
    Result
        With the table ``comparison``, and those of `simulate`. The difference has an interval and
        a p-value, or with `sequential` an interval and a decision.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.compare("tribune", "random", players=2, games=4_000, progress=False)
    >>> result["comparison"][["difference", "difference_low"]].round(2).values.tolist()
    [[0.24, 0.21]]
    """
    plan = _plan(a, b, opponents, players, games, seed, delta, deck=deck, rules=rules)
    sequential = checked_bool("sequential", sequential)
    if not sequential:
        if delta:
            raise PaxsimError("delta is only for --until-decided (sequential=True) and --plan")
        return run(plan, {"kind": "compare"}, run_options)
    question = {"kind": "compare", "delta": float(delta), "sequential": True}
    return run(plan, question, run_options, sequential_rule(plan, delta))


def comparison_size(
    a: str | Policy,
    b: str | Policy,
    opponents: LineupLike = "random",
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    delta: float,
    **setting: Any,
) -> list[str]:
    """Estimate how many games `compare` needs to detect a difference of `delta`, in a sentence.

    A pilot of 1,000 blocks is played. Parameters are as for `compare`.
    """
    plan = _plan(a, b, opponents, players, games, seed, delta, **setting)
    if delta == 0:
        raise PaxsimError("delta must be the smallest difference that matters, e.g. 1%, got 0")
    (bundle,) = play_pilot(plan)
    moments = bundle_moments(bundle)
    i, j = 0, bundle[0].layout.size
    covariance = moments.covariance
    sd = max(covariance[i, i] - 2 * covariance[i, j] + covariance[j, j], 1e-12) ** 0.5
    return [describe_power(delta, plan.block_games(0), sd, plan.games)]


def _plan(
    a: str | Policy,
    b: str | Policy,
    opponents: LineupLike,
    players: int,
    games: Any,
    seed: int,
    delta: Any,
    **cards_and_rules: Any,
) -> Plan:
    games = checked_games(games)
    checked_share("delta", delta, -1, 1)
    setting = make_setting(players, **cards_and_rules)
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


def vary_rules(
    values: Mapping[str, Sequence[Any]],
    lineups: Sequence[LineupLike],
    players: int = 4,
    games: float = DEFAULT_GAMES,
    seed: int = 0,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    **run_options: Unpack[RunOptions],
) -> Result:
    """Measure the effect of several values of a rule, one rule at a time, on the same deals.

    Parameters
    ----------
    values : mapping of str to sequence
        Rule fields with the values to try; the value in force is added.
    lineups : sequence
        The line-ups, each as for `simulate`. More than 3 play in groups, each on its own deals;
        group k has the seed plus k.
    players : int
        Number of seats.
    games : int
        Games of each rule set, over all line-ups; at least two deals of each.
    rules : str, path, dict or Rules, optional
        The rule set that is changed (default: the published game).
    seed, deck, **run_options
        As for `simulate`.
    """
    players = checked_int("players", players, 2, MAX_PLAYERS)
    base = load_rules(rules)
    fields = _values(values, base, players)
    groups = equal_groups(checked_lineups(lineups, players), GROUP_LINEUPS_BY_RULES)
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


# --- ablation -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Restriction:
    """Something that is forbidden to a position of the line-up, or to all (None)."""

    without: str  # several things are joined by "+", see `paxsim.policies.restricted`
    position: int | None

    def apply(self, setting: Setting, lineup: Lineup) -> tuple[Setting, Lineup]:
        """Return the rules and the line-up with the restriction."""
        words = self.without.split("+")
        powers = [word for word in words if word in POWERS] if self.position is None else []
        declined = "+".join(word for word in words if word not in powers)
        policies = list(lineup.policies)
        if declined:
            forbidden, deck = read_forbidden(declined), setting.deck
            for card in forbidden.cards:
                if card not in deck.counts:
                    field = f"without: deck {deck.name}: card"
                    raise unknown(field, str(card), map(str, deck.counts))
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
        answer = answers.get((without, -1 if self.position is None else self.position))
        if self.position is None or not isinstance(answer, Policy):
            where = "all seats" if self.position is None else f"position {self.position + 1}"
            raise PaxsimError(
                f"answers must come from tune_for_ablation with the same arguments; there is none "
                f"without {without or 'anything'!r} for {where}"
            )
        policies[self.position] = answer
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
    if answers is not None and not isinstance(answers, Mapping):
        raise PaxsimError(f"answers must come from tune_for_ablation, got {safe_repr(answers)}")
    setting, lineup = prepare(policies, players, solo_level, deck, rules)
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
        return [checked_int("positions", one, 1, len(labels)) - 1 for one in dict.fromkeys(chosen)]
    around = {tuple(lineup.at_seats(place)): place for place in reversed(range(len(labels)))}
    return [*sorted(around.values())]
