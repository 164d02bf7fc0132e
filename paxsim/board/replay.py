"""A game as one page that stands alone: the board, the story of every viewer, and controls."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from paxsim.board.view import EVERYTHING, Onlooker, with_rome_turned_up
from paxsim.board.words import in_words, player_name, roman
from paxsim.cards import CATEGORIES, DEFAULT_DECK, MAX_SYMBOLS, MAX_VALUE, list_decks, load_deck
from paxsim.errors import PaxsimError, checked_int, is_integer
from paxsim.io import (
    ANYTHING,
    FLAG,
    NAME,
    NUMBER,
    Kind,
    atomic_write,
    misfit,
    optional,
    read_regular,
    whole,
)
from paxsim.rules import MAX_LEGIONS, MAX_PLAYERS, SOLO_LEVELS, load_rules
from paxsim.version import __version__

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


#: The name of a seat in the list of policies that a person has taken.
PERSON = "person"
#: What a notebook gives a game, in pixels.
_FRAME_HEIGHT = 860


def replay_page(trace: Iterable[str], command: str | None = None) -> str:
    """The page that replays a game, with all that it needs in it.

    Parameters
    ----------
    trace : iterable of str
        The lines of one trace, as `paxsim trace` writes them.
    command : str, optional
        The command that makes the game again; by default it is made from what the trace says.
    """
    return Replay(events_of(trace), command).page()


class Replay:
    """A finished game to be watched.

    Parameters
    ----------
    events : sequence of dict
        The events of one trace, from `setup` to `score`.
    command : str, optional
        The command that makes the game again.

    Examples
    --------
    >>> import json
    >>> from paxsim import make_lineup, make_setting
    >>> from paxsim.trace import trace_game
    >>> events = trace_game(make_setting(2), make_lineup("random,first", 2), 1, 0, 0)
    >>> game = Replay(list(events))
    >>> game.page().startswith("<!DOCTYPE html>")
    True
    """

    def __init__(self, events: Sequence[dict[str, Any]], command: str | None = None):
        self.events = list(events)
        self.command = command or command_of(self.setup)

    @classmethod
    def read(cls, path: Path, number: int | None = None) -> Replay:
        """A game from a file of traces; see `paxsim.board.reading.read_trace`."""
        events = read_trace(path, number)
        return cls(events, command_of(events[0], str(path), number))

    @property
    def setup(self) -> dict[str, Any]:
        """The first event."""
        return self.events[0]

    def told(self) -> list[str]:
        """The game in sentences, one an event."""
        return [in_words(event) for event in self.events]

    def page(self, more: Mapping[str, Any] | None = None) -> str:
        """The whole page.

        Parameters
        ----------
        more : mapping of str to dict, optional
            What else is shown around the board: by the name of a script in ``static`` the data
            that it draws.
        """
        data = {
            "head": head_of(self.setup) | {"command": self.command},
            "steps": story_of(self.events),
            **(more or {}),
        }
        return fill_page("replay", _title(self.setup), data, tuple(more or ()))

    def save(self, path: Path) -> None:
        """Write the page to a file, all or nothing."""
        page = self.page()
        with atomic_write(Path(path)) as file:
            file.write(page)

    def _repr_html_(self) -> str:
        """The board in a notebook, in a frame of its own."""
        return (
            f'<iframe title="{html.escape(_title(self.setup))}" '
            f'style="width:100%;height:{_FRAME_HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self.page())}"></iframe>'
        )


def story_of(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What every viewer sees, step by step: what has changed for all, and by viewer the rest."""
    steps = []
    onlookers: list[Onlooker] = []
    for event in with_rome_turned_up(events):
        if not onlookers:
            onlookers = [Onlooker(viewer) for viewer in range(EVERYTHING, event["players"] + 1)]
        changes = [onlooker.tell(event) for onlooker in onlookers]
        common = {
            key: value
            for key, value in changes[0].items()
            if all(key in change and change[key] == value for change in changes)
        }
        own = [{k: v for k, v in change.items() if k not in common} for change in changes]
        steps.append({"all": common, "by": own} if any(own) else {"all": common})
    return steps


def head_of(setup: dict[str, Any]) -> dict[str, Any]:
    """What a board has to know of a game besides its views."""
    players = setup["players"]
    return {
        "players": players,
        "solo_level": setup["solo_level"],
        "names": [player_name(setup, seat) for seat in range(1, players + 1)],
        "legions": [roman(legion) for legion in range(1, setup["legions"] + 1)],
        "categories": list(CATEGORIES),
        "deck": setup["deck_name"],
        "rules": load_rules(setup["rules"]).describe(),
        "version": __version__,
    }


def command_of(setup: dict[str, Any], path: str = "", number: int | None = None) -> str:
    """The command that makes the page of a game again.

    A game that only strategies played is named by its numbers; one with a person at the table is
    in its file and nowhere else.
    """
    game = setup["game"] if isinstance(setup["game"], dict) else {}
    numbers: list[Any] = [setup["seed"], game.get("deal"), game.get("rotation")]
    policies = setup["policies"]
    if not all(map(is_integer, numbers)) or not policies or PERSON in policies:
        which = "" if number is None else f" --number {number}"
        return f"paxsim replay {shlex.quote(path or 'game.jsonl')}{which} --out game.html"
    seed, deal, rotation = numbers
    first = len(policies) - rotation % len(policies)
    words = ["paxsim replay"]
    words.append(f"--players {setup['players']}")
    if setup["solo_level"]:
        words.append(f"--solo-level {setup['solo_level']}")
    words.append(f"--policies {shlex.quote(','.join(policies[first:] + policies[:first]))}")
    words.append(f"--seed {seed} --deal {deal} --rotation {rotation}")
    if setup["deck_name"] != DEFAULT_DECK:
        words.append(f"--deck {shlex.quote(_deck_source(setup))}")
    if setup["rules"]:
        words.append(f"--rules {shlex.quote(load_rules(setup['rules']).describe())}")
    return " ".join([*words, "--out game.html"])


def _deck_source(setup: dict[str, Any]) -> str:
    """How a command finds the deck: by its name, or in the file that somebody wrote."""
    name = setup["deck_name"]
    print_of = setup.get("deck_fingerprint")
    if name in list_decks() and print_of in (None, load_deck(name).fingerprint):
        return name
    return f"{name}.toml"


def _title(setup: dict[str, Any]) -> str:
    seats = " · ".join(player_name(setup, seat) for seat in range(1, setup["players"] + 1))
    return f"PAX: {seats}"


def fill_page(name: str, title: str, data: dict[str, Any], more: Sequence[str] = ()) -> str:
    """A page of ``static/NAME.html``, with style, scripts and data in it.

    Parameters
    ----------
    name : str
        ``"replay"`` or ``"play"``.
    title : str
        The page's title.
    data : dict
        What the script of the page reads.
    more : sequence of str
        Further scripts and styles, by name.
    """
    static = resources.files("paxsim.board").joinpath("static")

    def text_of(file: str) -> str:
        return static.joinpath(file).read_text("utf-8")

    return Template(text_of(f"{name}.html")).substitute(
        title=html.escape(title),
        style="".join(text_of(f"{one}.css") for one in ("board", *more)),
        script="".join(text_of(f"{one}.js") for one in ("board", "story", *more, name)),
        # A text within the data could end the script that it stands in.
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )
