"""Arithmetic that has no answer is an error in a guest, where compiled code would make one up.

`paxsim.guests.compiler` puts these in the place of the operators and functions of `CHECKED`.
Division by zero needs no help: guests are compiled with Python's rules for it. (Functions that
choose an implementation have no annotations: numba compares signatures to the letter.)
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload, register_jitable

_LEAST = -(2**63)
#: Whole numbers beyond these can't be held; both are exact as float64.
_BELOW, _ABOVE = -(2.0**63), 2.0**63
_BITS = 64

_OPTIONS: dict[str, Any] = {"jit_options": {"forceinline": True, "error_model": "python"}}


def _stand_in(name: str) -> Any:
    """A name for the compiler to look up; it is never called from Python."""

    def function(*arguments: Any) -> Any:
        raise NotImplementedError

    function.__name__ = function.__qualname__ = name
    return function


floor_divide = _stand_in("//")
remainder = _stand_in("%")
divide_with_remainder = _stand_in("divmod()")
power = _stand_in("**")
shift_left = _stand_in("<<")
shift_right = _stand_in(">>")
whole = _stand_in("int()")
whole_64 = _stand_in("numpy.int64()")
rounded = _stand_in("round()")
floored = _stand_in("floor()")
raised_to_whole = _stand_in("ceil()")
truncated = _stand_in("trunc()")

#: What stands for what in a guest.
CHECKED: dict[Any, Any] = {
    operator.floordiv: floor_divide,
    operator.mod: remainder,
    divmod: divide_with_remainder,
    operator.pow: power,
    pow: power,
    np.power: power,
    operator.lshift: shift_left,
    operator.rshift: shift_right,
    int: whole,
    np.int64: whole_64,
    round: rounded,
    math.floor: floored,
    math.ceil: raised_to_whole,
    math.trunc: truncated,
}


def _refuse_arrays(name: str, *kinds: Any) -> None:
    if any(isinstance(kind, types.Array) for kind in kinds):
        raise TypingError(f"{name} of a whole array; allowed: of its numbers, in a loop")


def _signed(*kinds: Any) -> bool:
    return all(isinstance(kind, (types.Integer, types.Boolean)) for kind in kinds)


def _division(name: str, divide: Any) -> Any:
    """A division of two numbers; the least whole number by -1 is one too large to hold."""

    def choose(a, b):
        _refuse_arrays(name, a, b)
        if not _signed(a, b):
            return lambda a, b: divide(a, b)

        def checked(a, b):
            if b == -1 and a == _LEAST:
                raise OverflowError("the result of a division does not fit into 64 bits")
            return divide(a, b)

        return checked

    return choose


overload(floor_divide, **_OPTIONS)(_division("//", operator.floordiv))
overload(remainder, **_OPTIONS)(_division("%", operator.mod))
overload(divide_with_remainder, **_OPTIONS)(_division("divmod()", divmod))


@overload(power, **_OPTIONS)
def _power(a, b):
    if _signed(getattr(a, "dtype", a), getattr(b, "dtype", b)):
        _refuse_arrays("** of whole numbers:", a, b)
    if not _signed(a, b):
        return lambda a, b: a**b

    def checked(a, b):
        if b < 0:
            raise ValueError("a negative power of a whole number is none")
        return a**b

    return checked


def _shift(name: str, shift: Any) -> Any:
    def choose(a, b):
        _refuse_arrays(name, a, b)

        def checked(a, b):
            if b < 0 or b >= _BITS:
                raise ValueError("a shift by fewer than 0 or more than 63 bits")
            return shift(a, b)

        return checked

    return choose


overload(shift_left, **_OPTIONS)(_shift("<<", operator.lshift))
overload(shift_right, **_OPTIONS)(_shift(">>", operator.rshift))


@register_jitable(**_OPTIONS["jit_options"])
def _holdable(x):
    """A float that a whole number of 64 bits can hold."""
    if x != x:
        raise ValueError("nan is no whole number")
    if not _BELOW <= x < _ABOVE:
        raise OverflowError("a number that is too large for a whole one")
    return x


def _to_whole(name: str, convert: Any) -> Any:
    """A function from one number to a whole one, for numbers that fit."""

    def choose(x):
        _refuse_arrays(name, x)
        if isinstance(x, types.Float):
            return lambda x: convert(_holdable(x))
        return lambda x: convert(x)

    return choose


overload(whole, **_OPTIONS)(_to_whole("int()", int))
overload(whole_64, **_OPTIONS)(_to_whole("numpy.int64()", np.int64))
overload(floored, **_OPTIONS)(_to_whole("floor()", math.floor))
overload(raised_to_whole, **_OPTIONS)(_to_whole("ceil()", math.ceil))
overload(truncated, **_OPTIONS)(_to_whole("trunc()", math.trunc))


@overload(rounded, **_OPTIONS)
def _rounded(x, digits=None):
    _refuse_arrays("round()", x)
    if isinstance(digits, types.Integer):
        return lambda x, digits=None: round(x, digits)
    if isinstance(x, types.Float):
        return lambda x, digits=None: round(_holdable(x))
    return lambda x, digits=None: round(x)
