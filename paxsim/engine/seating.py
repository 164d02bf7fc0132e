"""The policies at the seats: compiled functions, kept as addresses in a record.

Handing functions over from Python takes a tenth of a millisecond each, and looking one up by a
number that changes means branching over eight cases, at every decision. So the address of a
policy is asked for once (`policy_address`), and made a function again to call it.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from paxsim.engine.jit import entry, kernel
from paxsim.engine.records import MAX_PARAMS, ChoiceType, SeatType, TableType

#: What a policy looks like to the engine.
POLICY_SIGNATURE = types.int64(TableType, SeatType, ChoiceType)
PolicyType = types.FunctionType(POLICY_SIGNATURE)
#: Addresses of the policies by line-up position, and their parameters.
AddressesType = types.Array(types.uint64, 1, "C", readonly=True)
ParamsType = types.Array(types.float64, 2, "C", readonly=True)


@intrinsic
def address_of(typingctx, policy):
    """The address of a first-class function's compiled code."""

    def codegen(context, builder, signature, args):
        function = cgutils.create_struct_proxy(PolicyType)(context, builder, value=args[0])
        return builder.ptrtoint(function.jit_addr, ir.IntType(64))

    return types.uint64(PolicyType), codegen


@entry(types.uint64(PolicyType))
def policy_address(policy):
    """The address of a compiled policy, which holds for as long as somebody keeps the policy."""
    return address_of(policy)


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
def seat_lineup(game, progress, addresses, params, rotation):
    """Give every seat the policy that plays it in this rotation, and the policy's parameters."""
    players = game.table.players
    for seat in range(players):
        position = position_at(seat, rotation, players)
        progress.policies[seat] = addresses[position]
        me = game.seats[seat]
        for i in range(MAX_PARAMS):
            me.params[i] = params[position, i]
