"""Games that people play: decisions, undo, hints, campaigns, saves and traces."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.board.replay import PERSON, Replay, page_head
from paxsim.board.view import Observer, visible_to, with_rome_turned_up
from paxsim.board.words import option_in_words
from paxsim.cards import DEFAULT_DECK, load_deck
from paxsim.engine.loop import ask_policy, progress_dtype
from paxsim.engine.records import address_of
from paxsim.errors import PaxsimError, checked_bool, checked_int, safe_repr
from paxsim.experiment.store import load_json
from paxsim.game import Game, Option
from paxsim.io import atomic_write, check_can_write
from paxsim.lineup import make_lineup
from paxsim.playing import ask_all
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy, policies_named_by
from paxsim.rules import SOLO_LEVELS, rules_from_fields
from paxsim.search.evaluation import chance_in_words, evaluate_options, warm_rollouts
from paxsim.setting import MAX_NUMBER, Setting, make_setting
from paxsim.trace import TracedGame
from paxsim.version import __version__

#: Format of saves.
FORMAT = "paxsim game 1"
#: Policy in a line-up at the seats of people, never called.
_PLACEHOLDER = "random"
#: Rollouts of each option for a hint.
ROLLOUTS = 200


class Session:
    """One game; `policies` are in the order of the seats, None for a person."""

    def __init__(self, setting: Setting, policies: Sequence[Policy | None], seed: int, deal: int):
        self.setting = setting
        self.persons = [seat for seat, policy in enumerate(policies, start=1) if policy is None]
        self.names = [PERSON if policy is None else policy.label for policy in policies]
        #: Options of all decisions so far, in order.
        self.options: list[int] = []
        #: The game before each decision of a person, and the number of decisions until then.
        self._snapshots: list[tuple[TracedGame, int]] = []
        self._seed = seed
        placeholder = get_policy(_PLACEHOLDER)
        self._lineup = make_lineup([policy or placeholder for policy in policies], setting.players)
        self._progress = np.zeros(1, progress_dtype)
        self._progress["deal"] = deal
        self.game = TracedGame(setting, self.names, seed, deal, rotation=0)
        self._contexts = self.game.take_seats(self._lineup, 0, self._progress)

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return self.game.over

    @property
    def waits_for_person(self) -> bool:
        """True if the next decision is a person's."""
        return not self.over and self.game.seat in self.persons

    def decide(self, seat: int, number: int, option: Any) -> None:
        """Take an option for the person at a seat.

        `number` counts the decisions before this one, which shows whether the answer is up to date.
        """
        if self.over:
            raise PaxsimError("the game is already over")
        if self.game.seat != seat:
            raise PaxsimError(f"it is seat {self.game.seat}'s decision, not seat {seat}'s")
        if number != len(self.options):
            raise PaxsimError("this decision has already been made")
        before = self.game.copy()
        self._apply(option)
        self._snapshots.append((before, number))

    def ask_policy(self) -> None:
        """Let the policy at the deciding seat decide."""
        self._apply(self._answer())

    def _answer(self) -> int:
        """Return the option that the policy at the deciding seat chooses."""
        places = (self.game._address, address_of(self._progress))
        played = (self.setting, self._lineup, self._contexts, self._seed)
        return ask_all(ask_policy, places, *played, self._progress[0])

    def _apply(self, option: Any) -> None:
        self.game.apply(option)
        self.options.append(int(option))

    def can_undo(self, seat: int) -> bool:
        """Return whether the last decision of a person was this seat's and the game continues."""
        return not self.over and bool(self._snapshots) and self._snapshots[-1][0].seat == seat

    def undo(self, seat: int) -> None:
        """Undo the last decision of a seat, and everything that policies did since."""
        if not self.can_undo(seat):
            raise PaxsimError(
                f"seat {seat} has nothing to undo: you can undo your last decision until another "
                "person decides or the game ends"
            )
        self.game, decisions = self._snapshots.pop()
        del self.options[decisions:]

    def restore(self, options: Iterable[int]) -> None:
        """Play the options of a saved game."""
        for option in options:
            if self.waits_for_person:
                self.decide(self.game.seat, len(self.options), option)
            elif self.over or self._answer() != option:
                raise PaxsimError(
                    f"the save can't be continued: decision {len(self.options) + 1} is different "
                    "with these policies and this version of paxsim"
                )
            else:
                self._apply(option)

    def observe(self, seat: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the changes that the person at a seat has seen, step by step, and the view."""
        observer = Observer(seat)
        steps = [observer.observe(event) for event in with_rome_turned_up(self.game.events)]
        return steps, observer.view


# --- decisions as text --------------------------------------------------------------------------

_QUESTIONS = {
    "display": "Which card do you display?",
    "keep": "Which card do you keep?",
    "put back": "Which card goes under the deck next?",
    "turn": "Do you take a turn, or peek?",
    "place": "Where do you put a card?",
    "buy": "Which legion do you buy?",
    "play": "Which card do you play?",
    "react": "Do you react with a card?",
}


def question(game: Game, view: dict[str, Any]) -> dict[str, Any]:
    """Return the current decision as a question with its options.

    Options have ``index``, ``text``, ``card`` and ``place``, where on the board they can be
    clicked. Of options with equal cards there is only one.
    """
    options: dict[Option, int] = {}
    for index, option in enumerate(game.options()):
        options.setdefault(option, index)
    cards = {option.card for option in options}
    price = int(game.choice["price"])
    puts_back = game.decision == "place" and not game.table["round"]
    return {
        "kind": game.decision,
        "question": _QUESTIONS["put back" if puts_back else game.decision],
        "options": [
            {
                "index": index,
                "text": option_text(option, game.decision, price, view),
                "card": str(option.card) if option.card else None,
                "place": _place_on_board(option, len(cards) == 1),
            }
            for option, index in options.items()
        ],
    }


def option_text(option: Option, decision: str, price: int, view: dict[str, Any]) -> str:
    """Return an option as the text of a button, with its price."""
    text = option_in_words(option, decision)
    if option.action == "buy":
        price = view["prices"][int(option.to or 0) - 1]
    elif option.action not in ("play", "react"):
        price = 0
    return text[0].upper() + text[1:] + (f" for {price}" if price else "")


def _place_on_board(option: Option, one_card: bool) -> str | None:
    """Return the place on the board where a click selects this option."""
    if isinstance(option.to, int) and (option.action == "buy" or one_card):
        return f"legion {option.to}"
    if option.action in ("play", "react"):
        return f"hand {option.card}"
    return None


#: Held while hints compile; other requests wait rather than compile the same.
_compiling = threading.Lock()


def hints(game: Game) -> list[dict[str, Any]]:
    """Return the win chance of every option of the current decision, best first.

    Hints have the ``index`` of the option, ``win``, its standard ``error`` and the same as
    ``text``. Of options with equal cards there is only one.
    """
    with _compiling:
        options = evaluate_options(game, rollouts=ROLLOUTS).options
    options = options.drop_duplicates("text").sort_values(
        "win_chance", ascending=False, kind="stable"
    )
    chances = []
    for row in options.itertuples():
        chance = chance_in_words(row.win_chance, row.error, ROLLOUTS)
        plan = str(row.plan).partition(":")[0]  # its parameters would fill the screen
        chances.append(
            {
                "index": int(row.option),
                "win": round(float(row.win_chance), 4),
                "error": round(float(row.error), 4),
                "text": f"win chance {chance} ({ROLLOUTS} rollouts, continuing as {plan})",
            }
        )
    return chances


def warm_hints() -> None:
    """Compile or load everything that a hint needs, so that the first one is fast."""
    with _compiling:
        warm_rollouts()


# --- saves --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arrangement:
    """Players, deck, rules and seed of a game, checked."""

    #: Policies by seat, as on the command line; None for a person.
    policies: list[str | None]
    seed: int
    #: The first level of a campaign.
    solo_level: int | None = None
    #: Name or file.
    deck: str = DEFAULT_DECK
    #: Differences from the published rules.
    rules: dict[str, Any] = field(default_factory=dict)
    #: Whether winning a solo level leads to the next one.
    campaign: bool = False

    def __post_init__(self) -> None:
        checked_int("seed", self.seed, 0, MAX_NUMBER)
        checked_bool("campaign", self.campaign)
        if None not in self.policies:
            raise PaxsimError("at least one seat must be played by a person")
        if self.campaign and len(self.policies) != 1:
            raise PaxsimError(f"a campaign is for one player, got {len(self.policies)} players")
        rules = rules_from_fields(self.rules)
        make_setting(len(self.policies), solo_level=self.solo_level, deck=self.deck, rules=rules)

    def new_session(self, number: int = 0) -> Session:
        """Deal a game; each next game of a campaign is one level higher, on the next deal."""
        level = self.solo_level
        if self.campaign:
            level = (level or SOLO_LEVELS[0]) + number
        setting = make_setting(
            len(self.policies), solo_level=level, deck=self.deck, rules=self.rules
        )
        policies = [None if spec is None else get_policy(spec) for spec in self.policies]
        return Session(setting, policies, self.seed, deal=number)

    def has_next_level(self, session: Session) -> bool:
        """Return whether this level of a campaign was won and is not the last one."""
        if not self.campaign or not session.over or session.game.result()["rome_wins"]:
            return False
        return (session.setting.solo_level or 0) < SOLO_LEVELS[-1]


def read_save(path: Path, trust_policies: bool = False) -> tuple[Arrangement, list[list[int]]]:
    """Read what `Host.save` wrote; import policy files that it names only if they are trusted."""
    save = load_json(path, "resume")
    try:
        if save["format"] != FORMAT:
            raise PaxsimError(
                f"{path} has format {safe_repr(save['format'])}, but this paxsim ({__version__}) "
                f"reads {FORMAT!r}"
            )
        arrangement = Arrangement(**save["arrangement"])
        games = [[checked_int("option", n, 0, MAX_NUMBER) for n in game] for game in save["games"]]
        fingerprint = save["deck_fingerprint"]
    except (KeyError, TypeError):
        raise PaxsimError(f"{path} is damaged or not a saved game") from None
    with policies_named_by(path, trust_policies):
        for spec in arrangement.policies:
            if spec is not None:
                get_policy(spec)
    if load_deck(arrangement.deck).fingerprint != fingerprint:
        raise PaxsimError(f"deck {arrangement.deck} has changed since {path} was written")
    return arrangement, games


class Host:
    """The current game and, in a campaign, the games before it.

    The game is saved after every decision of a person, and finished games are written as traces.
    `games` has the options of a saved game to continue, one list per game of a campaign.
    """

    def __init__(
        self,
        arrangement: Arrangement,
        save: Path,
        trace: Path,
        games: list[list[int]] | None = None,
    ):
        self.arrangement = arrangement
        #: Increases with every change, so that a browser can wait for the next one.
        self.version = 0
        self._save, self._trace = save, trace
        #: Options of the finished games of a campaign before the current one.
        self._finished: list[list[int]] = []
        #: Traces of all finished games.
        self._traces = ""
        self._failed = False
        self.session = arrangement.new_session()
        check_can_write(save, "save")
        check_can_write(trace)  # fail now rather than at the end of the game
        expected = [None, ""]
        for number, options in enumerate(games or [[]]):
            if number:
                self._start_next_game()
            self.session.restore(options)
            if self.session.over:
                self._traces += self._trace_text()
                expected.append(self._traces)
        content = trace.read_text("utf-8", errors="replace") if trace.is_file() else None
        if content not in expected:  # someone else's file
            raise PaxsimError(f"{trace} already exists; choose another name with --out")
        self.save()
        if self.session.over:
            self._write_trace()

    def step(self) -> bool:
        """Let a policy decide if it is its turn; return whether it was.

        After a policy error the game stops. Players are not told more than that, because the
        message names the deal.
        """
        if self.session.over or self.session.waits_for_person or self._failed:
            return False
        self.version += 1
        try:
            self.session.ask_policy()
        except PaxsimError:
            self._failed = True
            raise
        if self.session.over:
            self._record_change()
        return True

    def decide(self, seat: int, number: Any, option: Any) -> None:
        """Take an option for a person; see `Session.decide`."""
        self.session.decide(seat, number, option)
        self._record_change()

    def undo(self, seat: int) -> None:
        """Undo the last decision of a person."""
        self.session.undo(seat)
        self._record_change()

    def next_level(self) -> None:
        """Start the next level of a campaign."""
        if not self.arrangement.has_next_level(self.session):
            raise PaxsimError("there is a next level only in a campaign, after a level was won")
        self._start_next_game()
        self._record_change()

    def hint(self, seat: int) -> list[dict[str, Any]]:
        """Return the chances of a person's options; see `hints`."""
        if not self.session.waits_for_person or self.session.game.seat != seat:
            raise PaxsimError("hints are available only on your turn")
        return hints(self.session.game)

    def state(self, seat: int) -> dict[str, Any]:
        """Return everything that the person at a seat may know.

        ``steps`` has what the seat saw change, ``decision`` its `question` if it is to decide, and
        ``waits_for`` the deciding seat.
        """
        session = self.session
        steps, view = session.observe(seat)
        decision = None
        if session.waits_for_person and session.game.seat == seat:
            decision = {"number": len(session.options), **question(session.game, view)}
        return {
            "version": self.version,
            "head": page_head(visible_to(seat, session.game.events[0])),
            "steps": steps,
            "decision": decision,
            "waits_for": None if session.over else session.game.seat,
            "over": session.over,
            "can_undo": session.can_undo(seat),
            "next_level": self.arrangement.has_next_level(session),
            "failed": self._failed,
        }

    def replay(self) -> Replay:
        """Return the finished game with all its cards."""
        if not self.session.over:
            raise PaxsimError("the replay shows all cards, so it is available after the game")
        return Replay(self.session.game.events, f"paxsim replay {self._trace} --out game.html")

    # --- files ------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the options of all decisions, one list per game, with the arrangement."""
        save = {
            "format": FORMAT,
            "version": __version__,
            "deck_fingerprint": load_deck(self.arrangement.deck).fingerprint,
            "arrangement": asdict(self.arrangement),
            "games": [*self._finished, self.session.options],
        }
        with atomic_write(self._save, "save") as file:
            file.write(f"{json.dumps(save)}\n")

    def _record_change(self) -> None:
        self.version += 1
        self.save()
        if self.session.over:
            self._traces += self._trace_text()
            self._write_trace()

    def _start_next_game(self) -> None:
        if not self.arrangement.has_next_level(self.session):
            raise PaxsimError(f"{self._save} is damaged: it has more games than were played")
        self._finished.append(self.session.options)
        self.session = self.arrangement.new_session(len(self._finished))

    def _trace_text(self) -> str:
        return "".join(f"{json.dumps(event)}\n" for event in self.session.game.events)

    def _write_trace(self) -> None:
        with atomic_write(self._trace) as file:
            file.write(self._traces)
