"""Looking ahead without a race: every option by every plan in as many worlds, and what that gave.

A part of the compiled search, so that whoever asks what options are worth compiles nothing else.
"""

from __future__ import annotations

from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import FINE
from paxsim.search.race import FAILED, find_plain, list_options
from paxsim.search.rollouts import begin_search, imagine_world, plans_for, roll_out, take_plan


@called
def look_ahead(search, table, me, choice):
    """Play every option out in common worlds by every plan; fill the outlook.

    Returns the plain option, or `FAILED`.
    """
    outlook = search.outlook
    list_options(search, me, choice)
    begin_search(search, table, me, choice)
    outlook.plain = find_plain(search, me, choice, 0)
    if outlook.plain == FAILED:
        return FAILED
    for _ in range(search.looks):
        imagine_world(search, me, choice, me.stream)
        for plan in range(search.plans[plans_for(table)]):
            take_plan(search, table, me.seat, plan)
            for number in range(search.options):
                roll_out(search, me, search.option[number])
                if search.progress.failure != FINE:
                    return FAILED
                share = search.result.shares[me.seat]
                outlook.total[plan, number] += share
                outlook.squared[plan, number] += share * share
                if number == outlook.plain:
                    note_everybody(search, outlook, plan)
    return search.option[outlook.plain]


@kernel
def note_everybody(search, outlook, plan):
    """Add up how a rollout of the plain option ended for all seats and for Rome."""
    for seat in range(search.world.table.players):
        outlook.seats[plan, seat] += search.result.shares[seat]
    outlook.rome[plan] += search.result.rome_wins
