"""What a guest may use: numbers, the three records, tuples, lists and arrays, and what is below.

Everything else is refused by its name, because it could reach memory that the guest was not
handed (pointers, views under another type), could not be repeated (clocks, other dice), or can't
be looked into (object mode, functions that are not compiled with the guest).
"""

from __future__ import annotations

import builtins
import math
import random
from typing import Any

import numpy as np
from numba import types

from paxsim.guests import arithmetic, watch, whereabouts

_MATH = """
acos acosh asin asinh atan atan2 atanh copysign cos cosh degrees erf erfc exp expm1 fabs fmod gamma
hypot isfinite isinf isnan ldexp lgamma log log10 log1p log2 pow radians sin sinh sqrt tan tanh
"""
_NUMPY = """
abs absolute all any arange argmax argmin argsort array bool_ ceil clip copy cos cumsum diff exp
expm1 fabs float32 float64 floor full full_like hypot isfinite isinf isnan log log10 log1p log2 max
maximum mean min minimum ones ones_like prod sign sin sort sqrt square sum tan tanh trunc
where zeros zeros_like
"""

#: Functions that may be called besides compiled ones, which are compiled under the same rules.
FUNCTIONS: tuple[Any, ...] = (
    *(abs, bool, enumerate, float, len, max, min, range, slice, sum, zip),
    *arithmetic.CHECKED.values(),
    *(whereabouts.note, watch.check_in),
    *(getattr(math, name) for name in _MATH.split()),
    *(getattr(np, name) for name in _NUMPY.split()),
)
_IDENTITIES = frozenset(map(id, FUNCTIONS))

#: Functions that give whole numbers for any numbers: they count, or take but the shape.
OF_ANY_NUMBERS: tuple[Any, ...] = (
    *arithmetic.CHECKED.values(),
    *(len, np.argmax, np.argmin, np.argsort, np.ones_like, np.zeros_like),
)

#: Functions that take an iterator and do not go through it.
OF_ANY_ITERATOR: tuple[Any, ...] = (enumerate, len, zip)

#: Attributes of arrays and lists that may be asked for or called.
ARRAY_ATTRIBUTES = frozenset(
    ("all", "any", "argmax", "argmin", "copy", "max", "mean", "min", "ndim", "prod", "shape")
    + ("size", "sum")
)
LIST_ATTRIBUTES = frozenset(
    ("append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse")
)

#: Kinds of values that a guest's variables may hold.
KINDS = (
    types.Number,
    types.Boolean,
    types.NoneType,
    types.Omitted,
    types.Optional,
    types.Literal,
    types.Record,
    types.Array,
    types.BaseTuple,
    types.List,
    types.SliceType,
    types.Pair,
    types.RangeType,
    types.SimpleIteratorType,
    types.Module,
    types.NumberClass,
    types.ExceptionClass,
    types.ExceptionInstance,
    types.BaseFunction,
    types.BoundFunction,
    types.Dispatcher,
    types.UnicodeType,
    type(types._undef_var),  # `unset` makes sure that nobody reads it
)
#: And those that may come from outside the function: all of them can't be changed.
CONSTANTS = (
    types.Number,
    types.Boolean,
    types.NoneType,
    types.Literal,
    types.UnicodeType,
    types.Module,
    types.NumberClass,
    types.ExceptionClass,
    types.BaseFunction,
    types.Dispatcher,
)

#: What a user wrote where numba calls a function of its own, by the beginning of its name.
_WRITTEN = {
    # In an inner function, from Python 3.12 on: see `paxsim.guests.tidying`.
    "numba.core.unsafe.eh.": "try, or [... for ... if ...] in an inner function",
    "numba.np.unsafe.ndarray.empty_inferred": "numpy.array([... for ...])",
}

_PLAIN = (
    "in plain Python: compiled=False, paxsim check --interpreted; paxsim trace shows every decision"
)
#: The same of what helps to find a mistake.
PLAIN_INSTEAD = dict.fromkeys(("print", "breakpoint"), _PLAIN)

