"""Conspirator."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_money, wish_points, wish_primus, wish_rome


@heuristic(solo=False)
def conspirator(table, me, intrigue=2.0, margin=2.0, thrift=0.25):
    """Hold primus conspiratus and let Rome win.

    Intrigue above everything, with a margin so that nobody takes primus conspiratus away late; what
    helps Rome where it is close is welcome. In solo Rome's win is the player's loss, so it makes no
    sense there.
    """
    wish_points(table, me, 0.3, 0.0, 0.0)
    wish_primus(table, me, intrigue, margin)
    wish_rome(table, me, 0.5)
    wish_money(me, thrift)
