"""Compiled encoding of observations and actions; `paxsim.envs.spaces` describes the numbers."""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from paxsim.cards import MAX_COPY
from paxsim.engine.jit import called, entry, kernel
from paxsim.engine.loop import game_at
from paxsim.engine.lowlevel import (
    INT16_BYTES,
    address,
    clear_bytes,
    copy_bytes,
    load_byte,
    load_int16,
    record_at,
    saturating_copy,
    store_byte,
    store_int16,
)
from paxsim.engine.records import (
    BUY,
    DISPLAY,
    KEEP,
    MAX_CARDS,
    MAX_LEGIONS,
    MAX_PLAYERS,
    N_CATEGORIES,
    NOBODY,
    OVER,
    PLACE,
    ROW,
    TO_HAND,
    TURN,
    address_of,
    category_of,
    choice_dtype,
    symbols_of,
    table_dtype,
    value_of,
)
from paxsim.envs.spaces import (
    CARD_WIDTH,
    FIRST_DRAWN,
    IN_VIEW,
    OTHER_PLACES,
    PASS,
    Layout,
    layout_dtype,
)
from paxsim.rules import MAX_DRAFT

#: Bytes of eight numbers of an observation: a table row by category, or one number per seat.
_ROW_BYTES = ROW * INT16_BYTES
#: Bytes of a 32-bit number of the table.
_WIDE = np.dtype(np.int32).itemsize
assert MAX_PLAYERS == ROW


def offset(name, dtype=table_dtype):
    """Return the place of a field in a record, in bytes."""
    return dtype.fields[name][1]


_SYMBOLS, _CARDS = offset("symbols"), offset("cards")
_ROME_SYMBOLS, _ROME_CARDS = offset("rome_symbols"), offset("rome_cards")
_MONEY, _HAND_SIZE, _PEEKED = offset("money"), offset("hand_size"), offset("peeked")
_LEGION_VALUE = offset("legion_value")
narrow_row, narrow_four, narrow_two = map(saturating_copy, (ROW, 4, 2))
#: The last features of an observation, which are adjacent in the choice record too.
_LAST = ("undrawn", "hand_open", "bottom_open", "legion_open", "hand_waits", "shown")
_FIRST_FOUR, _NEXT_TWO = offset(_LAST[0], choice_dtype), offset(_LAST[4], choice_dtype)
assert all(offset(name, choice_dtype) == _FIRST_FOUR + i * _WIDE for i, name in enumerate(_LAST))
layout_at = record_at(numba.from_dtype(layout_dtype))


# --- observations -------------------------------------------------------------------------------


@called
def observe(game, seat, layout, row):
    """Write the observation of a seat into a row."""
    clear_bytes(row, layout.size * INT16_BYTES)
    decides = game.hidden.seat == seat and game.hidden.decision != OVER
    choice = game.choices[seat]
    if decides:
        store_int16(row, choice.kind, 1)
    at = observe_table(game.table, np.int64(seat), row, OVER)
    at = observe_cards(game.table, game.seats[seat], layout, row, at)
    if decides:
        observe_choice(choice, layout.drawn, row, at)


