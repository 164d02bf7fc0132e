"""Answerer."""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.helpers import INTRIGUE, N_CATEGORIES
from paxsim.policies.defender import defend
from paxsim.policies.planner import heuristic
from paxsim.policies.wishes import wish_primus, wish_rome


@kernel
def conspires(table, seat, usual, doubt):
    """Whether a seat shows clearly more intrigue than its usual part of the symbols."""
    symbols = 0
    for category in range(N_CATEGORIES):
        symbols += table.symbols[seat, category]
    return table.symbols[seat, INTRIGUE] > usual * symbols + doubt


@kernel
def most_conspire(table, me, usual, doubt):
    """Whether more than half of the rivals conspire, by what they show."""
    count = 0
    for seat in range(table.players):
        count += seat != me.seat and conspires(table, seat, usual, doubt)
    return 2 * count > table.players - 1


@heuristic
def answerer(
    table, me,
    usual=0.33, doubt=-1.2, aside=0.24, intrigue=3.1, lead=10.7, feed=0.73,
    new=0.6, stronger=2.1, within_reach=0.48, arms=2.6, limit=0.34, wrest=0.19, hold=1.1, spare=2.0,
    row=0.2, senator=0.29, discount=0.34, foresight=0.28, primus=0.12, margin=10.0, starve=2.9,
    money=1.0, money_end=0.06,
):  # fmt: skip
    """If most rivals conspire, which their intrigue shows, conspire too; if not, win on points.

    One who plays for points among conspirators does worst of all. Where most do not conspire, they
    keep Rome down, and who starves it too but thinks of fleets, armies and points does best. Nobody
    says which it is, but displays do. Until they do it takes the rivals for conspirators: to join
    them late is worse than to leave them. Numbers found by tuning, among rivals of both kinds.

    Parameters
    ----------
    usual, doubt : a rival conspires if it shows more intrigue than this part of its symbols, and
        so many symbols more; below 0 who has shown little is taken for a conspirator
    aside : what all else counts while conspiring, as a part of what it counts otherwise
    intrigue, lead : an intrigue symbol while conspiring, as long as the lead is below this
    feed : what a symbol for Rome is worth while conspiring with primus conspiratus in hand
    new, stronger, within_reach, arms, limit, wrest, hold, spare, row, senator, discount, foresight,
    primus, margin, starve, money, money_end : as for `defender`
    """
    conspiring = table.players > 1 and most_conspire(table, me, usual, doubt)
    part = aside if conspiring else 1.0
    defend(
        table, me, part * new, part * stronger, part * within_reach, part * arms, part * limit,
        part * wrest, part * hold, spare, part * row, part * senator, part * discount,
        part * foresight, part * primus, margin, part * starve, 1.0, money, money_end, 0.0,
    )  # fmt: skip
    if conspiring:
        wish_primus(table, me, intrigue, lead)
        if table.primus == me.seat:
            wish_rome(table, me, feed)
