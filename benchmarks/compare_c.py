"""The engine's speed as a share of hand-written C (`yardstick.c`), by number of players.

    python benchmarks/compare_c.py [--players 2 3 4 8] [--games 20000] [--repeats 9]

C and the engine play the same deals in turns, and the best time of each counts, so a busy machine
slows both down equally. Before timing, their sums of rounds, decisions, points and wins must be
equal, which shows that both play the same games.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import HERE, best_in_turns, markdown_table

import paxsim
from paxsim.engine.rng import seat_keys
from paxsim.playing import play_deals

SOURCE = HERE / "yardstick.c"
FOR_SPEED = ("-O3", "-march=native")
PLAYERS = (2, 3, 4, 8)
SEED = 1


def compile_c(folder: Path, *flags: str) -> Path:
    """Compile the yardstick, for speed on this machine unless flags say otherwise."""
    program = folder / "yardstick"
    command = ["gcc", *(flags or FOR_SPEED), str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def run_c(program: Path, players: int, games: int) -> tuple[float, list[float]]:
    """Return nanoseconds per game, and the sums over all games."""
    command = [str(program), str(players), str(games), str(SEED)]
    keys = " ".join(str(key) for key in seat_keys(SEED).ravel())
    done = subprocess.run(command, check=True, capture_output=True, text=True, input=keys)
    words = done.stdout.split()
    return float(words[0]), [float(word) for word in words[1:]]


def run_engine(players: int, games: int) -> tuple[float, list[float]]:
    """Return the same for the engine, without the time to read the deck file."""
    setting = paxsim.make_setting(players)
    lineup = paxsim.make_lineup("random", players)
    begin = time.perf_counter()
    batch = play_deals(setting, lineup, SEED, 0, games, (0,))
    nanoseconds = (time.perf_counter() - begin) * 1e9 / games
    results = batch.results
    sums = [
        results["rounds"].sum(dtype=int),
        results["decisions"].sum(dtype=int),
        batch.rome_wins.sum(),
        batch.points.sum(dtype=int),
        batch.shares[:, 0].sum(),
    ]
    return nanoseconds, [round(float(number), 6) for number in sums]


def compare(program: Path, players: int, games: int, repeats: int) -> dict[str, Any]:
    """Return the best nanoseconds per game of C and of the engine, and the ratio of speeds."""
    sums_c, sums_engine = run_c(program, players, games)[1], run_engine(players, games)[1]
    if sums_c != sums_engine:
        raise SystemExit(f"{players} players: C played {sums_c}, the engine {sums_engine}")
    works = {
        "C": lambda: run_c(program, players, games)[0],
        "engine": lambda: run_engine(players, games)[0],
    }
    best = best_in_turns(works, repeats)
    return {
        "players": players,
        "C, ns a game": best["C"],
        "engine, ns a game": best["engine"],
        "engine speed : C speed": best["C"] / best["engine"],
    }


def ratios(players: tuple[int, ...], games: int, repeats: int) -> list[dict[str, Any]]:
    """Return a comparison per number of players; none without a C compiler."""
    if shutil.which("gcc") is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        program = compile_c(Path(folder))
        return [compare(program, count, games, repeats) for count in players]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, nargs="+", default=PLAYERS)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    rows = ratios(tuple(arguments.players), arguments.games, arguments.repeats)
    print(markdown_table(rows) if rows else "gcc is needed and not there")


if __name__ == "__main__":
    main()
