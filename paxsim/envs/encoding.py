"""Compiled code that writes what a seat sees as a row of numbers; `layout` says what they mean."""

from __future__ import annotations

import numpy as np

from paxsim.cards import MAX_COPY
from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import options_asked
from paxsim.engine.lowlevel import (
    INT16_BYTES,
    address,
    clear_bytes,
    copy_bytes,
    load_byte,
    load_int16,
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
    bought_legion,
    category_of,
    choice_dtype,
    passes,
    placed_to,
    played_card,
    symbols_of,
    table_dtype,
    value_of,
)
from paxsim.envs.spaces import FIRST_DRAWN, IN_VIEW, OF_CARD, OTHER_PLACES, PASS
from paxsim.rules import MAX_DRAFT

#: Bytes of eight numbers: a row of the table that is by category, or a number of every seat.
_ROW_BYTES = ROW * INT16_BYTES
#: Bytes of one of those numbers of the table that have 32 bits.
_WIDE = np.dtype(np.int32).itemsize
assert MAX_PLAYERS == ROW


def _offset(name, dtype=table_dtype):
    return dtype.fields[name][1]


_SYMBOLS, _CARDS = _offset("symbols"), _offset("cards")
_ROME_SYMBOLS, _ROME_CARDS = _offset("rome_symbols"), _offset("rome_cards")
_MONEY, _HAND_SIZE, _PEEKED = _offset("money"), _offset("hand_size"), _offset("peeked")
_LEGION_VALUE = _offset("legion_value")
narrow_row, narrow_four, narrow_two = map(saturating_copy, (ROW, 4, 2))
#: The end of a row, which stands side by side in the choice as well.
_LAST = ("undrawn", "hand_open", "bottom_open", "legion_open", "hand_waits", "shown")
_FIRST_FOUR, _NEXT_TWO = _offset(_LAST[0], choice_dtype), _offset(_LAST[4], choice_dtype)
assert all(_offset(name, choice_dtype) == _FIRST_FOUR + i * _WIDE for i, name in enumerate(_LAST))


@called
def observe(game, seat, layout, row):
    """Write what a seat sees into a row of observations."""
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
    """From the round to Rome's open cards; return where the next field begins."""
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
    # The seats from one's own to the last, and behind them the first ones.
    field, behind = row + at * INT16_BYTES, (players - seat) * INT16_BYTES
    place = address(table) + _MONEY
    narrow_row(field, place + seat * _WIDE)
    narrow_row(field + behind, place)
    for place in (address(table) + _HAND_SIZE, address(table) + _PEEKED):
        field += players * INT16_BYTES
        copy_bytes(field, place + seat * INT16_BYTES, _ROW_BYTES)
        copy_bytes(field + behind, place, _ROW_BYTES)
    at += 3 * players
    at = observe_displays(address(table) + _SYMBOLS, seat, players, row, at)
    at = observe_displays(address(table) + _CARDS, seat, players, row, at)
    copy_categories(row + at * INT16_BYTES, 0, address(table) + _ROME_SYMBOLS, 0)
    copy_categories(row + at * INT16_BYTES, 1, address(table) + _ROME_CARDS, 0)
    return at + 2 * N_CATEGORIES


@kernel
def observe_displays(displayed, seat, players, row, at):
    """Numbers by category of every seat, from one's own; return where the next field begins."""
    other = seat
    for i in range(players):
        copy_categories(row + at * INT16_BYTES, i, displayed, other)
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
        target + target_row * N_CATEGORIES * INT16_BYTES,
        source + source_row * _ROW_BYTES,
        _ROW_BYTES,
    )


@kernel
def observe_cards(table, me, layout, row, at):
    """Cards below legions, in the own hand, and Rome's hidden ones if they are known."""
    legions, kinds = table.legions, layout.kinds
    copy_bytes(row + at * INT16_BYTES, address(table) + _LEGION_VALUE, MAX_LEGIONS * INT16_BYTES)
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
    store_int16(row, at + layout.kind_of[cards[0]], cards[0] != 0)
    second = at + layout.kind_of[cards[1]]
    store_int16(row, second, load_int16(row, second) + (cards[1] != 0))
    for i in range(2, count):
        place = at + layout.kind_of[cards[i]]
        store_int16(row, place, load_int16(row, place) + 1)


