"""Defender."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.helpers import SENATOR, WEALTH
from paxsim.policies.planner import heuristic
from paxsim.policies.reckoning import rome_outlook
from paxsim.policies.wishes import (
    rounds_to_come,
    wish_card,
    wish_defence,
    wish_foresight,
    wish_limit,
    wish_money,
    wish_peek,
    wish_points,
    wish_primus,
    wish_reach,
    wish_row,
    wish_step,
)


@kernel
def defend(
    table, me, new, stronger, within_reach, arms, limit, wrest, hold, spare, row, senator, discount,
    foresight, primus, margin, starve, contest, money, money_end, peek,
):  # fmt: skip
    """The wishes of a seat that fights Rome; the numbers are those of `defender`."""
    rounds = rounds_to_come(me)
    wish_points(table, me, new, stronger, arms)
    wish_reach(table, me, within_reach, 2.0)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_defence(table, me, wrest, hold, spare, starve, contest)
    wish_limit(table, me, limit)
    wish_primus(table, me, primus, margin)
    wish_money(me, money + money_end / (1.0 + rounds))
    wish_peek(table, me, peek)


@heuristic
def defender(
    table, me,
    new=0.13, stronger=0.64, within_reach=0.06, arms=0.29, limit=0.31, wrest=5.9, hold=3.1,
    spare=2.4, row=0.35, senator=0.21, discount=0.5, foresight=0.28, primus=0.98, margin=7.5,
    starve=2.8, contest=0.24, money=1.84, money_end=-1.8, peek=0.0, beaten=1.8,
):  # fmt: skip
    """Fight Rome with all who do: take from it what no rival takes, and leave it fleets and armies.

    Rome needs four categories, and for fleets and armies it needs no land: who leaves it these two
    has to hold four of five. So groups of fleets and armies are what Rome shall take, and a group
    that it would take instead is bought or diluted. Categories that a rival holds against Rome
    are left to that rival, those that this seat holds are made safe. The more Rome looks beaten,
    the more points count; and intrigue is collected, lest somebody profit if Rome wins after all.
    Numbers found by tuning: three seats of it, the most wins on points against one who conspires.

    Parameters
    ----------
    new, stronger, within_reach, arms, senator : as for `weighted`
    limit : a land symbol that allows more fleets and armies
    wrest : a category that Rome would hold and no rival takes
    hold, spare : a symbol where this seat is above Rome, as long as that is less than `spare`
    row : a card for each card already in its row and round to come (income)
    discount, foresight : a wealth (religion) symbol on the way to the next step, a round to come
    primus, margin : an intrigue symbol, as long as the lead in intrigue is below the margin
    starve : a symbol that is kept from Rome
    contest : what fleets and armies count in `wrest` and `starve`, as a part of all others
    money, money_end : worth of an Aureus, and what is added to it in the last round
    peek : knowing Rome's hidden cards when they may decide
    beaten : how much more points count where Rome has no chance, as a part of what they count
    """
    points = 1.0 + beaten * (1.0 - rome_outlook(table, me, 0.0))
    defend(
        table, me, points * new, points * stronger, within_reach, points * arms, limit, wrest, hold,
        spare, row, senator, discount, foresight, primus, margin, starve, contest, money, money_end,
        peek,
    )  # fmt: skip
