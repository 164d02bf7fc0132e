"""What every heuristic needs to know, as compiled functions for use inside policies.

All take the records that a policy is handed: `table` (public), `me` (the own seat) and `choice`.
Seats, legions and categories are numbers from 0; a card is a number that `category_of`,
`symbols_of` and `value_of` read. Amounts of money are Aurei.
"""

from __future__ import annotations

from paxsim.cards import ARMY, FLEET, INTRIGUE, LAND, RELIGION, SENATOR, WEALTH
from paxsim.engine.jit import kernel
from paxsim.engine.knowledge import seen_of_kind
from paxsim.engine.piles import limit_of
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

#: Cards that leave the deck in a round for each player (drawn 3, one goes back under it, and now
#: and then a purchase is refilled), and besides them (Rome's group is refilled).
_CARDS_A_TURN = 2.4
_CARDS_A_ROUND = 1.0
#: Cards in the group that Rome takes, on average.
_CARDS_A_GROUP = 1.6


@kernel
def random_below(me, bound):
    """A random whole number from 0 to ``bound - 1``, from the seat's own stream."""
    return below(me.stream, bound)


@kernel
def is_military(category):
    """Whether the category is fleet or army, which land and intrigue must allow."""
    return category == FLEET or category == ARMY


@kernel
def playable_after(table, seat, card, extra):
    """Whether a seat may play the card once it has `extra` more symbols of land (or intrigue).

    ``extra=0`` asks whether it may be played now; land is taken as the row that grows.
    """
    category = category_of(card)
    if not is_military(category):
        return True
    limit = max(table.symbols[seat, LAND] + extra, table.symbols[seat, INTRIGUE])
    return table.symbols[seat, category] + symbols_of(card) <= limit


@kernel
def income_if_played(table, seat, categories, category):
    """Income of a turn with cards of `categories` (a bit set) played, after one more card.

    `category` is that of the card about to be played.
    """
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
    """Rounds still to come after this one, estimated from the deck."""
    return table.deck_left / cards_a_round(table)


@kernel
def cards_a_round(table):
    """Cards that leave the deck in a round, on average."""
    return _CARDS_A_TURN * table.players + _CARDS_A_ROUND


@kernel
def richest_legion(table):
    """The legion whose group Rome would take now, or NOBODY if all are empty."""
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
    """A seat's symbols in a category, the bonus of fleets and armies included."""
    return table.strength[seat, category]


@kernel
def best_rival(table, me, category):
    """The most symbols that any other seat has in a category, bonus included."""
    strongest = table.strongest[category]
    if table.strength[me.seat, category] < strongest:
        return strongest
    best = 0
    for seat in range(table.players):
        best = max(best, table.strength[seat, category] if seat != me.seat else 0)
    return best


@kernel
def rome_known(table, me, category):
    """Rome's symbols in a category as far as this seat knows: face up, and peeked at."""
    return table.rome_symbols[category] + me.rome_hidden[category]


@kernel
def rome_bonus(table, me, category):
    """Rome's bonus in a category as far as this seat knows: fleets for armies, and the reverse."""
    if not is_military(category):
        return 0
    return rome_known(table, me, FLEET + ARMY - category) // table.rules.bonus_step


@kernel
def rome_strength(table, me, category, unknown):
    """Rome's symbols in a category, bonus included, with a part `unknown` of the deck on top.

    Heuristics that look at all categories get `unknown` once from `hidden_part` or `coming_part`.
    """
    symbols = rome_known(table, me, category) + unknown * table.copy_symbols[category]
    return symbols + rome_bonus(table, me, category)


@kernel
def hidden_part(table, me):
    """Rome's hidden cards as a part of one copy of the deck; 0 for a seat that has peeked."""
    if me.peeked:
        return 0.0
    return table.rules.rome_hidden / copy_size(table)


@kernel
def coming_part(table, me):
    """Rome's hidden cards and those it will still take, as a part of one copy of the deck."""
    return hidden_part(table, me) + cards_to_rome(table) / copy_size(table)


@kernel
def cards_to_rome(table):
    """Cards that Rome will still take, on average."""
    return cards_in_rounds(rounds_left(table))


@kernel
def cards_in_rounds(rounds):
    """Cards that Rome takes in this round and in so many to come, on average."""
    return _CARDS_A_GROUP * (rounds + 1.0)


@kernel
def copy_size(table):
    """Cards in one copy of the deck."""
    cards = 0
    for category in range(N_CATEGORIES):
        cards += table.copy_cards[category]
    return cards


@kernel
def rome_now(table, me, category):
    """Rome's expected symbols in a category, bonus included; hidden cards count on average."""
    return rome_strength(table, me, category, hidden_part(table, me))


@kernel
def rome_forecast(table, me, category):
    """Rome's expected symbols in a category at the end of the game, bonus included."""
    return rome_strength(table, me, category, coming_part(table, me))


@kernel
def lead_over_rome(table, me, seat, category):
    """How far a seat is ahead of Rome in a category as things stand; 0 or less holds nothing."""
    return strength(table, seat, category) - rome_now(table, me, category)


@kernel
def rome_holds(table, me):
    """How many categories Rome would hold if the game ended now, as far as this seat knows."""
    hidden = hidden_part(table, me)
    count = 0
    for category in range(N_CATEGORIES):
        count += rome_strength(table, me, category, hidden) >= table.strongest[category]
    return count


@kernel
def cards_unseen(table, me, category):
    """Cards of a category in play that this seat has never seen, wherever they are.

    Exact up to 4 players: cards that were bought, played, buried by this seat or peeked at count as
    seen for good. Cards just drawn (`choice.drawn`) count as unseen. With a second copy in part
    nobody knows which of its cards are in play: then it is the unseen cards of two copies, times
    the part of these that is in play.
    """
    return _unseen(table, me, category, False)


@kernel
def symbols_unseen(table, me, category):
    """Symbols of a category on cards that this seat has never seen; see `cards_unseen`."""
    return _unseen(table, me, category, True)


@kernel
def _unseen(table, me, category, by_symbols):
    """Cards of a category, or their symbols, less those seen."""
    copies = 2 if table.rules.cards_added else 1
    cards = 0
    seen = 0
    unseen = 0.0
    for i in range(table.copy_count):
        card = table.copy[i]
        cards += copies
        mine = category_of(card) == category
        each = symbols_of(card) if by_symbols else 1
        unseen += copies * each * mine
        first_of_kind = i == 0 or table.copy[i - 1] != card
        if first_of_kind and (mine or copies == 2):
            found = seen_of_kind(table, me, card)
            seen += found
            unseen -= found * each * mine
    if copies == 1:
        return unseen
    return unseen * (table.copy_count + table.rules.cards_added - seen) / max(cards - seen, 1)
