"""Speed of every heuristic relative to `random`, measured in turns within one run.

    python benchmarks/heuristics.py [--quick]

Seconds differ between machines and with their load; these ratios hardly do. Processor time of one
thread counts, the best of many turns, without the time of the call itself.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from measuring import best_in_turns, markdown_table, seconds

import paxsim
from paxsim.playing import play_deals
from paxsim.policies.registry import HEURISTICS

GAMES = 800


def beside_random(quick: bool) -> list[dict[str, Any]]:
    """Return the speed of every heuristic in all four seats, or solo, relative to `random`."""
    tables = [("4 players", paxsim.make_setting(4), ("random", *HEURISTICS))]
    tables += [("solo, level 3", paxsim.make_setting(solo_level=3), ("random", "hermit"))]
    works: dict[Any, Callable[[], float]] = {}
    for where, setting, names in tables:
        for name in names:
            lineup = paxsim.make_lineup(name, setting.players)
            for games in (1, GAMES):
                works[where, name, games] = player(setting, lineup, games)
    best = best_in_turns(works, 20 if quick else 100)
    rows = []
    for where, _, names in tables:
        taken = {n: (best[where, n, GAMES] - best[where, n, 1]) / (GAMES - 1) for n in names}
        for name in names:
            rows.append(
                {
                    "table": where,
                    "policy": name,
                    "games/s": 1 / taken[name],
                    "speed : random": taken["random"] / taken[name],
                }
            )
    return rows


def player(setting: paxsim.Setting, lineup: paxsim.Lineup, games: int) -> Callable[[], float]:
    """Return a function that plays a number of games and returns their processor time."""

    def play() -> float:
        return seconds(lambda: play_deals(setting, lineup, 0, 0, games, (0,)), time.thread_time)

    play()  # compiled, or loaded
    return play


if __name__ == "__main__":
    print(markdown_table(beside_random(quick=sys.argv[1:] == ["--quick"])))
