"""Planner: chooses the option of the highest utility at every decision of a turn."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paxsim.engine.jit import called, kernel
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
    SENATOR,
    TAKE_TURN,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    bought_legion,
    category_of,
    is_military,
    limit_of,
    played_card,
    price_of_legion,
    richest_legion,
    symbols_of,
    value_of,
    within_limit,
)
from paxsim.policies.registry import policy
from paxsim.policies.utility import (
    AVERAGE,
    CARD_VALUE,
    CARDS_A_ROUND,
    COPY_CARDS,
    COPY_SIZE,
    COPY_SYMBOLS,
    MONEY_VALUE,
    PEEK_VALUE,
    RICHEST,
    RICHEST_AT,
    RICHEST_VALUE,
    ROME_MATTERS,
    ROME_VALUE,
    ROME_WELCOME,
    SYMBOL_VALUE,
    UPDATED,
    WANTED,
    begin_values,
    clear_forbidden,
)

#: Value of symbols beyond those wanted, relative to wanted ones.
_SURPLUS = 0.2
#: Utility of a fleet or army that may not be played yet, relative to one that may.
_BEYOND_LIMIT = 0.4
#: Cards that a seat can afford to play in a turn.
CARDS_A_TURN = 1.6


@kernel
def display_utility(me, card):
    """Return the utility of a card in the display."""
    category = category_of(card)
    symbols = symbols_of(card)
    useful = min(float(symbols), max(me.memory[WANTED + category], 0.0))
    surplus = symbols - useful
    return (
        me.memory[SYMBOL_VALUE + category] * (useful + _SURPLUS * surplus)
        + me.memory[CARD_VALUE + category]
    )


@kernel
def rome_utility(me, card):
    """Return the utility for this seat of a card that Rome gets."""
    return me.memory[ROME_VALUE + category_of(card)] * symbols_of(card)


@called
def hand_limit(table, me):
    """Return the fleet and army limit within reach with the land and intrigue in the hand."""
    land = table.symbols[me.seat, LAND]
    intrigue = table.symbols[me.seat, INTRIGUE]
    counts_intrigue = me.memory[SYMBOL_VALUE + INTRIGUE] > 0.0
    for slot in range(me.hand_count):
        card = me.hand[slot]
        category = category_of(card)
        land += symbols_of(card) * (category == LAND)
        intrigue += symbols_of(card) * ((category == INTRIGUE) & counts_intrigue)
    return max(land, intrigue)


@kernel
def beyond_limit(table, me, card):
    """Return whether a card is a fleet or army that not even the hand's land would allow."""
    if within_limit(table, me.seat, card):  # mostly so: then the hand doesn't matter
        return False
    return table.symbols[me.seat, category_of(card)] + symbols_of(card) > hand_limit(table, me)


@kernel
def hand_factor(table, me):
    """Return the share of its utility that one more card in the hand keeps: time is short."""
    # Mostly there is time for all cards, which is seen without a division; the margin covers any
    # rounding below.
    hand = me.hand_count + 1.0
    a_round = me.memory[CARDS_A_ROUND]
    if CARDS_A_TURN * table.deck_left > (hand - CARDS_A_TURN + 0.01) * a_round:
        return 1.0
    return min(1.0, CARDS_A_TURN * (table.deck_left / a_round + 1.0) / hand)


@kernel
def hand_utility(table, me, card):
    """Return the utility of a card in the hand."""
    value = display_utility(me, card)
    if beyond_limit(table, me, card):
        value *= _BEYOND_LIMIT
    return value


@kernel
def group_utility(table, me, legion):
    """Return the utility of a legion's group in the hand; unwanted cards count nothing."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += max(hand_utility(table, me, table.legion_cards[legion, i]), 0.0)
    return total


@kernel
def group_rome_utility(table, me, legion):
    """Return the utility for this seat of a legion's group that Rome takes."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += rome_utility(me, table.legion_cards[legion, i])
    return total


@kernel
def average_utility(me):
    """Return the utility of an average card of the deck in the hand."""
    total = 0.0
    for category in range(N_CATEGORIES):
        symbols = me.memory[SYMBOL_VALUE + category] * me.memory[COPY_SYMBOLS + category]
        total += symbols if me.memory[WANTED + category] > 0.0 else 0.0
        total += me.memory[CARD_VALUE + category] * me.memory[COPY_CARDS + category]
    return total / me.memory[COPY_SIZE]


