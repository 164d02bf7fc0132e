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
from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import (
    need_over_rome,
    want_at_least,
    wish_limit,
    wish_money,
    wish_points,
    wish_rome,
    wish_symbols,
)

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


@kernel
def best_claim(table, me, claimed):
    """The category that is most this seat's, of those not `claimed` (a bit set) yet."""
    best = -1
    most = -1e9
    for category in range(N_CATEGORIES):
        if not (claimed >> category) & 1:
            claim = claim_on(table, me, category)
            if claim > most:
                most = claim
                best = category
    return best


@heuristic
def tribune(table, me, focus=2.5, spare=2.0, breadth=0.4, starve=1.0, thrift=0.25):
    """Claim a few categories that no rival claims, and be far above Rome in just these.

    The players beat Rome if somebody is above it in four categories; who exactly does not matter.
    So the seats divide the categories among them, by what lies in front of them and at first by
    the order of the seats, and each puts its cards and its money into its own.
    """
    wish_points(table, me, breadth, 0.6, 0.4)
    coming = coming_part(table, me)
    claimed = 0
    for _ in range(1 + 6 // table.players):
        category = best_claim(table, me, claimed)
        claimed |= 1 << category
        need = need_over_rome(table, me, category, coming) + spare
        if need > 0.0:
            wish_symbols(me, category, focus)
            want_at_least(me, category, need)
    wish_limit(table, me, 0.5)
    wish_rome(table, me, -starve)
    wish_money(me, thrift)
