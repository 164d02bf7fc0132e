"""Policies for tests of the planner and of utility: `valued` and `single_term`.

`valued` has every value of the utility as a parameter of its own; `single_term` uses one of the
shared terms, named by its number.
"""

import math

from paxsim.helpers import LAND
from paxsim.policies.planner import heuristic
from paxsim.policies.utility import (
    PEEK_VALUE,
    add_card_value,
    leading_rival,
    points_now,
    rome_win_chance,
    set_rome_value,
    set_values,
    symbols_needed,
    value_foresight,
    value_limit,
    value_money,
    value_points,
    value_primus,
    value_reach,
    value_rome,
    value_rows,
    value_step,
    value_taking,
)

(
    POINTS, REACH, ROW, WREST, LIMIT, STEP, FORESIGHT, PRIMUS, FEED, ROME_CHANCE, POINTS_NOW,
    LEADER, NEED,
) = range(13)  # fmt: skip


@heuristic
def valued(
    table, me,
    wealth=0.0, fleet=0.0, army=0.0, religion=0.0, senator=0.0, land=0.0, intrigue=0.0,
    room=9.0, extra_wealth=0.0, extra_land=0.0,
    rome_wealth=0.0, rome_fleet=0.0, rome_senator=0.0, rome_land=0.0,
    money=0.0, peek=0.0,
):  # fmt: skip
    """Set the values that the parameters give."""
    set_values(me, 0, wealth, room, extra_wealth)
    set_values(me, 1, fleet, room, 0.0)
    set_values(me, 2, army, room, 0.0)
    set_values(me, 3, religion, room, 0.0)
    set_values(me, 4, senator, room, 0.0)
    set_values(me, 5, land, room, extra_land)
    set_values(me, 6, intrigue, room, 0.0)
    set_rome_value(me, 0, rome_wealth)
    set_rome_value(me, 1, rome_fleet)
    set_rome_value(me, 4, rome_senator)
    set_rome_value(me, 5, rome_land)
    value_money(me, money)
    if peek > 0:
        me.memory[PEEK_VALUE] = math.inf


@heuristic
def single_term(table, me, which=0.0, a=0.0, b=0.0, c=0.0, money=0.0):
    """Use the term of this number alone; a result that is no value is added to land cards."""
    if which == POINTS:
        value_points(table, me, a, b, c)
    elif which == REACH:
        value_points(table, me, 0.0, 0.0, 0.0)
        value_reach(table, me, a, b)
    elif which == ROW:
        value_rows(table, me, a)
    elif which == WREST:
        value_taking(table, me, a)
    elif which == LIMIT:
        value_limit(table, me, a)
    elif which == STEP:
        value_step(table, me, int(b), int(c), a)
    elif which == FORESIGHT:
        value_foresight(table, me, a)
    elif which == PRIMUS:
        value_primus(table, me, a, b)
    elif which == FEED:
        value_rome(table, me, a)
    elif which == ROME_CHANCE:
        add_card_value(me, LAND, rome_win_chance(table, me, a))
    elif which == POINTS_NOW:
        add_card_value(me, LAND, points_now(table, me, int(a)))
    elif which == LEADER:
        add_card_value(me, LAND, leading_rival(table, me) + 1.0)
    else:
        add_card_value(me, LAND, 10.0 + symbols_needed(table, me, int(a)))
    value_money(me, money)
