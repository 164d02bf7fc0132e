"""The event log: what happened since the last decision, as numbers, for traces.

An event is its code followed by its fields; a list of cards is its length and the cards. Nothing
is written unless the log is on, and nothing reads it but `paxsim.trace`.

Batches play with `None` for a log. Callers ask for that first (``if log is not None``): the
compiler then knows the answer and leaves out the event with all that it would have to work out.
"""

from __future__ import annotations

from paxsim.engine.jit import kernel

(
    SETUP,
    DRAWN,
    SHOWN,
    KEPT,
    REFILL,
    ROUND,
    PEEKED,
    REVEAL,
    PLACED,
    COMPENSATION,
    BOUGHT,
    PLAYED,
    PRIMUS,
    INCOME,
    REACTED,
    ROME_TAKES,
    END,
) = range(1, 18)


@kernel
def write(log, word):
    """Append one number."""
    if log.on:
        log.words[log.used] = word
        log.used += 1


@kernel
def write_event(log, code, first, second, third):
    """Append an event with up to three numbers; those it has no use for are 0."""
    write(log, code)
    write(log, first)
    write(log, second)
    write(log, third)


@kernel
def write_cards(log, cards, first, count):
    """Append the list ``cards[first : first + count]``."""
    write(log, count)
    for i in range(first, first + count):
        write(log, cards[i])
