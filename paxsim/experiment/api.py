"""The questions that users ask: simulate, tournament, solo; `pairedquestions` has comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
from paxsim.experiment.design import (
    CHUNK_GAMES,
    Match,
    Plan,
    blocks_for_games,
    make_match,
    plan_for_games,
)
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
from paxsim.experiment.run import Progress, RunOptions, ask, run_plan
from paxsim.lineup import Lineup, as_specs, draw_lineups, make_lineup
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
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules, load_rules
from paxsim.setting import DEFAULT_PLAYERS, Setting, make_setting, players_meant
from paxsim.stats import describe_power
from paxsim.stats.sequential import half_width
from paxsim.text import significant

#: Blocks played to see how much results vary from block to block.
PILOT_BLOCKS = 1_000


def pilot(plan: Plan) -> list[list[MatchMeasures]]:
    """Play the first blocks of every bundle of a plan."""
    trial = replace(plan, blocks=(PILOT_BLOCKS,) * len(plan.bundles))
    found = []
    for bundle, tally in zip(plan.bundles, run_plan(trial), strict=True):
        facts = [match.facts for match in bundle]
        found.append([MatchMeasures(facts, i, tally) for i in range(len(facts))])
    return found


def size_of_run(plan: Plan, precision: float | None) -> list[str]:
    """What a run will show, or how many games a precision will take, in sentences."""
    lines = []
    for (match,), blocks in zip(pilot(plan), plan.blocks, strict=True):
        where = f"{match.players} players: " if match.players > 1 else "Solo: "
        if precision is None:
            sd = max(variance for _, variance in match.watched_variances()) ** 0.5
            games = blocks * match.facts.block_size
            half = significant(100 * half_width(blocks, sd), 2)
            lines.append(f"{where}{games:,} games give ±{half}%.")
            continue
        fixed, watched = games_if_fixed(match, precision), games_when_watched(match, precision)
        lines.append(
            f"{where}±{significant(100 * precision)}% takes about {fixed:,} games if their number "
            f"is fixed beforehand (--games {fixed}), and about {watched:,} with --precision, which "
            f"may stop at any time; allowed: {plan.games:,}."
        )
    return lines


def size_of_comparison(plan: Plan, difference: float) -> list[str]:
    """How many games it takes to find that a is better than b by so much, in sentences."""
    (bundle,) = pilot(plan)
    moments = bundle_moments(bundle)
    a, b = 0, bundle[0].layout.size
    covariance = moments.covariance
    sd = max(covariance[a, a] - 2 * covariance[a, b] + covariance[b, b], 1e-12) ** 0.5
    return [describe_power(difference, plan.block_games(0), sd, plan.games)]


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
        How it is carried out: see `paxsim.experiment.ask.RunOptions`.
    """
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    found = [get_policy(spec) for spec in as_specs(policies)]
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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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
    if not is_integer(found) or not 1 <= found <= MAX_GAMES:
        raise PaxsimError(
            f"games: found {safe_repr(games)}; "
            f"allowed: a whole number from 1 to {MAX_GAMES}, such as 100_000 or 1e6"
        )
    return int(found)


def _numbers(field: str, found: int | Sequence[int], low: int, high: int) -> list[int]:
    """One number or several, such as player counts, as a list."""
    allowed = f"a whole number from {low} to {high}, or a list of such"
    several = [found] if is_integer(found) else checked_list(field, found, allowed)
    numbers = [checked_int(field, number, low, high) for number in several]
    if len(set(numbers)) < len(numbers):
        raise PaxsimError(f"{field}: found {safe_repr(found)}; allowed: every number once")
    return numbers


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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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
        raise PaxsimError(
            f"delta: found {safe_repr(delta)}; allowed: between -100% (-1) and 100% (1)"
        )
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
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
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


#: Who is restricted: one seat after another, or all at once.
ONE, ALL = "1", "all"
#: Words that stand for several questions.
_GROUPS = {"categories": CATEGORIES, "actions": ACTIONS, "powers": tuple(POWERS)}


#: Policies that have been tuned to play instead of the line-up's, by what is forbidden to them
#: ("" for nothing) and position.
Answers = Mapping[tuple[str, int], Policy]


