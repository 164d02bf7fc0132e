"""What a seat can be forbidden, in words: a category, a card, or an action.

=============  =====================================================================
word           the seat never
=============  =====================================================================
``intrigue``   adds a card of this category to its display (and so on, for all seven)
``land/2/4``   adds this very card to its display
``peek``       looks at Rome's hidden cards
``buy``        buys a group
``react``      plays a card in another seat's turn
``second``     plays more than one card in a turn of its own
=============  =====================================================================

Cards that may not be displayed can be drawn, bought and kept from others all the same. Where
nothing else is left to do, as when a solo game starts with the display of such a card, the seat
does what the rules want of it.

Powers that nobody can decline are changes of the rules instead (`POWERS`): they can be taken from
all seats together, and not from one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paxsim.cards import CATEGORIES, MAX_SYMBOLS, MAX_VALUE, Card
from paxsim.errors import PaxsimError, unknown
from paxsim.quoting import told
from paxsim.rules import SPANS

ACTIONS = ("peek", "buy", "react", "second")
#: Between things that are forbidden together.
AND = "+"
#: The most cards that can be forbidden by name.
MAX_FORBIDDEN = 16

#: Powers of the cards, and the rules of a game in which nobody ever has them.
POWERS = {
    "double-draw": {
        "religion_two": SPANS["religion_two"].high,
        "religion_three": SPANS["religion_three"].high,
    },
    "discount": {"discount_step": SPANS["discount_step"].high},
    "bonus": {"bonus_step": SPANS["bonus_step"].high},
    "senator-income": {"senator_income": 0},
}


@dataclass(frozen=True)
class Forbidden:
    """What a seat may not do.

    Attributes
    ----------
    categories : tuple of str
        No card of these is ever added to the display.
    cards : tuple of Card
        Nor are these.
    actions : tuple of str
        Some of `ACTIONS`.
    """

    categories: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    actions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return AND.join([*self.categories, *map(str, self.cards), *self.actions])

    def __or__(self, other: Forbidden) -> Forbidden:
        """What either forbids."""
        return read_forbidden(AND.join([str(self), str(other)]))


def read_forbidden(text: str) -> Forbidden:
    """What ``"intrigue+land/2/4+peek"`` forbids; the order of the words does not matter."""
    if not isinstance(text, str):
        raise PaxsimError(f"without: found {told(text)}; allowed: a text such as intrigue+peek")
    words = {word.strip() for word in text.split(AND)}
    cards = {word for word in words if "/" in word}
    for word in words - cards:
        if word in POWERS:
            raise PaxsimError(
                f"without: found {word}, which one seat can't decline; allowed: for all seats, by "
                "`paxsim restrict --seats all`"
            )
        if word not in CATEGORIES and word not in ACTIONS:
            raise unknown("without", word, [*CATEGORIES, *ACTIONS, "CATEGORY/SYMBOLS/VALUE"])
    if len(cards) > MAX_FORBIDDEN:
        raise PaxsimError(
            f"without: found {len(cards)} cards by name; allowed: at most {MAX_FORBIDDEN}"
        )
    return Forbidden(
        tuple(word for word in CATEGORIES if word in words),
        tuple(sorted({_card(word) for word in cards})),
        tuple(word for word in ACTIONS if word in words),
    )


def _card(word: str) -> Card:
    """A card by its name, ``category/symbols/value``."""
    category, *numbers = word.split("/")
    if category not in CATEGORIES:
        raise unknown("without: a card's category", category, CATEGORIES)
    largest = (MAX_SYMBOLS, MAX_VALUE)
    if len(numbers) != len(largest) or not all(
        number.isdecimal() and number.isascii() and int(number) <= most
        for number, most in zip(numbers, largest, strict=False)
    ):
        raise PaxsimError(
            f"without: found {told(word)}; allowed: a card as category/symbols/value, e.g. land/2/4"
        )
    return Card(category, *map(int, numbers))


def rules_without(words: Iterable[str]) -> dict[str, int]:
    """The changes of the rules that take these powers from everybody."""
    return {field: value for word in words for field, value in POWERS[word].items()}
