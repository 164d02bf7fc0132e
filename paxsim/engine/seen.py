"""What a seat has seen of the cards, counted from the notes of the engine without any memory.

The search works all of it out at once (`paxsim.search.unseen`); a policy asks for one category. See
`paxsim.engine.knowledge` for what the notes are.
"""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.knowledge import first_place, place_in_ring
from paxsim.engine.records import DRAWN_FROM, NOWHERE, PLAYED_CARD, RING

#: The card, or the place, of a note in a diary.
_NOTED = 0xFFFF


@kernel
def card_followed(table, me, place):
    """The card that lay at a place of the deck, if this seat buried it and all saw where it went.

    0 if the seat does not know it.
    """
    first = first_place(table)
    for _ in range(RING):  # every step goes back to an earlier place
        # (Place 0 is dealt before anybody draws a card alone, so 0 stands for none.)
        if place == 0 or place == NOWHERE or place < first:
            return 0
        for i in range(me.buried_count):
            if me.buried_at[i] == place:
                return int(me.buried[i])
        place = int(table.came_from[place_in_ring(place)])
    return 0


@kernel
def seen_of_kind(table, me, card):
    """How many cards of a kind a seat has seen: on the table, in its hand, buried, with Rome."""
    seen = 0
    for i in range(table.shown_count):
        seen += table.shown[i] == card
    for step in range(table.deck_left):
        seen += card_followed(table, me, int(table.deck_top) + step) == card
    for seat in range(table.players):
        seen += seen_in_hand(table, me, seat, card)
    if me.peeked:
        for i in range(table.rules.rome_hidden):
            seen += me.rome_peeked[i] == card
    return seen


@kernel
def seen_in_hand(table, me, seat, card):
    """Cards of a kind that a seat has seen in, or played from, a hand, and nowhere before.

    Whoever plays a card that is known to be in the hand is taken to have played that one.
    """
    seen = 0
    known = 0
    for i in range(table.diary_count[seat]):
        entry = int(table.diary[seat, i])
        noted = entry & _NOTED
        if entry & DRAWN_FROM:
            if seat != me.seat and card_followed(table, me, noted) == card:
                known += 1
                seen += 1
        elif noted == card:
            if entry & PLAYED_CARD:
                seen += known == 0
                known -= known > 0
            else:  # bought, and seen when it lay open
                known += 1
    if seat == me.seat:
        held = 0
        for slot in range(me.hand_count):
            held += me.hand[slot] == card
        seen += held - known
    return seen
