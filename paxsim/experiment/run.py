"""Playing a plan: chunks in parallel through joblib, merged exactly, kept on disk if wanted.

Threads are the default, because compiled games do not hold Python's lock. Processes or a cluster
are chosen from outside with ``joblib.parallel_config``; nothing here names a backend.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass

from paxsim.errors import PaxsimError, checked_int
from paxsim.experiment.collect import Collector
from paxsim.experiment.counting import warm_counting
from paxsim.experiment.cutting import Chunk
from paxsim.experiment.plan import Match, Plan, Work
from paxsim.experiment.stopping import StopRule
from paxsim.experiment.store import RunDirectory
from paxsim.experiment.tally import PlayedBlocks, Tally, merge_tallies, tally_blocks
from paxsim.failures import PolicyError, replay_command
from paxsim.playing import play_deals

# Said when a run is interrupted, which is no mistake.
warnings.filterwarnings("ignore", message=".*adjusting the input task iterator", module="joblib")

MAX_JOBS = 1024
#: How often work is handed out again in a run that loses workers.
MOST_LOSSES = 8
#: And how often without any answer: then it is the work that ends them.
MOST_FRUITLESS = 1


@dataclass(frozen=True)
class Standing:
    """How far a run is.

    Attributes
    ----------
    plan : Plan
        What is played.
    bundle : int
        The bundle that the last finished chunk belongs to.
    tally : dict
        What was played of this bundle so far.
    games : int
        Games so far, of all bundles.
    expected : int or None
        Games in all; None if a rule decides when to stop.
    """

    plan: Plan
    bundle: int
    tally: Tally
    games: int
    expected: int | None


#: Plays chunks, given what a worker needs for each, with so many workers; answers with tallies, in
#: any order. An answer may come twice, or not at all.
Crew = Callable[[list[Chunk], Callable[[Chunk], Work], int], Iterator[tuple[Chunk, Tally]]]

#: Told how far a run is, and the games just added, after every chunk.
Progress = Callable[[Standing, int], None]


def default_jobs() -> int:
    """As many workers as there are cores for them here, or in the cluster that was chosen."""
    if "joblib" not in sys.modules:  # nobody has chosen anything but threads
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    from joblib import effective_n_jobs

    return effective_n_jobs(-1)


def checked_jobs(jobs: int | None) -> int:
    """A number of workers that can be had; `default_jobs` if it is left open."""
    return default_jobs() if jobs is None else checked_int("jobs", jobs, 1, MAX_JOBS)


def run_plan(
    plan: Plan,
    *,
    jobs: int | None = None,
    store: RunDirectory | None = None,
    progress: Progress | None = None,
    stop: StopRule | None = None,
    crew: Crew | None = None,
) -> list[Tally]:
    """Play a plan and return one tally for each bundle.

    Parameters
    ----------
    plan : Plan
        What to play.
    jobs : int, optional
        Workers; by default one a core.
    store : RunDirectory, optional
        Where finished chunks are kept, and found again.
    progress : callable, optional
        Told about every finished chunk.
    stop : callable, optional
        Asked between waves of chunks whether the results are good enough.
    crew : callable, optional
        Who plays; joblib's workers by default.
    """
    crew = crew or play_with_joblib
    jobs = checked_jobs(jobs)
    collector = Collector(plan)
    expected = None if stop is not None else plan.games
    prepare = functools.cache(lambda: warm(plan))
    for wave in plan.chunks(looks=stop is not None):
        collector.expect(wave)
        for chunk, tally in itertools.chain(
            _stored(wave, store), _played(collector, store, prepare, crew, jobs)
        ):
            added = collector.add(chunk, tally)
            merged = collector.tallies[chunk.bundle]
            if progress is not None and merged is not None:
                progress(Standing(plan, chunk.bundle, merged, collector.games, expected), added)
        if stop is not None and stop(collector.tallies):
            break
    return [tally for tally in collector.tallies if tally is not None]


def warm(plan: Plan) -> None:
    """Compile everything here and once, before workers start and would all do it."""
    for match in plan.matches:
        for policy in match.lineup.policies:
            _ = policy.compiled
    warm_counting()
    match = plan.matches[0]
    play_deals(match.setting, match.lineup, plan.seed, 0, 1, (0,))
    for match in plan.matches:
        if not match.lineup.trusted:
            refuse_unrepeatable(match, plan.seed)


def refuse_unrepeatable(match: Match, seed: int) -> None:
    """Play the first deal twice: what can't be played again is no result."""
    rotations = tuple(range(match.players))
    first, second = (
        play_deals(match.setting, match.lineup, seed, 0, 1, rotations).results for _ in range(2)
    )
    for rotation in rotations:
        if first[rotation].tobytes() != second[rotation].tobytes():
            replay = replay_command(match.setting, match.lineup, seed, 0, rotation)
            raise PolicyError(
                f"policies: {','.join(match.lineup.labels)} play the same game differently; "
                f"allowed: policies that depend on what they see; to see this game: {replay}"
            )


