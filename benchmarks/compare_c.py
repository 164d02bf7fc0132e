"""The engine's speed as a share of hand-written C (`yardstick.c`), by number of players.

    python benchmarks/compare_c.py [--players 2 3 4 8] [--games 20000] [--repeats 9]

C and the engine play the same deals in turns, and the best time of each counts, so that a busy
machine slows both alike. Before any time is taken their sums of rounds, decisions, points and
wins must be equal: both play the very same games.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import paxsim
from paxsim.playing import play_deals

SOURCE = Path(__file__).with_name("yardstick.c")
SEED = 1


def compile_c(folder: Path) -> Path:
    """Compile the yardstick for this machine; return the program."""
    program = folder / "yardstick"
    command = ["gcc", "-O3", "-march=native", str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def run_c(program: Path, players: int, games: int) -> tuple[float, list[float]]:
    """Nanoseconds a game, and the sums over all games."""
    command = [str(program), str(players), str(games), str(SEED)]
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), [float(word) for word in words[1:]]


def run_engine(players: int, games: int) -> tuple[float, list[float]]:
    """The same for the engine; reading the deck file is not a part of playing."""
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


def compare(program: Path, players: int, games: int, repeats: int) -> tuple[float, float]:
    """Best nanoseconds a game of C and of the engine."""
    sums_c, sums_engine = (run(games)[1] for run in _both(program, players))
    if sums_c != sums_engine:
        raise SystemExit(f"{players} players: C played {sums_c}, the engine {sums_engine}")
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for run, taken in zip(_both(program, players), times, strict=True):
            taken.append(run(games)[0])
    return min(times[0]), min(times[1])


def _both(program: Path, players: int):
    return (
        lambda games: run_c(program, players, games),
        lambda games: run_engine(players, games),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 8])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = compile_c(Path(folder))
        print("players   C ns/game   engine ns/game   engine speed / C speed")
        for players in arguments.players:
            c, engine = compare(program, players, arguments.games, arguments.repeats)
            print(f"{players:7}   {c:9.0f}   {engine:14.0f}   {c / engine:22.2f}")


if __name__ == "__main__":
    main()
