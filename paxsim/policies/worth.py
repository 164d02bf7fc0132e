"""What cards and groups are worth to a seat, by the wishes in its memory.

What a displayed card is worth (in points, roughly) is the category's

    WORTH for each symbol, up to WANTED symbols and a fifth of it beyond, plus EXTRA for the card.

What Rome gains is worth ``ROME`` a symbol (below 0: starve Rome), and an Aureus ``MONEY``.
"""

from __future__ import annotations

from paxsim.engine.jit import called, kernel
from paxsim.helpers import (
    INTRIGUE,
    LAND,
    N_CATEGORIES,
    NOBODY,
    category_of,
    richest_legion,
    symbols_of,
    within_limit,
)
from paxsim.policies.notes import (
    CARDS_A_ROUND,
    COPY,
    COPY_CARDS,
    COPY_SYMBOLS,
    EXTRA,
    LEGIONS_AT,
    RICHEST,
    ROME,
    ROME_HAS,
    WANTED,
    WORTH,
)

#: What symbols beyond those wanted are worth, as a part of a wish.
_SURPLUS = 0.2
#: What a fleet or army that may not be played yet is worth, as a part of its worth.
_BEYOND_LIMIT = 0.4
#: Cards that a seat can play in a turn without ruining itself.
CARDS_A_TURN = 1.6


@kernel
def worth_of(me, card):
    """What the card would be worth in the display."""
    category = category_of(card)
    symbols = symbols_of(card)
    useful = min(float(symbols), max(me.memory[WANTED + category], 0.0))
    surplus = symbols - useful
    return me.memory[WORTH + category] * (useful + _SURPLUS * surplus) + me.memory[EXTRA + category]


@kernel
def worth_to_rome(me, card):
    """What it would be worth to this seat if Rome got the card."""
    return me.memory[ROME + category_of(card)] * symbols_of(card)


@called
def hand_limit(table, me):
    """The fleet and army limit that the seat can reach with the land and intrigue in its hand."""
    land = table.symbols[me.seat, LAND]
    intrigue = table.symbols[me.seat, INTRIGUE]
    counts_intrigue = me.memory[WORTH + INTRIGUE] > 0.0
    for slot in range(me.hand_count):
        card = me.hand[slot]
        category = category_of(card)
        land += symbols_of(card) * (category == LAND)
        intrigue += symbols_of(card) * ((category == INTRIGUE) & counts_intrigue)
    return max(land, intrigue)


@kernel
def beyond_limit(table, me, card):
    """Whether the card is a fleet or army that even what is in the hand will not allow."""
    if within_limit(table, me.seat, card):  # mostly so, and then the hand need not be looked at
        return False
    return table.symbols[me.seat, category_of(card)] + symbols_of(card) > hand_limit(table, me)


@kernel
def patience(table, me):
    """The part of its worth that one more card in the hand keeps: it must be played in time."""
    # Mostly there is time for all of them, which shows without a division. The margin makes sure
    # of it: no rounding below is as large.
    hand = me.hand_count + 1.0
    a_round = me.memory[CARDS_A_ROUND]
    if CARDS_A_TURN * table.deck_left > (hand - CARDS_A_TURN + 0.01) * a_round:
        return 1.0
    return min(1.0, CARDS_A_TURN * (table.deck_left / a_round + 1.0) / hand)


@kernel
def hope_of(table, me, card):
    """What a card is worth in the hand."""
    worth = worth_of(me, card)
    if beyond_limit(table, me, card):
        worth *= _BEYOND_LIMIT
    return worth


@kernel
def group_hope(table, me, legion):
    """What the cards below a legion are worth in the hand, those not wanted counting nothing."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += max(hope_of(table, me, table.legion_cards[legion, i]), 0.0)
    return total


@kernel
def group_for_rome(table, me, legion):
    """What it is worth to this seat if Rome takes the group below a legion."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += worth_to_rome(me, table.legion_cards[legion, i])
    return total


@kernel
def usual_hope(me):
    """What an average card of the deck is worth in the hand."""
    total = 0.0
    for category in range(N_CATEGORIES):
        symbols = me.memory[WORTH + category] * me.memory[COPY_SYMBOLS + category]
        total += symbols if me.memory[WANTED + category] > 0.0 else 0.0
        total += me.memory[EXTRA + category] * me.memory[COPY_CARDS + category]
    return total / me.memory[COPY]


@kernel
def note_richest(table, me):
    """Note the group that Rome would take, and its worth, unless no card was shown since then.

    Only cards that this seat puts below legions change that between its wishes and its purchase.
    """
    if me.memory[LEGIONS_AT] != table.shown_count:
        me.memory[LEGIONS_AT] = table.shown_count
        richest = richest_legion(table)
        me.memory[RICHEST] = richest
        me.memory[ROME_HAS] = 0.0
        if richest != NOBODY:
            me.memory[ROME_HAS] = group_for_rome(table, me, richest)
