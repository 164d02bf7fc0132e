"""Beliefs of a seat: the cards it can locate, and sampled worlds that fit (determinization)."""

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
def update_beliefs(beliefs, table, me, choice):
    """Derive what a seat knows at one of its decisions."""
    count_kinds(beliefs, table)
    for i in range(table.shown_count):
        locate(beliefs, table.shown[i])
    locate_buried(beliefs, table, me)
    for seat in range(table.players):
        beliefs.hand_count[seat] = 0
        read_diary(beliefs, table, me, seat)
    locate_own_hand(beliefs, me)
    if choice.kind == DISPLAY or choice.kind == KEEP or choice.kind == PLACE:
        for i in range(choice.drawn_count):
            locate(beliefs, choice.drawn[i])
    for i in range(me.rome_count):
        locate(beliefs, me.rome_peeked[i])
    count_unknown_places(beliefs, table, me)


@kernel
def count_kinds(beliefs, table):
    """List the different cards of the deck, in its sorted order; none is located yet."""
    kinds = 0
    for i in range(table.copy_count):
        if i == 0 or table.copy[i] != table.copy[i - 1]:
            beliefs.card[kinds] = table.copy[i]
            beliefs.copies[kinds] = 0
            beliefs.located[kinds] = 0
            kinds += 1
        beliefs.copies[kinds - 1] += 1
    beliefs.kinds = kinds
    copies = 2 if table.rules.cards_added else 1
    for kind in range(kinds):
        beliefs.unseen[kind] = copies * beliefs.copies[kind]


@kernel
def kind_of(beliefs, card):
    """Return the number of a card's kind."""
    for kind in range(beliefs.kinds):
        if beliefs.card[kind] == card:
            return kind
    return 0


@called
def locate(beliefs, card):
    """Count one more card that the seat can locate."""
    kind = kind_of(beliefs, card)
    beliefs.located[kind] += 1
    beliefs.unseen[kind] -= 1


@kernel
def locate_buried(beliefs, table, me):
    """Find the cards that this seat knows by their places in the deck: those it buried."""
    for slot in range(RING):
        beliefs.deck[slot] = 0
    first = first_place(table)
    end = table.deck_top + table.deck_left
    for i in range(me.buried_count):
        if me.buried_at[i] >= first:
            beliefs.deck[place_in_ring(me.buried_at[i])] = me.buried[i]
    for place in range(first, end):
        slot = place_in_ring(place)
        source = table.came_from[slot]
        # 0 stands for none: place 0 is dealt before any single draw.
        if beliefs.deck[slot] == 0 and source != 0 and source != NOWHERE and source >= first:
            beliefs.deck[slot] = beliefs.deck[place_in_ring(source)]
    for place in range(table.deck_top, end):
        if beliefs.deck[place_in_ring(place)] != 0:
            locate(beliefs, beliefs.deck[place_in_ring(place)])


@kernel
def read_diary(beliefs, table, me, seat):
    """Find the cards known to be in a hand: bought or drawn from a known place, and not yet played.

    A played card that is known to be in the hand counts as that one: equal cards are the same.
    """
    first = first_place(table)
    for i in range(table.diary_count[seat]):
        entry = table.diary[seat, i]
        card = entry & 0xFFFF
        if entry & PLAYED_CARD:
            if not remove_from_hand(beliefs, seat, card):
                locate(beliefs, card)
        elif entry & DRAWN_FROM:
            place = card
            if seat != me.seat and place != NOWHERE and place >= first:
                card = beliefs.deck[place_in_ring(place)]
                if card != 0:
                    add_to_hand(beliefs, seat, card)
                    locate(beliefs, card)
        else:
            add_to_hand(beliefs, seat, card)


@kernel
def add_to_hand(beliefs, seat, card):
    """Add a card to those known to be in a hand."""
    beliefs.hand[seat, beliefs.hand_count[seat]] = card
    beliefs.hand_count[seat] += 1


@called
def remove_from_hand(beliefs, seat, card):
    """Remove a card from those known to be in a hand; return whether it was one."""
    last = beliefs.hand_count[seat] - 1
    for i in range(last + 1):
        if beliefs.hand[seat, i] == card:
            beliefs.hand[seat, i] = beliefs.hand[seat, last]
            beliefs.hand_count[seat] = last
            return True
    return False


@kernel
def locate_own_hand(beliefs, me):
    """Locate the own cards that are not public; bought ones were located when open."""
    for slot in range(me.hand_count):
        if not remove_from_hand(beliefs, me.seat, me.hand[slot]):
            locate(beliefs, me.hand[slot])


@kernel
def count_unknown_places(beliefs, table, me):
    """Count the places of unknown cards, and the cards that are not in play."""
    places = table.rules.cards_removed
    if not me.peeked:
        places += table.rules.rome_hidden
    for seat in range(table.players):
        if seat != me.seat:
            places += table.hand_size[seat] - beliefs.hand_count[seat]
    for place in range(table.deck_top, table.deck_top + table.deck_left):
        places += beliefs.deck[place_in_ring(place)] == 0
    beliefs.places = places
    unseen = 0
    for kind in range(beliefs.kinds):
        unseen += beliefs.unseen[kind]
    beliefs.out = unseen - places


#: Scale of 53 random bits, for a number from 0 to 1.
_UNIT = 2.0**-53
_11 = np.uint64(11)


