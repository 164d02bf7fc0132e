"""The other decisions of a turn: to take it, what to buy, what to play; and what to keep before."""

from __future__ import annotations

import numpy as np

from paxsim.engine.jit import kernel
from paxsim.helpers import (
    INTRIGUE,
    LAND,
    N_CATEGORIES,
    NOBODY,
    PEEK,
    SENATOR,
    TAKE_TURN,
    bought_legion,
    category_of,
    is_military,
    limit_of,
    played_card,
    price_of_legion,
    symbols_of,
)
from paxsim.policies.notes import MONEY, PEEKING, RICHEST, ROME_COUNTS, ROME_HAS, USUAL
from paxsim.policies.worth import CARDS_A_TURN, group_hope, note_richest, patience, worth_of

#: What the fleet or army that a land allows counts when that land is played.
_OPENED = 0.8


@kernel
def choose_drawn(table, me, choice):
    """KEEP, DISPLAY: the best card."""
    best = 0
    most = worth_of(me, choice.drawn[0])
    for i in range(1, choice.count):
        worth = worth_of(me, choice.drawn[i])
        if worth > most:
            most = worth
            best = i
    return best


@kernel
def choose_turn(table, me):
    """TURN: peek if knowing Rome's hidden cards, and the pay, are worth more than a turn's cards.

    A turn without a card played is paid too, so only the difference counts.
    """
    if me.memory[PEEKING] <= 0.0:
        return TAKE_TURN
    pay = table.rules.peek_income - table.rules.basic_income
    peeking = me.memory[PEEKING] + me.memory[MONEY] * pay
    turn = CARDS_A_TURN * patience(table, me) * me.memory[USUAL]
    return PEEK if peeking > turn else TAKE_TURN


@kernel
def choose_purchase(table, me, choice):
    """BUY: the group that brings most for its price; keeping it from Rome counts too."""
    keep = patience(table, me)
    richest = NOBODY
    if me.memory[ROME_COUNTS] > 0.0:
        note_richest(table, me)
        richest = int(me.memory[RICHEST])
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        legion = np.uint16(bought_legion(choice, option))  # needs no look at its sign
        score = keep * group_hope(table, me, legion)
        score -= me.memory[MONEY] * price_of_legion(table, me.seat, legion)
        if legion == richest:
            score -= me.memory[ROME_HAS]
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def opened_worth(table, me, card):
    """Worth of the best fleet or army in hand that this land or intrigue would allow."""
    now = limit_of(table, me.seat)
    limit = table.symbols[me.seat, category_of(card)] + symbols_of(card)
    best = 0.0
    if limit > now:
        for slot in range(me.hand_count):
            other = category_of(me.hand[slot])
            if is_military(other):
                after = table.symbols[me.seat, other] + symbols_of(me.hand[slot])
                if now < after <= limit:
                    best = max(best, worth_of(me, me.hand[slot]))
    return _OPENED * best


@kernel
def longest_row(table, seat, categories):
    """Cards in the longest row of a seat's display, of those `categories` (a bit set)."""
    rows = table.cards[seat]
    longest = 0
    for category in range(N_CATEGORIES):
        longest = max(longest, rows[category] * ((categories >> category) & 1))
    return longest


@kernel
def income_from(table, longest, categories):
    """Income of a turn with cards of `categories` played, whose longest row has `longest` cards."""
    income = longest + table.rules.senator_income * ((categories >> SENATOR) & 1)
    return income * (1 - ((categories >> INTRIGUE) & 1))


@kernel
def choose_play(table, me, choice):
    """PLAY: the card that brings most, its price and the change of income included, or none."""
    played = table.categories_played
    longest = 0
    income_now = table.rules.basic_income
    if played:
        longest = longest_row(table, me.seat, played)
        income_now = income_from(table, longest, played)
    # Options are the cards that the limit allows: are there others that land might allow?
    blocked = choice.count - 1 < me.hand_count
    rows = table.cards[me.seat]
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        card = played_card(me, choice, option)
        category = category_of(card)
        income = income_from(table, max(longest, rows[category] + 1), played | 1 << category)
        score = worth_of(me, card) + me.memory[MONEY] * (income - income_now - choice.price)
        if blocked and (category == LAND or category == INTRIGUE):
            score += opened_worth(table, me, card)
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def choose_reaction(table, me, choice):
    """REACT: the card that is worth most beyond its price, or none."""
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        score = worth_of(me, played_card(me, choice, option)) - me.memory[MONEY] * choice.price
        if score > best_score:
            best_score = score
            best = option
    return best
