"""Category racer."""

from __future__ import annotations

from paxsim.policies.planner import MONEY, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_limit, wish_points, wish_rome


@policy
def racer(table, me, choice, stronger=4.0, thrift=0.3):
    """Get just over Rome in four categories, the ones where least is missing."""
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 1.5, stronger, 0.5)
        wish_limit(table, me, 0.3)
        wish_rome(table, me, -0.5)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
