"""The decisions of a traced game: it is dealt again, and every choice is read from the trace.

A trace tells what happened and not what was chosen, so the next events say which option it was. The
game that comes of it must tell the very same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paxsim.cards import Deck, list_decks, load_deck
from paxsim.errors import PaxsimError, is_integer
from paxsim.game import Game
from paxsim.search.evaluation import different_options
from paxsim.setting import Setting, make_setting
from paxsim.trace import TracedGame


@dataclass(frozen=True)
class Decision:
    """A decision of a game, and what was chosen.

    Attributes
    ----------
    number : int
        Which one, from 0.
    game : Game
        The game that asks.
    chosen : int
        The option; of options that do the same the first.
    step : int
        The event in which the choice shows.
    """

    number: int
    game: Game
    chosen: int
    step: int

    @property
    def seat(self) -> int:
        """Who decides, from 1."""
        return self.game.seat

    @property
    def kind(self) -> str:
        """What is decided, e.g. ``"buy"``."""
        return self.game.decision

    @property
    def round(self) -> int:
        """In which round; 0 in the draft."""
        return int(self.game.table["round"])

    @property
    def options(self) -> list[int]:
        """The different options, by index."""
        return sorted(set(different_options(self.game)))


def retrace(
    events: Sequence[dict[str, Any]], deck: str | Path | Deck | None = None
) -> tuple[Setting, list[Decision]]:
    """The setting of a traced game, and its decisions in order.

    Parameters
    ----------
    events : sequence of dict
        A whole trace, as `paxsim.board.reading.read_trace` gives it.
    deck : str, Path or Deck, optional
        The deck; needed where it is not one of the package.
    """
    setup = events[0]
    setting = setting_of(setup, deck)
    game = TracedGame(setting, setup["policies"], *_numbers(setup))
    _compare(game, events, 0)
    found: list[Decision] = []
    shown = 0
    while not game.over:
        chosen = _chosen(game, events[len(game.events)], shown)
        shown = shown + 1 if game.decision == "display" else 0
        step, before = len(game.events), game.copy()
        different = different_options(game)[chosen]
        found.append(Decision(len(found), before, different, step))
        game.apply(chosen)
        _compare(game, events, step)
    if len(game.events) != len(events):
        raise _foreign(len(game.events), events[len(game.events)])
    return setting, found


def setting_of(setup: dict[str, Any], deck: str | Path | Deck | None = None) -> Setting:
    """What a trace was played with."""
    if deck is None:
        if setup["deck_name"] not in list_decks():
            raise PaxsimError(
                f"deck: found {setup['deck_name']!r}, which is not in the package; "
                "allowed: its file, --deck FILE.toml"
            )
        deck = setup["deck_name"]
    found = load_deck(deck)
    if setup.get("deck_fingerprint") not in (None, found.fingerprint):
        raise PaxsimError(
            f"deck: found {found.name} with other cards than when the game was played; "
            f"allowed: the deck {setup['deck_name']!r} of the trace"
        )
    return make_setting(
        setup["players"], solo_level=setup["solo_level"], deck=found, rules=setup["rules"]
    )


def _numbers(setup: dict[str, Any]) -> tuple[int, int, int]:
    """Seed, deal and rotation."""
    game = setup["game"] if isinstance(setup["game"], dict) else {}
    numbers = (setup["seed"], game.get("deal"), game.get("rotation"))
    if not all(map(is_integer, numbers)):
        raise PaxsimError("seed: found no numbers of the game; allowed: seed, deal and rotation")
    return numbers  # type: ignore[return-value]


def _chosen(game: Game, event: dict[str, Any], shown: int) -> int:
    """The option that leads to an event."""
    kind, options = game.decision, game.options()
    name = event["event"] if event.get("seat") == game.seat else ""
    for index, option in enumerate(options):
        card = None if option.card is None else str(option.card)
        if kind == "display":
            fits = name == "draft" and card in event.get("displayed", [])[shown : shown + 1]
        elif kind == "keep":
            fits = name == "draft" and card == event["kept"]
        elif kind == "turn":
            fits = (option.action == "peek") == (name == "peek")
        elif kind == "place":
            to = event.get("legion") if event.get("to") == "legion" else event.get("to")
            fits = name == "place" and (card, option.to) == (event["card"], to)
        elif kind == "buy":
            fits = option.to == event["legion"] if name == "buy" else option.to is None
        else:  # play and react
            fits = card == (event["card"] if name == kind else None)
        if fits:
            return index
    raise _foreign(len(getattr(game, "events", ())), event)


def _compare(game: TracedGame, events: Sequence[dict[str, Any]], first: int) -> None:
    """What was told since a step must be what the trace tells."""
    for place, event in enumerate(game.events[first:], start=first):
        if place >= len(events) or _told(event) != _told(events[place]):
            raise _foreign(place, events[min(place, len(events) - 1)])


def _told(event: dict[str, Any]) -> dict[str, Any]:
    """An event without the order of hands: which of two equal cards was played is not told."""
    if event["event"] != "score":
        return event
    players = [{**player, "hand": sorted(player["hand"])} for player in event["players"]]
    return {**event, "players": players}


def _foreign(place: int, event: dict[str, Any]) -> PaxsimError:
    return PaxsimError(
        f"event {place + 1} ({event['event']}): not what the rules lead to here; "
        "allowed: a game that this version deals and plays the same way"
    )
