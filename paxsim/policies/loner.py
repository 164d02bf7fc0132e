"""Loner."""

from __future__ import annotations

from paxsim.policies.defender import defend
from paxsim.policies.planner import heuristic


@heuristic
def loner(
    table, me,
    new=0.04, stronger=0.6, arms=0.05, limit=0.28, wrest=2.63, hold=0.49, spare=2.26, row=0.17,
    senator=0.35, discount=0.9, foresight=0.46, starve=0.64, money=1.0, money_end=-0.95, peek=0.0,
):  # fmt: skip
    """Alone among conspirators: leave them their intrigue, and break Rome where nobody else will.

    Discounts and senators first, since everything must be bought alone. The wishes are those of
    `defender` but for intrigue, with numbers that were found for the most wins on points against
    three who conspire: the best that can be done for points there, which is little.
    """
    defend(
        table, me, new, stronger, 0.0, arms, limit, wrest, hold, spare, row, senator, discount,
        foresight, 0.0, 0.0, starve, 1.0, money, money_end, peek,
    )  # fmt: skip
