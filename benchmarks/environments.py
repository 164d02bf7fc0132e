"""Decisions per second of environments for learners, on one core, in one run.

    python benchmarks/environments.py [--pgx PYTHON] [--turns 60] [--out FOLDER]

All are driven from Python and play at random. `VectorEnv` makes observations, action masks and
rewards at every decision. OpenSpiel is stepped from Python, decision by decision; its own C++ loop
plays whole games of random bots in one call, without observations. Pgx advances many games in one
compiled call, as `VectorEnv` does. Pgx is no dependency: ``--pgx`` names a Python that has it
(``pip install pgx jax`` in an environment of its own).

The games differ, so this compares how long a learner waits, not equal programs. Leduc poker, which
OpenSpiel and Pgx have, is far smaller than PAX, and its games are so short that calls dominate
OpenSpiel's loop. Hearts is a card game for four, the fastest of seven card games in that loop.

Times are processor time, the best of many short turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measuring import RESULTS, best_in_turns, markdown_table

import paxsim
from paxsim.cli.tools import machine
from paxsim.io import atomic_write

#: Games in hand.
SIZES = (128, 512, 1024, 2048, 4096)
#: Games in hand against opponents, and of Pgx, for which more are better.
OPPOSED_GAMES, PGX_GAMES = 512, 4096
#: Decisions of each turn, about; of Pgx, whose turns take longer.
DECISIONS, PGX_DECISIONS = 40_000, 400_000
#: OpenSpiel's games: a small card game that all have, and one for four.
SPIEL_GAMES = ("leduc_poker", "hearts")

PGX = """
import json, os, sys, time
os.sched_setaffinity(0, {0})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax, pgx
games, decisions, turns = map(int, sys.argv[1:])
env = pgx.make("leduc_holdem")
step = pgx.experimental.auto_reset(env.step, env.init) if hasattr(pgx, "experimental") else None
if step is None:
    from pgx.experimental.wrappers import auto_reset
    step = auto_reset(env.step, env.init)
def one(carry, key):
    state = carry
    logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
    keys = jax.random.split(key, games + 1)
    action = jax.random.categorical(keys[0], logits, axis=1)
    return jax.vmap(step)(state, action, keys[1:]), None
run = jax.jit(one)
state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
key = jax.random.PRNGKey(1)
state, _ = run(state, key)
best = float("inf")
for _ in range(turns):
    begin = time.process_time()
    for _ in range(decisions // games):
        key, use = jax.random.split(key)
        state, _ = run(state, use)
    jax.block_until_ready(state)
    best = min(best, (time.process_time() - begin) / (decisions // games * games))
print(json.dumps({"version": pgx.__version__, "seconds": best}))
"""


def batch_of(games: int, **how: object) -> Callable[[], float]:
    """Return seconds per decision of `VectorEnv`."""
    env = paxsim.VectorEnv(games, 4, seed=1, **how)
    env.reset()

    def work() -> float:
        steps = max(1, DECISIONS // games)
        begin = time.process_time()
        for _ in range(steps):
            env.step(env.random_actions())
        return (time.process_time() - begin) / (steps * games)

    work()
    return work


def one_by_one() -> float:
    """Return seconds per decision of the PettingZoo environment."""
    table = paxsim.env(players=4).unwrapped
    dice = np.random.default_rng(1)
    decisions = 0
    begin = time.process_time()
    for seed in range(3):
        table.reset(seed=seed)
        while not table.terminations[table.agent_selection]:
            allowed = np.flatnonzero(table.observe(table.agent_selection)["action_mask"])
            table.step(int(dice.choice(allowed)))
            decisions += 1
    return (time.process_time() - begin) / decisions


def played_by_openspiel(game: Any, wanted: int) -> tuple[int, int]:
    """Play games from Python up to a number of decisions; return decisions and games."""
    dice, decisions, games = random.Random(1), 0, 0
    while decisions < wanted:
        state = game.new_initial_state()
        games += 1
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(dice.choice(state.legal_actions()))
    return decisions, games


def openspiel_from_python(name: str) -> Callable[[], float]:
    """Return seconds per decision of OpenSpiel stepped from Python."""
    import pyspiel

    game = pyspiel.load_game(name)

    def work() -> float:
        begin = time.process_time()
        decisions, _ = played_by_openspiel(game, DECISIONS // 8)
        return (time.process_time() - begin) / decisions

    return work


def openspiel_in_cpp(name: str) -> Callable[[], float]:
    """Return seconds per decision of OpenSpiel's C++ loop: random bots, one game per call."""
    import pyspiel

    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]
    decisions, played = played_by_openspiel(game, DECISIONS)  # how long its games are
    mean = decisions / played
    games = int(DECISIONS / mean)

    def work() -> float:
        begin = time.process_time()
        for seed in range(games):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        return (time.process_time() - begin) / (games * mean)

    return work


def with_pgx(python: str, turns: int) -> dict[str, float]:
    """Return seconds per decision of Pgx, in the Python that has it."""
    command = [python, "-c", PGX, str(PGX_GAMES), str(PGX_DECISIONS), str(turns)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"Pgx: {done.stderr.strip().splitlines()[-1]}")
        return {}
    found = json.loads(done.stdout)
    return {f"Pgx {found['version']}, leduc_holdem, {PGX_GAMES:,} games a call": found["seconds"]}


def measured(pgx: str | None, turns: int) -> list[dict[str, object]]:
    """Return a row per environment."""
    from importlib.metadata import version

    spiel = f"OpenSpiel {version('open_spiel')}"
    loops = {name: f"{spiel}, {name}, its C++ loop" for name in SPIEL_GAMES}
    works = {f"paxsim.VectorEnv, {games:,} games a call": batch_of(games) for games in SIZES}
    works |= {
        f"paxsim.VectorEnv against builder, {OPPOSED_GAMES:,} games": batch_of(
            OPPOSED_GAMES, opponents="builder"
        ),
        "paxsim.env (PettingZoo)": one_by_one,
    }
    for name in SPIEL_GAMES:
        works[f"{spiel}, {name}, from Python"] = openspiel_from_python(name)
        works[loops[name]] = openspiel_in_cpp(name)
    best = best_in_turns(works, turns)
    if pgx:
        best |= with_pgx(pgx, max(3, turns // 10))
    return [
        {"environment": environment, "decisions/s": 1 / seconds}
        | {f"times the C++ loop, {name}": best[loops[name]] / seconds for name in SPIEL_GAMES}
        for environment, seconds in best.items()
    ]


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pgx", help="a Python that has Pgx and JAX")
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows = measured(asked.pgx, asked.turns)
    about = machine()
    load = f"load over the last minute {os.getloadavg()[0]:.1f}"
    text = (
        "# Environments for learners\n\nDecisions a second at random, one core, processor time, "
        f"best of {asked.turns} turns. {about}; paxsim {paxsim.__version__}; {load}.\n"
        "Made by `python benchmarks/environments.py`.\n\n"
        f"{markdown_table(rows)}\n"
    )
    print(text)
    with atomic_write(asked.out / "environments.md") as file:
        file.write(text)


if __name__ == "__main__":
    main()
