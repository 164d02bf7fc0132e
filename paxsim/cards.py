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

from paxsim.errors import PaxsimError, checked_int, unknown

CATEGORIES = ("wealth", "fleet", "army", "religion", "senator", "land", "intrigue")
WEALTH, FLEET, ARMY, RELIGION, SENATOR, LAND, INTRIGUE = range(7)

#: Cards of each category in one complete copy of the game.
COPY_COUNTS = dict(wealth=10, fleet=10, army=10, religion=10, senator=10, land=12, intrigue=12)

DEFAULT_DECK = "assumed"

# A card travels through the engine as one 16-bit number (see Card.code).
MAX_SYMBOLS = 31
MAX_VALUE = 255
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
        if not 1 <= len(self.cards) <= MAX_COPY:
            raise PaxsimError(
                f"deck {self.name}: found {len(self.cards)} cards; allowed: at most {MAX_COPY}"
            )
        for card in self.counts:
            where = f"deck {self.name}: {card}"
            if card.category not in CATEGORIES:
                raise unknown(f"{where}: category", card.category, CATEGORIES)
            checked_int(f"{where}: symbols", card.symbols, 1, MAX_SYMBOLS)
            checked_int(f"{where}: value", card.value, 0, MAX_VALUE)
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))

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

    def of_category(self, category: str) -> list[Card]:
        """The cards of one category, sorted by symbols and value."""
        return [card for card in self.cards if card.category == category]


def deck_names() -> list[str]:
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
        A name of `deck_names`, or a path that ends in ``.toml``. A `Deck` is returned as it is.
    """
    if isinstance(source, Deck):
        return source
    name = str(source)
    if name.endswith(".toml"):
        return replace(parse_deck(read_toml("deck", Path(name)), where=name), path=name)
    return _shipped_deck(name)


@cache
def _shipped_deck(name: str) -> Deck:
    """A deck of the package; read once, because a batch may be shorter than the reading."""
    if name not in deck_names():
        raise unknown("deck", name, [*deck_names(), "FILE.toml"])
    text = resources.files("paxsim").joinpath("decks", f"{name}.toml").read_text("utf-8")
    return parse_deck(tomllib.loads(text), where=name)


def read_toml(field: str, path: Path) -> dict[str, Any]:
    """Read a TOML file, turning every way this can fail into one clear line."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PaxsimError(f"{field}: {path} is not valid TOML: {error}") from None
    except UnicodeDecodeError:
        raise PaxsimError(f"{field}: {path} is not a text file in UTF-8") from None
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
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise PaxsimError(f"deck {where}: name: found {name!r}; allowed: a non-empty text")
    note = data.get("note", "")
    if not isinstance(note, str):
        raise PaxsimError(f"deck {where}: note: found {note!r}; allowed: a text")
    complete = data.get("complete", True)
    if not isinstance(complete, bool):
        raise PaxsimError(f"deck {where}: complete: found {complete!r}; allowed: true or false")
    rows = data.get("cards")
    if not isinstance(rows, list) or not rows:
        raise PaxsimError(f"deck {where}: cards: found none; allowed: a list of [[cards]] tables")
    cards: list[Card] = []
    for number, row in enumerate(rows, start=1):
        cards += _parse_row(row, f"deck {where}: cards entry {number}")
    if complete:
        _check_counts(cards, where)
    return Deck(name=name, note=note, cards=tuple(sorted(cards)))


def _parse_row(row: Any, where: str) -> list[Card]:
    """One ``[[cards]]`` table as a list of equal cards."""
    fields = ("category", "symbols", "value", "count")
    if not isinstance(row, dict):
        raise PaxsimError(f"{where}: found {row!r}; allowed: a table with {', '.join(fields)}")
    for key in row:
        if key not in fields:
            raise unknown(f"{where}: field", key, fields)
    for key in fields:
        if key not in row:
            raise PaxsimError(f"{where}: {key}: missing; a card needs {', '.join(fields)}")
    if row["category"] not in CATEGORIES:
        raise unknown(f"{where}: category", row["category"], CATEGORIES)
    card = Card(
        row["category"],
        checked_int(f"{where}: symbols", row["symbols"], 1, MAX_SYMBOLS),
        checked_int(f"{where}: value", row["value"], 0, MAX_VALUE),
    )
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
