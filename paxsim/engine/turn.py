"""A turn: peek, or draw, buy, play and income; and the reactions to a senator."""

from __future__ import annotations

from paxsim.cards import INTRIGUE, RELIGION, SENATOR
from paxsim.engine import events
from paxsim.engine.jit import kernel, short
from paxsim.engine.knowledge import note_bought, note_drawn, note_played, place_in_view
from paxsim.engine.piles import (
    clear_legion,
    display_card,
    draw_card,
    put_below_legion,
    put_under_deck,
    take_from_drawn,
    take_from_hand,
    take_money,
    take_to_hand,
)
from paxsim.engine.piles import limit_of as limit_of
from paxsim.engine.records import (
    BUY,
    N_CATEGORIES,
    NOBODY,
    OVER,
    PEEK,
    PLACE,
    PLAY,
    REACT,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    category_of,
    symbols_of,
)
from paxsim.rules import CARDS_DRAWN

#: Stands for a number of options: the turn is over, and `end_turn` offers the next decision.
TURN_ENDS = -1


@short
def offer(game, choice, decision, count):
    """Put a decision with so many options to the deciding seat; return how many."""
    choice.kind = decision
    choice.count = count
    game.hidden.decision = decision
    return count


@kernel
def begin_round(game, log):
    """The start seat takes the first turn of a new round."""
    table = game.table
    table.round += 1
    table.turns_left = table.players - 1
    if log is not None:
        events.write(log, events.ROUND, table.start, 0, table.round)
    return begin_turn(game, table.start)


@kernel
def begin_turn(game, seat):
    """It is a seat's turn; TURN: take it, or peek; in solo there is no peeking."""
    hidden = game.hidden
    game.table.active = seat
    game.table.played = 0
    game.table.categories_played = 0
    hidden.seat = seat
    return offer(game, game.choices[seat], TURN, 1 if game.table.solo_level else 2)


@kernel
def end_turn(game, log):
    """Pass the turn on clockwise, or end the round after the last one."""
    table = game.table
    if table.turns_left > 0:
        table.turns_left -= 1
        following = table.active + 1
        return begin_turn(game, following if following < table.players else 0)
    return end_round(game, log)


@kernel
def end_round(game, log):
    """Rome takes a group, primus conspiratus starts, legions are refilled or the game ends."""
    table = game.table
    if table.deck_left == 0 and not table.rules.rome_takes_last:
        return end_game(game, log)
    rome_takes(table, log)
    if table.primus != NOBODY:
        table.start = table.primus
    if table.deck_left < empty_legions(table):
        return end_game(game, log)
    refill(game, log)
    return begin_round(game, log)


@kernel
def rome_takes(table, log):
    """The group with the highest value goes to Rome; in a tie that of the lowest legion."""
    richest = NOBODY
    most = 0
    for legion in range(table.legions):
        # One more than its value, so that a group of worthless cards beats no group.
        worth = table.legion_value[legion] + (table.legion_size[legion] > 0)
        if worth > most:
            most = worth
            richest = legion
    if richest == NOBODY:
        return
    if log is not None:
        events.write(log, events.ROME_TAKES, richest, 0, 0)
        events.write_cards(log, table.legion_cards[richest], 0, table.legion_size[richest])
        events.write(log, events.VALUE, 0, 0, table.legion_value[richest])
    for i in range(table.legion_size[richest]):
        card = table.legion_cards[richest, i]
        table.rome_symbols[category_of(card)] += symbols_of(card)
        table.rome_cards[category_of(card)] += 1
    clear_legion(table, richest)


@kernel
def empty_legions(table):
    """How many legions have no card below them."""
    count = 0
    for legion in range(table.legions):
        if table.legion_size[legion] == 0:
            count += 1
    return count


@kernel
def refill(game, log):
    """One card below every empty legion, in legion order; the deck must have enough."""
    table = game.table
    refilled = 0
    for legion in range(table.legions):
        if table.legion_size[legion] == 0:
            card = draw_card(game)
            put_below_legion(table, legion, card)
            if log is not None:
                if refilled == 0:
                    events.write(log, events.REFILL, 0, 0, 0)
                events.write(log, events.REFILLED, min(refilled, 1), card, legion)
                refilled += 1
    if log is not None:
        if refilled > 0:
            events.write(log, events.EVENT_END, 0, 0, 0)


@kernel
def end_game(game, log):
    """No more decisions."""
    table = game.table
    if log is not None:
        events.write(log, events.END, empty_legions(table), table.deck_left, table.round)
    return offer(game, game.choices[game.hidden.seat], OVER, 0)


# --- turn or peek ---------------------------------------------------------------------------


@kernel
def carry_out_turn(game, log, me, choice, option):
    """Begin the draw step, or look at Rome's hidden cards, take the money and be done."""
    if option == PEEK:
        peek(game, log, me)
        return TURN_ENDS
    return begin_draw(game, log, me, choice)


