"""Augur."""

from __future__ import annotations

from paxsim.helpers import rounds_left
from paxsim.policies.planner import MONEY, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_foresight, wish_limit, wish_points, wish_wrest


@policy
def augur(table, me, choice, piety=0.5, thrift=0.3):
    """Religion early: who sees two or three cards at once places them better ever after."""
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 1.5, 2.0, 0.5)
        wish_wrest(table, me, 1.0)
        wish_foresight(table, me, piety * rounds_left(table))
        wish_limit(table, me, 0.4)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
