"""What a seat can be sure of, worked out from the notes of the engine."""

from __future__ import annotations

import numpy as np

from paxsim.engine.jit import called, kernel
from paxsim.engine.knowledge import first_place, place_in_ring
from paxsim.engine.records import (
    DISPLAY,
    DRAWN_FROM,
    KEEP,
    MEMORY_SIZE,
    NOWHERE,
    PLACE,
    PLAYED_CARD,
    RING,
    ROW,
    category_of,
    symbols_of,
)
from paxsim.engine.rng import draw_below, next_word, set_state, state_of
from paxsim.engine.setup import clear_choice, forget_looks


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
