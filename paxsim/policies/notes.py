"""What a seat notes in its memory: where each of its wishes stands, and what they are made from.

Wishes are notes, so that they are made once a turn and the planner reads them at every decision.
"""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.records import MEMORY_SIZE
from paxsim.helpers import (
    ARMY,
    FLEET,
    N_CATEGORIES,
    cards_a_round,
    cards_in_rounds,
    copy_size,
    rome_bonus,
    rome_known,
)

# Where a wish stands in the seat's memory. The first four are kept by category.
WORTH = 0  #: of a symbol that is wanted
WANTED = WORTH + N_CATEGORIES  #: symbols that have this worth; more of them have little
EXTRA = WANTED + N_CATEGORIES  #: worth of a card, however many symbols it has
ROME = EXTRA + N_CATEGORIES  #: worth of a symbol that Rome gets; below 0: starve Rome
ROME_COUNTS = ROME + N_CATEGORIES  #: above 0: what Rome gets counts, so ROME is not all zeros
ROME_GAINS = ROME_COUNTS + 1  #: above 0: some of ROME are above 0
MONEY = ROME_GAINS + 1  #: worth of an Aureus
PEEKING = MONEY + 1  #: worth of knowing Rome's hidden cards; 0: does not think of peeking
_WISHES = PEEKING + 1  # so many cells are wishes

# Behind the wishes stands what is worked out once a turn.
MADE = _WISHES  #: the round for which the wishes were made, plus 1; 0 before the first
COPY = MADE + 1  #: cards in one copy of the deck
COPY_SYMBOLS = COPY + 1  #: by category: symbols in one copy of the deck,
COPY_CARDS = COPY_SYMBOLS + N_CATEGORIES  #: and cards; as numbers that need not be converted
HIDDEN = COPY_CARDS + N_CATEGORIES  #: Rome's hidden cards as a part of one copy
CARDS_A_ROUND = HIDDEN + 1  #: cards that leave the deck in a round, on average
ROUNDS = CARDS_A_ROUND + 1  #: rounds to come after this one, when the wishes were made
USUAL = ROUNDS + 1  #: hope for an average card of the deck, by these wishes
ROME_END = USUAL + 1  #: by category: Rome's strength expected at the end
ROME_NOW = ROME_END + N_CATEGORIES  #: by category: Rome's strength as things stand, hidden cards
#: on average; noted only for ideas that look at it (`paxsim.policies.planner.heuristic`)
OUTLOOK = ROME_NOW + N_CATEGORIES  #: the last answer of `rome_outlook`; 0 before the first
OUTLOOK_AT = OUTLOOK + 1  #: the number of categories that it was given for
SHARED = OUTLOOK_AT + 1  #: a worth that was last spread over symbols,
SHARES = SHARED + 1  #: and what is left for each of 0, 1, 2 ... symbols
SHARES_END = 9  #: the first number of symbols that has no cell
SUMS = SHARES + SHARES_END  #: by category: for what an idea adds up while it makes its wishes
LEGIONS_AT = SUMS + N_CATEGORIES  #: cards shown when the next two were noted; 0: not in this turn
RICHEST = LEGIONS_AT + 1  #: the legion whose group Rome would take, or NOBODY,
ROME_HAS = RICHEST + 1  #: and what it is worth to this seat if Rome does
_END = ROME_HAS + 1
assert _END <= MEMORY_SIZE, "compiled policies do not check this index"


@kernel
def note_deck(table, me):
    """Note what stays the same all game: the deck, and how fast it is drawn."""
    me.memory[COPY] = copy_size(table)
    me.memory[HIDDEN] = table.rules.rome_hidden / copy_size(table)
    me.memory[CARDS_A_ROUND] = cards_a_round(table)
    for category in range(N_CATEGORIES):
        me.memory[COPY_SYMBOLS + category] = table.copy_symbols[category]
        me.memory[COPY_CARDS + category] = table.copy_cards[category]


@kernel
def begin_wishes(table, me, with_now):
    """Wish for nothing, and note what the wishes of this round are made from: Rome's strength.

    `with_now` says whether its strength as things stand is wanted, besides that at the end.
    """
    if me.memory[MADE] == 0.0:  # the first wishes of a game
        note_deck(table, me)
    for i in range(_WISHES):
        me.memory[i] = 0.0
    me.memory[MADE] = table.round + 1
    me.memory[LEGIONS_AT] = 0.0
    hidden = 0.0 if me.peeked else me.memory[HIDDEN]
    me.memory[ROUNDS] = table.deck_left / me.memory[CARDS_A_ROUND]
    coming = hidden + cards_in_rounds(me.memory[ROUNDS]) / me.memory[COPY]
    for category in range(N_CATEGORIES):
        known = rome_known(table, me, category)
        me.memory[ROME_END + category] = known + coming * me.memory[COPY_SYMBOLS + category]
        if with_now:
            me.memory[ROME_NOW + category] = known + hidden * me.memory[COPY_SYMBOLS + category]
    for category in (FLEET, ARMY):
        bonus = rome_bonus(table, me, category)
        me.memory[ROME_END + category] += bonus
        if with_now:
            me.memory[ROME_NOW + category] += bonus
