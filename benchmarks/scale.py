"""Overhead of a run on many workers, measured with a simulated cluster.

    python benchmarks/scale.py [--games 1e10] [--workers 10000] [--json]

The plan, the merging and the files are those of a real run (`paxsim.experiment.run.run_plan`).
The workers are simulated: they take as long as games take, each at its own speed; some vanish with
their chunk, some answer twice. Answers are tallies whose sum is known, so the end shows whether
each chunk was counted once. The cost of sending work to real workers and of storing a chunk is
measured separately. docs/scale.md draws the conclusions.
"""

from __future__ import annotations

import argparse
import heapq
import json
import pickle
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
from measuring import seconds

from paxsim.experiment import run
from paxsim.experiment.design import Chunk, Plan, Work, make_match
from paxsim.experiment.run import BACKENDS, CHUNK_GAMES, play_work, run_plan, workers
from paxsim.experiment.store import RunStore, chunk_name, make_manifest
from paxsim.experiment.tally import Tally, merge_tallies
from paxsim.lineup import make_lineup
from paxsim.setting import make_setting

PLAYERS = 4
LINEUP = "builder,conspirator,weighted,opportunist"
#: Games a second of one worker with this line-up, about; workers differ by a fifth.
SPEED, SPREAD = 70_000, 0.2
#: Of all tasks: how many end with their worker, and how many are answered twice.
VANISHED, TWICE = 0.01, 0.01
#: Chunks that are really written, and tasks that are really handed out, to know what one costs.
WRITTEN, HANDED_OUT = 300, 500


