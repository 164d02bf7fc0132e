"""Compiled code that writes what a seat sees as a row of numbers; `layout` says what they mean.

A row is handed over as its address. Fields are written in the order of the row: where a row of the
table, which has room for eight categories, is copied whole, the eighth number is written over by
the field that follows.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.codes import category_of, symbols_of, value_of
from paxsim.engine.copying import address, copy_bytes
from paxsim.engine.jit import called, kernel
from paxsim.engine.records import N_CATEGORIES, NOBODY, OVER, ROW, table_dtype
from paxsim.learning.layout import OF_CARD
from paxsim.learning.rows import NUMBER, clear_bytes, put, take

#: Bytes of a row of the table that is by category.
_CATEGORIES = ROW * NUMBER


def _offset(name):
    return table_dtype.fields[name][1]


_SYMBOLS, _CARDS = _offset("symbols"), _offset("cards")
_ROME_SYMBOLS, _ROME_CARDS = _offset("rome_symbols"), _offset("rome_cards")


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
    for category in range(N_CATEGORIES):
        put(row, at + category, (table.categories_played >> category) & 1)
    at += N_CATEGORIES
    put(row, at + from_own(table.start, seat, players), 1)
    put(row, at + players + from_own(table.active, seat, players), 1)
    if table.primus != NOBODY:
        put(row, at + 2 * players + from_own(table.primus, seat, players), 1)
    at += 3 * players
    symbols = row + (at + 3 * players) * NUMBER
    cards = symbols + players * N_CATEGORIES * NUMBER
    displayed = address(table) + _SYMBOLS
    other = seat
    for i in range(players):
        put(row, at + i, table.money[other])
        put(row, at + players + i, table.hand_size[other])
        put(row, at + 2 * players + i, table.peeked[other])
        copy_categories(symbols, i, displayed, other)
        other = other + 1 if other + 1 < players else 0
    displayed = address(table) + _CARDS
    for i in range(players):
        copy_categories(cards, i, displayed, other)
        other = other + 1 if other + 1 < players else 0
    at += 3 * players + 2 * players * N_CATEGORIES
    copy_categories(row + at * NUMBER, 0, address(table) + _ROME_SYMBOLS, 0)
    copy_categories(row + at * NUMBER, 1, address(table) + _ROME_CARDS, 0)
    return at + 2 * N_CATEGORIES


@kernel
def from_own(other, seat, players):
    """How many seats a seat is after one's own."""
    distance = other - seat
    return distance if distance >= 0 else distance + players


@kernel
def copy_categories(target, target_row, source, source_row):
    """Copy numbers by category from a row of the table, and one number more."""
    copy_bytes(
        target + target_row * N_CATEGORIES * NUMBER, source + source_row * _CATEGORIES, _CATEGORIES
    )


@kernel
def observe_cards(table, me, layout, row, at):
    """Cards below legions, in the own hand, and Rome's hidden ones if they are known."""
    for legion in range(table.legions):
        put(row, at + legion, table.legion_value[legion])
    at += table.legions
    for legion in range(table.legions):
        count_kinds(table.legion_cards[legion], table.legion_size[legion], layout, row, at)
        at += layout.kinds
    count_kinds(me.hand, me.hand_count, layout, row, at)
    at += layout.kinds
    if me.peeked:
        count_kinds(me.rome_peeked, table.rules.rome_hidden, layout, row, at)
    return at + layout.kinds


@kernel
def count_kinds(cards, count, layout, row, at):
    """Count the cards of a list by kind; the row is clear there."""
    # Most lists have a card: the first one is written without asking. (0 stands behind the last.)
    put(row, at + layout.kind_of[cards[0]], cards[0] != 0)
    for i in range(1, count):
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
    put(row, at + 1, choice.undrawn)
    put(row, at + 2, choice.hand_open)
    put(row, at + 3, choice.bottom_open)
    put(row, at + 4, choice.legion_open)
    put(row, at + 5, choice.hand_waits)
    put(row, at + 6, choice.shown)
