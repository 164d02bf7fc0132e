"""Games in the terminal, as sentences and numbered options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paxsim.board.session import Host
from paxsim.board.words import table_in_words
from paxsim.errors import PaxsimError, safe_repr

#: Empty lines that scroll what another person has seen off the screen.
_SCREEN = 60
#: Input that quits.
QUIT = "q"


def ask_person(prompt: str) -> str:
    """Return a line that a person types; Ctrl-C and the end of input quit."""
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt):
        print()
        return QUIT


def play_in_terminal(host: Host, say: Callable[[str], None], ask: Callable[[str], str]) -> None:
    """Play until the game, or the campaign, is over or a player quits."""
    steps_shown: dict[int, int] = {}
    last_seat = 0
    while True:
        while host.step():
            pass
        if host.session.over:
            steps, _ = host.session.observe(host.session.persons[0])
            say(steps[-1]["text"])
            if not host.arrangement.has_next_level(host.session):
                return
            host.next_level()
            steps_shown.clear()
            say(f"Level {host.session.setting.solo_level} begins.")
            continue
        seat = host.session.game.seat
        if len(host.session.persons) > 1 and last_seat != seat:
            say("\n" * _SCREEN)
            if ask(f"Seat {seat} decides. Press Enter when only seat {seat} is looking. ") == QUIT:
                return
        last_seat = seat
        steps, view = host.session.observe(seat)
        for step in steps[steps_shown.get(seat, 0) :]:
            say(step["text"])
        steps_shown[seat] = len(steps)
        say(table_in_words(host.session.names, view, seat))
        if not _decide(host, seat, host.state(seat)["decision"], say, ask):
            return


def _decide(
    host: Host,
    seat: int,
    decision: dict[str, Any],
    say: Callable[[str], None],
    ask: Callable[[str], str],
) -> bool:
    """Ask until a decision is made or undone; return whether the game continues."""
    options = decision["options"]
    numbered = {str(number): option for number, option in enumerate(options, start=1)}
    hints: dict[int, str] = {}
    while True:
        say(decision["question"])
        for number, option in numbered.items():
            hint = hints.get(option["index"])
            say(f"  {number}  {option['text']}{f'  ({hint})' if hint else ''}")
        answer = ask(f"Seat {seat}: ").strip().lower()
        try:
            if answer == QUIT:
                return False
            if answer == "u":
                host.undo(seat)
                return True
            if answer == "h":
                hints = {hint["index"]: hint["text"] for hint in host.hint(seat)}
            elif answer in numbered:
                host.decide(seat, decision["number"], numbered[answer]["index"])
                return True
            else:
                say(
                    f"enter a number from 1 to {len(options)}, u to undo, h for a hint or "
                    f"{QUIT} to quit (the game is saved), got {safe_repr(answer)}"
                )
        except PaxsimError as error:
            say(str(error))
            if len(host.session.options) > decision["number"]:  # decided, but not saved
                return True
