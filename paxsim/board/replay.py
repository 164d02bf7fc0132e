"""Replays: traces read from files, and games as single pages with a board, a log and controls."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from paxsim.board.view import EVERYTHING, Observer, with_rome_turned_up
from paxsim.board.words import SENTENCES, in_words, player_name, roman
from paxsim.cards import CATEGORIES
from paxsim.errors import PaxsimError, checked_int, checked_path, one_line, safe_repr, unknown
from paxsim.io import atomic_write, parse_json
from paxsim.playing import GameResult, trace_command
from paxsim.rules import MAX_PLAYERS, rules_from_fields
from paxsim.trace import VERSION, trace_game
from paxsim.version import __version__

#: Name of a human player's seat in the policies of a trace.
PERSON = "person"


def parse_trace(lines: Iterable[str], number: int | None = None) -> list[dict[str, Any]]:
    """Return the events of one trace among lines, checked.

    `number` counts the traces from 1; it may be omitted if there is only one.
    """
    traces: list[list[tuple[int, dict[str, Any]]]] = []
    for place, line in enumerate(lines, start=1):
        if line.strip():
            event = _parse_event(place, line)
            if event["event"] == "setup":
                traces.append([])
            elif not traces:
                raise PaxsimError(f"line {place}: a trace begins with a 'setup' event")
            traces[-1].append((place, event))
    if not traces:
        raise PaxsimError("this is not a trace: it has no events")
    if number is None and len(traces) > 1:
        raise PaxsimError(f"choose one of the {len(traces)} games with --number")
    trace = traces[checked_int("number", 1 if number is None else number, 1, len(traces)) - 1]
    _check_sequence(trace)
    return [event for _, event in trace]


def _parse_event(place: int, line: str) -> dict[str, Any]:
    try:
        event = parse_json(line)
    except ValueError:
        raise PaxsimError(f"line {place} is not JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise PaxsimError(f"line {place} is not an event of a trace")
    if event["event"] not in SENTENCES:
        raise unknown(f"line {place}: event", event["event"], SENTENCES)
    return event


def _check_sequence(trace: list[tuple[int, dict[str, Any]]]) -> None:
    """Check that each event can follow from the ones before, up to the score."""
    first, setup = trace[0]
    if setup.get("version") != VERSION:
        raise PaxsimError(
            f"line {first}: this paxsim ({__version__}) reads traces of version {VERSION}, "
            f"not {safe_repr(setup.get('version'))}"
        )
    players = checked_int(f"line {first}: players", setup.get("players"), 1, MAX_PLAYERS)
    observers = [Observer(viewer) for viewer in range(EVERYTHING, players + 1)]
    name = ""
    for place, event in trace:
        if name == "score":
            raise PaxsimError(f"line {place}: the game is already over")
        name = event["event"]
        try:
            for observer in observers:
                observer.observe(event)
        except PaxsimError as error:
            raise PaxsimError(f"line {place} ({name}): {one_line(str(error))}") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            what = one_line(f": missing or unknown {error}") if isinstance(error, KeyError) else ""
            message = f"line {place} ({name}) does not fit the lines before{what}"
            raise PaxsimError(message) from None
    if name != "score":
        raise PaxsimError(f"the trace ends at line {trace[-1][0]}, before the score")


def replay(game: GameResult | Replay | str | Path, number: int | None = None) -> Replay:
    """Return a finished game to watch on a board.

    Parameters
    ----------
    game : GameResult, str or Path
        A game that `paxsim.play` has played, or a file that ``paxsim trace`` or ``paxsim play``
        wrote.
    number : int, optional
        Number of the game in the file, from 1; may be omitted if there is only one.

    Returns
    -------
    Replay
        A notebook shows it as a board with a log and controls.

    Raises
    ------
    PaxsimError
        If the file is not a trace, or its events do not fit each other.

    Examples
    --------
    >>> import paxsim
    >>> replay = paxsim.replay(paxsim.play("random,first", seed=1))
    >>> replay.sentences()[4]
    'Round 1 begins; seat 1 starts.'
    """
    if not isinstance(game, (GameResult, Replay)):
        return _read_replay(checked_path("game", game), number)
    if number is not None:
        raise PaxsimError(f"number must be None, except for a file, got {safe_repr(number)}")
    if isinstance(game, Replay):
        return game
    numbers = (game.seed, int(game.record["deal"]), int(game.record["rotation"]))
    command = trace_command(game.setting, game.lineup, *numbers)
    if command.startswith("paxsim trace"):
        command = f"{command.replace('trace', 'replay', 1)} --out game.html"
    return Replay(list(trace_game(game.setting, game.lineup, *numbers)), command)


def _read_replay(path: Path, number: int | None) -> Replay:
    option = "" if number is None else f" --number {number}"
    command = f"paxsim replay {shlex.quote(str(path))}{option} --out game.html"
    try:
        return Replay(parse_trace(path.read_text("utf-8").splitlines(), number), command)
    except OSError as error:
        raise PaxsimError(f"can't read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PaxsimError(f"{path} is not a trace: it is not text in UTF-8") from None
    except PaxsimError as error:
        raise PaxsimError(f"{path}: {error}") from None


class Replay:
    """A finished game to watch on a board; `paxsim.replay` makes it.

    Parameters
    ----------
    events : sequence of dict
        The events of one trace, from ``setup`` to ``score``.
    command : str, optional
        The command that is shown for making the page again.

    Examples
    --------
    >>> import paxsim
    >>> replay = paxsim.replay(paxsim.play("random,first", seed=1))
    >>> replay.setup["policies"]
    ['random', 'first']
    >>> replay.save("game.html")  # doctest: +SKIP
    """

    def __init__(self, events: Sequence[dict[str, Any]], command: str | None = None):
        self.events = list(events)
        self.command = command or "paxsim replay game.jsonl --out game.html"

    @property
    def setup(self) -> dict[str, Any]:
        """The first event."""
        return self.events[0]

    def sentences(self) -> list[str]:
        """Return sentences that describe the game, one per event."""
        return [in_words(event) for event in self.events]

    def page(self, more: Mapping[str, Any] | None = None) -> str:
        """Return the page as HTML.

        Parameters
        ----------
        more : mapping of str to dict, optional
            Data of further scripts, by the name of the script in ``static``.
        """
        data = {
            "head": page_head(self.setup) | {"command": self.command},
            "steps": steps_of(self.events),
            **(more or {}),
        }
        return fill_page("replay", _title(self.setup), data, tuple(more or ()))

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        page = self.page()
        with atomic_write(checked_path("path", path), "path") as file:
            file.write(page)

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{html.escape(_title(self.setup))}" '
            f'style="width:100%;height:860px;border:0" '
            f'srcdoc="{html.escape(self.page())}"></iframe>'
        )


def steps_of(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the changes of every viewer's view, step by step.

    A step has the changes that all viewers see under ``all``, and the others under ``by``, a list
    by viewer.
    """
    steps = []
    observers: list[Observer] = []
    for event in with_rome_turned_up(events):
        if not observers:
            observers = [Observer(viewer) for viewer in range(EVERYTHING, event["players"] + 1)]
        changes = [observer.observe(event) for observer in observers]
        common = {
            key: value
            for key, value in changes[0].items()
            if all(key in change and change[key] == value for change in changes)
        }
        own = [{k: v for k, v in change.items() if k not in common} for change in changes]
        steps.append({"all": common, "by": own} if any(own) else {"all": common})
    return steps


