"""Runs of an experiment: chunks are played in parallel through joblib and merged exactly."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from pickle import PicklingError
from typing import Any, TypedDict, cast

from paxsim.engine.threads import end_games
from paxsim.errors import (
    PaxsimError,
    checked_int,
    checked_path,
    missing_library,
    one_line,
    safe_repr,
    unknown,
)
from paxsim.experiment.design import CHUNK_GAMES, MAX_CHUNK_GAMES, Chunk, Match, Plan, Work
from paxsim.experiment.estimates import StopRule, reached
from paxsim.experiment.progress import STORED, Progress, ProgressBar
from paxsim.experiment.result import Result, make_result
from paxsim.experiment.store import RunStore, make_manifest, readable
from paxsim.experiment.tally import PlayedBlocks, Tally, merge_tallies, tally_blocks, warm_counting
from paxsim.playing import PolicyError, play_deals, trace_command
from paxsim.text import number, significant

# An interrupted run is no mistake.
warnings.filterwarnings("ignore", message=".*adjusting the input task iterator", module="joblib")

MAX_JOBS = 1024
#: Seconds that a chunk of slow policies takes at most, roughly: Ctrl-C costs no more of a run.
CHUNK_SECONDS = 10.0
#: Attempts of lost workers without any finished chunk; after more, the work itself ends them.
MOST_FRUITLESS = 1
BACKENDS = ("threads", "processes", "dask")
#: Seconds that a dask scheduler may take to answer.
ANSWER_SECONDS = 6
#: Settings of a dask cluster that is started here: its workers do not profile themselves, which
#: takes a share of every second and says nothing about compiled games.
CLUSTER_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}


class RunOptions(TypedDict, total=False):
    """Options of how an experiment is run; none of them changes its numbers.

    Attributes
    ----------
    jobs : int
        Number of workers (default: one per core).
    out : str or pathlib.Path
        Run directory, where finished work is kept; an existing run is resumed or extended.
    backend : str
        ``"threads"`` (default), ``"processes"`` or ``"dask"``.
    address : str
        Address of a dask scheduler, e.g. ``"tcp://host:8786"``; by default a cluster is started
        on this machine.
    chunk_games : int
        Games that a worker plays at a time, roughly.
    progress : callable or False
        Called as ``progress(done, expected, text)`` with numbers of games; `expected` is None if a
        rule decides when to stop. By default a progress line is shown after a second; False shows
        none.
    """

    jobs: int | None
    out: str | Path | None
    backend: str
    address: str | None
    chunk_games: int
    progress: Progress | bool | None


_DEFAULTS: RunOptions = {
    "jobs": None,
    "out": None,
    "backend": "threads",
    "address": None,
    "chunk_games": CHUNK_GAMES,
    "progress": None,
}


def checked_options(options: RunOptions) -> RunOptions:
    """Return run options with the defaults of those that are not given."""
    for name in options:
        if name not in _DEFAULTS:
            raise unknown("option", name, _DEFAULTS)
    checked = cast(RunOptions, {**_DEFAULTS, **options})
    if checked["out"] is not None:
        checked["out"] = checked_path("out", checked["out"])
    checked_int("chunk_games", checked["chunk_games"], 1, MAX_CHUNK_GAMES)
    progress = checked["progress"]
    if progress is not None and progress is not False and not callable(progress):
        raise PaxsimError(f"progress must be a function or False, got {safe_repr(progress)}")
    return checked


def checked_jobs(jobs: int | None) -> int:
    """Return a valid number of workers; by default the usable cores, here or in the cluster."""
    if jobs is not None:
        return checked_int("jobs", jobs, 1, MAX_JOBS)
    if "joblib" not in sys.modules:  # then the backend is threads
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    from joblib import effective_n_jobs

    return effective_n_jobs(-1)


_command: ContextVar[str] = ContextVar("command", default="")


@contextmanager
def made_by(command: str) -> Iterator[None]:
    """Record a command line as what makes the runs inside, to be repeated by users."""
    token = _command.set(command)
    try:
        yield
    finally:
        _command.reset(token)


def run(
    plan: Plan, question: dict[str, Any], options: RunOptions, stop: StopRule | None = None
) -> Result:
    """Play a plan and build its result.

    The ``kind`` of the question decides on the tables, which use its other entries. A rule may
    `stop` the run between waves of chunks.
    """
    begin = time.perf_counter()
    options = checked_options(options)
    manifest = make_manifest(plan, question, _command.get() or f"paxsim.{question['kind']}(...)")
    with workers(options["backend"], options["address"]), contextlib.ExitStack() as stack:
        jobs = checked_jobs(options["jobs"])
        store = None
        if options["out"] is not None:
            store = stack.enter_context(RunStore(Path(options["out"]), manifest))
        progress = options["progress"]
        if progress is None:
            progress = stack.enter_context(ProgressBar())
        tallies = run_plan(
            plan,
            jobs=jobs,
            chunk_games=options["chunk_games"],
            store=store,
            progress=progress if callable(progress) else None,
            stop=stop,
        )
    played = time.perf_counter()
    # Stored chunks may be forged.
    with readable(store.path) if store and store.chunks else contextlib.nullcontext():
        result = make_result(manifest, dict(enumerate(tallies)))
    damaged = store.damaged if store is not None else []
    result.notices = [f"damaged and played again: {name}" for name in damaged]
    if store is not None and store.extended_from is not None:
        result.notices.append(f"extended: the run had {store.extended_from:,} games planned")
    result.notices += _precision_notice(question, result)
    played_games = result.games - (store.loaded_games if store is not None else 0)
    if played_games:
        result.notices += _cost_of_plain(plan, (played - begin) * jobs / played_games)
    result.timing = {
        "played_games": played_games,
        "seconds": time.perf_counter() - begin,
        "playing_seconds": played - begin,
        "jobs": jobs,
        "backend": options["backend"],
        "damaged": damaged,
    }
    return result


def _cost_of_plain(plan: Plan, seconds: float) -> list[str]:
    """Return what plain Python costs, from a worker's seconds for a game."""
    plain = {p.label: p for match in plan.matches for p in match.lineup.policies if p.is_plain}
    if not plain:
        return []
    return [
        f"plain Python: {', '.join(plain)}; a game took {number(1000 * seconds, 1)} ms of a "
        "worker, where compiled ones take some hundredths"
    ]


