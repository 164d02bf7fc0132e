"""Miser."""

from __future__ import annotations

from paxsim.policies.planner import MONEY, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_limit, wish_points, wish_primus


@policy
def miser(table, me, choice, thrift=0.8, intrigue=0.8):
    """Spend little, play what is free, and take the points for the largest sum of money."""
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 2.0, 2.0, 0.8)
        wish_primus(table, me, intrigue, 0.0)
        wish_limit(table, me, 0.4)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
