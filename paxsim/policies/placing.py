"""PLACE: where a card that was drawn goes, to the hand, under the deck or below a legion."""

from __future__ import annotations

import math

from paxsim.engine.jit import kernel
from paxsim.helpers import NOBODY, TO_BOTTOM, TO_HAND, richest_legion, value_of
from paxsim.policies.notes import MONEY, RICHEST, ROME_COUNTS, ROME_GAINS, ROME_HAS, USUAL
from paxsim.policies.worth import (
    group_for_rome,
    group_hope,
    hope_of,
    note_richest,
    patience,
    worth_to_rome,
)

#: How far a placement below a legion counts if the seat means to buy the group, if Rome takes it,
#: and (against the seat) if somebody else may buy it; and what it counts to put a card away.
_OWN_GROUP = 0.8
_ROME_GROUP = 0.6
_GIFT = 0.15
_WASTE = 0.5
#: Less than any option is worth, as long as wishes are for points.
_NOTHING = -1e9


@kernel
def would_buy(table, me, legion, value, hope):
    """Whether the seat could and would buy the group below a legion with a card added to it.

    `value` is what the card adds to the group's value, less the seat's discount.
    """
    price = max(table.legion_value[legion] + value, 0)
    if price > me.money:
        return False
    cost = me.memory[MONEY] * price
    return hope > cost or group_hope(table, me, legion) + hope > cost


@kernel
def most_if_left(me, to_rome, rome_has):
    """An upper bound of `worth_if_left`; `rome_has` is the worth of the group Rome would take."""
    if me.memory[ROME_GAINS] > 0.0:
        return math.inf
    # No group below a legion is worth more than nothing in Rome's hands.
    return max(_ROME_GROUP * (to_rome - rome_has), 0.0)


@kernel
def worth_if_left(table, me, legion, card, hope, richest, to_rome, rome_has):
    """What it is worth to put a card below a legion whose group this seat will not buy."""
    if legion == richest:
        return _ROME_GROUP * to_rome
    if richest == NOBODY or (
        table.legion_value[legion] + value_of(card) > table.legion_value[richest]
    ):
        # Rome turns to this group instead of the one it has in mind.
        return _ROME_GROUP * (to_rome + group_for_rome(table, me, legion) - rome_has)
    return -_GIFT * hope


@kernel
def choose_legion(table, me, card, hope, best_score):
    """The legion below which the card is worth more than `best_score`, and what it is worth there.

    The legion is NOBODY if there is none. Who will get the group? Looking through groups takes
    time, so it is done only where it can make a difference.
    """
    best = NOBODY
    # Where this seat buys the group at once, the card sweetens it.
    own = _OWN_GROUP * (hope - me.memory[MONEY] * value_of(card))
    added = value_of(card) - table.discount[me.seat]
    rome_counts = me.memory[ROME_COUNTS] > 0.0
    richest = NOBODY
    to_rome = 0.0
    rome_has = 0.0
    bound = 0.0
    if rome_counts:
        note_richest(table, me)
        richest = int(me.memory[RICHEST])
        to_rome = worth_to_rome(me, card)
        rome_has = me.memory[ROME_HAS]
        bound = most_if_left(me, to_rome, rome_has)
    elif bound > best_score:
        richest = richest_legion(table)
    if own <= best_score and bound <= best_score:  # what the loop needs is not made ready then
        return best, best_score
    for legion in range(table.legions):
        if own <= best_score and bound <= best_score:
            break
        score = best_score
        if own > best_score and would_buy(table, me, legion, added, hope):
            score = own
        elif bound > best_score:
            score = worth_if_left(table, me, legion, card, hope, richest, to_rome, rome_has)
            if own <= best_score < score and would_buy(table, me, legion, added, hope):
                score = own
        if score > best_score:
            best_score = score
            best = legion
    return best, best_score


@kernel
def choose_place_of(table, me, choice, card, hope, instead, usual, best_score):
    """The place, by its number, where the card is worth more than `best_score`, and its worth.

    The place is NOBODY if there is none. `hope` is what the card is worth in the hand, `instead`
    what the hand gets otherwise, and `usual` what an average card is worth there.
    """
    best = NOBODY
    number = 0
    if choice.options[number] == TO_HAND:
        score = hope - instead
        if score > best_score:
            best_score = score
            best = number
        number += 1
    if number < choice.places and choice.options[number] == TO_BOTTOM:
        # A card worth keeping should not be the one that goes away.
        score = _WASTE * (usual - hope)
        if score > best_score:
            best_score = score
            best = number
        number += 1
    if number < choice.places:  # all legions, in their order
        legion, best_score = choose_legion(table, me, card, hope, best_score)
        if legion != NOBODY:
            best = number + legion
    return best, best_score


@kernel
def choose_place(table, me, choice):
    """PLACE: the card and place with the largest advantage over an average card there."""
    keep = patience(table, me)
    usual = keep * me.memory[USUAL]
    if choice.drawn_count == 1:
        card = choice.drawn[0]
        hope = max(keep * hope_of(table, me, card), 0.0)
        place, _ = choose_place_of(table, me, choice, card, hope, usual, usual, _NOTHING)
        return max(place, 0)
    best = 0
    best_score = _NOTHING
    for index in range(choice.drawn_count):
        card = choice.drawn[index]
        hope = max(keep * hope_of(table, me, card), 0.0)
        instead = hope_instead(table, me, choice, keep, usual, index)
        place, best_score = choose_place_of(
            table, me, choice, card, hope, instead, usual, best_score
        )
        if place != NOBODY:
            best = index * choice.places + place
    return best


@kernel
def hope_instead(table, me, choice, keep, usual, but):
    """What the hand gets instead of a drawn card: another card in view, or an average one."""
    best = usual
    for index in range(choice.drawn_count):
        if index != but:
            best = max(best, keep * hope_of(table, me, choice.drawn[index]))
    return best