def _precision_notice(question: dict[str, Any], result: Result) -> list[str]:
    """Return what to say if all games were too few for the precision."""
    target = question.get("precision")
    if target is None or (half_width := reached(result.matches[0], target)) <= target:
        return []
    width = significant(100 * half_width, 3)
    return [f"precision: all {result.games:,} games played, ±{width}% reached"]


def run_plan(
    plan: Plan,
    *,
    jobs: int | None = None,
    chunk_games: int = CHUNK_GAMES,
    store: RunStore | None = None,
    progress: Progress | None = None,
    stop: StopRule | None = None,
) -> list[Tally]:
    """Play a plan and return one tally for each bundle; a store keeps finished chunks.

    `progress` is called after every chunk, and `stop` with the tallies between waves of chunks.
    """
    jobs = checked_jobs(jobs)
    looks = stop is not None
    tallies: list[Tally | None] = [None] * len(plan.bundles)
    done = 0

    def count(chunk: Chunk, tally: Tally, text: str = "") -> None:
        nonlocal done
        merged = tallies[chunk.bundle]
        tallies[chunk.bundle] = tally if merged is None else merge_tallies(merged, tally)
        done += chunk.blocks * plan.block_games(chunk.bundle)
        if progress is not None:
            progress(done, None if looks else plan.games, text)

    prepare = functools.cache(lambda: warm(plan))
    for wave in plan.waves(looks):
        missing: dict[Chunk, None] = {}
        for span in wave:
            stored = store.chunks_in(span) if store is not None else []
            for chunk in stored:
                assert store is not None
                tally = store.load(chunk)
                if tally is None:
                    missing[chunk] = None
                else:
                    count(chunk, tally, STORED)
                    store.loaded_games += chunk.blocks * plan.block_games(chunk.bundle)
            if gaps := span.without(stored):
                games = min(chunk_games, int(CHUNK_SECONDS / prepare()) + 1)
                step = plan.chunk_blocks(span, games, looks)
                missing |= {part: None for gap in gaps for part in gap.cut(step)}
        fruitless = 0
        while missing:  # again, if workers were lost with their chunks
            prepare()
            before, lost = len(missing), None
            try:
                for chunk, tally in play_chunks(plan, list(missing), jobs):
                    if chunk in missing:
                        del missing[chunk]
                        if store is not None:
                            store.save(chunk, tally)
                        count(chunk, tally)
            except BrokenExecutor as error:
                lost = error
            except KeyboardInterrupt:
                end_games()
                raise
            fruitless = fruitless + 1 if len(missing) == before else 0
            if fruitless > MOST_FRUITLESS:
                raise lost or PaxsimError("the workers gave no answer")
        if stop is not None and stop(tallies):
            break
    return [tally for tally in tallies if tally is not None]