def plan_of(games: int) -> Plan:
    """Return the plan of a run of four heuristics."""
    match = make_match(make_setting(PLAYERS), make_lineup(LINEUP, PLAYERS))
    return Plan(((match,),), (games // match.block_size,), 1)


def chunks_of(plan: Plan) -> list[Chunk]:
    """Return the chunks of a plan of one bundle."""
    (span,) = plan.waves(looks=False)[0]
    return span.cut(plan.chunk_blocks(span, CHUNK_GAMES, looks=False))


class Cluster:
    """Simulated workers, in place of `paxsim.experiment.run.play_chunks`, with counters.

    Parameters
    ----------
    size : int
        Number of workers.
    block : dict
        The tally of a single block; a chunk's is as many times that.
    """

    def __init__(self, size: int, block: Tally):
        self.random = random.Random(1)
        self.speeds = [SPEED * self.random.uniform(1 - SPREAD, 1 + SPREAD) for _ in range(size)]
        self.block = block
        self.clock = 0.0
        self.vanished = self.twice = self.tasks = 0
        #: Processor time of the simulation itself.
        self.own = 0.0

    def __call__(self, plan: Plan, chunks: list[Chunk], jobs: int) -> Iterator[tuple[Chunk, Tally]]:
        """Play chunks as workers become free; yield the answers in order of arrival."""
        waiting = iter(chunks)
        busy: list[tuple[float, int, Chunk]] = []
        for worker, chunk in zip(range(len(self.speeds)), waiting, strict=False):
            self._begin(busy, worker, plan.work(chunk), chunk)
        while busy:
            self.clock, worker, chunk = heapq.heappop(busy)
            following = next(waiting, None)
            if following is not None:
                self._begin(busy, worker, plan.work(following), following)
            yield from self._answers(chunk)

    def _begin(self, busy: list, worker: int, work: Work, chunk: Chunk) -> None:
        games = work.blocks * sum(match.block_size for match in work.matches)
        heapq.heappush(busy, (self.clock + games / self.speeds[worker], worker, chunk))
        self.tasks += 1

    def _answers(self, chunk: Chunk) -> Iterator[tuple[Chunk, Tally]]:
        fate = self.random.random()
        if fate < VANISHED:
            self.vanished += 1
            return
        begin = time.process_time()
        tally = times(self.block, chunk.blocks)
        self.own += time.process_time() - begin
        yield chunk, tally
        if fate > 1 - TWICE:
            self.twice += 1
            yield chunk, tally


def times(block: Tally, blocks: int) -> Tally:
    """Return the tally of a number of equal blocks; examples stay the same."""
    return {
        name: array if name.endswith("example") else array * blocks for name, array in block.items()
    }


def collect(plan: Plan, size: int, block: Tally) -> dict[str, float]:
    """Have the cluster play the plan; return the cost here, and whether the sum is right."""
    cluster = Cluster(size, block)
    before = _peak_memory()
    begin = time.process_time()
    with patch.object(run, "play_chunks", cluster):
        (tally,) = run_plan(plan, jobs=1)
    busy = time.process_time() - begin - cluster.own
    expected = times(block, plan.blocks[0])
    assert all(np.array_equal(tally[name], array) for name, array in expected.items())
    return {
        "games": plan.games,
        "workers": size,
        "chunks": len(chunks_of(plan)),
        "tasks": cluster.tasks,
        "vanished": cluster.vanished,
        "answered_twice": cluster.twice,
        "simulated_seconds": cluster.clock,
        "ideal_seconds": plan.games / sum(cluster.speeds),
        "collector_seconds": busy,
        "collector_ms_a_chunk": 1e3 * busy / cluster.tasks,
        "memory_mb": _peak_memory(),
        "memory_growth_mb": _peak_memory() - before,
    }


def cost_of_merging(block: Tally) -> float:
    """Return milliseconds to add one chunk."""
    took = seconds(
        lambda: [merge_tallies(block, block) for _ in range(HANDED_OUT)], clock=time.process_time
    )
    return 1e3 * took / HANDED_OUT


def cost_of_files(plan: Plan, block: Tally) -> dict[str, float]:
    """Return milliseconds of processor time to store and to read a chunk, and its size."""
    chunks = chunks_of(plan)[:WRITTEN]
    with tempfile.TemporaryDirectory() as folder:
        manifest = make_manifest(plan, {"kind": "simulate"}, "benchmark")
        store = RunStore(Path(folder) / "run", manifest)
        begin = time.perf_counter()
        writing = seconds(
            lambda: [store.save(chunk, block) for chunk in chunks], clock=time.process_time
        )
        by_clock = time.perf_counter() - begin
        reading = seconds(lambda: [store.load(chunk) for chunk in chunks], clock=time.process_time)
        size = sum((store.path / "chunks" / chunk_name(c)).stat().st_size for c in chunks)
        store.__exit__(None)
    count = len(chunks)
    return {
        "write_ms": 1e3 * writing / count,
        "write_ms_by_clock": 1e3 * by_clock / count,
        "read_ms": 1e3 * reading / count,
        "file_kb": size / count / 1e3,
    }


def echo(chunk: Chunk, work: Work, tally: Tally) -> tuple[Chunk, Tally]:
    """Return the chunk and a tally: a task without games."""
    return chunk, tally


def cost_of_tasks(plan: Plan, block: Tally) -> dict[str, float]:
    """Return milliseconds of this process's time to send a chunk and receive its answer.

    Dask's scheduler is in this process too, which starts it.
    """
    from joblib import Parallel, delayed

    chunks = chunks_of(plan)[:HANDED_OUT]
    tasks = [delayed(echo)(chunk, plan.work(chunk), block) for chunk in chunks]
    found: dict[str, float] = {"task_kb": len(pickle.dumps(plan.work(chunks[0]))) / 1e3}
    for backend in BACKENDS:
        with workers(backend):
            crew = Parallel(
                n_jobs=2, prefer="threads", return_as="generator_unordered", batch_size=1
            )
            list(crew(tasks[:8]))  # starts them
            took = seconds(lambda crew=crew: list(crew(tasks)), clock=time.process_time)
        found[f"task_ms_{backend}"] = 1e3 * took / len(tasks)
    return found


def _peak_memory() -> float:
    """Return the peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def measure(games: int, size: int) -> dict[str, float]:
    """Return all figures."""
    plan = plan_of(games)
    block = play_work(plan.work(Chunk(0, 0, 1)))
    return {
        **collect(plan, size, block),
        "merge_ms": cost_of_merging(block),
        **cost_of_files(plan, block),
        **cost_of_tasks(plan, block),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=float, default=1e10)
    parser.add_argument("--workers", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = measure(int(chosen.games), chosen.workers)
    if chosen.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:<22} {value:>16,.3f}".rstrip("0").rstrip("."))


if __name__ == "__main__":
    main()
