"""The parametric policy: every wish is a weighted sum of named features."""

from __future__ import annotations

from paxsim.helpers import SENATOR, WEALTH
from paxsim.policies.planner import heuristic
from paxsim.policies.reckoning import rome_outlook
from paxsim.policies.wishes import (
    rounds_to_come,
    wish_card,
    wish_foresight,
    wish_limit,
    wish_money,
    wish_points,
    wish_primus,
    wish_reach,
    wish_rome,
    wish_row,
    wish_step,
    wish_wrest,
)


@heuristic(signed=("outlook_shift",))
def weighted(
    table,
    me,
    new=2.02,
    stronger=5.62,
    within_reach=0.93,
    arms=2.34,
    limit=3.14,
    wrest=3.49,
    row=0.28,
    senator=0.2,
    discount=0.43,
    foresight=0.43,
    primus=4.49,
    primus_rome=18.2,
    margin=3.51,
    outlook_shift=3.36,
    points_rome=-5.2,
    feed=2.28,
    starve=0.61,
    money=3.74,
    money_end=-2.63,
):
    """Weigh everything: each wish is a sum of features times weights, found by tuning.

    Parameters
    ----------
    new : the first card of a category
    stronger : ending above Rome in a category, spread over the symbols still needed
    within_reach : the same once more, if at most two symbols are needed
    arms : a fleet or army symbol
    limit : a land symbol that allows more fleets and armies
    wrest : a category that Rome would hold and no rival takes
    row : a card for each card already in its row and round to come (income)
    senator : a senator card for each round to come
    discount, foresight : a wealth (religion) symbol on the way to the next step, a round to come
    primus : an intrigue symbol that is needed for primus conspiratus
    primus_rome : the same, times the chance that Rome wins
    margin : symbols of intrigue wanted above every rival
    outlook_shift : optimism about Rome, in categories
    points_rome : how far all wishes for points change with the chance that Rome wins
    feed, starve : what a symbol for Rome is worth while holding primus conspiratus, or not
    money, money_end : worth of an Aureus, and what is added to it in the last round
    """
    rounds = rounds_to_come(me)
    rome = rome_outlook(table, me, outlook_shift)
    if table.solo_level:
        rome = 0.0
    points = max(1.0 + points_rome * rome, 0.05)
    wish_points(table, me, new * points, stronger * points, arms * points)
    wish_reach(table, me, within_reach * points, 2.0)
    wish_row(table, me, row * rounds)
    wish_card(me, SENATOR, senator * rounds)
    wish_step(table, me, WEALTH, table.rules.discount_step, discount * rounds)
    wish_foresight(table, me, foresight * rounds)
    wish_wrest(table, me, wrest * points)
    wish_limit(table, me, limit * points)
    wish_primus(table, me, primus + primus_rome * rome, margin)
    wish_rome(table, me, feed * rome if table.primus == me.seat else -starve)
    wish_money(me, money + money_end / (1.0 + rounds))
