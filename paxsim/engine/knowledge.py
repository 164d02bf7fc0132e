"""What seats know: almost all that the rules let a player with a perfect memory be sure of.

Public, in the table record:

- every card that lay below a legion, among Rome's open cards or in the first display of a solo
  game (`shown`);
- the diary of every hand: cards bought into it, cards played from it, and from which place of the
  deck a card was drawn into it (`diary`). A bought card is known to be there until it is played;
- where a card that went under the deck was drawn from (`came_from`);
- money and sizes of hands. Both are kept secret at the table, and both follow from what everybody
  saw: the draft leaves one card, a draw step puts one card into the hand face down, purchases,
  plays, prices and income are open.

Private, in the seat records: the cards that a seat itself put under the deck, with their places
(`buried`), and Rome's hidden cards after a peek (`rome_peeked`). Cards are drawn from the top one
by one in sight of all, so a seat knows when a card that it buried is drawn, and by the public notes
into whose hand it goes, or to which place under the deck. Two things are dropped on purpose, so a
seat may know a little less here than it could, and never more: of cards drawn together (religion,
drafts) others lose sight, though now and then they could work out which is which; and in decks of
more than `RING` places what was drawn so many places ago is forgotten.

The engine only writes down what happens; what follows from it is worked out where it is wanted
(`paxsim.search.unseen`), because most games have nobody who asks.
"""

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
