"""Speed of single traces, calls and steps, each with the overhead beside playing.

python benchmarks/single.py [--quick]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import best_in_turns, markdown_table, seconds

import paxsim
from paxsim.cli import run_command
from paxsim.playing import warm_up

Row = dict[str, Any]
LINEUP = "builder,tribune,weighted,random"


def one_at_a_time(quick: bool) -> list[Row]:
    """Return microseconds per trace, call and step with four players, and the rates."""
    repeats = 15 if quick else 60
    with tempfile.TemporaryDirectory() as folder:
        works = {**traces(Path(folder), 500 if quick else 2000), **calls(), **steps()}
        times = best_in_turns(works, repeats)
    # What a batch of one game takes besides the game, which a larger batch shows.
    game = times.pop("a game of a batch")
    times["a batch of one game, less the game"] = times["a batch of one game"] - game
    return [
        {"what": what, "microseconds": 1e6 * taken, "a second": 1 / taken}
        for what, taken in times.items()
    ]


def each(work: Callable[[], object], number: int) -> Callable[[], float]:
    """Return a function that measures the mean time of a call over many calls."""

    def repeated() -> None:
        for _ in range(number):
            work()

    return lambda: seconds(repeated) / number


def traces(folder: Path, games: int) -> dict[str, Callable[[], float]]:
    """Return measurements of the command `paxsim trace` within a running process."""

    def trace(policies: str) -> Callable[[], float]:
        words = ["trace", "--players", "4", "--policies", policies, "--games", str(games)]
        command = [*words, "--out", str(folder / "games.jsonl")]
        return lambda: seconds(lambda: run_command(command)) / games

    return {"a game of a trace, random": trace("random"), "the same, heuristics": trace(LINEUP)}


def calls() -> dict[str, Callable[[], float]]:
    """Return measurements of calls that play one game."""
    games = 200
    return {
        "paxsim.play, random": each(lambda: paxsim.play("random", 4), 100),
        "the same, different heuristics": each(lambda: paxsim.play(LINEUP), 100),
        "a batch of one game": each(lambda: paxsim.play_batch("random", 4, deals=1), 100),
        "a game of a batch": lambda: (
            seconds(lambda: paxsim.play_batch("random", 4, deals=games)) / games
        ),
    }


def steps() -> dict[str, Callable[[], float]]:
    """Return measurements of steps of a game that is played from outside."""
    number = 200
    game = paxsim.Game(4)

    def applied() -> float:
        copies = iter([game.copy() for _ in range(number)])
        return each(lambda: next(copies).apply(0), number)()

    return {"Game.apply": applied, "Game.copy": each(game.copy, number)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="Fewer games and repeats.")
    quick = parser.parse_args().quick
    for _ in warm_up():
        pass
    print(markdown_table(one_at_a_time(quick)))


if __name__ == "__main__":
    main()
