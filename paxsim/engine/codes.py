"""What a card's number says: category, symbols and value (see `paxsim.cards.Card.code`)."""

from __future__ import annotations

from paxsim.engine.jit import kernel


@kernel
def category_of(card):
    """Category number of a card, 0 (wealth) to 6 (intrigue)."""
    return card & 7


@kernel
def symbols_of(card):
    """Symbols that a card shows."""
    return (card >> 3) & 31


@kernel
def value_of(card):
    """Value of a card, in Aurei."""
    return card >> 8
