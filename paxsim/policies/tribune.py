"""Tribune."""

from __future__ import annotations

from paxsim.engine.compiling import kernel
from paxsim.helpers import (
    N_CATEGORIES,
    best_rival,
    category_of,
    coming_part,
    is_military,
    symbols_of,
)
from paxsim.policies.planner import (
    MONEY,
    ROOM,
    WISH,
    carry_out_wishes,
    clear_wishes,
    wishes_due,
)
from paxsim.policies.registry import policy
from paxsim.policies.wishes import need_over_rome, wish_limit, wish_points, wish_rome

#: Added to the claim on a category that is this seat's by the seating, so that four seats which
#: have nothing yet begin with different categories.
_BY_SEATING = 0.9
#: Taken off the claim on fleets and armies, which need land besides.
_NEEDS_LAND = 0.5


@kernel
def claim_on(table, me, category):
    """How much a category is this seat's: symbols shown, half those in hand, less a rival's."""
    claim = float(table.symbols[me.seat, category] - best_rival(table, me, category))
    for slot in range(me.hand_count):
        if category_of(me.hand[slot]) == category:
            claim += 0.5 * symbols_of(me.hand[slot])
    if category % table.players == me.seat:
        claim += _BY_SEATING
    if is_military(category):
        claim -= _NEEDS_LAND
    return claim


@policy
def tribune(table, me, choice, focus=2.5, spare=2.0, breadth=0.4, starve=1.0, thrift=0.25):
    """Claim a few categories that no rival claims, and be far above Rome in just these.

    The players beat Rome if somebody is above it in four categories; who exactly does not matter.
    So the seats divide the categories among them, by what lies in front of them and at first by
    the order of the seats, and each puts its cards and its money into its own.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish_points(table, me, breadth, 0.6, 0.4)
        coming = coming_part(table, me)
        wanted = 1 + 6 // table.players
        claimed = 0
        for _ in range(wanted):
            best = -1
            best_claim = -1e9
            for category in range(N_CATEGORIES):
                if not (claimed >> category) & 1:
                    claim = claim_on(table, me, category)
                    if claim > best_claim:
                        best_claim = claim
                        best = category
            claimed |= 1 << best
            need = need_over_rome(table, me, best, coming) + spare
            if need > 0.0:
                me.memory[WISH + best] += focus
                me.memory[ROOM + best] = max(me.memory[ROOM + best], need)
        wish_limit(table, me, 0.5)
        wish_rome(table, me, -starve)
        me.memory[MONEY] = thrift
    return carry_out_wishes(table, me, choice)
