"""Compiling guests: two passes of our own in numba's pipeline.

`_TakeIn` makes everything that a guest calls a guest too, freezes arrays from outside, puts checked
arithmetic in the place of the plain one and lets every loop check in. `_Prove` looks at the typed
code and refuses by name whatever is not known to be harmless (see `proof`); what may be stored to
is a matter of types (see `views`).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.ir_utils import build_definitions, mk_unique_var
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import MakeFunctionToJitFunction

from paxsim.guests import whereabouts
from paxsim.guests.arithmetic import CHECKED
from paxsim.guests.loops import places_to_check_in
from paxsim.guests.proof import Proof, refuse
from paxsim.guests.tidying import without_tidying
from paxsim.guests.unset import refuse_unset_names
from paxsim.guests.watch import check_in
from paxsim.policies.checks import tree_of

#: Python's rules for division, and every index checked.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "python",
    "boundscheck": True,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

#: Bytes of an array from outside that are copied into the code; of a larger one numba would keep
#: the address, where anybody may write.
LARGEST_ARRAY = 10**6

#: Which functions a guest function calls, to find those that call themselves.
_calls: dict[Callable, set[Callable]] = {}


@functools.cache
def guest(function: Callable, explaining: bool = False) -> Any:
    """A dispatcher that compiles a function as a guest.

    Parameters
    ----------
    function : callable
        A plain Python function.
    explaining : bool
        Whether it notes each line of the user's that it comes to (see `paxsim.guests.whereabouts`).
    """
    compiler = _ExplainingCompiler if explaining else _GuestCompiler
    return numba.njit(**OPTIONS, pipeline_class=compiler)(function)


def called_by(function: Callable) -> list[Callable]:
    """A guest function and those of users that it calls, itself or through others."""
    found = [function]
    for one in found:
        found += [
            other
            for other in sorted(_calls.get(one, ()), key=lambda other: other.__qualname__)
            if other not in found and whereabouts.is_of_a_user(other)
        ]
    return found


def _is_guest(dispatcher: Any) -> bool:
    function = getattr(dispatcher, "py_func", None)
    return function is not None and any(
        dispatcher is guest(function, explaining) for explaining in (False, True)
    )


class _GuestCompiler(CompilerBase):
    """Numba's pipeline with the two passes."""

    take_in: type

    def define_pipelines(self) -> list[Any]:
        if self.state.func_ir is None:  # not of a part of a function
            self.state.bc.exception_entries = without_tidying(self.state.bc)
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(self.take_in, MakeFunctionToJitFunction)
        passes.add_pass_after(_Prove, NopythonTypeInference)
        passes.finalize()
        return [passes]


class _ExplainingCompiler(_GuestCompiler):
    """The same for code that says where it is."""