def play_chunks(plan: Plan, chunks: list[Chunk], jobs: int) -> Iterator[tuple[Chunk, Tally]]:
    """Play chunks with joblib's workers; a single one is played right here."""
    if len(chunks) == 1:
        return iter([(chunks[0], play_work(plan.work(chunks[0])))])
    from joblib import Parallel, delayed  # slow to import, and a small run needs none of it

    parallel = Parallel(
        n_jobs=min(jobs, len(chunks)), prefer="threads", return_as="generator_unordered"
    )
    return parallel(delayed(_play_chunk)(chunk, plan.work(chunk)) for chunk in chunks)


def _play_chunk(chunk: Chunk, work: Work) -> tuple[Chunk, Tally]:
    return chunk, play_work(work)


def play_work(work: Work) -> Tally:
    """Play a chunk's games and tally them, wherever the worker is."""
    work.check_code()
    tallies = (
        tally_blocks([_play_blocks(match, piece) for match in work.matches])
        for piece in work.pieces()
    )
    return functools.reduce(merge_tallies, tallies)


def _play_blocks(match: Match, work: Work) -> PlayedBlocks:
    """Play a chunk's blocks of one match."""
    deals = (work.seed, work.first_block, work.blocks, match.rotations)
    lineups = map(match.ordered_lineup, match.orders)
    batches = [play_deals(match.setting, lineup, *deals) for lineup in lineups]
    return PlayedBlocks(match.lineup.labels, match.orders, batches, work.first_block)


def warm(plan: Plan) -> float:
    """Compile everything once, before workers start and would all do it.

    Return the seconds that a game takes with the slowest policies of users.
    """
    for match in plan.matches:
        for policy in match.lineup.policies:
            _ = policy.compiled
    warm_counting()
    match = plan.matches[0]
    play_deals(match.setting, match.lineup, plan.seed, 0, 1, (0,))
    users = (match for match in plan.matches if not match.lineup.trusted)
    return max((refuse_unrepeatable(match, plan.seed) for match in users), default=1e-9)


def refuse_unrepeatable(match: Match, seed: int) -> float:
    """Play the first deal twice and check that the games are the same; return seconds a game."""
    rotations = tuple(range(match.players))
    begin = time.perf_counter()
    first, second = (
        play_deals(match.setting, match.lineup, seed, 0, 1, rotations).results for _ in range(2)
    )
    for rotation in rotations:
        if first[rotation].tobytes() != second[rotation].tobytes():
            replay = trace_command(match.setting, match.lineup, seed, 0, rotation)
            raise PolicyError(
                f"policies {','.join(match.lineup.labels)} play the same game differently the "
                f"second time; a policy must depend only on its arguments; to see this game: "
                f"{replay}"
            )
    return (time.perf_counter() - begin) / (2 * match.players)


# --- workers --------------------------------------------------------------------------------


@contextmanager
def workers(backend: str = "threads", address: str | None = None) -> Iterator[None]:
    """Choose the backend for everything that is played inside; see `RunOptions`."""
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    if address is not None and backend != "dask":
        raise PaxsimError(f"address needs the dask backend, got backend {backend}")
    if address is not None and not isinstance(address, str):
        raise PaxsimError(f"address must be like tcp://host:8786, got {safe_repr(address)}")
    if backend == "threads":
        yield
        return
    import joblib  # slow to import, and threads need none of it

    if backend == "processes":
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1), _lost_workers():
            yield
    else:
        with _dask_client(address), joblib.parallel_config(backend="dask"), _lost_workers():
            yield


#: Errors of dask when workers or the scheduler are gone; it may not be installed.
_DASK_ERRORS = ("KilledWorker", "CommClosedError")


@contextmanager
def _lost_workers() -> Iterator[None]:
    """Say in one line why a worker ended before its work was done."""
    try:
        yield
    except Exception as error:
        lost = isinstance(error, (BrokenExecutor, CancelledError, PicklingError))
        if not lost and type(error).__name__ not in _DASK_ERRORS:
            raise
        text = str(error.__cause__ or error).strip(' \n"')
        reason = one_line(text.splitlines()[-1] if text else type(error).__name__)
        raise PaxsimError(
            f"a worker ended before its work was done: {reason}; with --out DIR (out=) finished "
            "work is kept, and the same command resumes"
        ) from None


@contextmanager
def _dask_client(address: str | None) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise missing_library("the dask backend", "dask") from None
    import dask

    try:
        with dask.config.set(CLUSTER_SETTINGS):  # a cluster elsewhere has its own settings
            client = (
                Client(address, timeout=ANSWER_SECONDS, set_as_default=True)
                if address
                else Client()
            )
    except (OSError, ValueError) as error:
        raise PaxsimError(f"no dask scheduler answers at {address}: {error}") from None
    with client:
        yield
