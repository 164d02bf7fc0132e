"""Event log: the events of a game as 64-bit words, in the order of a trace.

A word is a code and three numbers; `paxsim.trace` has the text of each. An event is one word or
several, a list of cards one word per card. Nearly all words recur, so their text is cached.

Batches play with `None` as the log. Callers test ``if log is not None`` first: the compiler knows
the answer and leaves out the event with everything it would compute.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.jit import kernel

# Codes that begin an event, then codes that continue or end one.
(
    SETUP, DRAFT, REFILL, ROUND, PEEK, REVEAL, PLACE, COMPENSATION, BUY, PLAY, PRIMUS, INCOME,
    REACT, ROME_TAKES, END, SCORE, CARD, LIST_END, EVENT_END, ROME_HIDDEN, ROME_OPEN, DECK, SHOWN,
    KEPT, REFILLED, PRICE, MONEY, VALUE, SYMBOLS, SEATS, SEAT, HAND, POINTS, SEAT_END, OUTCOME,
    WINNER, SHARES, SHARE, SCORED,
) = range(39)  # fmt: skip

# Bits of a word: 8 for the code, 8 for an index (of a list, seat or legion), 16 for a card, 32 for
# any other number.
PLACE_SHIFT, CARD_SHIFT, NUMBER_SHIFT = 8, 16, 32


@kernel
def write(log, code, place, card, number):
    """Append a word; unused parts are 0."""
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
    """Return whether the log must be emptied before the game continues."""
    return log.used >= log.full