def play_work(work: Work) -> Tally:
    """Play a chunk's games and tally them, wherever the worker is."""
    work.check_code()
    return functools.reduce(merge_tallies, map(_play_piece, work.pieces()))


def _play_piece(work: Work) -> Tally:
    return tally_blocks(
        [
            _play_blocks(match, work, first_game)
            for match, first_game in zip(work.matches, work.first_games, strict=True)
        ]
    )


def _play_blocks(match: Match, work: Work, first_game: int) -> PlayedBlocks:
    """The games of a chunk's blocks of one match."""
    batches = [
        play_deals(
            match.setting,
            match.ordered_lineup(order),
            work.seed,
            work.first_block,
            work.blocks,
            match.rotations,
        )
        for order in match.orders
    ]
    return PlayedBlocks(match.lineup.labels, match.orders, batches, work.first_block, first_game)


def answer_work(chunk: Chunk, work: Work) -> tuple[Chunk, Tally]:
    """A chunk's tally, with the chunk that it is of."""
    return chunk, play_work(work)


def play_with_joblib(
    chunks: list[Chunk], work_of: Callable[[Chunk], Work], jobs: int
) -> Iterator[tuple[Chunk, Tally]]:
    """Have chunks played by joblib's workers; a single one is played on the spot."""
    if len(chunks) == 1:
        return iter([answer_work(chunks[0], work_of(chunks[0]))])
    from joblib import Parallel, delayed  # slow to import, and a small run needs none of it

    workers = Parallel(
        n_jobs=min(jobs, len(chunks)), prefer="threads", return_as="generator_unordered"
    )
    return workers(delayed(answer_work)(chunk, work_of(chunk)) for chunk in chunks)


def _stored(chunks: list[Chunk], store: RunDirectory | None) -> Iterator[tuple[Chunk, Tally]]:
    """Tallies of the chunks that are on disk."""
    if store is None:
        return
    for chunk in chunks:
        stored = store.load(chunk)
        if stored is not None:
            yield chunk, stored


def _played(
    collector: Collector,
    store: RunDirectory | None,
    prepare: Callable[[], None],
    crew: Crew,
    jobs: int,
) -> Iterator[tuple[Chunk, Tally]]:
    """Tallies of the chunks that are missing, as they are played; each once, and kept first.

    What workers took with them when they ended is handed out again.
    """
    losses = fruitless = 0
    while collector.missing:
        prepare()
        left = list(collector.missing)
        lost: BrokenExecutor | None = None
        try:
            for chunk, tally in crew(left, collector.plan.work, jobs):
                if chunk in collector.missing:
                    if store is not None:
                        store.save(chunk, tally)
                    yield chunk, tally
        except BrokenExecutor as error:
            lost = error
        losses += 1
        fruitless = fruitless + 1 if len(collector.missing) == len(left) else 0
        if collector.missing and (losses > MOST_LOSSES or fruitless > MOST_FRUITLESS):
            raise lost or PaxsimError("backend: workers gave no answer; allowed: one a chunk")
