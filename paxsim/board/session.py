"""One game with people at some of its seats: whose decision it is, what is taken and taken back."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from paxsim.board.replay import PERSON
from paxsim.board.view import Onlooker, with_rome_turned_up
from paxsim.board.words import card_name, roman
from paxsim.engine.loop import ask_policy, progress_dtype
from paxsim.engine.records import address_of
from paxsim.errors import PaxsimError
from paxsim.failures import ask_all
from paxsim.game import Game, Option
from paxsim.lineup import make_lineup
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.search.evaluation import chance_in_words, evaluate_options, warm_rollouts
from paxsim.setting import Setting
from paxsim.trace import TracedGame

#: Fills the seats of people in a line-up; it is never asked.
_STAND_IN = "random"


class _Before(NamedTuple):
    """The game before somebody decided."""

    seat: int
    game: TracedGame
    taken: int


class Session:
    """A game in progress.

    Parameters
    ----------
    setting : Setting
        What is played.
    policies : sequence of Policy or None
        Who plays, by seat; None is a person.
    seed, deal : int
        Which game.
    """

    def __init__(self, setting: Setting, policies: Sequence[Policy | None], seed: int, deal: int):
        self.setting = setting
        self.persons = [seat for seat, policy in enumerate(policies, start=1) if policy is None]
        self.names = [PERSON if policy is None else policy.label for policy in policies]
        #: Options of all decisions so far, in order.
        self.taken: list[int] = []
        #: How often something was taken back: stories that were told before are not valid then.
        self.epoch = 0
        self._befores: list[_Before] = []
        self._seed = seed
        stand_in = get_policy(_STAND_IN)
        self._lineup = make_lineup([policy or stand_in for policy in policies], setting.players)
        self._progress = np.zeros(1, progress_dtype)
        self._progress["deal"] = deal
        self.game = TracedGame(setting, self.names, seed, deal, rotation=0)
        self._contexts = self.game.take_seats(self._lineup, 0, self._progress)
        self._tell_anew()

    # --- who decides ------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.over

    @property
    def waits_for_person(self) -> bool:
        """Whether it is a person's decision."""
        return not self.over and self.game.seat in self.persons

    def decide(self, seat: int, number: int, option: Any) -> None:
        """Take an option for the person at a seat.

        Parameters
        ----------
        seat : int
            Who decides.
        number : int
            Which decision this is meant for: how many were taken before it.
        option : int
            Index of the option.
        """
        if self.over:
            raise PaxsimError("option: the game is over; allowed: none")
        if self.game.seat != seat:
            raise PaxsimError(f"seat: seat {self.game.seat} decides now, not seat {seat}")
        if number != len(self.taken):
            raise PaxsimError("decision: that one is past; allowed: the one at hand")
        before = _Before(seat, self.game.copy(), len(self.taken))
        self._apply(option)
        self._befores.append(before)

    def ask_strategy(self) -> None:
        """Let the strategy whose decision it is decide."""
        self._apply(self._answer())

    def _answer(self) -> int:
        """What the strategy whose decision it is chooses."""
        places = (self.game._address, address_of(self._progress))
        played = (self.setting, self._lineup, self._contexts, self._seed)
        return ask_all(ask_policy, places, *played, self._progress[0])

    def _apply(self, option: Any) -> None:
        self.game.apply(option)
        self.taken.append(int(option))
        self._tell_further()

    # --- taking back, and restoring ---------------------------------------------------------

    def can_undo(self, seat: int) -> bool:
        """Whether the last decision of a person was this seat's, and the game goes on."""
        return not self.over and bool(self._befores) and self._befores[-1].seat == seat

    def undo(self, seat: int) -> None:
        """Take back the last decision of a seat, and all that strategies did since."""
        if not self.can_undo(seat):
            raise PaxsimError(
                f"undo: found nothing of seat {seat} to take back; "
                "allowed: the last decision of a person, until the game is over"
            )
        before = self._befores.pop()
        self.game = before.game
        del self.taken[before.taken :]
        self.epoch += 1
        self._tell_anew()

    def restore(self, options: Iterable[int]) -> None:
        """Play on with the options of a saved game."""
        for option in options:
            if self.waits_for_person:
                self.decide(self.game.seat, len(self.taken), option)
            elif self.over or self._answer() != option:
                raise PaxsimError(
                    f"save: decision {len(self.taken) + 1} differs from what was saved; "
                    "allowed: the version, and the strategies, with which it was played"
                )
            else:
                self._apply(option)

    # --- what people see --------------------------------------------------------------------

    def story(self, seat: int) -> list[dict[str, Any]]:
        """What the person at a seat saw change, step by step."""
        return self._stories[seat]

    def view(self, seat: int) -> dict[str, Any]:
        """What the person at a seat sees now."""
        return self._onlookers[seat].view

    def _tell_anew(self) -> None:
        self._told = 0
        self._onlookers = {seat: Onlooker(seat) for seat in self.persons}
        self._stories: dict[int, list[dict[str, Any]]] = {seat: [] for seat in self.persons}
        self._tell_further()

    def _tell_further(self) -> None:
        """Let all people know what has happened since the last time."""
        told = self.game.events
        # The setup goes before them: it says what Rome turns up in the end.
        events = list(with_rome_turned_up([told[0], *told[self._told :]]))[1:]
        self._told = len(told)
        for event in events:
            for seat in self.persons:
                self._stories[seat].append(self._onlookers[seat].tell(event))