#: What to use instead of some of what is refused, by the beginning of its name.
INSTEAD = {
    "numpy.random.": "paxsim.helpers.random_below(me, n)",
    "random.": "paxsim.helpers.random_below(me, n)",
    "numpy.empty": "numpy.zeros",
    "numpy.array([": "numpy.zeros, and a loop",
    "numpy.dot": "a loop: the last bits of a product of matrices depend on the machine",
    **PLAIN_INSTEAD,
    "set": "a list or an array",
    "str": "numbers; paxsim trace shows what was decided",
    "yield": "return, with the index of the chosen option",
    "a dictionary": "an array or a tuple, with numbers as indices",
    "a set": "a tuple or an array",
    "a list": "a tuple or an array, which can't change",
    "sorted": "numpy.sort",
    "try": "a loop, or an if that asks before",
}


def is_allowed(function: Any) -> bool:
    """Whether a function is one of `FUNCTIONS`, and does not only say that it is equal to it."""
    return id(function) in _IDENTITIES


def name_of(thing: Any) -> str:
    """What a user calls a function."""
    if isinstance(thing, str):
        return thing
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None) or repr(thing)
    dice = getattr(thing, "__self__", None)
    if isinstance(dice, (np.random.RandomState, random.Random)):
        package = "random" if isinstance(dice, random.Random) else "numpy.random"
        return f"{package}.{thing.__name__}"
    if isinstance(thing, np.ufunc):
        return f"numpy.{name}"
    module = getattr(thing, "__module__", None)
    full = name if module in (None, builtins.__name__) else f"{module}.{name}"
    return next((word for start, word in _WRITTEN.items() if full.startswith(start)), full)


def instead_of(name: str) -> str:
    """What is allowed where this is not."""
    for beginning, other in INSTEAD.items():
        if name.startswith(beginning):
            return other
    return "numbers, arrays, lists and tuples; math; paxsim.helpers; functions with @paxsim.helper"


def kind_in_words(kind: Any) -> str:
    """What a user calls a value of a kind that is not allowed."""
    for kinds, words in _WORDS:
        if isinstance(kind, kinds):
            return words
    return f"a value of the kind {kind}"


def method_in_words(owner: Any, name: str) -> tuple[str, str]:
    """What a user calls something that belongs to a value, and what is allowed in its place."""
    kind = next((word for kinds, word in _OWNERS if isinstance(owner, kinds)), str(owner))
    what = f"{kind}.{name}"
    whole = getattr(np, name, None)
    if kind in ("array", "list") and whole is not None and is_allowed(whole):
        return f"uses {what}", f"numpy.{name}(...) of an array"
    return f"uses {what}", instead_of(what)


_OWNERS = (
    (types.Array, "array"),
    (types.List, "list"),
    (types.Number, "number"),
    (types.BaseTuple, "tuple"),
)

_WORDS = (
    (types.DictType, "a dictionary"),
    (types.Set, "a set"),
    (types.List, "a list"),
    (types.UnicodeType, "a text"),
    (types.ByteArray, "bytes"),
    (types.Bytes, "bytes"),
    (types.EnumClass, "an enumeration"),
    (types.EnumMember, "an enumeration"),
    (types.NamedTupleClass, "a class"),
)


def is_constant(kind: Any) -> bool:
    """Whether a value from outside the function can't be changed by anybody."""
    if isinstance(kind, types.Array):
        return not kind.mutable and not isinstance(kind.dtype, types.Record)
    if isinstance(kind, types.BaseTuple):
        parts = getattr(kind, "types", ())
        return all(is_constant(part) and not isinstance(part, types.Array) for part in parts)
    return isinstance(kind, CONSTANTS)


def is_plain(value: Any) -> bool:
    """Whether a default of an argument is a number or a text, or a tuple of these."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str, np.number, np.bool_))
