"""The progress bar of questions that are asked in Python: a line in a terminal or in a notebook.

It appears when a run takes longer than a moment, and goes when it is done. Where nobody looks (a
pipe, a file, a test) there is none.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from paxsim.text import whole_percent

if TYPE_CHECKING:
    from paxsim.experiment.run import Progress, Standing

#: Seconds before it appears, and between two looks of it.
_DELAY, _PAUSE = 1.0, 0.2
_WIDTH = 20

#: Shows a text in the place of the last one; an empty text at the end.
Show = Callable[[str], None]


@contextmanager
def default_bar() -> Iterator[Progress | None]:
    """What is to be told about a run whose user said nothing of progress, if anything."""
    show = _place()
    if show is None:
        yield None
        return
    bar = Bar(show)
    try:
        yield bar.update
    finally:
        bar.close()


class Bar:
    """A line of text that grows.

    Parameters
    ----------
    show : callable
        Where it is shown.
    """

    def __init__(self, show: Show, clock: Callable[[], float] = time.monotonic):
        self._show = show
        self._clock = clock
        self._begin = self._last = clock()
        self._first: int | None = None
        self._shown = False

    def update(self, standing: Standing, games: int) -> None:
        """A run went on by so many games."""
        now = self._clock()
        if self._first is None:  # what compiling took, and was on disk, says nothing of the speed
            self._first, self._since = standing.games, now
        if now - self._begin < _DELAY or now - self._last < _PAUSE:
            return
        self._last = now
        self._shown = True
        speed = (standing.games - self._first) / max(now - self._since, 1e-9)
        self._show(in_words(standing.games, standing.expected, speed))

    def close(self) -> None:
        """Leave nothing behind."""
        if self._shown:
            self._show("")


def in_words(games: int, expected: int | None, speed: float) -> str:
    """A line that says how far a run is, at so many games a second."""
    told = f"{speed:,.0f} games/s" if speed > 0 else ""
    if not expected:
        return f"{games:,} games  {told}"
    share = min(games / expected, 1.0)
    full = round(_WIDTH * share)
    left = f"  {(expected - games) / speed:.0f} s left" if speed > 0 else ""
    return f"[{'#' * full}{'.' * (_WIDTH - full)}] {whole_percent(share):>3} %  {told}{left}"


def _place() -> Show | None:
    """Where somebody looks: a cell of a notebook, or a terminal; None if there is neither."""
    if _in_notebook():
        return _cell()
    if sys.stderr is not None and sys.stderr.isatty():
        return _terminal
    return None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")


def _cell() -> Show:
    """An output of the cell that is being run, made when there is something to show."""
    from IPython.display import display

    handle = None

    def show(text: str) -> None:
        nonlocal handle
        content = {"text/plain": text}
        if handle is None:
            handle = display(content, raw=True, display_id=True)
        else:
            handle.update(content, raw=True)

    return show


def _terminal(text: str) -> None:
    assert sys.stderr is not None
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
