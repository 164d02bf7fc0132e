"""Compiled code that translates options of the engine into actions of learners, and back."""

from __future__ import annotations

import numpy as np

from paxsim.cards import MAX_COPY
from paxsim.engine.choices import bought_legion, passes, placed_to, played_card
from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import options_asked
from paxsim.engine.records import BUY, DISPLAY, KEEP, MAX_CARDS, PLACE, TO_HAND, TURN
from paxsim.learning.layout import FIRST_DRAWN, IN_VIEW, OTHER_PLACES, PASS
from paxsim.learning.rows import clear_bytes, put_byte, take_byte
from paxsim.rules import MAX_DRAFT, MAX_LEGIONS

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
            if take_byte(options, action) == NOT_ALLOWED:  # the first card of its kind
                note(action, option, mask, options, allowed, noted)
                noted += 1
    note(PASS, last, mask, options, allowed, noted)
    return noted + 1


@kernel
def note(action, option, mask, options, allowed, place):
    """Note that an option is an action, which is allowed."""
    put_byte(mask, action, 1)
    put_byte(options, action, option + 1)
    put_byte(allowed, place, action)
