"""Ctrl-C: one line and exit code 130 at any moment of a command, and never lost.

Python tells a program of Ctrl-C by an exception at whatever line it happens to be, and drops it
where there is no way up: in a destructor, or in a function that was called by C. A library may
also catch it with others. So the command notes that there was one, raises it again where it was
dropped, and asks here (`check`) after each part of its work.

(Only the standard library, and first of all: while the others are imported, it is in force.)
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

EXIT_INTERRUPTED = 130
#: Seconds until an exception that was dropped is raised again, further up.
_AGAIN = 0.05

_told = False
#: Whether an interrupt is an exception; before and after there is nothing to put in order.
_at_work = False
_said = False


def is_command() -> bool:
    """Whether this process is the command ``paxsim``, and no program that imports the package."""
    name = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""
    if name == "-m":  # so it is while Python looks for the module
        words = sys.orig_argv
        return "-m" in words and words[words.index("-m") + 1 :][:1] == ["paxsim"]
    return name in ("paxsim", "paxsim.exe")


def watch() -> None:
    """From now on Ctrl-C ends this process with one line (unless it is to be ignored)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


def begin_work() -> None:
    """From now on Ctrl-C is a `KeyboardInterrupt` in the main thread."""
    global _at_work
    watch()
    _at_work = True
    sys.unraisablehook = _raise_again


def end_work(said: bool) -> None:
    """From now on nothing is left but to leave; `said` is whether an interrupt has been told of."""
    global _at_work, _said
    _at_work, _said = False, said


def told() -> bool:
    """Whether the user has pressed Ctrl-C."""
    return _told


def check() -> None:
    """Raise `KeyboardInterrupt` if there was one, and somebody has caught it."""
    if _told and _at_work:
        raise KeyboardInterrupt


def _interrupted(number: int, frame: FrameType | None) -> None:
    global _told
    if not _at_work:
        if not _said:
            os.write(2, b"paxsim: interrupted\n")
        os._exit(EXIT_INTERRUPTED)
    _told = True
    raise KeyboardInterrupt


def _raise_again(dropped: Any) -> None:
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
    elif _at_work:
        # By a thread, a little later: an exception from here would be dropped as well.
        again = threading.Timer(_AGAIN, _thread.interrupt_main)
        again.daemon = True
        again.start()


@contextmanager
def none_dropped(note: list[BaseException]) -> Iterator[None]:
    """Raise at the end what is dropped inside, where C calls Python.

    Parameters
    ----------
    note : list
        Gets the `KeyboardInterrupt` at once, so that those who are called can see it.
    """
    note.clear()
    if threading.current_thread() is not threading.main_thread():
        yield  # others are never told of Ctrl-C
        return
    before = sys.unraisablehook

    def keep(dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            note.append(KeyboardInterrupt())
        else:
            before(dropped)

    sys.unraisablehook = keep
    try:
        yield
    except Exception:
        if not note:  # else it is what became of the interrupt
            raise
    finally:
        sys.unraisablehook = before
    if note:
        raise note[0]
