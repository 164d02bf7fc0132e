"""Policies that do nothing but wish: what the planner makes of wishes, and what wishes come to.

The only place in the tests that knows the planner's inner names. `wishful` has every wish as a
parameter of its own; `wisher` makes one of the shared wishes, named by its number.
"""

from paxsim.helpers import LAND
from paxsim.policies.planner import heuristic
from paxsim.policies.utility import (
    leader_of,
    need_over_rome,
    points_now,
    rome_outlook,
    wish,
    wish_card,
    wish_foresight,
    wish_limit,
    wish_money,
    wish_points,
    wish_primus,
    wish_reach,
    wish_rome,
    wish_rome_symbols,
    wish_row,
    wish_step,
    wish_to_peek,
    wish_wrest,
)

(
    POINTS, REACH, ROW, WREST, LIMIT, STEP, FORESIGHT, PRIMUS, FEED, OUTLOOK, POINTS_NOW, LEADER,
    NEED,
) = range(13)  # fmt: skip


@heuristic
def wishful(
    table, me,
    wealth=0.0, fleet=0.0, army=0.0, religion=0.0, senator=0.0, land=0.0, intrigue=0.0,
    room=9.0, extra_wealth=0.0, extra_land=0.0,
    rome_wealth=0.0, rome_fleet=0.0, rome_senator=0.0, rome_land=0.0,
    money=0.0, peek=0.0,
):  # fmt: skip
    """Wish for just what the parameters say."""
    wish(me, 0, wealth, room, extra_wealth)
    wish(me, 1, fleet, room, 0.0)
    wish(me, 2, army, room, 0.0)
    wish(me, 3, religion, room, 0.0)
    wish(me, 4, senator, room, 0.0)
    wish(me, 5, land, room, extra_land)
    wish(me, 6, intrigue, room, 0.0)
    wish_rome_symbols(me, 0, rome_wealth)
    wish_rome_symbols(me, 1, rome_fleet)
    wish_rome_symbols(me, 4, rome_senator)
    wish_rome_symbols(me, 5, rome_land)
    wish_money(me, money)
    if peek > 0:
        wish_to_peek(me)


@heuristic
def wisher(table, me, which=0.0, a=0.0, b=0.0, c=0.0, money=0.0):
    """Make the wish of this number, and no other.

    What is a number rather than a wish is an extra for land cards, so that it can be measured.
    """
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
        wish_card(me, LAND, rome_outlook(table, me, a))
    elif which == POINTS_NOW:
        wish_card(me, LAND, points_now(table, me, int(a)))
    elif which == LEADER:
        wish_card(me, LAND, leader_of(table, me) + 1.0)
    else:
        wish_card(me, LAND, 10.0 + need_over_rome(table, me, int(a)))
    wish_money(me, money)
