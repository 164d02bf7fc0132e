"""Category racer."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_limit, wish_money, wish_points, wish_rome


@heuristic
def racer(table, me, stronger=4.0, thrift=0.3):
    """Get just over Rome in four categories, the ones where least is missing."""
    wish_points(table, me, 1.5, stronger, 0.5)
    wish_limit(table, me, 0.3)
    wish_rome(table, me, -0.5)
    wish_money(me, thrift)
