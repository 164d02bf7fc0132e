"""The planner: carries out wishes sensibly at every decision of a turn."""

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
    CARDS_A_ROUND,
    COPY,
    COPY_CARDS,
    COPY_SYMBOLS,
    EXTRA,
    LEGIONS_AT,
    MADE,
    MONEY,
    PEEKING,
    RICHEST,
    ROME,
    ROME_COUNTS,
    ROME_GAINS,
    ROME_HAS,
    USUAL,
    WANTED,
    WORTH,
    begin_wishes,
    give_up_forbidden,
)

#: What symbols beyond those wanted are worth, as a part of a wish.
_SURPLUS = 0.2
#: What a fleet or army that may not be played yet is worth, as a part of its worth.
_BEYOND_LIMIT = 0.4
#: Cards that a seat can play in a turn without ruining itself.
CARDS_A_TURN = 1.6


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


@called
def hand_limit(table, me):
    """The fleet and army limit that the seat can reach with the land and intrigue in its hand."""
    land = table.symbols[me.seat, LAND]
    intrigue = table.symbols[me.seat, INTRIGUE]
    counts_intrigue = me.memory[WORTH + INTRIGUE] > 0.0
    for slot in range(me.hand_count):
        card = me.hand[slot]
        category = category_of(card)
        land += symbols_of(card) * (category == LAND)
        intrigue += symbols_of(card) * ((category == INTRIGUE) & counts_intrigue)
    return max(land, intrigue)


@kernel
def beyond_limit(table, me, card):
    """Whether the card is a fleet or army that even what is in the hand will not allow."""
    if within_limit(table, me.seat, card):  # mostly so, and then the hand need not be looked at
        return False
    return table.symbols[me.seat, category_of(card)] + symbols_of(card) > hand_limit(table, me)


@kernel
def patience(table, me):
    """The part of its worth that one more card in the hand keeps: it must be played in time."""
    # Mostly there is time for all of them, which shows without a division. The margin makes sure
    # of it: no rounding below is as large.
    hand = me.hand_count + 1.0
    a_round = me.memory[CARDS_A_ROUND]
    if CARDS_A_TURN * table.deck_left > (hand - CARDS_A_TURN + 0.01) * a_round:
        return 1.0
    return min(1.0, CARDS_A_TURN * (table.deck_left / a_round + 1.0) / hand)


@kernel
def hope_of(table, me, card):
    """What a card is worth in the hand."""
    worth = worth_of(me, card)
    if beyond_limit(table, me, card):
        worth *= _BEYOND_LIMIT
    return worth


@kernel
def group_hope(table, me, legion):
    """What the cards below a legion are worth in the hand, those not wanted counting nothing."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += max(hope_of(table, me, table.legion_cards[legion, i]), 0.0)
    return total


@kernel
def group_for_rome(table, me, legion):
    """What it is worth to this seat if Rome takes the group below a legion."""
    total = 0.0
    for i in range(table.legion_size[legion]):
        total += worth_to_rome(me, table.legion_cards[legion, i])
    return total


@kernel
def usual_hope(me):
    """What an average card of the deck is worth in the hand."""
    total = 0.0
    for category in range(N_CATEGORIES):
        symbols = me.memory[WORTH + category] * me.memory[COPY_SYMBOLS + category]
        total += symbols if me.memory[WANTED + category] > 0.0 else 0.0
        total += me.memory[EXTRA + category] * me.memory[COPY_CARDS + category]
    return total / me.memory[COPY]


@kernel
def note_richest(table, me):
    """Note the group that Rome would take, and its worth, unless no card was shown since then.

    Only cards that this seat puts below legions change that between its wishes and its purchase.
    """
    if me.memory[LEGIONS_AT] != table.shown_count:
        me.memory[LEGIONS_AT] = table.shown_count
        richest = richest_legion(table)
        me.memory[RICHEST] = richest
        me.memory[ROME_HAS] = 0.0
        if richest != NOBODY:
            me.memory[ROME_HAS] = group_for_rome(table, me, richest)


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


#: What the fleet or army that a land allows counts when that land is played.
_OPENED = 0.8


@kernel
def choose_drawn(table, me, choice):
    """KEEP, DISPLAY: the best card."""
    best = 0
    most = worth_of(me, choice.drawn[0])
    for i in range(1, choice.count):
        worth = worth_of(me, choice.drawn[i])
        if worth > most:
            most = worth
            best = i
    return best


@kernel
def choose_turn(table, me):
    """TURN: peek if knowing Rome's hidden cards, and the pay, are worth more than a turn's cards.

    A turn without a card played is paid too, so only the difference counts.
    """
    if me.memory[PEEKING] <= 0.0:
        return TAKE_TURN
    pay = table.rules.peek_income - table.rules.basic_income
    peeking = me.memory[PEEKING] + me.memory[MONEY] * pay
    turn = CARDS_A_TURN * patience(table, me) * me.memory[USUAL]
    return PEEK if peeking > turn else TAKE_TURN


@kernel
def choose_purchase(table, me, choice):
    """BUY: the group that brings most for its price; keeping it from Rome counts too."""
    keep = patience(table, me)
    richest = NOBODY
    if me.memory[ROME_COUNTS] > 0.0:
        note_richest(table, me)
        richest = int(me.memory[RICHEST])
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        legion = np.uint16(bought_legion(choice, option))  # needs no look at its sign
        score = keep * group_hope(table, me, legion)
        score -= me.memory[MONEY] * price_of_legion(table, me.seat, legion)
        if legion == richest:
            score -= me.memory[ROME_HAS]
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def opened_worth(table, me, card):
    """Worth of the best fleet or army in hand that this land or intrigue would allow."""
    now = limit_of(table, me.seat)
    limit = table.symbols[me.seat, category_of(card)] + symbols_of(card)
    best = 0.0
    if limit > now:
        for slot in range(me.hand_count):
            other = category_of(me.hand[slot])
            if is_military(other):
                after = table.symbols[me.seat, other] + symbols_of(me.hand[slot])
                if now < after <= limit:
                    best = max(best, worth_of(me, me.hand[slot]))
    return _OPENED * best


@kernel
def longest_row(table, seat, categories):
    """Cards in the longest row of a seat's display, of those `categories` (a bit set)."""
    rows = table.cards[seat]
    longest = 0
    for category in range(N_CATEGORIES):
        longest = max(longest, rows[category] * ((categories >> category) & 1))
    return longest


