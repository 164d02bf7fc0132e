"""The table in the terminal: the same game, in sentences and numbered options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paxsim.board.host import Host, outcome
from paxsim.board.words import table_in_words
from paxsim.errors import PaxsimError, safe_repr

#: Lines that push what another person has seen off the screen.
_SCREEN = 60
#: What a person types to leave.
LEAVE = "q"
#: What a person may type besides the number of an option.
_HELP = f"u takes back, h asks for a hint, {LEAVE} leaves (the game is kept)"


def play_in_terminal(host: Host, say: Callable[[str], None], ask: Callable[[str], str]) -> None:
    """Play until the game, or the campaign, is over, or somebody leaves.

    Parameters
    ----------
    host : Host
        The table.
    say, ask : callable
        How lines are printed, and how one is asked for.
    """
    told: dict[int, tuple[str, int]] = {}
    looking = 0
    while True:
        while host.step():
            pass
        if host.session.over:
            say(outcome(host.session))
            if not host.arrangement.goes_on(host.session):
                return
            host.next_level()
            say(f"Level {host.session.setting.solo_level} begins.")
            continue
        seat = host.session.game.seat
        if len(host.persons) > 1 and looking != seat:
            say("\n" * _SCREEN)
            if ask(f"Seat {seat} decides. Press Enter when only seat {seat} is looking. ") == LEAVE:
                return
        looking = seat
        seen = host.look(seat, *told.get(seat, ("", 0)))
        told[seat] = (seen["epoch"], seen["from"] + len(seen["steps"]))
        for step in seen["steps"]:
            say(step["said"])
        say(table_in_words(host.session.names, host.session.view(seat), seat))
        if not _decide(host, seat, seen["decision"], say, ask):
            return


def _decide(
    host: Host,
    seat: int,
    decision: dict[str, Any],
    say: Callable[[str], None],
    ask: Callable[[str], str],
) -> bool:
    """Ask until something is decided or taken back; whether the game goes on."""
    options = decision["options"]
    numbered = {str(number): option for number, option in enumerate(options, start=1)}
    hints: dict[int, str] = {}
    while True:
        say(decision["asked"])
        for number, option in numbered.items():
            hint = hints.get(option["index"])
            say(f"  {number}  {option['words']}{f'  ({hint})' if hint else ''}")
        answer = ask(f"Seat {seat}: ").strip().lower()
        try:
            if answer == LEAVE:
                return False
            if answer == "u":
                host.undo(seat)
                return True
            if answer == "h":
                hints = {chance["index"]: chance["words"] for chance in host.hint(seat)}
            elif answer in numbered:
                host.decide(seat, decision["number"], numbered[answer]["index"])
                return True
            else:
                say(f"found {safe_repr(answer)}; allowed: 1 to {len(options)}; {_HELP}")
        except PaxsimError as error:
            say(str(error))
            if len(host.session.taken) > decision["number"]:  # decided, but not kept
                return True
