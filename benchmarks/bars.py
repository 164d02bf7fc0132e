"""Speed targets of the package, and whether they are reached: one line per target.

    python benchmarks/bars.py [--quick]

Takes about three minutes on an idle machine, or one with --quick, which is less precise. Ratios
are measured in turns within one run. Wall-clock targets fail on a busy machine, so processor time
is shown beside them. The targets for workers leave out time that the host of a virtual machine
took from its processors; "bare" is the speed-up of two threads that only play, measured in the
same turns. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import heuristics
import rollouts
import single
import speeds

from paxsim.cli.tools import machine
from paxsim.playing import warm_up
from paxsim.version import __version__


@dataclass(frozen=True)
class Bar:
    """A target: a number that must be at least, or at most, a limit."""

    what: str
    found: float
    wanted: float
    at_most: bool = False
    remark: str = ""

    @property
    def reached(self) -> bool:
        """True if the target is reached."""
        return self.found <= self.wanted if self.at_most else self.found >= self.wanted

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        verdict = "ok  " if self.reached else "MISS"
        remark = f"  ({self.remark})" if self.remark else ""
        return f"{verdict}  {self.what:<58} {self.found:>9.4g} {sign} {self.wanted:g}{remark}"


#: Speed of a heuristic as a share of that of `random`; that of all the others.
SHARES, OTHERS = {"builder": 0.5, "weighted": 0.33, "tribune": 0.3}, 0.25
#: Microseconds at most, by the name in `single.one_at_a_time`.
MICROSECONDS = {
    "Game.apply": 3.0,
    "Game.copy": 5.0,
    "paxsim.play, random": 200.0,
    "the same, different heuristics": 200.0,
    "a batch of one game, less the game": 50.0,
}
TRACED = ("a game of a trace, random", "the same, heuristics")
TRACED_GAMES = 2000.0
#: Times the speed of one worker that two have.
SPEEDUPS = {"2 threads": 1.9, "2 processes": 1.8, "2 dask": 1.8}
OUTSIDE_KERNEL = 0.05
#: What a rollout may cost, as a multiple of the same stretch of a plain game.
ROLLOUT = 1.15


def shares_of_random(quick: bool) -> Iterator[Bar]:
    """Yield the targets for heuristics relative to `random`."""
    for row in heuristics.beside_random(quick):
        if row["policy"] != "random":
            name, table = row["policy"], row["table"]
            wanted = SHARES.get(name, OTHERS)
            yield Bar(f"{name} : random, {table}", row["speed : random"], wanted)


def copies(quick: bool) -> Iterator[Bar]:
    """Yield the targets for copies of games and for rollouts."""
    copied, *_, multiple, _ = (row["found"] for row in rollouts.rollout_costs())
    yield Bar("used part of a game copied, microseconds", copied / 1000, 1.0, at_most=True)
    yield Bar("rollout : the stretch that it plays", multiple, ROLLOUT, at_most=True)


def one_at_a_time(quick: bool) -> Iterator[Bar]:
    """Yield the targets for calls and steps from Python, and for traces."""
    rows = {row["what"]: row for row in single.one_at_a_time(quick)}
    for name, wanted in MICROSECONDS.items():
        taken = rows[name]["microseconds"]
        yield Bar(f"{name}, microseconds", taken, wanted, at_most=True)
    for name in TRACED:
        yield Bar(f"{name}, games/s", rows[name]["a second"], TRACED_GAMES)


def overhead(quick: bool) -> Iterator[Bar]:
    """Yield the targets for the overhead of a stored run; `random` has none."""
    for row in speeds.outside_kernel(quick):
        if row["policies"] != "random":
            what = f"outside the kernel, {row['policies']}, {row['games']:.0e} games"
            yield Bar(what, row["share outside the kernel"], OUTSIDE_KERNEL, at_most=True)


def more_workers(quick: bool) -> Iterator[Bar]:
    """Yield the targets for two workers relative to one."""
    for row in speeds.run_scaling(quick):
        found = row["less what the host took"]
        clock, processor = row["times the speed of 1, by the clock"], row["by processor time"]
        bare = row["two threads that only play"]
        remark = f"{clock:.2f} by the clock, {processor:.2f} by processor time; bare {bare:.2f}"
        what = f"{row['workers']} : 1, {speeds.HEURISTIC}, {row['games']:.0e} games"
        yield Bar(what, found, SPEEDUPS[row["workers"]], remark=remark)


def main() -> int:
    """Measure and print; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="Fewer games and repeats.")
    quick = parser.parse_args().quick
    for _ in warm_up():
        pass
    print(f"{machine()}; paxsim {__version__}; load before: {os.getloadavg()[0]:.1f}")
    missed = 0
    for measure in (shares_of_random, copies, one_at_a_time, overhead, more_workers):
        for bar in measure(quick):
            print(bar, flush=True)
            missed += not bar.reached
    print(f"{missed} missed; load after, its own included: {os.getloadavg()[0]:.1f}")
    return 1 if missed else 0


if __name__ == "__main__":  # workers of other processes import this file
    sys.exit(main())