@kernel
def observe_table(table, seat, row, at):
    """Write the features from ``round`` to ``rome_cards``; return the next index."""
    players = np.int64(table.players)
    store_int16(row, at, table.round)
    store_int16(row, at + 1, table.turns_left)
    store_int16(row, at + 2, table.deck_left)
    store_int16(row, at + 3, table.played)
    at += 4
    categories_played = table.categories_played
    for category in range(N_CATEGORIES):
        store_int16(row, at + category, (categories_played >> category) & 1)
    at += N_CATEGORIES
    store_int16(row, at + from_own(table.start, seat, players), 1)
    store_int16(row, at + players + from_own(table.active, seat, players), 1)
    if table.primus != NOBODY:
        store_int16(row, at + 2 * players + from_own(table.primus, seat, players), 1)
    at += 3 * players
    # Rotate to the observing seat: the seats from it to the last, then the first ones.
    target, rest = row + at * INT16_BYTES, (players - seat) * INT16_BYTES
    source = address(table) + _MONEY
    narrow_row(target, source + seat * _WIDE)
    narrow_row(target + rest, source)
    for source in (address(table) + _HAND_SIZE, address(table) + _PEEKED):
        target += players * INT16_BYTES
        copy_bytes(target, source + seat * INT16_BYTES, _ROW_BYTES)
        copy_bytes(target + rest, source, _ROW_BYTES)
    at += 3 * players
    at = observe_displays(address(table) + _SYMBOLS, seat, players, row, at)
    at = observe_displays(address(table) + _CARDS, seat, players, row, at)
    copy_categories(row + at * INT16_BYTES, 0, address(table) + _ROME_SYMBOLS, 0)
    copy_categories(row + at * INT16_BYTES, 1, address(table) + _ROME_CARDS, 0)
    return at + 2 * N_CATEGORIES


@kernel
def observe_displays(displayed, seat, players, row, at):
    """Write numbers by category for every seat, the observing one first; return the next index."""
    other = seat
    for i in range(players):
        copy_categories(row + at * INT16_BYTES, i, displayed, other)
        other += 1
        other &= (other - players) >> 63  # 0 after the last seat, without a branch to mispredict
    return at + players * N_CATEGORIES


@kernel
def from_own(other, seat, players):
    """Return how many seats after the observing seat another one is."""
    distance = other - seat
    return distance if distance >= 0 else distance + players


@kernel
def copy_categories(target, target_row, source, source_row):
    """Copy a table row of numbers by category (and the padding after it)."""
    copy_bytes(
        target + target_row * N_CATEGORIES * INT16_BYTES,
        source + source_row * _ROW_BYTES,
        _ROW_BYTES,
    )


@kernel
def observe_cards(table, me, layout, row, at):
    """Write the cards below legions, in hand and, if known, Rome's; return the next index."""
    legions, kinds = table.legions, layout.kinds
    copy_bytes(row + at * INT16_BYTES, address(table) + _LEGION_VALUE, MAX_LEGIONS * INT16_BYTES)
    at += legions
    for legion in range(legions):
        count_kinds(table.legion_cards[legion], table.legion_size[legion], layout, row, at)
        at += kinds
    count_kinds(me.hand, me.hand_count, layout, row, at)
    at += kinds
    if me.peeked:
        count_kinds(me.rome_peeked, me.rome_count, layout, row, at)
    return at + kinds


@kernel
def count_kinds(cards, count, layout, row, at):
    """Count the cards of a list by kind into cleared numbers."""
    # The first two are counted without a branch, which would often be mispredicted; card 0 is none.
    store_int16(row, at + layout.kind_of[cards[0]], cards[0] != 0)
    second = at + layout.kind_of[cards[1]]
    store_int16(row, second, load_int16(row, second) + (cards[1] != 0))
    for i in range(2, count):
        place = at + layout.kind_of[cards[i]]
        store_int16(row, place, load_int16(row, place) + 1)


@kernel
def observe_choice(choice, most_drawn, row, at):
    """Write the decision: the cards in view and the places still open."""
    for i in range(choice.drawn_count):
        card = choice.drawn[i]
        store_int16(row, at + i * CARD_WIDTH + category_of(card), symbols_of(card))
        store_int16(row, at + i * CARD_WIDTH + N_CATEGORIES, value_of(card))
    at += most_drawn * CARD_WIDTH
    store_int16(row, at, choice.price)
    narrow_four(row + (at + 1) * INT16_BYTES, address(choice) + _FIRST_FOUR)
    narrow_two(row + (at + 5) * INT16_BYTES, address(choice) + _NEXT_TWO)


# --- actions ------------------------------------------------------------------------------------

