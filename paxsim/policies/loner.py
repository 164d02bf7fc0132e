"""Loner."""

from __future__ import annotations

from paxsim.policies.defender import defend
from paxsim.policies.planner import heuristic


@heuristic
def loner(
    table, me,
    new=0.15, stronger=1.72, arms=0.06, limit=0.27, wrest=3.15, row=0.5, discount=0.31,
    foresight=0.24, starve=0.74, money=1.0, money_end=-1.2, peek=0.0,
):  # fmt: skip
    """Alone among conspirators: leave them their intrigue, and break Rome where nobody else will.

    The wishes are those of `defender` but for intrigue, with numbers that were found against three
    who conspire: the best that can be done for points there, which is little.
    """
    defend(
        table, me, new, stronger, 0.0, arms, limit, wrest, row, 0.0, discount, foresight, 0.0, 0.0,
        starve, money, money_end, peek,
    )  # fmt: skip
