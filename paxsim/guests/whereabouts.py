"""Which line of a guest went wrong: it is compiled once more, and notes every line it comes to.

Compiled code that raises an exception does not say where. So after a failure the game is played
again with code that writes a number for each line down before it goes on; the last one is it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

_PACKAGE = Path(__file__).resolve().parent.parent

#: The line last come to, as a number of `_places`; -1 for none.
_last = np.full(1, -1, np.int64)
_places: list[tuple[str, int]] = []


def is_of_a_user(function: Callable) -> bool:
    """Whether a function stands outside this package."""
    return not Path(function.__code__.co_filename).is_relative_to(_PACKAGE)


def number_of(file: str, line: int) -> int:
    """The number that stands for a line."""
    place = (file, line)
    if place not in _places:
        _places.append(place)
    return _places.index(place)


def forget() -> None:
    """No line has been come to."""
    _last[0] = -1


def last_line() -> tuple[str, int]:
    """The file and the line last come to; line 0 if there is none."""
    return _places[_last[0]] if _last[0] >= 0 else ("", 0)


@intrinsic
def _write_down(typingctx: Any, place: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = ir.Constant(ir.IntType(64), _last.ctypes.data)
        pointer = builder.inttoptr(address, cgutils.intp_t.as_pointer())
        builder.store_atomic(arguments[0], pointer, "monotonic", 8)
        return context.get_dummy_value()

    return types.none(types.int64), codegen


def note(place: int) -> None:
    """What stands before every line of a guest that explains itself."""


@overload(note, jit_options={"forceinline": True})
def _note(place):
    def write(place):
        _write_down(place)

    return write
