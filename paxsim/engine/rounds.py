"""Rounds: their beginning, the group that goes to Rome, the refill, and when a game is over."""

from __future__ import annotations

from paxsim.engine import events
from paxsim.engine.codes import category_of, symbols_of
from paxsim.engine.jit import kernel, short
from paxsim.engine.piles import clear_legion, draw_card, put_below_legion
from paxsim.engine.records import NOBODY, OVER, TURN

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
