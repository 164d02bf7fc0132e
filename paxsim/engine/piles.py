"""Movements of cards and money between deck, hands, legions and displays."""

from __future__ import annotations

from paxsim.cards import ARMY, FLEET, INTRIGUE, LAND, WEALTH
from paxsim.engine import events
from paxsim.engine.jit import kernel, short
from paxsim.engine.knowledge import note_buried, note_shown, place_in_ring
from paxsim.engine.records import NOBODY, category_of, symbols_of, value_of


@kernel
def draw_card(game):
    """Take the top card of the deck, which must not be empty."""
    table = game.table
    card = game.hidden.deck[place_in_ring(table.deck_top)]
    table.deck_top += 1
    table.deck_left -= 1
    return card


@kernel
def put_under_deck(game, me, card, drawn_from):
    """Put a card under the deck."""
    table = game.table
    place = table.deck_top + table.deck_left
    table.deck_left += 1
    game.hidden.deck[place_in_ring(place)] = card
    note_buried(table, me, place, card, drawn_from)


@kernel
def take_from_drawn(choice, index):
    """Take a drawn card out of view; the others keep their order."""
    card = choice.drawn[index]
    choice.drawn_count -= 1
    for i in range(index, choice.drawn_count):
        choice.drawn[i] = choice.drawn[i + 1]
    return card


@kernel
def take_to_hand(table, me, card):
    """Append a card to a hand."""
    me.hand[me.hand_count] = card
    me.hand_count += 1
    table.hand_size[me.seat] = me.hand_count


@kernel
def take_from_hand(table, me, slot):
    """Take the card of a slot out of a hand and move the last card there."""
    card = me.hand[slot]
    last = me.hand_count - 1
    me.hand[slot] = me.hand[last]
    me.hand[last] = 0
    me.hand_count = last
    table.hand_size[me.seat] = last
    return card


@kernel
def take_money(table, me, aurei):
    """Give Aurei to a seat, or take them if the number is negative."""
    me.money += aurei
    table.money[me.seat] = me.money


@kernel
def put_below_legion(table, legion, card):
    """Put a card face up below a legion."""
    note_shown(table, card)
    table.legion_cards[legion, table.legion_size[legion]] = card
    table.legion_size[legion] += 1
    table.legion_value[legion] += value_of(card)


@short
def clear_legion(table, legion):
    """Remove all cards below a legion."""
    for i in range(table.legion_size[legion]):
        table.legion_cards[legion, i] = 0
    table.legion_size[legion] = 0
    table.legion_value[legion] = 0


@kernel
def display_card(game, log, seat, card):
    """Add a card to a seat's display and update everything that depends on its symbols."""
    table = game.table
    category = category_of(card)
    table.symbols[seat, category] += symbols_of(card)
    table.cards[seat, category] += 1
    if category == WEALTH:
        table.discount[seat] = table.symbols[seat, WEALTH] // table.rules.discount_step
    elif category == INTRIGUE:
        move_primus(table, log, seat)
    update_allowance(table, seat)
    update_strength(table, seat, category)


@kernel
def limit_of(table, seat):
    """Return the most fleet symbols, and army symbols, that a seat may reach by playing."""
    return max(table.symbols[seat, LAND], table.symbols[seat, INTRIGUE])


@kernel
def update_allowance(table, seat):
    """Update how many more fleet and army symbols the limit allows a seat."""
    limit = limit_of(table, seat)
    table.allowance[seat, FLEET] = limit - table.symbols[seat, FLEET]
    table.allowance[seat, ARMY] = limit - table.symbols[seat, ARMY]


@kernel
def update_strength(table, seat, category):
    """Update a seat's strength after one more card of a category.

    A set number of fleet cards adds an army, and of army cards a fleet; bonuses don't add up.
    """
    bonus = 0
    if category == FLEET or category == ARMY:
        other = FLEET + ARMY - category
        step = table.rules.bonus_step
        bonus = table.symbols[seat, other] // step
        gained = table.symbols[seat, category] // step
        set_strength(table, seat, other, table.symbols[seat, other] + gained)
    set_strength(table, seat, category, table.symbols[seat, category] + bonus)


@kernel
def set_strength(table, seat, category, strength):
    """Set a strength and update the strongest seat's; strengths never decrease."""
    table.strength[seat, category] = strength
    table.strongest[category] = max(table.strongest[category], strength)


@kernel
def needed_to_hold(table, category):
    """Return how many symbols Rome needs to hold a category."""
    return max(table.strongest[category], 1 - table.rules.rome_wins_zero_ties)


@kernel
def move_primus(table, log, seat):
    """Move primus conspiratus to a seat with strictly more intrigue than its holder."""
    holder = table.primus
    if holder == seat:
        return
    if holder == NOBODY or table.symbols[seat, INTRIGUE] > table.symbols[holder, INTRIGUE]:
        table.primus = seat
        if log is not None:
            events.write(log, events.PRIMUS, seat, 0, holder)
