"""What a seat can be sure of, worked out from the notes of the engine.

`sort_out` takes the three records that every policy is handed. It says how many cards of each kind
the seat can't place, which cards it knows to be in which hands, and at which places of the deck.
See `paxsim.engine.knowledge` for what the notes are.
"""

from __future__ import annotations

from paxsim.engine.jit import called, kernel
from paxsim.engine.knowledge import first_place, place_in_ring
from paxsim.engine.records import (
    DISPLAY,
    DRAWN_FROM,
    KEEP,
    NOWHERE,
    PLACE,
    PLAYED_CARD,
    RING,
)


@called
def sort_out(known, table, me, choice):
    """Work out what a seat knows at a decision of its own."""
    list_kinds(known, table)
    for i in range(table.shown_count):
        locate(known, table.shown[i])
    follow_buried(known, table, me)
    for seat in range(table.players):
        known.hand_count[seat] = 0
        read_diary(known, table, me, seat)
    locate_own_hand(known, me)
    if choice.kind == DISPLAY or choice.kind == KEEP or choice.kind == PLACE:
        for i in range(choice.drawn_count):
            locate(known, choice.drawn[i])
    if me.peeked:
        for i in range(table.rules.rome_hidden):
            locate(known, me.rome_peeked[i])
    count_places(known, table, me)


@kernel
def list_kinds(known, table):
    """The different cards of the deck, in its order, which is sorted; none is placed yet."""
    kinds = 0
    for i in range(table.copy_count):
        if i == 0 or table.copy[i] != table.copy[i - 1]:
            known.card[kinds] = table.copy[i]
            known.copies[kinds] = 0
            known.located[kinds] = 0
            kinds += 1
        known.copies[kinds - 1] += 1
    known.kinds = kinds
    copies = 2 if table.rules.cards_added else 1
    for kind in range(kinds):
        known.unseen[kind] = copies * known.copies[kind]


@kernel
def kind_of(known, card):
    """The number of a card's kind; every card that is met is one of the deck."""
    for kind in range(known.kinds):
        if known.card[kind] == card:
            return kind
    return 0


@called
def locate(known, card):
    """One more card that the seat can place."""
    kind = kind_of(known, card)
    known.located[kind] += 1
    known.unseen[kind] -= 1


@kernel
def follow_buried(known, table, me):
    """Which cards this seat knows by their places: buried ones, also where they went since."""
    for slot in range(RING):
        known.deck[slot] = 0
    first = first_place(table)
    end = table.deck_top + table.deck_left
    for i in range(me.buried_count):
        if me.buried_at[i] >= first:
            known.deck[place_in_ring(me.buried_at[i])] = me.buried[i]
    for place in range(first, end):
        slot = place_in_ring(place)
        source = table.came_from[slot]
        # (Place 0 is dealt before anybody draws a card alone, so 0 stands for none.)
        if known.deck[slot] == 0 and source != 0 and source != NOWHERE and source >= first:
            known.deck[slot] = known.deck[place_in_ring(source)]
    for place in range(table.deck_top, end):
        if known.deck[place_in_ring(place)] != 0:
            locate(known, known.deck[place_in_ring(place)])


@kernel
def read_diary(known, table, me, seat):
    """The cards known to be in a hand: bought, or drawn from a known place, and not yet played.

    Whoever plays a card that is known to be in the hand is taken to have played that one: equal
    cards can't be told apart.
    """
    first = first_place(table)
    for i in range(table.diary_count[seat]):
        entry = table.diary[seat, i]
        card = entry & 0xFFFF
        if entry & PLAYED_CARD:
            if not take_from_known(known, seat, card):
                locate(known, card)
        elif entry & DRAWN_FROM:
            place = card
            if seat != me.seat and place != NOWHERE and place >= first:
                card = known.deck[place_in_ring(place)]
                if card != 0:
                    add_to_known(known, seat, card)
                    locate(known, card)
        else:
            add_to_known(known, seat, card)


@kernel
def add_to_known(known, seat, card):
    """A hand has this card."""
    known.hand[seat, known.hand_count[seat]] = card
    known.hand_count[seat] += 1


@called
def take_from_known(known, seat, card):
    """A hand no longer has this card; whether it was known to have it."""
    last = known.hand_count[seat] - 1
    for i in range(last + 1):
        if known.hand[seat, i] == card:
            known.hand[seat, i] = known.hand[seat, last]
            known.hand_count[seat] = last
            return True
    return False


@kernel
def locate_own_hand(known, me):
    """The own cards that not everybody knows; those bought were seen when they were open."""
    for slot in range(me.hand_count):
        if not take_from_known(known, me.seat, me.hand[slot]):
            locate(known, me.hand[slot])


@kernel
def count_places(known, table, me):
    """How many cards lie where this seat does not know them, and how many are not in play."""
    places = table.rules.cards_removed
    if not me.peeked:
        places += table.rules.rome_hidden
    for seat in range(table.players):
        if seat != me.seat:
            places += table.hand_size[seat] - known.hand_count[seat]
    for place in range(table.deck_top, table.deck_top + table.deck_left):
        places += known.deck[place_in_ring(place)] == 0
    known.places = places
    unseen = 0
    for kind in range(known.kinds):
        unseen += known.unseen[kind]
    known.out = unseen - places
