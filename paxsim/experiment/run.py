"""Playing a plan: chunks in parallel through joblib, merged exactly, kept on disk if wanted."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from typing import Any

from paxsim import interrupts
from paxsim.errors import (
    PaxsimError,
    checked_int,
    checked_path,
    missing_library,
    one_line,
    safe_repr,
    unknown,
)
from paxsim.experiment.answers import answer
from paxsim.experiment.design import CHUNK_GAMES, Chunk, Match, Plan, Work
from paxsim.experiment.estimates import StopRule, reached
from paxsim.experiment.progress import default_bar
from paxsim.experiment.result import Result
from paxsim.experiment.store import RunDirectory, holds_run, make_manifest, refuse_others_files
from paxsim.experiment.tally import PlayedBlocks, Tally, merge_tallies, tally_blocks, warm_counting
from paxsim.failures import PolicyError, replay_command
from paxsim.playing import play_deals
from paxsim.text import number, significant


class Collector:
    """What was played of a plan.

    Parameters
    ----------
    plan : Plan
        What is played.

    Attributes
    ----------
    tallies : list of dict
        Sums of what was counted, by bundle; None before its first chunk.
    games : int
        Games that were counted.
    missing : dict of Chunk
        Chunks that are expected and were not counted yet, in the order of the plan.
    """

    def __init__(self, plan: Plan):
        self.plan = plan
        self.tallies: list[Tally | None] = [None] * len(plan.bundles)
        self.games = 0
        self.missing: dict[Chunk, None] = {}

    def expect(self, chunks: Iterable[Chunk]) -> None:
        """Let some chunks count from now on, each for its first answer."""
        self.missing.update(dict.fromkeys(chunks))

    def add(self, chunk: Chunk, tally: Tally) -> int:
        """Count a chunk; return the games that this adds: none if it was not missing."""
        interrupts.check()  # what is on disk is found again
        if chunk not in self.missing:
            return 0
        del self.missing[chunk]
        merged = self.tallies[chunk.bundle]
        self.tallies[chunk.bundle] = tally if merged is None else merge_tallies(merged, tally)
        added = chunk.blocks * self.plan.block_games(chunk.bundle)
        self.games += added
        return added


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


BACKENDS = ("threads", "processes", "dask")
#: How long a dask scheduler may take to answer.
ANSWER_SECONDS = 6
#: Settings of a dask cluster that is started here: its workers do not watch themselves work, which
#: takes them a share of every second and tells nothing about compiled games.
CLUSTER_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}


@contextmanager
def workers(backend: str = "threads", address: str | None = None) -> Iterator[None]:
    """Choose the backend for everything that is played inside.

    Parameters
    ----------
    backend : str
        ``"threads"``, ``"processes"`` or ``"dask"``.
    address : str, optional
        Scheduler of the dask cluster, e.g. ``tcp://host:8786``; without it a cluster of this
        machine's cores is started.
    """
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    if address is not None and backend != "dask":
        raise PaxsimError(
            f"address: found {safe_repr(address)} with backend {backend}; allowed: with dask"
        )
    if address is not None and not isinstance(address, str):
        raise PaxsimError(f"address: found {safe_repr(address)}; allowed: e.g. tcp://host:8786")
    if backend == "threads":
        yield
        return
    import joblib  # slow to import, and threads need none of it

    if backend == "processes":
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1), _deaths_told():
            yield
    else:
        with _dask_client(address), joblib.parallel_config(backend="dask"), _deaths_told():
            yield


@contextmanager
def _deaths_told() -> Iterator[None]:
    """Say in one line what became of workers that did not come to an end of their work."""
    try:
        yield
    except (BrokenExecutor, CancelledError, PicklingError) as error:
        raise _worker_error(error) from None
    except Exception as error:
        if type(error).__name__ not in _DASK_ERRORS:
            raise
        raise _worker_error(error) from None


#: What dask raises when workers or the scheduler are gone; it may not be installed.
_DASK_ERRORS = ("KilledWorker", "CommClosedError")


def _worker_error(error: BaseException) -> PaxsimError:
    """What a worker said last, if it said something; else what is known of its end."""
    said = str(error.__cause__ or error).strip(' \n"')
    reason = one_line(said.splitlines()[-1] if said else type(error).__name__)
    return PaxsimError(
        f"backend: a worker ended before its work was done: {reason}; finished work is kept with "
        "--out, and the same command goes on"
    )


@contextmanager
def _dask_client(address: str | None) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise missing_library("the dask backend", "dask") from None
    import dask

    try:
        with dask.config.set(CLUSTER_SETTINGS):  # a cluster elsewhere has settings of its own
            client = (
                Client(address, timeout=ANSWER_SECONDS, set_as_default=True)
                if address
                else Client()
            )
    except (OSError, ValueError) as error:
        raise PaxsimError(f"address: no dask scheduler answers at {address}: {error}") from None
    with client:
        yield


@dataclass(frozen=True)
class RunOptions:
    """How an experiment is carried out; nothing here changes its numbers.

    Attributes
    ----------
    jobs : int, optional
        Workers; by default one a core.
    out : pathlib.Path, optional
        Run directory: keep finished work there and go on with it.
    backend, address
        See `paxsim.experiment.workers.workers`.
    chunk_games : int
        Games a worker plays at a time, about.
    progress : callable or False, optional
        Told about every finished chunk. By default a terminal or a notebook shows a bar when it
        takes longer than a moment; False shows none.
    command : str
        The command line, for the manifest.
    notices : list of str, optional
        Takes what the user should know besides the results.
    """

    jobs: int | None = None
    out: str | Path | None = None
    backend: str = "threads"
    address: str | None = None
    chunk_games: int = CHUNK_GAMES
    progress: Progress | bool | None = None
    command: str = ""
    notices: list[str] | None = None

    def __post_init__(self) -> None:
        if self.out is not None:
            object.__setattr__(self, "out", checked_path("out", self.out))
        if self.progress not in (None, False) and not callable(self.progress):
            raise PaxsimError(
                f"progress must be a function, or False for no bar, got {safe_repr(self.progress)}"
            )
        if not isinstance(self.command, str):
            raise PaxsimError(f"command: found {safe_repr(self.command)}; allowed: a text")
        if self.notices is not None and not isinstance(self.notices, list):
            raise PaxsimError(f"notices: found {safe_repr(self.notices)}; allowed: a list")

    def shown_progress(self) -> contextlib.AbstractContextManager[Progress | None]:
        """What is told about finished chunks, for as long as the games are played."""
        if self.progress is None:
            return default_bar()
        return contextlib.nullcontext(self.progress if callable(self.progress) else None)


def ask(
    plan: Plan, question: dict[str, Any], how: RunOptions, stop: StopRule | None = None
) -> Result:
    """Have a plan played and present its tables."""
    begin = time.perf_counter()
    command = how.command or f"paxsim.experiment.{question['kind']}(...)"
    with workers(how.backend, how.address), contextlib.ExitStack() as closing:
        jobs = checked_jobs(how.jobs)
        store = None
        if how.out is not None:
            out = checked_path("out", how.out)
            if not holds_run(out):
                refuse_others_files(out)
                warm(plan)  # A policy that can't be compiled must not leave a folder behind.
            store = RunDirectory(out, plan, question, command)
            closing.callback(store.close)
            plan = store.plan
        progress = closing.enter_context(how.shown_progress())
        tallies = run_plan(plan, jobs=jobs, store=store, progress=progress, stop=stop)
    played = time.perf_counter()
    facts = [[match.facts for match in bundle] for bundle in plan.bundles]
    result = answer(make_manifest(plan, question, command), facts, tallies)
    damaged = store.damaged if store is not None else []
    if how.notices is not None:
        how.notices.extend(f"damaged and played again: {name}" for name in damaged)
        if store is not None and store.extended_from is not None:
            how.notices.append(f"extended: the run had {store.extended_from:,} games planned")
        how.notices.extend(_not_reached(question, result))
        how.notices.extend(_costs_of_plain(plan, (played - begin) * jobs / result.games))
    result.timing = {
        "seconds": time.perf_counter() - begin,
        "playing_seconds": played - begin,
        "jobs": jobs,
        "backend": how.backend,
        "damaged": damaged,
    }
    return result


def _costs_of_plain(plan: Plan, seconds: float) -> list[str]:
    """What plain Python costs, with the seconds of one worker that a game took."""
    found = {p.label: p for match in plan.matches for p in match.lineup.policies if p.is_plain}
    if not found:
        return []
    return [
        f"plain Python: {', '.join(found)}; a game took {number(1000 * seconds, 1)} ms of a "
        "worker, where compiled ones take some hundredths"
    ]


def _not_reached(question: dict[str, Any], result: Result) -> list[str]:
    """What to say when the games that were allowed were too few for the precision."""
    wanted = question.get("precision")
    if wanted is None or (found := reached(result.matches[0], wanted)) <= wanted:
        return []
    return [
        f"precision: all {result.games:,} games played, ±{significant(100 * found, 3)}% reached"
    ]
