"""Progress of long calls: one line that is updated in terminals and notebooks.

Where stderr is a file or a pipe, a line is printed every few seconds instead.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TypeAlias

from paxsim.errors import one_line
from paxsim.text import whole_percent

#: Seconds before the first update, between updates, and between lines in a file.
DELAY, PAUSE, FILE_PAUSE = 1.0, 0.2, 10.0
_BAR = 20
#: Text of a call about games that were stored, and so say nothing about speed.
STORED = "stored games"

#: Called with what is done, what is expected in all (None if unknown), and a text.
Progress: TypeAlias = Callable[[int, int | None, str], None]


class ProgressBar:
    """Progress line, called as ``bar(done, expected, text)``.

    Parameters
    ----------
    unit : str
        What is counted.

    Attributes
    ----------
    done : int
        How much was done at the last call.
    """

    def __init__(self, unit: str = "games", clock: Callable[[], float] = time.monotonic):
        self.done = 0
        self._unit, self._clock = unit, clock
        self._begin = clock()
        self._last = self._speed_from = -1.0
        self._first = 0
        self._show, self._pause = _display()
        self._shown = False

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._show("")

    def __call__(self, done: int, expected: int | None = None, text: str = "") -> None:
        """Update the line if it is due."""
        new, self.done = done - self.done, done
        now = self._clock()
        if self._speed_from < 0:  # compiling says nothing about speed
            self._speed_from, self._first = now, done
        elif text == STORED or new < 0:  # below zero: another task begins
            self._first += new
        early = now - self._begin < max(DELAY, self._pause) or now - self._last < self._pause
        if early or done == expected:
            return
        self._last, self._shown = now, True
        speed = (done - self._first) / max(now - self._speed_from, 1e-9)
        self._show(one_line(line_of(done, expected, speed, self._unit, text)))


def line_of(done: int, expected: int | None, speed: float, unit: str, text: str = "") -> str:
    """Return a progress line."""
    digits = 0 if speed >= 10 else 1
    parts = [f"{speed:,.{digits}f} {unit}/s"] if speed > 0 else []
    if expected:
        share = min(done / expected, 1.0)
        full = round(_BAR * share)
        parts.insert(0, f"[{'#' * full}{'.' * (_BAR - full)}] {whole_percent(share):>3}%")
        if speed > 0:
            parts.append(f"{max(expected - done, 0) / speed:.0f} s left")
    else:
        parts.insert(0, f"{done:,} {unit}")
    return "  ".join([*parts, text] if text else parts)


def _display() -> tuple[Callable[[str], None], float]:
    """Return what shows a line in place of the last one, and the seconds between two of them."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        return _notebook_cell(), PAUSE
    if sys.stderr is not None and sys.stderr.isatty():
        return _in_terminal, PAUSE
    return _in_file, FILE_PAUSE


def _notebook_cell() -> Callable[[str], None]:
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


def _in_terminal(text: str) -> None:
    assert sys.stderr is not None
    sys.stderr.write(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}")
    sys.stderr.flush()


def _in_file(text: str) -> None:
    if text and sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
