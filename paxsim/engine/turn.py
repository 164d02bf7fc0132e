"""Turns and rounds: peek, or draw, buy, play and income; reactions to a senator; Rome's share."""

from __future__ import annotations

from paxsim.cards import INTRIGUE, RELIGION, SENATOR
from paxsim.engine import events, piles
from paxsim.engine.jit import kernel, short
from paxsim.engine.knowledge import note_in_diary
from paxsim.engine.records import (
    BUY,
    DRAWN_FROM,
    N_CATEGORIES,
    NOBODY,
    NOWHERE,
    ONE_BY_ONE,
    OVER,
    PEEK,
    PLACE,
    PLAY,
    PLAYED_CARD,
    REACT,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    category_of,
    symbols_of,
)
from paxsim.rules import CARDS_DRAWN

#: Returned instead of a number of options when the turn is over; `end_turn` offers the next one.
TURN_ENDS = -1


@short
def offer(game, choice, decision, count):
    """Offer a decision with `count` options to the deciding seat; return the count."""
    choice.kind = decision
    choice.count = count
    game.hidden.decision = decision
    return count


@kernel
def begin_round(game, log):
    """Begin a round with the turn of its start seat."""
    table = game.table
    table.round += 1
    table.turns_left = table.players - 1
    if log is not None:
        events.write(log, events.ROUND, table.start, 0, table.round)
    return begin_turn(game, table.start)


@kernel
def begin_turn(game, seat):
    """Begin a seat's turn: offer TURN, without peeking in solo."""
    hidden = game.hidden
    game.table.active = seat
    game.table.played = 0
    game.table.categories_played = 0
    hidden.seat = seat
    return offer(game, game.choices[seat], TURN, 1 if game.table.solo_level else 2)


@kernel
def end_turn(game, log):
    """Pass the turn on clockwise, or end the round."""
    table = game.table
    if table.turns_left > 0:
        table.turns_left -= 1
        following = table.active + 1
        return begin_turn(game, following if following < table.players else 0)
    return end_round(game, log)


@kernel
def end_round(game, log):
    """Let Rome take a group, move the start and refill the legions, or end the game."""
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
    """Give Rome the group with the highest value; in a tie that of the lowest legion."""
    richest = NOBODY
    most = 0
    for legion in range(table.legions):
        # A group of value 0 comes before no group.
        key = table.legion_value[legion] + (table.legion_size[legion] > 0)
        if key > most:
            most = key
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
    piles.clear_legion(table, richest)


@kernel
def empty_legions(table):
    """Count the legions without cards."""
    count = 0
    for legion in range(table.legions):
        if table.legion_size[legion] == 0:
            count += 1
    return count


@kernel
def refill(game, log):
    """Put a card below every empty legion, in legion order; the deck must have enough."""
    table = game.table
    refilled = 0
    for legion in range(table.legions):
        if table.legion_size[legion] == 0:
            card = piles.draw_card(game)
            piles.put_below_legion(table, legion, card)
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
    """End the game: no more decisions."""
    table = game.table
    if log is not None:
        events.write(log, events.END, empty_legions(table), table.deck_left, table.round)
    return offer(game, game.choices[game.hidden.seat], OVER, 0)


# --- turn or peek ---------------------------------------------------------------------------


@kernel
def carry_out_turn(game, log, me, choice, option):
    """Begin the draw step, or peek."""
    if option == PEEK:
        peek(game, log, me)
        return TURN_ENDS
    return begin_draw(game, log, me, choice)


