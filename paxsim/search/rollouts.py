"""Rollouts: sampled games, played to their end by policies."""

from __future__ import annotations

import math

from paxsim.cards import INTRIGUE
from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import FINE, play_from
from paxsim.engine.lowlevel import copy_choice, copy_game, copy_seat, copy_table
from paxsim.engine.piles import needed_to_hold
from paxsim.engine.records import MAX_PARAMS, MAX_PLAYERS, N_CATEGORIES
from paxsim.engine.rng import set_state, state_of
from paxsim.engine.scoring import categories_displayed, score
from paxsim.search.beliefs import (
    clear_private_knowledge,
    count_ways,
    deal_unseen,
    set_up_seats,
    unit,
    update_beliefs,
)
from paxsim.search.opponents import weigh_models

#: Leads, in symbols and in points, that count as a probability of 0.73 (see `step`).
ROME_LEAD = 2.0
INTRIGUE_LEAD = 2.0
POINTS_LEAD = 4.0
#: Lack in solo, in symbols and categories, at which the value has fallen by the factor e.
SOLO_LACK = 4.0


@called
def value_of_end(search, game, seat):
    """Return a mean of the share of the win and the closeness to it, weighted by `closeness`."""
    share = share_of_win(game, search.result, seat)
    if search.closeness == 0.0:
        return share
    near = nearness(search.lack, game, search.result, seat)
    return share + search.closeness * (near - share)


@kernel
def share_of_win(game, result, seat):
    """Score a finished game and return a seat's share of the win."""
    for i in range(MAX_PLAYERS):
        result.shares[i] = 0.0
    score(game, result)
    return result.shares[seat]


@called
def nearness(lack, game, result, seat):
    """Return how close a seat came to winning a scored game, from 0 to 1.

    `lack` is working memory, a number for each category.
    """
    table = game.table
    if table.solo_level:
        return math.exp(-solo_lack(lack, table, result) / SOLO_LACK)
    rome = step(rome_lead(lack, table, result) / ROME_LEAD)
    by_intrigue = step(intrigue_lead(table, seat) / INTRIGUE_LEAD)
    by_points = step(points_lead(table, result, seat) / POINTS_LEAD)
    return rome * by_intrigue + (1.0 - rome) * by_points


@kernel
def step(lead):
    """Return the logistic function: 0 far behind, 1 far ahead."""
    return 1.0 / (1.0 + math.exp(-lead))


@kernel
def solo_lack(lack, table, result):
    """Return the number of categories not displayed plus the symbols missing to beat Rome."""
    for category in range(N_CATEGORIES):
        lack[category] = result.rome_symbols[category] + 1 - result.symbols[0, category]
    hidden = N_CATEGORIES - categories_displayed(table, 0)
    return hidden + least_to_take(lack, table.rules.solo_needs)


@kernel
def rome_lead(lack, table, result):
    """Return the number of symbols that would have kept Rome from winning, less a half.

    If Rome does not win, minus the number of symbols it lacks for one more category.
    """
    for category in range(N_CATEGORIES):
        lack[category] = result.rome_symbols[category] + 1 - needed_to_hold(table, category)
    needed = N_CATEGORIES + 1 - table.rules.rome_needs
    missing = least_to_take(lack, needed)
    if missing > 0 or needed <= 0:
        return missing - 0.5
    return lack[min(needed, N_CATEGORIES) - 1] - 0.5


@kernel
def least_to_take(lack, needed):
    """Return the fewest symbols that cover the lack in `needed` categories.

    Sorts `lack` in ascending order.
    """
    for i in range(1, N_CATEGORIES):
        one = lack[i]
        place = i
        while place > 0 and lack[place - 1] > one:
            lack[place] = lack[place - 1]
            place -= 1
        lack[place] = one
    total = 0
    for i in range(min(needed, N_CATEGORIES)):
        total += max(lack[i], 0)
    return total


@kernel
def intrigue_lead(table, seat):
    """Return the lead in intrigue over the best rival; primus conspiratus counts as half a symbol.

    Without it, a seat with the same number of symbols is behind.
    """
    best = 0
    for other in range(table.players):
        if other != seat:
            best = max(best, table.symbols[other, INTRIGUE])
    lead = table.symbols[seat, INTRIGUE] - best
    return lead + 0.5 if table.primus == seat else lead - 0.5


@kernel
def points_lead(table, result, seat):
    """Return the lead in points over the best rival."""
    best = 0
    for other in range(table.players):
        if other != seat:
            best = max(best, result.points[other])
    return result.points[seat] - best


@called
def begin_search(search, table, me, choice):
    """Derive what the seat knows, once for a decision."""
    update_beliefs(search.beliefs, table, me, choice)
    if search.beliefs.out > 0:
        count_ways(search.beliefs)
    for seat in range(table.players):
        weigh_models(search, table, seat)
    copy_table(search.world.table, table)
    clear_private_knowledge(search.world)
    search.progress.failure = FINE
    set_plan(search, table, me.seat, 0)


@kernel
def plans_for(table):
    """Return the number of the searcher's list of plans for this table: 1 in solo, else 0."""
    return 1 if table.solo_level else 0


@kernel
def set_plan(search, table, seat, plan):
    """Let a plan continue for the own seat in the next rollouts."""
    plans = plans_for(table)
    copy_params(search.game.seats[seat].params, search.plan_params[plans, plan])
    search.progress.policies[seat] = search.plan[plans, plan]


@called
def determinize(search, me, choice, stream):
    """Sample a world that fits what the seat knows, with a policy for every rival."""
    world = search.world
    set_up_seats(world, me, choice, stream)
    copy_own_seat(world.seats[me.seat], me)
    copy_choice(world.choices[me.seat], choice)
    deal_unseen(world, search.beliefs, me, stream)
    for seat in range(world.table.players):
        if seat != me.seat:
            model = draw_model(search, seat, stream)
            search.progress.policies[seat] = search.model[model]
            copy_params(search.game.seats[seat].params, search.model_params[model])


@kernel
def copy_own_seat(target, me):
    """Copy the searcher's own record, except for its random stream and its memory."""
    state = state_of(target.stream)
    copy_seat(target, me)
    set_state(target.stream, state)
    for i in range(target.memory.size):
        target.memory[i] = 0.0


@kernel
def copy_params(target, source):
    """Copy the parameters of a policy."""
    for i in range(MAX_PARAMS):
        target[i] = source[i]


@kernel
def draw_model(search, seat, stream):
    """Draw the policy of a rival in this world by its weight."""
    if search.models == 1:
        return 0
    total = 0.0
    for model in range(search.models):
        total += search.weight[seat, model]
    point = unit(stream) * total
    for model in range(search.models - 1):
        point -= search.weight[seat, model]
        if point < 0.0:
            return model
    return search.models - 1


@called
def roll_out(search, me, option):
    """Play an option and the game to the end in the sampled world; return the value of the end."""
    begin_rollout(search)
    play_from(search.game, search.progress, option)
    return value_of_end(search, search.game, me.seat)


@kernel
def begin_rollout(search):
    """Copy the sampled world, to be played."""
    copy_game(search.game, search.world)
