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


# --- where C calls Python -----------------------------------------------------------------------

#: Whether there was an interrupt while C was at work, and whether Python that C has called is ready
#: to catch one. Only the main thread is ever told of Ctrl-C, so there is one of each.
_held_back = _ready = False


@contextmanager
def held_back() -> Iterator[None]:
    """For compiled code that calls Python: an interrupt is noted, and raised at the end.

    An exception that Python brings to C as it is called, before its first line, has no way up: C
    would go on with an answer that nobody gave, and crash. So there is none until who is called
    says that it is `ready`.
    """
    global _held_back, _ready
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # never told, or to be ignored
        return

    def note(number: int, frame: FrameType | None) -> None:
        global _held_back, _ready
        if _ready:
            _ready = False  # whoever catches it is not to be met by another one
            before(number, frame)
        else:
            _held_back = True

    _held_back = _ready = False
    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception:
        if not _held_back:  # else it is what became of the interrupt
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if _held_back:
        _held_back = False
        before(signal.SIGINT, None)


def ready(yes: bool) -> bool:
    """Say whether an interrupt would be caught; return whether there was one before.

    Python that C calls asks for them within its ``try``, and no longer when it leaves that.
    """
    global _ready
    if threading.current_thread() is not threading.main_thread():
        return False
    _ready = yes and not _held_back
    return _held_back
