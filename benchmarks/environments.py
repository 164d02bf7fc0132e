"""Decisions a second of environments for learners, on one core, in one run.

    python benchmarks/environments.py [--pgx PYTHON] [--turns 5] [--out FOLDER]

All are driven from Python and play at random. `BatchEnv` makes observations, action masks and
rewards at every decision. OpenSpiel is asked for its legal actions and given one, decision by
decision; and, for its own C++ loop, whole games of its random bots in one call, without any
observation. Pgx advances many games in one compiled call, as `BatchEnv` does. It is no dependency:
``--pgx`` names a Python that has it (``pip install pgx jax`` in an environment of its own). The
games differ (Leduc poker is far smaller than PAX), so this compares what a learner waits for, not
programs that do the same.

Times are processor time, the best of several turns.
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

import numpy as np
from measuring import RESULTS, best_in_turns, markdown_table

import paxsim
from paxsim.cli.bench import machine
from paxsim.files import atomic_write

#: Games in hand, for those that have many.
GAMES = 256
#: Games in hand of Pgx, for which more are better.
PGX_GAMES = 4096
#: Decisions of each turn, about.
DECISIONS = 400_000
#: A small card game that all have.
CARDS = "leduc_poker"

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
    """Seconds a decision of the batched environment."""
    env = paxsim.BatchEnv(games, 4, seed=1, **how)
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
    """Seconds a decision of the PettingZoo environment."""
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


def openspiel_from_python() -> float:
    """Seconds a decision, each asked for and taken from Python."""
    import pyspiel

    game, dice, decisions = pyspiel.load_game(CARDS), random.Random(1), 0
    begin = time.process_time()
    while decisions < DECISIONS // 8:
        state = game.new_initial_state()
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(dice.choice(state.legal_actions()))
    return (time.process_time() - begin) / decisions


def openspiel_in_cpp() -> float:
    """Seconds a decision of its C++ loop: random bots, a game a call."""
    import pyspiel

    game = pyspiel.load_game(CARDS)
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(2)]
    decisions, dice = 0, random.Random(2)
    for _ in range(2000):  # how long games of random play are
        state = game.new_initial_state()
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(dice.choice(state.legal_actions()))
    mean = decisions / 2000
    games = int(DECISIONS / mean)
    begin = time.process_time()
    for seed in range(games):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
    return (time.process_time() - begin) / (games * mean)


def with_pgx(python: str, turns: int) -> dict[str, float]:
    """Seconds a decision of Pgx, in the Python that has it."""
    command = [python, "-c", PGX, str(PGX_GAMES), str(DECISIONS), str(turns)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"Pgx: {done.stderr.strip().splitlines()[-1]}")
        return {}
    found = json.loads(done.stdout)
    return {f"Pgx {found['version']}, leduc_holdem, {PGX_GAMES:,} games a call": found["seconds"]}


def measured(pgx: str | None, turns: int) -> list[dict[str, object]]:
    """One row an environment."""
    from importlib.metadata import version

    spiel = f"OpenSpiel {version('open_spiel')}, {CARDS}"
    base, loop = f"{spiel}, from Python", f"{spiel}, its C++ loop"
    works = {
        "paxsim.BatchEnv, 128 games a call": batch_of(128),
        f"paxsim.BatchEnv, {GAMES:,} games a call": batch_of(GAMES),
        "paxsim.BatchEnv, 512 games a call": batch_of(512),
        "paxsim.BatchEnv, 1,024 games a call": batch_of(1024),
        f"paxsim.BatchEnv against builder, {GAMES:,} games": batch_of(GAMES, opponents="builder"),
        "paxsim.env (PettingZoo)": one_by_one,
        base: openspiel_from_python,
        loop: openspiel_in_cpp,
    }
    best = best_in_turns(works, turns)
    if pgx:
        best |= with_pgx(pgx, turns)
    return [
        {
            "environment": name,
            "decisions/s": 1 / seconds,
            "times OpenSpiel from Python": round(best[base] / seconds, 1),
            "times its C++ loop": round(best[loop] / seconds, 1),
        }
        for name, seconds in best.items()
    ]


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pgx", help="a Python that has Pgx and JAX")
    parser.add_argument("--turns", type=int, default=5)
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
