"""Policies that stay plain Python: for writing, debugging, and whatever can't be compiled.

The compiled engine asks them through a C function that calls back into Python, so they play
wherever a compiled policy does, in the same games, some hundred times slower. Their records are
copies of the engine's own, so that whoever keeps one has what was true then: numbers are Python's,
arrays are numpy's, and nothing but `me.memory` (and `me.stream`, by drawing from it) can be written
to and is taken over.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import types
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from paxsim.engine.records import choice_dtype, described, seat_dtype, table_dtype
from paxsim.interrupts import ready

#: What a policy may write: its notes, and its random stream by drawing from it.
_WRITABLE = ("memory", "stream")
#: An option that there never is: the engine stops there, and `raised` says why.
NO_OPTION = -1
#: How compiled code calls a policy: it stores the answer, and returns whether that went well.
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64), *[ctypes.c_void_p] * 4)
#: Answers from here on do not fit into a number of compiled code.
_TOO_LARGE = 1 << 63
_failure = threading.local()
THIS_PROCESS = uuid.uuid4().hex


class PlainRecord:
    """One of the three records as a plain Python policy sees it: its fields are attributes."""

    __slots__ = ("_record",)

    def __init__(self, record: np.void):
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._record[name]
        except (ValueError, KeyError):
            allowed = ", ".join(self._record.dtype.names)
            raise AttributeError(f"there is no field {name!r}; allowed: {allowed}") from None
        if isinstance(value, np.ndarray):
            value = value.view(PlainArray)
            value.flags.writeable = name in _WRITABLE
            return value
        return _plain_value(value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} can't be written to; allowed: me.memory alone")

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


def raised() -> BaseException | None:
    """What a plain policy of this thread raised when it was asked last; told once."""
    error = getattr(_failure, "error", None)
    _failure.error = None
    return error


def line_of(error: BaseException) -> tuple[str, int]:
    """The user's file, and its line, in which an exception was raised; line 0 if in none."""
    traceback, found = error.__traceback__, ("", 0)
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not Path(file).is_relative_to(Path(__file__).parent.parent):
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


@functools.cache
def callback(function: Callable, params: int) -> Any:
    """A C function that asks a policy; kept for good, because games in hand hold its address."""
    decide = plain_function(function)

    def call(answer: Any, _: Any, table: int, me: int, choice: int) -> int:
        try:
            if ready(True):
                answer[0] = NO_OPTION
                return 0
            places = (table, table_dtype), (me, seat_dtype), (choice, choice_dtype)
            records = [_copy_at(*place) for place in places]
            seat = records[1]
            with np.errstate(over="ignore"):
                option = decide(*map(PlainRecord, records), *seat["params"][:params].tolist())
            ready(False)
            answer[0] = _whole(option)
            for name in _WRITABLE:
                _record_at(me, seat_dtype)[name] = seat[name]
        except BaseException as error:  # there is no way for it through compiled code
            ready(False)
            _failure.error = error
            answer[0] = NO_OPTION
        return 0

    return _CALLBACK(call)


def _whole(option: Any) -> int:
    """An answer that is a whole number; a fraction would be cut off in silence."""
    if isinstance(option, (int, np.integer)) and not isinstance(option, (bool, np.bool_)):
        if -_TOO_LARGE <= option < _TOO_LARGE:
            return int(option)
    raise TypeError(f"returned {option!r}; allowed: a whole number, the index of an option")


def _copy_at(address: int, dtype: np.dtype) -> np.void:
    """A copy of the engine's record at an address."""
    # As bytes, which are copied many times as fast as a record.
    return np.frombuffer(bytearray(ctypes.string_at(address, dtype.itemsize)), dtype)[0]


def _record_at(address: int, dtype: np.dtype) -> np.ndarray:
    """The engine's record at an address, as an array of one; it is gone when the game is."""
    place = (ctypes.c_char * dtype.itemsize).from_address(address)
    return np.frombuffer(memoryview(place), dtype)


# --- compiled functions as the Python functions they were made from ------------------------------


@functools.cache
def plain_function(function: Callable) -> Callable:
    """A function that calls plain ones wherever it called compiled ones.

    It is made of the same code, so that a debugger finds its lines.
    """
    return _made_plain(function, {})


def _made_plain(function: Any, known: dict[Any, Callable]) -> Callable:
    source = getattr(function, "py_func", function)
    if source in known:
        return known[source]
    names = dict(source.__globals__)
    closure = tuple(types.CellType() for _ in source.__closure__ or ())
    made = types.FunctionType(
        source.__code__, names, source.__name__, source.__defaults__, closure or None
    )
    made.__kwdefaults__, made.__doc__ = source.__kwdefaults__, source.__doc__
    known[source] = made
    for name in source.__code__.co_names:
        if name in names:
            names[name] = _plain_part(names[name], source, known)
    for cell, original in zip(closure, source.__closure__ or (), strict=True):
        cell.cell_contents = _plain_part(original.cell_contents, source, known)
    return made


def _plain_part(value: Any, user: Callable, known: dict[Any, Callable]) -> Any:
    """What a name stands for in plain Python: compiled functions, and those beside them."""
    if hasattr(value, "py_func"):
        return _made_plain(value, known)
    if isinstance(value, types.FunctionType) and value.__module__ == user.__module__:
        return _made_plain(value, known)
    if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "paxsim":
        return _PlainModule(value, user, known)
    return value


class _PlainModule:
    """A module of this package whose compiled functions are plain ones."""

    def __init__(self, module: ModuleType, user: Callable, known: dict[Any, Callable]):
        self._module, self._user, self._known = module, user, known

    def __getattr__(self, name: str) -> Any:
        return _plain_part(getattr(self._module, name), self._user, self._known)