@kernel
def peek(game, log, me):
    """Look at Rome's hidden cards for the whole turn and take a little money."""
    me.peeked = 1
    game.table.peeked[me.seat] = 1
    for category in range(N_CATEGORIES):
        me.rome_hidden[category] = game.hidden.rome_hidden_symbols[category]
    me.rome_count = game.table.rules.rome_hidden
    for i in range(me.rome_count):
        me.rome_peeked[i] = game.hidden.rome_hidden[i]
    piles.take_money(game.table, me, game.table.rules.peek_income)
    if log is not None:
        events.write(log, events.PEEK, me.seat, 0, 0)
        events.write_cards(log, game.hidden.rome_hidden, 0, game.table.rules.rome_hidden)
        events.write(log, events.LIST_END, 0, 0, 0)
        events.write(log, events.MONEY, 0, 0, me.money)


# --- draw -----------------------------------------------------------------------------------


@kernel
def begin_draw(game, log, me, choice):
    """Begin the draw step: set how many cards are drawn, how many at a time, and where to."""
    table = game.table
    cards = min(CARDS_DRAWN, table.deck_left)
    choice.drawn_count = 0
    religion = table.symbols[me.seat, RELIGION]
    if cards < CARDS_DRAWN:
        if cards == 0:
            compensate(game, log, me)
            return offer_buy(game, me, choice)
        if table.rules.religion_last_two == ONE_BY_ONE:
            religion = -1  # too few for any rule set; a last card is alone anyway
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
    """Pay money instead of cards when the deck is empty."""
    aurei = game.table.rules.empty_deck_income
    piles.take_money(game.table, me, aurei)
    if log is not None:
        events.write(log, events.COMPENSATION, me.seat, 0, aurei)
        events.write(log, events.MONEY, 0, 0, me.money)


@kernel
def reveal(game, log, choice, count):
    """Draw cards into the view of the active seat."""
    first = choice.drawn_count
    choice.drawn_from = game.table.deck_top if first + count == 1 else NOWHERE
    for i in range(first, first + count):
        choice.drawn[i] = piles.draw_card(game)
    choice.drawn_count = first + count
    choice.undrawn -= count
    if log is not None:
        events.write(log, events.REVEAL, game.hidden.seat, 0, 0)
        events.write_cards(log, choice.drawn, first, count)
        events.write(log, events.EVENT_END, 0, 0, 0)


@kernel
def offer_place(game, choice):
    """Offer PLACE: every card in view to every open place."""
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
    """Place a card in view; draw the next one, or continue with buying."""
    index = 0
    while option >= choice.places:  # faster than a division: mostly one card is in view
        option -= choice.places
        index += 1
    place = choice.options[option]
    card = piles.take_from_drawn(choice, index)
    if log is not None:
        events.write(log, events.PLACE, me.seat, card, place)
    if place == TO_HAND:
        piles.take_to_hand(game.table, me, card)
        note_in_diary(game.table, me.seat, DRAWN_FROM | choice.drawn_from)
        choice.hand_open = 0
    elif place == TO_BOTTOM:
        piles.put_under_deck(game, me, card, choice.drawn_from)
        choice.bottom_open = 0
    else:
        piles.put_below_legion(game.table, place, card)
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
    """Return the price of a group of this value with this discount."""
    return max(value - discount, 0)


@kernel
def price_of_legion(table, seat, legion):
    """Return the price of the group below a legion for a seat: its value less the discount."""
    return price_of_group(table.legion_value[legion], table.discount[seat])


@kernel
def offer_buy(game, me, choice):
    """Offer BUY: every group that the seat can afford, or nothing."""
    table = game.table
    money = me.money
    discount = table.discount[me.seat]
    count = 0
    for legion in range(table.legions):
        # Written first and counted if it is an option: no branch to mispredict.
        choice.options[count] = legion
        affordable = price_of_group(table.legion_value[legion], discount) <= money
        count += affordable & (table.legion_size[legion] > 0)
    return offer(game, choice, BUY, count + 1)


