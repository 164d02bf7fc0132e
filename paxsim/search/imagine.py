"""Imagining: a complete game that fits what a seat knows, the rest dealt by chance.

Every way to deal the unseen cards is as likely as it is in truth. With a second copy in part, which
of its cards are not in play is drawn first: `count_ways` weighs how many of each kind that may be.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.codes import category_of, symbols_of
from paxsim.engine.jit import called, kernel
from paxsim.engine.knowledge import place_in_ring
from paxsim.engine.records import MEMORY_SIZE, ROW
from paxsim.engine.setup import clear_choice, forget_looks
from paxsim.engine.streams import draw_below, next_word, set_state, state_of

#: Turns 53 random bits into a number from 0 to 1.
_UNIT = 2.0**-53
_11 = np.uint64(11)


@called
def count_ways(known):
    """In how many ways the kinds from each one on can leave so many cards out of play.

    A kind with c cards a copy, s of them placed and o out: c over o ways to choose those of the
    second copy, and (2c - o)(2c - o - 1)... , s factors, to have s of the rest where they are.
    """
    out = known.out
    last = known.kinds
    for j in range(out + 1):
        known.ways[last, j] = 1.0 if j == 0 else 0.0
    for step in range(last):
        kind = last - 1 - step
        largest = 0.0
        for j in range(out + 1):
            total = 0.0
            for o in range(min(most_out(known, kind), j) + 1):
                total += ways_of_kind(known, kind, o) * known.ways[kind + 1, j - o]
            known.ways[kind, j] = total
            largest = max(largest, total)
        for j in range(out + 1):
            known.ways[kind, j] /= largest


@kernel
def most_out(known, kind):
    """How many cards of a kind may be out of play."""
    return min(known.copies[kind], known.unseen[kind])


@kernel
def ways_of_kind(known, kind, o):
    """How likely it is that o cards of a kind are out, as a part of that of none."""
    copies, located = known.copies[kind], known.located[kind]
    ways = 1.0
    for i in range(o):
        ways *= (copies - i) / (i + 1.0)
        ways *= (2 * copies - i - located) / (2.0 * copies - i)
    return ways


@kernel
def unit(stream):
    """A random number from 0 to 1, 1 excluded."""
    return (next_word(stream) >> _11) * _UNIT


@kernel
def fill_pool(known, stream):
    """The unseen cards that are in play; return how many, which is the number of places."""
    left = known.out
    size = 0
    for kind in range(known.kinds):
        count = known.unseen[kind]
        if left > 0:
            o = draw_out(known, kind, left, stream)
            count -= o
            left -= o
        for _ in range(count):
            known.pool[size] = known.card[kind]
            size += 1
    return size


@kernel
def draw_out(known, kind, left, stream):
    """How many cards of a kind are out of play, where `left` of this and later kinds are."""
    most = min(most_out(known, kind), left)
    total = 0.0
    for o in range(most + 1):
        total += ways_of_kind(known, kind, o) * known.ways[kind + 1, left - o]
    point = unit(stream) * total
    for o in range(most):
        point -= ways_of_kind(known, kind, o) * known.ways[kind + 1, left - o]
        if point < 0.0:
            return o
    return most


@kernel
def shuffle_pool(known, size, stream):
    """Put the pool into random order."""
    state = state_of(stream)
    for i in range(size - 1):
        step, state = draw_below(state, size - i)
        chosen = known.pool[i + step]
        known.pool[i + step] = known.pool[i]
        known.pool[i] = chosen
    set_state(stream, state)


@kernel
def deal_unseen(world, known, me, stream):
    """Deal the unseen cards anew among hands, Rome's hidden cards, deck and removed cards.

    The world's table and the seat's own record and choice are there already (`copy_known`).
    """
    table = world.table
    hidden = world.hidden
    shuffle_pool(known, fill_pool(known, stream), stream)
    dealt = 0
    for seat in range(table.players):
        if seat != me.seat:
            rival = world.seats[seat]
            for i in range(rival.hand_count):
                if i < known.hand_count[seat]:
                    rival.hand[i] = known.hand[seat, i]
                else:
                    rival.hand[i] = known.pool[dealt]
                    dealt += 1
    for category in range(ROW):
        hidden.rome_hidden_symbols[category] = 0
    for i in range(table.rules.rome_hidden):
        card = me.rome_peeked[i]
        if not me.peeked:
            card = known.pool[dealt]
            dealt += 1
        hidden.rome_hidden[i] = card
        hidden.rome_hidden_symbols[category_of(card)] += symbols_of(card)
    for place in range(table.deck_top, table.deck_top + table.deck_left):
        slot = place_in_ring(place)
        card = known.deck[slot]
        if card == 0:
            card = known.pool[dealt]
            dealt += 1
        hidden.deck[slot] = card
    for i in range(table.rules.cards_removed):
        hidden.removed[i] = known.pool[dealt]
        dealt += 1
    tell_peekers(world, me)


@kernel
def tell_peekers(world, me):
    """Rivals that have peeked know what Rome has in this world."""
    for seat in range(world.table.players):
        if seat != me.seat and world.table.peeked[seat]:
            rival = world.seats[seat]
            for category in range(ROW):
                rival.rome_hidden[category] = world.hidden.rome_hidden_symbols[category]
            for i in range(world.table.rules.rome_hidden):
                rival.rome_peeked[i] = world.hidden.rome_hidden[i]


@kernel
def forget_rivals(world):
    """Nobody has looked at anything or buried a card that another search knew of.

    The memory is that of all searchers of a kind, wherever they sit and whatever they play.
    """
    for seat in range(world.table.players):
        forget_looks(world.seats[seat])
        clear_choice(world.choices[seat])


@kernel
def seat_everybody(world, me, choice, stream):
    """All that is known of the seats, in a world whose table is there already.

    Nobody has notes: they are those of a policy, and another one may play on. Every seat gets a
    random stream of its own.
    """
    world.hidden.seat = me.seat
    world.hidden.decision = choice.kind
    world.hidden.removed_count = world.table.rules.cards_removed
    for seat in range(world.table.players):
        one = world.seats[seat]
        one.seat = seat
        one.money = world.table.money[seat]
        one.peeked = world.table.peeked[seat]
        for i in range(one.hand_count):
            one.hand[i] = 0
        one.hand_count = world.table.hand_size[seat]
        for i in range(MEMORY_SIZE):
            one.memory[i] = 0.0
        for word in range(4):
            one.stream[word] = next_word(stream)
