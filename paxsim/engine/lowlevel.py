"""Copying what is used of a game, which is a fifth of its record: lists up to their last card.

Whoever copies into a record that held another game finds nothing of that one afterwards: behind
the last card of a list there is always 0, so what the older list had beyond the new one is cleared.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from paxsim.engine.jit import kernel
from paxsim.engine.records import (
    MAX_LEGIONS,
    MAX_PLAYERS,
    choice_dtype,
    hidden_dtype,
    seat_dtype,
    table_dtype,
)


@intrinsic
def address(typingctx, record):
    """Where a record is in memory."""

    def codegen(context, builder, signature, args):
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(record), codegen


@intrinsic
def copy_bytes(typingctx, target, source, count):
    """Copy so many bytes from one address to another."""

    def codegen(context, builder, signature, args):
        to, come, size = args
        to, come = (builder.inttoptr(place, cgutils.voidptr_t) for place in (to, come))
        cgutils.raw_memcpy(builder, to, come, size, 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


def _offset(dtype, name):
    return dtype.fields[name][1]


#: Everything in front of the lists.
_TABLE_HEAD = _offset(table_dtype, "shown")
_SEAT_HEAD = _offset(seat_dtype, "hand")
#: Notes and random stream, which come last.
_NOTES = _offset(seat_dtype, "memory")
_NOTES_SIZE = seat_dtype.itemsize - _NOTES
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
    """Copy a table; the other one may have been of another setting."""
    copy_list(target.shown, source.shown, target.shown_count, source.shown_count)
    for legion in range(MAX_LEGIONS):
        copy_list(
            target.legion_cards[legion],
            source.legion_cards[legion],
            target.legion_size[legion],
            source.legion_size[legion],
        )
    for seat in range(MAX_PLAYERS):
        copy_list(
            target.diary[seat],
            source.diary[seat],
            target.diary_count[seat],
            source.diary_count[seat],
        )
    for place in range(source.came_from.size):
        target.came_from[place] = source.came_from[place]
    copy_bytes(address(target), address(source), _TABLE_HEAD)


@kernel
def copy_seat(target, source):
    """Copy a seat, but for the parameters of its policy."""
    copy_list(target.hand, source.hand, target.hand_count, source.hand_count)
    copy_list(target.buried, source.buried, target.buried_count, source.buried_count)
    copy_list(target.buried_at, source.buried_at, target.buried_count, source.buried_count)
    copy_bytes(address(target), address(source), _SEAT_HEAD)
    copy_bytes(address(target) + _NOTES, address(source) + _NOTES, _NOTES_SIZE)


@kernel
def copy_choice(target, source):
    """Copy a choice."""
    copy_bytes(address(target), address(source), _CHOICE_SIZE)


@kernel
def copy_game(target, source):
    """Copy a game, but for the parameters of the policies; both are of the same setting."""
    copy_bytes(address(target.hidden), address(source.hidden), _HIDDEN_SIZE)
    copy_table(target.table, source.table)
    for seat in range(source.table.players):
        copy_seat(target.seats[seat], source.seats[seat])
        copy_choice(target.choices[seat], source.choices[seat])
