"""Rows of numbers in compiled code, handed over as addresses.

An array that is handed from one compiled function to another is counted in and out, which takes
longer than to fill it; an address is just a number.
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

#: Bytes of a number of an observation.
NUMBER = np.dtype(np.int16).itemsize

_INT8, _INT16 = ir.IntType(8), ir.IntType(16)


def _place(builder, number, row, index):
    """The place of a row of such numbers, counted from 0."""
    return builder.gep(builder.inttoptr(row, number.as_pointer()), [index])


def array_at(number: types.Type) -> Any:
    """A function of compiled code that takes an address, and a shape, for an array of numbers."""
    kind = types.CPointer(number)

    @intrinsic
    def pointer_at(typingctx, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(kind))

        return kind(types.int64), codegen

    @kernel
    def at(address, shape):
        return numba.carray(pointer_at(address), shape)

    return at


@intrinsic
def clear_bytes(typingctx, target, count):
    """Set so many bytes at an address to 0."""

    def codegen(context, builder, signature, args):
        cgutils.memset(builder, builder.inttoptr(args[0], cgutils.voidptr_t), args[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def put(typingctx, row, place, number):
    """Write a number into its place of a row of 16-bit numbers."""

    def codegen(context, builder, signature, args):
        value = context.cast(builder, args[2], signature.args[2], types.int16)
        builder.store(value, _place(builder, _INT16, *args[:2]), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, number), codegen


@intrinsic
def take(typingctx, row, place):
    """The number in a place of a row of 16-bit numbers."""

    def codegen(context, builder, signature, args):
        found = builder.load(_place(builder, _INT16, *args), align=1)
        return context.cast(builder, found, types.int16, types.int64)

    return types.int64(types.int64, types.int64), codegen


def narrowing(count: int) -> Any:
    """A function of compiled code that copies so many 32-bit numbers to places of 16 bits.

    A number for which there is no room becomes the nearest one for which there is.
    """
    ends = np.iinfo(np.int16)

    @intrinsic
    def narrow(typingctx, target, source):
        def codegen(context, builder, signature, args):
            wide, small = (ir.VectorType(ir.IntType(bits), count) for bits in (32, 16))
            numbers = builder.load(builder.inttoptr(args[1], wide.as_pointer()), align=1)
            for sign, end in ((">", ends.max), ("<", ends.min)):
                limit = ir.Constant(wide, [end] * count)
                beyond = builder.icmp_signed(sign, numbers, limit)
                numbers = builder.select(beyond, limit, numbers)
            place = builder.inttoptr(args[0], small.as_pointer())
            builder.store(builder.trunc(numbers, small), place, align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), codegen

    return narrow


@intrinsic
def put_byte(typingctx, row, place, number):
    """Write a number from 0 to 255 into its place of a row of bytes."""

    def codegen(context, builder, signature, args):
        value = context.cast(builder, args[2], signature.args[2], types.uint8)
        builder.store(value, _place(builder, _INT8, *args[:2]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, number), codegen


@intrinsic
def take_byte(typingctx, row, place):
    """The number in a place of a row of bytes, from 0 to 255."""

    def codegen(context, builder, signature, args):
        found = builder.load(_place(builder, _INT8, *args))
        return context.cast(builder, found, types.uint8, types.int64)

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def fetch(typingctx, place):
    """Ask the processor for the cache line at an address, which will soon be needed."""

    def codegen(context, builder, signature, args):
        number = ir.IntType(32)
        pointer = builder.inttoptr(args[0], cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(prefetch, [pointer, read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), codegen
