"""Compiling guests: two passes of our own in numba's pipeline.

`_TakeIn` makes everything that a guest calls a guest too, puts checked arithmetic in the place of
the plain one and lets every loop check in. `_Prove` looks at the typed code and refuses by name
whatever is not known to be harmless; what may be stored to is a matter of types (see `views`).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from numba import types
from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.ir_utils import build_definitions, mk_unique_var
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import MakeFunctionToJitFunction

from paxsim.errors import PaxsimError
from paxsim.guests import allowed, lines
from paxsim.guests.arithmetic import CHECKED
from paxsim.guests.watch import check_in

#: Python's rules for division, and every index checked.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "python",
    "boundscheck": True,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

#: Which functions a guest function calls, to find those that call themselves.
_calls: dict[Callable, set[Callable]] = {}


class RefusedError(PaxsimError):
    """Something in a guest that can't be shown to be harmless."""


def _refuse(function: Callable, line: int, what: str, instead: str) -> RefusedError:
    file = Path(function.__code__.co_filename).name
    return RefusedError(f"line {line} of {file}: {what}; allowed: {instead}")


@functools.cache
def guest(function: Callable, explaining: bool = False) -> Any:
    """A dispatcher that compiles a function as a guest.

    Parameters
    ----------
    function : callable
        A plain Python function.
    explaining : bool
        Whether it notes each line of the user's that it comes to (see `paxsim.guests.lines`).
    """
    compiler = _ExplainingCompiler if explaining else _GuestCompiler
    return numba.njit(**OPTIONS, pipeline_class=compiler)(function)


def _is_guest(dispatcher: Any) -> bool:
    function = getattr(dispatcher, "py_func", None)
    return function is not None and any(
        dispatcher is guest(function, explaining) for explaining in (False, True)
    )


class _GuestCompiler(CompilerBase):
    """Numba's pipeline with the two passes."""

    take_in: type

    def define_pipelines(self) -> list[Any]:
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

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        function = state.func_id.func
        _calls[function] = set()
        modules: dict[str, ModuleType] = {}
        heads = {
            loop.header for loop in compute_cfg_from_blocks(state.func_ir.blocks).loops().values()
        }
        for label, block in state.func_ir.blocks.items():
            body: list[Any] = []
            if label in heads:
                body += _call(block, check_in, [], block.loc)
            for statement in block.body:
                if self.explaining and lines.is_of_a_user(function):
                    body += self._note(block, statement)
                body += self._taken_in(block, statement, function, modules)
            block.body = body
        _refuse_recursion(function)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True

    def _taken_in(
        self, block: Any, statement: Any, function: Callable, modules: dict[str, ModuleType]
    ) -> Iterator[Any]:
        """A statement, with what has to stand before it."""
        if not isinstance(statement, ir.Assign):
            yield statement
            return
        target, value = statement.target, statement.value
        if isinstance(value, ir.Expr) and value.op in ("binop", "inplace_binop"):
            plain = value.fn if value.op == "binop" else value.immutable_fn
            if plain in CHECKED:
                yield from _call(
                    block, CHECKED[plain], [value.lhs, value.rhs], statement.loc, target
                )
                return
        found = _outside(value, modules)
        if isinstance(found, ModuleType):
            modules[target.name] = found
        elif isinstance(found, Dispatcher):
            _calls[function].add(found.py_func)
            statement.value = _constant(guest(found.py_func, self.explaining), statement.loc)
        elif _is_hashable(found) and found in CHECKED:
            statement.value = _constant(CHECKED[found], statement.loc)
        yield statement

    def _note(self, block: Any, statement: Any) -> Iterator[Any]:
        """A note of the line that a statement stands in, where it is another than before."""
        loc = statement.loc
        if loc.line != getattr(block, "_noted", None):
            block._noted = loc.line
            place = ir.Var(block.scope, mk_unique_var("$place"), loc)
            yield ir.Assign(ir.Const(lines.number_of(loc.filename, loc.line), loc), place, loc)
            yield from _call(block, lines.note, [place], loc)


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
    waiting = list(_calls[function])
    seen: set[Callable] = set()
    while waiting:
        called = waiting.pop()
        if called is function:
            line = function.__code__.co_firstlineno
            raise _refuse(function, line, f"{function.__name__} calls itself", "a loop")
        if called not in seen:
            seen.add(called)
            waiting += _calls.get(called, ())


@register_pass(mutates_CFG=False, analysis_only=True)
class _Prove(AnalysisPass):
    """Refuse every statement that is not known to be harmless."""

    _name = "paxsim_prove"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        _Proof(state.func_id.func, state.typemap, state.calltypes).check(state.func_ir.blocks)
        return False


