"""Beliefs of a searching seat and worlds that fit them, called from Python."""

import functools
from collections import Counter

import numba
from numba import types

import paxsim
from paxsim.engine.jit import OPTIONS
from paxsim.engine.loop import game_at
from paxsim.engine.lowlevel import copy_game as copy_game_kernel
from paxsim.engine.records import MAX_PARAMS, RING, address_of
from paxsim.search.rollouts import begin_search, determinize
from paxsim.search.searcher import search_at
from support.cached_code import cached

PLACES = types.void(types.int64, types.int64)


def compiled(function):
    """Return a function that compiles `function` of two addresses at its first call."""

    @functools.cache
    def dispatcher():
        made = cached(numba.njit(**OPTIONS)(function))
        made.compile(PLACES)
        return made

    return lambda *addresses: dispatcher()(*addresses)


@compiled
def _begin(search_address, game_address):
    search, game = search_at(search_address), game_at(game_address)
    seat = game.hidden.seat
    begin_search(search, game.table, game.seats[seat], game.choices[seat])


@compiled
def _sample(search_address, game_address):
    search, game = search_at(search_address), game_at(game_address)
    me = game.seats[game.hidden.seat]
    determinize(search, me, game.choices[game.hidden.seat], me.stream)


@compiled
def _copy(target, source):
    copy_game_kernel(game_at(target), game_at(source))


def new_workspace(spec="search:rollouts=2:self=random:opponents=random"):
    """Return the memory of a new searcher."""
    return paxsim.get_policy(spec).context().memory[0]


def beliefs_of(workspace, address):
    """Return the beliefs of a game's deciding seat (`paxsim.search.memory.beliefs_dtype`)."""
    _begin(address_of(workspace), address)
    return workspace[0]["beliefs"]


def sample_world(workspace, address):
    """Return one more world for the deciding seat; `beliefs_of` has to be called first."""
    _sample(address_of(workspace), address)
    return workspace[0]["world"]


def copy_game(target, source):
    """Copy one game record over another, both by address."""
    _copy(target, source)


def unknown_places(record, beliefs, seat):
    """Return the places that a seat knows nothing about, as pairs of an array and an index."""
    hidden, table = record["hidden"], record["table"]
    places = [(hidden["removed"], i) for i in range(hidden["removed_count"])]
    if not record["seats"][seat]["peeked"]:
        places += [(hidden["rome_hidden"], i) for i in range(table["rules"]["rome_hidden"])]
    for i in range(table["deck_left"]):
        slot = (int(table["deck_top"]) + i) % RING
        if not beliefs["deck"][slot]:
            places.append((hidden["deck"], slot))
    for rival in set(range(table["players"])) - {seat}:
        located = Counter(beliefs["hand"][rival][: beliefs["hand_count"][rival]].tolist())
        hand = record["seats"][rival]["hand"]
        for i in range(record["seats"][rival]["hand_count"]):
            if located[int(hand[i])]:
                located[int(hand[i])] -= 1
            else:
                places.append((hand, i))
    return places


def change_hidden_state(record, beliefs, random):
    """Shuffle cards that the deciding seat can't locate; fill its rivals' records with noise."""
    seat = int(record["hidden"]["seat"])
    places = unknown_places(record, beliefs, seat)
    assert len(places) == beliefs["places"]
    cards = [int(array[i]) for array, i in places]
    for (array, i), card in zip(places, random.permutation(cards), strict=True):
        array[i] = card
    for rival in set(range(len(record["seats"]))) - {seat}:
        other = record["seats"][rival]
        other["memory"] = random.random(other["memory"].shape)
        other["params"] = random.random(MAX_PARAMS)
        other["stream"] = random.integers(1, 2**60, 4)
        noise = random.integers(0, 120, 40)
        for name in ("buried", "buried_at"):
            other[name][:40] = noise
        other["buried_count"] = 40
        other["rome_hidden"] = random.integers(0, 9, 8)
        record["choices"][rival]["options"] = random.integers(0, 120, RING)
        record["choices"][rival]["drawn_count"] = 3
