"""Augur."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import (
    rounds_to_come,
    wish_foresight,
    wish_limit,
    wish_money,
    wish_points,
    wish_wrest,
)


@heuristic
def augur(table, me, piety=0.5, thrift=0.3):
    """Religion early: who sees two or three cards at once places them better ever after."""
    wish_points(table, me, 1.5, 2.0, 0.5)
    wish_wrest(table, me, 1.0)
    wish_foresight(table, me, piety * rounds_to_come(me))
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)
