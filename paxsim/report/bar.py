"""How far the report is: a bar in a terminal, one line a study anywhere."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from paxsim.errors import one_line


class Silent:
    """Shows nothing."""

    _done = 0

    def begin(self, study: str, run: str) -> None:
        """Show that a run of a study begins."""
        self._done = 0

    def played(self, done: int, expected: int | None, text: str) -> None:
        """Show the games of the run so far, played or found in its directory."""
        self.count(done - self._done)
        self._done = done

    def count(self, games: int) -> None:
        """So many games more are there."""


class Bar(Silent):
    """A bar over all games, with the study and run that are being played."""

    def __init__(self, games: int):
        self.done = 0
        self._begin = time.monotonic()
        # Square brackets are nothing but characters here.
        self.console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[speed]}", markup=False),
            console=self.console,
            disable=sys.stderr is None or not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._progress.add_task("compiling ...", total=games, speed="")

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, study: str, run: str) -> None:
        """Show that a run of a study begins."""
        super().begin(study, run)
        self._progress.update(self._task, description=f"{study}: {run}")

    def count(self, games: int) -> None:
        """So many games more are there."""
        self.done += games
        speed = self.done / max(time.monotonic() - self._begin, 1e-3)
        self._progress.update(self._task, advance=games, speed=f"{speed:,.0f} games/s")

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(one_line(text))
