"""Having a plan played and its tables presented, from games or from a stored run."""

from __future__ import annotations

import contextlib
import functools
import time
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from paxsim.errors import PaxsimError, checked_path, unknown
from paxsim.experiment.backends import workers
from paxsim.experiment.execute import Progress, StopRule, checked_jobs, run_plan, warm
from paxsim.experiment.plan import CHUNK_GAMES, Plan
from paxsim.experiment.precision import reached
from paxsim.experiment.present import present
from paxsim.experiment.results import Result
from paxsim.experiment.store import (
    RunDirectory,
    holds_run,
    make_manifest,
    refuse_others_files,
    stored_tallies,
)
from paxsim.experiment.tally import Tally, merge_tallies
from paxsim.quoting import one_line, told


@dataclass(frozen=True)
class HowToRun:
    """How an experiment is carried out; nothing here changes its numbers.

    Attributes
    ----------
    jobs : int, optional
        Workers; by default one a core.
    backend, address
        See `paxsim.experiment.backends.workers`.
    out : pathlib.Path, optional
        Run directory: keep finished work there and go on with it.
    chunk_games : int
        Games a worker plays at a time, about.
    progress : callable, optional
        Told about every finished chunk.
    command : str
        The command line, for the manifest.
    notices : list of str
        Takes what the user should know besides the results.
    """

    jobs: int | None = None
    backend: str = "threads"
    address: str | None = None
    out: str | Path | None = None
    chunk_games: int = CHUNK_GAMES
    progress: Progress | None = None
    command: str = ""
    notices: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.out is not None:
            object.__setattr__(self, "out", checked_path("out", self.out))
        if self.progress is not None and not callable(self.progress):
            raise PaxsimError(f"progress: found {told(self.progress)}; allowed: a function")
        if not isinstance(self.command, str):
            raise PaxsimError(f"command: found {told(self.command)}; allowed: a text")
        if not isinstance(self.notices, list):
            raise PaxsimError(f"notices: found {told(self.notices)}; allowed: a list")


def how_to_run(how: dict[str, Any]) -> HowToRun:
    """The options of a question that say how it is carried out, checked."""
    allowed = [option.name for option in fields(HowToRun)]
    for name in how:
        if name not in allowed:
            raise unknown("option", name, allowed)
    return HowToRun(**how)


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
        tallies = run_plan(plan, jobs=jobs, store=store, progress=how.progress, stop=stop)
    played = time.perf_counter()
    result = present(make_manifest(plan, question, command), tallies)
    damaged = store.damaged if store is not None else []
    how.notices.extend(f"damaged and played again: {name}" for name in damaged)
    how.notices.extend(_not_reached(question, result))
    result.timing = {
        "seconds": time.perf_counter() - begin,
        "playing_seconds": played - begin,
        "jobs": jobs,
        "backend": how.backend,
        "damaged": damaged,
    }
    return result


def _not_reached(question: dict[str, Any], result: Result) -> list[str]:
    """What to say when the games that were allowed were too few for the precision."""
    wanted = question.get("precision")
    if wanted is None or (found := reached(result.matches[0], wanted)) <= wanted:
        return []
    return [f"precision: all {result.games:,} games played, ±{100 * found:.3g}% reached"]


def show(path: str | Path) -> Result:
    """Present a stored run without playing; what is left out is said in ``timing``."""
    path = checked_path("run", path)
    manifest, found, damaged = stored_tallies(path)
    expected = len(manifest["plan"]["bundles"])
    if len(found) < expected:
        raise PaxsimError(
            f"run: {path} has games of {len(found)} of its {expected} line-ups; "
            f"allowed: all; go on with: {manifest['command']} --out {path}"
        )
    try:
        result = present(manifest, [_merged(found[bundle]) for bundle in range(expected)])
    except Exception as error:  # files that are sound by themselves, and do not belong together
        raise PaxsimError(
            f"run: the chunks of {path} do not fit its manifest ({one_line(repr(error))}); "
            "allowed: a run as it was written"
        ) from None
    result.timing = {"damaged": damaged}
    return result


def incomplete(result: Result) -> str:
    """What a stored run still lacks, in words; empty if it is complete or stopped by its rule."""
    question = result.manifest["question"]
    planned = result.manifest["plan"]["games"]
    if result.games == planned:
        return ""
    precision = question.get("precision")
    if precision and reached(result.matches[0], precision) <= precision:
        return ""
    if question.get("sequential") and result["comparison"].at[0, "decision"] != "undecided":
        return ""
    return f"{result.games:,} of {planned:,} games so far"


def _merged(tallies: list[Tally]) -> Tally:
    return functools.reduce(merge_tallies, tallies)