@kernel
def peek(game, log, me):
    """Look at Rome's hidden cards for the whole turn, and take a little money."""
    me.peeked = 1
    game.table.peeked[me.seat] = 1
    for category in range(N_CATEGORIES):
        me.rome_hidden[category] = game.hidden.rome_hidden_symbols[category]
    for i in range(game.table.rules.rome_hidden):
        me.rome_peeked[i] = game.hidden.rome_hidden[i]
    take_money(game.table, me, game.table.rules.peek_income)
    if log is not None:
        events.write(log, events.PEEK, me.seat, 0, 0)
        events.write_cards(log, game.hidden.rome_hidden, 0, game.table.rules.rome_hidden)
        events.write(log, events.LIST_END, 0, 0, 0)
        events.write(log, events.MONEY, 0, 0, me.money)


# --- draw -----------------------------------------------------------------------------------


@kernel
def begin_draw(game, log, me, choice):
    """Open the draw step: how many cards, how many of them together, which places."""
    table = game.table
    cards = min(CARDS_DRAWN, table.deck_left)
    choice.drawn_count = 0
    if cards == 0:
        compensate(game, log, me)
        return offer_buy(game, me, choice)
    religion = table.symbols[me.seat, RELIGION]
    together = 1
    if religion >= table.rules.religion_three:
        together = 3
    elif religion >= table.rules.religion_two:
        together = 2
    choice.undrawn = cards
    choice.hand_open = 1
    choice.legion_open = 1
    choice.bottom_open = cards == CARDS_DRAWN  # a short deck gets nothing back
    choice.hand_waits = together == 2 and cards == CARDS_DRAWN
    reveal(game, log, choice, min(together, cards))
    return offer_place(game, choice)


@kernel
def compensate(game, log, me):
    """Money instead of cards, when the deck is empty."""
    aurei = game.table.rules.empty_deck_income
    take_money(game.table, me, aurei)
    if log is not None:
        events.write(log, events.COMPENSATION, me.seat, 0, aurei)
        events.write(log, events.MONEY, 0, 0, me.money)


@kernel
def reveal(game, log, choice, count):
    """Draw cards into the view of the active seat."""
    first = choice.drawn_count
    choice.drawn_from = place_in_view(game.table, first + count)
    for i in range(first, first + count):
        choice.drawn[i] = draw_card(game)
    choice.drawn_count = first + count
    choice.undrawn -= count
    if log is not None:
        events.write(log, events.REVEAL, game.hidden.seat, 0, 0)
        events.write_cards(log, choice.drawn, first, count)
        events.write(log, events.EVENT_END, 0, 0, 0)


@kernel
def offer_place(game, choice):
    """PLACE: every card in view to every open place."""
    places = 0
    if choice.hand_open and not choice.hand_waits:
        choice.options[places] = TO_HAND
        places += 1
    if choice.bottom_open:
        choice.options[places] = TO_BOTTOM
        places += 1
    if choice.legion_open:
        for legion in range(game.table.legions):
            choice.options[places] = legion
            places += 1
    choice.places = places
    return offer(game, choice, PLACE, choice.drawn_count * places)


@kernel
def carry_out_place(game, log, me, choice, option):
    """Put a card of the view somewhere; draw the next one, or go on to buying."""
    index = 0
    while option >= choice.places:  # mostly there is one card in view: no division is needed
        option -= choice.places
        index += 1
    place = choice.options[option]
    card = take_from_drawn(choice, index)
    if log is not None:
        events.write(log, events.PLACE, me.seat, card, place)
    if place == TO_HAND:
        take_to_hand(game.table, me, card)
        note_drawn(game.table, me.seat, choice.drawn_from)
        choice.hand_open = 0
    elif place == TO_BOTTOM:
        put_under_deck(game, me, card, choice.drawn_from)
        choice.bottom_open = 0
    else:
        put_below_legion(game.table, place, card)
        choice.legion_open = 0
    choice.hand_waits = 0
    if choice.undrawn > 0:
        reveal(game, log, choice, 1)
    elif choice.drawn_count == 0:
        return offer_buy(game, me, choice)
    return offer_place(game, choice)


# --- buy ------------------------------------------------------------------------------------


@kernel
def price_of_group(value, discount):
    """What a group of this value costs a seat with this discount."""
    return max(value - discount, 0)


@kernel
def price_of_legion(table, seat, legion):
    """What the group below a legion costs a seat: its value less the seat's discount."""
    return price_of_group(table.legion_value[legion], table.discount[seat])


@kernel
def offer_buy(game, me, choice):
    """BUY: every group that the seat can pay for, or nothing."""
    table = game.table
    money = me.money
    discount = table.discount[me.seat]
    count = 0
    for legion in range(table.legions):
        # Listed first and counted if it is an option: there is no branch to be guessed wrong.
        choice.options[count] = legion
        affordable = price_of_group(table.legion_value[legion], discount) <= money
        count += affordable & (table.legion_size[legion] > 0)
    return offer(game, choice, BUY, count + 1)


