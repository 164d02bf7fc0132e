"""The planner: carries out wishes sensibly at every decision of a turn.

A heuristic says what it wishes for (`paxsim.policies.wishes`); the planner does the arithmetic that
all of them share. What a displayed card is worth (in points, roughly) is the category's

    WORTH for each symbol, up to WANTED symbols and a fifth of it beyond, plus EXTRA for the card.

What Rome gains is worth ``ROME`` a symbol (below 0: starve Rome), and an Aureus ``MONEY``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from paxsim.engine.compiling import kernel
from paxsim.helpers import (
    BUY,
    DISPLAY,
    INTRIGUE,
    KEEP,
    LAND,
    N_CATEGORIES,
    NOBODY,
    PEEK,
    PLACE,
    PLAY,
    TAKE_TURN,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    category_of,
    income_if_played,
    income_of,
    is_military,
    limit_of,
    price_of_legion,
    richest_legion,
    rounds_left,
    symbols_of,
    value_of,
)
from paxsim.policies.registry import policy
from paxsim.policies.wishes import EXTRA, MADE, MONEY, PEEKING, ROME, WANTED, WORTH, forget_wishes

#: What symbols beyond those wanted are worth, as a part of a wish.
_SURPLUS = 0.2
#: What a fleet or army that may not be played yet is worth, as a part of its worth.
_BEYOND_LIMIT = 0.4
#: Cards that a seat can play in a turn without ruining itself.
_CARDS_A_TURN = 1.6
#: How far a placement below a legion counts if the seat means to buy the group, if Rome takes it,
#: and (against the seat) if somebody else may buy it; and what it counts to put a card away.
_OWN_GROUP = 0.8
_ROME_GROUP = 0.6
_GIFT = 0.15
_WASTE = 0.5
#: What the fleet or army that a land allows counts when that land is played.
_OPENED = 0.8


@kernel
def wishes_due(table, me, choice):
    """Whether it is time to make new wishes: at the draft, and once in every turn."""
    if choice.kind == KEEP or choice.kind == DISPLAY:
        return True
    return me.memory[MADE] != table.round + 1


@kernel
def worth_of(me, card):
    """What the card would be worth in the display."""
    category = category_of(card)
    symbols = symbols_of(card)
    useful = min(float(symbols), max(me.memory[WANTED + category], 0.0))
    surplus = symbols - useful
    return me.memory[WORTH + category] * (useful + _SURPLUS * surplus) + me.memory[EXTRA + category]


@kernel
def worth_to_rome(me, card):
    """What it would be worth to this seat if Rome got the card."""
    return me.memory[ROME + category_of(card)] * symbols_of(card)


@kernel
def hand_limit(table, me):
    """The fleet and army limit that the seat can reach with the land and intrigue in its hand."""
    land = table.symbols[me.seat, LAND]
    intrigue = table.symbols[me.seat, INTRIGUE]
    for slot in range(me.hand_count):
        category = category_of(me.hand[slot])
        if category == LAND:
            land += symbols_of(me.hand[slot])
        elif category == INTRIGUE and me.memory[WORTH + INTRIGUE] > 0.0:
            intrigue += symbols_of(me.hand[slot])
    return max(land, intrigue)


@kernel
def patience(table, me):
    """The part of its worth that one more card in the hand keeps: it must be played in time."""
    turns = rounds_left(table) + 1.0
    return min(1.0, _CARDS_A_TURN * turns / (me.hand_count + 1.0))


@kernel
def hope_of(table, me, card, limit):
    """What a card is worth in the hand, if the seat can reach this limit of fleets and armies."""
    worth = worth_of(me, card)
    category = category_of(card)
    if is_military(category) and table.symbols[me.seat, category] + symbols_of(card) > limit:
        worth *= _BEYOND_LIMIT
    return worth


@kernel
def group_hope(table, me, legion, limit):
    """What the cards below a legion are worth in the hand, those not wanted counting nothing."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += max(hope_of(table, me, table.legion_cards[legion, i], limit), 0.0)
    return total


