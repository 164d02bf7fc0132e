"""Rome starver."""

from __future__ import annotations

from paxsim.policies.planner import MONEY, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_limit, wish_points, wish_rome, wish_wrest


@policy
def starver(table, me, choice, hunger=1.0, wrest=6.0, thrift=0.2):
    """Buy what Rome would take, or steer it to poor groups, and wrest the categories it holds.

    Rome grows by one group a round, so a player who buys the richest group, or lets Rome have one
    that helps it nowhere, slows it most. Where a rival is already above Rome, no more is needed.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 1.0, 0.5, 0.3)
        wish_wrest(table, me, wrest)
        wish_limit(table, me, 0.4)
        wish_rome(table, me, -hunger)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
