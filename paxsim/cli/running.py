"""What the commands that play experiments share: options, the progress bar, how results appear."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from paxsim.cli import options
from paxsim.errors import PaxsimError

#: Options that change how a run is carried out and not what it plays.
_VARYING = ("--jobs", "--backend", "--address", "--out", "--json", "--csv")


def how_to_run(function: Callable) -> Callable:
    """The options of every command that plays an experiment."""
    decorators = (
        click.option("--games", default="1e5", show_default=True, help="How many, e.g. 1e6."),
        options.seed,
        options.deck,
        options.rules,
        click.option("--jobs", type=int, help="Workers.  [default: one a core]"),
        click.option(
            "--backend",
            default="threads",
            show_default=True,
            help="Where workers run: threads, processes or dask.",
        ),
        click.option("--address", help="Scheduler of a dask cluster, e.g. tcp://host:8786."),
        click.option("--out", type=Path, metavar="DIR", help="Keep the run here; resumes."),
        click.option("--csv", type=Path, metavar="DIR", help="Write every table as CSV here."),
        click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout."),
        click.option(
            "--chunk-games", type=int, default=24_000, hidden=True, help="Games a task, about."
        ),
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def parse_games(text: str) -> int:
    """``"1e6"`` or ``"1000000"`` as a whole number."""
    try:
        number = float(text.replace("_", "").replace(",", ""))
    except ValueError:
        number = 0.5
    if not number.is_integer() or number < 1:
        raise PaxsimError(f"games: found {text!r}; allowed: a positive whole number, e.g. 1e6")
    return int(number)


def parse_players(text: str | None) -> list[int] | None:
    """``"4"``, ``"2-8"`` or ``"2,4,6-8"`` as player counts."""
    if text is None:
        return None
    counts: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        if match is None:
            raise PaxsimError(f"players: found {text!r}; allowed: 4, 2-8 or 2,4,6")
        first = int(match[1])
        counts += range(first, int(match[2] or first) + 1)
    if not counts or len(set(counts)) < len(counts):
        raise PaxsimError(f"players: found {text!r}; allowed: every player count once")
    return counts


def parse_share(field: str, text: str) -> float:
    """``"0.2%"`` or ``"0.002"`` as a fraction."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise PaxsimError(f"{field}: found {text!r}; allowed: e.g. 0.2% or 0.002") from None


def command_line() -> str:
    """The command as typed, without what does not change its results."""
    words: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        name = word.partition("=")[0]
        if skip:
            skip = False
        elif name in _VARYING:
            skip = "=" not in word and name != "--json"
        else:
            words.append(word)
    return shlex.join(["paxsim", *words])


def run_experiment(
    question: Callable[..., Any],
    shown: Callable[[Any], None],
    *,
    total: int,
    jobs: int | None,
    backend: str,
    address: str | None,
    out: Path | None,
    csv: Path | None,
    as_json: bool,
    chunk_games: int,
    **arguments: Any,
) -> None:
    """Ask a question with a progress bar and show its result.

    Parameters
    ----------
    question : callable
        One of `paxsim.experiment.questions`.
    shown : callable
        Prints the result for a person.
    total : int
        Games to be played, for the progress bar.
    """
    notices: list[str] = []
    bar = _Bar(total)
    try:
        with bar:
            result = question(
                **arguments,
                jobs=jobs,
                backend=backend,
                address=address,
                out=out,
                chunk_games=chunk_games,
                progress=bar.update,
                command=command_line(),
                notices=notices,
            )
    except KeyboardInterrupt:
        kept = (
            f"; what is done is kept in {out}, the same command goes on from there" if out else ""
        )
        raise click.ClickException(f"interrupted after {bar.done:,} games{kept}") from None
    for notice in notices:
        click.echo(f"paxsim: {notice}", err=True)
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        click.echo(result.to_json())
    else:
        shown(result)
        seconds = result.timing["seconds"]
        rate = result.games / max(result.timing["playing_seconds"], 1e-9)
        click.echo(f"{result.caption}; {seconds:.1f} s, {rate:,.0f} games a second")


class _Bar:
    """A progress bar with rate, time left and the win rates so far; silent when piped."""

    def __init__(self, total: int):
        self.done = 0
        self._begin = time.monotonic()
        self._progress = Progress(
            TextColumn("playing"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[speed]}  {task.fields[rates]}"),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._progress.add_task("", total=total, speed="", rates="compiling ...")

    def __enter__(self) -> _Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, tallies: list[Any], games: int) -> None:
        """A chunk is finished."""
        if self.done == 0:
            self._begin = time.monotonic()
        self.done += games
        elapsed = max(time.monotonic() - self._begin, 1e-3)
        self._progress.update(
            self._task,
            advance=games,
            speed=f"{self.done / elapsed:,.0f} games/s",
            rates=_rates_so_far(tallies),
        )


def _rates_so_far(tallies: list[Any]) -> str:
    """Shares of the win by position of the bundle that is being played."""
    from paxsim.experiment.tally import WIN

    tally = next((tally for tally in reversed(tallies) if tally is not None), None)
    if tally is None:
        return ""
    wins = tally["0/superblocks"].sum(axis=0) / WIN
    games = tally["0/games"][0]
    return " ".join(f"{100 * win / games:.1f}%" for win in wins[:-1])