@register_pass(mutates_CFG=False, analysis_only=False)
class _TakeIn(FunctionPass):
    """Make guests of all that is called, check arithmetic, and let loops check in."""

    _name = "paxsim_take_in"
    explaining = False
    function: Callable

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        self.function = state.func_id.func
        self.modules: dict[str, ModuleType] = {}
        self.stand_ins: dict[str, Any] = {}
        blocks = state.func_ir.blocks
        _calls[self.function] = set()
        graph = compute_cfg_from_blocks(blocks)
        refuse_unset_names(self.function, blocks, graph)
        heads, beginnings = places_to_check_in(state, graph)
        for label, block in blocks.items():
            body: list[Any] = []
            if label in heads:
                body += _call(block, check_in, [], block.loc)
            for statement in block.body:
                if id(getattr(statement, "value", None)) in beginnings:
                    body += _call(block, check_in, [], block.loc)
                if self.explaining and whereabouts.is_of_a_user(self.function):
                    body += self._note(block, statement)
                if isinstance(statement, ir.Assign):
                    body += self._taken_in(block, statement)
                else:
                    body.append(statement)
            block.body = body
        _refuse_recursion(self.function)
        state.func_ir._definitions = build_definitions(blocks)
        return True

    def _taken_in(self, block: Any, statement: Any) -> list[Any]:
        """An assignment, or what stands for it."""
        target, value, loc = statement.target, statement.value, statement.loc
        if target.name in self.function.__code__.co_freevars:
            what = f"changes {target.name} of the function around it"  # which numba would forget
            raise refuse(self.function, loc.line, what, "me.memory")
        op = value.op if isinstance(value, ir.Expr) else ""
        if op in ("binop", "inplace_binop"):
            plain = value.fn if op == "binop" else value.immutable_fn
            if plain in CHECKED:
                return _call(block, CHECKED[plain], [value.lhs, value.rhs], loc, target)
        if op == "call" and value.func.name in self.stand_ins:
            name = ir.Var(block.scope, mk_unique_var("$ours"), loc)
            value.func, stand_in = name, self.stand_ins[value.func.name]
            return [ir.Assign(_constant(stand_in, loc), name, loc), statement]
        if isinstance(value, ir.Var) and value.name in self.stand_ins:
            self.stand_ins[target.name] = self.stand_ins[value.name]
        self._take_in_value(statement, _outside(value, self.modules))
        return [statement]

    def _take_in_value(self, statement: Any, found: Any) -> None:
        """Look at what a name means, if it is one from outside."""
        if isinstance(found, ModuleType):
            self.modules[statement.target.name] = found
        elif isinstance(found, Dispatcher):
            _calls[self.function].add(found.py_func)
            statement.value = _constant(guest(found.py_func, self.explaining), statement.loc)
        elif isinstance(found, np.ndarray):
            statement.value = _constant(self._frozen(found, statement.loc.line), statement.loc)
        elif _is_hashable(found) and found in CHECKED:
            # Only where it is called: `int` may also be the type of an array.
            self.stand_ins[statement.target.name] = CHECKED[found]

    def _frozen(self, array: np.ndarray, line: int) -> np.ndarray:
        """A copy that nobody else has: whatever memory an array shows, it is read just once."""
        if array.dtype.kind not in "biuf" or array.nbytes > LARGEST_ARRAY:
            what = f"an array from outside of {array.nbytes} bytes of {array.dtype}"
            instead = f"numbers, at most {LARGEST_ARRAY} bytes of them"
            raise refuse(self.function, line, what, instead)
        copy = np.array(array, order="C", copy=True, subok=False)
        copy.flags.writeable = False
        return copy

    def _note(self, block: Any, statement: Any) -> Iterator[Any]:
        """A note of the line that a statement stands in, where it is another than before."""
        loc = statement.loc
        if loc.line != getattr(block, "_noted", None):
            block._noted = loc.line
            place = ir.Var(block.scope, mk_unique_var("$place"), loc)
            yield ir.Assign(
                ir.Const(whereabouts.number_of(loc.filename, loc.line), loc), place, loc
            )
            yield from _call(block, whereabouts.note, [place], loc)


@register_pass(mutates_CFG=False, analysis_only=False)
class _TakeInExplaining(_TakeIn):
    """The same for code that says where it is."""

    _name = "paxsim_take_in_explaining"
    explaining = True


_GuestCompiler.take_in = _TakeIn
_ExplainingCompiler.take_in = _TakeInExplaining


class _Nothing:
    """Stands for: not a value from outside the function."""


def _outside(value: Any, modules: dict[str, ModuleType]) -> Any:
    """The value of a global name, a closure variable, or an attribute of a module."""
    if isinstance(value, (ir.Global, ir.FreeVar)):
        return value.value
    if isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in modules:
        return getattr(modules[value.value.name], value.attr, _Nothing)
    if isinstance(value, ir.Var) and value.name in modules:
        return modules[value.name]
    return _Nothing


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _constant(value: Any, loc: Any) -> ir.Global:
    return ir.Global(getattr(value, "__name__", "guest"), value, loc)


def _call(block: Any, function: Any, arguments: list[Any], loc: Any, target: Any = None) -> list:
    """The statements that call a function of ours."""
    name = ir.Var(block.scope, mk_unique_var("$ours"), loc)
    target = target or ir.Var(block.scope, mk_unique_var("$answer"), loc)
    return [
        ir.Assign(_constant(function, loc), name, loc),
        ir.Assign(ir.Expr.call(name, arguments, (), loc), target, loc),
    ]


def _refuse_recursion(function: Callable) -> None:
    """Refuse a function that comes back to itself through what it calls."""
    called = sorted(_calls[function], key=lambda one: one.__qualname__)
    ways = [[one] for one in called]
    seen: set[Callable] = set()
    for way in ways:  # which grows: the shortest ways come first
        last = way[-1]
        if last is function:
            chain = [one.__name__ for one in way]
            what = f"{function.__name__} calls itself"
            if len(way) > 1:
                what = f"{function.__name__} calls {', which calls '.join(chain)}"
            raise refuse(function, _line_of_call(function, way[0]), what, "a loop")
        if last not in seen:
            seen.add(last)
            ways += [[*way, one] for one in _calls.get(last, ())]


def _line_of_call(function: Callable, called: Callable) -> int:
    """Where a function calls another one; its first line, if that does not show."""
    for node in ast.walk(tree_of(function)):
        if isinstance(node, ast.Call):
            if ast.unparse(node.func).rpartition(".")[2] == called.__name__:
                return node.lineno
    return function.__code__.co_firstlineno


@register_pass(mutates_CFG=False, analysis_only=True)
class _Prove(AnalysisPass):
    """Refuse every statement that is not known to be harmless."""

    _name = "paxsim_prove"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        Proof(state, _is_guest).check()
        return False