@kernel
def find_richest(table, me):
    """Find the group that Rome would take, and its utility, unless no card was shown since.

    Only cards that this seat places change that between its update and its purchase.
    """
    if me.memory[RICHEST_AT] != table.shown_count:
        me.memory[RICHEST_AT] = table.shown_count
        richest = richest_legion(table)
        me.memory[RICHEST] = richest
        me.memory[RICHEST_VALUE] = 0.0
        if richest != NOBODY:
            me.memory[RICHEST_VALUE] = group_rome_utility(table, me, richest)


#: Weight of a card placed below a legion if the seat means to buy the group, if Rome takes it, and
#: (negative) if a rival may buy it; and weight of putting a card under the deck.
_OWN_GROUP = 0.8
_ROME_GROUP = 0.6
_GIFT = 0.15
_WASTE = 0.5
#: Less than the utility of any option.
_NOTHING = -1e9


@kernel
def would_buy(table, me, legion, value, utility):
    """Return whether the seat could and would buy a legion's group with a card added to it.

    `value` is what the card adds to the group's value, less the seat's discount.
    """
    price = max(table.legion_value[legion] + value, 0)
    if price > me.money:
        return False
    cost = me.memory[MONEY_VALUE] * price
    return utility > cost or group_utility(table, me, legion) + utility > cost


@kernel
def bound_if_left(me, to_rome, richest_value):
    """Return an upper bound of `utility_if_left`; `richest_value` is that of Rome's group."""
    if me.memory[ROME_WELCOME] > 0.0:
        return math.inf
    # No group has a positive value in Rome's hands then.
    return max(_ROME_GROUP * (to_rome - richest_value), 0.0)


@kernel
def utility_if_left(table, me, legion, card, utility, richest, to_rome, richest_value):
    """Return the utility of a card below a legion whose group this seat won't buy."""
    if legion == richest:
        return _ROME_GROUP * to_rome
    if richest == NOBODY or (
        table.legion_value[legion] + value_of(card) > table.legion_value[richest]
    ):
        # Rome takes this group instead of the one that was richest.
        return _ROME_GROUP * (to_rome + group_rome_utility(table, me, legion) - richest_value)
    return -_GIFT * utility


@kernel
def choose_legion(table, me, card, utility, best_score):
    """Return the legion where a card has a utility above `best_score`, and that utility.

    The legion is NOBODY if there is none. Groups are examined only where they can matter.
    """
    best = NOBODY
    # If this seat buys the group at once, the card adds to it.
    own = _OWN_GROUP * (utility - me.memory[MONEY_VALUE] * value_of(card))
    added = value_of(card) - table.discount[me.seat]
    rome_counts = me.memory[ROME_MATTERS] > 0.0
    richest = NOBODY
    to_rome = 0.0
    richest_value = 0.0
    bound = 0.0
    if rome_counts:
        find_richest(table, me)
        richest = int(me.memory[RICHEST])
        to_rome = rome_utility(me, card)
        richest_value = me.memory[RICHEST_VALUE]
        bound = bound_if_left(me, to_rome, richest_value)
    elif bound > best_score:
        richest = richest_legion(table)
    if own <= best_score and bound <= best_score:  # saves the setup of the loop
        return best, best_score
    for legion in range(table.legions):
        if own <= best_score and bound <= best_score:
            break
        score = best_score
        if own > best_score and would_buy(table, me, legion, added, utility):
            score = own
        elif bound > best_score:
            score = utility_if_left(
                table, me, legion, card, utility, richest, to_rome, richest_value
            )
            if own <= best_score < score and would_buy(table, me, legion, added, utility):
                score = own
        if score > best_score:
            best_score = score
            best = legion
    return best, best_score


@kernel
def choose_place_of(table, me, choice, card, utility, alternative, average, best_score):
    """Return the number of the best place for a card, and the card's utility there.

    The number is NOBODY if no utility is above `best_score`. `utility` is that of the card in the
    hand, `alternative` that of what the hand gets otherwise, `average` that of an average card.
    """
    best = NOBODY
    number = 0
    if choice.options[number] == TO_HAND:
        score = utility - alternative
        if score > best_score:
            best_score = score
            best = number
        number += 1
    if number < choice.places and choice.options[number] == TO_BOTTOM:
        # A valuable card should not be the one that goes away.
        score = _WASTE * (average - utility)
        if score > best_score:
            best_score = score
            best = number
        number += 1
    if number < choice.places:  # all legions, in their order
        legion, best_score = choose_legion(table, me, card, utility, best_score)
        if legion != NOBODY:
            best = number + legion
    return best, best_score


