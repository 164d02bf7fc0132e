"""Broad builder."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_limit, wish_money, wish_points


@heuristic
def builder(table, me, breadth=2.5, stronger=2.0, thrift=0.35):
    """Show a card of all seven categories first, then outgrow Rome where it takes least.

    Every category is worth two points to whoever shows it, whatever Rome does, and a broad display
    has something to gain from almost any card.
    """
    wish_points(table, me, breadth, stronger, 0.5)
    wish_limit(table, me, 0.3)
    wish_money(me, thrift)
