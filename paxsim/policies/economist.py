"""Row economist."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.helpers import INTRIGUE, N_CATEGORIES, category_of, is_military
from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import rounds_to_come, wish_card, wish_limit, wish_money, wish_points


@kernel
def row_to_build(table, me):
    """The category with most cards, those in the display counting twice and those in hand once."""
    best = 0
    longest = -1
    for category in range(N_CATEGORIES):
        if category != INTRIGUE and not is_military(category):
            length = 2 * table.cards[me.seat, category]
            for slot in range(me.hand_count):
                length += category_of(me.hand[slot]) == category
            if length > longest:
                longest = length
                best = category
    return best


@heuristic
def economist(table, me, row=0.5, thrift=0.5):
    """One long row: each card added to it pays for the whole row, turn after turn.

    The row is the one with most cards in display and hand; intrigue pays nothing and fleets and
    armies need land, so these are not chosen. Late in the game income has nothing left to buy.
    """
    wish_points(table, me, 1.2, 1.5, 0.5)
    wish_card(me, row_to_build(table, me), row * (1.0 + min(rounds_to_come(me), 4.0)))
    wish_limit(table, me, 0.3)
    wish_money(me, thrift)
