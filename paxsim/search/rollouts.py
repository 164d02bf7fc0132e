"""Rollouts: an imagined game is played to its end."""

from __future__ import annotations

from paxsim.engine.copying import copy_choice, copy_game, copy_seat, copy_table
from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import FINE, play_from
from paxsim.engine.records import MAX_PARAMS
from paxsim.search.imagine import (
    count_ways,
    deal_unseen,
    forget_rivals,
    seat_everybody,
    unit,
)
from paxsim.search.models import weigh_models
from paxsim.search.unseen import sort_out
from paxsim.search.value import worth


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