@dataclass(frozen=True)
class Restriction:
    """Something that is forbidden to a seat, or to all.

    Attributes
    ----------
    without : str
        What, in the words of `paxsim.policies.forbidden`; several are forbidden together.
    position : int or None
        The position of the line-up that it is forbidden to; None for all.
    """

    without: str
    position: int | None

    def apply(self, setting: Setting, lineup: Lineup) -> tuple[Setting, Lineup]:
        """The rules and the line-up with which the restriction holds."""
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
        """The match without the restriction and the one with it."""
        bound = self.apply(setting, lineup)
        if answers is not None:
            lineup = self._answered(lineup, answers, "")
            bound = bound[0], self._answered(bound[1], answers, self.without)
        return make_match(setting, lineup, every_seat=True), make_match(*bound, every_seat=True)

    def _answered(self, lineup: Lineup, answers: Answers, without: str) -> Lineup:
        """The line-up with the tuned answer at the position in question."""
        policies = list(lineup.policies)
        if self.position is None or (without, self.position) not in answers:
            raise PaxsimError(
                f"answers: found none without {without or 'anything'!r} for "
                f"{'all seats' if self.position is None else f'position {self.position + 1}'}; "
                "allowed: what tune_for_ablation returns for the same question"
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
    jobs: int | None = None,
    out: str | Path | None = None,
    backend: str = "threads",
    address: str | None = None,
    chunk_games: int = CHUNK_GAMES,
    progress: Progress | bool | None = None,
    command: str = "",
    notices: list[str] | None = None,
) -> Result:
    """What is something worth: win rates and Rome's when a seat, or all, may not use it.

    Every restriction is played on the same deals as the line-up without it, and differences are
    taken within blocks.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up: one policy for every seat, or as many as players.
    without : str or sequence of str
        What is forbidden, one thing after another; ``"A+B"`` forbids two things together. A
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
    jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = RunOptions(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    setting, lineup = setting_and_lineup(policies, players, solo_level, deck, rules)
    asked = restrictions_of(lineup, setting.deck, without, seats, positions)
    bundles = tuple(restriction.pair(setting, lineup, answers) for restriction in asked)
    blocks = (blocks_for_games(games, bundles[0][0].block_size),) * len(bundles)
    question = {
        "kind": "ablate",
        "without": [restriction.without for restriction in asked],
        "positions": [restriction.position for restriction in asked],
        "tuned": answers is not None,
    }
    return ask(Plan(bundles, blocks, seed, chunk_games), question, how)


def setting_and_lineup(
    policies: LineupLike,
    players: int | None,
    solo_level: int | None,
    deck: str | Path | Deck,
    rules: RulesLike,
) -> tuple[Setting, Lineup]:
    """What is played, and by whom; as many play as there are policies unless something is said."""
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
    """All that is asked about, one thing and one position after another."""
    return [
        Restriction(words, position)
        for words in _things(without, deck)
        for position in _positions(lineup, seats, positions)
    ]


def _things(without: str | Sequence[str], deck: Deck) -> list[str]:
    """What is forbidden, one thing after another; words for several things spelled out."""
    if isinstance(without, str):
        without = without.split(",")
    things: list[str] = []
    for one in checked_list("without", without, "a list such as intrigue,peek,land/2/4"):
        if not isinstance(one, str):
            raise PaxsimError(
                f"without: found {safe_repr(one)}; allowed: a text such as intrigue+peek"
            )
        words = [word.strip() for word in one.split("+")]
        if not all(words):
            raise PaxsimError(f"without: found {safe_repr(one)} with an empty word; allowed: A,B+C")
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
    """The positions that are restricted in turn, or None for all at once.

    Positions whose neighbours are the same all around the table play the same games; the first
    stands for them.
    """
    if str(seats) == ALL and positions is None:
        return [None]
    if str(seats) != ONE:
        found = safe_repr(seats) if positions is None else f"{safe_repr(seats)} with positions"
        raise PaxsimError(f"seats: found {found}; allowed: {ONE}, or {ALL}")
    labels = lineup.labels
    if positions is not None:
        chosen = checked_list("positions", positions, "a list of numbers, e.g. [1, 3]")
        return [checked_int("position", one, 1, len(labels)) - 1 for one in dict.fromkeys(chosen)]
    around = {tuple(lineup.at_seats(place)): place for place in reversed(range(len(labels)))}
    return [*sorted(around.values())]


def _check_cards(forbidden: Forbidden, deck: Deck) -> None:
    """To forbid a card that the deck has not is a mistake."""
    for card in forbidden.cards:
        if card not in deck.counts:
            raise unknown(f"without: deck {deck.name}: card", str(card), map(str, deck.counts))
