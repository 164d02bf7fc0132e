"""Playing a plan: chunks in parallel through joblib, merged exactly, kept on disk if wanted.

Threads are the default, because compiled games do not hold Python's lock. Processes or a cluster
are chosen from outside with ``joblib.parallel_config``; nothing here names a backend.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice

from joblib import Parallel, delayed

from paxsim.errors import checked_int
from paxsim.experiment.plan import Chunk, Plan, Work
from paxsim.experiment.store import RunDirectory
from paxsim.experiment.tally import Tally, merge_tallies, tally_work

#: With a stopping rule, the chunks played between two looks at the results. It is fixed, so that
#: the decision to stop does not depend on the number of workers.
WAVE = 8

#: Called with the tallies so far (by bundle) and the number of games just added.
Progress = Callable[[list[Tally | None], int], None]
StopRule = Callable[[list[Tally | None]], bool]


def default_jobs() -> int:
    """As many workers as the process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_plan(
    plan: Plan,
    *,
    jobs: int | None = None,
    store: RunDirectory | None = None,
    progress: Progress | None = None,
    stop: StopRule | None = None,
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
        Asked after every `WAVE` chunks whether the results are good enough.
    """
    jobs = checked_int("jobs", default_jobs() if jobs is None else jobs, 1, 1024)
    _warm(plan)
    tallies: list[Tally | None] = [None] * len(plan.bundles)
    chunks = iter(plan.chunks())
    while wave := list(islice(chunks, WAVE if stop else None)):
        for chunk, tally in _tallies_of(plan, wave, jobs, store):
            merged = tallies[chunk.bundle]
            tallies[chunk.bundle] = tally if merged is None else merge_tallies(merged, tally)
            if progress is not None:
                progress(tallies, games_in(tally))
        if stop is not None and stop(tallies):
            break
    return [tally for tally in tallies if tally is not None]


def games_in(tally: Tally) -> int:
    """Games that a tally counts."""
    return sum(int(array[0]) for name, array in tally.items() if name.endswith("/games"))


def _warm(plan: Plan) -> None:
    """Compile everything here and once, before workers start and would all do it."""
    for match in plan.matches:
        for policy in match.lineup.policies:
            _ = policy.compiled


def _tallies_of(
    plan: Plan, chunks: list[Chunk], jobs: int, store: RunDirectory | None
) -> Iterator[tuple[Chunk, Tally]]:
    """Tallies of chunks, those on disk first, the others as they are played."""
    missing = []
    for chunk in chunks:
        stored = store.load(chunk) if store is not None else None
        if stored is None:
            missing.append(chunk)
        else:
            yield chunk, stored
    workers = Parallel(n_jobs=min(jobs, len(missing)) or 1, prefer="threads", return_as="generator")
    played = workers(delayed(_play)(plan.work(chunk)) for chunk in missing)
    for chunk, tally in zip(missing, played, strict=True):
        if store is not None:
            store.save(chunk, tally)
        yield chunk, tally


def _play(work: Work) -> Tally:
    """What a worker runs."""
    return tally_work(work)
