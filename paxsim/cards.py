"""Influence cards and decks: what one copy of the game is made of.

The printed card list is not published, so a deck is data (see ``decks/*.toml``) and has a
fingerprint that every result carries.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from paxsim.errors import (
    PaxsimError,
    checked_bool,
    checked_int,
    checked_list,
    checked_path,
    is_name,
    is_prose,
    one_line,
    safe_repr,
    unknown,
)
from paxsim.io import html_table

CATEGORIES = ("wealth", "fleet", "army", "religion", "senator", "land", "intrigue")
WEALTH, FLEET, ARMY, RELIGION, SENATOR, LAND, INTRIGUE = range(7)

#: Cards of each category in one complete copy of the game.
COPY_COUNTS = dict(wealth=10, fleet=10, army=10, religion=10, senator=10, land=12, intrigue=12)

DEFAULT_DECK = "assumed"

# A card travels through the engine as one 16-bit number (see Card.code).
MAX_SYMBOLS = 31
MAX_VALUE = 255
#: What is published about single cards: their symbols, and what they cost.
PUBLISHED_SYMBOLS, PUBLISHED_VALUES = range(1, 3), range(1, 5)
#: Characters of a deck's name and note, at most.
MAX_NAME, MAX_NOTE = 100, 4000
#: Largest number of cards in one copy; two copies have to fit the engine's ring of 256 cards.
MAX_COPY = 120


class Card(NamedTuple):
    """One influence card: its category, its symbols and its value in Aurei."""

    category: str
    symbols: int
    value: int

    def __str__(self) -> str:
        return f"{self.category}/{self.symbols}/{self.value}"

    @property
    def code(self) -> int:
        """The card as the engine's number: category in bits 0-2, symbols 3-7, value 8-15."""
        return CATEGORIES.index(self.category) | self.symbols << 3 | self.value << 8

    @classmethod
    def from_code(cls, code: int) -> Card:
        """The inverse of `code`."""
        return cls(CATEGORIES[code & 7], code >> 3 & 31, code >> 8)


