"""Rollouts: an imagined game is played to its end."""

from __future__ import annotations

import math

from paxsim.cards import INTRIGUE
from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import FINE, play_from
from paxsim.engine.lowlevel import copy_choice, copy_game, copy_seat, copy_table
from paxsim.engine.records import MAX_PARAMS, MAX_PLAYERS, N_CATEGORIES
from paxsim.engine.scoring import categories_displayed, score
from paxsim.search.beliefs import (
    count_ways,
    deal_unseen,
    forget_rivals,
    seat_everybody,
    sort_out,
    unit,
)
from paxsim.search.opponents import weigh_models

#: Leads, in symbols and in points, of which a seat may be sure by three in four (`step`: 0.73).
ROME_LEAD = 2.0
INTRIGUE_LEAD = 2.0
POINTS_LEAD = 4.0
#: What the display lacks in solo, in symbols and categories, where a third of the value is left.
SOLO_LACK = 4.0


@called
def worth(search, game, seat):
    """The share of the win, and how near it was; `closeness` is the weight of the latter."""
    share = share_of_win(game, search.result, seat)
    if search.closeness == 0.0:
        return share
    near = nearness(search.lack, game, search.result, seat)
    return share + search.closeness * (near - share)


@kernel
def share_of_win(game, result, seat):
    """A seat's share of the win at the end of a game, which is scored."""
    for i in range(MAX_PLAYERS):
        result.shares[i] = 0.0
    score(game, result)
    return result.shares[seat]


@called
def nearness(lack, game, result, seat):
    """How near a game that was scored was to a win of a seat, from 0 to 1.

    `lack` is room to work in, a number for each category.
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
    """From 0 far behind to 1 far ahead, smoothly."""
    return 1.0 / (1.0 + math.exp(-lead))


@kernel
def solo_lack(lack, table, result):
    """Categories that are not displayed, and symbols that are missing to be above Rome."""
    for category in range(N_CATEGORIES):
        lack[category] = result.rome_symbols[category] + 1 - result.symbols[0, category]
    hidden = N_CATEGORIES - categories_displayed(table, 0)
    return hidden + least_to_take(lack, table.rules.solo_needs)


@kernel
def rome_lead(lack, table, result):
    """How many symbols more would have kept Rome from winning, less a half.

    Below 0: how many Rome lacks to hold one more of the categories it needs.
    """
    for category in range(N_CATEGORIES):
        lack[category] = result.rome_symbols[category] + 1 - table.strongest[category]
    needed = N_CATEGORIES + 1 - table.rules.rome_needs
    missing = least_to_take(lack, needed)
    if missing > 0 or needed <= 0:
        return missing - 0.5
    return lack[min(needed, N_CATEGORIES) - 1] - 0.5


@kernel
def least_to_take(lack, needed):
    """The fewest symbols that make up what is lacking in so many categories.

    Sorts `lack`, the least first.
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
    """Symbols of intrigue beyond the best rival's, and half of one for primus conspiratus.

    A seat that lacks it is behind even with as many symbols.
    """
    best = 0
    for other in range(table.players):
        if other != seat:
            best = max(best, table.symbols[other, INTRIGUE])
    lead = table.symbols[seat, INTRIGUE] - best
    return lead + 0.5 if table.primus == seat else lead - 0.5


@kernel
def points_lead(table, result, seat):
    """Points beyond the best rival's."""
    best = 0
    for other in range(table.players):
        if other != seat:
            best = max(best, result.points[other])
    return result.points[seat] - best


@called
def begin_search(search, table, me, choice):
    """Work out what the seat knows, once for a decision."""
    sort_out(search.known, table, me, choice)
    if search.known.out > 0:
        count_ways(search.known)
    for seat in range(table.players):
        weigh_models(search, table, seat)
    copy_table(search.world.table, table)
    forget_rivals(search.world)
    search.progress.failure = FINE
    take_plan(search, table, me.seat, 0)


@kernel
def plans_for(table):
    """Which of its two lists of plans a searcher has at this table."""
    return 1 if table.solo_level else 0


@kernel
def take_plan(search, table, seat, plan):
    """Let the rollouts to come play the own seat on by this plan."""
    plans = plans_for(table)
    copy_params(search.game.seats[seat].params, search.plan_params[plans, plan])
    search.progress.policies[seat] = search.plan[plans, plan]


@called
def imagine_world(search, me, choice, stream):
    """One more world that fits what the seat knows, with a policy for everybody."""
    world = search.world
    seat_everybody(world, me, choice, stream)
    copy_own_seat(world.seats[me.seat], me)
    copy_choice(world.choices[me.seat], choice)
    deal_unseen(world, search.known, me, stream)
    for seat in range(world.table.players):
        if seat != me.seat:
            model = draw_model(search, seat, stream)
            search.progress.policies[seat] = search.model[model]
            copy_params(search.game.seats[seat].params, search.model_params[model])


@kernel
def copy_own_seat(target, me):
    """The searcher's own record, but for its random stream and its notes."""
    s0, s1, s2, s3 = target.stream[0], target.stream[1], target.stream[2], target.stream[3]
    copy_seat(target, me)
    target.stream[0], target.stream[1], target.stream[2], target.stream[3] = s0, s1, s2, s3
    for i in range(target.memory.size):
        target.memory[i] = 0.0


@kernel
def copy_params(target, source):
    """The parameters of a policy."""
    for i in range(MAX_PARAMS):
        target[i] = source[i]


@kernel
def draw_model(search, seat, stream):
    """The policy that a rival plays in this world, by its weight."""
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
    """Take an option in the imagined world and play on to the end; return what it was worth."""
    begin_rollout(search)
    play_from(search.game, search.progress, option)
    return worth(search, search.game, me.seat)


@kernel
def begin_rollout(search):
    """A copy of the imagined world, to be played."""
    search.progress.asked += 1  # whoever watches sees that the search moves on
    copy_game(search.game, search.world)
