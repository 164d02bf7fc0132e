"""Policies that do nothing but wish: what the planner makes of wishes, and what wishes come to.

The only place in the tests that knows the planner's inner names. `wishful` has every wish as a
parameter of its own; `wisher` makes one of the shared wishes, named by its number.
"""

import paxsim
from paxsim.helpers import coming_part
from paxsim.policies.planner import (
    EXTRA,
    MONEY,
    PEEK_WISH,
    ROME,
    carry_out_wishes,
    clear_wishes,
    wish,
    wishes_due,
)
from paxsim.policies.wishes import (
    leader_of,
    need_over_rome,
    points_now,
    rome_outlook,
    wish_foresight,
    wish_limit,
    wish_points,
    wish_primus,
    wish_reach,
    wish_rome,
    wish_row,
    wish_step,
    wish_wrest,
)

(
    POINTS, REACH, ROW, WREST, LIMIT, STEP, FORESIGHT, PRIMUS, FEED, OUTLOOK, POINTS_NOW, LEADER,
    NEED,
) = range(13)  # fmt: skip


@paxsim.policy
def wishful(
    table, me, choice,
    wealth=0.0, fleet=0.0, army=0.0, religion=0.0, senator=0.0, land=0.0, intrigue=0.0,
    room=9.0, extra_wealth=0.0, extra_land=0.0,
    rome_wealth=0.0, rome_fleet=0.0, rome_senator=0.0, rome_land=0.0,
    money=0.0, peek=0.0,
):  # fmt: skip
    """Wish for just what the parameters say."""
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        wish(me, 0, wealth, room, extra_wealth)
        wish(me, 1, fleet, room, 0.0)
        wish(me, 2, army, room, 0.0)
        wish(me, 3, religion, room, 0.0)
        wish(me, 4, senator, room, 0.0)
        wish(me, 5, land, room, extra_land)
        wish(me, 6, intrigue, room, 0.0)
        me.memory[ROME] = rome_wealth
        me.memory[ROME + 1] = rome_fleet
        me.memory[ROME + 4] = rome_senator
        me.memory[ROME + 5] = rome_land
        me.memory[MONEY] = money
        me.memory[PEEK_WISH] = peek
    return carry_out_wishes(table, me, choice)


@paxsim.policy
def wisher(table, me, choice, which=0.0, a=0.0, b=0.0, c=0.0, money=0.0):
    """Make the wish of this number, and no other.

    What is a number rather than a wish is an extra for land cards, so that it can be measured.
    """
    if wishes_due(table, me, choice):
        clear_wishes(table, me)
        if which == POINTS:
            wish_points(table, me, a, b, c)
        elif which == REACH:
            wish_points(table, me, 0.0, 0.0, 0.0)
            wish_reach(table, me, a, b)
        elif which == ROW:
            wish_row(table, me, a)
        elif which == WREST:
            wish_wrest(table, me, a)
        elif which == LIMIT:
            wish_limit(table, me, a)
        elif which == STEP:
            wish_step(table, me, int(b), int(c), a)
        elif which == FORESIGHT:
            wish_foresight(table, me, a)
        elif which == PRIMUS:
            wish_primus(table, me, a, b)
        elif which == FEED:
            wish_rome(table, me, a)
        elif which == OUTLOOK:
            me.memory[EXTRA + 5] = rome_outlook(table, me, a)
        elif which == POINTS_NOW:
            me.memory[EXTRA + 5] = points_now(table, me, int(a))
        elif which == LEADER:
            me.memory[EXTRA + 5] = leader_of(table, me) + 1.0
        else:
            need = need_over_rome(table, me, int(a), coming_part(table, me))
            me.memory[EXTRA + 5] = 10.0 + need
        me.memory[MONEY] = money
    return carry_out_wishes(table, me, choice)
