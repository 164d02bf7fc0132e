"""Threads for compiled code, so that Ctrl-C can only be raised where Python waits for them.

An exception in the middle of compiled code, or of its compilation, leaves memory in disorder.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

#: Value of `progress_dtype.failure` that ends games after their current decision.
STOPPED = 2
#: Progress of the games that are played now, in any thread, by its `id`.
playing: dict[int, Any] = {}
#: Seconds that games have for ending after Ctrl-C, before their thread is left alone.
GRACE = 1.0
T = TypeVar("T")


def end_games() -> None:
    """End all games that are played in other threads, each after its current decision."""
    for progress in list(playing.values()):
        progress["failure"] = STOPPED


def in_worker_thread(work: Callable[[], T]) -> T:
    """Call a function in another thread, so that Ctrl-C ends the wait for it.

    Nothing can be raised in compiled code: games end after their current decision, and a policy
    that never returns is left to its thread. So the thread keeps the frames of its callers, with
    the memory whose addresses compiled code has.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[T] = []
    errors: list[BaseException] = []
    done = threading.Event()
    callers = [sys._getframe()]

    def call() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            callers.clear()
            done.set()

    try:
        threading.Thread(target=call, name="paxsim games", daemon=True).start()
        done.wait()
    except KeyboardInterrupt:
        end_games()
        done.wait(GRACE)
        raise
    if errors:
        raise errors[0]
    return results[0]


def compiling(function: Callable[..., T]) -> Callable[..., T]:
    """Make a function that compiles run in another thread, once for the same arguments."""

    @functools.wraps(function)
    def call(*args: Any) -> T:
        return in_worker_thread(lambda: function(*args))

    return functools.cache(call)