#: Marks an action that is not allowed, where options count from 1.
NOT_ALLOWED = 0
#: Largest possible numbers of options and actions; both must fit into a byte.
_MOST_OPTIONS = MAX_CARDS + 1
_MOST_ACTIONS = (
    FIRST_DRAWN + MAX_DRAFT + IN_VIEW * (OTHER_PLACES + MAX_LEGIONS) + MAX_LEGIONS + MAX_COPY
)
assert max(_MOST_OPTIONS, _MOST_ACTIONS) < 256


@kernel
def choosing(index):
    """Return the action that keeps or displays a drawn card, or puts one of the draft back."""
    return np.int64(FIRST_DRAWN + index)


@kernel
def placing(table, layout, index, place):
    """Return the action that puts a card in view into a place."""
    number = np.int64(place) + OTHER_PLACES if place >= 0 else TO_HAND - np.int64(place)
    return choosing(layout.drawn) + index * (OTHER_PLACES + table.legions) + number


@kernel
def buying(table, layout, legion):
    """Return the action that buys the cards below a legion."""
    return placing(table, layout, IN_VIEW, TO_HAND) + legion


@kernel
def playing(table, layout, card):
    """Return the action that plays a card or reacts with it."""
    return buying(table, layout, table.legions) + layout.kind_of[card]


@called
def allow(game, layout, mask, options, allowed):
    """Write bytes about the allowed actions; return their number.

    `mask` is 1 for allowed actions, `options` has the first option of each action, from 1, or
    ``NOT_ALLOWED``, and `allowed` lists the actions in the order of the options.
    """
    clear_bytes(mask, layout.actions)
    clear_bytes(options, layout.actions)
    seat = game.hidden.seat
    choice = game.choices[seat]
    kind = choice.kind
    count = np.int64(choice.count)
    if kind == PLACE and game.table.round > 0:
        option = 0
        for index in range(choice.drawn_count):
            for i in range(choice.places):
                action = placing(game.table, layout, index, choice.options[i])
                allow_action(action, option, mask, options, allowed, option)
                option += 1
        return count
    if kind == TURN or kind == KEEP or kind == DISPLAY or kind == PLACE:
        for option in range(count):
            action = np.int64(option) if kind == TURN else choosing(option)
            allow_action(action, option, mask, options, allowed, option)
        return count
    last = count - 1
    place = 0
    if kind == BUY:
        for option in range(last):
            action = buying(game.table, layout, choice.options[option])
            allow_action(action, option, mask, options, allowed, option)
        place = last
    else:
        hand = game.seats[seat].hand
        for option in range(last):
            action = playing(game.table, layout, hand[choice.options[option]])
            if load_byte(options, action) == NOT_ALLOWED:  # the first card of its kind
                allow_action(action, option, mask, options, allowed, place)
                place += 1
    allow_action(PASS, last, mask, options, allowed, place)
    return place + 1


@kernel
def allow_action(action, option, mask, options, allowed, place):
    """Record an allowed action and its option."""
    store_byte(mask, action, 1)
    store_byte(options, action, option + 1)
    store_byte(allowed, place, action)


# --- one game -----------------------------------------------------------------------------------


@entry(types.void(types.int64, types.int64, types.int64, types.int64, types.int64, types.int64))
def encode_game(game_address, seat, layout_address, observation, mask, options):
    """Write what a seat observes; `options` has room for two bytes per action."""
    game = game_at(game_address)
    layout = layout_at(layout_address)
    observe(game, seat, layout, observation)
    if game.hidden.decision != OVER and game.hidden.seat == seat:
        allow(game, layout, mask, options, options + layout.actions)
    else:
        clear_bytes(mask, layout.actions)
        clear_bytes(options, layout.actions)


def encode(game_address: int, seat: int, layout: Layout) -> tuple[np.ndarray, ...]:
    """Return observation and mask of a seat (from 0), and the option of each action, or -1."""
    observation = np.empty(layout.size, np.int16)
    mask = np.empty(layout.actions, np.int8)
    options = np.empty(2 * layout.actions, np.uint8)
    addresses = map(address_of, (layout.record, observation, mask, options))
    encode_game(game_address, seat, *addresses)
    return observation, mask, options[: layout.actions].astype(int) - 1
