"""Ctrl-C: work stops between its pieces, and never inside compiled code.

Python raises KeyboardInterrupt in the main thread. Policies of users play in a worker thread, which
finishes its piece of work whatever happens in the main thread.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, TypeVar

EXIT_INTERRUPTED = 130
#: Seconds that a command has for stopping cleanly after Ctrl-C.
PATIENCE = 3

T = TypeVar("T")
_stop = threading.Event()


def handle_interrupts() -> None:
    """Let Ctrl-C end this process, which is a command, in any case; unless it is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    stop()
    # A library may catch the exception, and a piece of work may take long.
    timer = threading.Timer(PATIENCE, _give_up)
    timer.daemon = True
    timer.start()
    raise KeyboardInterrupt


def _give_up() -> None:
    os.write(2, b"paxsim: interrupted\n")
    leave(EXIT_INTERRUPTED)


def leave(code: int) -> NoReturn:
    """End the process with an exit code, even if other threads still run compiled code."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or none
            stream.flush()
    os._exit(code)


def stop() -> None:
    """Ask all threads to stop after their current piece of work."""
    _stop.set()


def start() -> None:
    """Begin work; an earlier `stop` is forgotten."""
    _stop.clear()


def stopped() -> bool:
    """Return whether work was asked to stop."""
    return _stop.is_set()


def check() -> None:
    """Raise `KeyboardInterrupt` if work was asked to stop; call this between pieces of work."""
    if _stop.is_set():
        raise KeyboardInterrupt


def in_worker_thread(work: Callable[[], T]) -> T:
    """Call a function in a thread of its own and return its result.

    After Ctrl-C the thread finishes the call, because compiled code can't be stopped safely.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, name="paxsim")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


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
