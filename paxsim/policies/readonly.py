"""The three records of a policy under types that forbid writing: a proof by types.

A guest's code is typed with these. An array that hangs on a record is read-only, and so is every
part of it, in every function that it is passed to; only `me.memory` and `me.stream` are not. So
the compiler itself finds every store to anything else. (Stores to single numbers of a record are
refused by `paxsim.guests.compiler`.)
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.datamodel.models import NestedArrayModel
from numba.extending import intrinsic, register_model

from paxsim.engine.records import ChoiceType, SeatType, TableType

#: What a policy may write: its notes, and its random stream by drawing from it.
WRITABLE = ("memory", "stream")


class ReadOnlyArray(types.NestedArray):
    """An array within a record that can't be written to, nor can any part of it."""

    def __init__(self, dtype: types.Type, shape: tuple[int, ...]):
        super().__init__(dtype, shape)
        self.mutable = False
        self.name = f"readonly {self.name}"

    @property
    def key(self) -> tuple:
        return "readonly", self.dtype, self.shape


register_model(ReadOnlyArray)(NestedArrayModel)


def read_only(record: Any) -> types.Record:
    """The same record, of which nothing but `WRITABLE` can be written."""
    fields: list[Any] = []
    for name, field in record.fields.items():
        kind = field.type
        if isinstance(kind, types.Record):
            kind = read_only(kind)
        elif isinstance(kind, types.NestedArray) and name not in WRITABLE:
            kind = ReadOnlyArray(kind.dtype, kind.shape)
        fields.append((name, {"type": kind, "offset": field.offset}))
    return types.Record(fields, record.size, record.aligned)


GuestTable, GuestSeat, GuestChoice = map(read_only, (TableType, SeatType, ChoiceType))


def _shown_as(view: types.Record, record: Any) -> Any:
    """A function of compiled code that hands on a record under another type, at no cost."""

    @intrinsic
    def shown(typingctx: Any, argument: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return arguments[0]

        return view(record), codegen

    return shown


table_view = _shown_as(GuestTable, TableType)
seat_view = _shown_as(GuestSeat, SeatType)
choice_view = _shown_as(GuestChoice, ChoiceType)
