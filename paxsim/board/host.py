"""A table that people sit at: what each of them is told and may do, and the files that keep it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from paxsim.board.replay import Replay, head_of
from paxsim.board.session import Session, chances, question
from paxsim.board.view import seen_by
from paxsim.cards import DEFAULT_DECK, load_deck
from paxsim.errors import PaxsimError, checked_int, is_integer
from paxsim.io import (
    FLAG,
    NAME,
    TEXT,
    Kind,
    atomic_write,
    check_can_write,
    misfit,
    one_of,
    optional,
    read_regular,
    whole,
)
from paxsim.policies.registry import get_policy
from paxsim.rules import SOLO_LEVELS, load_rules
from paxsim.setting import MAX_NUMBER, make_setting
from paxsim.version import __version__

FORMAT = "paxsim game 1"


@dataclass(frozen=True)
class Arrangement:
    """What is played and who plays, checked.

    Attributes
    ----------
    policies : list of str or None
        Specifications by seat, as a command line names them; None is a person.
    seed : int
        Names the sequence of deals.
    solo_level : int or None
        The level, or the first one of a campaign.
    deck : str
        A name, or a file.
    rules : dict
        What differs from the published rules.
    campaign : bool
        Whether a solo level that is won leads to the next one.
    """

    policies: list[str | None]
    seed: int
    solo_level: int | None = None
    deck: str = DEFAULT_DECK
    rules: dict[str, Any] = field(default_factory=dict)
    campaign: bool = False

    def __post_init__(self) -> None:
        checked_int("seed", self.seed, 0, MAX_NUMBER)
        if None not in self.policies:
            raise PaxsimError("seat: found nobody; allowed: at least one seat for a person")
        if self.campaign and len(self.policies) != 1:
            raise PaxsimError(
                f"campaign: found {len(self.policies)} players; allowed: a solo game, --players 1"
            )

    def session(self, number: int = 0) -> Session:
        """A fresh game; the n-th of a campaign is a level higher, and another deal."""
        level = self.solo_level
        if self.campaign:
            level = (level or SOLO_LEVELS[0]) + number
        setting = make_setting(
            len(self.policies), solo_level=level, deck=self.deck, rules=self.rules
        )
        policies = [None if spec is None else get_policy(spec) for spec in self.policies]
        return Session(setting, policies, self.seed, deal=number)

    def goes_on(self, session: Session) -> bool:
        """Whether there is a next level: this one was won, and is not the last."""
        if not self.campaign or not session.over or session.game.result()["rome_wins"]:
            return False
        return (session.setting.solo_level or 0) < SOLO_LEVELS[-1]


_COUNT = whole(0, MAX_NUMBER)
_ARRANGEMENT = {
    "policies": [optional(NAME)],
    "seed": _COUNT,
    "solo_level": optional(whole(SOLO_LEVELS[0], SOLO_LEVELS[-1])),
    "deck": NAME,
    "rules": Kind(lambda found: isinstance(found, dict), "an object"),
    "campaign": FLAG,
}
_SHAPE = {
    "format": one_of(FORMAT),
    "version": TEXT,
    "deck_fingerprint": TEXT,
    "games": [[_COUNT]],
    "arrangement": _ARRANGEMENT,
}


def write_save(path: Path, arrangement: Arrangement, games: list[list[int]]) -> None:
    """Keep the options taken, one list a game, with what is needed to play on."""
    saved = {
        "format": FORMAT,
        "version": __version__,
        "deck_fingerprint": load_deck(arrangement.deck).fingerprint,
        "arrangement": asdict(arrangement),
        "games": games,
    }
    with atomic_write(path, "save") as file:
        file.write(f"{json.dumps(saved)}\n")


def read_save(path: Path) -> tuple[Arrangement, list[list[int]]]:
    """The inverse of `write_save`."""
    try:
        saved = json.loads(read_regular(path).decode("utf-8"))
        json.dumps(saved)
    except OSError as error:
        raise PaxsimError(f"save: cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise PaxsimError(f"save: {path} is damaged; allowed: the file as written") from None
    problem = misfit(saved, _SHAPE)
    if problem is None and not saved["games"]:
        problem = "games: found none; allowed: at least one"
    if problem is not None:
        raise PaxsimError(f"save: {path} is damaged: {problem}")
    known = {key: saved["arrangement"][key] for key in _ARRANGEMENT}
    load_rules(known["rules"])
    arrangement = Arrangement(**known)
    if load_deck(arrangement.deck).fingerprint != saved["deck_fingerprint"]:
        raise PaxsimError(
            f"save: deck {arrangement.deck} has other cards than when {path} was written"
        )
    return arrangement, saved["games"]


class Host:
    """The game at hand, and those of a campaign before it.

    Parameters
    ----------
    arrangement : Arrangement
        What is played, and who plays.
    save : pathlib.Path
        Where the game is kept, after every decision of a person.
    trace : pathlib.Path
        Where finished games go, as traces.
    games : list of list of int, optional
        Options of a saved game to go on with, one list for each game of a campaign.
    """

    def __init__(
        self,
        arrangement: Arrangement,
        save: Path,
        trace: Path,
        games: list[list[int]] | None = None,
    ):
        self.arrangement = arrangement
        self._save, self._trace = save, trace
        #: Options and traces of the games that are over.
        self._past: list[list[int]] = []
        self._traces: list[str] = []
        self._failed = False
        self.session = arrangement.session()
        for number, options in enumerate(games or [[]]):
            if number:
                self._next_game()
            self.session.restore(options)
            self._note_end()
        self._refuse_foreign_trace()
        self.keep()

    @property
    def persons(self) -> list[int]:
        """The seats of people."""
        return self.session.persons

    # --- what happens -----------------------------------------------------------------------

    def step(self) -> bool:
        """Let a strategy decide, if it is its turn; whether it was.

        A strategy that fails stops the game. People are told no more than that: the message names
        the deal.
        """
        if self.session.over or self.session.waits_for_person or self._failed:
            return False
        try:
            self.session.ask_strategy()
        except PaxsimError:
            self._failed = True
            raise
        if self.session.over:
            self.keep()
            self._note_end()
        return True

    def decide(self, seat: int, number: Any, option: Any) -> None:
        """Take an option for a person; see `Session.decide`."""
        self.session.decide(seat, number, option)
        self.keep()
        self._note_end()

    def undo(self, seat: int) -> None:
        """Take back the last decision of a person."""
        self.session.undo(seat)
        self.keep()

    def next_level(self) -> None:
        """Go on with a campaign."""
        if not self.arrangement.goes_on(self.session):
            raise PaxsimError("next: allowed: in a campaign, after a level that was won")
        self._next_game()
        self.keep()

    def hint(self, seat: int) -> list[dict[str, Any]]:
        """What the searcher thinks of a person's options, the best first."""
        if not self.session.waits_for_person or self.session.game.seat != seat:
            raise PaxsimError("hint: allowed: when it is your decision")
        return [
            {
                "index": chance.option,
                "win": round(chance.win, 4),
                "error": round(chance.error, 4),
                "rollouts": chance.rollouts,
                "words": str(chance),
            }
            for chance in chances(self.session.game)
        ]

    # --- what people are told ---------------------------------------------------------------

    def look(self, seat: int, epoch: str = "", since: Any = 0) -> dict[str, Any]:
        """What the person at a seat may know, beyond what was told before.

        Parameters
        ----------
        seat : int
            Who looks.
        epoch : str
            That of the last answer. If it is another one by now, the story is told anew.
        since : int
            Steps of the story that were told before.
        """
        session = self.session
        if seat not in session.persons:
            raise PaxsimError(f"seat: found {seat}; allowed: {session.persons}")
        story = session.story(seat)
        known = (
            since if epoch == self.epoch and is_integer(since) and 0 <= since <= len(story) else 0
        )
        mine = session.waits_for_person and session.game.seat == seat
        told = {
            "epoch": self.epoch,
            "from": known,
            "steps": story[known:],
            "decision": None,
            "waits_for": None if session.over else session.game.seat,
            "over": session.over,
            "can_undo": session.can_undo(seat),
            "next_level": self.arrangement.goes_on(session),
            "failed": self._failed,
        }
        if mine:
            asked = question(session.game, session.view(seat))
            told["decision"] = {"number": len(session.taken), **asked}
        if known == 0:
            told["head"] = head_of(seen_by(seat, session.game.events[0]))
        return told

    @property
    def epoch(self) -> str:
        """Names the game at hand, and how often something was taken back in it."""
        return f"{len(self._past)}.{self.session.epoch}"

    def replay(self) -> Replay:
        """The finished game, with all its cards; nobody sees it before."""
        if not self.session.over:
            raise PaxsimError("replay: the game goes on; allowed: at its end")
        return Replay(self.session.game.events, f"paxsim replay {self._trace} --out game.html")

    # --- files ------------------------------------------------------------------------------

    def keep(self) -> None:
        """Write down where the game stands."""
        write_save(self._save, self.arrangement, [*self._past, self.session.taken])

    def _next_game(self) -> None:
        if not self.arrangement.goes_on(self.session):
            raise PaxsimError(f"save: {self._save} is damaged: games: found one too many")
        self._past.append(self.session.taken)
        self.session = self.arrangement.session(len(self._past))

    def _note_end(self) -> None:
        """A game that is over becomes a trace."""
        if not self.session.over or len(self._traces) > len(self._past):
            return
        before = "".join(self._traces)
        self._traces.append("".join(f"{json.dumps(event)}\n" for event in self.session.game.events))
        if self._found() in (None, before.encode()):
            self._write_trace()

    def _write_trace(self) -> None:
        with atomic_write(self._trace) as file:
            file.writelines(self._traces)

    def _refuse_foreign_trace(self) -> None:
        """What lies where the trace is to be must be what was written there before."""
        check_can_write(self._trace)  # now, and not when the game has been played
        if self._found() not in (None, "".join(self._traces).encode()):
            raise PaxsimError(f"out: {self._trace} is there already; allowed: another name")

    def _found(self) -> bytes | None:
        """What the trace's file holds, if there is a file; what is none is not waited for."""
        if not self._trace.is_file():
            return None
        try:
            return self._trace.read_bytes()
        except OSError as error:
            raise PaxsimError(f"out: cannot read {self._trace}: {error.strerror}") from None


def outcome(session: Session) -> str:
    """How a finished game ended, in the words of its last event."""
    return session.story(session.persons[0])[-1]["said"]