@kernel
def observe_choice(choice, most_drawn, row, at):
    """What is asked of the seat: the cards in view, and what may be done with them."""
    for i in range(choice.drawn_count):
        card = choice.drawn[i]
        store_int16(row, at + i * OF_CARD + category_of(card), symbols_of(card))
        store_int16(row, at + i * OF_CARD + N_CATEGORIES, value_of(card))
    at += most_drawn * OF_CARD
    store_int16(row, at, choice.price)
    narrow_four(row + (at + 1) * INT16_BYTES, address(choice) + _FIRST_FOUR)
    narrow_two(row + (at + 5) * INT16_BYTES, address(choice) + _NEXT_TWO)


#: What stands for an action that is not allowed, where options count from 1.
NOT_ALLOWED = 0
#: The most options, and actions, that there are: a byte has room for the number of one.
_MOST_OPTIONS = MAX_CARDS + 1
_MOST_ACTIONS = (
    FIRST_DRAWN + MAX_DRAFT + IN_VIEW * (OTHER_PLACES + MAX_LEGIONS) + MAX_LEGIONS + MAX_COPY
)
assert max(_MOST_OPTIONS, _MOST_ACTIONS) < 256


@kernel
def choosing(index):
    """The action that keeps, or displays, a drawn card."""
    return np.int64(FIRST_DRAWN + index)


@kernel
def placing(table, layout, index, place):
    """The action that puts a card in view somewhere; see `paxsim.engine.choices`."""
    number = np.int64(place) + OTHER_PLACES if place >= 0 else TO_HAND - np.int64(place)
    return choosing(layout.drawn) + index * (OTHER_PLACES + table.legions) + number


@kernel
def buying(table, layout, legion):
    """The action that buys the cards below a legion."""
    return placing(table, layout, IN_VIEW, TO_HAND) + legion


@kernel
def playing(table, layout, card):
    """The action that plays a card, or reacts with it."""
    return buying(table, layout, table.legions) + layout.kind_of[card]


@kernel
def action_of(game, option, layout):
    """The action that an option of the decision at hand is."""
    seat = game.hidden.seat
    choice = game.choices[seat]
    kind = choice.kind
    if kind == TURN:
        return np.int64(option)
    if kind == DISPLAY or kind == KEEP:
        return choosing(option)
    if kind == PLACE:
        index = option // choice.places
        return placing(game.table, layout, index, placed_to(choice, option))
    if passes(choice, option):
        return np.int64(PASS)
    if kind == BUY:
        return buying(game.table, layout, bought_legion(choice, option))
    return playing(game.table, layout, played_card(game.seats[seat], choice, option))


@called
def option_of(game, action, layout):
    """The first option of the decision at hand that an action is, or -1."""
    for option in range(options_asked(game)):
        if action_of(game, option, layout) == action:
            return option
    return -1


@called
def allow(game, layout, mask, options, allowed):
    """Note which actions are allowed, and return how many.

    Says the same as `action_of`, for all options at once.

    Parameters
    ----------
    mask : address
        Of bytes by action, which get 1 for allowed actions and 0 for others.
    options : address
        Of bytes by action: the first option that it is, from 1, or ``NOT_ALLOWED``.
    allowed : address
        Of bytes: the allowed actions, in the order of the options.
    """
    clear_bytes(mask, layout.actions)
    clear_bytes(options, layout.actions)
    seat = game.hidden.seat
    choice = game.choices[seat]
    kind = choice.kind
    count = np.int64(choice.count)
    if kind == PLACE:
        option = 0
        for index in range(choice.drawn_count):
            for i in range(choice.places):
                action = placing(game.table, layout, index, choice.options[i])
                note(action, option, mask, options, allowed, option)
                option += 1
        return count
    if kind == TURN or kind == KEEP or kind == DISPLAY:
        for option in range(count):
            action = np.int64(option) if kind == TURN else choosing(option)
            note(action, option, mask, options, allowed, option)
        return count
    last = count - 1
    noted = 0
    if kind == BUY:
        for option in range(last):
            action = buying(game.table, layout, choice.options[option])
            note(action, option, mask, options, allowed, option)
        noted = last
    else:
        hand = game.seats[seat].hand
        for option in range(last):
            action = playing(game.table, layout, hand[choice.options[option]])
            if load_byte(options, action) == NOT_ALLOWED:  # the first card of its kind
                note(action, option, mask, options, allowed, noted)
                noted += 1
    note(PASS, last, mask, options, allowed, noted)
    return noted + 1


@kernel
def note(action, option, mask, options, allowed, place):
    """Note that an option is an action, which is allowed."""
    store_byte(mask, action, 1)
    store_byte(options, action, option + 1)
    store_byte(allowed, place, action)
