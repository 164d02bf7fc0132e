"""Defender."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.helpers import SENATOR, WEALTH
from paxsim.policies.planner import heuristic
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
    foresight, primus, margin, starve, money, money_end, peek,
):  # fmt: skip
    """The wishes of a seat that fights Rome; the numbers are those of `defender`."""
    rounds = rounds_to_come(me)
    wish_points(table, me, new, stronger, arms)
    wish_reach(table, me, within_reach, 2.0)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_defence(table, me, wrest, hold, spare, starve)
    wish_limit(table, me, limit)
    wish_primus(table, me, primus, margin)
    wish_money(me, money + money_end / (1.0 + rounds))
    wish_peek(table, me, peek)


@heuristic
def defender(
    table, me,
    new=0.03, stronger=0.05, within_reach=0.12, arms=0.06, limit=0.52, wrest=1.67, hold=0.5,
    spare=2.0, row=0.48, senator=0.21, discount=0.41, foresight=0.28, primus=0.62, margin=6.5,
    starve=1.39, money=1.0, money_end=-1.34, peek=0.0,
):  # fmt: skip
    """Fight Rome with all who do: earn first, then take from Rome what no rival takes from it.

    Long rows pay for what is bought later, and towards the end everything is spent. Categories
    that a rival holds against Rome are left to that rival, those that this seat holds are made
    safe, the group that Rome would take is bought or diluted, and intrigue is collected, lest
    somebody profit if Rome wins after all. Numbers found by tuning, three seats of it so that Rome
    loses most often against `weighted`, but for `hold` and `spare`, which tuning did not improve.

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
    money, money_end : worth of an Aureus, and what is added to it in the last round
    peek : knowing Rome's hidden cards when they may decide
    """
    defend(
        table, me, new, stronger, within_reach, arms, limit, wrest, hold, spare, row, senator,
        discount, foresight, primus, margin, starve, money, money_end, peek,
    )  # fmt: skip
