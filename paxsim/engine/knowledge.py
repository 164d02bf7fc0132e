"""What seats know: everything that the rules let a player with a perfect memory be sure of.

Public, in the table record:

- every card that lay below a legion, among Rome's open cards or in the first display of a solo
  game (`shown`);
- the diary of every hand: which cards were bought into it and which were played from it (`diary`).
  A bought card is known to be in the hand until it is played;
- money and sizes of hands. Both are kept secret at the table, and both follow from what everybody
  saw: the draft leaves one card, a draw step puts one card into the hand face down, purchases,
  plays, prices and income are open.

Known to some, in their seat records:

- cards under the deck, with their places: those that a seat put there itself (`buried`). Cards are
  drawn from the top one by one in sight of all, so it also knows when such a card is drawn, and
  whether it goes into a hand (`spotted`) or under the deck again. Only of cards drawn together
  (religion, drafts) nobody else can say which went where: these are lost sight of;
- Rome's hidden cards after a peek (`rome_peeked`).

The engine only writes down what happens; what follows from it is worked out where it is wanted
(`paxsim.engine.unseen`), because most games have nobody who asks.
"""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.records import PLAYED_CARD, RING


@kernel
def place_in_ring(place):
    """Where in the ring a place of the deck is (see `table.deck_top`)."""
    return place & (RING - 1)


@kernel
def knowers_of_top(game):
    """The seats that know the top card of the deck, as a bit set."""
    return game.hidden.known_by[place_in_ring(game.table.deck_top)]


@kernel
def note_shown(table, card):
    """A card lies face up that was in no hand before."""
    table.shown[table.shown_count] = card
    table.shown_count += 1


@kernel
def note_bought(table, seat, card):
    """Everybody saw which card went into a hand."""
    table.diary[seat, table.diary_count[seat]] = card
    table.diary_count[seat] += 1


@kernel
def note_played(table, seat, card):
    """Everybody saw which card left a hand."""
    table.diary[seat, table.diary_count[seat]] = card | PLAYED_CARD
    table.diary_count[seat] += 1


@kernel
def note_buried(me, place, card):
    """A seat knows which card is at a place of the deck."""
    me.buried[me.buried_count] = card
    me.buried_at[me.buried_count] = place
    me.buried_count += 1


@kernel
def note_buried_again(game, place, card, followers):
    """Seats that knew the card in view saw it go under the deck."""
    for seat in range(game.table.players):
        if (followers >> seat) & 1 and seat != game.hidden.seat:
            note_buried(game.seats[seat], place, card)


@kernel
def note_spotted(game, card, followers):
    """Seats that knew the card in view saw it go into the hand of the deciding seat."""
    holder = game.hidden.seat
    for seat in range(game.table.players):
        if (followers >> seat) & 1 and seat != holder:
            me = game.seats[seat]
            me.spotted[me.spotted_count] = card
            me.spotted_at[me.spotted_count] = holder
            me.spotted_when[me.spotted_count] = game.table.diary_count[holder]
            me.spotted_count += 1