_QUESTIONS = {
    "display": "Which card do you display?",
    "keep": "Which card do you keep?",
    "turn": "Do you take a turn, or peek?",
    "place": "Where does a card go?",
    "buy": "Do you buy a group?",
    "play": "Do you play a card?",
    "react": "Do you answer the senator?",
}
_PLAIN = {"turn": "Take a turn", "peek": "Peek at Rome's hidden cards", "stop": "Play no card"}
_TO = {"hand": "into the hand", "bottom": "under the deck"}


def question(game: Game, view: dict[str, Any]) -> dict[str, Any]:
    """The decision at hand, from its options and from what the deciding seat sees.

    Parameters
    ----------
    game : Game
        A game that asks.
    view : dict
        What the deciding seat sees (`paxsim.board.onlooker`).

    Returns
    -------
    dict
        ``asked``, and ``options`` with ``index``, ``words``, ``card`` and ``place``, where on the
        board it can be clicked. Of options that can't be told apart there is one.
    """
    options: dict[Option, int] = {}
    for index, option in enumerate(game.options()):
        options.setdefault(option, index)
    in_view = {option.card for option in options}
    price = int(game.choice["price"])
    return {
        "kind": game.decision,
        "asked": _QUESTIONS[game.decision],
        "options": [
            {
                "index": index,
                "words": option_words(option, game.decision, price, view),
                "card": str(option.card) if option.card else None,
                "place": _place(option, len(in_view) == 1),
            }
            for option, index in options.items()
        ],
    }


def option_words(option: Option, decision: str, price: int, view: dict[str, Any]) -> str:
    """An option as a button says it."""
    card = card_name(str(option.card)) if option.card else ""
    if isinstance(option.to, int):
        legion = f"legion {roman(option.to)}"
        if option.action == "buy":
            return f"Buy {legion} for {view['prices'][option.to - 1]}"
        return f"{card} below {legion}"
    if option.to is not None:
        return f"{card} {_TO[option.to]}"
    if option.action in ("play", "react"):
        return f"Play {card}" + (f" for {price}" if price else "")
    if option.action == "pass":
        return "Buy nothing" if decision == "buy" else "Do not answer"
    return _PLAIN.get(option.action) or f"{option.action.capitalize()} {card}"


def _place(option: Option, one_card: bool) -> str | None:
    """Where on the board an option can be clicked, if one click says it all."""
    if isinstance(option.to, int) and (option.action == "buy" or one_card):
        return f"legion {option.to}"
    if option.action in ("play", "react"):
        return f"hand {option.card}"
    return None


#: Imagined worlds, in each of which every option is played out.
ROLLOUTS = 200
#: Held while something is compiled for hints: whoever asks meanwhile waits, and compiles nothing.
_compiling = threading.Lock()


class Chance(NamedTuple):
    """What an option promises.

    Attributes
    ----------
    option : int
        Its index.
    win : float
        Share of the win over the rollouts, 0 to 1.
    error : float
        Standard error of `win`.
    rollouts : int
        Games that were played on from it.
    plan : str
        The strategy that played on where it was best.
    """

    option: int
    win: float
    error: float
    rollouts: int
    plan: str

    def __str__(self) -> str:
        chance = chance_in_words(self.win, self.error, self.rollouts)
        plan, _, _ = self.plan.partition(":")  # its parameters would fill the screen
        return f"wins {chance}, {self.rollouts} rollouts, on with {plan}"


def chances(game: Game, rollouts: int = ROLLOUTS) -> list[Chance]:
    """The chance to win with every option of the decision at hand, the best first.

    Options that can't be told apart are one, as in `paxsim.hosting.asking.question`.

    Parameters
    ----------
    game : Game
        A game that asks; it stays as it is.
    rollouts : int
        Games that are played on for each option.
    """
    with _compiling:
        options = evaluate_options(game, rollouts=rollouts).options
    options = options.drop_duplicates("text")
    found = [
        Chance(int(row.option), float(row.win_chance), float(row.error), rollouts, str(row.plan))
        for row in options.itertuples()
    ]
    return sorted(found, key=lambda chance: -chance.win)


def warm_hints() -> None:
    """Compile, or load, all that a hint needs, so that the first one is as quick as the others."""
    with _compiling:
        warm_rollouts()
