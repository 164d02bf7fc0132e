"""How much of a run is not playing: starting, counting, statistics, writing.

    python benchmarks/run_overhead.py [--games 1e6] [--json]

The same games are played twice with one worker: bare, in one compiled call a chunk, and as
`paxsim run --out` does it. The rest is overhead, and is to stay below a twentieth at a million
games. Then the run is repeated with two workers. Times are of this machine, so compare them with
one another and run it when nothing else does.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from paxsim.experiment import show, simulate
from paxsim.experiment.plan import CHUNK_GAMES, Plan, make_match
from paxsim.experiment.run import warm
from paxsim.lineup import make_lineup
from paxsim.playing import play_deals
from paxsim.setting import make_setting

LINEUP = "builder,conspirator,weighted,opportunist"
PLAYERS = 4


def seconds(action: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock time that something takes, and time on the processor."""
    begin, busy = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - begin, time.process_time() - busy


def play_bare(plan: Plan) -> None:
    """Play the games of a plan and throw the results away."""
    (match,) = plan.matches
    rotations = tuple(range(match.players))
    for chunk in plan.chunks()[0]:
        play_deals(
            match.setting, match.lineup, plan.seed, chunk.first_block, chunk.blocks, rotations
        )


def measure(games: int) -> dict[str, float]:
    """All times, in seconds, and what follows from them."""
    match = make_match(make_setting(PLAYERS), make_lineup(LINEUP, PLAYERS))
    plan = Plan(((match,),), (games // PLAYERS,), 1, CHUNK_GAMES)
    warm(plan)
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder) / "one", Path(folder) / "two"
        asked = {"policies": LINEUP, "games": games, "seed": 1}
        timed = {
            "bare": seconds(lambda: play_bare(plan)),
            "run_1_worker": seconds(lambda: simulate(**asked, jobs=1, out=one)),
            "run_2_workers": seconds(lambda: simulate(**asked, jobs=2, out=two)),
            "show": seconds(lambda: show(one)),
        }
    found = {"games": float(plan.games)}
    for name, (wall, busy) in timed.items():
        found |= {name: wall, f"{name}_processor": busy}
    for kind in ("", "_processor"):
        found[f"overhead{kind}"] = 1 - found[f"bare{kind}"] / found[f"run_1_worker{kind}"]
    found["speedup_2_workers"] = found["run_1_worker"] / found["run_2_workers"]
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=float, default=1e6)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = measure(int(chosen.games))
    if chosen.json:
        print(json.dumps(found))
        return
    print(f"{found['games']:,.0f} games of {LINEUP}: seconds, and those on the processor")
    for name in ("bare", "run_1_worker", "run_2_workers", "show"):
        print(f"  {name:<16} {found[name]:8.2f} {found[f'{name}_processor']:8.2f}")
    shares = [100 * found[name] for name in ("overhead", "overhead_processor")]
    print(f"  {'overhead':<16} {shares[0]:7.1f}% {shares[1]:7.1f}%  (allowed: 5%)")
    print(f"  2 workers are {found['speedup_2_workers']:.2f} times as fast  (wanted: 1.9)")


if __name__ == "__main__":
    main()