@kernel
def choose_place(table, me, choice):
    """Choose the card and place with the largest advantage over an average card."""
    factor = hand_factor(table, me)
    average = factor * me.memory[AVERAGE]
    if choice.drawn_count == 1:
        card = choice.drawn[0]
        utility = max(factor * hand_utility(table, me, card), 0.0)
        place, _ = choose_place_of(table, me, choice, card, utility, average, average, _NOTHING)
        return max(place, 0)
    best = 0
    best_score = _NOTHING
    for index in range(choice.drawn_count):
        card = choice.drawn[index]
        utility = max(factor * hand_utility(table, me, card), 0.0)
        alternative = alternative_utility(table, me, choice, factor, average, index)
        place, best_score = choose_place_of(
            table, me, choice, card, utility, alternative, average, best_score
        )
        if place != NOBODY:
            best = index * choice.places + place
    return best


@kernel
def alternative_utility(table, me, choice, factor, average, excluded):
    """Return the utility of what the hand gets instead of the `excluded` drawn card."""
    best = average
    for index in range(choice.drawn_count):
        if index != excluded:
            best = max(best, factor * hand_utility(table, me, choice.drawn[index]))
    return best


#: Weight of the fleet or army that a land card unlocks.
_UNLOCKED = 0.8


@kernel
def choose_drawn(table, me, choice):
    """Choose the best card to keep or display."""
    best = 0
    most = display_utility(me, choice.drawn[0])
    for i in range(1, choice.count):
        value = display_utility(me, choice.drawn[i])
        if value > most:
            most = value
            best = i
    return best


@kernel
def choose_turn(table, me):
    """Peek if knowing Rome's hidden cards, and the pay, are worth more than a turn's cards.

    A turn without a card played is paid too, so only the difference counts.
    """
    if me.memory[PEEK_VALUE] <= 0.0:
        return TAKE_TURN
    pay = table.rules.peek_income - table.rules.basic_income
    peeking = me.memory[PEEK_VALUE] + me.memory[MONEY_VALUE] * pay
    turn = CARDS_A_TURN * hand_factor(table, me) * me.memory[AVERAGE]
    return PEEK if peeking > turn else TAKE_TURN


@kernel
def choose_purchase(table, me, choice):
    """Choose the group of the highest utility for its price; keeping it from Rome counts."""
    factor = hand_factor(table, me)
    richest = NOBODY
    if me.memory[ROME_MATTERS] > 0.0:
        find_richest(table, me)
        richest = int(me.memory[RICHEST])
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        legion = np.uint16(bought_legion(choice, option))  # unsigned: no sign check
        score = factor * group_utility(table, me, legion)
        score -= me.memory[MONEY_VALUE] * price_of_legion(table, me.seat, legion)
        if legion == richest:
            score -= me.memory[RICHEST_VALUE]
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def unlocked_utility(table, me, card):
    """Return the utility of the best fleet or army in hand that a land or intrigue unlocks."""
    now = limit_of(table, me.seat)
    limit = table.symbols[me.seat, category_of(card)] + symbols_of(card)
    best = 0.0
    if limit > now:
        for slot in range(me.hand_count):
            other = category_of(me.hand[slot])
            if is_military(other):
                after = table.symbols[me.seat, other] + symbols_of(me.hand[slot])
                if now < after <= limit:
                    best = max(best, display_utility(me, me.hand[slot]))
    return _UNLOCKED * best


@kernel
def longest_row(table, seat, categories):
    """Return the length of the longest row of a seat's display in `categories` (a bit set)."""
    rows = table.cards[seat]
    longest = 0
    for category in range(N_CATEGORIES):
        longest = max(longest, rows[category] * ((categories >> category) & 1))
    return longest


@kernel
def income_from(table, longest, categories):
    """Return the income of a turn with `categories` played and a longest row of this length."""
    income = longest + table.rules.senator_income * ((categories >> SENATOR) & 1)
    return income * (1 - ((categories >> INTRIGUE) & 1))


