"""Views of a game: events without hidden cards, and the table as seen from a seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paxsim.board.words import card_name, in_words
from paxsim.cards import ARMY, CATEGORIES, FLEET
from paxsim.engine.records import MAX_CARDS
from paxsim.errors import PaxsimError, checked_int, safe_repr
from paxsim.rules import MAX_PLAYERS, rules_from_fields
from paxsim.setting import MAX_NUMBER

#: The viewer from whom nothing is hidden; other viewers are seats, from 1.
EVERYTHING = 0
#: Fields of the setup that name the deal: with them anyone can deal it again.
_NAMES_THE_DEAL = ("seed", "game")
#: Fields of events with cards that other seats do not see.
_HIDDEN_CARDS = {
    "setup": ("removed", "rome_hidden", "deck"),
    "draft": ("drawn", "kept", "bottom"),
    "peek": ("seen",),
    "reveal": ("cards",),
    "place": ("card",),
}
#: Events that begin a turn.
_TURN_BEGINS = ("peek", "reveal", "compensation")
#: Number of cards on top of the deck that are shown to `EVERYTHING`.
_NEXT_CARDS = 3

#: A card such as ``"land/2/3"``, or None if the viewer does not know it.
Seen = str | None


def visible_to(viewer: int, event: dict[str, Any]) -> dict[str, Any]:
    """Return an event as a viewer sees it: cards that are hidden from it become None."""
    name = event["event"]
    if viewer == EVERYTHING or event.get("seat") == viewer:
        return event
    if name not in _HIDDEN_CARDS or event.get("to") == "legion":
        return event
    visible = dict(event)
    if name == "setup":
        for key in _NAMES_THE_DEAL:
            visible.pop(key, None)
    for key in _HIDDEN_CARDS[name]:
        cards = event[key]
        visible[key] = [None] * len(cards) if isinstance(cards, list) else None
    return visible


def with_rome_turned_up(events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield events, with a ``turn_up`` of Rome's hidden cards before the score.

    A trace has no such event, because the setup contains these cards.
    """
    rome_hidden: list[str] = []
    for event in events:
        if event["event"] == "setup":
            rome_hidden = event["rome_hidden"]
        elif event["event"] == "score":
            yield {"event": "turn_up", "cards": rome_hidden}
        yield event


