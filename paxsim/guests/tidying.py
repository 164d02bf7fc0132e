"""What Python tidies up after a list that is made in a line, when an error ends it.

From Python 3.12 on ``[card for card in me.hand if card]`` is part of the function that it stands
in. Should an error end it, a few steps give its names back their values and pass the error on. No
guest lives on after an error, so nobody would see these values. But to numba the steps are a `try`,
unless it knows the list by its pattern, which it does not where there is an `if`; and a `try` is
refused. So the steps are left out.
"""

from __future__ import annotations

from typing import Any

#: Steps that do nothing but move values between names and the stack.
_MOVES = frozenset(("NOP", "SWAP", "POP_TOP", "STORE_FAST", "STORE_FAST_STORE_FAST"))
_PASS_ON = "RERAISE"


def without_tidying(bytecode: Any) -> tuple[Any, ...]:
    """The places of a function where an error leads elsewhere, but for those that only tidy up.

    Parameters
    ----------
    bytecode : numba.core.bytecode.ByteCode
        The function.
    """
    entries = bytecode.exception_entries
    return tuple(entry for entry in entries if not _only_tidies(bytecode.table, entry.target))


def _only_tidies(table: dict[int, Any], offset: int) -> bool:
    """Whether the steps from here on move values about, and then pass the error on."""
    while offset in table and table[offset].opname in _MOVES:
        offset = table[offset].next
    return offset in table and table[offset].opname == _PASS_ON
