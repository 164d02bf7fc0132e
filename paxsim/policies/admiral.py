"""Admiral and legate."""

from __future__ import annotations

from paxsim.helpers import ARMY, FLEET
from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import want, wish_limit, wish_money, wish_points


@heuristic
def admiral(table, me, arms=1.4, land=1.0, thrift=0.3):
    """Land first, then fleets and armies: a point each, more with the bonus, and two categories.

    Land has to keep pace with the longer of the two rows; the bonus makes each row strengthen the
    other, so Rome is left behind in both.
    """
    wish_points(table, me, 1.2, 1.5, arms)
    want(me, FLEET, 9.0)
    want(me, ARMY, 9.0)
    wish_limit(table, me, land)
    wish_money(me, thrift)