@kernel
def group_for_rome(table, me, legion):
    """What it is worth to this seat if Rome takes the group below a legion."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += worth_to_rome(me, table.legion_cards[legion, i])
    return total


@kernel
def usual_hope(table, me):
    """What an average card of the deck is worth in the hand."""
    total = 0.0
    cards = 0
    for category in range(N_CATEGORIES):
        if me.memory[WANTED + category] > 0.0:
            total += me.memory[WORTH + category] * table.copy_symbols[category]
        total += me.memory[EXTRA + category] * table.copy_cards[category]
        cards += table.copy_cards[category]
    return total / cards


@kernel
def legion_worth(table, me, card, hope, legion, limit, richest):
    """What it is worth to put a card below a legion: who will get the group?"""
    value = table.legion_value[legion] + value_of(card)
    price = max(value - table.discount[me.seat], 0)
    if me.money >= price:
        group = group_hope(table, me, legion, limit)
        if group + hope > me.memory[MONEY] * price:
            # The card sweetens a group that this seat may buy at once.
            return _OWN_GROUP * (hope - me.memory[MONEY] * value_of(card))
    if richest == legion:
        return _ROME_GROUP * worth_to_rome(me, card)
    if richest == NOBODY or value > table.legion_value[richest]:
        # Rome turns to this group instead of the other one.
        gain = worth_to_rome(me, card) + group_for_rome(table, me, legion)
        if richest != NOBODY:
            gain -= group_for_rome(table, me, richest)
        return _ROME_GROUP * gain
    return -_GIFT * hope


@kernel
def choose_place(table, me, choice):
    """PLACE: the card and place with the largest advantage over an average card there."""
    limit = hand_limit(table, me)
    keep = patience(table, me)
    usual = keep * usual_hope(table, me)
    richest = richest_legion(table)
    best = 0
    best_score = -1e9
    option = 0
    for index in range(choice.drawn_count):
        card = choice.drawn[index]
        hope = max(keep * hope_of(table, me, card, limit), 0.0)
        # What the hand gets instead: another card in view, or an average one.
        instead = usual
        for other in range(choice.drawn_count):
            if other != index:
                instead = max(instead, keep * hope_of(table, me, choice.drawn[other], limit))
        for number in range(choice.places):
            place = choice.options[number]
            if place == TO_HAND:
                score = hope - instead
            elif place == TO_BOTTOM:
                # A card worth keeping should not be the one that goes away.
                score = _WASTE * (usual - hope)
            else:
                score = legion_worth(table, me, card, hope, place, limit, richest)
            if score > best_score:
                best_score = score
                best = option
            option += 1
    return best


@kernel
def choose_drawn(table, me, choice):
    """KEEP, DISPLAY: the best card."""
    best = 0
    for i in range(1, choice.drawn_count):
        if worth_of(me, choice.drawn[i]) > worth_of(me, choice.drawn[best]):
            best = i
    return best


@kernel
def choose_purchase(table, me, choice):
    """BUY: the group that brings most for its price; keeping it from Rome counts too."""
    limit = hand_limit(table, me)
    keep = patience(table, me)
    richest = richest_legion(table)
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        legion = choice.options[option]
        score = keep * group_hope(table, me, legion, limit)
        score -= me.memory[MONEY] * price_of_legion(table, me.seat, legion)
        if legion == richest:
            score -= group_for_rome(table, me, legion)
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def play_worth(table, me, choice, card, played, income_now):
    """PLAY: what playing a card now brings, its price and the change of income included."""
    category = category_of(card)
    income = income_if_played(table, me.seat, played, category)
    gain = worth_of(me, card) + me.memory[MONEY] * (income - income_now - choice.price)
    if category == LAND or category == INTRIGUE:
        gain += opened_worth(table, me, card)
    return gain


@kernel
def opened_worth(table, me, card):
    """Worth of the best fleet or army in hand that this land or intrigue would allow."""
    category = category_of(card)
    limit = max(limit_of(table, me.seat), table.symbols[me.seat, category] + symbols_of(card))
    best = 0.0
    for slot in range(me.hand_count):
        other = category_of(me.hand[slot])
        if is_military(other):
            after = table.symbols[me.seat, other] + symbols_of(me.hand[slot])
            if limit_of(table, me.seat) < after <= limit:
                best = max(best, worth_of(me, me.hand[slot]))
    return _OPENED * best


@kernel
def choose_play(table, me, choice):
    """PLAY, REACT: the card that brings most, as long as it brings something."""
    reacting = choice.kind != PLAY
    played = 0
    income_now = 0
    if not reacting:
        played = table.categories_played
        income_now = income_of(table, me.seat, played)
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        card = me.hand[choice.options[option]]
        if reacting:
            score = worth_of(me, card) - me.memory[MONEY] * choice.price
        else:
            score = play_worth(table, me, choice, card, played, income_now)
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def carry_out_wishes(table, me, choice):
    """The option that serves the wishes in the seat's memory best."""
    kind = choice.kind
    if kind == PLACE:
        return choose_place(table, me, choice)
    if kind == TURN:
        return PEEK if me.memory[PEEKING] > 0.0 else TAKE_TURN
    if kind == BUY:
        return choose_purchase(table, me, choice)
    if kind == KEEP or kind == DISPLAY:
        return choose_drawn(table, me, choice)
    return choose_play(table, me, choice)


#: The policy around an idea; a heuristic fills in its name and its parameters.
_AROUND_IDEA = """
def {name}(table, me, choice{parameters}):
    if wishes_due(table, me, choice):
        forget_wishes(table, me)
        make_wishes(table, me{parameters})
    return carry_out_wishes(table, me, choice)
"""


def heuristic(idea: Callable | None = None, *, solo: bool = True) -> Any:
    """Make a policy out of an idea: ``@heuristic``, or ``@heuristic(solo=False)``.

    Parameters
    ----------
    idea : callable
        A function ``(table, me, parameter=default, ...)`` that makes the wishes of a turn with
        what `paxsim.policies.wishes` offers, and returns nothing. It starts from no wishes.
    solo : bool
        Whether it makes sense in solo.

    Returns
    -------
    Policy
        Asks the idea for wishes when they are due and carries them out at every decision. Name,
        docstring, parameters and file are those of the idea.
    """
    if idea is None:
        return functools.partial(heuristic, solo=solo)
    parameters = list(inspect.signature(idea).parameters)[len(("table", "me")) :]
    source = _AROUND_IDEA.format(
        name=idea.__name__, parameters="".join(f", {name}" for name in parameters)
    )
    namespace: dict[str, Any] = {
        "__name__": idea.__module__,
        "wishes_due": wishes_due,
        "forget_wishes": forget_wishes,
        "make_wishes": kernel(idea),
        "carry_out_wishes": carry_out_wishes,
    }
    exec(compile(source, idea.__code__.co_filename, "exec"), namespace)
    around = namespace[idea.__name__]
    around.__code__ = around.__code__.replace(co_firstlineno=idea.__code__.co_firstlineno)
    around.__defaults__ = idea.__defaults__
    around.__doc__ = idea.__doc__
    around.__qualname__ = idea.__qualname__
    return policy(around, solo=solo)
