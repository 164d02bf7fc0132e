"""The progress bar of a run: rate, time left and the win rates so far; silent when piped."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

#: Characters of a policy's name in the bar.
_NAME = 12


class ProgressBar:
    """A bar on the terminal; on anything else it only counts.

    Attributes
    ----------
    games : int
        Games played so far.
    """

    def __init__(self) -> None:
        self.games = 0
        self._progress = Progress(
            BarColumn(bar_width=16),
            TextColumn("{task.fields[done]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[rates]}"),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, done="compiling", speed="", rates="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, standing: Any) -> None:
        """Show how far a run is (a `paxsim.experiment.execute.Standing`)."""
        self.games = standing.games
        if self._progress.disable:
            return
        self._progress.update(self._task, total=standing.expected, completed=standing.games)
        done = f"{standing.games:,} games"
        if standing.expected:
            done = f"{100 * standing.games / standing.expected:.0f}%"
        speed = self._progress.tasks[0].speed
        self._progress.update(
            self._task,
            done=done,
            speed=f"{speed:,.0f} games/s" if speed else "",
            rates=rates_so_far(standing),
        )


def rates_so_far(standing: Any) -> str:
    """Win rates of what is being played, in percent, by strategy or by match of the bundle."""
    from paxsim.experiment.tally import WIN

    matches = standing.plan.bundles[standing.bundle]
    rates: list[str] = []
    for index, match in enumerate(matches):
        wins = standing.tally[f"{index}/superblocks"].sum(axis=0) / WIN
        rate = 100 * wins[:-1] / standing.tally[f"{index}/games"][0]
        names: dict[str, list[float]] = {}
        for label, value in zip(match.lineup.labels, rate, strict=True):
            names.setdefault(label, []).append(float(value))
        found = [f"{name[:_NAME]} {sum(v) / len(v):.1f}" for name, v in names.items()]
        # Of several matches on common deals the first position is what differs.
        rates += found if len(matches) == 1 else found[:1]
    return f"wins %: {', '.join(rates)}"
