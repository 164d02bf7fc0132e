"""Games and decisions per second, scaling to two workers, and overhead beside the engine."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
from measuring import ROOT, best_in_turns, seconds

import paxsim
from paxsim import playing
from paxsim.cli.tools import play_once
from paxsim.experiment import simulate
from paxsim.experiment.design import CHUNK_GAMES
from paxsim.experiment.run import CLUSTER_SETTINGS
from paxsim.policies.registry import BUILT_IN

Row = dict[str, Any]

#: What people run: the fastest heuristic, whose games weigh least beside everything else, and some.
HEURISTIC, DIFFERENT_HEURISTICS = "builder", "builder,conspirator,weighted,opportunist"
HEURISTIC_GAMES = 1_000_000
#: Games of a run by several workers: some seconds, so that one of several tries is undisturbed.
SHARED_GAMES = 300_000


def speed(players: int, policy: str, games: int, repeats: int) -> Row:
    """Return the speed of a policy in all seats, on one thread and on two."""
    setting, lineup = paxsim.make_setting(players), paxsim.make_lineup(policy, players)
    _, decisions = play_once(setting, lineup, games, 1)
    times = best_in_turns(
        {
            # As many games a thread with two threads as with one.
            jobs: lambda jobs=jobs: play_once(setting, lineup, games * jobs, jobs)[0] / jobs
            for jobs in (1, 2)
        },
        repeats,
    )
    return {
        "games/s": games / times[1],
        "decisions/s": decisions / times[1],
        "games/s, 2 threads": games / times[2],
        "decisions/s, 2 threads": decisions / times[2],
        "2 threads : 1": times[1] / times[2],
    }


def by_players(quick: bool) -> list[Row]:
    """Return the speed of random play by number of players; 1 is solo level 1."""
    games, repeats = (1000, 10) if quick else (6000, 15)
    return [{"players": n, **speed(n, "random", games, repeats)} for n in range(1, 9)]


def by_policy(quick: bool) -> list[Row]:
    """Return the speed of every built-in policy in all four seats."""
    games, repeats = (200, 6) if quick else (2000, 8)
    return [{"policy": name, **speed(4, name, games, repeats)} for name in BUILT_IN]


def thread_scaling(quick: bool) -> list[Row]:
    """Return the speed-up of two threads that only play, by wall clock and processor time.

    The processor's time tells how much two threads slow each other down, whatever else the machine
    has to do; the clock tells so only if there is nothing else.
    """
    setting, lineup = paxsim.make_setting(4), paxsim.make_lineup("random", 4)
    games, repeats = (8000, 10) if quick else (8000, 50)

    def play(jobs: int) -> None:
        play_once(setting, lineup, games * jobs, jobs)

    clocks = {"by the clock": time.perf_counter, "by processor time": time.process_time}
    works = {
        (name, jobs): lambda clock=clock, jobs=jobs: seconds(lambda: play(jobs), clock) / jobs
        for name, clock in clocks.items()
        for jobs in (1, 2)
    }
    times = best_in_turns(works, repeats)
    # Two threads use two processors, so that their time counts twice.
    clock, processor = (times[name, 1] / times[name, 2] for name in clocks)
    return [{"workers": "2 threads that only play", "times the speed of 1, by the clock": clock,
             "by processor time": 2 * processor}]  # fmt: skip


def run_scaling(quick: bool) -> list[Row]:
    """Return the speed-up of whole experiments with two threads, processes or dask workers.

    By the clock; by the clock less what the machine's host took from busy processors for other
    machines, which one worker hardly feels and two do; and by the processor's time of all
    processes, which tells what the workers add to the work whatever else the machine has to do, but
    not what they wait for. What two threads have that do nothing but play the same games, in the
    same turns, is what the machine has to give.
    """
    here = {"threads": {"jobs": 2}, "processes": {"jobs": 2, "backend": "processes"}}
    rows = _against_one(here, *((SHARED_GAMES // 3, 2) if quick else (SHARED_GAMES, 8)))
    with _dask_address() as address:
        if address is not None:  # connecting takes a tenth of a second, so there is more to do
            cluster = {"dask": {"jobs": 2, "backend": "dask", "address": address}}
            games = HEURISTIC_GAMES
            rows += _against_one(cluster, *((games // 10, 2) if quick else (games, 6)))
    return rows


def _against_one(works: dict[str, dict[str, Any]], games: int, repeats: int) -> list[Row]:
    """Return the speed-up of experiments with each kind of workers over one thread."""
    setting, lineup = paxsim.make_setting(4), paxsim.make_lineup(HEURISTIC, 4)

    def experiment(**how: Any) -> None:
        simulate(HEURISTIC, 4, games=games, **how)

    for how in works.values():  # workers are started before any time is taken
        simulate(HEURISTIC, 4, games=4 * CHUNK_GAMES, **how)
    clock, unstolen, processor = _all_clocks(
        {
            "one": lambda: experiment(jobs=1),
            "one plays": lambda: play_once(setting, lineup, games, 1),
            "two play": lambda: play_once(setting, lineup, games, 2),
        }
        | {name: lambda how=how: experiment(**how) for name, how in works.items()},
        repeats,
    )
    return [
        {
            "workers": f"2 {name}",
            "games": games,
            "times the speed of 1, by the clock": clock["one"] / clock[name],
            "less what the host took": unstolen["one"] / unstolen[name],
            "by processor time": 2 * processor["one"] / processor[name],
            "two threads that only play": clock["one plays"] / clock["two play"],
        }
        for name in works
    ]


def _all_clocks(
    works: Mapping[str, Callable[[], object]], repeats: int
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return best times by wall clock, without stolen time, and by processor time."""
    clock = dict.fromkeys(works, float("inf"))
    unstolen, processor = dict(clock), dict(clock)
    for _ in range(repeats):
        for name, work in works.items():
            begin, machine = _processor_time(), psutil.cpu_times()
            taken = seconds(work)
            part = _stolen_part(machine, psutil.cpu_times())
            clock[name] = min(clock[name], taken)
            unstolen[name] = min(unstolen[name], taken * (1 - part))
            processor[name] = min(processor[name], _processor_time() - begin)
    return clock, unstolen, processor


