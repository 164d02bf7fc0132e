"""Public notes: what a player with a perfect memory knows from watching the game."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.records import DRAWN_FROM, NOWHERE, PLAYED_CARD, RING


@kernel
def place_in_ring(place):
    """Return the slot of the ring for a place of the deck (see ``table.deck_top``)."""
    return place & (RING - 1)


@kernel
def first_place(table):
    """Return the first place of the deck that the ring still remembers."""
    end = table.deck_top + table.deck_left
    return end - RING if end > RING else 0


@kernel
def note_shown(table, card):
    """Note a face-up card that was in no hand before."""
    table.shown[table.shown_count] = card
    table.shown_count += 1


@kernel
def note_in_diary(table, seat, entry):
    """Append an entry to the public diary of a hand."""
    table.diary[seat, table.diary_count[seat]] = entry
    table.diary_count[seat] += 1


@kernel
def note_buried(table, me, place, card, drawn_from):
    """Note the place under the deck of a seat's card, and where it was drawn from."""
    me.buried[me.buried_count] = card
    me.buried_at[me.buried_count] = place
    me.buried_count += 1
    table.came_from[place_in_ring(place)] = drawn_from


#: Bits of a diary entry that hold a card or a place.
_ENTRY = 0xFFFF


@kernel
def card_followed(table, me, place):
    """Return the card at a place of the deck if this seat buried it and could follow it, else 0."""
    first = first_place(table)
    for _ in range(RING):  # each step goes back to an earlier place
        # Place 0 is dealt before anybody draws a single card, so 0 means none.
        if place == 0 or place == NOWHERE or place < first:
            return 0
        for i in range(me.buried_count):
            if me.buried_at[i] == place:
                return int(me.buried[i])
        place = int(table.came_from[place_in_ring(place)])
    return 0


@kernel
def seen_of_kind(table, me, card):
    """Count the cards of a kind that a seat has seen: displayed, held, buried or with Rome."""
    count = 0
    for i in range(table.shown_count):
        count += table.shown[i] == card
    for step in range(table.deck_left):
        count += card_followed(table, me, int(table.deck_top) + step) == card
    for seat in range(table.players):
        count += seen_in_hand(table, me, seat, card)
    for i in range(me.rome_count):
        count += me.rome_peeked[i] == card
    return count


@kernel
def seen_in_hand(table, me, seat, card):
    """Count the cards of a kind that a seat has first seen in, or played from, a hand.

    A played card is taken to be one that was known to be in the hand.
    """
    count = 0
    in_hand = 0
    for i in range(table.diary_count[seat]):
        entry = int(table.diary[seat, i])
        value = entry & _ENTRY
        if entry & DRAWN_FROM:
            if seat != me.seat and card_followed(table, me, value) == card:
                in_hand += 1
                count += 1
        elif value == card:
            if entry & PLAYED_CARD:
                count += in_hand == 0
                in_hand -= in_hand > 0
            else:  # bought, seen before when it was face up
                in_hand += 1
    if seat == me.seat:
        held = 0
        for slot in range(me.hand_count):
            held += me.hand[slot] == card
        count += held - in_hand
    return count