@dataclass(frozen=True)
class Deck:
    """One copy of the game's influence cards.

    Attributes
    ----------
    name : str
        What results call it.
    cards : tuple of Card
        Every card of one copy, sorted, so that equal decks deal equal games.
    note : str
        Where the numbers come from.
    path : str
        The file it was read from; empty for the decks of the package.
    """

    name: str
    cards: tuple[Card, ...]
    note: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        check_texts("deck", self.name, self.note)
        where = f"deck {self.name}"
        cards = checked_list(f"{where}: cards", self.cards, f"a list of 1 to {MAX_COPY} cards")
        if len(cards) > MAX_COPY:
            raise PaxsimError(f"{where}: found {len(cards)} cards; allowed: at most {MAX_COPY}")
        found = [_checked_card(card, f"{where}: {safe_repr(card)}") for card in cards]
        object.__setattr__(self, "cards", tuple(sorted(found)))
        _check_own_name(where, self.name, self.cards)

    def __repr__(self) -> str:
        name = one_line(self.name)
        said = name if len(name) <= 40 else f"{name[:37]}..."
        kinds = f"{len(self.cards)} cards of {len(self.counts)} kinds"
        return f"Deck {said!r}: {kinds} [{self.fingerprint}]"

    def _repr_html_(self) -> str:
        said = f"{one_line(repr(self))}. Columns: symbols/value in Aurei. {self.note}"
        headings, rows = self.overview()
        texts = [["" if n is None else n for n in row] for row in rows]
        return html_table(headings, texts, said)

    @property
    def source(self) -> str:
        """What `load_deck` finds it by: the file, or the name."""
        return self.path or self.name

    @cached_property
    def counts(self) -> Counter[Card]:
        """How many of each card there are."""
        return Counter(self.cards)

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on the cards alone, not on name or note."""
        text = "\n".join(f"{card} {count}" for card, count in sorted(self.counts.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __hash__(self) -> int:
        return int(self.fingerprint, 16)

    def overview(self) -> tuple[list[str], list[list[Any]]]:
        """Headings and rows of a table: how many cards there are, by category and kind."""
        kinds = sorted({(card.symbols, card.value) for card in self.cards})
        headings = [f"{symbols}/{value}" for symbols, value in kinds]
        rows = []
        for category in CATEGORIES:
            cards = self.of_category(category)
            counts = [sum((c.symbols, c.value) == kind for c in cards) for kind in kinds]
            totals = [len(cards), sum(c.symbols for c in cards), sum(c.value for c in cards)]
            rows.append([category, *(n or None for n in counts), *totals])
        return ["category", *headings, "cards", "symbols", "value"], rows

    def of_category(self, category: str) -> list[Card]:
        """The cards of one category, sorted by symbols and value."""
        return [card for card in self.cards if card.category == category]


def check_texts(where: str, name: Any, note: Any) -> None:
    """Name and note of a deck are shown wherever results are, so they must be fit to be seen."""
    if not is_name(name, MAX_NAME):
        raise PaxsimError(
            f"{where}: name: found {safe_repr(name)}; "
            f"allowed: a non-empty text of one line, at most {MAX_NAME} characters, none unseen"
        )
    if not is_prose(note, MAX_NOTE):
        raise PaxsimError(
            f"{where}: note: found {safe_repr(note)}; "
            f"allowed: a text of at most {MAX_NOTE} characters, without control characters"
        )


def _checked_card(card: Any, where: str) -> Card:
    """A card whose category, symbols and value are allowed."""
    if not isinstance(card, tuple) or len(card) != len(Card._fields):
        raise PaxsimError(f"{where}: found no card; allowed: Card(category, symbols, value)")
    category, symbols, value = card
    if not isinstance(category, str) or category not in CATEGORIES:
        raise unknown(f"{where}: category", category, CATEGORIES)
    return Card(
        category,
        checked_int(f"{where}: symbols", symbols, 1, MAX_SYMBOLS),
        checked_int(f"{where}: value", value, 0, MAX_VALUE),
    )


def unpublished_cards(deck: Deck) -> list[Card]:
    """The kinds of cards that go beyond what is published about symbols and values."""
    symbols, values = PUBLISHED_SYMBOLS, PUBLISHED_VALUES
    return [c for c in sorted(deck.counts) if c.symbols not in symbols or c.value not in values]


def list_decks() -> list[str]:
    """Names of the decks that come with the package, the default first."""
    return list(_shipped_names())


@cache
def _shipped_names() -> tuple[str, ...]:
    names = sorted(
        path.name.removesuffix(".toml")
        for path in resources.files("paxsim").joinpath("decks").iterdir()
        if path.name.endswith(".toml")
    )
    names.remove(DEFAULT_DECK)
    return (DEFAULT_DECK, *names)


def load_deck(source: str | Path | Deck = DEFAULT_DECK) -> Deck:
    """Load a deck by name, or from a TOML file.

    Parameters
    ----------
    source : str, pathlib.Path or Deck
        A name of `list_decks`, or a path that ends in ``.toml``. A `Deck` is returned as it is.
    """
    if isinstance(source, Deck):
        return source
    if not isinstance(source, (str, Path)):
        raise PaxsimError(f"deck: found {safe_repr(source)}; allowed: a name, FILE.toml, or a Deck")
    name = str(source)
    if name.endswith(".toml"):
        path = checked_path("deck", name)
        return replace(parse_deck(read_toml("deck", path), where=name), path=name)
    return _shipped_deck(name)


def _check_own_name(where: str, name: str, cards: tuple[Card, ...]) -> None:
    """Results call a deck by its name, so what the package calls its own cards no other has."""
    if name in _shipped_names() and cards != _shipped_cards(name):
        raise PaxsimError(
            f"{where}: name: found {safe_repr(name)}, a deck of the package with other cards; "
            "allowed: any other name"
        )


@cache
def _shipped_deck(name: str) -> Deck:
    """A deck of the package; read once, because a batch may be shorter than the reading."""
    if name not in list_decks():
        raise unknown("deck", name, [*list_decks(), "FILE.toml"])
    return parse_deck(_shipped_data(name), where=name)


@cache
def _shipped_cards(name: str) -> tuple[Card, ...]:
    return _parse_cards(_shipped_data(name), where=name)


def _shipped_data(name: str) -> dict[str, Any]:
    text = resources.files("paxsim").joinpath("decks", f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def read_toml(field: str, path: Path) -> dict[str, Any]:
    """Read a TOML file, turning every way this can fail into one clear line."""
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))  # (some editors mark it)
    except UnicodeDecodeError:
        raise PaxsimError(f"{field}: {path} is not a text file in UTF-8") from None
    except (ValueError, RecursionError) as error:  # also numbers too long, lists too deep
        said = one_line(str(error))
        raise PaxsimError(f"{field}: {path} is not valid TOML: {said}") from None
    except OSError as error:
        raise PaxsimError(f"{field}: cannot read {path}: {error.strerror}") from None


def parse_deck(data: dict[str, Any], where: str) -> Deck:
    """Check the contents of a deck file and build the `Deck`.

    Parameters
    ----------
    data : dict
        The parsed TOML: ``name``, ``note``, ``complete`` and a list ``cards``.
    where : str
        File or deck name, for messages.
    """
    for key in data:
        if key not in ("name", "note", "complete", "cards"):
            raise unknown(f"deck {where}: field", key, ("name", "note", "complete", "cards"))
    if "name" not in data:
        raise PaxsimError(f"deck {where}: name: missing; allowed: name = 'what results call it'")
    name, note = data["name"], data.get("note", "")
    check_texts(f"deck {where}", name, note)
    assert isinstance(name, str)
    cards = _parse_cards(data, where)
    _check_own_name(f"deck {where}", name, cards)
    return Deck(name=name, note=note, cards=cards)


def _parse_cards(data: dict[str, Any], where: str) -> tuple[Card, ...]:
    """The cards of a deck file, sorted."""
    complete = checked_bool(f"deck {where}: complete", data.get("complete", True))
    rows = data.get("cards")
    if not isinstance(rows, list) or not rows:
        raise PaxsimError(f"deck {where}: cards: found none; allowed: a list of [[cards]] tables")
    cards: list[Card] = []
    for number, row in enumerate(rows, start=1):
        cards += _parse_row(row, f"deck {where}: cards entry {number}")
    if complete:
        _check_counts(cards, where)
    return tuple(sorted(cards))


def _parse_row(row: Any, where: str) -> list[Card]:
    """One ``[[cards]]`` table as a list of equal cards."""
    fields = ("category", "symbols", "value", "count")
    if not isinstance(row, dict):
        raise PaxsimError(
            f"{where}: found {safe_repr(row)}; allowed: a table with {', '.join(fields)}"
        )
    for key in row:
        if key not in fields:
            raise unknown(f"{where}: field", key, fields)
    for key in fields:
        if key not in row:
            raise PaxsimError(f"{where}: {key}: missing; a card needs {', '.join(fields)}")
    card = _checked_card((row["category"], row["symbols"], row["value"]), where)
    return [card] * checked_int(f"{where}: count", row["count"], 1, MAX_COPY)


def _check_counts(cards: list[Card], where: str) -> None:
    """A complete copy has the published number of cards in every category."""
    found = Counter(card.category for card in cards)
    wrong = [
        f"{category} {found[category]} instead of {count}"
        for category, count in COPY_COUNTS.items()
        if found[category] != count
    ]
    if wrong:
        raise PaxsimError(
            f"deck {where}: count: found {', '.join(wrong)}; "
            "allowed: the published counts, or say complete = false"
        )
