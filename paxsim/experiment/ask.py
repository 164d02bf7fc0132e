"""Having a plan played and its question answered."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.answers import answer
from paxsim.experiment.cutting import CHUNK_GAMES
from paxsim.experiment.plan import Plan
from paxsim.experiment.result import Result
from paxsim.experiment.run import Progress, checked_jobs, run_plan, warm
from paxsim.experiment.stopping import StopRule, reached
from paxsim.experiment.store import (
    RunDirectory,
    holds_run,
    make_manifest,
    refuse_others_files,
)
from paxsim.experiment.textbar import default_bar
from paxsim.experiment.workers import workers
from paxsim.quoting import told
from paxsim.text import number, significant


@dataclass(frozen=True)
class HowToRun:
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
                f"progress: found {told(self.progress)}; allowed: a function, or False for no bar"
            )
        if not isinstance(self.command, str):
            raise PaxsimError(f"command: found {told(self.command)}; allowed: a text")
        if self.notices is not None and not isinstance(self.notices, list):
            raise PaxsimError(f"notices: found {told(self.notices)}; allowed: a list")

    def shown_progress(self) -> contextlib.AbstractContextManager[Progress | None]:
        """What is told about finished chunks, for as long as the games are played."""
        if self.progress is None:
            return default_bar()
        return contextlib.nullcontext(self.progress if callable(self.progress) else None)


def ask(
    plan: Plan, question: dict[str, Any], how: HowToRun, stop: StopRule | None = None
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
