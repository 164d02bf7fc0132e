"""What a rollout costs beside the same stretch of a plain game, and what its parts cost.

    python benchmarks/rollouts.py [--policy builder] [--players 4]

From decisions in the middle of games a searcher's worlds are imagined, copied and played to the
end. The stretch is the play alone. Times are processor time, the best of several turns.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from measuring import markdown_table
from numba import types

import paxsim
from paxsim.engine.copying import copy_game
from paxsim.engine.jit import whole
from paxsim.engine.loop import game_at, play_from
from paxsim.engine.records import address_of, game_dtype
from paxsim.game import walk
from paxsim.search.rollouts import begin_search, imagine_world, roll_out
from paxsim.search.searcher import search_at

REPEATS = 400
TURNS = 15
#: Decisions of a game at which it is looked at.
DECISIONS = (20, 45, 70)
OPTIONS = 6


def measured(work: Any) -> Any:
    """A compiled loop over `work` on a searcher's desk and a game."""
    part = whole(work)

    def loop(desk_address, game_address, repeats):
        search = search_at(desk_address)
        game = game_at(game_address)
        me = game.seats[game.hidden.seat]
        choice = game.choices[game.hidden.seat]
        begin_search(search, game.table, me, choice)
        imagine_world(search, me, choice, me.stream)
        for _ in range(repeats):
            part(search, me, choice)

    compiled = whole(loop)
    compiled.compile(types.void(types.int64, types.int64, types.int64))
    return compiled


def copy(search, me, choice):
    copy_game(search.game, search.world)


def imagine(search, me, choice):
    imagine_world(search, me, choice, me.stream)


def copy_and_play(search, me, choice):
    copy_game(search.game, search.world)
    play_from(search.game, search.progress, 0)


def rollout(search, me, choice):
    roll_out(search, me, 0)


def games(policy: str, players: int) -> list[np.ndarray]:
    """Copies of games at decisions in their middle."""
    found = []
    setting, lineup = paxsim.make_setting(players), paxsim.make_lineup(policy, players)
    for deal in range(4):
        for number, game in enumerate(walk(setting, lineup, 1, deal, 0)):
            if number in DECISIONS and not game.over:
                found.append(np.frombuffer(game.record.tobytes(), np.uint8).copy())
    return found


def nanoseconds(loop: Any, desk: np.ndarray, positions: list[np.ndarray]) -> float:
    """Time of one repeat, the mean over positions of the best turn of each."""
    total = 0.0
    for position in positions:
        turns = []
        for _ in range(TURNS):
            begin = time.thread_time()
            loop(address_of(desk), address_of(position), REPEATS)
            turns.append(time.thread_time() - begin)
        total += min(turns)
    return total / len(positions) / REPEATS * 1e9


def rollout_costs(policy: str = "builder", players: int = 4) -> list[dict[str, Any]]:
    """Nanoseconds of the parts, and what a rollout costs as a multiple of the stretch it plays."""
    searcher = paxsim.find_policy(f"search:self={policy}:opponents={policy}")
    desk = searcher._new_desk()
    positions = games(policy, players)
    copied, imagined, played, rolled = (
        nanoseconds(measured(work), desk, positions)
        for work in (copy, imagine, copy_and_play, rollout)
    )
    stretch = played - copied
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