@kernel
def carry_out_buy(game, log, me, choice, option):
    """Take all cards below one legion into the hand, or none; then it is time to play."""
    if option == choice.count - 1:
        return offer_play(game, me, choice)
    table = game.table
    legion = choice.options[option]
    price = price_of_legion(table, me.seat, legion)
    take_money(table, me, -price)
    if log is not None:
        events.write(log, events.BUY, me.seat, 0, legion)
        events.write_cards(log, table.legion_cards[legion], 0, table.legion_size[legion])
        events.write(log, events.PRICE, 0, 0, price)
        events.write(log, events.MONEY, 0, 0, me.money)
    for i in range(table.legion_size[legion]):
        card = table.legion_cards[legion, i]
        take_to_hand(table, me, card)
        note_bought(table, me.seat, card)
    clear_legion(table, legion)
    return offer_play(game, me, choice)


# --- play and income ------------------------------------------------------------------------


@kernel
def within_limit(table, seat, card):
    """Whether the limit for fleets and armies lets a seat play the card."""
    return symbols_of(card) <= table.allowance[seat, category_of(card)]


@kernel
def list_playable(table, me, choice, price):
    """Options for the hand cards that a seat may play at this price, then passing."""
    choice.price = price
    allowance = table.allowance[me.seat]
    count = 0
    if me.money >= price:
        for slot in range(me.hand_count):
            card = me.hand[slot]
            choice.options[count] = slot  # listed first, as in offer_buy
            count += symbols_of(card) <= allowance[category_of(card)]
    return count + 1


@kernel
def offer_play(game, me, choice):
    """PLAY: the n-th card of a turn costs n - 1 Aurei."""
    table = game.table
    return offer(game, choice, PLAY, list_playable(table, me, choice, table.played))


@kernel
def carry_out_play(game, log, me, choice, option):
    """Play one card and ask again; or stop, which brings income and reactions."""
    if option == choice.count - 1:
        return end_play(game, log)
    card = pay_and_display(game, log, me, choice, option, events.PLAY)
    game.table.played += 1
    game.table.categories_played |= 1 << category_of(card)
    return offer_play(game, me, choice)


@kernel
def pay_and_display(game, log, me, choice, option, event):
    """Move a hand card of the deciding seat to its display at the price of the choice."""
    card = take_from_hand(game.table, me, choice.options[option])
    note_played(game.table, me.seat, card)
    take_money(game.table, me, -choice.price)
    if log is not None:
        events.write(log, event, me.seat, card, choice.price)
        events.write(log, events.MONEY, 0, 0, me.money)
    display_card(game, log, me.seat, card)
    return card


@kernel
def end_play(game, log):
    """Income, and reactions if a senator was played, in the order of the rule set."""
    rules = game.table.rules
    reactions = rules.reactions and (game.table.categories_played >> SENATOR) & 1
    if not (reactions and rules.reactions_before_income):
        pay_income(game, log)
    if reactions:
        return begin_reactions(game, log)
    return TURN_ENDS


@kernel
def income_of(table, seat, categories_played):
    """Aurei for a turn in which cards of these categories (a bit set) were added."""
    if categories_played == 0:
        return table.rules.basic_income
    if (categories_played >> INTRIGUE) & 1:
        return 0
    longest = 0
    for category in range(N_CATEGORIES):
        if (categories_played >> category) & 1:
            longest = max(longest, table.cards[seat, category])
    if (categories_played >> SENATOR) & 1:
        longest += table.rules.senator_income
    return longest


@kernel
def pay_income(game, log):
    """The active seat takes its income."""
    table = game.table
    me = game.seats[table.active]
    income = income_of(table, table.active, game.table.categories_played)
    take_money(table, me, income)
    if log is not None:
        events.write(log, events.INCOME, table.active, 0, income)
        events.write(log, events.MONEY, 0, 0, me.money)


# --- reactions ------------------------------------------------------------------------------


@kernel
def begin_reactions(game, log):
    """The seat after the active one is the first that may react."""
    game.hidden.seat = game.table.active
    return next_reaction(game, log)


@kernel
def next_reaction(game, log):
    """Pass the right to react on clockwise; after the last seat the turn goes to its end."""
    hidden = game.hidden
    table = game.table
    hidden.seat = hidden.seat + 1 if hidden.seat + 1 < table.players else 0
    if hidden.seat != table.active:
        return offer_react(game, game.seats[hidden.seat], game.choices[hidden.seat])
    if table.rules.reactions_before_income:
        pay_income(game, log)
    return TURN_ENDS


@kernel
def offer_react(game, me, choice):
    """REACT: one hand card at a fixed price, or pass."""
    price = game.table.rules.reaction_price
    return offer(game, choice, REACT, list_playable(game.table, me, choice, price))


@kernel
def carry_out_react(game, log, me, choice, option):
    """Play one card outside one's turn: no income, and nothing is triggered by it."""
    if option != choice.count - 1:
        pay_and_display(game, log, me, choice, option, events.REACT)
    return next_reaction(game, log)
