"""Ways from Python into the parts of the search: what a seat knows, and worlds that fit it."""

import functools

import numba
from numba import types

import paxsim
from paxsim.engine.jit import OPTIONS
from paxsim.engine.loop import game_at
from paxsim.engine.lowlevel import copy_game
from paxsim.engine.records import address_of
from paxsim.search.rollouts import begin_search, imagine_world
from paxsim.search.searcher import search_at
from support.kept import kept

PLACES = types.void(types.int64, types.int64)


@functools.cache
def _look():
    @kept
    @numba.njit(**OPTIONS)
    def look(search_address, game_address):
        search, game = search_at(search_address), game_at(game_address)
        seat = game.hidden.seat
        begin_search(search, game.table, game.seats[seat], game.choices[seat])

    look.compile(PLACES)
    return look


@functools.cache
def _imagine():
    @kept
    @numba.njit(**OPTIONS)
    def imagine(search_address, game_address):
        search, game = search_at(search_address), game_at(game_address)
        me = game.seats[game.hidden.seat]
        imagine_world(search, me, game.choices[game.hidden.seat], me.stream)

    imagine.compile(PLACES)
    return imagine


@functools.cache
def _copy():
    @kept
    @numba.njit(**OPTIONS)
    def copy(target, source):
        copy_game(game_at(target), game_at(source))

    copy.compile(PLACES)
    return copy


def new_workspace(spec="search:rollouts=2:self=random:opponents=random"):
    """The memory of a searcher that nobody else uses."""
    return paxsim.get_policy(spec).context().memory[0]


def what_is_known(workspace, address):
    """What the deciding seat of a game knows (`paxsim.search.memory.known_dtype`)."""
    _look()(address_of(workspace), address)
    return workspace[0]["known"]


def imagine(workspace, address):
    """One more world for the deciding seat of the game that was looked at last."""
    _imagine()(address_of(workspace), address)
    return workspace[0]["world"]


def copy_lean(target, source):
    """Copy one game record over another, both by address."""
    _copy()(target, source)
