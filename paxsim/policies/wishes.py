"""Wishes: the words in which a heuristic says what its seat wants.

A wish is a note in the seat's memory (`paxsim.policies.notes`). First the setters, one wish each;
behind them the wishes that several heuristics share.
"""

from __future__ import annotations

import math

import numpy as np

from paxsim.engine.jit import kernel
from paxsim.engine.records import NEVER
from paxsim.helpers import (
    ARMY,
    FLEET,
    INTRIGUE,
    LAND,
    N_CATEGORIES,
    RELIGION,
    strength,
)
from paxsim.policies.notes import (
    EXTRA,
    MONEY,
    PEEKING,
    ROME,
    ROME_COUNTS,
    ROME_END,
    ROME_GAINS,
    ROME_NOW,
    ROUNDS,
    SHARED,
    SHARES,
    SHARES_END,
    WANTED,
    WORTH,
)
from paxsim.policies.reckoning import hidden_decide, is_romes, need_over_rome

#: What is left of a wish for a seat that is 0, 1, 2 ... symbols behind another, so many of them.
_BEHIND = 32
_NEARNESS = 1.0 / (1.0 + np.arange(_BEHIND))
#: What knowledge that is of no use is worth: enough to think of what peeking pays.
_A_THOUGHT = 1e-9


# --- one wish at a time ---------------------------------------------------------------------


@kernel
def rounds_to_come(me):
    """Rounds still to come after this one, when wishes are made (`paxsim.helpers.rounds_left`)."""
    return me.memory[ROUNDS]


@kernel
def wish(me, category, worth, wanted, extra):
    """Wish for a category: `worth` a symbol for `wanted` symbols, and `extra` a card."""
    me.memory[WORTH + category] = worth
    me.memory[WANTED + category] = wanted
    me.memory[EXTRA + category] = extra


@kernel
def give_up_forbidden(table, me):
    """Wish for no category that the seat may never play (`paxsim.policies.restricted`)."""
    allowance = table.allowance[me.seat]
    forbidden = False
    for category in range(N_CATEGORIES):
        forbidden |= allowance[category] == NEVER
    if forbidden:  # which is rare
        for category in range(N_CATEGORIES):
            if allowance[category] == NEVER:
                wish(me, category, 0.0, 0.0, 0.0)


@kernel
def wish_symbols(me, category, worth):
    """`worth` more for each wanted symbol of a category."""
    me.memory[WORTH + category] += worth


@kernel
def wish_card(me, category, extra):
    """`extra` more for each card of a category."""
    me.memory[EXTRA + category] += extra


@kernel
def want(me, category, symbols):
    """So many symbols of a category are wanted."""
    me.memory[WANTED + category] = symbols


@kernel
def want_at_least(me, category, symbols):
    """So many symbols of a category are wanted, or more if they are already."""
    me.memory[WANTED + category] = max(me.memory[WANTED + category], symbols)


@kernel
def wish_rome_symbols(me, category, worth):
    """A symbol of a category that Rome gets is worth so much to this seat."""
    me.memory[ROME + category] = worth
    note_rome(me, worth)


@kernel
def note_rome(me, worth):
    """Note that what Rome gets counts, of which some symbols may have a worth of this sign."""
    me.memory[ROME_COUNTS] = 1.0
    me.memory[ROME_GAINS] = max(me.memory[ROME_GAINS], worth)


@kernel
def wish_money(me, worth):
    """An Aureus is worth so much."""
    me.memory[MONEY] = worth


@kernel
def wish_to_peek(me):
    """Rather peek than take this turn, whatever the turn is worth."""
    me.memory[PEEKING] = math.inf


# --- wishes that heuristics share -----------------------------------------------------------


@kernel
def spread(me, worth):
    """Note the shares of a worth, for `share_of`; it is mostly that of the last turn."""
    if me.memory[SHARED] != worth:
        me.memory[SHARED] = worth
        for symbols in range(1, SHARES_END):
            me.memory[SHARES + symbols] = worth / symbols


@kernel
def share_of(me, symbols):
    """A symbol's share of the worth that was spread, if so many (0 or more) are needed."""
    if symbols < SHARES_END:
        return me.memory[SHARES + symbols]
    return me.memory[SHARED] / symbols


@kernel
def wish_points(table, me, new, stronger, arms):
    """Wish for what scores.

    Parameters
    ----------
    new : float
        Worth of the first card of a category.
    stronger : float
        Worth of ending above Rome in a category, spread over the symbols still needed.
    arms : float
        Worth of a fleet or army symbol in itself.
    """
    spread(me, stronger)
    cards = table.cards[me.seat]
    for category in range(N_CATEGORIES):
        need = max(need_over_rome(table, me, category), 0)
        # A number instead of a branch, which a comparison becomes: what is new is hard to guess.
        is_new = 1 - min(cards[category], 1)
        wish(me, category, share_of(me, need), need, new * is_new)
    for category in (FLEET, ARMY):
        wish_symbols(me, category, arms)
        want_at_least(me, category, 4.0)