class _Proof:
    """One function's typed code, gone through statement by statement."""

    def __init__(self, function: Callable, typemap: dict[str, Any], calltypes: dict[Any, Any]):
        self.function, self.typemap, self.calltypes = function, typemap, calltypes
        self.line = 0

    def check(self, blocks: dict[int, Any]) -> None:
        for block in blocks.values():
            for statement in block.body:
                self.line = statement.loc.line or self.line
                self._check_statement(statement)

    def _refuse(self, what: str, instead: str | None = None) -> RefusedError:
        return _refuse(self.function, self.line, what, instead or allowed.instead_of(what))

    def _uses(self, name: str) -> RefusedError:
        return _refuse(self.function, self.line, f"uses {name}", allowed.instead_of(name))

    def _type(self, variable: Any) -> Any:
        return self.typemap[variable.name]

    def _check_statement(self, statement: Any) -> None:
        if isinstance(statement, ir.Assign):
            self._check_kind(self._type(statement.target))
            self._check_value(statement.target, statement.value)
        elif isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
            self._check_store(statement)
        elif isinstance(statement, ir.SetAttr):
            raise self._refuse(f"writes to the field {statement.attr}", "me.memory alone")
        elif isinstance(statement, ir.Print):
            raise self._uses("print")
        elif not isinstance(statement, _CONTROL):
            raise self._uses(type(statement).__name__)

    def _check_kind(self, kind: Any) -> None:
        if isinstance(kind, types.Optional):
            kind = kind.type
        if isinstance(kind, types.ClassType) or not isinstance(kind, allowed.KINDS):
            raise self._uses(f"a value of the kind {kind}")

    def _check_store(self, statement: Any) -> None:
        """Arrays that can be written are memory, stream, or the function's own: see `views`."""
        target = self._type(statement.target)
        if isinstance(target, types.List):
            return
        if not isinstance(target, types.Array) or not target.mutable:
            raise self._refuse("writes to what it may only read", "me.memory alone")
        value = self._type(statement.value)
        value = getattr(value, "dtype", value)
        if isinstance(target.dtype, types.Integer) and isinstance(value, types.Float):
            raise self._refuse(
                "puts a number with a fraction into an array of whole ones", "int(x)"
            )

    def _check_value(self, target: Any, value: Any) -> None:
        if isinstance(value, (ir.Global, ir.FreeVar)):
            if not allowed.is_constant(self._type(target)):
                raise self._uses(f"{value.name} from outside ({self._type(target)})")
        elif isinstance(value, ir.Expr):
            check = _EXPRESSIONS.get(value.op)
            if check is None:
                raise self._uses(value.op.replace("_", " "))
            check(self, value)
        elif not isinstance(value, (ir.Var, ir.Const, ir.Arg)):
            raise self._uses(type(value).__name__)

    def _nothing(self, value: Any) -> None:
        """Harmless whatever its parts are."""

    def _check_operator(self, value: Any) -> None:
        """On arrays that change in place, an operator is a store."""
        if value.op == "inplace_binop":
            left = self._type(value.lhs)
            if isinstance(left, types.Array) and not left.mutable:
                raise self._refuse("writes to what it may only read", "me.memory alone")
        if getattr(value, "fn", None) is operator.matmul:
            raise self._uses("numpy.dot")

    def _check_getitem(self, value: Any) -> None:
        owner = self._type(value.value)
        if not isinstance(owner, (types.Array, types.BaseTuple, types.List, types.Record)):
            raise self._uses(f"an item of {owner}")
        index = getattr(value, "index", None)
        if isinstance(index, ir.Var):
            self._check_index(self._type(index))

    def _check_index(self, kind: Any) -> None:
        """Indices that the compiler checks against the bounds: numbers and slices."""
        for part in getattr(kind, "types", (kind,)):
            part = types.unliteral(part)
            if not isinstance(part, (types.Integer, types.Boolean, types.SliceType)):
                raise self._uses(f"an index of the kind {part}")

    def _check_getattr(self, value: Any) -> None:
        owner = self._type(value.value)
        if isinstance(owner, (types.Record, types.Module)):
            return
        if isinstance(owner, types.Array) and value.attr in allowed.ARRAY_ATTRIBUTES:
            return
        if isinstance(owner, types.List) and value.attr in allowed.LIST_ATTRIBUTES:
            return
        kind = "array" if isinstance(owner, types.Array) else str(owner)
        raise self._uses(f"{kind}.{value.attr}")

    def _check_call(self, value: Any) -> None:
        function = self._type(value.func)
        if isinstance(function, types.Dispatcher):
            if not _is_guest(function.dispatcher):
                raise self._uses(allowed.name_of(getattr(function.dispatcher, "py_func", function)))
        elif isinstance(function, types.NumberClass):
            self._check_number_class(function, value)
        elif isinstance(function, (types.BoundFunction, types.ExceptionClass)):
            return  # what it belongs to was checked where it was looked up
        elif isinstance(function, types.Function):
            if function.typing_key not in allowed.FUNCTIONS:
                raise self._uses(allowed.name_of(function.typing_key))
        else:
            raise self._uses(str(function))

    def _check_number_class(self, function: Any, value: Any) -> None:
        made = types.unliteral(function.instance_type)
        for argument in value.args:
            if isinstance(made, types.Integer) and isinstance(self._type(argument), types.Float):
                raise self._uses(f"{made}() of a number with a fraction")


_CONTROL = (ir.Jump, ir.Branch, ir.Return, ir.Del, ir.Raise, ir.StaticRaise, ir.DynamicRaise)

_EXPRESSIONS: dict[str, Callable[[_Proof, Any], None]] = {
    "binop": _Proof._check_operator,
    "inplace_binop": _Proof._check_operator,
    "unary": _Proof._nothing,
    "getitem": _Proof._check_getitem,
    "static_getitem": _Proof._check_getitem,
    "typed_getitem": _Proof._check_getitem,
    "getattr": _Proof._check_getattr,
    "call": _Proof._check_call,
    **dict.fromkeys(
        (
            "build_tuple",
            "build_list",
            "cast",
            "phi",
            "undef",
            "getiter",
            "iternext",
            "pair_first",
            "pair_second",
            "exhaust_iter",
        ),
        _Proof._nothing,
    ),
}
