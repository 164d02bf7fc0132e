"""Merchant."""

from __future__ import annotations

from paxsim.helpers import WEALTH
from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import rounds_to_come, wish_limit, wish_money, wish_points, wish_step


@heuristic
def merchant(table, me, wealth=0.5, thrift=0.45):
    """Wealth early, so that every group is cheaper; then buy whatever is a bargain.

    A discount pays only for the purchases still to come, so wealth is worth less every round.
    """
    wish_points(table, me, 1.8, 2.0, 0.6)
    wish_step(table, me, WEALTH, table.rules.discount_step, wealth * rounds_to_come(me))
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)
