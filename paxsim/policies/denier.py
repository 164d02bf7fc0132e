"""Denier."""

from __future__ import annotations

from paxsim.helpers import N_CATEGORIES, NOBODY, is_military
from paxsim.policies.planner import heuristic
from paxsim.policies.reckoning import leader_of, rome_outlook
from paxsim.policies.wishes import (
    wish_card,
    wish_limit,
    wish_money,
    wish_points,
    wish_primus,
    wish_rome,
)


@heuristic(solo=False)
def denier(table, me, spite=0.8, stronger=2.0, thrift=0.3):
    """Take what the leader lacks, and fleets and armies; lead in intrigue if Rome looks strong.

    The leader is the rival with most points as things stand; what it lacks are the categories that
    it does not show yet. Rome is starved while the leader holds primus conspiratus, and otherwise
    fed a little. Alone against Rome there is nobody to deny anything, so it makes no sense in solo.
    """
    wish_points(table, me, 1.5, stronger, 0.6)
    leader = leader_of(table, me)
    for category in range(N_CATEGORIES):
        lacking = leader != NOBODY and table.cards[leader, category] == 0
        if lacking or is_military(category):
            wish_card(me, category, spite)
    outlook = rome_outlook(table, me, 0.0)
    wish_primus(table, me, 3.0 * outlook, 1.0)
    wish_rome(table, me, -0.6 if leader != NOBODY and table.primus == leader else 0.3)
    wish_limit(table, me, 0.4)
    wish_money(me, thrift)
