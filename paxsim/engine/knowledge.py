"""What seats know: almost all that the rules let a player with a perfect memory be sure of."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.records import DRAWN_FROM, NOWHERE, PLAYED_CARD, RING


@kernel
def place_in_ring(place):
    """Where in the ring a place of the deck is (see `table.deck_top`)."""
    return place & (RING - 1)


@kernel
def first_place(table):
    """The ring remembers what happened at places from this one on."""
    end = table.deck_top + table.deck_left
    return end - RING if end > RING else 0


@kernel
def note_shown(table, card):
    """A card lies face up that was in no hand before."""
    table.shown[table.shown_count] = card
    table.shown_count += 1


@kernel
def note_in_diary(table, seat, entry):
    """Append to the diary of a hand."""
    table.diary[seat, table.diary_count[seat]] = entry
    table.diary_count[seat] += 1


@kernel
def note_bought(table, seat, card):
    """Everybody saw which card went into a hand."""
    note_in_diary(table, seat, card)


@kernel
def note_played(table, seat, card):
    """Everybody saw which card left a hand."""
    note_in_diary(table, seat, PLAYED_CARD | card)


@kernel
def note_drawn(table, seat, place):
    """Everybody saw from which place of the deck a card went into a hand."""
    note_in_diary(table, seat, DRAWN_FROM | place)


@kernel
def note_buried(table, me, place, card, drawn_from):
    """A seat put a card at a place of the deck; all saw where it had been drawn from."""
    me.buried[me.buried_count] = card
    me.buried_at[me.buried_count] = place
    me.buried_count += 1
    table.came_from[place_in_ring(place)] = drawn_from


@kernel
def place_in_view(table, cards):
    """The place that a card just to be drawn comes from, if it is the only one in view."""
    return table.deck_top if cards == 1 else NOWHERE


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
