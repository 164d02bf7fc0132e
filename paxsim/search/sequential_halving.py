"""The race: rollouts of every option in common worlds, halving those that are still in it.

What races are arms: an option together with the plan by which the seat plays on afterwards. The
plain arm is what the seat would do without search: the option that its plan so far would choose,
and that plan. It stays in the race to the end, every arm is compared with it world by world, and
another is chosen only if it is better by more than some paired errors: a few rollouts say less
than the policy knows.
"""

from __future__ import annotations

import math

from paxsim.engine.jit import kernel
from paxsim.engine.loop import FINE, ask, is_an_option
from paxsim.engine.lowlevel import policy_at
from paxsim.engine.records import (
    DISPLAY,
    KEEP,
    PLACE,
    PLAY,
    REACT,
    placed_card,
    placed_to,
    played_card,
)
from paxsim.search.ismcts import clear_tree, descend
from paxsim.search.rollouts import (
    begin_search,
    copy_params,
    imagine_world,
    plans_for,
    roll_out,
    take_plan,
)

#: The answer of a search in which a policy failed; its `progress` says who, and how.
FAILED = -1

#: Squared differences beyond those seen, when the error of a difference is estimated: one game won
#: instead of lost.
DISAGREEMENT = 1.0

#: Where the seat notes the plan that it follows.
PLAN = 0


@kernel
def choose_option(search, table, me, choice):
    """The option with the best outlook; the seat notes by which plan."""
    list_options(search, me, choice)
    if search.options == 1:
        return search.option[0]
    begin_search(search, table, me, choice)
    if search.deep:
        clear_tree(search.tree)
    plan = plan_followed(search, table, me)
    plain = find_plain(search, me, choice, plan)
    if plain < 0:
        return FAILED
    best = race(search, me, choice, plan * search.options + plain)
    if search.progress.failure != FINE:
        return FAILED
    me.memory[PLAN] = best // search.options
    return search.option[best % search.options]


@kernel
def plan_followed(search, table, me):
    """The plan that the seat noted; the first one if another policy has left its notes there."""
    noted = me.memory[PLAN]
    for plan in range(search.plans[plans_for(table)]):
        if noted == plan:
            return plan
    return 0


@kernel
def list_options(search, me, choice):
    """The different options: equal cards to the same place are one."""
    count = 0
    for option in range(choice.count):
        new = True
        for i in range(count):
            if new and same(me, choice, search.option[i], option):
                new = False
        if new:
            search.option[count] = option
            count += 1
    search.options = count


@kernel
def same(me, choice, one, other):
    """Whether two options can't be told apart by what they do."""
    kind = choice.kind
    if kind == DISPLAY or kind == KEEP:
        return choice.drawn[one] == choice.drawn[other]
    if kind == PLACE:
        return placed_to(choice, one) == placed_to(choice, other) and placed_card(
            choice, one
        ) == placed_card(choice, other)
    if (kind == PLAY or kind == REACT) and other < choice.count - 1:
        return played_card(me, choice, one) == played_card(me, choice, other)
    return False


@kernel
def find_plain(search, me, choice, plan):
    """The number of the option that a plan's policy would choose, asked in a world.

    `FAILED` if there is no such option.
    """
    imagine_world(search, me, choice, me.stream)
    world = search.world
    plans = plans_for(world.table)
    copy_params(world.seats[me.seat].params, search.plan_params[plans, plan])
    search.progress.policies[me.seat] = search.plan[plans, plan]
    option = ask(world, policy_at(search.plan[plans, plan]), search.progress)
    if not is_an_option(option, choice.count, search.progress):
        return FAILED
    for i in range(search.options):
        if same(me, choice, search.option[i], option) or search.option[i] == option:
            return i
    return 0


@kernel
def race(search, me, choice, plain):
    """The best arm, or the plain one; sequential halving."""
    arms = search.plans[plans_for(search.world.table)] * search.options
    search.arms = arms
    for arm in range(arms):
        search.alive[arm] = 1
        search.played[arm] = 0.0
        search.gain[arm] = 0.0
        search.gain_squared[arm] = 0.0
    budget = search.rollouts * search.options
    alive = arms
    rounds = halvings(arms)
    for turn in range(rounds):
        worlds = max(budget // (rounds * alive), 1)
        for _ in range(worlds):
            compare_arms(search, me, choice, plain)
            if search.progress.failure != FINE:
                return plain
        if turn + 1 < rounds:
            alive = halve(search, plain, alive)
    return best_arm(search, plain)


@kernel
def halvings(arms):
    """How often the arms can be halved, at least once."""
    rounds = 1
    while arms > 2:
        arms = (arms + 1) // 2
        rounds += 1
    return rounds


@kernel
def compare_arms(search, me, choice, plain):
    """One world for all arms in the race, or until a policy fails."""
    imagine_world(search, me, choice, me.stream)
    base = value_of_arm(search, me, plain)
    for arm in range(search.arms):
        if search.progress.failure != FINE:
            return
        if search.alive[arm] and arm != plain:
            gain = value_of_arm(search, me, arm) - base
            search.played[arm] += 1.0
            search.gain[arm] += gain
            search.gain_squared[arm] += gain * gain


@kernel
def value_of_arm(search, me, arm):
    """What an arm is worth in the imagined world, with what its plan is credited with."""
    table = search.world.table
    plan = arm // search.options
    take_plan(search, table, me.seat, plan)
    option = search.option[arm % search.options]
    value = credit_of(search, table, plan)
    if search.deep:
        return value + descend(search, me, option, arm)
    return value + roll_out(search, me, option)


@kernel
def credit_of(search, table, plan):
    """What later searches will add to what a plan brings by itself: less and less, to nothing.

    Rollouts can't show it, for in them nobody searches.
    """
    rules = table.rules
    cards = table.copy_count + rules.cards_added - rules.cards_removed
    return search.credit[plans_for(table), plan] / table.players * table.deck_left / cards


@kernel
def halve(search, plain, alive):
    """Keep the better half, by mean value, and the plain arm; return how many are left."""
    keep = max((alive + 1) // 2, 2)
    while alive > keep:
        worst = -1
        for arm in range(search.arms):
            if search.alive[arm] and arm != plain:
                if worst < 0 or search.gain[arm] < search.gain[worst]:
                    worst = arm
        search.alive[worst] = 0
        alive -= 1
    return alive


@kernel
def best_arm(search, plain):
    """The best of the last arms, if it is better than the plain one beyond doubt."""
    best = -1
    for arm in range(search.arms):
        if search.alive[arm] and arm != plain:
            if best < 0 or search.gain[arm] > search.gain[best]:
                best = arm
    if best < 0:
        return plain
    count = search.played[best]
    # A few worlds that happen to agree prove nothing, so some disagreement is taken for granted.
    error = math.sqrt(search.gain_squared[best] + DISAGREEMENT) / count
    return best if search.gain[best] / count > search.doubt * error else plain
