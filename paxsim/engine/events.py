"""The log: what happened in games, as numbers, in the order in which a trace tells it.

A word of the log is a code with three numbers that fill it in; `paxsim.trace` has a piece of text
for each. An event is one word or several; a list of cards is a word for each card. Words that come
up again and again, which nearly all do, are put into text once.

Batches and games step by step play with `None` for a log. Callers ask for that first
(``if log is not None``): the compiler then knows the answer and leaves out the event with all that
it would have to work out.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.jit import kernel

# Words that begin an event, then those that go on with one or end it.
(
    SETUP,
    DRAFT,
    REFILL,
    ROUND,
    PEEK,
    REVEAL,
    PLACE,
    COMPENSATION,
    BUY,
    PLAY,
    PRIMUS,
    INCOME,
    REACT,
    ROME_TAKES,
    END,
    SCORE,
    CARD,
    LIST_END,
    EVENT_END,
    ROME_HIDDEN,
    ROME_OPEN,
    DECK,
    SHOWN,
    KEPT,
    REFILLED,
    PRICE,
    MONEY,
    VALUE,
    SYMBOLS,
    SEATS,
    SEAT,
    HAND,
    POINTS,
    SEAT_END,
    OUTCOME,
    WINNER,
    SHARES,
    SHARE,
    SCORED,
) = range(39)

# Bits of a word: 8 for the code, 8 for a place in a list, a seat or a legion, 16 for a card, and 32
# for any number.
PLACE_SHIFT, CARD_SHIFT, NUMBER_SHIFT = 8, 16, 32


@kernel
def write(log, code, place, card, number):
    """Append a word; what it has no use for is 0."""
    log.words[log.used] = (
        np.int64(code)
        | np.int64(place) << PLACE_SHIFT
        | np.int64(card) << CARD_SHIFT
        | np.int64(number) << NUMBER_SHIFT
    )
    log.used += 1


@kernel
def write_cards(log, cards, first, count):
    """Append the cards ``cards[first : first + count]``."""
    for i in range(count):
        write(log, CARD, min(i, 1), cards[first + i], 0)


@kernel
def is_full(log):
    """Whether somebody has to empty the log before the game goes on."""
    return log.used >= log.full
