"""Tribune."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.helpers import (
    ARMY,
    FLEET,
    N_CATEGORIES,
    best_rival,
    category_of,
    symbols_of,
)
from paxsim.policies.notes import SUMS
from paxsim.policies.planner import heuristic
from paxsim.policies.reckoning import need_over_rome
from paxsim.policies.wishes import (
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
def note_claims(table, me):
    """Add up how much each category is this seat's, in the seat's notes.

    Symbols shown count, and half those in hand, less those of the best rival.
    """
    symbols = table.symbols[me.seat]
    for category in range(N_CATEGORIES):
        me.memory[SUMS + category] = symbols[category] - best_rival(table, me, category)
    for slot in range(me.hand_count):
        me.memory[SUMS + category_of(me.hand[slot])] += 0.5 * symbols_of(me.hand[slot])
    category = me.seat + 0
    while category < N_CATEGORIES:
        me.memory[SUMS + category] += _BY_SEATING
        category += table.players
    me.memory[SUMS + FLEET] -= _NEEDS_LAND
    me.memory[SUMS + ARMY] -= _NEEDS_LAND


@kernel
def take_best_claim(me):
    """The category that is most this seat's by its notes; it will not be found again."""
    best = 0
    most = me.memory[SUMS]
    for category in range(1, N_CATEGORIES):
        claim = me.memory[SUMS + category]
        best = category if claim > most else best
        most = max(most, claim)
    me.memory[SUMS + best] = -1e9
    return best


@heuristic
def tribune(table, me, focus=2.5, spare=2.0, breadth=0.4, starve=1.0, thrift=0.25):
    """Claim a few categories that no rival claims, and be far above Rome in just these.

    The players beat Rome if somebody is above it in four categories; who exactly does not matter.
    So the seats divide the categories among them, by what lies in front of them and at first by
    the order of the seats, and each puts its cards and its money into its own.
    """
    wish_points(table, me, breadth, 0.6, 0.4)
    note_claims(table, me)
    for _ in range(1 + 6 // table.players):
        category = take_best_claim(me)
        need = need_over_rome(table, me, category) + spare
        if need > 0.0:
            wish_symbols(me, category, focus)
            want_at_least(me, category, need)
    wish_limit(table, me, 0.5)
    wish_rome(table, me, -starve)
    wish_money(me, thrift)
