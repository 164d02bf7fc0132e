"""Record types that a user's policy receives: the compiler refuses to write to them.

An array in such a record is read-only, and so is every part of it, in every function that it is
passed to; only `me.memory` and `me.stream` are not. Arrays are as long as what they hold, so that a
wrong index is out of bounds instead of reading room for more players or cards.
"""

from __future__ import annotations

import operator
from typing import Any

import numba
from numba import types
from numba.core.cgutils import get_record_member, pack_array
from numba.core.datamodel.models import NestedArrayModel, RecordModel, StructModel
from numba.core.errors import NumbaTypeError
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic, lower_setattr_generic
from numba.extending import (
    intrinsic,
    lower_builtin,
    make_attribute_wrapper,
    overload,
    register_model,
)  # fmt: skip
from numba.np.arrayobj import make_array, populate_array, record_getattr

from paxsim.engine.records import (
    BY_CATEGORY,
    LENGTHS,
    N_CATEGORIES,
    ROW,
    ROW_LENGTHS,
    ChoiceType,
    SeatType,
    TableType,
)

#: What a policy may write: its notes, and its random stream by drawing from it.
WRITABLE = ("memory", "stream")


class ReadOnlyArray(types.NestedArray):
    """An array within a record that can't be written to, nor can any part of it.

    The last `padding` columns can't be read either.
    """

    def __init__(self, dtype: types.Type, shape: tuple[int, ...], padding: int = 0):
        super().__init__(dtype, shape)
        self._strides = super().strides
        self._shape = (*shape[:-1], shape[-1] - padding)
        self.layout = "A" if padding and len(shape) > 1 else "C"
        self.mutable = False
        self.name = f"readonly nestedarray({dtype}, {self.shape})"

    @property
    def strides(self) -> tuple[int, ...]:
        return self._strides

    @property
    def key(self) -> tuple:
        return "readonly", self.dtype, self.shape, self.strides


class ReadOnlyRecord(types.Record):
    """A record whose fields can't be assigned to."""

    def typeof(self, key: str) -> types.Type:
        kind = super().typeof(key)
        if key in LENGTHS and isinstance(kind, types.NestedArray):
            array = types.Array(kind.dtype, kind.ndim, kind.layout, readonly=True)
            return Rows(array, self.typeof(ROW_LENGTHS[key])) if key in ROW_LENGTHS else array
        return kind


class Rows(types.IterableType):
    """Rows of different lengths in one field, each as long as what it holds."""

    def __init__(self, cells: Any, lengths: Any):
        self.cells, self.lengths = cells, lengths
        super().__init__(f"rows of different lengths({cells.dtype})")

    @property
    def iterator_type(self) -> Any:
        _each_row.compile((self,))
        compiled: Any = _each_row.overloads[(self,)]
        return compiled.signature.return_type


register_model(ReadOnlyArray)(NestedArrayModel)
register_model(ReadOnlyRecord)(RecordModel)
register_model(Rows)(
    lambda manager, kind: StructModel(
        manager, kind, [("cells", kind.cells), ("lengths", kind.lengths)]
    )
)
make_attribute_wrapper(Rows, "cells", "_cells")
make_attribute_wrapper(Rows, "lengths", "_lengths")


_BOUNDS: Any = {"boundscheck": True}


@overload(len, strict=False)
def _count_rows(rows: Any) -> Any:
    return (lambda rows: len(rows._lengths)) if isinstance(rows, Rows) else None


@overload(operator.getitem, jit_options=_BOUNDS, strict=False)
def _get_row(rows: Any, index: Any) -> Any:
    if isinstance(rows, Rows) and isinstance(index, types.Integer):
        return lambda rows, index: rows._cells[index, : rows._lengths[index]]
    pair = isinstance(index, types.BaseTuple) and len(index) == 2
    if isinstance(rows, Rows) and pair and isinstance(index[0], types.Integer):
        return lambda rows, index: rows[index[0]][index[1]]
    return None


@numba.njit
def _each_row(rows: Any) -> Any:
    for i in range(len(rows)):
        yield rows[i]


@lower_builtin("getiter", Rows)
def _iterate_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.compile_internal(builder, lambda rows: _each_row(rows), signature, arguments)


@lower_setattr_generic(ReadOnlyRecord)
def _refuse_assignment(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    raise NumbaTypeError(f"readonly field {name}")


@lower_getattr_generic(ReadOnlyRecord)
def _read_field(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
    """Return a field; an array of `LENGTHS` as an array with the number of its entries."""
    kind, field = record.typeof(name), record.fields[name]
    if kind is field.type:
        return record_getattr(context, builder, record, value, name)
    whole = kind.cells if isinstance(kind, Rows) else kind

    def number(constant: int) -> Any:
        return context.get_constant(types.intp, constant)

    count = record_getattr(context, builder, record, value, LENGTHS[name])
    count = context.cast(builder, count, record.typeof(LENGTHS[name]), types.intp)
    room, *others = map(number, field.type.shape)
    length = builder.select(builder.icmp_signed("<", count, room), count, room)
    array = make_array(whole)(context, builder)
    populate_array(
        array,
        data=get_record_member(builder, value, field.offset, context.get_data_type(whole.dtype)),
        shape=pack_array(builder, [length, *others]),
        strides=pack_array(builder, list(map(number, field.type.strides))),
        itemsize=number(context.get_abi_sizeof(context.get_data_type(whole.dtype))),
        meminfo=None,
        parent=None,
    )
    cells = impl_ret_borrowed(context, builder, whole, array._getvalue())
    if whole is kind:
        return cells
    rows = context.make_helper(builder, kind)
    rows.lengths = _read_field(context, builder, record, value, ROW_LENGTHS[name])
    rows.cells = cells
    return rows._getvalue()


def read_only(record: Any) -> ReadOnlyRecord:
    """Return the type of the same record, of which only `WRITABLE` can be written."""
    fields: list[Any] = []
    for name, field in record.fields.items():
        kind = field.type
        if isinstance(kind, types.Record):
            kind = read_only(kind)
        elif isinstance(kind, types.NestedArray) and name not in WRITABLE:
            padding = ROW - N_CATEGORIES if name in BY_CATEGORY else 0
            kind = ReadOnlyArray(kind.dtype, kind.shape, padding)
        fields.append((name, {"type": kind, "offset": field.offset}))
    return ReadOnlyRecord(fields, record.size, record.aligned)


def _view_as(read_only_type: ReadOnlyRecord, record: Any) -> Any:
    """Return an intrinsic that passes on a record under another type, at no cost."""

    @intrinsic
    def view(typingctx: Any, argument: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return arguments[0]

        return read_only_type(record), codegen

    return view


_RECORDS = {"table": TableType, "me": SeatType, "choice": ChoiceType}
#: Types of a policy's records, and intrinsics that pass on the engine's records as these.
TYPES = {name: read_only(record) for name, record in _RECORDS.items()}
VIEWS = {name: _view_as(TYPES[name], record) for name, record in _RECORDS.items()}
