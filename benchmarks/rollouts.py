"""Cost of a rollout relative to the same part of a plain game, and the cost of its parts.

    python benchmarks/rollouts.py [--policy builder] [--players 4]

From decisions in the middle of games, a searcher samples worlds, copies each for every option, and
plays the copies to the end. One compiled loop reads the clock between these parts, so a rollout is
compared with the play in it: the same machine code and the same game. Played separately, the same
game differs by more than a copy costs.

Worlds and options differ from rollout to rollout, as in a search. The cost of reading the clock is
measured and subtracted. Worlds during which something else had the processor are left out.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from functools import cache
from typing import Any

import numpy as np
from measuring import markdown_table
from numba import types

import paxsim
from paxsim.engine.jit import whole
from paxsim.engine.loop import game_at, play_from
from paxsim.engine.records import address_of, game_dtype
from paxsim.game import walk
from paxsim.search.rollouts import (
    begin_rollout,
    begin_search,
    determinize,
    nearness,
    share_of_win,
)
from paxsim.search.searcher import search_at

#: Worlds imagined at each position, and options that share a world.
WORLDS = 400
OPTIONS = 6
#: Decisions of a game at which it is looked at.
DECISIONS = (20, 45, 70)
DEALS = 4
#: A part that takes so many times its usual time was interrupted.
INTERRUPTED = 4.0

# What is timed, in the order of a row of `stamps`.
WORLD, COPY, PLAY, VALUE, CLOCK = range(5)


@cache
def compiled_loop() -> Any:
    """Return a compiled loop over worlds and rollouts of all options, with times."""
    gettime = ctypes.CDLL(None).clock_gettime
    gettime.argtypes, gettime.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_int
    clock = int(time.CLOCK_MONOTONIC)

    def loop(workspace_address, game_address, options, stamp, taken):
        search = search_at(workspace_address)
        game = game_at(game_address)
        me = game.seats[game.hidden.seat]
        choice = game.choices[game.hidden.seat]
        begin_search(search, game.table, me, choice)
        times = stamp.ctypes
        for row in range(taken.shape[0]):
            first = row % options == 0
            gettime(clock, times)
            before = stamp[0] * 1_000_000_000 + stamp[1]
            if first:
                determinize(search, me, choice, me.stream)
            gettime(clock, times)
            imagined = stamp[0] * 1_000_000_000 + stamp[1]
            begin_rollout(search)
            gettime(clock, times)
            copied = stamp[0] * 1_000_000_000 + stamp[1]
            play_from(search.game, search.progress, row % options % choice.count)
            share_of_win(search.game, search.result, me.seat)
            gettime(clock, times)
            played = stamp[0] * 1_000_000_000 + stamp[1]
            search.gain[0] += nearness(search.lack, search.game, search.result, me.seat)
            gettime(clock, times)
            valued = stamp[0] * 1_000_000_000 + stamp[1]
            gettime(clock, times)
            taken[row, WORLD] = imagined - before
            taken[row, COPY] = copied - imagined
            taken[row, PLAY] = played - copied
            taken[row, VALUE] = valued - played
            taken[row, CLOCK] = stamp[0] * 1_000_000_000 + stamp[1] - valued

    compiled = whole(loop)
    numbers = types.Array(types.int64, 1, "C")
    table = types.Array(types.int64, 2, "C")
    compiled.compile(types.void(types.int64, types.int64, types.int64, numbers, table))
    return compiled


def games(policy: str, players: int) -> list[np.ndarray]:
    """Return copies of games at decisions in their middle."""
    found = []
    setting, lineup = paxsim.make_setting(players), paxsim.make_lineup(policy, players)
    for deal in range(DEALS):
        for number, game in enumerate(walk(setting, lineup, 1, deal, 0)):
            if number in DECISIONS and not game.over:
                found.append(np.frombuffer(game.record.tobytes(), np.uint8).copy())
    return found


def times_at(workspace: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return mean nanoseconds of a world, a copy, play, value and clock at one position."""
    taken = np.zeros((WORLDS * OPTIONS, CLOCK + 1), np.int64)
    compiled_loop()(
        address_of(workspace), address_of(position), OPTIONS, np.zeros(2, np.int64), taken
    )
    parts = taken.reshape(WORLDS, OPTIONS, -1)
    usual = np.median(parts, axis=(0, 1))
    usual[WORLD] = np.median(parts[:, 0, WORLD])
    whole_worlds = parts[(parts <= INTERRUPTED * usual).all(axis=(1, 2))]
    found = whole_worlds.mean(axis=(0, 1))
    found[WORLD] = whole_worlds[:, 0, WORLD].mean()
    found[:CLOCK] -= found[CLOCK]
    return found


def rollout_costs(policy: str = "builder", players: int = 4) -> list[dict[str, Any]]:
    """Return nanoseconds of the parts, and the cost of a rollout as a multiple of its play."""
    searcher = paxsim.get_policy(f"search:self={policy}:opponents={policy}")
    context = searcher.context()
    workspace, *_ = context.memory
    positions = games(policy, players)
    times_at(workspace, positions[0])  # warm
    world, copied, stretch, valued, _ = np.mean(
        [times_at(workspace, each) for each in positions], axis=0
    )
    beside = copied + valued
    whole_rollout = world / OPTIONS + beside + stretch
    rows = [
        (f"used part of a game ({game_dtype.itemsize:,} bytes) copied, ns", copied),
        ("world imagined, ns", world),
        (f"stretch of {players} {policy} that a rollout plays, with its score, ns", stretch),
        ("how near its end was to a win, ns", valued),
        (f"rollout, its world shared by {OPTIONS} options, ns", whole_rollout),
        ("rollout as a multiple of the stretch", whole_rollout / stretch),
        ("the same, a world for every rollout", (world + beside + stretch) / stretch),
    ]
    return [{"what": what, "found": float(found)} for what, found in rows]


def costs_of_builders(quick: bool) -> list[dict[str, Any]]:
    """Return the costs for the shortest rollouts, where the overhead weighs most."""
    return rollout_costs()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--policy", default="builder")
    parser.add_argument("--players", type=int, default=4)
    asked = parser.parse_args()
    print(markdown_table(rollout_costs(asked.policy, asked.players)))


if __name__ == "__main__":
    main()
