"""Compiled code that writes what a seat sees as a row of numbers; `layout` says what they mean.

A row is handed over as its address. It is written at every decision of a learner, so numbers that
stand side by side are copied together, as many as there is room for in the table (eight categories,
eight seats, twelve legions). Fields are written in the order of the row: what is copied too much is
written over by those that follow, or is 0 and stays so, as behind the last legion.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.codes import category_of, symbols_of, value_of
from paxsim.engine.copying import address, copy_bytes
from paxsim.engine.jit import called, kernel
from paxsim.engine.records import (
    MAX_LEGIONS,
    MAX_PLAYERS,
    N_CATEGORIES,
    NOBODY,
    OVER,
    ROW,
    choice_dtype,
    table_dtype,
)
from paxsim.learning.layout import OF_CARD
from paxsim.learning.rows import NUMBER, clear_bytes, narrowing, put, take

#: Bytes of eight numbers: a row of the table that is by category, or a number of every seat.
_ROW_BYTES = ROW * NUMBER
#: Bytes of one of those numbers of the table that have 32 bits.
_WIDE = np.dtype(np.int32).itemsize
assert MAX_PLAYERS == ROW


def _offset(name, dtype=table_dtype):
    return dtype.fields[name][1]


_SYMBOLS, _CARDS = _offset("symbols"), _offset("cards")
_ROME_SYMBOLS, _ROME_CARDS = _offset("rome_symbols"), _offset("rome_cards")
_MONEY, _HAND_SIZE, _PEEKED = _offset("money"), _offset("hand_size"), _offset("peeked")
_LEGION_VALUE = _offset("legion_value")
narrow_row, narrow_four, narrow_two = map(narrowing, (ROW, 4, 2))
#: The end of a row, which stands side by side in the choice as well.
_LAST = ("undrawn", "hand_open", "bottom_open", "legion_open", "hand_waits", "shown")
_FIRST_FOUR, _NEXT_TWO = _offset(_LAST[0], choice_dtype), _offset(_LAST[4], choice_dtype)
assert all(_offset(name, choice_dtype) == _FIRST_FOUR + i * _WIDE for i, name in enumerate(_LAST))


@called
def observe(game, seat, layout, row):
    """Write what a seat sees into a row of observations."""
    clear_bytes(row, layout.size * NUMBER)
    decides = game.hidden.seat == seat and game.hidden.decision != OVER
    choice = game.choices[seat]
    if decides:
        put(row, choice.kind, 1)
    at = observe_table(game.table, np.int64(seat), row, OVER)
    at = observe_cards(game.table, game.seats[seat], layout, row, at)
    if decides:
        observe_choice(choice, layout.drawn, row, at)


@kernel
def observe_table(table, seat, row, at):
    """From the round to Rome's open cards; return where the next field begins."""
    players = np.int64(table.players)
    put(row, at, table.round)
    put(row, at + 1, table.turns_left)
    put(row, at + 2, table.deck_left)
    put(row, at + 3, table.played)
    at += 4
    categories_played = table.categories_played
    for category in range(N_CATEGORIES):
        put(row, at + category, (categories_played >> category) & 1)
    at += N_CATEGORIES
    put(row, at + from_own(table.start, seat, players), 1)
    put(row, at + players + from_own(table.active, seat, players), 1)
    if table.primus != NOBODY:
        put(row, at + 2 * players + from_own(table.primus, seat, players), 1)
    at += 3 * players
    # The seats from one's own to the last, and behind them the first ones.
    field, behind = row + at * NUMBER, (players - seat) * NUMBER
    place = address(table) + _MONEY
    narrow_row(field, place + seat * _WIDE)
    narrow_row(field + behind, place)
    for place in (address(table) + _HAND_SIZE, address(table) + _PEEKED):
        field += players * NUMBER
        copy_bytes(field, place + seat * NUMBER, _ROW_BYTES)
        copy_bytes(field + behind, place, _ROW_BYTES)
    at += 3 * players
    at = observe_displays(address(table) + _SYMBOLS, seat, players, row, at)
    at = observe_displays(address(table) + _CARDS, seat, players, row, at)
    copy_categories(row + at * NUMBER, 0, address(table) + _ROME_SYMBOLS, 0)
    copy_categories(row + at * NUMBER, 1, address(table) + _ROME_CARDS, 0)
    return at + 2 * N_CATEGORIES


@kernel
def observe_displays(displayed, seat, players, row, at):
    """Numbers by category of every seat, from one's own; return where the next field begins."""
    other = seat
    for i in range(players):
        copy_categories(row + at * NUMBER, i, displayed, other)
        other += 1
        other &= (other - players) >> 63  # 0 after the last seat: where that is can't be guessed
    return at + players * N_CATEGORIES


@kernel
def from_own(other, seat, players):
    """How many seats a seat is after one's own."""
    distance = other - seat
    return distance if distance >= 0 else distance + players


@kernel
def copy_categories(target, target_row, source, source_row):
    """Copy numbers by category from a row of the table, and one number more."""
    copy_bytes(
        target + target_row * N_CATEGORIES * NUMBER, source + source_row * _ROW_BYTES, _ROW_BYTES
    )


@kernel
def observe_cards(table, me, layout, row, at):
    """Cards below legions, in the own hand, and Rome's hidden ones if they are known."""
    legions, kinds = table.legions, layout.kinds
    copy_bytes(row + at * NUMBER, address(table) + _LEGION_VALUE, MAX_LEGIONS * NUMBER)
    at += legions
    for legion in range(legions):
        count_kinds(table.legion_cards[legion], table.legion_size[legion], layout, row, at)
        at += kinds
    count_kinds(me.hand, me.hand_count, layout, row, at)
    at += kinds
    if me.peeked:
        count_kinds(me.rome_peeked, table.rules.rome_hidden, layout, row, at)
    return at + kinds


@kernel
def count_kinds(cards, count, layout, row, at):
    """Count the cards of a list by kind; the row is clear there."""
    # How many there are can't be guessed: two are counted without asking. (Behind the last is 0.)
    put(row, at + layout.kind_of[cards[0]], cards[0] != 0)
    second = at + layout.kind_of[cards[1]]
    put(row, second, take(row, second) + (cards[1] != 0))
    for i in range(2, count):
        place = at + layout.kind_of[cards[i]]
        put(row, place, take(row, place) + 1)


@kernel
def observe_choice(choice, most_drawn, row, at):
    """What is asked of the seat: the cards in view, and what may be done with them."""
    for i in range(choice.drawn_count):
        card = choice.drawn[i]
        put(row, at + i * OF_CARD + category_of(card), symbols_of(card))
        put(row, at + i * OF_CARD + N_CATEGORIES, value_of(card))
    at += most_drawn * OF_CARD
    put(row, at, choice.price)
    narrow_four(row + (at + 1) * NUMBER, address(choice) + _FIRST_FOUR)
    narrow_two(row + (at + 5) * NUMBER, address(choice) + _NEXT_TWO)
