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
from traceback import walk_tb
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from paxsim.engine.records import (
    BY_CATEGORY,
    LENGTHS,
    N_CATEGORIES,
    ROW_LENGTHS,
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
            if name in LENGTHS:
                value = value[: int(self._record[LENGTHS[name]])]
            value = value.view(PlainArray)
            value.flags.writeable = name in WRITABLE
            if name in ROW_LENGTHS:
                return PlainRows(value, getattr(self, ROW_LENGTHS[name]))
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


class PlainRows:
    """Rows of different lengths in one field, as `paxsim.policies.readonly.Rows` when compiled."""

    def __init__(self, cells: PlainArray, lengths: PlainArray):
        self._cells, self._lengths = cells, lengths

    def __len__(self) -> int:
        return len(self._lengths)

    def __getitem__(self, index: Any) -> Any:
        number, *places = index if isinstance(index, tuple) else (index,)
        if not is_integer(number):
            raise TypeError(f"the index of a row must be a whole number, got {safe_repr(number)}")
        row = self._cells[number][: self._lengths[number]]
        try:
            return row[tuple(places)] if places else row
        except IndexError as error:
            raise IndexError(str(error).replace("axis 0", "axis 1")) from None


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
    place = "", 0
    for frame, line in walk_tb(error.__traceback__):
        if not is_shared(frame.f_globals.get("__name__")):
            place = frame.f_code.co_filename, line
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
            # As bytes, which are copied many times as fast as records.
            copies = [(bytearray(ctypes.string_at(at, kind.itemsize)), kind) for at, kind in places]
            records = [np.frombuffer(*copy)[0] for copy in copies]
            seat = records[1]
            with np.errstate(over="ignore"):
                option = decide(*map(PlainRecord, records), *seat["params"][:params].tolist())
            if not is_integer(option) or not _INT64.min <= option <= _INT64.max:
                raise PaxsimError(f"returned {safe_repr(option)}, not the index of an option")
            answer[0] = int(option)
            for name in WRITABLE:
                start = me + seat_dtype.fields[name][1]  # type: ignore[index]
                ctypes.memmove(start, seat[name].ctypes.data, seat[name].nbytes)
        except BaseException as error:  # it can't pass through compiled code
            _last.error = error
        return 0

    return _CALLBACK(call)


# --- functions with other versions of the functions that they call ---------------------------


@functools.cache
def plain_function(function: FunctionType) -> FunctionType:
    """Return a function that calls Python functions where it called compiled ones."""
    return rebuild(function, lambda copy: copy, {})


def rebuild(function: Any, convert: Callable[[FunctionType], Any], made: dict[Any, Any]) -> Any:
    """Return a function that calls converted versions of the compiled functions that it called.

    They are made by `convert` of copies with the same code, so that tracebacks show its lines, and
    stored in `made` by the original, as are modules. A compiled function is converted itself.
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
