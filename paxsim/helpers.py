"""Compiled functions for policies: prices, income, limits, and how strong Rome is.

They take the records that a policy receives: `table` (public), `me` (its own seat) and `choice`.
Seats, legions and categories are numbers from 0; a card is a number that `category_of`,
`symbols_of` and `value_of` read. Amounts of money are Aurei.
"""

from __future__ import annotations

from paxsim.cards import ARMY, FLEET, INTRIGUE, LAND, RELIGION, SENATOR, WEALTH
from paxsim.engine.jit import kernel
from paxsim.engine.knowledge import seen_of_kind
from paxsim.engine.piles import limit_of, needed_to_hold
from paxsim.engine.records import (
    BUY,
    DISPLAY,
    DRAWN_FROM,
    KEEP,
    N_CATEGORIES,
    NOBODY,
    PEEK,
    PLACE,
    PLAY,
    PLAYED_CARD,
    REACT,
    TAKE_TURN,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    bought_legion,
    category_of,
    passes,
    placed_card,
    placed_to,
    played_card,
    symbols_of,
    value_of,
)
from paxsim.engine.rng import below
from paxsim.engine.turn import income_of, price_of_legion, within_limit

__all__ = [
    "ARMY", "BUY", "DISPLAY", "DRAWN_FROM", "FLEET", "INTRIGUE", "KEEP", "LAND", "NOBODY",
    "N_CATEGORIES", "PEEK", "PLACE", "PLAY", "PLAYED_CARD", "REACT", "RELIGION", "SENATOR",
    "TAKE_TURN", "TO_BOTTOM", "TO_HAND", "TURN", "WEALTH", "best_rival", "bought_legion",
    "cards_a_round", "cards_in_rounds", "cards_to_rome", "cards_unseen", "category_of",
    "coming_part", "copy_size", "hidden_part", "income_if_played", "income_of", "is_military",
    "lead_over_rome", "limit_of", "passes", "placed_card", "placed_to", "playable_after",
    "played_card", "price_of_legion", "random_below", "richest_legion", "rome_bonus",
    "rome_forecast", "rome_holds", "rome_known", "rome_now", "rome_strength", "rounds_left",
    "strength", "symbols_of", "symbols_unseen", "value_of", "within_limit",
]  # fmt: skip

#: Cards that leave the deck in a round: per player (3 drawn, one goes back, refills), and for the
#: group that Rome takes.
_CARDS_A_TURN = 2.4
_CARDS_A_ROUND = 1.0
#: Cards in the group that Rome takes, on average.
_CARDS_A_GROUP = 1.6


@kernel
def random_below(me, bound):
    """Return a random integer from 0 to ``bound - 1``, from the seat's own stream."""
    if bound < 1:
        raise ValueError("random_below needs a bound of at least 1")
    return below(me.stream, bound)


@kernel
def is_military(category):
    """Return whether a category is fleet or army, which land and intrigue limit."""
    return category == FLEET or category == ARMY


@kernel
def playable_after(table, seat, card, extra):
    """Return whether a seat may play a card once it has `extra` more symbols of land."""
    category = category_of(card)
    if not is_military(category):
        return True
    limit = max(table.symbols[seat, LAND] + extra, table.symbols[seat, INTRIGUE])
    return table.symbols[seat, category] + symbols_of(card) <= limit


@kernel
def income_if_played(table, seat, categories, category):
    """Return the income of a turn after cards of `categories` (a bit set) and one of `category`."""
    categories |= 1 << category
    if (categories >> INTRIGUE) & 1:
        return 0
    longest = 0
    for other in range(N_CATEGORIES):
        if (categories >> other) & 1:
            longest = max(longest, table.cards[seat, other] + (other == category))
    if (categories >> SENATOR) & 1:
        longest += table.rules.senator_income
    return longest


@kernel
def rounds_left(table):
    """Return the number of rounds after this one, estimated from the deck."""
    return table.deck_left / cards_a_round(table)


@kernel
def cards_a_round(table):
    """Return the number of cards that leave the deck in a round, on average."""
    return _CARDS_A_TURN * table.players + _CARDS_A_ROUND


@kernel
def richest_legion(table):
    """Return the legion whose group Rome would take now, or NOBODY if all are empty."""
    richest = NOBODY
    most = 0
    for legion in range(table.legions):
        # One more than its value, so that a group of worthless cards beats no group.
        worth = table.legion_value[legion] + (table.legion_size[legion] > 0)
        richest = legion if worth > most else richest
        most = max(most, worth)
    return richest


