"""LLVM intrinsics: records, arrays and policies at addresses, copies, and rows of small integers.

Addresses are plain integers, so compiled functions pass them on without reference counting, and
Python calls entry points with them a hundred times faster than with records.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from paxsim.engine.jit import kernel
from paxsim.engine.records import (
    MAX_LEGIONS,
    MAX_PLAYERS,
    ChoiceType,
    SeatType,
    TableType,
    choice_dtype,
    hidden_dtype,
    seat_dtype,
    table_dtype,
)

#: Signature of a policy for the engine.
POLICY_SIGNATURE = types.int64(TableType, SeatType, ChoiceType)
PolicyType = types.FunctionType(POLICY_SIGNATURE)

INT16_BYTES = np.dtype(np.int16).itemsize
_INT64 = ir.IntType(64)


# --- records, arrays and policies at addresses ----------------------------------------------


@intrinsic
def address(typingctx, record):
    """Return the address of a record."""

    def codegen(context, builder, signature, args):
        return builder.ptrtoint(args[0], _INT64)

    return types.int64(record), codegen


def record_at(record: Any) -> Any:
    """Return an intrinsic that converts an address to a record."""

    @intrinsic
    def at(typingctx, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(record))

        return record(types.int64), codegen

    return at


def array_at(number: types.Type) -> Any:
    """Return a compiled function that converts an address and a shape to an array of numbers."""
    pointer_at = record_at(types.CPointer(number))

    @kernel
    def at(address, shape):
        return numba.carray(pointer_at(address), shape)

    return at


@intrinsic
def address_of_policy(typingctx, policy):
    """Return the address of a policy's compiled code."""

    def codegen(context, builder, signature, args):
        function = cgutils.create_struct_proxy(PolicyType)(context, builder, value=args[0])
        return builder.ptrtoint(function.jit_addr, _INT64)

    return types.uint64(PolicyType), codegen


@intrinsic
def policy_at(typingctx, address):
    """Return the policy whose compiled code is at an address."""

    def codegen(context, builder, signature, args):
        function = cgutils.create_struct_proxy(PolicyType)(context, builder)
        function.jit_addr = builder.inttoptr(args[0], cgutils.voidptr_t)
        return function._getvalue()

    return PolicyType(types.uint64), codegen


# --- bytes and rows of small integers -------------------------------------------------------


@intrinsic
def copy_bytes(typingctx, target, source, count):
    """Copy `count` bytes from one address to another."""

    def codegen(context, builder, signature, args):
        dst, src = (builder.inttoptr(arg, cgutils.voidptr_t) for arg in args[:2])
        cgutils.raw_memcpy(builder, dst, src, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def clear_bytes(typingctx, target, count):
    """Set `count` bytes at an address to 0."""

    def codegen(context, builder, signature, args):
        cgutils.memset(builder, builder.inttoptr(args[0], cgutils.voidptr_t), args[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def prefetch(typingctx, place):
    """Ask the processor for the cache line at an address, which is needed soon."""

    def codegen(context, builder, signature, args):
        number = ir.IntType(32)
        pointer = builder.inttoptr(args[0], cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(function, [pointer, read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


def _row_access(kind: Any) -> tuple[Any, Any]:
    """Return intrinsics that store and load an element of a row of integers at an address."""
    number = ir.IntType(kind.bitwidth)

    def element(builder, row, index):
        return builder.gep(builder.inttoptr(row, number.as_pointer()), [index])

    @intrinsic
    def store(typingctx, row, index, value):
        def codegen(context, builder, signature, args):
            narrow = context.cast(builder, args[2], signature.args[2], kind)
            builder.store(narrow, element(builder, *args[:2]), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, value), codegen

    @intrinsic
    def load(typingctx, row, index):
        def codegen(context, builder, signature, args):
            narrow = builder.load(element(builder, *args), align=1)
            return context.cast(builder, narrow, kind, types.int64)

        return types.int64(types.int64, types.int64), codegen

    return store, load


store_int16, load_int16 = _row_access(types.int16)
store_byte, load_byte = _row_access(types.uint8)


def saturating_copy(count: int) -> Any:
    """Return an intrinsic that copies `count` 32-bit integers to 16-bit ones, clipped to fit."""
    limits = np.iinfo(np.int16)

    @intrinsic
    def copy(typingctx, target, source):
        def codegen(context, builder, signature, args):
            wide, small = (ir.VectorType(ir.IntType(bits), count) for bits in (32, 16))
            numbers = builder.load(builder.inttoptr(args[1], wide.as_pointer()), align=1)
            for sign, end in ((">", limits.max), ("<", limits.min)):
                limit = ir.Constant(wide, [end] * count)
                beyond = builder.icmp_signed(sign, numbers, limit)
                numbers = builder.select(beyond, limit, numbers)
            dst = builder.inttoptr(args[0], small.as_pointer())
            builder.store(builder.trunc(numbers, small), dst, align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), codegen

    return copy


# --- copies of games ------------------------------------------------------------------------

# Only what is in use is copied, a fifth of a game's record. Behind the last card of a list there
# is always 0, so what an older, longer list leaves in the target is cleared.


def _offset(dtype, name):
    return dtype.fields[name][1]


#: Bytes in front of the lists.
_TABLE_HEAD = _offset(table_dtype, "shown")
_SEAT_HEAD = _offset(seat_dtype, "hand")
#: Memory and random stream, the last fields of a seat.
_SEAT_TAIL = _offset(seat_dtype, "memory")
_SEAT_TAIL_SIZE = seat_dtype.itemsize - _SEAT_TAIL
_CHOICE_SIZE = choice_dtype.itemsize
_HIDDEN_SIZE = hidden_dtype.itemsize


@kernel
def copy_list(target, source, old, new):
    """Copy a list of `new` cards over one of `old`."""
    for i in range(new):
        target[i] = source[i]
    for i in range(new, old):
        target[i] = 0


@kernel
def copy_table(target, source):
    """Copy a table; the target may be of another setting."""
    copy_list(target.shown, source.shown, target.shown_count, source.shown_count)
    for legion in range(MAX_LEGIONS):
        old, new = target.legion_size[legion], source.legion_size[legion]
        copy_list(target.legion_cards[legion], source.legion_cards[legion], old, new)
    for seat in range(MAX_PLAYERS):
        old, new = target.diary_count[seat], source.diary_count[seat]
        copy_list(target.diary[seat], source.diary[seat], old, new)
    for place in range(source.came_from.size):
        target.came_from[place] = source.came_from[place]
    copy_bytes(address(target), address(source), _TABLE_HEAD)


@kernel
def copy_seat(target, source):
    """Copy a seat, except the parameters of its policy."""
    copy_list(target.hand, source.hand, target.hand_count, source.hand_count)
    copy_list(target.buried, source.buried, target.buried_count, source.buried_count)
    copy_list(target.buried_at, source.buried_at, target.buried_count, source.buried_count)
    copy_bytes(address(target), address(source), _SEAT_HEAD)
    copy_bytes(address(target) + _SEAT_TAIL, address(source) + _SEAT_TAIL, _SEAT_TAIL_SIZE)


@kernel
def copy_choice(target, source):
    """Copy a choice."""
    copy_bytes(address(target), address(source), _CHOICE_SIZE)


@kernel
def copy_game(target, source):
    """Copy a game to one of the same setting, except the parameters of the policies."""
    copy_bytes(address(target.hidden), address(source.hidden), _HIDDEN_SIZE)
    copy_table(target.table, source.table)
    for seat in range(source.table.players):
        copy_seat(target.seats[seat], source.seats[seat])
        copy_choice(target.choices[seat], source.choices[seat])
