"""A question asked under a progress bar, which is silent when piped, and its answer shown."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from paxsim import interrupts
from paxsim.cli import EXIT_INTERRUPTED
from paxsim.cli.console import make_console, say, warn
from paxsim.errors import one_line
from paxsim.text import in_percent, whole_percent

#: Characters that the other columns take, with what stands before the win rates.
_OTHER_COLUMNS = 45
#: Options that change how a run is carried out and not what it plays.
_VARYING = ("--jobs", "--backend", "--address", "--out", "--json", "--csv", "--chunk-games")


class ProgressBar:
    """A bar on the terminal; on anything else it only counts.

    Parameters
    ----------
    unit : str
        What is counted.

    Attributes
    ----------
    games : int
        Games played so far.
    """

    def __init__(self, unit: str = "games") -> None:
        self.games = 0
        self._unit = unit
        self._begin: float | None = None
        self._first = 0
        self._progress = Progress(
            BarColumn(bar_width=10, table_column=Column(min_width=10)),
            _column("done", min_width=4),
            TimeRemainingColumn(compact=True, table_column=Column(min_width=5, no_wrap=True)),
            _column("speed", min_width=13),
            _column("rates", ratio=1),  # the win rates get what room is left
            expand=True,
            console=make_console(stderr=True),
            disable=sys.stderr is None or not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, done="compiling", speed="", rates="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, standing: Any, games: int) -> None:
        """Show how far a run is (a `paxsim.experiment.run.Standing`)."""
        room = self._progress.console.width - _OTHER_COLUMNS
        said = "" if self._progress.disable else rates_so_far(standing, room)
        self.show(standing.games, standing.expected, said)

    def show(self, games: int, expected: int | None, said: str) -> None:
        """Show how many games have been played, of how many, and a few words besides."""
        interrupts.check()
        self.games = games
        if self._progress.disable:
            return
        if self._begin is None:
            # Compiling and what was found on disk say nothing about the speed.
            self._begin, self._first = time.monotonic(), games
        elapsed = time.monotonic() - self._begin
        speed = (games - self._first) / elapsed if elapsed > 0.2 else 0.0
        done = f"{whole_percent(games / expected)}%" if expected else f"{games:,} {self._unit}"
        self._progress.update(
            self._task,
            total=expected,
            completed=games,
            done=done,
            speed=self._speed(speed),
            rates=said,
        )

    def _speed(self, speed: float) -> str:
        if not speed:
            return ""
        said = f"{speed / 1000:,.1f}k" if self._unit == "games" else f"{speed:,.1f}"
        return f"{said} {self._unit}/s"


def _column(field: str, **width: int) -> TextColumn:
    """A column of the bar that shows a field of the task as it is, square brackets included."""
    column = Column(no_wrap=True, **width)  # type: ignore[arg-type]
    return TextColumn(f"{{task.fields[{field}]}}", markup=False, table_column=column)


def rates_so_far(standing: Any, room: int) -> str:
    """Win rates in percent of what is being played, with names as long as there is room for."""
    from paxsim.experiment.tally import in_wins

    matches = standing.plan.bundles[standing.bundle]
    rates: list[tuple[str, float]] = []
    for index, match in enumerate(matches):
        wins = in_wins(standing.tally[f"{index}/superblocks"].sum(axis=0))
        rate = wins[:-1] / standing.tally[f"{index}/games"][0]
        names: dict[str, list[float]] = {}
        for label, value in zip(match.lineup.labels, rate, strict=True):
            names.setdefault(label, []).append(float(value))
        found = [(name, sum(values) / len(values)) for name, values in names.items()]
        # Of several matches on common deals the first position is what differs.
        rates += found if len(matches) == 1 else found[:1]
    length = max(1, room // len(rates) - len(" 12.3 "))
    said = " ".join(f"{name[:length]} {in_percent(rate)}" for name, rate in rates)
    return f"wins % {one_line(said)}"


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
    """
    from paxsim.experiment.result import check_table_folder

    if csv is not None:
        check_table_folder("csv", csv)  # before playing: it would be a pity about the games
    notices: list[str] = []
    bar = ProgressBar()
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
        say_interrupted(bar.games, out)
    for notice in notices:
        warn(notice)
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        say(result.to_json())
    else:
        shown(result)
        seconds = result.timing["seconds"]
        rate = result.games / max(result.timing["playing_seconds"], 1e-9)
        say(f"{result.caption}; {seconds:.1f} s, {rate:,.0f} games a second")


def say_interrupted(games: int, out: Path | None) -> NoReturn:
    """End a run that the user stopped, and say how to go on."""
    if out is None:
        kept = "nothing is kept; with --out DIR it would be, and the same command would go on"
    elif out.exists():
        kept = f"what is done is kept in {out}: the same command goes on from there"
    else:  # stopped while it compiled, say
        kept = "there is nothing to keep yet"
    warn(f"interrupted after {games:,} games; {kept}")
    click.get_current_context().exit(EXIT_INTERRUPTED)
