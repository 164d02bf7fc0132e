"""Setup: the shuffle, Rome's cards, the draft, and the first card below every legion."""

from __future__ import annotations

from paxsim.engine import events, piles
from paxsim.engine.jit import called, kernel
from paxsim.engine.knowledge import note_shown
from paxsim.engine.records import (
    CHOSEN,
    DISPLAY,
    KEEP,
    MEMORY_SIZE,
    NO_LIMIT,
    NOBODY,
    NOWHERE,
    PLACE,
    RING,
    ROW,
    TO_BOTTOM,
    category_of,
    symbols_of,
)
from paxsim.engine.rng import draw_below, seed_deal, seed_seat, set_state, state_of
from paxsim.engine.turn import begin_round, offer, refill
from paxsim.rules import MAX_DRAFT


@called
def begin_game(game, log, keys, seed, deal, rotation):
    """Shuffle and deal a new game up to the draft of the first seat."""
    clear_table(game)
    seed_deal(game.hidden.stream, seed, deal)
    for seat in range(game.table.players):
        clear_seat(game, seat)
        clear_choice(game.choices[seat])
        seed_seat(game.seats[seat].stream, keys, seat, deal, rotation)
    shuffle(game)
    deal_rome(game)
    if log is not None:
        write_setup(game, log)
    return begin_draft(game, log, 0)


# A policy can read every number of its records, also slots behind the last card. So all that a game
# may have written is cleared, or a game would depend on the one before it. Rows of seats and
# legions that are not in play are never written.


@kernel
def clear_table(game):
    """Clear the table, except what a batch shares (rules, deck, player count)."""
    table = game.table
    table.round = 0
    table.start = 0
    table.active = 0
    table.turns_left = 0
    table.played = 0
    table.categories_played = 0
    table.primus = NOBODY
    for seat in range(table.players):
        table.discount[seat] = 0
        table.hand_size[seat] = 0
        table.peeked[seat] = 0
        for i in range(table.diary_count[seat]):
            table.diary[seat, i] = 0
        table.diary_count[seat] = 0
        for category in range(ROW):
            table.symbols[seat, category] = 0
            table.strength[seat, category] = 0
            table.cards[seat, category] = 0
            table.allowance[seat, category] = NO_LIMIT
        piles.update_allowance(table, seat)
    for category in range(ROW):
        table.strongest[category] = 0
        table.rome_symbols[category] = 0
        table.rome_cards[category] = 0
        game.hidden.rome_hidden_symbols[category] = 0
    for legion in range(table.legions):
        piles.clear_legion(table, legion)
    for i in range(table.shown_count):
        table.shown[i] = 0
    table.shown_count = 0
    table.deck_top = 0
    for place in range(RING):
        table.came_from[place] = 0


@kernel
def clear_seat(game, seat):
    """Clear a seat: an empty hand, the starting money, no knowledge and no memory."""
    me = game.seats[seat]
    me.seat = seat
    me.money = 0
    piles.take_money(game.table, me, game.table.rules.starting_money)
    for i in range(me.hand_count):
        me.hand[i] = 0
    me.hand_count = 0
    me.peeked = 0
    forget_looks(me)
    for i in range(MEMORY_SIZE):
        me.memory[i] = 0.0


@kernel
def forget_looks(me):
    """Clear what a seat knows of Rome's hidden cards and of cards it buried."""
    for category in range(ROW):
        me.rome_hidden[category] = 0
    for i in range(me.rome_count):
        me.rome_peeked[i] = 0
    me.rome_count = 0
    for i in range(me.buried_count):
        me.buried[i] = 0
        me.buried_at[i] = 0
    me.buried_count = 0


@kernel
def clear_choice(choice):
    """Clear a choice: nothing to decide, nothing drawn."""
    choice.kind = 0
    choice.count = 0
    choice.price = 0
    choice.drawn_count = 0
    choice.places = 0
    choice.drawn_from = 0
    choice.undrawn = 0
    choice.hand_open = 0
    choice.bottom_open = 0
    choice.legion_open = 0
    choice.hand_waits = 0
    choice.shown = 0
    for i in range(MAX_DRAFT):
        choice.drawn[i] = 0
    for i in range(RING):
        choice.options[i] = 0


@kernel
def shuffle(game):
    """Fill the deck with the cards in play, in random order, and set the removed cards aside."""
    hidden = game.hidden
    table = game.table
    rules = table.rules
    size = table.copy_count
    for i in range(size):
        hidden.deck[i] = table.copy[i]
    if rules.cards_added:
        for i in range(size):
            hidden.deck[size + i] = table.copy[i]
        draw_to_front(hidden, size, rules.cards_added, 2 * size)
        size += rules.cards_added
    dealt = size - rules.cards_removed
    draw_to_front(hidden, 0, dealt, size)
    hidden.removed_count = rules.cards_removed
    for i in range(rules.cards_removed):
        hidden.removed[i] = hidden.deck[dealt + i]
    table.deck_left = dealt