@called
def count_ways(beliefs):
    """Count the ways in which cards can be out of play, from each kind on.

    For a kind with c cards a copy, s of them located and o out: c over o ways to choose those of
    the second copy, times (2c - o)(2c - o - 1)... (s factors) to put s of the rest in place.
    """
    out = beliefs.out
    last = beliefs.kinds
    for j in range(out + 1):
        beliefs.ways[last, j] = 1.0 if j == 0 else 0.0
    for step in range(last):
        kind = last - 1 - step
        largest = 0.0
        for j in range(out + 1):
            total = 0.0
            for o in range(min(max_out(beliefs, kind), j) + 1):
                total += relative_ways(beliefs, kind, o) * beliefs.ways[kind + 1, j - o]
            beliefs.ways[kind, j] = total
            largest = max(largest, total)
        for j in range(out + 1):
            beliefs.ways[kind, j] /= largest


@kernel
def max_out(beliefs, kind):
    """Return the largest number of cards of a kind that may be out of play."""
    return min(beliefs.copies[kind], beliefs.unseen[kind])


@kernel
def relative_ways(beliefs, kind, o):
    """Return the probability that o cards of a kind are out, relative to none."""
    copies, located = beliefs.copies[kind], beliefs.located[kind]
    ways = 1.0
    for i in range(o):
        ways *= (copies - i) / (i + 1.0)
        ways *= (2 * copies - i - located) / (2.0 * copies - i)
    return ways


@kernel
def unit(stream):
    """Draw a random number from 0 to 1, 1 excluded."""
    return (next_word(stream) >> _11) * _UNIT


@kernel
def fill_pool(beliefs, stream):
    """Collect the unlocated cards that are in play, in random order."""
    left = beliefs.out
    size = 0
    for kind in range(beliefs.kinds):
        count = beliefs.unseen[kind]
        if left > 0:
            o = draw_out(beliefs, kind, left, stream)
            count -= o
            left -= o
        for _ in range(count):
            beliefs.pool[size] = beliefs.card[kind]
            size += 1
    state = state_of(stream)
    for i in range(size - 1):
        step, state = draw_below(state, size - i)
        card = beliefs.pool[i + step]
        beliefs.pool[i + step] = beliefs.pool[i]
        beliefs.pool[i] = card
    set_state(stream, state)


@kernel
def draw_out(beliefs, kind, left, stream):
    """Draw how many cards of a kind are out, if `left` of this and later kinds are."""
    most = min(max_out(beliefs, kind), left)
    total = 0.0
    for o in range(most + 1):
        total += relative_ways(beliefs, kind, o) * beliefs.ways[kind + 1, left - o]
    point = unit(stream) * total
    for o in range(most):
        point -= relative_ways(beliefs, kind, o) * beliefs.ways[kind + 1, left - o]
        if point < 0.0:
            return o
    return most


@kernel
def deal_unseen(world, beliefs, me, stream):
    """Deal the unlocated cards to hands, Rome's hidden cards, the deck and the removed cards.

    The public table and the seat's own record and choice are already in the world.
    """
    table = world.table
    hidden = world.hidden
    fill_pool(beliefs, stream)
    dealt = 0
    for seat in range(table.players):
        if seat != me.seat:
            rival = world.seats[seat]
            for i in range(rival.hand_count):
                if i < beliefs.hand_count[seat]:
                    rival.hand[i] = beliefs.hand[seat, i]
                else:
                    rival.hand[i] = beliefs.pool[dealt]
                    dealt += 1
    for category in range(ROW):
        hidden.rome_hidden_symbols[category] = 0
    for i in range(table.rules.rome_hidden):
        card = me.rome_peeked[i]
        if not me.peeked:
            card = beliefs.pool[dealt]
            dealt += 1
        hidden.rome_hidden[i] = card
        hidden.rome_hidden_symbols[category_of(card)] += symbols_of(card)
    for place in range(table.deck_top, table.deck_top + table.deck_left):
        slot = place_in_ring(place)
        card = beliefs.deck[slot]
        if card == 0:
            card = beliefs.pool[dealt]
            dealt += 1
        hidden.deck[slot] = card
    for i in range(table.rules.cards_removed):
        hidden.removed[i] = beliefs.pool[dealt]
        dealt += 1
    share_peeks(world, me)


@kernel
def share_peeks(world, me):
    """Let rivals that have peeked know Rome's hidden cards of this world."""
    for seat in range(world.table.players):
        if seat != me.seat and world.table.peeked[seat]:
            rival = world.seats[seat]
            for category in range(ROW):
                rival.rome_hidden[category] = world.hidden.rome_hidden_symbols[category]
            rival.rome_count = world.table.rules.rome_hidden
            for i in range(rival.rome_count):
                rival.rome_peeked[i] = world.hidden.rome_hidden[i]


@kernel
def clear_private_knowledge(world):
    """Clear the private records of all seats.

    The memory is shared by all searchers with the same settings, whatever they play.
    """
    for seat in range(world.table.players):
        forget_looks(world.seats[seat])
        clear_choice(world.choices[seat])


@kernel
def set_up_seats(world, me, choice, stream):
    """Set up the seats of a world from the public table that it holds.

    Memories are empty, because they belong to another policy. Every seat has its own random stream.
    """
    world.hidden.seat = me.seat
    world.hidden.decision = choice.kind
    world.hidden.removed_count = world.table.rules.cards_removed
    for seat in range(world.table.players):
        record = world.seats[seat]
        record.seat = seat
        record.money = world.table.money[seat]
        record.peeked = world.table.peeked[seat]
        for i in range(record.hand_count):
            record.hand[i] = 0
        record.hand_count = world.table.hand_size[seat]
        for i in range(MEMORY_SIZE):
            record.memory[i] = 0.0
        for word in range(4):
            record.stream[word] = next_word(stream)
