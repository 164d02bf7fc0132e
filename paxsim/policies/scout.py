"""Scout."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_limit, wish_money, wish_peek, wish_points, wish_rome


@heuristic
def scout(table, me, peek=6.0, stronger=4.0, thrift=0.3):
    """Look at Rome's hidden cards when they may decide, then get just over Rome where it counts.

    A turn is given up for it, once a game and late: then it is known which categories are safe,
    which are lost, and where a symbol is missing. It peeks more often where that is paid better.
    """
    wish_points(table, me, 1.5, stronger, 0.5)
    wish_limit(table, me, 0.3)
    wish_rome(table, me, -0.5)
    wish_money(me, thrift)
    wish_peek(table, me, peek)