@kernel
def draw_to_front(hidden, first, count, end):
    """Move `count` random cards of ``deck[first:end]``, in random order, to its front."""
    state = state_of(hidden.stream)
    for i in range(first, first + count):
        step, state = draw_below(state, end - i)
        chosen = hidden.deck[i + step]
        hidden.deck[i + step] = hidden.deck[i]
        hidden.deck[i] = chosen
    set_state(hidden.stream, state)


@kernel
def deal_rome(game):
    """Deal Rome's face-down cards, then its face-up ones."""
    hidden = game.hidden
    table = game.table
    for i in range(table.rules.rome_hidden):
        card = piles.draw_card(game)
        hidden.rome_hidden[i] = card
        hidden.rome_hidden_symbols[category_of(card)] += symbols_of(card)
    for _ in range(table.rules.rome_open):
        card = piles.draw_card(game)
        table.rome_symbols[category_of(card)] += symbols_of(card)
        table.rome_cards[category_of(card)] += 1
        note_shown(table, card)


@kernel
def write_setup(game, log):
    """Log the deal; Rome's open cards lie just before the top of the deck in the ring."""
    hidden = game.hidden
    rules = game.table.rules
    events.write(log, events.SETUP, 0, 0, 0)
    events.write_cards(log, hidden.removed, 0, hidden.removed_count)
    events.write(log, events.ROME_HIDDEN, 0, 0, 0)
    events.write_cards(log, hidden.rome_hidden, 0, rules.rome_hidden)
    top = game.table.deck_top
    events.write(log, events.ROME_OPEN, 0, 0, 0)
    events.write_cards(log, hidden.deck, top - rules.rome_open, rules.rome_open)
    events.write(log, events.DECK, 0, 0, 0)
    events.write_cards(log, hidden.deck, top, game.table.deck_left)
    events.write(log, events.EVENT_END, 0, 0, 0)


@kernel
def begin_draft(game, log, seat):
    """Draw a seat's draft and offer its first decision: what to display (solo) or keep."""
    hidden = game.hidden
    rules = game.table.rules
    choice = game.choices[seat]
    hidden.seat = seat
    size = rules.draft_sizes[seat]
    if game.table.solo_level:
        size = rules.solo_displayed + 2
    for i in range(size):
        choice.drawn[i] = piles.draw_card(game)
    choice.drawn_count = size
    if log is not None:
        events.write(log, events.DRAFT, seat, 0, 0)
        events.write_cards(log, choice.drawn, 0, size)
        events.write(log, events.LIST_END, 0, 0, 0)
    return offer_draft(game, choice)


@kernel
def offer_draft(game, choice):
    """Offer DISPLAY or KEEP, with one option for each drawn card still in view."""
    more_to_show = choice.shown < game.table.rules.solo_displayed
    return offer(game, choice, DISPLAY if more_to_show else KEEP, choice.drawn_count)


@kernel
def carry_out_display(game, log, me, choice, option):
    """Display a drawn card in a solo setup, free and regardless of limits."""
    card = piles.take_from_drawn(choice, option)
    if log is not None:
        events.write(log, events.SHOWN, min(choice.shown, 1), card, 0)
    note_shown(game.table, card)
    piles.display_card(game, None, me.seat, card)  # primus is logged after the draft
    choice.shown += 1
    return offer_draft(game, choice)


@kernel
def carry_out_draft(game, log, me, choice, option):
    """Keep a drawn card, or put one under the deck; by default the others follow as drawn."""
    card = piles.take_from_drawn(choice, option)
    if choice.kind == KEEP:
        piles.take_to_hand(game.table, me, card)
        if log is not None:
            events.write(log, events.KEPT, min(choice.shown, 1), card, 0)
    else:
        put_back(game, log, me, card)
    if choice.drawn_count > 0 and game.table.rules.draft_to_bottom == CHOSEN:
        choice.options[0] = TO_BOTTOM
        choice.places = 1
        choice.drawn_from = NOWHERE
        return offer(game, choice, PLACE, choice.drawn_count)
    for i in range(choice.drawn_count):
        put_back(game, log, me, choice.drawn[i])
    choice.drawn_count = 0
    if log is not None:
        events.write(log, events.EVENT_END, 0, 0, 0)
        if game.table.primus == me.seat:
            events.write(log, events.PRIMUS, me.seat, 0, NOBODY)
    if me.seat + 1 < game.table.players:
        return begin_draft(game, log, me.seat + 1)
    refill(game, log)
    return begin_round(game, log)


@kernel
def put_back(game, log, me, card):
    """Put a card of the draft under the deck."""
    if log is not None:
        events.write(log, events.CARD, min(me.buried_count, 1), card, 0)
    piles.put_under_deck(game, me, card, NOWHERE)