def page_head(setup: dict[str, Any]) -> dict[str, Any]:
    """Return what a page needs to know about a game besides its views."""
    players = setup["players"]
    rules = rules_from_fields(setup["rules"])
    legions = rules.resolve(players, setup["solo_level"])["legions"]
    return {
        "players": players,
        "solo_level": setup["solo_level"],
        "names": [player_name(setup, seat) for seat in range(1, players + 1)],
        "legions": [roman(legion) for legion in range(1, legions + 1)],
        "categories": list(CATEGORIES),
        "deck": setup["deck_name"],
        "rules": rules.describe(),
        "version": __version__,
    }


def _title(setup: dict[str, Any]) -> str:
    seats = " · ".join(player_name(setup, seat) for seat in range(1, setup["players"] + 1))
    return f"PAX: {seats}"


def fill_page(name: str, title: str, data: dict[str, Any], more: Sequence[str] = ()) -> str:
    """Return the page ``static/page.html`` with the script `name`, its data, and more scripts."""
    static = resources.files("paxsim.board").joinpath("static")

    def text_of(file: str) -> str:
        return static.joinpath(file).read_text("utf-8")

    return Template(text_of("page.html")).substitute(
        name=name,
        title=html.escape(title),
        connect="'self'" if name == "play" else "'none'",
        style="".join(text_of(f"{one}.css") for one in ("board", *more)),
        script="".join(text_of(f"{one}.js") for one in ("board", "story", *more, name)),
        # A text within the data could end the script element that contains it.
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )
