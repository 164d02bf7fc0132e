"""Influence cards and decks.

The printed card list is not published, so a deck is data (see ``decks/*.toml``) and has a
fingerprint that every result carries.
"""

from __future__ import annotations

import hashlib
import re
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
    is_prose,
    one_line,
    safe_repr,
    unknown,
)
from paxsim.io import html_table, read_bytes
from paxsim.text import quantity

CATEGORIES = ("wealth", "fleet", "army", "religion", "senator", "land", "intrigue")
WEALTH, FLEET, ARMY, RELIGION, SENATOR, LAND, INTRIGUE = range(7)

#: Cards of each category in one complete copy of the game.
COPY_COUNTS = dict(wealth=10, fleet=10, army=10, religion=10, senator=10, land=12, intrigue=12)

DEFAULT_DECK = "assumed"

# A card travels through the engine as one 16-bit number (see Card.code).
MAX_SYMBOLS = 31
MAX_VALUE = 255
#: Published symbols and costs of cards.
PUBLISHED_SYMBOLS, PUBLISHED_VALUES = range(1, 3), range(1, 5)
#: Largest number of cards in one copy; two copies have to fit the engine's ring of 256 cards.
MAX_COPY = 120
#: Names are used in files, commands and pages.
_NAME = re.compile("[A-Za-z0-9_-]{1,100}")
#: Largest number of characters of a note.
MAX_NOTE = 4000
#: Largest size of a TOML file in bytes: the time for a key is the square of its number of dots.
_MAX_TOML = 32_000
_DECK_FIELDS = ("name", "note", "complete", "cards")
_CARD_FIELDS = ("category", "symbols", "value", "count")


class Card(NamedTuple):
    """Influence card: its category, its symbols and its value in Aurei.

    Examples
    --------
    >>> import paxsim
    >>> print(paxsim.Card("land", symbols=1, value=2))
    land/1/2
    """

    category: str
    symbols: int
    value: int

    def __str__(self) -> str:
        return f"{self.category}/{self.symbols}/{self.value}"

    @property
    def code(self) -> int:
        """Number of the card in the engine: category in bits 0-2, symbols 3-7, value 8-15."""
        return CATEGORIES.index(self.category) | self.symbols << 3 | self.value << 8

    @classmethod
    def from_code(cls, code: int) -> Card:
        """Return the card with a `code`."""
        return cls(CATEGORIES[code & 7], code >> 3 & 31, code >> 8)


@dataclass(frozen=True)
class Deck:
    """Influence cards of one copy of the game.

    Attributes
    ----------
    name : str
        Letters, digits, ``-`` and ``_``.
    cards : tuple of Card
        Every card of one copy, sorted, so that equal decks deal equal games.
    note : str
        Where the numbers come from.
    path : str
        The file it was read from; empty for decks included in the package.

    Examples
    --------
    >>> import paxsim
    >>> deck = paxsim.load_deck("assumed")
    >>> len(deck.cards), deck.counts["land", 1, 2]
    (74, 4)
    """

    name: str
    cards: tuple[Card, ...]
    note: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        _check_name("deck", self.name)
        where = f"deck {self.name}"
        if not is_prose(self.note, MAX_NOTE):
            raise PaxsimError(
                f"{where}: note must be at most {MAX_NOTE} characters of text, "
                f"got {safe_repr(self.note)}"
            )
        cards = checked_list(f"{where}: cards", self.cards, f"a list of 1 to {MAX_COPY} cards")
        if len(cards) > MAX_COPY:
            raise PaxsimError(f"{where} has {len(cards)} cards, more than {MAX_COPY}")
        checked = [_checked_card(card, f"{where}: {safe_repr(card)}") for card in cards]
        object.__setattr__(self, "cards", tuple(sorted(checked)))
        if self.name in list_decks() and self.cards != _shipped_cards(self.name):
            raise PaxsimError(f"{where} has other cards than the deck of this name in the package")

    def __repr__(self) -> str:
        kinds = f"{quantity(len(self.cards), 'card')} of {quantity(len(self.counts), 'kind')}"
        return f"Deck {self.name!r}: {kinds} [{self.fingerprint}]"

    def _repr_html_(self) -> str:
        headings, rows = self.overview()
        cells = [["" if n is None else n for n in row] for row in rows]
        return html_table(
            headings, cells, f"{self!r}. Columns: symbols/value in Aurei. {self.note}"
        )

    @property
    def source(self) -> str:
        """Argument of `load_deck`: the file, or the name."""
        return self.path or self.name

    @cached_property
    def counts(self) -> Counter[Card]:
        """Number of each card."""
        return Counter(self.cards)

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on the cards alone, not on name or note."""
        text = "\n".join(f"{card} {count}" for card, count in sorted(self.counts.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __hash__(self) -> int:
        return int(self.fingerprint, 16)

    def overview(self) -> tuple[list[str], list[list[Any]]]:
        """Return headings and rows of a table with the number of cards by category and kind."""
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
        """Return the cards of one category, sorted by symbols and value."""
        return [card for card in self.cards if card.category == category]


def _check_name(where: str, name: Any) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PaxsimError(
            f"{where}: name must be 1 to 100 letters, digits, '-' or '_', got {safe_repr(name)}"
        )


def _checked_card(card: Any, where: str) -> Card:
    """Return a card if its category, symbols and value are allowed."""
    if not isinstance(card, tuple) or len(card) != len(Card._fields):
        raise PaxsimError(f"{where} is not a Card(category, symbols, value)")
    category, symbols, value = card
    if not isinstance(category, str) or category not in CATEGORIES:
        raise unknown(f"{where}: category", category, CATEGORIES)
    return Card(
        category,
        checked_int(f"{where}: symbols", symbols, 1, MAX_SYMBOLS),
        checked_int(f"{where}: value", value, 0, MAX_VALUE),
    )


def unpublished_cards(deck: Deck) -> list[Card]:
    """Return the kinds of cards whose symbols or values differ from all published ones."""
    symbols, values = PUBLISHED_SYMBOLS, PUBLISHED_VALUES
    return [c for c in sorted(deck.counts) if c.symbols not in symbols or c.value not in values]


@cache
def _shipped_names() -> tuple[str, ...]:
    files = resources.files("paxsim").joinpath("decks").iterdir()
    names = {path.name.removesuffix(".toml") for path in files if path.name.endswith(".toml")}
    return (DEFAULT_DECK, *sorted(names - {DEFAULT_DECK}))


def list_decks() -> list[str]:
    """Return the names of the decks included in the package, the default first.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import paxsim
    >>> paxsim.list_decks()[:3]
    ['assumed', 'cheap', 'cheap-land']
    """
    return list(_shipped_names())


def load_deck(source: str | Path | Deck = DEFAULT_DECK) -> Deck:
    """Load a deck by name, or from a TOML file.

    Parameters
    ----------
    source : str, pathlib.Path or Deck
        A name of `list_decks`, or a path that ends in ``.toml``. A `Deck` is returned as it is.

    Returns
    -------
    Deck

    Raises
    ------
    PaxsimError
        If the deck does not exist or the file has a mistake.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.load_deck("assumed")
    Deck 'assumed': 74 cards of 28 kinds [9386bfd4cdf4]
    """
    if isinstance(source, Deck):
        return source
    if not isinstance(source, (str, Path)):
        raise PaxsimError(f"deck must be a name, FILE.toml or a Deck, got {safe_repr(source)}")
    name = str(source)
    if name.endswith(".toml"):
        path = checked_path("deck", name)
        return replace(parse_deck(read_toml("deck", path), where=name), path=name)
    return _shipped_deck(name)


@cache
def _shipped_deck(name: str) -> Deck:
    """Return a deck of the package; cached, because a batch may be shorter than the reading."""
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
    """Read a TOML file; raise a `PaxsimError` that names `field` if that fails."""
    try:
        text = read_bytes(path, _MAX_TOML).decode("utf-8-sig")  # some editors write a mark
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise PaxsimError(f"{field}: {path} is not a text file in UTF-8") from None
    except (ValueError, RecursionError) as error:  # also numbers too long, lists too deep
        raise PaxsimError(f"{field}: {path} is not valid TOML: {one_line(str(error))}") from None
    except OSError as error:
        raise PaxsimError(f"{field}: cannot read {path}: {error.strerror}") from None


def parse_deck(data: dict[str, Any], where: str) -> Deck:
    """Build a deck from the contents of a deck file; `where` names the file in messages."""
    for key in data:
        if key not in _DECK_FIELDS:
            raise unknown(f"deck {where}: field", key, _DECK_FIELDS)
    _check_name(f"deck {where}", data.get("name"))
    return Deck(data["name"], _parse_cards(data, where), data.get("note", ""))


def _parse_cards(data: dict[str, Any], where: str) -> tuple[Card, ...]:
    """Return the cards of a deck file, sorted."""
    complete = checked_bool(f"deck {where}: complete", data.get("complete", True))
    rows = data.get("cards")
    if not isinstance(rows, list) or not rows:
        raise PaxsimError(f"deck {where}: cards must be a list of [[cards]] tables")
    cards: list[Card] = []
    for number, row in enumerate(rows, start=1):
        cards += _parse_row(row, f"deck {where}: cards entry {number}")
    if complete:
        _check_counts(cards, where)
    return tuple(sorted(cards))


def _parse_row(row: Any, where: str) -> list[Card]:
    """Return the equal cards of one ``[[cards]]`` table."""
    if not isinstance(row, dict):
        raise PaxsimError(
            f"{where} must be a table with {', '.join(_CARD_FIELDS)}, got {safe_repr(row)}"
        )
    for key in row:
        if key not in _CARD_FIELDS:
            raise unknown(f"{where}: field", key, _CARD_FIELDS)
    for key in _CARD_FIELDS:
        if key not in row:
            raise PaxsimError(f"{where} has no {key}; a card needs {', '.join(_CARD_FIELDS)}")
    card = _checked_card((row["category"], row["symbols"], row["value"]), where)
    return [card] * checked_int(f"{where}: count", row["count"], 1, MAX_COPY)


def _check_counts(cards: list[Card], where: str) -> None:
    """Check that a complete copy has the published number of cards in every category."""
    counts = Counter(card.category for card in cards)
    wrong = [
        f"{category} {counts[category]} instead of {count}"
        for category, count in COPY_COUNTS.items()
        if counts[category] != count
    ]
    if wrong:
        raise PaxsimError(
            f"deck {where} doesn't have the published counts ({', '.join(wrong)}): "
            "correct them, or write complete = false"
        )
