"""What seats know: everything that the rules let a player with a perfect memory be sure of.

Public, in the table record:

- every card that was ever face up: below a legion, in a display, among Rome's open cards (`seen`);
- bought cards, which stay in that hand until they are played (`known_hand`);
- money and sizes of hands. Both are kept secret at the table, and both follow from what everybody
  saw: the draft leaves one card, a draw step puts one card into the hand face down, purchases,
  plays, prices and income are open.

Known to some, in their seat records:

- the place in the deck of a card that a seat itself put under it (`deck_known`). Cards are drawn
  from the top one by one in sight of all, so the place stays known until it is drawn; and where
  that card goes then: into a hand (`spotted`), or under the deck again. Only of cards drawn
  together (religion, drafts) nobody else can say which went where: these are lost sight of;
- Rome's hidden cards after a peek (`rome_peeked`).

Equal cards can't be told apart. So whoever plays a card that everybody knows to be in the hand is
taken to have played that one.
"""

from __future__ import annotations

from paxsim.engine.jit import called, kernel
from paxsim.engine.records import RING


@kernel
def place_in_ring(place):
    """Where in the ring a place of the deck is (see `table.deck_top`)."""
    return place & (RING - 1)


@kernel
def note_seen(table, card):
    """A card lies face up for the first time."""
    table.seen[table.seen_count] = card
    table.seen_count += 1


@kernel
def note_bought(table, seat, card):
    """A card that everybody has seen goes into a hand."""
    table.known_hand[seat, table.known_count[seat]] = card
    table.known_count[seat] += 1


@kernel
def note_played(game, seat, card):
    """A card of a hand is displayed: the one known to be there, or one not seen before."""
    table = game.table
    known = table.known_hand[seat]
    last = table.known_count[seat] - 1
    for i in range(last + 1):
        if known[i] == card:
            known[i] = known[last]
            known[last] = 0
            table.known_count[seat] = last
            return
    note_seen(table, card)
    for other in range(table.players):
        if game.seats[other].spotted_count > 0:
            forget_spotted(game.seats[other], seat, card)


@called
def forget_spotted(me, seat, card):
    """A card that this seat knew to be in another's hand may have left it."""
    last = me.spotted_count - 1
    for i in range(last + 1):
        if me.spotted[i] == card and me.spotted_at[i] == seat:
            me.spotted[i] = me.spotted[last]
            me.spotted_at[i] = me.spotted_at[last]
            me.spotted[last] = 0
            me.spotted_at[last] = 0
            me.spotted_count = last
            return


@kernel
def note_under_deck(game, place, card, seat, followers):
    """A card was put at a place of the deck by a seat, and others may know which one it is."""
    knowers = followers | (1 << seat)
    game.hidden.known_by[place] = knowers
    game.seats[seat].deck_known[place] = card
    if followers != 0:
        tell_place(game, place, card, followers)


@called
def tell_place(game, place, card, knowers):
    """Every seat of a bit set knows the card at a place of the deck (0: nothing any more)."""
    for seat in range(game.table.players):
        if (knowers >> seat) & 1:
            game.seats[seat].deck_known[place] = card


@kernel
def note_drawn(game, place):
    """A place of the deck is empty; return the seats that knew its card, as a bit set."""
    knowers = game.hidden.known_by[place]
    if knowers != 0:
        tell_place(game, place, 0, knowers)
        game.hidden.known_by[place] = 0
    return knowers


@called
def note_spotted(game, seat, card, followers):
    """Seats that knew the card in view saw it go into a hand."""
    for other in range(game.table.players):
        if (followers >> other) & 1 and other != seat:
            me = game.seats[other]
            me.spotted[me.spotted_count] = card
            me.spotted_at[me.spotted_count] = seat
            me.spotted_count += 1
