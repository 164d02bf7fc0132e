"""Sequential halving: rollouts of all options in common worlds, dropping the worse half repeatedly.

An arm is an option together with the plan that continues for the seat afterwards. The plain arm is
what the seat would do without search: its current plan, and the option that plan would choose. It
stays to the end. Every arm is compared with it in the same worlds, and another arm is chosen only
if it is better by more than some standard errors: a few rollouts say less than the policy knows.

References
----------
Z. Karnin, T. Koren and O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013.
"""

from __future__ import annotations

import math

from paxsim.engine.jit import kernel
from paxsim.engine.loop import FINE, ask, is_an_option
from paxsim.engine.lowlevel import policy_at
from paxsim.search.ismcts import clear_tree, code_of, descend
from paxsim.search.rollouts import (
    begin_search,
    copy_params,
    determinize,
    plans_for,
    roll_out,
    set_plan,
)

#: Result of a search in which a policy failed; its `progress` has the details.
FAILED = -1

#: Prior of the sum of squared differences: one game won instead of lost.
DISAGREEMENT = 1.0

#: Index of the seat's memory for its current plan.
PLAN = 0


@kernel
def choose_option(search, table, me, choice):
    """Return the option with the best value; the seat notes its plan."""
    list_options(search, table, me, choice)
    if search.options == 1:
        return search.option[0]
    begin_search(search, table, me, choice)
    if search.deep:
        clear_tree(search.tree)
    plan = plan_followed(search, table, me)
    plain = find_plain(search, me, choice, plan)
    if plain < 0:
        return FAILED
    best = run_halving(search, me, choice, plan * search.options + plain)
    if search.progress.failure != FINE:
        return FAILED
    me.memory[PLAN] = best // search.options
    return search.option[best % search.options]


@kernel
def plan_followed(search, table, me):
    """Return the plan that the seat noted, or the first one."""
    noted = me.memory[PLAN]
    for plan in range(search.plans[plans_for(table)]):
        if noted == plan:
            return plan
    return 0


@kernel
def list_options(search, table, me, choice):
    """List the different options: equal cards to the same place are one."""
    count = 0
    for option in range(choice.count):
        code = code_of(table, me, choice, option)
        new = True
        for i in range(count):
            if code_of(table, me, choice, search.option[i]) == code:
                new = False
        if new:
            search.option[count] = option
            count += 1
    search.options = count


@kernel
def find_plain(search, me, choice, plan):
    """Return the number of the option that a plan's policy chooses in a sampled world.

    `FAILED` if the policy returns no valid option.
    """
    determinize(search, me, choice, me.stream)
    world = search.world
    plans = plans_for(world.table)
    copy_params(world.seats[me.seat].params, search.plan_params[plans, plan])
    search.progress.policies[me.seat] = search.plan[plans, plan]
    option = ask(world, policy_at(search.plan[plans, plan]), search.progress)
    if not is_an_option(option, choice.count, search.progress):
        return FAILED
    code = code_of(world.table, me, choice, option)
    for i in range(search.options):
        if code_of(world.table, me, choice, search.option[i]) == code:
            return i
    return 0


@kernel
def run_halving(search, me, choice, plain):
    """Return the best arm, or the plain one."""
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
    """Return the number of times the arms can be halved, at least 1."""
    rounds = 1
    while arms > 2:
        arms = (arms + 1) // 2
        rounds += 1
    return rounds


@kernel
def compare_arms(search, me, choice, plain):
    """Play all remaining arms in one more world, or until a policy fails."""
    determinize(search, me, choice, me.stream)
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
    """Return the value of an arm in the sampled world, plus the credit of its plan."""
    table = search.world.table
    plan = arm // search.options
    set_plan(search, table, me.seat, plan)
    option = search.option[arm % search.options]
    value = credit_of(search, table, plan)
    if search.deep:
        return value + descend(search, me, option, arm)
    return value + roll_out(search, me, option)


@kernel
def credit_of(search, table, plan):
    """Return the expected gain from later searches under a plan, which shrinks to 0 with the deck.

    Rollouts can't show it, because no seat searches in them.
    """
    rules = table.rules
    cards = table.copy_count + rules.cards_added - rules.cards_removed
    return search.credit[plans_for(table), plan] / table.players * table.deck_left / cards


@kernel
def halve(search, plain, alive):
    """Keep the better half of the arms and the plain one; return the number of those left."""
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
    """Return the best remaining arm if it is significantly better than the plain one."""
    best = -1
    for arm in range(search.arms):
        if search.alive[arm] and arm != plain:
            if best < 0 or search.gain[arm] > search.gain[best]:
                best = arm
    if best < 0:
        return plain
    count = search.played[best]
    # With the prior, a few worlds that happen to agree don't look certain.
    error = math.sqrt(search.gain_squared[best] + DISAGREEMENT) / count
    return best if search.gain[best] / count > search.doubt * error else plain
