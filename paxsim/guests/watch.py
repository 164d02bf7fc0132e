"""The watch over guests: a decision that takes too long is stopped, and so is a run by Ctrl-C.

Compiled code can't be interrupted, so the loops of a guest look at a number, `_stop`, on every
round (`check_in`). A thread of this process writes there when a batch has not moved for as long as
its patience lasts, or while the memory of the process grew and grew, or when the user has had
enough.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

#: Seconds that a guest may take for one decision; a fair one needs microseconds.
PATIENCE = 20.0
#: Bytes by which this process may grow during one decision; a fair one needs none.
MEMORY = 2 * 2**30
_TICK = 0.1

_stop = np.zeros(1, np.int64)


class StoppedError(Exception):
    """Raised inside a guest's loop when it is told to stop."""


@intrinsic
def _told_to_stop(typingctx: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = ir.Constant(ir.IntType(64), _stop.ctypes.data)
        pointer = builder.inttoptr(address, cgutils.intp_t.as_pointer())
        # Atomic, so that the compiler reads it again on every round of a loop.
        word = builder.load_atomic(pointer, "monotonic", 8)
        return builder.icmp_unsigned("!=", word, word.type(0))

    return types.boolean(), codegen


def check_in() -> None:
    """What stands at the head of every loop of a guest."""


@overload(check_in, jit_options={"forceinline": True})
def _check_in():
    def look():
        if _told_to_stop():
            raise StoppedError

    return look


@dataclass(eq=False)
class _Watched:
    """A batch that is being played with guests: where it stands, and how long it has not moved."""

    progress: np.void
    patience: float
    blame: Callable[[str], Exception]
    #: Where the rollouts of its policies stand.
    rollouts: Sequence[np.void] = ()
    #: What is wrong with it, if something is.
    fault: str = ""
    _place: tuple[int, ...] = ()
    _still: float = 0.0
    _memory: int = 0

    def look(self) -> None:
        """Note whether it has moved since the last look, and lose patience in time."""
        place = tuple(int(self.progress[name]) for name in ("rotation", "deal", "asked"))
        place += tuple(int(progress["asked"]) for progress in self.rollouts)
        if place != self._place:
            self._place, self._still, self._memory = place, 0.0, _most_memory()
            return
        # Counted in looks, not by the clock, which goes on while a machine sleeps.
        self._still += _TICK
        if self._still >= self.patience:
            self.fault = f"gave no answer within {self.patience:g} s"
        elif _most_memory() - self._memory > MEMORY:
            self.fault = f"took more than {MEMORY / 2**30:g} GiB of memory"


def _most_memory() -> int:
    """The most bytes of memory that this process has had; 0 where the system does not say."""
    with contextlib.suppress(ImportError):
        import resource  # of Unix

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return 0


_lock = threading.Lock()
_playing: list[_Watched] = []
_watcher: threading.Thread | None = None


def stop_guests() -> None:
    """Make every guest that is in a loop raise `StoppedError`, in all threads of this process."""
    with _lock:
        _stop[0] = 1 if _playing else 0


def play_watched(
    play: Callable[[], Any],
    progress: np.void,
    patience: float,
    blame: Callable[[str], Exception],
    rollouts: Sequence[np.void] = (),
) -> Any:
    """Play with guests, and stop when nothing moves; return what `play` returns.

    Parameters
    ----------
    play : callable
        Plays a batch, or asks for one decision.
    progress : numpy.void
        Where it stands (``paxsim.engine.loop.progress_dtype``).
    patience : float
        Seconds that it may stand still.
    blame : callable
        Makes the error that says who is stuck, and how; also raised by batches of other threads
        that had to be stopped with this one.
    rollouts : sequence of numpy.void
        The same of the rollouts of its policies.
    """
    watched = _Watched(progress, patience, blame, rollouts)
    _begin(watched)
    try:
        return off_the_main_thread(play)
    except StoppedError:
        with _lock:
            stuck = [other for other in _playing if other.fault]
        raise (stuck[0].blame(stuck[0].fault) if stuck else KeyboardInterrupt()) from None
    finally:
        _end(watched)


def off_the_main_thread(play: Callable[[], Any]) -> Any:
    """Call something; the main thread, which hears of Ctrl-C only in Python, lets another do it."""
    if threading.current_thread() is not threading.main_thread():
        return play()
    answers: list[Any] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(play())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work, name="paxsim games", daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        stop_guests()
        thread.join()
        raise
    if raised:
        raise raised[0]
    return answers[0]


def _begin(watched: _Watched) -> None:
    global _watcher
    with _lock:
        _playing.append(watched)
        if _watcher is None:
            _watcher = threading.Thread(target=_watch, name="paxsim watch", daemon=True)
            _watcher.start()


def _end(watched: _Watched) -> None:
    with _lock:
        _playing.remove(watched)
        if not _playing:
            _stop[0] = 0


def _watch() -> None:
    """Look at all batches until there is none left."""
    global _watcher
    while True:
        time.sleep(_TICK)
        with _lock:
            if not _playing:
                _watcher = None
                return
            for watched in _playing:
                watched.look()
            if any(watched.fault for watched in _playing):
                _stop[0] = 1
