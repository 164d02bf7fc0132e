"""Flat numpy records of a game, cut by who may see them, and the numbers that name their parts.

`table` is public, a `seat` and its `choice` belong to one player, `hidden` to no player.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from paxsim.cards import CATEGORIES, MAX_COPY
from paxsim.engine.jit import kernel
from paxsim.rules import (
    MAX_DRAFT,
    MAX_LEGIONS,
    MAX_PLAYERS,
    MAX_ROME_START,
    WORDS,
    Rules,
    field_names,
)

N_CATEGORIES = len(CATEGORIES)
#: Width of arrays by category: a power of two.
ROW = 8
#: Two copies of at most 120 cards; also the capacity of a hand and a legion.
MAX_CARDS = 240
#: Slots of the deck, a ring; a power of two, so that wrapping around is a mask.
RING = 256
MAX_PARAMS = 64
MEMORY_SIZE = 88

NOBODY = -1
#: Allowance of categories without limit: more than any card's symbols.
NO_LIMIT = 1000
#: Allowance of a category that a seat may never play (`paxsim.policies.restricted`).
NEVER = -NO_LIMIT

# Decisions, in the order in which they first occur in a game.
DISPLAY, KEEP, TURN, PLACE, BUY, PLAY, REACT, OVER = range(8)
DECISIONS = ("display", "keep", "turn", "place", "buy", "play", "react", "over")

# The two options of the TURN decision.
TAKE_TURN, PEEK = 0, 1

# Destinations of a drawn card besides legions (0, 1, 2 ...).
TO_HAND, TO_BOTTOM = -1, -2

#: Flags of a diary entry: a card that was played, or the place of the deck that a card was drawn
#: from. An entry without a flag is a card that was bought.
PLAYED_CARD, DRAWN_FROM = 1 << 16, 1 << 17
#: Place of a card that was drawn together with others.
NOWHERE = 0xFFFF

#: Words of `paxsim.rules.WORDS` as numbers of the rules record; the published ones are 0.
TIE_MONEY, ONE_BY_ONE, CHOSEN = 1, 1, 1


def _rule_field(name: str) -> tuple:
    """Return the record field of a rule: a 32-bit number, or the list `draft_sizes`."""
    return (name, np.int32, (MAX_PLAYERS,)) if name == "draft_sizes" else (name, np.int32)


rules_dtype = np.dtype(
    [_rule_field(name) for name in (*field_names(), "solo_displayed")], align=True
)

table_dtype = np.dtype(
    [
        ("players", np.int32),
        ("solo_level", np.int32),  # 0 when not solo
        ("legions", np.int32),
        ("round", np.int32),  # from 1; 0 during the draft
        ("start", np.int32),  # seat that starts this round
        ("active", np.int32),  # seat whose turn it is
        ("turns_left", np.int32),  # turns of this round that come after this one
        ("played", np.int32),  # cards the active seat has played this turn
        ("categories_played", np.int32),  # their categories, as a bit set
        ("primus", np.int32),  # seat with primus conspiratus, or NOBODY
        ("deck_left", np.int32),
        ("deck_top", np.uint32),  # cards that ever left the deck, so the place of its top card
        ("shown_count", np.uint32),
        ("discount", np.int32, (MAX_PLAYERS,)),  # Aurei off each purchase, by seat
        ("symbols", np.int16, (MAX_PLAYERS, ROW)),  # displayed, by seat and category
        ("cards", np.int16, (MAX_PLAYERS, ROW)),  # displayed, by seat and category
        ("money", np.int32, (MAX_PLAYERS,)),  # by seat; see `paxsim.engine.knowledge`
        ("hand_size", np.int16, (MAX_PLAYERS,)),  # by seat
        ("peeked", np.int16, (MAX_PLAYERS,)),  # 1 for a seat that has seen Rome's hidden cards
        ("diary_count", np.uint16, (MAX_PLAYERS,)),
        ("allowance", np.int16, (MAX_PLAYERS, ROW)),  # most symbols that a played card may have
        (
            "strength",
            np.int16,
            (MAX_PLAYERS, ROW),
        ),  # symbols, including the bonus of fleets and armies
        ("strongest", np.int16, ROW),  # largest strength of any seat, by category
        ("rome_symbols", np.int16, ROW),  # face up, by category
        ("rome_cards", np.int16, ROW),  # face up, by category
        ("legion_size", np.int16, MAX_LEGIONS),
        ("legion_value", np.int16, MAX_LEGIONS),
        ("copy_symbols", np.int16, ROW),  # of one copy of the deck, by category
        ("copy_cards", np.int16, ROW),  # of one copy of the deck, by category
        ("copy_count", np.int32),
        ("rules", rules_dtype),
        # Lists: slots behind the last card are 0.
        ("copy", np.uint16, MAX_COPY),  # the cards of one copy of the deck, sorted
        ("shown", np.uint16, MAX_CARDS),  # cards that were face up before they were in any hand
        ("legion_cards", np.uint16, (MAX_LEGIONS, MAX_CARDS)),
        ("came_from", np.uint16, RING),  # by place of a buried card: the place it was drawn from
        ("diary", np.uint32, (MAX_PLAYERS, 2 * MAX_CARDS)),  # public entries, by hand
    ],
    align=True,
)

seat_dtype = np.dtype(
    [
        ("seat", np.uint32),
        ("money", np.int32),
        ("hand_count", np.int32),
        ("peeked", np.int32),  # 1 once this seat has seen Rome's hidden cards
        ("rome_count", np.int32),  # their number; 0 before peeking
        ("rome_hidden", np.int16, ROW),  # their symbols by category; zeros before peeking
        ("rome_peeked", np.uint16, MAX_ROME_START),  # the cards themselves
        ("buried_count", np.uint32),
        ("hand", np.uint16, MAX_CARDS),
        ("buried", np.uint16, MAX_CARDS),  # cards that this seat put under the deck
        ("buried_at", np.uint16, MAX_CARDS),  # and their places
        ("params", np.float64, MAX_PARAMS),
        ("memory", np.float64, MEMORY_SIZE),  # free for the policy, zeros at the start
        ("stream", np.uint64, 4),  # the seat's random stream
    ],
    align=True,
)

#: Arrays whose last axis is a category, with `ROW` - `N_CATEGORIES` unused columns.
BY_CATEGORY = (
    "symbols", "cards", "allowance", "strength", "strongest", "rome_symbols", "rome_cards",
    "copy_symbols", "copy_cards", "rome_hidden",
)  # fmt: skip

#: Field that says how long the first axis of an array is, by the name of the array.
LENGTHS = {
    **dict.fromkeys(
        ("discount", "symbols", "cards", "money", "hand_size", "peeked", "diary_count",
         "allowance", "strength", "diary"), "players"),
    **dict.fromkeys(("legion_size", "legion_value", "legion_cards"), "legions"),
    **dict.fromkeys(("buried", "buried_at"), "buried_count"),
    "copy": "copy_count",
    "rome_peeked": "rome_count",
    "shown": "shown_count",
    "hand": "hand_count",
    "drawn": "drawn_count",
    "options": "count",
}  # fmt: skip
#: Field that says how long each row of a two-dimensional array is, by the name of the array.
ROW_LENGTHS = {"legion_cards": "legion_size", "diary": "diary_count"}

choice_dtype = np.dtype(
    [
        ("kind", np.int32),  # DISPLAY, KEEP, TURN, PLACE, BUY, PLAY or REACT
        ("count", np.int32),  # options are 0 .. count - 1
        ("price", np.int32),  # PLAY, REACT: what the next card costs
        ("drawn_count", np.int32),
        ("places", np.int32),  # PLACE: number of open destinations
        ("drawn_from", np.int32),  # PLACE: place in the deck of a single drawn card, or NOWHERE
        ("undrawn", np.int32),  # cards of this draw step still in the deck
        ("hand_open", np.int32),  # this draw step may still put a card into the hand,
        ("bottom_open", np.int32),  # under the deck,
        ("legion_open", np.int32),  # below a legion
        ("hand_waits", np.int32),  # religion: the first of two cards may not go to the hand
        ("shown", np.int32),  # solo start: cards displayed so far
        ("drawn", np.uint16, MAX_DRAFT),  # DISPLAY, KEEP, PLACE: the drawn cards
        ("options", np.int16, RING),  # what they stand for depends on the kind; see below
    ],
    align=True,
)

hidden_dtype = np.dtype(
    [
        ("decision", np.int32),
        ("seat", np.uint32),  # who decides; unsigned, so that indexing needs no sign check
        ("removed_count", np.int32),
        ("rome_hidden", np.uint16, MAX_ROME_START),
        ("rome_hidden_symbols", np.int16, ROW),
        ("stream", np.uint64, 4),  # the deal's random stream
        ("deck", np.uint16, RING),
        ("removed", np.uint16, MAX_CARDS),
    ],
    align=True,
)

game_dtype = np.dtype(
    [
        ("hidden", hidden_dtype),
        ("table", table_dtype),
        ("seats", seat_dtype, (MAX_PLAYERS,)),
        # One choice per seat, so that no seat sees leftovers of another seat's options.
        ("choices", choice_dtype, (MAX_PLAYERS,)),
    ],
    align=True,
)

#: Result of a game.
result_dtype = np.dtype(
    [
        ("deal", np.int64),
        ("rotation", np.int32),
        ("decisions", np.int32),
        ("rounds", np.int16),
        ("deck_left", np.int16),
        ("empty_legions", np.int16),
        ("rome_wins", np.int16),
        ("rome_held", np.int16),  # categories that Rome holds, as a bit set
        ("rome_categories", np.int16),  # their number
        ("primus", np.int16),
        ("winners", np.int16),  # number of seats that share the win
        ("shares", np.float64, MAX_PLAYERS),
        ("points", np.int32, MAX_PLAYERS),
        ("points_categories", np.int32, MAX_PLAYERS),
        ("points_stronger", np.int32, MAX_PLAYERS),
        ("points_fleet_army", np.int32, MAX_PLAYERS),
        ("points_primus", np.int32, MAX_PLAYERS),
        ("points_wealthiest", np.int32, MAX_PLAYERS),
        ("money", np.int32, MAX_PLAYERS),
        ("hand_count", np.int16, MAX_PLAYERS),
        ("symbols", np.int16, (MAX_PLAYERS, ROW)),  # bonuses included
        ("rome_symbols", np.int16, ROW),  # hidden cards and bonuses included
    ],
    align=True,
)

#: Most words that one step of a game writes.
LARGEST_STEP = 1024
LOG_SIZE = 8 * LARGEST_STEP
#: Events of a game, for traces; see paxsim.engine.events.
log_dtype = np.dtype(
    [
        ("used", np.int32),
        ("full", np.int32),  # words after which play pauses; one more step must fit
        ("words", np.int64, LOG_SIZE),
    ],
    align=True,
)


def address_of(record: np.ndarray) -> int:
    """Return the address of a record, or of the first of several; the caller keeps them alive."""
    return record.ctypes.data


TableType = numba.from_dtype(table_dtype)
SeatType = numba.from_dtype(seat_dtype)
ChoiceType = numba.from_dtype(choice_dtype)
GameType = numba.from_dtype(game_dtype)
ResultType = numba.from_dtype(result_dtype)
LogType = numba.from_dtype(log_dtype)


def rules_record(rules: Rules, players: int, solo_level: int | None) -> np.void:
    """Return a rule set, resolved for a player count, as the record that the engine reads."""
    record = np.zeros(1, rules_dtype)[0]
    for name, value in rules.resolve(players, solo_level).items():
        if name == "draft_sizes":
            record[name][: len(value)] = value
        elif name in WORDS:
            record[name] = WORDS[name].index(value)
        else:
            record[name] = value
    return record


@kernel
def category_of(card):
    """Return the category number of a card, 0 (wealth) to 6 (intrigue)."""
    return card & 7


@kernel
def symbols_of(card):
    """Return the number of symbols of a card."""
    return (card >> 3) & 31


@kernel
def value_of(card):
    """Return the value of a card in Aurei."""
    return card >> 8


@kernel
def passes(choice, option):
    """Return whether the option is to buy nothing, to stop playing or not to react."""
    kind = choice.kind
    return (kind == BUY or kind == PLAY or kind == REACT) and option == choice.count - 1


@kernel
def placed_card(choice, option):
    """Return the card that an option of PLACE puts somewhere."""
    return choice.drawn[option // choice.places]


@kernel
def placed_to(choice, option):
    """Return where an option of PLACE puts its card: a legion, `TO_HAND` or `TO_BOTTOM`."""
    return choice.options[option % choice.places]


@kernel
def bought_legion(choice, option):
    """Return the legion that an option of BUY buys; undefined for the last option."""
    return choice.options[option]


@kernel
def played_card(me, choice, option):
    """Return the hand card that an option of PLAY or REACT plays; undefined for the last option."""
    return me.hand[np.uint16(choice.options[option])]  # unsigned: no sign check


#: Numbers of an array that are shown.
_SHOWN = 12


class Fields(np.record):  # type: ignore[misc]
    """Record whose fields are attributes too, and whose repr shows them."""

    def __getattribute__(self, name: str) -> Any:
        get = super().__getattribute__
        # A field comes first: every number of NumPy has a method `round`.
        return self[name] if name in (get("dtype").names or ()) else get(name)

    def __repr__(self) -> str:
        return described(self)

    __str__ = __repr__


def described(record: np.void) -> str:
    """Return the fields of a record with their values, one per line."""
    return "\n".join(f"{name}: {_shorten(record[name])}" for name in record.dtype.names or ())


def _shorten(value: Any) -> str:
    """Return a number, or an array without the zeros at its end, as text."""
    if isinstance(value, np.void):
        return f"a record of {len(value.dtype.names or ())} fields"
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.dtype.names or value.ndim > 1:
        return f"an array of {' x '.join(map(str, value.shape))}"
    used = np.flatnonzero(value)
    shown = value[: used[-1] + 1 if used.size else 0].tolist()
    numbers = ", ".join(map(str, shown[:_SHOWN])) + (", ..." if len(shown) > _SHOWN else "")
    return f"[{numbers}]" + ("" if len(shown) == value.size else f" and zeros, {value.size} in all")