@kernel
def choose_play(table, me, choice):
    """Choose the card of the highest utility, its price and income included, or none."""
    played = table.categories_played
    longest = 0
    income_now = table.rules.basic_income
    if played:
        longest = longest_row(table, me.seat, played)
        income_now = income_from(table, longest, played)
    # Options are the cards within the limit: are there others that land might unlock?
    blocked = choice.count - 1 < me.hand_count
    rows = table.cards[me.seat]
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        card = played_card(me, choice, option)
        category = category_of(card)
        income = income_from(table, max(longest, rows[category] + 1), played | 1 << category)
        score = display_utility(me, card) + me.memory[MONEY_VALUE] * (
            income - income_now - choice.price
        )
        if blocked and (category == LAND or category == INTRIGUE):
            score += unlocked_utility(table, me, card)
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def choose_reaction(table, me, choice):
    """Choose the card of the highest utility beyond its price, or none."""
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        score = (
            display_utility(me, played_card(me, choice, option))
            - me.memory[MONEY_VALUE] * choice.price
        )
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def update_due(table, me, choice):
    """Return whether values are to be set anew: at the draft, and once a turn."""
    if choice.kind == KEEP or choice.kind == DISPLAY:
        return True
    return me.memory[UPDATED] != table.round + 1


@kernel
def choose_option(table, me, choice):
    """Choose the option of the highest utility."""
    kind = choice.kind
    if kind == PLACE:
        return choose_place(table, me, choice)
    if kind == TURN:
        return choose_turn(table, me)
    if kind == BUY:
        return choose_purchase(table, me, choice)
    if kind == KEEP or kind == DISPLAY:
        return choose_drawn(table, me, choice)
    if kind == PLAY:
        return choose_play(table, me, choice)
    return choose_reaction(table, me, choice)


#: Source of a heuristic around its idea. It is source text because numba, the policy registry and
#: interpreted play all read parameter names from a function's signature. The parameters are read
#: where the idea is called, once a turn: passed on as arguments they cost 3 % of the speed, as a
#: tuple (`to_fixed_tuple`) 18 %.
_HEURISTIC = """
def {name}(table, me, choice{parameters}):
    if update_due(table, me, choice):
        begin_values(table, me)
        idea(table, me{values})
        clear_forbidden(table, me)
        if choice.kind > KEEP:  # it isn't needed before the first turn
            me.memory[AVERAGE] = average_utility(me)
    return choose_option(table, me, choice)
"""


def heuristic(
    idea: Callable | None = None, *, solo: bool = True, signed: Sequence[str] = ()
) -> Any:
    """Make a policy from an idea: ``@heuristic``, or ``@heuristic(solo=False)``.

    Parameters
    ----------
    idea : callable
        A function ``(table, me, parameter=default, ...)`` that sets the values of a turn with the
        functions of `paxsim.policies.utility` and returns nothing. All values start at 0.
    solo : bool
        Whether the policy makes sense in solo.
    signed : sequence of str
        Parameters that make sense below 0 although their default is above it.

    Returns
    -------
    Policy
        Policy with the name, docstring, parameters and file of the idea. It asks the idea once a
        turn and chooses the option of the highest utility at every decision.
    """
    if idea is None:
        return functools.partial(heuristic, solo=solo, signed=signed)
    parameters = list(inspect.signature(idea).parameters)[len(("table", "me")) :]
    source = _HEURISTIC.format(
        name=idea.__name__,
        parameters="".join(f", {name}" for name in parameters),
        values="".join(f", me.params[{i}]" for i in range(len(parameters))),
    )
    namespace: dict[str, Any] = {
        "__name__": idea.__module__,
        "update_due": update_due,
        "begin_values": begin_values,
        "idea": kernel(idea),
        "clear_forbidden": clear_forbidden,
        "average_utility": average_utility,
        "AVERAGE": AVERAGE,
        "KEEP": KEEP,
        "choose_option": choose_option,
    }
    exec(compile(source, idea.__code__.co_filename, "exec"), namespace)
    function = namespace[idea.__name__]
    function.__code__ = function.__code__.replace(co_firstlineno=idea.__code__.co_firstlineno)
    function.__defaults__ = idea.__defaults__
    function.__doc__ = idea.__doc__
    function.__qualname__ = idea.__qualname__
    return policy(function, solo=solo, signed=signed)
