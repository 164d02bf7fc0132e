"""A table that people sit at: what each of them is told and may do, and the files that keep it.

All that reaches a person goes through `look`, and is made of what that seat has seen
(`paxsim.board.onlooker`) and of its own options. What people must not do is a `PaxsimError`; the
game is then as it was.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paxsim.board.replay import Replay, head_of
from paxsim.board.sight import seen_by
from paxsim.errors import PaxsimError, is_whole
from paxsim.files import atomic_write, check_can_write
from paxsim.hosting.arrangement import Arrangement, write_save
from paxsim.hosting.asking import question
from paxsim.hosting.hints import chances
from paxsim.hosting.session import Session


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
        known = since if epoch == self.epoch and is_whole(since) and 0 <= since <= len(story) else 0
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
            told["head"] = head_of(seen_by(seat, json.loads(session.game.lines[0])))
        return told

    @property
    def epoch(self) -> str:
        """Names the game at hand, and how often something was taken back in it."""
        return f"{len(self._past)}.{self.session.epoch}"

    def replay(self) -> Replay:
        """The finished game, with all its cards; nobody sees it before."""
        if not self.session.over:
            raise PaxsimError("replay: the game goes on; allowed: at its end")
        events = [json.loads(line) for line in self.session.game.lines]
        return Replay(events, f"paxsim replay {self._trace} --out game.html")

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
        self._traces.append("".join(f"{line}\n" for line in self.session.game.lines))
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