@kernel
def carry_out_buy(game, log, me, choice, option):
    """Take all cards below a legion into the hand, or none; then offer PLAY."""
    if option == choice.count - 1:
        return offer_play(game, me, choice)
    table = game.table
    legion = choice.options[option]
    price = price_of_legion(table, me.seat, legion)
    piles.take_money(table, me, -price)
    if log is not None:
        events.write(log, events.BUY, me.seat, 0, legion)
        events.write_cards(log, table.legion_cards[legion], 0, table.legion_size[legion])
        events.write(log, events.PRICE, 0, 0, price)
        events.write(log, events.MONEY, 0, 0, me.money)
    for i in range(table.legion_size[legion]):
        card = table.legion_cards[legion, i]
        piles.take_to_hand(table, me, card)
        note_in_diary(table, me.seat, card)
    piles.clear_legion(table, legion)
    return offer_play(game, me, choice)


# --- play and income ------------------------------------------------------------------------


@kernel
def within_limit(table, seat, card):
    """Return whether the limit for fleets and armies lets a seat play a card."""
    return symbols_of(card) <= table.allowance[seat, category_of(card)]


@kernel
def list_playable(table, me, choice, price):
    """List the hand cards that a seat may play at this price, then passing."""
    choice.price = price
    allowance = table.allowance[me.seat]
    count = 0
    if me.money >= price:
        for slot in range(me.hand_count):
            card = me.hand[slot]
            choice.options[count] = slot  # written first, as in offer_buy
            count += symbols_of(card) <= allowance[category_of(card)]
    return count + 1


@kernel
def offer_play(game, me, choice):
    """Offer PLAY: the n-th card of a turn costs n - 1 Aurei."""
    table = game.table
    return offer(game, choice, PLAY, list_playable(table, me, choice, table.played))


@kernel
def carry_out_play(game, log, me, choice, option):
    """Play one card and offer the next; or stop, which brings income and reactions."""
    if option == choice.count - 1:
        return end_play(game, log)
    card = pay_and_display(game, log, me, choice, option, events.PLAY)
    game.table.played += 1
    game.table.categories_played |= 1 << category_of(card)
    return offer_play(game, me, choice)


@kernel
def pay_and_display(game, log, me, choice, option, event):
    """Move a hand card of the deciding seat to its display at the price of the choice."""
    card = piles.take_from_hand(game.table, me, choice.options[option])
    note_in_diary(game.table, me.seat, PLAYED_CARD | card)
    piles.take_money(game.table, me, -choice.price)
    if log is not None:
        events.write(log, event, me.seat, card, choice.price)
        events.write(log, events.MONEY, 0, 0, me.money)
    piles.display_card(game, log, me.seat, card)
    return card


@kernel
def end_play(game, log):
    """Pay income, and offer reactions if a senator was played, in the order of the rule set."""
    rules = game.table.rules
    reactions = rules.reactions and (game.table.categories_played >> SENATOR) & 1
    if not (reactions and rules.reactions_before_income):
        pay_income(game, log)
    if reactions:
        game.hidden.seat = game.table.active  # the next seat is the first that may react
        return next_reaction(game, log)
    return TURN_ENDS


@kernel
def income_of(table, seat, categories_played):
    """Return the income of a turn in which cards of these categories (a bit set) were played."""
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
    """Pay the active seat its income."""
    table = game.table
    me = game.seats[table.active]
    income = income_of(table, table.active, game.table.categories_played)
    piles.take_money(table, me, income)
    if log is not None:
        events.write(log, events.INCOME, table.active, 0, income)
        events.write(log, events.MONEY, 0, 0, me.money)


# --- reactions ------------------------------------------------------------------------------


@kernel
def next_reaction(game, log):
    """Pass the right to react on clockwise; end the turn after the last seat."""
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
    """Offer REACT: one card from the hand at a fixed price, or pass."""
    price = game.table.rules.reaction_price
    return offer(game, choice, REACT, list_playable(game.table, me, choice, price))


@kernel
def carry_out_react(game, log, me, choice, option):
    """Play one card outside one's turn: no income, and it triggers nothing."""
    if option != choice.count - 1:
        pay_and_display(game, log, me, choice, option, events.REACT)
    return next_reaction(game, log)
