"""A game as one page that stands alone: the board, the story of every viewer, and controls."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from paxsim.board.onlooker import Onlooker
from paxsim.board.reading import events_of, read_trace
from paxsim.board.sight import EVERYTHING, with_rome_turned_up
from paxsim.board.words import in_words, player_name, roman
from paxsim.cards import CATEGORIES, DEFAULT_DECK, deck_names, load_deck
from paxsim.errors import is_whole
from paxsim.files import atomic_write
from paxsim.rules import load_rules
from paxsim.version import __version__

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
    if not all(map(is_whole, numbers)) or not policies or PERSON in policies:
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
    if name in deck_names() and print_of in (None, load_deck(name).fingerprint):
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
