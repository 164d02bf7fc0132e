"""What is a category, a card, an action or a power worth? The same deals without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paxsim.cards import CATEGORIES, DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, unknown
from paxsim.experiment.ask import HowToRun, ask
from paxsim.experiment.cutting import CHUNK_GAMES, blocks_for_games
from paxsim.experiment.plan import Match, Plan, make_match
from paxsim.experiment.questions import DEFAULT_GAMES, RulesLike, checked_games
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress
from paxsim.lineup import Lineup, as_specs, make_lineup
from paxsim.playing import LineupLike
from paxsim.policies.forbidden import (
    ACTIONS,
    AND,
    POWERS,
    Forbidden,
    read_forbidden,
    rules_without,
)
from paxsim.policies.policy import Policy
from paxsim.policies.restricted import make_restricted
from paxsim.quoting import told
from paxsim.setting import Setting, make_setting, players_meant

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
        words = self.without.split(AND)
        powers = [word for word in words if word in POWERS] if self.position is None else []
        declined = AND.join(word for word in words if word not in powers)
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
                "allowed: what tuned_answers returns for the same question"
            )
        policies[self.position] = answers[without, self.position]
        return Lineup(tuple(policies))


def restrict(
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
        `paxsim.tuning.tuned_answers`.
    jobs, out, backend, address, chunk_games, progress, command, notices
        As for `simulate`.
    """
    how = HowToRun(jobs, out, backend, address, chunk_games, progress, command, notices)
    games = checked_games(games)
    setting, lineup = setting_and_lineup(policies, players, solo_level, deck, rules)
    asked = restrictions_of(lineup, setting.deck, without, seats, positions)
    bundles = tuple(restriction.pair(setting, lineup, answers) for restriction in asked)
    blocks = (blocks_for_games(games, bundles[0][0].block_size),) * len(bundles)
    question = {
        "kind": "restrict",
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
    for one in checked_list("without", without, "e.g. intrigue,peek,land/2/4"):
        if not isinstance(one, str):
            raise PaxsimError(f"without: found {told(one)}; allowed: a text such as intrigue+peek")
        words = [word.strip() for word in one.split(AND)]
        if not all(words):
            raise PaxsimError(f"without: found {told(one)} with an empty word; allowed: A,B+C")
        if words == ["cards"]:
            things += map(str, deck.counts)
        elif len(words) == 1 and words[0] in _GROUPS:
            things += _GROUPS[words[0]]
        else:
            things.append(AND.join(words))
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
        found = told(seats) if positions is None else f"{told(seats)} with positions"
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
            raise unknown(f"without: a card of deck {deck.name}", str(card), map(str, deck.counts))
