"""The policies at the seats: first-class functions, kept as addresses in a record.

A line-up arrives as a tuple of functions. Looking one up by a number that changes means carrying
24 pointers through every call and branching over eight cases, at every decision. So a batch
writes the address of each seat's policy down once, and makes a function of it again to call it.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from paxsim.engine.compiling import kernel
from paxsim.engine.records import MAX_PARAMS, MAX_PLAYERS, ChoiceType, SeatType, TableType

#: What a policy looks like to the engine.
POLICY_SIGNATURE = types.int64(TableType, SeatType, ChoiceType)
PolicyType = types.FunctionType(POLICY_SIGNATURE)
LineupType = types.UniTuple(PolicyType, MAX_PLAYERS)


@intrinsic
def address_of(typingctx, policy):
    """The address of a first-class function's compiled code."""

    def codegen(context, builder, signature, args):
        function = cgutils.create_struct_proxy(PolicyType)(context, builder, value=args[0])
        return builder.ptrtoint(function.jit_addr, ir.IntType(64))

    return types.uint64(PolicyType), codegen


@intrinsic
def policy_at(typingctx, address):
    """The first-class function whose compiled code is at an address (see `address_of`)."""

    def codegen(context, builder, signature, args):
        function = cgutils.create_struct_proxy(PolicyType)(context, builder)
        function.jit_addr = builder.inttoptr(args[0], cgutils.voidptr_t)
        return function._getvalue()

    return PolicyType(types.uint64), codegen


@kernel
def position_at(seat, rotation, players):
    """Line-up position that sits at a seat in a rotation."""
    position = seat + rotation
    return position if position < players else position - players


@kernel
def seat_lineup(game, progress, policies, params, rotation):
    """Give every seat the policy that plays it in this rotation, and the policy's parameters."""
    players = game.table.players
    for seat in range(players):
        position = position_at(seat, rotation, players)
        progress.policies[seat] = address_of(policies[position])
        me = game.seats[seat]
        for i in range(MAX_PARAMS):
            me.params[i] = params[position, i]
