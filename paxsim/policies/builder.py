"""Broad builder."""

from __future__ import annotations

from paxsim.policies.planner import MONEY, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_limit, wish_points


@policy
def builder(table, me, choice, breadth=2.5, stronger=2.0, thrift=0.35):
    """Show a card of all seven categories first, then outgrow Rome where it takes least.

    Every category is worth two points to whoever shows it, whatever Rome does, and a broad display
    has something to gain from almost any card.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, breadth, stronger, 0.5)
        wish_limit(table, me, 0.3)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
