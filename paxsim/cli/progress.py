"""The progress bar of a run: rate, time left and the win rates so far; silent when piped."""

from __future__ import annotations

import sys
import time
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from paxsim.cli.tables import make_console
from paxsim.quoting import one_line

#: Characters that the other columns take, with what stands before the win rates.
_OTHER_COLUMNS = 45


class ProgressBar:
    """A bar on the terminal; on anything else it only counts.

    Attributes
    ----------
    games : int
        Games played so far.
    """

    def __init__(self) -> None:
        self.games = 0
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
        self.games = standing.games
        if self._progress.disable:
            return
        if self._begin is None:
            # Compiling and what was found on disk say nothing about the speed.
            self._begin, self._first = time.monotonic(), standing.games
        elapsed = time.monotonic() - self._begin
        speed = (standing.games - self._first) / elapsed if elapsed > 0.2 else 0.0
        done = f"{standing.games:,} games"
        if standing.expected:
            done = f"{100 * standing.games / standing.expected:.0f}%"
        self._progress.update(
            self._task,
            total=standing.expected,
            completed=standing.games,
            done=done,
            speed=f"{speed / 1000:,.1f}k games/s" if speed else "",
            rates=rates_so_far(standing, self._progress.console.width - _OTHER_COLUMNS),
        )


def _column(field: str, **width: int) -> TextColumn:
    """A column of the bar that shows a field of the task as it is, square brackets included."""
    column = Column(no_wrap=True, **width)  # type: ignore[arg-type]
    return TextColumn(f"{{task.fields[{field}]}}", markup=False, table_column=column)


def rates_so_far(standing: Any, room: int) -> str:
    """Win rates in percent of what is being played, with names as long as there is room for."""
    from paxsim.experiment.tally import wins_by_superblock

    matches = standing.plan.bundles[standing.bundle]
    rates: list[tuple[str, float]] = []
    for index, match in enumerate(matches):
        wins = wins_by_superblock(standing.tally, index).sum(axis=0)
        rate = 100 * wins[:-1] / standing.tally[f"{index}/games"][0]
        names: dict[str, list[float]] = {}
        for label, value in zip(match.lineup.labels, rate, strict=True):
            names.setdefault(label, []).append(float(value))
        found = [(name, sum(values) / len(values)) for name, values in names.items()]
        # Of several matches on common deals the first position is what differs.
        rates += found if len(matches) == 1 else found[:1]
    length = max(1, room // len(rates) - len(" 12.3 "))
    said = " ".join(f"{name[:length]} {rate:.1f}" for name, rate in rates)
    return f"wins % {one_line(said)}"
