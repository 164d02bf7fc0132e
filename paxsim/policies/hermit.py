"""Hermit: the solo specialist."""

from __future__ import annotations

from paxsim.helpers import SENATOR, WEALTH
from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import (
    rounds_to_come,
    wish_card,
    wish_foresight,
    wish_limit,
    wish_money,
    wish_points,
    wish_rome,
    wish_row,
    wish_step,
)


@heuristic
def hermit(
    table,
    me,
    new=0.4,
    urgency=28.0,
    stronger=14.0,
    arms=2.9,
    limit=5.9,
    row=0.23,
    senator=0.6,
    discount=2.6,
    foresight=1.4,
    starve=9.9,
    money=7.7,
    money_end=-7.8,
):
    """Alone against Rome: all seven categories, and above Rome in as many as the level asks.

    A category that is not shown at the end loses the game, so it grows more urgent every round;
    money is worth nothing at the end. Numbers found by tuning, on all five levels together.
    """
    rounds = rounds_to_come(me)
    wish_points(table, me, new + urgency / (1.0 + rounds), stronger, arms)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_limit(table, me, limit)
    wish_rome(table, me, -starve)
    wish_money(me, money + money_end / (1.0 + rounds))
