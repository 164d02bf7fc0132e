"""Miser."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_limit, wish_money, wish_points, wish_primus


@heuristic
def miser(table, me, thrift=0.8, intrigue=0.8):
    """Spend little, play what is free, and take the points for the largest sum of money."""
    wish_points(table, me, 2.0, 2.0, 0.8)
    wish_primus(table, me, intrigue, 0.0)
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)