@kernel
def strength(table, seat, category):
    """Return a seat's symbols in a category, including the fleet and army bonus."""
    return table.strength[seat, category]


@kernel
def best_rival(table, me, category):
    """Return the most symbols that another seat has in a category, including the bonus."""
    strongest = table.strongest[category]
    if table.strength[me.seat, category] < strongest:
        return strongest
    best = 0
    for seat in range(table.players):
        best = max(best, table.strength[seat, category] if seat != me.seat else 0)
    return best


@kernel
def rome_known(table, me, category):
    """Return Rome's symbols in a category that this seat knows: face up, and peeked at."""
    return table.rome_symbols[category] + me.rome_hidden[category]


@kernel
def rome_bonus(table, me, category):
    """Return Rome's bonus in fleets or armies, from the cards that this seat knows."""
    if not is_military(category):
        return 0
    return rome_known(table, me, FLEET + ARMY - category) // table.rules.bonus_step


@kernel
def rome_strength(table, me, category, unknown):
    """Return Rome's symbols in a category, including the bonus, plus a part of a copy of the deck.

    `unknown` is that part, from `hidden_part` or `coming_part`.
    """
    symbols = rome_known(table, me, category) + unknown * table.copy_symbols[category]
    return symbols + rome_bonus(table, me, category)


@kernel
def hidden_part(table, me):
    """Return Rome's hidden cards as a part of a copy of the deck; 0 for a seat that has peeked."""
    if me.peeked:
        return 0.0
    return table.rules.rome_hidden / copy_size(table)


@kernel
def coming_part(table, me):
    """Return Rome's hidden cards and those it will still take, as a part of a copy of the deck."""
    return hidden_part(table, me) + cards_to_rome(table) / copy_size(table)


@kernel
def cards_to_rome(table):
    """Return the number of cards that Rome will still take, on average."""
    return cards_in_rounds(rounds_left(table))


@kernel
def cards_in_rounds(rounds):
    """Return the number of cards that Rome takes in this round and `rounds` more, on average."""
    return _CARDS_A_GROUP * (rounds + 1.0)


@kernel
def copy_size(table):
    """Return the number of cards in one copy of the deck."""
    cards = 0
    for category in range(N_CATEGORIES):
        cards += table.copy_cards[category]
    return cards


@kernel
def rome_now(table, me, category):
    """Return Rome's expected symbols in a category now, including the bonus."""
    return rome_strength(table, me, category, hidden_part(table, me))


@kernel
def rome_forecast(table, me, category):
    """Return Rome's expected symbols in a category at the end, including the bonus."""
    return rome_strength(table, me, category, coming_part(table, me))


@kernel
def lead_over_rome(table, me, seat, category):
    """Return a seat's lead over Rome in a category now; at 0 or less Rome holds it."""
    return strength(table, seat, category) - rome_now(table, me, category)


@kernel
def rome_holds(table, me):
    """Return the number of categories that Rome holds now, as far as this seat knows."""
    hidden = hidden_part(table, me)
    count = 0
    for category in range(N_CATEGORIES):
        count += rome_strength(table, me, category, hidden) >= needed_to_hold(table, category)
    return count


@kernel
def cards_unseen(table, me, category):
    """Return the number of cards of a category in play that this seat has never seen.

    It is exact up to 4 players. Cards that were bought, played, peeked at, or buried by this seat
    count as seen; cards just drawn (`choice.drawn`) do not. If only a part of a second copy is in
    play, it is an expectation: the unseen cards of two copies, times the part in play.
    """
    return _unseen(table, me, category, False)


@kernel
def symbols_unseen(table, me, category):
    """Return the number of symbols on such cards; see `cards_unseen`."""
    return _unseen(table, me, category, True)


@kernel
def _unseen(table, me, category, by_symbols):
    """Return the number of unseen cards of a category, or of their symbols."""
    copies = 2 if table.rules.cards_added else 1
    cards = 0
    seen_cards = 0
    unseen = 0.0
    for i in range(table.copy_count):
        card = table.copy[i]
        cards += copies
        mine = category_of(card) == category
        each = symbols_of(card) if by_symbols else 1
        unseen += copies * each * mine
        first_of_kind = i == 0 or table.copy[i - 1] != card
        if first_of_kind and (mine or copies == 2):
            of_kind = seen_of_kind(table, me, card)
            seen_cards += of_kind
            unseen -= of_kind * each * mine
    if copies == 1:
        return unseen
    in_play = table.copy_count + table.rules.cards_added - seen_cards
    return unseen * in_play / max(cards - seen_cards, 1)