@kernel
def income_from(table, longest, categories):
    """Income of a turn with cards of `categories` played, whose longest row has `longest` cards."""
    income = longest + table.rules.senator_income * ((categories >> SENATOR) & 1)
    return income * (1 - ((categories >> INTRIGUE) & 1))


@kernel
def choose_play(table, me, choice):
    """PLAY: the card that brings most, its price and the change of income included, or none."""
    played = table.categories_played
    longest = 0
    income_now = table.rules.basic_income
    if played:
        longest = longest_row(table, me.seat, played)
        income_now = income_from(table, longest, played)
    # Options are the cards that the limit allows: are there others that land might allow?
    blocked = choice.count - 1 < me.hand_count
    rows = table.cards[me.seat]
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        card = played_card(me, choice, option)
        category = category_of(card)
        income = income_from(table, max(longest, rows[category] + 1), played | 1 << category)
        score = worth_of(me, card) + me.memory[MONEY] * (income - income_now - choice.price)
        if blocked and (category == LAND or category == INTRIGUE):
            score += opened_worth(table, me, card)
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def choose_reaction(table, me, choice):
    """REACT: the card that is worth most beyond its price, or none."""
    best = choice.count - 1
    best_score = 0.0
    for option in range(choice.count - 1):
        score = worth_of(me, played_card(me, choice, option)) - me.memory[MONEY] * choice.price
        if score > best_score:
            best_score = score
            best = option
    return best


@kernel
def wishes_due(table, me, choice):
    """Whether it is time to make new wishes: at the draft, and once in every turn."""
    if choice.kind == KEEP or choice.kind == DISPLAY:
        return True
    return me.memory[MADE] != table.round + 1


@kernel
def carry_out_wishes(table, me, choice):
    """The option that serves the wishes in the seat's memory best."""
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


#: The policy around an idea; a heuristic fills in its name and its parameters. Their values are
#: read where wishes are made, once a turn; as arguments they would be read at every decision.
_AROUND_IDEA = """
def {name}(table, me, choice{parameters}):
    if wishes_due(table, me, choice):
        begin_wishes(table, me, {with_now})
        make_wishes(table, me{values})
        give_up_forbidden(table, me)
        if choice.kind > KEEP:  # nobody asks for it before the first turn
            me.memory[USUAL] = usual_hope(me)
    return carry_out_wishes(table, me, choice)
"""


def _reads(function: Callable, name: str) -> bool:
    """Whether a function, or one that it calls, reads a global of this name."""
    waiting: list[Any] = [function]
    met = set()
    while waiting:
        part = waiting.pop()
        part = getattr(part, "py_func", part)
        if not inspect.isfunction(part) or part in met:
            continue
        met.add(part)
        used = inspect.getclosurevars(part)
        if name in used.globals or name in used.unbound:
            return True
        for value in (*used.globals.values(), *used.nonlocals.values()):
            if inspect.ismodule(value):
                waiting += [getattr(value, attribute, None) for attribute in used.unbound]
            waiting.append(value)
    return False


def heuristic(
    idea: Callable | None = None, *, solo: bool = True, signed: Sequence[str] = ()
) -> Any:
    """Make a policy out of an idea: ``@heuristic``, or ``@heuristic(solo=False)``.

    Parameters
    ----------
    idea : callable
        A function ``(table, me, parameter=default, ...)`` that makes the wishes of a turn with
        what `paxsim.policies.wishes` offers, and returns nothing. It starts from no wishes.
    solo : bool
        Whether it makes sense in solo.
    signed : sequence of str
        Parameters that make sense below 0 as well although their default is above it.

    Returns
    -------
    Policy
        Asks the idea for wishes when they are due and carries them out at every decision. Name,
        docstring, parameters and file are those of the idea.
    """
    if idea is None:
        return functools.partial(heuristic, solo=solo, signed=signed)
    parameters = list(inspect.signature(idea).parameters)[len(("table", "me")) :]
    source = _AROUND_IDEA.format(
        name=idea.__name__,
        parameters="".join(f", {name}" for name in parameters),
        values="".join(f", me.params[{i}]" for i in range(len(parameters))),
        with_now=_reads(idea, "ROME_NOW"),
    )
    namespace: dict[str, Any] = {
        "__name__": idea.__module__,
        "wishes_due": wishes_due,
        "begin_wishes": begin_wishes,
        "make_wishes": kernel(idea),
        "give_up_forbidden": give_up_forbidden,
        "usual_hope": usual_hope,
        "USUAL": USUAL,
        "KEEP": KEEP,
        "carry_out_wishes": carry_out_wishes,
    }
    exec(compile(source, idea.__code__.co_filename, "exec"), namespace)
    around = namespace[idea.__name__]
    around.__code__ = around.__code__.replace(co_firstlineno=idea.__code__.co_firstlineno)
    around.__defaults__ = idea.__defaults__
    around.__doc__ = idea.__doc__
    around.__qualname__ = idea.__qualname__
    return policy(around, solo=solo, signed=signed)
