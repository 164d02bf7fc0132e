"""Flat search: rollouts of every option in common worlds, halving the options in the race.

The plain option is the one that the searcher's own rollout policy would choose. It stays in the
race to the end, every option is compared with it world by world, and another is chosen only if it
is better by more than some paired errors: a few rollouts say less than the policy knows.
"""

from __future__ import annotations

import math

from paxsim.engine.choices import placed_card, placed_to, played_card
from paxsim.engine.jit import kernel
from paxsim.engine.loop import FINE, ask, is_an_option
from paxsim.engine.records import DISPLAY, KEEP, PLACE, PLAY, REACT
from paxsim.engine.seating import policy_at
from paxsim.search.rollouts import begin_search, copy_params, imagine_world, own_model, roll_out

#: The answer of a search in which a policy failed; its `progress` says who, and how.
FAILED = -1

#: Squared differences beyond those seen, when the error of a difference is estimated: one game won
#: instead of lost.
DISAGREEMENT = 1.0


@kernel
def search_flat(search, table, me, choice):
    """The option with the best outlook."""
    list_options(search, me, choice)
    if search.options == 1:
        return search.option[0]
    begin_search(search, table, me, choice)
    plain = find_plain(search, me, choice)
    if plain < 0:
        return FAILED
    budget = search.rollouts * search.options
    alive = search.options
    rounds = halvings(search.options)
    for turn in range(rounds):
        worlds = max(budget // (rounds * alive), 1)
        for _ in range(worlds):
            compare_options(search, me, choice, plain)
            if search.progress.failure != FINE:
                return FAILED
        if turn + 1 < rounds:
            alive = halve(search, plain, alive)
    return search.option[best_option(search, plain)]


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
            search.alive[count] = 1
            search.played[count] = 0.0
            search.total[count] = 0.0
            search.gain[count] = 0.0
            search.gain_squared[count] = 0.0
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
def find_plain(search, me, choice):
    """The number of the option that the rollout policy would choose, asked in a world.

    `FAILED` if there is no such option.
    """
    imagine_world(search, me, choice, me.stream)
    world = search.world
    seat = me.seat
    own = world.seats[seat]
    alone = own_model(world.table)
    copy_params(own.params, search.self_params[alone])
    option = ask(world, policy_at(search.self[alone]), search.progress)
    if not is_an_option(option, choice.count, search.progress):
        return FAILED
    for i in range(search.options):
        if same(me, choice, search.option[i], option) or search.option[i] == option:
            return i
    return 0


@kernel
def halvings(options):
    """How often the options can be halved, at least once."""
    rounds = 1
    while options > 2:
        options = (options + 1) // 2
        rounds += 1
    return rounds


@kernel
def compare_options(search, me, choice, plain):
    """One world for all options in the race, or until a policy fails."""
    imagine_world(search, me, choice, me.stream)
    base = roll_out(search, me, search.option[plain])
    search.total[plain] += base
    search.played[plain] += 1.0
    for i in range(search.options):
        if search.progress.failure != FINE:
            return
        if search.alive[i] and i != plain:
            value = roll_out(search, me, search.option[i])
            search.total[i] += value
            search.played[i] += 1.0
            search.gain[i] += value - base
            search.gain_squared[i] += (value - base) * (value - base)


@kernel
def halve(search, plain, alive):
    """Keep the better half, by mean value, and the plain option; return how many are left."""
    keep = max((alive + 1) // 2, 2)
    while alive > keep:
        worst = -1
        for i in range(search.options):
            if search.alive[i] and i != plain:
                if worst < 0 or search.gain[i] < search.gain[worst]:
                    worst = i
        search.alive[worst] = 0
        alive -= 1
    return alive


@kernel
def best_option(search, plain):
    """The best of the last options, if it is better than the plain one beyond doubt."""
    best = -1
    for i in range(search.options):
        if search.alive[i] and i != plain:
            if best < 0 or search.gain[i] > search.gain[best]:
                best = i
    if best < 0:
        return plain
    count = search.played[best]
    # A few worlds that happen to agree prove nothing, so some disagreement is taken for granted.
    error = math.sqrt(search.gain_squared[best] + DISAGREEMENT) / count
    return best if search.gain[best] / count > search.doubt * error else plain
