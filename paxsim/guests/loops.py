"""Where the loops of a guest have to check in.

To check in takes as long as a round of a small loop. A loop over a few categories, seats or cards
ends by itself, whatever its body does: it checks in once, where it begins, so that even many such
loops within each other can be stopped; and one without another loop in it does not check in.
"""

from __future__ import annotations

import dis
import functools
import inspect
import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from numba import types
from numba.core import ir
from numba.core.dispatcher import Dispatcher
from numba.core.ir_utils import find_const, get_definition, guard, require

#: Rounds that are few.
FEW = 256
#: Fields of the records that count cards, seats, legions and options: a guest can't change them.
COUNTS = frozenset(
    ("players", "legions", "hand_count", "legion_size", "deck_left", "turns_left")
    + ("count", "drawn_count", "places")
)


def places_to_check_in(state: Any, graph: Any) -> tuple[set[int], set[int]]:
    """The labels of blocks, and the ids of expressions, before which a function checks in.

    Parameters
    ----------
    state : numba.core.compiler.StateDict
        The function, with the types of its arguments.
    graph : numba.core.controlflow.CFGraph
        How its blocks lead to each other.
    """
    heads, beginnings = set(), set()
    loops = graph.loops().values()
    opaque = _hands_functions_on(state)
    for loop in loops:
        begun = _beginning_of_short(state, loop)
        if begun is None:
            heads.add(loop.header)
        elif opaque or _has_loops(state, loop, loops):
            beginnings.add(id(begun))
    return heads, beginnings


def _has_loops(state: Any, loop: Any, loops: Any) -> bool:
    """Whether there are loops in a loop, or in the functions that it calls."""
    return any(other.header in loop.body for other in loops if other is not loop) or any(
        _calls_loop(state, statement)
        for label in loop.body
        for statement in state.func_ir.blocks[label].body
    )


def _calls_loop(state: Any, statement: Any) -> bool:
    """Whether a statement calls a function of a guest that may have a loop in it."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ir.Expr) or value.op != "call":
        return False
    function = guard(get_definition, state.func_ir, value.func)
    if not isinstance(function, (ir.Global, ir.FreeVar)):
        return True
    return isinstance(function.value, Dispatcher) and _may_loop(function.value.py_func)


@functools.cache
def _may_loop(function: Callable) -> bool:
    """Whether a function goes back to an earlier line, or calls one that may do so."""
    waiting, seen = [function], {function}
    while waiting:
        looked_at = waiting.pop()
        if any("BACKWARD" in step.opname for step in dis.get_instructions(looked_at)):
            return True
        outside = inspect.getclosurevars(looked_at)
        for value in (*outside.globals.values(), *outside.nonlocals.values()):
            if isinstance(value, ModuleType):
                return True  # who knows what it calls there
            if isinstance(value, Dispatcher) and value.py_func not in seen:
                seen.add(value.py_func)
                waiting.append(value.py_func)
    return False


def _hands_functions_on(state: Any) -> bool:
    """Whether a function takes functions, or does anything with one but call it."""
    if any(isinstance(kind, (types.Callable, types.BaseTuple)) for kind in state.args):
        return True
    statements = [each for block in state.func_ir.blocks.values() for each in block.body]
    functions = {
        statement.target.name
        for statement in statements
        if isinstance(statement, ir.Assign)
        and isinstance(statement.value, (ir.Global, ir.FreeVar))
        and isinstance(statement.value.value, Dispatcher)
    }
    return any(
        name in functions for statement in statements for name in _used_besides_called(statement)
    )


def _used_besides_called(statement: Any) -> Iterator[str]:
    value = getattr(statement, "value", None)
    called = value.func if isinstance(value, ir.Expr) and value.op == "call" else None
    target = getattr(statement, "target", None)
    for variable in statement.list_vars():
        if variable is not called and variable is not target:
            yield variable.name


def _beginning_of_short(state: Any, loop: Any) -> Any:
    """The expression with which a loop over a range of few rounds begins; None for others."""
    for statement in state.func_ir.blocks[loop.header].body:
        begun = guard(_begun, state, statement)
        if begun is not None and guard(_is_short_range, state, begun.value):
            return begun
    return None


def _begun(state: Any, statement: Any) -> Any:
    step: Any = getattr(statement, "value", None)
    require(isinstance(step, ir.Expr) and step.op == "iternext")
    begun = get_definition(state.func_ir, step.value)
    require(isinstance(begun, ir.Expr) and begun.op == "getiter")
    return begun


def _is_short_range(state: Any, variable: Any) -> bool:
    made = get_definition(state.func_ir, variable)
    require(isinstance(made, ir.Expr) and made.op == "call" and not made.kws)
    function = get_definition(state.func_ir, made.func)
    require(isinstance(function, ir.Global) and function.value is range)
    return _is_few(state, *_from_to_step(made.args))


def _from_to_step(arguments: Any) -> tuple[Any, Any, Any]:
    """The three numbers of a range; those not given are None."""
    if len(arguments) == 1:
        return None, arguments[0], None
    return arguments[0], arguments[1], arguments[2] if len(arguments) > 2 else None


def _is_few(state: Any, first: Any, end: Any, step: Any) -> bool:
    begin = 0 if first is None else _constant(state, first)
    by = 1 if step is None else _constant(state, step)
    require(by != 0)
    last = guard(_constant, state, end)
    if last is None:
        return begin >= 0 and by > 0 and _counts(state, end)
    return len(range(begin, last, by)) <= FEW


def _constant(state: Any, variable: Any) -> Any:
    found = find_const(state.func_ir, variable)
    require(isinstance(found, int))
    return found


def _counts(state: Any, variable: Any) -> bool:
    """Whether a number is a count of the records, or a count less a constant."""
    value = get_definition(state.func_ir, variable)
    if isinstance(value, ir.Expr) and value.op == "binop" and value.fn is operator.sub:
        require(0 <= _constant(state, value.rhs) <= FEW)
        value = get_definition(state.func_ir, value.lhs)
    if isinstance(value, ir.Expr) and value.op in ("getitem", "static_getitem"):
        value = get_definition(state.func_ir, value.value)
    require(isinstance(value, ir.Expr) and value.op == "getattr" and value.attr in COUNTS)
    owner = get_definition(state.func_ir, value.value)
    require(isinstance(owner, ir.Arg))
    return isinstance(state.args[owner.index], types.Record)
