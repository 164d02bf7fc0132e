"""The table as somebody sees it: an onlooker is told what happens, and forgets nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from paxsim.board.words import card_name, in_words, player_name
from paxsim.cards import ARMY, CATEGORIES, FLEET
from paxsim.errors import PaxsimError, checked_int
from paxsim.rules import load_rules

#: The viewer from whom nothing is hidden.
EVERYTHING = 0

#: The setup's numbers name the deal: whoever has them can deal it again and look.
_NAMES_THE_DEAL = ("seed", "game")
#: Cards that lie face down for all when the game begins.
_FACE_DOWN = ("removed", "rome_hidden", "deck")


def seen_by(viewer: int, event: dict[str, Any]) -> dict[str, Any]:
    """The event as a viewer sees it, in the format of a trace.

    Parameters
    ----------
    viewer : int
        A seat from 1, or `EVERYTHING`.
    event : dict
        An event of a trace, or `turn_up` of `with_rome_turned_up`.
    """
    if viewer == EVERYTHING or event.get("seat") == viewer:
        return event
    name = event["event"]
    if name == "setup":
        seen = {key: value for key, value in event.items() if key not in _NAMES_THE_DEAL}
        return _hide(seen, *_FACE_DOWN)
    if name == "draft":
        return _hide(event, "drawn", "kept", "bottom")
    if name == "peek":
        return _hide(event, "seen")
    if name == "reveal":
        return _hide(event, "cards")
    if name == "place" and event["to"] != "legion":
        return _hide(event, "card")
    return event


def _hide(event: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The event with the cards under these keys face down."""
    hidden = {}
    for key in keys:
        cards = event[key]
        hidden[key] = [None] * len(cards) if isinstance(cards, list) else None
    return {**event, **hidden}