class Observer:
    """The table as one viewer sees it, with everything that the viewer remembers.

    `view` is what the board shows, under flat keys such as ``"legion 2"`` or ``"hand 1"``.
    """

    def __init__(self, viewer: int):
        self.viewer = viewer
        self.view: dict[str, Any] = {}
        self.turn = self.turns = self.players = 0

    def observe(self, event: dict[str, Any]) -> dict[str, Any]:
        """Update the view with a whole event; return what changed and the event as a sentence.

        An event that does not fit the ones before, in a damaged trace, raises a PaxsimError, or
        an ArithmeticError, AttributeError, LookupError, TypeError or ValueError.
        """
        event = visible_to(self.viewer, event)
        name = event["event"]
        for key in event.keys() & {"seat", "start", "money"} if name != "setup" else ():
            span = (0, MAX_NUMBER) if key == "money" else (1, self.players)
            checked_int(key, event[key], *span)
        if name in _TURN_BEGINS and event["seat"] != self.turn:
            self.turn = event["seat"]
            self.turns += 1
        getattr(self, f"_{name}")(event)
        before, self.view = self.view, self._make_view()
        changes = {k: v for k, v in self.view.items() if k not in before or before[k] != v}
        return {**changes, "event": name, "text": in_words(event)}

    # --- events -----------------------------------------------------------------------------

    def _setup(self, event: dict[str, Any]) -> None:
        self.players = checked_int("players", event["players"], 1, MAX_PLAYERS)
        self.seats = range(1, self.players + 1)
        names = event["policies"]
        is_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not is_names or len(names) not in (0, self.players):
            raise PaxsimError(f"policies must be a name for each seat, got {safe_repr(names)}")
        self.rules = rules_from_fields(event["rules"]).resolve(self.players, event["solo_level"])
        self.legions: dict[int, list[str]] = {
            legion: [] for legion in range(1, self.rules["legions"] + 1)
        }
        cards = sum(len(event[key]) for key in ("rome_open", "rome_hidden", "deck"))
        if cards > MAX_CARDS:
            raise PaxsimError(f"a game has at most {MAX_CARDS} cards, got {cards:,}")
        self.rome: list[str] = list(event["rome_open"])
        self.rome_hidden: list[Seen] = list(event["rome_hidden"])
        self.deck: list[Seen] = list(event["deck"])
        self.displays: dict[int, list[str]] = {seat: [] for seat in self.seats}
        self.hands: dict[int, list[Seen]] = {seat: [] for seat in self.seats}
        self.money = dict.fromkeys(self.seats, self.rules["starting_money"])
        self.peeked: set[int] = set()
        #: Cards that the active seat has drawn and not placed yet.
        self.drawn: list[Seen] = []
        self.round = self.start = self.primus = 0
        self.score: dict[str, Any] | None = None

    def _draft(self, event: dict[str, Any]) -> None:
        self.turn = event["seat"]
        drawn = self._draw(event["drawn"])
        if event["kept"] is None:  # a known card may be any of the cards that were put back
            drawn = [None] * len(drawn)
        for card in event.get("displayed") or []:
            self.displays[self.turn].append(_take(drawn, card))
        self.hands[self.turn].append(_take(drawn, event["kept"]))
        if len(event["bottom"]) != len(drawn):
            raise PaxsimError("the cards under the deck are not the ones that were not kept")
        self.deck += [_take(drawn, card) for card in event["bottom"]]

    def _refill(self, event: dict[str, Any]) -> None:
        for legion, card in event["cards"]:
            self.legions[legion] += self._draw([card])

    def _round(self, event: dict[str, Any]) -> None:
        self.round = checked_int("round", event["round"], 1, MAX_NUMBER)
        self.start, self.turn = event["start"], 0

    def _peek(self, event: dict[str, Any]) -> None:
        if len(event["seen"]) != len(self.rome_hidden):
            raise PaxsimError("not all of Rome's hidden cards are seen")
        if None not in event["seen"]:
            self.rome_hidden = [_take(list(self.rome_hidden), card) for card in event["seen"]]
        self.peeked.add(event["seat"])
        self.money[event["seat"]] = event["money"]

    def _reveal(self, event: dict[str, Any]) -> None:
        is_only_card = not self.drawn and len(event["cards"]) == 1
        cards = self._draw(event["cards"])
        if self.viewer not in (EVERYTHING, event["seat"]) and not is_only_card:
            cards = [None] * len(cards)  # where each of them goes can't be followed
        self.drawn += cards

    def _place(self, event: dict[str, Any]) -> None:
        card = _take(self.drawn, event["card"])
        if event["to"] == "hand":
            self.hands[event["seat"]].append(card)
        elif event["to"] == "bottom":
            self.deck.append(card)
        elif event["to"] == "legion":
            self.legions[event["legion"]].append(event["card"])
        else:
            raise PaxsimError(f"a card can't be put to {safe_repr(event['to'])}")

    def _compensation(self, event: dict[str, Any]) -> None:
        self.money[event["seat"]] = event["money"]

    _income = _compensation

    def _buy(self, event: dict[str, Any]) -> None:
        self.hands[event["seat"]] += self._clear_legion(event)
        self.money[event["seat"]] = event["money"]

    def _play(self, event: dict[str, Any]) -> None:
        self.displays[event["seat"]].append(_take(self.hands[event["seat"]], event["card"]))
        self.money[event["seat"]] = event["money"]

    _react = _play

    def _primus(self, event: dict[str, Any]) -> None:
        self.primus = event["seat"]

    def _rome_takes(self, event: dict[str, Any]) -> None:
        self.rome += self._clear_legion(event)
        self.turn = 0

    def _end(self, event: dict[str, Any]) -> None:
        self.turn = 0

    def _turn_up(self, event: dict[str, Any]) -> None:
        self.rome_hidden = list(event["cards"])

    def _score(self, event: dict[str, Any]) -> None:
        for player in event["players"]:
            self.hands[player["seat"]] = list(player["hand"])
        self.score = {key: value for key, value in event.items() if key != "event"}

    def _draw(self, cards: list[Seen]) -> list[Any]:
        """Take cards off the deck; each is known from the event or from before."""
        drawn = []
        for card in cards:
            top = self.deck.pop(0)
            if None not in (card, top) and card != top:
                raise PaxsimError(f"{card_name(card)} is not on top of the deck")
            drawn.append(card if top is None else top)
        return drawn

    def _clear_legion(self, event: dict[str, Any]) -> list[str]:
        cards = self.legions[event["legion"]]
        if sorted(event["cards"]) != sorted(cards):
            raise PaxsimError(f"other cards lie below legion {event['legion']}")
        self.legions[event["legion"]] = []
        return cards

    # --- the view ---------------------------------------------------------------------------

    def _make_view(self) -> dict[str, Any]:
        """Return the view, in values that are not changed later."""
        view: dict[str, Any] = {
            "round": self.round,
            "start": self.start,
            "turn": self.turn,
            "turns": self.turns,
            "primus": self.primus,
            "deck": len(self.deck),
            "deck_known": self._known_in_deck(),
            "rome": _sorted(self.rome),
            "rome_hidden": list(self.rome_hidden),
            "rome_strength": self._strength([*self.rome, *self.rome_hidden]),
            "drawn": list(self.drawn),
            "prices": self._prices(),
            "score": self.score,
        }
        for legion, cards in self.legions.items():
            view[f"legion {legion}"] = list(cards)
        for seat in self.seats:
            view[f"display {seat}"] = _sorted(self.displays[seat])
            view[f"strength {seat}"] = self._strength(self.displays[seat])
            view[f"hand {seat}"] = _sorted(self.hands[seat])
            view[f"money {seat}"] = self.money[seat]
            view[f"peeked {seat}"] = seat in self.peeked
        return view

    def _known_in_deck(self) -> list[list[Any]]:
        """Return the cards whose place the viewer knows, as pairs; places count from 1."""
        places = [[i, card] for i, card in enumerate(self.deck, start=1) if card is not None]
        return places[:_NEXT_CARDS] if self.viewer == EVERYTHING else places

    def _strength(self, cards: Iterable[Seen]) -> list[int]:
        """Return the symbols of the known cards by category, with the bonus."""
        symbols = _symbols(cards)
        step = self.rules["bonus_step"]
        bonus = {FLEET: symbols[ARMY] // step, ARMY: symbols[FLEET] // step}
        return [count + bonus.get(category, 0) for category, count in enumerate(symbols)]

    def _prices(self) -> list[int]:
        """Return each legion's price for the viewer; `EVERYTHING` sees the active seat's."""
        buyer = self.viewer or self.turn or self.start or 1
        wealth = _symbols(self.displays[buyer])[CATEGORIES.index("wealth")]
        discount = wealth // self.rules["discount_step"]
        values = [sum(int(card.split("/")[2]) for card in cards) for cards in self.legions.values()]
        return [max(value - discount, 0) for value in values]


def _symbols(cards: Iterable[Seen]) -> list[int]:
    """Return the symbols of the known cards by category."""
    counts = dict.fromkeys(CATEGORIES, 0)
    for card in cards:
        if card is not None:
            category, symbols, _ = card.split("/")
            counts[category] += int(symbols)
    return list(counts.values())


def _sorted(cards: list[Any]) -> list[Any]:
    """Return cards by category, unknown ones last."""
    visible = (card for card in cards if card is not None)
    ordered: list[Any] = sorted(visible, key=lambda c: (CATEGORIES.index(c.split("/")[0]), c))
    return ordered + [None] * (len(cards) - len(ordered))


def _take(cards: list[Any], card: Seen) -> Any:
    """Remove a card, or one that is not known and may be it; return what is known of it."""
    if card is None:
        return cards.pop()
    if card not in cards and None not in cards:
        raise PaxsimError(f"{card_name(card)} is not there to be taken")
    cards.remove(card if card in cards else None)
    return card
