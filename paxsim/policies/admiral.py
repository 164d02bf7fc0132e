"""Admiral and legate."""

from __future__ import annotations

from paxsim.helpers import ARMY, FLEET
from paxsim.policies.planner import MONEY, ROOM, carry_out_wishes, clear_wishes, wishes_due
from paxsim.policies.registry import policy
from paxsim.policies.wishes import wish_limit, wish_points


@policy
def admiral(table, me, choice, arms=1.4, land=1.0, thrift=0.3):
    """Land first, then fleets and armies: a point each, more with the bonus, and two categories.

    Land has to keep pace with the longer of the two rows; the bonus makes each row strengthen the
    other, so Rome is left behind in both.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 1.2, 1.5, arms)
        me.memory[ROOM + FLEET] = 9.0
        me.memory[ROOM + ARMY] = 9.0
        wish_limit(table, me, land)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
