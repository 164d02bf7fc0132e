"""Row economist."""

from __future__ import annotations

from paxsim.helpers import INTRIGUE, N_CATEGORIES, category_of, is_military, rounds_left
from paxsim.policies.planner import EXTRA, MONEY, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_limit, wish_points


@policy
def economist(table, me, choice, row=0.5, thrift=0.5):
    """One long row: each card added to it pays for the whole row, turn after turn.

    The row is the one with most cards in display and hand; intrigue pays nothing and fleets and
    armies need land, so these are not chosen. Late in the game income has nothing left to buy.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 1.2, 1.5, 0.5)
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
        me.memory[EXTRA + best] += row * (1.0 + min(rounds_left(table), 4.0))
        wish_limit(table, me, 0.3)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