@kernel
def wish_reach(table, me, worth, near):
    """`worth` more a symbol where at most `near` symbols are missing to be above Rome."""
    for category in range(N_CATEGORIES):
        wanted = me.memory[WANTED + category]
        # A number instead of a branch, as in `wish_points`.
        wish_symbols(me, category, worth * ((wanted > 0.0) & (wanted <= near)))


@kernel
def wish_row(table, me, worth):
    """Long rows pay: `worth` for a card, for each card that its row has already."""
    for category in range(N_CATEGORIES):
        if category != INTRIGUE:
            wish_card(me, category, worth * table.cards[me.seat, category])


@kernel
def wish_wrest(table, me, worth):
    """Take categories from Rome that no rival takes: `worth`, spread over the symbols needed."""
    for category in range(N_CATEGORIES):
        if is_romes(table, me, category):
            need = need_over_rome(table, me, category)
            # The seat that is nearest does it; the others leave it to that seat.
            behind = table.strongest[category] - strength(table, me.seat, category)
            share = 1.0 / (1.0 + behind) if behind >= _BEHIND else _NEARNESS[behind]
            wish_symbols(me, category, worth * share / need)
            want_at_least(me, category, need)


@kernel
def wish_defence(table, me, wrest, hold, spare, starve, contest):
    """Take categories from Rome that nobody takes, and keep those that this seat has taken.

    Parameters
    ----------
    wrest : float
        Worth of a category that Rome would hold, spread over the symbols needed. The seat that is
        nearest does it, the others leave it to that seat.
    hold : float
        Worth of a symbol where this seat is above Rome by little, and nobody by more.
    spare : float
        Symbols wanted above Rome's strength at the end, which whoever feeds Rome adds to.
    starve : float
        Worth of a symbol that Rome does not get, most where Rome and the best player are close.
    contest : float
        What fleets and armies count in `wrest` and `starve`, as a part of what others count: they
        need land, Rome's do not.
    """
    for category in range(N_CATEGORIES):
        part = contest if category == FLEET or category == ARMY else 1.0
        strongest = table.strongest[category]
        margin = strongest - me.memory[ROME_END + category]
        behind = strongest - strength(table, me.seat, category)
        if margin <= 0.0:
            need = need_over_rome(table, me, category)
            wish_symbols(me, category, part * wrest / ((1.0 + behind) * need))
            want_at_least(me, category, need + spare)
        elif behind == 0 and margin < spare:
            wish_symbols(me, category, hold)
            want_at_least(me, category, spare - margin)
        ahead = me.memory[ROME_NOW + category] - strongest
        wish_rome_symbols(me, category, -part * starve / (1.0 + abs(ahead + 0.5)))


@kernel
def wish_limit(table, me, worth):
    """Land that lets fleets and armies be played: `worth` a symbol, as long as they are few."""
    arms = max(table.symbols[me.seat, FLEET], table.symbols[me.seat, ARMY])
    land = table.symbols[me.seat, LAND]
    missing = arms + 3.0 - land
    if missing > 0.0:
        wish_symbols(me, LAND, worth)
        want_at_least(me, LAND, missing)


@kernel
def wish_step(table, me, category, step, worth):
    """Symbols on the way to the next multiple of `step`: `worth`, spread over those missing."""
    missing = step - table.symbols[me.seat, category] % step
    wish_symbols(me, category, worth / missing)
    want_at_least(me, category, float(missing))


@kernel
def wish_foresight(table, me, worth):
    """Religion on the way to seeing two cards together, then three: spread likewise."""
    goal = table.rules.religion_two
    if table.symbols[me.seat, RELIGION] >= goal:
        goal = table.rules.religion_three
    if table.symbols[me.seat, RELIGION] < goal:
        wish_step(table, me, RELIGION, goal, worth)


@kernel
def wish_primus(table, me, worth, margin):
    """Intrigue enough to hold primus conspiratus, with a margin of symbols over every rival."""
    mine = table.symbols[me.seat, INTRIGUE]
    rival = 0
    for seat in range(table.players):
        if seat != me.seat:
            rival = max(rival, table.symbols[seat, INTRIGUE])
    holds = table.primus == me.seat
    need = rival + margin - mine + (0.0 if holds else 1.0)
    if need > 0.0:
        wish_symbols(me, INTRIGUE, worth)
        want_at_least(me, INTRIGUE, need)


@kernel
def wish_rome(table, me, worth):
    """What a symbol for Rome is worth, most where Rome and the best player are close."""
    for category in range(N_CATEGORIES):
        ahead = me.memory[ROME_NOW + category] - table.strongest[category]
        weight = 1.0 / (1.0 + abs(ahead + 0.5))
        me.memory[ROME + category] = worth * weight
    note_rome(me, worth)


@kernel
def wish_peek(table, me, worth):
    """Weigh peeking against a turn: knowing Rome's hidden cards is worth something if they decide.

    The later, the less changes afterwards, so that `worth` is reached one round before the last;
    then knowledge comes too late. The planner adds what peeking pays.
    """
    if worth > 0.0:
        rounds = rounds_to_come(me)
        useful = not me.peeked and rounds >= 1.0 and hidden_decide(table, me)
        me.memory[PEEKING] = worth / rounds if useful else _A_THOUGHT