def _stolen_part(before: Any, after: Any) -> float:
    """Return the share of busy processor time that the host of this machine took away.

    Only a virtual machine on Linux knows; elsewhere it is 0.
    """
    had = {name: getattr(after, name) - getattr(before, name) for name in before._fields}
    stolen = had.get("steal", 0.0)
    busy = stolen + sum(had.get(name, 0.0) for name in ("user", "nice", "system"))
    return stolen / busy if busy else 0.0


def _processor_time() -> float:
    """Return processor time of this process and of its running child processes."""
    own = psutil.Process()
    times = [process.cpu_times() for process in (own, *own.children(recursive=True))]
    return sum(each.user + each.system for each in times)


@contextmanager
def _dask_address() -> Iterator[str | None]:
    """Return the address of a local cluster of two workers; None without dask."""
    try:
        import dask
        from distributed import LocalCluster
    except ImportError:
        yield None
        return
    with (
        dask.config.set(CLUSTER_SETTINGS),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        yield cluster.scheduler_address


def outside_kernel(quick: bool) -> list[Row]:
    """Return the processor time of a stored experiment outside the engine."""
    games = HEURISTIC_GAMES // 10 if quick else HEURISTIC_GAMES
    rows = []
    for policies in ("random", HEURISTIC, DIFFERENT_HEURISTICS):
        total, playing_time = _times_of_run(policies, games)
        share = 1 - playing_time / total
        rows.append({"policies": policies, "games": games, "share outside the kernel": share})
    return rows


def _times_of_run(policies: str, games: int) -> tuple[float, float]:
    """Return processor time of an experiment, and of the kernel in it."""
    original, kernel = playing.play_games, []

    def timed(*arguments: Any) -> Any:
        begin = time.thread_time()
        played = original(*arguments)
        kernel.append(time.thread_time() - begin)
        return played

    timed.compiled = lambda: timed  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        # Compiled, and all libraries imported: `starting` has what that takes.
        simulate(policies, 4, games=16, chunk_games=8, out=Path(folder) / "before")
        with mock.patch.object(playing, "play_games", timed):
            begin = time.process_time()
            simulate(policies, 4, games=games, jobs=1, out=Path(folder) / "run")
            return time.process_time() - begin, sum(kernel)


def beside_reference(quick: bool) -> list[Row]:
    """Return the speed relative to the plain-Python reference of the tests."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from reference import ReferenceGame

    cards = [str(card) for card in paxsim.load_deck().cards]
    chance = random.Random(1)
    games, repeats = (10, 2) if quick else (30, 4)

    def reference() -> float:
        begin = time.perf_counter()
        for _ in range(games):
            chance.shuffle(cards)
            game = ReferenceGame(4, rome_hidden=cards[:3], deck=cards[3:])
            while game.decision is not None:
                game.apply(chance.randrange(len(game.options)))
        return (time.perf_counter() - begin) / games

    setting, lineup = paxsim.make_setting(4), paxsim.make_lineup("random", 4)

    def engine() -> float:
        return play_once(setting, lineup, 4000, 1)[0] / 4000

    times = best_in_turns({"plain Python": reference, "paxsim": engine}, repeats)
    return [
        {"engine": name, "games/s": 1 / taken, "times plain Python": times["plain Python"] / taken}
        for name, taken in times.items()
    ]
