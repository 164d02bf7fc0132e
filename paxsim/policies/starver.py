"""Rome starver."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_limit, wish_money, wish_points, wish_rome, wish_wrest


@heuristic
def starver(table, me, hunger=1.0, wrest=6.0, thrift=0.2):
    """Buy what Rome would take, or steer it to poor groups, and wrest the categories it holds.

    Rome grows by one group a round, so a player who buys the richest group, or lets Rome have one
    that helps it nowhere, slows it most. Where a rival is already above Rome, no more is needed.
    """
    wish_points(table, me, 1.0, 0.5, 0.3)
    wish_wrest(table, me, wrest)
    wish_limit(table, me, 0.4)
    wish_rome(table, me, -hunger)
    wish_money(me, thrift)
