"""Traces that come from a file: anybody may have written them, or had them in an editor.

A trace is checked as a whole before it is used: every event has its fields, cards come from where
they are, money adds up. (Whether a move was legal is not asked here.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paxsim.board.onlooker import Onlooker
from paxsim.board.sight import EVERYTHING
from paxsim.cards import CATEGORIES, MAX_SYMBOLS, MAX_VALUE
from paxsim.errors import PaxsimError, checked_int
from paxsim.files import read_regular
from paxsim.rules import MAX_LEGIONS, MAX_PLAYERS, SOLO_LEVELS
from paxsim.shapes import ANYTHING, FLAG, NAME, NUMBER, Kind, misfit, optional, whole

#: More money than any game has.
_MOST = 10**9
_CARD_TEXT = re.compile(rf"({'|'.join(CATEGORIES)})/([1-9]\d?)/(0|[1-9]\d{{0,2}})")


def _is_card(found: Any) -> bool:
    match = _CARD_TEXT.fullmatch(found) if isinstance(found, str) else None
    return match is not None and int(match[2]) <= MAX_SYMBOLS and int(match[3]) <= MAX_VALUE


def _is_refill(found: Any) -> bool:
    return (
        isinstance(found, list)
        and len(found) == 2
        and _LEGION.fits(found[0])
        and _CARD.fits(found[1])
    )


_CARD = Kind(_is_card, "a card such as 'land/1/2'")
_SEAT = whole(1, MAX_PLAYERS)
_LEGION = whole(1, MAX_LEGIONS)
_AMOUNT = whole(0, _MOST)
_REFILL = Kind(_is_refill, "a legion and a card")
_BY_CATEGORY = dict.fromkeys(CATEGORIES, _AMOUNT)
_POINTS = ("categories", "stronger", "fleet_army", "primus", "wealthiest", "total")

#: The fields that every event must have, by its name.
_EVENTS: dict[str, dict[str, Any]] = {
    "setup": {
        "version": whole(1, 1),
        "players": _SEAT,
        "solo_level": optional(whole(SOLO_LEVELS[0], SOLO_LEVELS[-1])),
        "policies": [NAME],
        "deck_name": NAME,
        "rules": Kind(lambda found: isinstance(found, dict), "an object"),
        "legions": _LEGION,
        **dict.fromkeys(("removed", "rome_hidden", "rome_open", "deck"), [_CARD]),
        "seed": ANYTHING,
        "game": ANYTHING,
    },
    "draft": {"seat": _SEAT, "drawn": [_CARD], "kept": _CARD, "bottom": [_CARD]},
    "refill": {"cards": [_REFILL]},
    "round": {"round": whole(1, _MOST), "start": _SEAT},
    "peek": {"seat": _SEAT, "seen": [_CARD], "money": _AMOUNT},
    "reveal": {"seat": _SEAT, "cards": [_CARD]},
    "place": {
        "seat": _SEAT,
        "card": _CARD,
        "to": Kind(lambda to: to in ("hand", "bottom", "legion"), "hand, bottom or legion"),
    },
    "compensation": {"seat": _SEAT, "aurei": _AMOUNT, "money": _AMOUNT},
    "buy": {
        "seat": _SEAT,
        "legion": _LEGION,
        "cards": [_CARD],
        "price": _AMOUNT,
        "money": _AMOUNT,
    },
    "play": {"seat": _SEAT, "card": _CARD, "price": _AMOUNT, "money": _AMOUNT},
    "primus": {"seat": _SEAT, "from": optional(_SEAT)},
    "income": {"seat": _SEAT, "aurei": _AMOUNT, "money": _AMOUNT},
    "react": {"seat": _SEAT, "card": _CARD, "price": _AMOUNT, "money": _AMOUNT},
    "rome_takes": {"legion": _LEGION, "cards": [_CARD], "value": _AMOUNT},
    "end": {"rounds": _AMOUNT, "deck_left": _AMOUNT, "empty_legions": _AMOUNT},
    "score": {
        "rome": _BY_CATEGORY,
        "players": [
            {
                "seat": _SEAT,
                "symbols": _BY_CATEGORY,
                "money": _AMOUNT,
                "hand": [_CARD],
                "points": dict.fromkeys(_POINTS, _AMOUNT),
            }
        ],
        "primus": optional(_SEAT),
        "rome_categories": whole(0, len(CATEGORIES)),
        "rome_wins": FLAG,
        "winners": [_SEAT],
        "shares": [NUMBER],
    },
}
#: Fields that some events of a kind have, and that must fit where they are.
_SOMETIMES: dict[str, dict[str, Any]] = {
    "draft": {"displayed": [_CARD]},
    "place": {"legion": _LEGION},
    "score": {"solo_won": FLAG},
}


def read_trace(path: Path, number: int | None = None) -> list[dict[str, Any]]:
    """The events of one trace of a file.

    Parameters
    ----------
    path : pathlib.Path
        A file of JSON Lines.
    number : int, optional
        Which trace, from 1; may be left out where there is one.
    """
    try:
        lines = read_regular(path).decode("utf-8").splitlines()
    except OSError as error:
        raise PaxsimError(f"trace: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PaxsimError(f"trace: {path} is not a text file in UTF-8") from None
    try:
        return events_of(lines, number)
    except PaxsimError as error:
        raise PaxsimError(f"trace: {path}: {error}") from None


def events_of(lines: Iterable[str], number: int | None = None) -> list[dict[str, Any]]:
    """The checked events of one trace among lines; see `read_trace`."""
    traces: list[list[tuple[int, dict[str, Any]]]] = []
    for place, line in enumerate(lines, start=1):
        if line.strip():
            event = _event_of(place, line)
            if event["event"] == "setup":
                traces.append([])
            if not traces:
                raise PaxsimError(f"line {place}: found {event['event']!r}; allowed first: 'setup'")
            traces[-1].append((place, event))
    if not traces:
        raise PaxsimError("found no event; allowed: a trace, as `paxsim trace` writes it")
    if number is None and len(traces) > 1:
        raise PaxsimError(f"found {len(traces)} games; allowed: --number 1 to {len(traces)}")
    chosen = traces[checked_int("number", 1 if number is None else number, 1, len(traces)) - 1]
    _check_story(chosen)
    return [event for _, event in chosen]


def _event_of(place: int, line: str) -> dict[str, Any]:
    """The event of a line, with all fields that its kind needs."""
    try:
        event = json.loads(line)
        json.dumps(event)  # what can be read may still be nested too deep to be worked with
    except (ValueError, RecursionError):
        raise PaxsimError(f"line {place} is not JSON; allowed: one event a line") from None
    name = event.get("event") if isinstance(event, dict) else None
    if not isinstance(name, str) or name not in _EVENTS:
        raise PaxsimError(f"line {place}: event: allowed: {', '.join(_EVENTS)}")
    shape = dict(_EVENTS[name])
    shape.update({k: v for k, v in _SOMETIMES.get(name, {}).items() if k in event})
    if name == "place" and event.get("to") == "legion":
        shape["legion"] = _LEGION
    problem = misfit(event, shape)
    if problem is not None:
        raise PaxsimError(f"line {place}: {name}: {problem}")
    return event


def _check_story(lines: list[tuple[int, dict[str, Any]]]) -> None:
    """Whether one event can follow from another, up to the score."""
    onlooker = Onlooker(EVERYTHING)
    setup = lines[0][1]
    if len(setup["policies"]) not in (0, setup["players"]):
        raise PaxsimError(
            f"line {lines[0][0]}: policies: found {len(setup['policies'])}; "
            f"allowed: {setup['players']}, one a seat"
        )
    for place, event in lines:
        if onlooker.view.get("score"):
            raise PaxsimError(f"line {place}: found {event['event']!r} after the score")
        try:
            onlooker.tell(event)
        except PaxsimError as error:
            raise PaxsimError(f"line {place}: {event['event']}: {error}") from None
    if not onlooker.view["score"]:
        raise PaxsimError(f"line {lines[-1][0]} is the last one, and not the score of the game")
