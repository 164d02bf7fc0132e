"""Opportunist."""

from __future__ import annotations

from paxsim.policies.planner import heuristic
from paxsim.policies.reckoning import rome_outlook
from paxsim.policies.wishes import wish_limit, wish_money, wish_points, wish_primus, wish_rome


@heuristic
def opportunist(table, me, primus=3.0, margin=1.5, thrift=0.3):
    """Judge every turn whether Rome will win, and be on the winning side.

    If Rome looks strong it competes for primus conspiratus and helps Rome along while it holds it;
    if Rome looks weak, or a rival holds primus conspiratus, it plays for points and starves Rome.
    """
    outlook = rome_outlook(table, me, 0.0)
    if table.solo_level:
        outlook = 0.0
    wish_points(table, me, 2.0 * (1.0 - outlook) + 0.3, 3.0 * (1.0 - outlook), 1.0 - outlook)
    wish_limit(table, me, 0.4 * (1.0 - outlook))
    wish_primus(table, me, primus * outlook, margin)
    side = 1.0 if table.primus == me.seat else -1.0
    wish_rome(table, me, side * outlook if side > 0.0 else -0.6)
    wish_money(me, thrift)
