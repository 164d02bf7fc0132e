"""The proof that a guest is harmless: its typed code is gone through, statement by statement.

What is not known to be harmless is refused, by its name and line.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import ir

from paxsim.errors import PaxsimError
from paxsim.guests import allowed, implementers
from paxsim.policies.checks import place, quoted

#: Steps of a function with all that it calls; beyond that it would take minutes to compile.
LARGEST = 16_000
_sizes: dict[Any, int] = {}


class RefusedError(PaxsimError):
    """Something in a guest that can't be shown to be harmless."""


def refuse(function: Callable, line: int, what: str, instead: str) -> RefusedError:
    """The error that says where something that is not allowed stands."""
    where = place(function, line)
    return RefusedError(f"{where}: {what}; allowed: {instead}{quoted(function, line)}")


class Proof:
    """One function's typed code.

    Parameters
    ----------
    state : numba.core.compiler.StateDict
        The function as the compiler sees it after its types are known.
    is_guest : callable
        Says whether a compiled function is a guest.
    """

    def __init__(self, state: Any, is_guest: Callable[[Any], bool]):
        self.state, self.is_guest = state, is_guest
        self.function = state.func_id.func
        self.line = 0

    def check(self) -> None:
        """Raise `RefusedError` unless all of it is harmless."""
        size = 0
        for block in self.state.func_ir.blocks.values():
            for statement in block.body:
                self.line = statement.loc.line or self.line
                self._check_statement(statement)
                size += self._size_of(statement)
        _sizes[self.function] = size
        if size > LARGEST:
            what = f"{self.function.__name__} has {size} steps with all that it calls"
            raise refuse(self.function, self.function.__code__.co_firstlineno, what, f"{LARGEST}")

    def _size_of(self, statement: Any) -> int:
        """Steps of a statement; a function is put in wherever it is called."""
        value = getattr(statement, "value", None)
        if isinstance(value, ir.Expr) and value.op == "call":
            called = getattr(self._type(value.func), "dispatcher", None)
            return 1 + _sizes.get(getattr(called, "py_func", None), 0)
        return 1

    def _refuse(self, what: str, instead: str | None = None) -> RefusedError:
        return refuse(self.function, self.line, what, instead or allowed.instead_of(what))

    def _uses(self, name: str) -> RefusedError:
        return self._refuse(f"uses {name}", allowed.instead_of(name))

    def _type(self, variable: Any) -> Any:
        return self.state.typemap[variable.name]

    def _check_statement(self, statement: Any) -> None:
        if isinstance(statement, ir.Assign):
            self._check_kind(self._type(statement.target))
            self._check_value(statement.target, statement.value)
        elif isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
            self._check_store(statement)
        elif isinstance(statement, ir.SetAttr):
            memory = statement.attr == "memory"
            may = "its numbers, such as me.memory[0]" if memory else "me.memory alone"
            raise self._refuse(f"writes to the field {statement.attr}", may)
        elif isinstance(statement, ir.Print):
            raise self._uses("print")
        elif not isinstance(statement, _CONTROL):
            raise self._uses(type(statement).__name__.lower())

    def _check_kind(self, kind: Any) -> None:
        if isinstance(kind, types.Optional):
            kind = kind.type
        if kind == types.code_type:  # of a function within the function, which is compiled
            return
        if isinstance(kind, types.ContextManager):
            raise self._uses("with")
        if isinstance(kind, types.ClassType) or not isinstance(kind, allowed.KINDS):
            raise self._uses(allowed.kind_in_words(kind))

    def _check_store(self, statement: Any) -> None:
        """Arrays that can be written are memory, stream, or the function's own: see `views`."""
        target = self._type(statement.target)
        is_array = isinstance(target, types.Array)
        if not isinstance(target, types.List) and not (is_array and target.mutable):
            raise self._refuse("writes to what it may only read", "me.memory alone")
        signature = self.state.calltypes[statement]
        self._check_origin(operator.setitem, signature)
        if not is_array and isinstance(signature.args[1], types.SliceType):
            # Numba would change a list that is put into itself while it reads it.
            raise self._refuse("writes to several items of a list", "one at a time, or an array")
        if _is_whole(target) and _is_fraction(self._type(statement.value)):
            raise self._refuse("puts a number with a fraction among whole ones", "int(x)")

    def _check_origin(self, function: Any, signature: Any) -> None:
        """Refuse implementations that somebody else gave to what is built in."""
        context = self.state.typingctx
        kind = context.resolve_value_type(function)
        if isinstance(kind, types.Function) and signature is not None:
            stranger = implementers.foreign_function(context, kind, signature.args)
            if stranger is not None:
                raise self._refuse(f"uses {stranger} as {allowed.name_of(function)}")

    def _check_value(self, target: Any, value: Any) -> None:
        if isinstance(value, (ir.Global, ir.FreeVar)):
            self._check_constant(value.name, self._type(target))
        elif isinstance(value, ir.Arg):
            self._check_default(value, self.state.args[value.index])
        elif isinstance(value, ir.Expr):
            check = _EXPRESSIONS.get(value.op)
            if check is None:
                raise self._uses(value.op.replace("_", " "))
            check(self, value)
            if value.op == "getattr" and isinstance(self._type(value.value), types.Module):
                self._check_constant(value.attr, self._type(target))
        elif not isinstance(value, (ir.Var, ir.Const)):
            raise self._uses(type(value).__name__.lower())

    def _check_constant(self, name: str, kind: Any) -> None:
        if not allowed.is_constant(kind):
            what = allowed.kind_in_words(kind)
            raise self._refuse(f"uses {name}, {what}, from outside", allowed.instead_of(what))

    def _check_default(self, argument: Any, kind: Any) -> None:
        if isinstance(kind, types.Omitted) and not allowed.is_plain(kind.value):
            raise self._uses(f"{argument.name}={type(kind.value).__name__} as a default")

    def _nothing(self, value: Any) -> None:
        """Harmless whatever its parts are."""

    def _check_operator(self, value: Any) -> None:
        """On arrays that change in place, an operator is a store."""
        if value.op == "inplace_binop":
            left = self._type(value.lhs)
            if isinstance(left, types.Array) and not left.mutable:
                raise self._refuse("writes to what it may only read", "me.memory alone")
            if isinstance(left, types.Array) and isinstance(self._type(value.rhs), types.Array):
                # The compiler does not check that they are of one length.
                raise self._refuse("changes an array in place by another", "a[:] = a + b")
            self._check_origin(value.immutable_fn, self.state.calltypes[value])
        if value.fn in (operator.matmul, operator.imatmul):
            raise self._uses("numpy.dot")
        if value.fn is operator.contains and isinstance(self._type(value.lhs), types.RangeType):
            raise self._uses("in range(...)")
        self._check_origin(value.fn, self.state.calltypes[value])

    def _check_getitem(self, value: Any) -> None:
        owner = self._type(value.value)
        if not isinstance(owner, (types.Array, types.BaseTuple, types.List, types.Record)):
            raise self._uses(f"an item of {owner}")
        self._check_origin(operator.getitem, self.state.calltypes[value])
        index = getattr(value, "index", None)
        if isinstance(index, ir.Var):
            self._check_index(self._type(index))

    def _check_getiter(self, value: Any) -> None:
        self._check_origin("getiter", self.state.calltypes[value])

    def _check_index(self, kind: Any) -> None:
        """Indices that the compiler checks against the bounds: numbers and slices."""
        for part in getattr(kind, "types", (kind,)):
            part = types.unliteral(part)
            if not isinstance(part, (types.Integer, types.Boolean, types.SliceType)):
                raise self._uses(f"an index of the kind {part}")

    def _check_getattr(self, value: Any) -> None:
        owner = self._type(value.value)
        stranger = implementers.foreign_attribute(self.state.typingctx, owner, value.attr)
        if stranger is not None:
            raise self._refuse(f"uses {stranger} as {value.attr}")
        if isinstance(owner, (types.Record, types.Module)):
            return
        if isinstance(owner, types.Array) and value.attr in allowed.ARRAY_ATTRIBUTES:
            return
        if isinstance(owner, types.List) and value.attr in allowed.LIST_ATTRIBUTES:
            return
        if isinstance(types.unliteral(owner), types.UnicodeType):
            raise self._refuse("uses a text", "numbers")
        raise self._refuse(*allowed.method_in_words(owner, value.attr))

    def _check_call(self, value: Any) -> None:
        function = self._type(value.func)
        if isinstance(function, types.Dispatcher):
            if not self.is_guest(function.dispatcher):
                raise self._uses(allowed.name_of(getattr(function.dispatcher, "py_func", function)))
        elif isinstance(function, types.NumberClass):
            self._check_number_class(function, value)
        elif isinstance(function, types.BoundFunction):
            self._check_bounded(value)
            # What it belongs to was checked where it was looked up.
            if any(isinstance(kind, types.NumberClass) for kind in self._arguments(value)):
                self._check_wholeness(value, [function.this])
        elif isinstance(function, types.Function):
            if not allowed.is_allowed(function.typing_key):
                raise self._uses(allowed.name_of(function.typing_key))
            self._check_origin(function.typing_key, self.state.calltypes[value])
            self._check_output(function.typing_key, value)
            if function.typing_key not in allowed.OF_ANY_ITERATOR:
                self._check_bounded(value)
            if function.typing_key not in allowed.OF_ANY_NUMBERS:
                self._check_wholeness(value, self._arguments(value))
        elif not isinstance(function, types.ExceptionClass):
            raise self._uses(str(function))

    def _check_output(self, function: Any, value: Any) -> None:
        """A result that is put into an array is not checked for its length by the compiler."""
        if isinstance(function, np.ufunc) and len(self._arguments(value)) > function.nin:
            raise self._uses(f"{allowed.name_of(function)} with an array for its result")

    def _arguments(self, value: Any) -> list[Any]:
        """The types of what a function is called with."""
        return [self._type(argument) for argument in value.list_vars()[1:]]

    def _check_number_class(self, function: Any, value: Any) -> None:
        made = types.unliteral(function.instance_type)
        if isinstance(made, types.Integer) and any(map(_is_fraction, self._arguments(value))):
            raise self._uses(f"{made}() of a number with a fraction")

    def _check_bounded(self, value: Any) -> None:
        """What goes through a range by itself can't be stopped, as loops can."""
        for kind in self._arguments(value):
            if isinstance(kind, (types.RangeType, types.SimpleIteratorType)):
                raise self._refuse("hands a range or an iterator to a function", "a loop")

    def _check_wholeness(self, value: Any, kinds: list[Any]) -> None:
        """Whole numbers made of others: only `paxsim.guests.arithmetic` looks whether it can be."""
        result = self.state.calltypes[value].return_type
        whole = _is_whole(result) or isinstance(result, types.RangeType)
        if whole and any(map(_is_fraction, kinds)):
            raise self._refuse("makes whole numbers of numbers with a fraction", "int(x)")


def _is_whole(kind: Any) -> bool:
    return isinstance(getattr(kind, "dtype", types.unliteral(kind)), types.Integer)


def _is_fraction(kind: Any) -> bool:
    return isinstance(getattr(kind, "dtype", types.unliteral(kind)), types.Float)


_CONTROL = (ir.Jump, ir.Branch, ir.Return, ir.Del, ir.Raise, ir.StaticRaise, ir.DynamicRaise)

_EXPRESSIONS: dict[str, Callable[[Proof, Any], None]] = {
    "binop": Proof._check_operator,
    "inplace_binop": Proof._check_operator,
    "unary": Proof._check_operator,
    "getitem": Proof._check_getitem,
    "static_getitem": Proof._check_getitem,
    "typed_getitem": Proof._check_getitem,
    "getattr": Proof._check_getattr,
    "getiter": Proof._check_getiter,
    "call": Proof._check_call,
    **dict.fromkeys(
        (
            "build_tuple",
            "build_list",
            "cast",
            "phi",
            "iternext",
            "pair_first",
            "pair_second",
            "exhaust_iter",
            "undef",  # `unset` makes sure that nobody reads it
        ),
        Proof._nothing,
    ),
}
