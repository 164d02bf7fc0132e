"""What a rollout costs beside the same stretch of a plain game, and what its parts cost.

    python benchmarks/rollouts.py [--policy builder] [--players 4]

From decisions in the middle of games a searcher's worlds are imagined, copied and played to the
end. The stretch is the rollout less its copy: all that is compared is done by one compiled loop, so
that the games in it are played by the same machine code. Times are processor time, the best of
several turns.
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from typing import Any

import numpy as np
from measuring import markdown_table
from numba import types

import paxsim
from paxsim.engine.copying import copy_game
from paxsim.engine.jit import whole
from paxsim.engine.loop import game_at
from paxsim.engine.records import address_of, game_dtype
from paxsim.game import walk
from paxsim.search.rollouts import begin_search, imagine_world, roll_out
from paxsim.search.searcher import search_at

REPEATS = 400
TURNS = 15
#: Decisions of a game at which it is looked at.
DECISIONS = (20, 45, 70)
OPTIONS = 6


@cache
def compiled_loop() -> Any:
    """Repeats some copies, some worlds and some rollouts at a game's decision."""

    def loop(desk_address, game_address, repeats, copies, worlds, rollouts):
        search = search_at(desk_address)
        game = game_at(game_address)
        me = game.seats[game.hidden.seat]
        choice = game.choices[game.hidden.seat]
        begin_search(search, game.table, me, choice)
        imagine_world(search, me, choice, me.stream)
        for _ in range(repeats):
            for _ in range(copies):
                copy_game(search.game, search.world)
            for _ in range(worlds):
                imagine_world(search, me, choice, me.stream)
            for _ in range(rollouts):
                roll_out(search, me, 0)

    compiled = whole(loop)
    compiled.compile(types.void(*[types.int64] * 6))
    return compiled


def games(policy: str, players: int) -> list[np.ndarray]:
    """Copies of games at decisions in their middle."""
    found = []
    setting, lineup = paxsim.make_setting(players), paxsim.make_lineup(policy, players)
    for deal in range(4):
        for number, game in enumerate(walk(setting, lineup, 1, deal, 0)):
            if number in DECISIONS and not game.over:
                found.append(np.frombuffer(game.record.tobytes(), np.uint8).copy())
    return found


def nanoseconds(desk: np.ndarray, positions: list[np.ndarray], *wanted: int) -> float:
    """Time of so many copies, worlds and rollouts: the mean over positions of their best turns."""
    total = 0.0
    for position in positions:
        turns = []
        for _ in range(TURNS):
            begin = time.thread_time()
            compiled_loop()(address_of(desk), address_of(position), REPEATS, *wanted)
            turns.append(time.thread_time() - begin)
        total += min(turns)
    return total / len(positions) / REPEATS * 1e9


def rollout_costs(policy: str = "builder", players: int = 4) -> list[dict[str, Any]]:
    """Nanoseconds of the parts, and what a rollout costs as a multiple of the stretch it plays."""
    searcher = paxsim.find_policy(f"search:self={policy}:opponents={policy}")
    desk = searcher.outfit().memory[0]
    positions = games(policy, players)
    copied, imagined, rolled = (
        nanoseconds(desk, positions, *wanted) for wanted in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    )
    stretch = rolled - copied
    whole_rollout = rolled + imagined / OPTIONS
    rows = [
        (f"used part of a game ({game_dtype.itemsize:,} bytes) copied, ns", copied),
        ("world imagined, ns", imagined),
        (f"stretch of {players} {policy} that a rollout plays, ns", stretch),
        (f"rollout, its world shared by {OPTIONS} options, ns", whole_rollout),
        ("rollout as a multiple of the stretch", whole_rollout / stretch),
    ]
    return [{"what": what, "found": found} for what, found in rows]


def costs_of_builders(quick: bool) -> list[dict[str, Any]]:
    """The costs where a rollout is shortest, so that what is beside the play weighs most."""
    return rollout_costs()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--policy", default="builder")
    parser.add_argument("--players", type=int, default=4)
    asked = parser.parse_args()
    print(markdown_table(rollout_costs(asked.policy, asked.players)))


if __name__ == "__main__":
    main()
