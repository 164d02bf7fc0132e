"""Denier."""

from __future__ import annotations

from paxsim.helpers import N_CATEGORIES, NOBODY, is_military
from paxsim.policies.planner import (
    EXTRA,
    MONEY,
    carry_out_wishes,
    clear_wishes,
    wishes_due,
)
from paxsim.policies.registry import policy
from paxsim.policies.wishes import (
    leader_of,
    rome_outlook,
    wish_limit,
    wish_points,
    wish_primus,
    wish_rome,
)


@policy(solo=False)
def denier(table, me, choice, spite=0.8, stronger=2.0, thrift=0.3):
    """Take what the leader needs: the row it is building, and primus conspiratus if Rome is strong.

    Alone against Rome there is nobody to deny anything, so it makes no sense in solo.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, 1.5, stronger, 0.6)
        leader = leader_of(table, me)
        for category in range(N_CATEGORIES):
            needed = leader != NOBODY and table.cards[leader, category] == 0
            if needed or is_military(category):
                me.memory[EXTRA + category] += spite
        outlook = rome_outlook(table, me, 0.0)
        wish_primus(table, me, 3.0 * outlook, 1.0)
        wish_rome(table, me, -0.6 if leader != NOBODY and table.primus == leader else 0.3)
        wish_limit(table, me, 0.4)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