def with_rome_turned_up(events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The events of a trace, and before the score that all see the cards that Rome had hidden.

    A trace has no event for it, because its reader has known them from the setup.
    """
    rome_hidden: list[str] = []
    for event in events:
        if event["event"] == "setup":
            rome_hidden = event["rome_hidden"]
        elif event["event"] == "score":
            yield {"event": "turn_up", "cards": rome_hidden}
        yield event


Known = str | None

#: A turn begins with one of these.
_TURN_BEGINS = ("peek", "reveal", "compensation")
#: Cards on top of the deck that are shown to whoever sees everything.
_NEXT_CARDS = 3


class Onlooker:
    """One viewer's eyes and memory.

    Parameters
    ----------
    viewer : int
        A seat from 1, or `paxsim.board.sight.EVERYTHING`.

    Attributes
    ----------
    view : dict
        What the board shows, in plain values by flat keys such as ``"legion 2"`` or ``"hand 1"``.
    """

    def __init__(self, viewer: int):
        self.viewer = viewer
        self.view: dict[str, Any] = {}

    def tell(self, event: dict[str, Any]) -> dict[str, Any]:
        """Let something happen; return what has changed in the view, and what was seen in words.

        Parameters
        ----------
        event : dict
            The whole event; what is hidden from the viewer is put out of sight here.
        """
        seen = seen_by(self.viewer, event)
        self._check_numbers(seen)
        self._note_turn(seen)
        getattr(self, f"_{seen['event']}")(seen)
        before, self.view = self.view, self._look()
        changed = {
            key: value
            for key, value in self.view.items()
            if key not in before or before[key] != value
        }
        return {**changed, "event": seen["event"], "said": in_words(seen)}

    # --- what happens -----------------------------------------------------------------------

    def _setup(self, event: dict[str, Any]) -> None:
        self.players: int = event["players"]
        self.names = [player_name(event, seat) for seat in self._seats()]
        self.rules = load_rules(event["rules"]).resolve(self.players, event["solo_level"])
        if event["legions"] != self.rules["legions"]:
            raise PaxsimError(
                f"legions: found {event['legions']}; allowed: {self.rules['legions']}, as the "
                "rules say"
            )
        self.legions: list[list[str]] = [[] for _ in range(event["legions"])]
        self.rome: list[str] = list(event["rome_open"])
        self.rome_hidden: list[Known] = list(event["rome_hidden"])
        self.deck: list[Known] = list(event["deck"])
        self.displays: dict[int, list[str]] = {seat: [] for seat in self._seats()}
        self.hands: dict[int, list[Known]] = {seat: [] for seat in self._seats()}
        self.money = dict.fromkeys(self._seats(), self.rules["starting_money"])
        self.peeked: list[int] = []
        #: Cards that the active seat has drawn and not placed.
        self.drawn: list[Known] = []
        self.round = self.start = self.turn = self.turns = self.primus = 0
        self.score: dict[str, Any] | None = None

    def _draft(self, event: dict[str, Any]) -> None:
        self.turn = event["seat"]
        drawn = self._from_deck(event["drawn"])
        if event["kept"] is None:  # which of them it was can't be followed
            drawn = [None] * len(drawn)
        for card in event.get("displayed") or []:
            self.displays[self.turn].append(_take(drawn, card, "the draft"))
        self.hands[self.turn].append(_take(drawn, event["kept"], "the draft"))
        _same_cards(event["bottom"], drawn, "the cards not kept")
        self.deck += event["bottom"]

    def _refill(self, event: dict[str, Any]) -> None:
        for legion, card in event["cards"]:
            self._from_deck([card])
            self._below(legion).append(card)

    def _round(self, event: dict[str, Any]) -> None:
        self.round, self.start, self.turn = event["round"], event["start"], 0

    def _peek(self, event: dict[str, Any]) -> None:
        _same_cards(event["seen"], self.rome_hidden, "Rome's hidden cards")
        if None not in event["seen"]:
            self.rome_hidden = list(event["seen"])
        self.peeked.append(event["seat"])
        self._receive(event, self.rules["peek_income"])

    def _reveal(self, event: dict[str, Any]) -> None:
        alone = not self.drawn and len(event["cards"]) == 1
        found = self._from_deck(event["cards"])
        if event["seat"] != self.viewer and not alone and self.viewer != EVERYTHING:
            found = [None] * len(found)
        self.drawn += found

    def _place(self, event: dict[str, Any]) -> None:
        card = _take(self.drawn, event["card"], "what was drawn")
        if event["to"] == "hand":
            self.hands[event["seat"]].append(card)
        elif event["to"] == "bottom":
            self.deck.append(card)
        else:
            self._below(event["legion"]).append(event["card"])

    def _compensation(self, event: dict[str, Any]) -> None:
        self._receive(event, event["aurei"])

    def _buy(self, event: dict[str, Any]) -> None:
        self._clear_legion(event)
        self.hands[event["seat"]] += event["cards"]
        self._receive(event, -event["price"])

    def _play(self, event: dict[str, Any]) -> None:
        seat = event["seat"]
        _take(self.hands[seat], event["card"], f"the hand of seat {seat}")
        self.displays[seat].append(event["card"])
        self._receive(event, -event["price"])

    _react = _play

    def _primus(self, event: dict[str, Any]) -> None:
        if (event["from"] or 0) != self.primus:
            raise PaxsimError(f"from: found {event['from']}; allowed: {self.primus or None}")
        self.primus = event["seat"]

    def _income(self, event: dict[str, Any]) -> None:
        self._receive(event, event["aurei"])

    def _rome_takes(self, event: dict[str, Any]) -> None:
        self._clear_legion(event)
        self.rome += event["cards"]
        self.turn = 0

    def _end(self, event: dict[str, Any]) -> None:
        checked_int("deck_left", event["deck_left"], len(self.deck), len(self.deck))
        self.turn = 0

    def _turn_up(self, event: dict[str, Any]) -> None:
        self.rome_hidden = list(event["cards"])

    def _score(self, event: dict[str, Any]) -> None:
        for seat, player in zip(self._seats(), event["players"], strict=True):
            _same_cards(player["hand"], self.hands[seat], f"the hand of seat {seat}")
            self.hands[seat] = list(player["hand"])
        self.score = {key: value for key, value in event.items() if key != "event"}

    # --- how it is kept ---------------------------------------------------------------------

    def _seats(self) -> range:
        return range(1, self.players + 1)

    def _check_numbers(self, event: dict[str, Any]) -> None:
        """Seats and legions that an event names must be there."""
        if event["event"] == "setup":
            return
        for key in ("seat", "start", "from"):
            if event.get(key) is not None:
                checked_int(key, event[key], 1, self.players)
        named = [event["legion"]] if "legion" in event else []
        if event["event"] == "refill":
            named = [legion for legion, _ in event["cards"]]
        for legion in named:
            checked_int("legion", legion, 1, len(self.legions))
        if event["event"] == "score":
            seats = [player["seat"] for player in event["players"]]
            if seats != list(self._seats()):
                raise PaxsimError(f"players: found seats {seats}; allowed: {list(self._seats())}")
            for seat in event["winners"]:
                checked_int("winners", seat, 1, self.players)

    def _note_turn(self, event: dict[str, Any]) -> None:
        if event["event"] in _TURN_BEGINS and event["seat"] != self.turn:
            self.turn = event["seat"]
            self.turns += 1

    def _below(self, legion: int) -> list[str]:
        return self.legions[legion - 1]

    def _from_deck(self, cards: list[Known]) -> list[Known]:
        """Take cards off the deck; what is known of them, from the event or from before."""
        if len(cards) > len(self.deck):
            raise PaxsimError(f"found {len(cards)} cards drawn; the deck has {len(self.deck)}")
        top = self.deck[: len(cards)]
        for card, known in zip(cards, top, strict=True):
            if None not in (card, known) and card != known:
                raise PaxsimError(f"found {card_name(card)} drawn; next is {card_name(known)}")
        del self.deck[: len(cards)]
        return [known if card is None else card for card, known in zip(cards, top, strict=True)]

    def _clear_legion(self, event: dict[str, Any]) -> None:
        cards = self._below(event["legion"])
        _same_cards(event["cards"], cards, f"what lies below legion {event['legion']}")
        cards.clear()

    def _receive(self, event: dict[str, Any], aurei: int) -> None:
        """Money that a seat gets, or pays; the event says how much it has then."""
        seat = event["seat"]
        self.money[seat] += aurei
        if self.money[seat] != event["money"]:
            raise PaxsimError(f"money: found {event['money']}; allowed: {self.money[seat]}")

    # --- what the board shows ---------------------------------------------------------------

    def _look(self) -> dict[str, Any]:
        """The view, in values that are not changed later."""
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
        for legion, cards in enumerate(self.legions, start=1):
            view[f"legion {legion}"] = list(cards)
        for seat in self._seats():
            view[f"display {seat}"] = _sorted(self.displays[seat])
            view[f"strength {seat}"] = self._strength(self.displays[seat])
            view[f"hand {seat}"] = _sorted(self.hands[seat])
            view[f"money {seat}"] = self.money[seat]
            view[f"peeked {seat}"] = seat in self.peeked
        return view

    def _known_in_deck(self) -> list[list[Any]]:
        """Cards that the viewer knows by their place, which counts from 1 at the top."""
        known = [[place, card] for place, card in enumerate(self.deck, start=1) if card is not None]
        return known[:_NEXT_CARDS] if self.viewer == EVERYTHING else known

    def _strength(self, cards: list[Any]) -> list[int]:
        """Symbols by category, bonus included, of the cards that are known."""
        symbols = _symbols(cards)
        step = self.rules["bonus_step"]
        bonus = {FLEET: symbols[ARMY] // step, ARMY: symbols[FLEET] // step}
        return [count + bonus.get(category, 0) for category, count in enumerate(symbols)]

    def _prices(self) -> list[int]:
        """What each legion costs the viewer; for whoever sees everything, whose turn it is."""
        buyer = self.viewer or self.turn or self.start or 1
        wealth = _symbols(self.displays[buyer])[CATEGORIES.index("wealth")]
        discount = wealth // self.rules["discount_step"]
        values = [sum(int(card.split("/")[2]) for card in cards) for cards in self.legions]
        return [max(value - discount, 0) for value in values]


def _symbols(cards: list[Any]) -> list[int]:
    """Symbols by category of the cards that are known."""
    counts = dict.fromkeys(CATEGORIES, 0)
    for card in cards:
        if card is not None:
            category, symbols, _ = card.split("/")
            counts[category] += int(symbols)
    return list(counts.values())


def _sorted(cards: list[Any]) -> list[Any]:
    """Cards by category, those that are not known last."""
    order = {category: place for place, category in enumerate(CATEGORIES)}
    known = (card for card in cards if card is not None)
    ordered: list[Any] = sorted(known, key=lambda card: (order[card.split("/")[0]], card))
    return ordered + [None] * (len(cards) - len(ordered))


def _take(cards: list[Any], card: Known, where: str) -> Any:
    """Take a card from where it is, or may be; one that is not seen is whichever is there."""
    if not cards:
        raise PaxsimError(f"found {card_name(card)} taken from {where}, where there is none")
    if card is None:
        return cards.pop()
    for one in (card, None):
        if one in cards:
            cards.remove(one)
            return card
    raise PaxsimError(f"found {card_name(card)}, which is not in {where}")


def _same_cards(found: list[Any], there: list[Any], where: str) -> None:
    """Cards that an event names must be those that are there, as far as both are known."""
    extra = Counter(card for card in found if card is not None)
    extra -= Counter(card for card in there if card is not None)
    hidden = there.count(None)
    if len(found) != len(there) or (extra.total() > hidden and None not in found):
        raise PaxsimError(
            f"found {', '.join(map(card_name, found)) or 'no card'}; "
            f"allowed: {where}, {', '.join(map(card_name, there)) or 'no card'}"
        )
