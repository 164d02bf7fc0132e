"""Rome feeder."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_money, wish_points, wish_primus, wish_rome


@heuristic(solo=False)
def feeder(table, me, feed=1.5, intrigue=1.6, margin=1.0, thrift=0.3):
    """Make Rome win: pile up below the legion it takes what it lacks, and lead in intrigue.

    In solo Rome's win is the player's loss, so it makes no sense there.
    """
    wish_points(table, me, 0.3, 0.0, 0.0)
    wish_primus(table, me, intrigue, margin)
    wish_rome(table, me, feed)
    wish_money(me, thrift)
