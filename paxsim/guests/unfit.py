"""What is said of calls and indices that the compiler has no form for."""

from __future__ import annotations

import ast
import inspect
import re

from paxsim.guests.kinds import argument_in_words, dimensions, in_words, unfit_call
from paxsim.guests.scene import Scene, Verdict

#: Operators, by the names that the compiler has for them.
_OPERATORS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "iadd": "+=", "isub": "-=", "imul": "*=", "contains": "in", "bool": "if",
}  # fmt: skip


def index_with_fraction(scene: Scene, error: Exception) -> Verdict | None:
    """An index that is no whole number."""
    if not re.search(r"getitem\(.*, float64\)", scene.story):
        return None
    return "an index with a fraction", "a whole number: // in place of /, or int(...)"


def tuple_of_kinds(scene: Scene, error: Exception) -> Verdict | None:
    """A tuple whose items are not of one kind, and an index that is not known before."""
    if "getitem(Tuple(" not in scene.story:
        return None
    return "an index into a tuple of different kinds", "a tuple or an array of one kind of numbers"


def function_as_value(scene: Scene, error: Exception) -> Verdict | None:
    """The name of a helper without brackets."""
    found = re.search(r">{3} \w+\(.*type\(CPUDispatcher\(<function (\w+)", scene.story)
    if found is None:
        return None
    helper = getattr(scene.value_of(ast.Name(found[1])), "py_func", None)
    arguments = ", ".join(inspect.signature(helper).parameters) if helper else "..."
    return f"uses {found[1]} without calling it", f"{found[1]}({arguments})"


def unfit_index(scene: Scene, error: Exception) -> Verdict | None:
    """An index into what has none, or too many of them."""
    name, arguments = unfit_call(scene.story) or ("", [])
    if name not in ("getitem", "static_getitem"):
        return None
    size = dimensions(arguments[0])
    if size:
        return f"more indices than an array of {size} dimensions has", f"{size} of them, or fewer"
    return f"an index into {in_words(arguments[0])}", "an index into an array, a list or a tuple"


def unfit_arguments(scene: Scene, error: Exception) -> Verdict | None:
    """Any other call, or operator, with what it can't take."""
    call = unfit_call(scene.story)
    if call is None:
        return None
    name, arguments = call
    words = " and ".join(map(argument_in_words, arguments))
    return f"{_OPERATORS.get(name, name)} can't take {words}", "other arguments, or a loop"
