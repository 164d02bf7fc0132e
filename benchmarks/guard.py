"""Guard against lost speed: time of a game as a ratio to a small kernel on the same machine.

    python benchmarks/guard.py

Seconds say nothing on another machine. The time of a game is therefore divided by the time of a
kernel of the same nature (random numbers, lookups, branches and stores in records), measured in
turns. Processor time counts, and the best of many turns. The exit code is 1 if a line-up has lost
more than a third of its recorded speed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numba
import numpy as np

import paxsim
from paxsim.playing import play_deals

#: A searcher among builders, whose time is that of its rollouts.
ROLLOUTS = "search:rollouts=2:self=builder:opponents=builder,builder,builder,builder"
#: Recorded time of a game of four players, in rounds of the kernel. `random` stands for the engine,
#: `builder` for the planner, and `weighted` for all utilities that heuristics share.
RECORDED = {"random": 17.5, "builder": 37.6, "weighted": 53.9, ROLLOUTS: 6340.0}
GAMES = {"random": 1500, "builder": 700, "weighted": 500, ROLLOUTS: 8}
TOLERATED_LOSS = 1 / 3
ROUNDS, TURNS = 3000, 40

_record = np.dtype(
    [("word", np.uint64), ("count", np.int32), ("sums", np.int16, 8), ("cards", np.uint16, 64)],
    align=True,
)


@numba.njit(nogil=True, error_model="numpy")
def shuffle_and_add(record, rounds):
    """Shuffle 64 cards and add them up by category, `rounds` times."""
    for _ in range(rounds):
        for i in range(64):
            record.word ^= record.word << np.uint64(13)
            record.word ^= record.word >> np.uint64(7)
            record.word ^= record.word << np.uint64(17)
            j = i + np.int64(((record.word >> np.uint64(32)) * np.uint64(64 - i)) >> np.uint64(32))
            record.cards[i], record.cards[j] = record.cards[j], record.cards[i]
            category = record.cards[i] & 7
            if category == 6:
                record.count += 1
            else:
                record.sums[category] += record.cards[i] >> 3
    return record.count


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time that some work takes."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def measure(policy: str) -> float:
    """Return the time of a game over the time of a round of the kernel."""
    record = np.zeros(1, _record)[0]
    record["word"] = 1
    record["cards"] = np.arange(64)
    setting, lineup = paxsim.make_setting(4), paxsim.make_lineup(policy, 4)

    def games() -> None:
        play_deals(setting, lineup, 0, 0, GAMES[policy], (0,))

    def rounds() -> None:
        shuffle_and_add(record, ROUNDS)

    games(), rounds()  # compile
    times = np.array([(seconds(games), seconds(rounds)) for _ in range(TURNS)])
    best_game, best_round = times.min(axis=0) / (GAMES[policy], ROUNDS)
    return float(best_game / best_round)


def main() -> int:
    """Print the speed of each line-up relative to the record; return 1 if one is too slow."""
    slow = False
    for policy, recorded in RECORDED.items():
        speed = recorded / measure(policy)
        slow |= speed < 1 - TOLERATED_LOSS
        print(f"{policy.partition(':')[0]:<10} {speed:5.2f} of the recorded speed", flush=True)
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
