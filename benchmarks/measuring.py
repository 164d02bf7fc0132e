"""Shared parts of the benchmarks: times measured in turns, separate processes, tables.

Machines are noisy, so things are compared in turns within one run, and the best time of each
counts: other work makes a time longer, never shorter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = HERE / "results"

Name = TypeVar("Name", bound=Hashable)


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the time that a call takes, by the wall clock or another one."""
    begin = clock()
    work()
    return clock() - begin


def best_in_turns(works: Mapping[Name, Callable[[], float]], repeats: int) -> dict[Name, float]:
    """Return the best of the times that each work returns; every turn does all works once."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], work())
    return best


def run_python(code: str, *arguments: object, cache: Path | None = None) -> str:
    """Run code in a process of its own and return its output.

    Parameters
    ----------
    code : str
        Python code.
    *arguments
        Its ``sys.argv[1:]``.
    cache : pathlib.Path, optional
        Folder for compiled code, instead of the usual one.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["PAXSIM_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(f"benchmark process failed:\n{done.stderr}")
    return done.stdout


def json_from_python(code: str, *arguments: object, cache: Path | None = None) -> Any:
    """Run code whose last line of output is JSON, and return the value."""
    return json.loads(run_python(code, *arguments, cache=cache).splitlines()[-1])


@contextmanager
def empty_cache() -> Iterator[Path]:
    """Provide a cache folder without compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same keys as a Markdown table; numbers to three digits."""
    lines = [list(rows[0]), ["---" if _is_text(v) else "---:" for v in rows[0].values()]]
    lines += [[_cell(value) for value in row.values()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _cell(value: Any) -> str:
    if _is_text(value) or isinstance(value, int):
        return str(value)
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
