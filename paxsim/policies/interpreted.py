"""Policies interpreted by Python: for writing, debugging, and whatever can't be compiled.

The compiled engine calls them back through a C function, so they play wherever a compiled policy
does, in the same games, some hundred times slower. Their records are copies of the engine's:
numbers are Python's, arrays are NumPy's, and only `me.memory` (and `me.stream`, by drawing from
it) can be written to and is copied back.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from paxsim.engine.records import (
    BY_CATEGORY,
    N_CATEGORIES,
    choice_dtype,
    described,
    seat_dtype,
    table_dtype,
)
from paxsim.errors import PaxsimError, is_integer, safe_repr, suggestion
from paxsim.policies.files import is_library, is_shared, names_in
from paxsim.policies.readonly import WRITABLE

#: Returned to the engine, which stops there, after an exception; see `take_error`.
NO_OPTION = -1
#: How compiled code calls a policy: it stores the answer, and returns whether that went well.
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64), *[ctypes.c_void_p] * 4)
_INT64 = np.iinfo(np.int64)
_last = threading.local()


class PlainRecord:
    """One of the three records as an interpreted policy sees it: its fields are attributes."""

    __slots__ = ("_record",)

    def __init__(self, record: np.void):
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._record[name]
        except (ValueError, KeyError):
            names = self._record.dtype.names
            raise AttributeError(
                f"there is no field {name!r}{suggestion(name, names)}; the fields are "
                f"{', '.join(names)}"
            ) from None
        if isinstance(value, np.ndarray):
            if name in BY_CATEGORY:
                value = value[..., :N_CATEGORIES]
            value = value.view(PlainArray)
            value.flags.writeable = name in WRITABLE
            return value
        return _plain_value(value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} can't be written to; a policy may only write me.memory")

    def __dir__(self) -> list[str]:
        return list(self._record.dtype.names or ())

    def __repr__(self) -> str:
        return described(self._record)


class PlainArray(np.ndarray):
    """An array of a record; its items are Python's numbers, which do not overflow."""

    def __getitem__(self, index: Any) -> Any:
        return _plain_value(super().__getitem__(index))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.void):
        return PlainRecord(value)
    # The words of a random stream wrap around, as they do in compiled code.
    if isinstance(value, np.generic) and not isinstance(value, np.uint64):
        return value.item()
    return value


# --- called by the engine -------------------------------------------------------------------


def take_error() -> BaseException | None:
    """Return what an interpreted policy of this thread raised when it was called, once."""
    error = getattr(_last, "error", None)
    _last.error = None
    return error


def line_of(error: BaseException) -> tuple[str, int]:
    """Return the user's file and line in which an exception was raised, or line 0."""
    traceback, place = error.__traceback__, ("", 0)
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not Path(file).is_relative_to(Path(__file__).parent.parent):
            place = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return place


@functools.cache
def callback(function: FunctionType, params: int) -> Any:
    """Return a C function that calls a policy; kept for good, as games hold its address.

    It is only called outside the main thread: an interrupt there, before the first line of `call`,
    would be lost, and the engine would continue with an arbitrary answer.
    """
    decide = plain_function(function)

    def call(answer: Any, _: Any, table: int, me: int, choice: int) -> int:
        answer[0] = NO_OPTION
        try:
            places = (table, table_dtype), (me, seat_dtype), (choice, choice_dtype)
            records = [_copy_at(*place) for place in places]
            seat = records[1]
            with np.errstate(over="ignore"):
                option = decide(*map(PlainRecord, records), *seat["params"][:params].tolist())
            answer[0] = _checked_option(option)
            for name in WRITABLE:
                _record_at(me, seat_dtype)[name] = seat[name]
        except BaseException as error:  # it can't pass through compiled code
            _last.error = error
        return 0

    return _CALLBACK(call)


def _checked_option(option: Any) -> int:
    """Return an option if it is an integer; a fraction would be cut off in silence."""
    if is_integer(option) and _INT64.min <= option <= _INT64.max:
        return int(option)
    raise PaxsimError(f"returned {safe_repr(option)}, which is not the index of an option")


def _copy_at(address: int, dtype: np.dtype) -> np.void:
    """Return a copy of the engine's record at an address."""
    # As bytes, which are copied many times as fast as a record.
    return np.frombuffer(bytearray(ctypes.string_at(address, dtype.itemsize)), dtype)[0]


def _record_at(address: int, dtype: np.dtype) -> np.ndarray:
    """Return the engine's record at an address as an array of one, valid while the game exists."""
    place = (ctypes.c_char * dtype.itemsize).from_address(address)
    return np.frombuffer(memoryview(place), dtype)


# --- functions with other versions of the functions that they call ---------------------------


@functools.cache
def plain_function(function: FunctionType) -> FunctionType:
    """Return a function that calls Python functions where it called compiled ones."""
    return rebuild(function, lambda copy: copy, {})


def rebuild(function: Any, convert: Callable[[FunctionType], Any], made: dict[Any, Any]) -> Any:
    """Return a function that calls converted versions of the compiled functions that it called.

    Parameters
    ----------
    function : callable
        A Python function, or a compiled one, which is converted as well.
    convert : callable
        Makes what is called of a copy of a Python function. The copy has the same code, so that
        tracebacks and debuggers show its lines.
    made : dict
        The results by original function or module; shared between calls.
    """
    source = getattr(function, "py_func", function)
    if source in made:
        return made[source]
    cells = tuple(CellType() for _ in source.__closure__ or ())
    names = dict(source.__globals__)
    copy = FunctionType(source.__code__, names, source.__name__, source.__defaults__, cells or None)
    copy.__kwdefaults__, copy.__doc__ = source.__kwdefaults__, source.__doc__
    made[source] = copy if function is source else convert(copy)

    def part(value: Any) -> Any:
        if isinstance(value, Dispatcher):
            return rebuild(value, convert, made)
        if isinstance(value, FunctionType) and not is_shared(value.__module__):
            return rebuild(value, convert, made)
        if isinstance(value, ModuleType) and not is_library(value.__name__):
            # Always the same one, because numba compares modules by identity.
            return made.setdefault(value, _Module(value, part))
        return tuple(map(part, value)) if type(value) is tuple else value

    for name in names_in(source.__code__) & names.keys():
        names[name] = part(names[name])
    for cell, original in zip(cells, source.__closure__ or (), strict=True):
        cell.cell_contents = part(original.cell_contents)
    return made[source]


class _Module(ModuleType):
    """A module as `rebuild` makes functions see it."""

    def __init__(self, module: ModuleType, part: Callable[[Any], Any]):
        super().__init__(module.__name__)
        self._module, self._part = module, part

    def __getattr__(self, name: str) -> Any:
        return self._part(getattr(self._module, name))
