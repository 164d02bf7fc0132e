"""What the compiler could not do with a guest, in plain words: where, what is wrong, the remedy.

The line where the compiler stopped (`scene`) is looked at for what can't be compiled.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from paxsim.errors import suggestion
from paxsim.guests.allowed import PLAIN_INSTEAD
from paxsim.guests.kinds import FRACTION, in_words
from paxsim.guests.scene import RECORDS, Scene, Verdict, scene_of, tree_of
from paxsim.guests.unfit import (
    function_as_value,
    index_with_fraction,
    tuple_of_kinds,
    unfit_arguments,
    unfit_index,
)
from paxsim.policies.sources import place, quoted
from paxsim.quoting import one_line

_ANYTHING_ELSE = "what docs/policies.md lists"
_USUAL = "numbers and arrays; math, numpy and paxsim.helpers"
_FIELDS = sorted({name for dtype in RECORDS.values() for name in dtype.names or ()})

#: Ways to write things that are Python, but can't be compiled here.
_CONSTRUCTS: dict[type[ast.AST], Verdict] = {
    ast.NamedExpr: ("uses :=", "an assignment on a line of its own"),
    ast.Try: ("uses try", "an if that asks before"),
    ast.With: ("uses with", "nothing from outside the game"),
    ast.Global: ("keeps something outside the game (global)", "me.memory, notes to oneself"),
    ast.Nonlocal: ("keeps something outside itself (nonlocal)", "me.memory, notes to oneself"),
    ast.Import: ("imports within a function", "imports at the top of the file"),
    ast.ImportFrom: ("imports within a function", "imports at the top of the file"),
    ast.Lambda: ("uses lambda", "a loop that keeps the best so far"),
    ast.GeneratorExp: ("uses ... for ... in a call", "a loop"),
    ast.Yield: ("uses yield", "return, with the index of the chosen option"),
    ast.YieldFrom: ("uses yield", "return, with the index of the chosen option"),
    ast.Await: ("uses await", "plain calls"),
    ast.Dict: ("uses a dictionary", "an array or a tuple, with numbers as indices"),
    ast.DictComp: ("uses a dictionary", "an array or a tuple, with numbers as indices"),
    ast.Set: ("uses a set", "a tuple or an array"),
    ast.SetComp: ("uses a set", "a tuple or an array"),
    ast.JoinedStr: ("makes a text", "numbers; paxsim trace shows what was decided"),
    ast.ClassDef: ("defines a class", "numbers, tuples and arrays"),
    ast.Delete: ("uses del", "nothing in its place: a game forgets by itself"),
    ast.Starred: ("uses *", "arguments and values one by one"),
}

#: What a value from outside is called, by its type, and what to use in its place.
_OUTSIDE: tuple[tuple[type, Verdict], ...] = (
    (type, ("a class", "numbers, tuples and arrays; notes in me.memory")),
    (dict, ("a dictionary", "an array or a tuple, with numbers as indices")),
    (list, ("a list, which could change", "a tuple")),
    (set, ("a set", "a tuple")),
    (str, ("a text", "a number")),
)


def explain(error: Exception, functions: Iterable[Callable]) -> str:
    """One line about an error of the compiler.

    Parameters
    ----------
    error : Exception
        What it raised.
    functions : iterable of callable
        The functions of the user that it was compiling: the policy first, then what it calls.
    """
    scene = scene_of(error, list(functions), tuple(_CONSTRUCTS))
    what, instead = _verdict(scene, error)
    where = f"{place(scene.function, scene.line)}: " if scene.line else ""
    return f"{where}{what}; allowed: {instead}{quoted(scene.function, scene.line)}"


def explain_answer(kind: Any, function: Callable) -> str:
    """One line about a policy whose answer is of the wrong type."""
    returns = [node for node in ast.walk(tree_of(function)) if isinstance(node, ast.Return)]
    found = in_words(str(kind))
    what, instead = f"returns {found}", "a whole number, the index of the chosen option"
    line = returns[0].lineno if len(returns) == 1 else 0
    if "Optional" in str(kind):  # the way without a return is no line
        answer = returns[0].value if line else None
        if isinstance(answer, ast.Call):
            what = f"returns {ast.unparse(answer)}, which may be None"
        else:
            what, line = "returns None on some way through it", 0
    if found == FRACTION:
        instead += ", int(...)"
    where = f"{place(function, line)}: " if line else ""
    return f"{where}{what}; allowed: {instead}{quoted(function, line)}"


# --- what may be wrong ----------------------------------------------------------------------


def _verdict(scene: Scene, error: Exception) -> Verdict:
    for look in _LOOKS:
        found = look(scene, error)
        if found is not None:
            return found
    return f"cannot be compiled: {_reason(scene.story) or repr(error)}", _ANYTHING_ELSE


def _reason(story: str) -> str:
    """The compiler's own first words."""
    lines = [line.strip() for line in story.splitlines()]
    skipped = ("Failed in nopython", "During:", "File ", "- Resolution", "There are", ">>>")
    reason = next((line for line in lines if line and not line.startswith(skipped)), "")
    if reason.endswith("signature:"):
        reason += next((line[3:] for line in lines if line.startswith(">>>")), "")
    return one_line(reason)


def _for_debugging(scene: Scene, error: Exception) -> Verdict | None:
    """What compiled code can print, numba knows in a form of its own."""
    if "Numba's print() function" in scene.story:
        return "uses print", PLAIN_INSTEAD["print"]
    return None


def _wrapped(scene: Scene, error: Exception) -> Verdict | None:
    """A function that another decorator made of the user's."""
    if not hasattr(scene.function, "__wrapped__"):
        return None
    return "is wrapped by another decorator", "@paxsim.policy right above def; or compiled=False"


def _read_only(scene: Scene, error: Exception) -> Verdict | None:
    if "setitem(readonly " in scene.story:
        return "writes to what it may only read", "me.memory alone"
    return None


def _missing_field(scene: Scene, error: Exception) -> Verdict | None:
    """A record has no such field; the compiler knows it as a missing key."""
    if not isinstance(error, KeyError):
        return None
    name = str(error.args[0])
    owner = next((ast.unparse(n.value) for n in scene.nodes(ast.Attribute) if n.attr == name), "")
    if not owner and (found := _record_for_another(scene)):
        return found
    what = f"{owner}.{name}: there is no such field" if owner else f"there is no field {name}"
    return f"{what}{suggestion(name, _FIELDS)}", "the fields that docs/policies.md lists"


def _record_for_another(scene: Scene) -> Verdict | None:
    """A helper that is handed something else where it wants a record."""
    for name, parameter, given in _handed_over(scene):
        if parameter in RECORDS and given != parameter:
            return f"hands {given} to {name} as {parameter}", f"{parameter} as {parameter}"
    return None


def _handed_over(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Arguments in calls of functions: the function, its parameter, and what it gets."""
    for call in scene.nodes(ast.Call):
        function = scene.value_of(call.func)
        function = getattr(function, "py_func", function)
        if not inspect.isfunction(function):
            continue
        for parameter, part in zip(inspect.signature(function).parameters, call.args, strict=False):
            yield ast.unparse(call.func), parameter, ast.unparse(part)


def _missing_name(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"NameError: name '(\w+)'", scene.story)
    if found is None:
        return None
    from paxsim import helpers  # it is compiled code, like what is explained here

    name = found[1]
    if hasattr(helpers, name):
        return f"{name} is not imported", f"from paxsim.helpers import {name}"
    known = [*scene.function.__globals__, *scene.function.__code__.co_varnames, *vars(helpers)]
    close = suggestion(
        name, [other for other in known if not other.startswith("_") and other != name]
    )
    return f"the name {name} means nothing{close}", "names that are defined or imported"


def _from_outside(scene: Scene, error: Exception) -> Verdict | None:
    """A name that stands for something which can't be compiled in."""
    found = re.search(r"Untyped (?:global name|.*?freevar) '(\w+)'", scene.story)
    if found is None:
        return None
    name = found[1]
    value = scene.value_of(ast.Name(name))
    if inspect.isfunction(value):
        return (
            f"{name} is a plain Python function",
            f"the same with @paxsim.helper above def {name}",
        )
    if inspect.isbuiltin(value) or getattr(builtins, name, None) is value:
        return f"uses {name}", PLAIN_INSTEAD.get(name, _USUAL)
    for kind, (what, instead) in _OUTSIDE:
        if isinstance(value, kind):
            return f"{name} is {what}", instead
    return f"{name} is {type(value).__name__}, from outside the function", "numbers and tuples"


def _wrong_arguments(scene: Scene, error: Exception) -> Verdict | None:
    """A call with too few or too many arguments."""
    for call in scene.nodes(ast.Call):
        function = scene.value_of(call.func)
        function = getattr(function, "py_func", function)
        if not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        name = ast.unparse(call.func)
        if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
            return f"{name} takes * or ** arguments", "arguments that have names"
        try:
            signature.bind(*call.args, **{word.arg: 0 for word in call.keywords if word.arg})
        except TypeError as mistake:
            plain = f"{name}({', '.join(signature.parameters)})"
            return f"calls {ast.unparse(call)}: {mistake}", plain
    return None


def _record_as_number(scene: Scene, error: Exception) -> Verdict | None:
    """A whole record where a number is wanted: compared, added, handed to a function."""
    if not re.search("No implementation of function|Invalid use of getiter", scene.story):
        return None
    records = scene.records()
    for node in scene.nodes(ast.Compare, ast.BinOp, ast.UnaryOp, ast.BoolOp):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.Name) and part.id in records:
                what = f"takes the record {part.id} for a number in {ast.unparse(node)}"
                return what, f"one of its fields, such as {_SOME_FIELD[part.id]}"
    for node in scene.nodes(ast.For):
        if isinstance(node.iter, ast.Name) and node.iter.id in records:
            what = f"takes the record {node.iter.id} for a list in for ... in {node.iter.id}"
            return what, f"one of its fields, such as {_SOME_LIST[node.iter.id]}"
    for name, parameter, given in _handed_over(scene):
        if parameter not in RECORDS and given in records:
            return f"hands {given} to {name} as {parameter}", f"a number as {parameter}"
    return None


def _called_number(scene: Scene, error: Exception) -> Verdict | None:
    """Brackets behind a number, as if it were a function."""
    kinds = r"u?int|float|bool|readonly|nestedarray|Literal"
    if not re.search(f"Invalid use of ({kinds})", scene.story):
        return None
    for call in scene.nodes(ast.Call):
        if not callable(scene.value_of(call.func)):
            name = ast.unparse(call.func)
            return f"calls {name}, which is no function", f"{name}, without ()"
    return None


_SOME_FIELD = {
    "table": "table.round",
    "me": "me.money",
    "choice": "choice.count",
    "rules": "rules.rome_needs",
}
_SOME_LIST = {
    "table": "table.money",
    "me": "me.hand",
    "choice": "choice.options",
    "rules": "rules.draft_sizes",
}


def _with_a_key(scene: Scene, error: Exception) -> Verdict | None:
    for call in scene.nodes(ast.Call):
        if any(word.arg == "key" for word in call.keywords):
            return f"uses {ast.unparse(call.func)} with a key", "a loop that keeps the best so far"
    return None


def _construct(scene: Scene, error: Exception) -> Verdict | None:
    for node in (*scene.nodes(*_CONSTRUCTS), *scene.around(ast.Try, ast.With)):
        return _CONSTRUCTS[type(node)]
    if "STORE_GLOBAL" in scene.story:  # said where the name was, and not here
        return _CONSTRUCTS[ast.Global]
    return None


def construct_at(function: Callable, line: int) -> Verdict | None:
    """What stands on a line that is Python, but can't be compiled here."""
    return _construct(Scene(function, line, "", tree_of(function)), Exception())


def _of_a_module(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", scene.story)
    if found is None:
        return None
    return f"uses {found[2]}.{found[1]}", "numbers and arrays; math, numpy and paxsim.helpers"


def _not_in_module(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"module '([\w.]+)' has no attribute '(\w+)'", scene.story)
    if found is None:
        return None
    module, name = found.groups()
    known = [other for other in dir(sys.modules.get(module)) if not other.startswith("_")]
    return f"{module} has no {name}{suggestion(name, known)}", f"what {module} has"


def _of_a_number(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"Unknown attribute '(\w+)' of type ([\w\[\]]+)", scene.story)
    if found is None:
        return None
    if all(node.attr != found[1] for node in scene.nodes(ast.Attribute)):
        if wrong := _record_for_another(scene):
            return wrong
    return f"{in_words(found[2])} has no {found[1]}", _ANYTHING_ELSE


def _untyped_list(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(
        r"Cannot infer the type of variable '(\w+)'.*(list|set)\(undefined\)", scene.story
    )
    if found is None:
        return None
    if found[2] == "set":
        return _CONSTRUCTS[ast.Set]
    return f"nothing is ever put into the list {found[1]}", "a list that numbers are put into"


def _seen_from_inside(scene: Scene, error: Exception) -> Verdict | None:
    """A name that is given a value here, and read before as if it were that of outside."""
    found = re.search(r"Variable '(\w+)' is not defined", scene.story)
    if found is None:
        return None
    name = found[1]
    if name not in scene.function.__globals__:
        return f"{name} may have no value here", "a value on every way to this line"
    return (
        f"{name} gets a value in this function, so that the one outside is not seen",
        "another name here; me.memory for notes to oneself",
    )


def _not_to_unpack(scene: Scene, error: Exception) -> Verdict | None:
    found = re.search(r"failed to unpack ([\w\[\]]+)", scene.story)
    if found is None:
        return None
    return f"{in_words(found[1])} has no parts", "as many values as there are names"


def _text_among_numbers(scene: Scene, error: Exception) -> Verdict | None:
    if "Literal[str]" not in scene.story and "unicode_type" not in scene.story:
        return None
    return "mixes a text with numbers", "numbers"


def _different_kinds(scene: Scene, error: Exception) -> Verdict | None:
    """A name that gets values which nothing can hold together."""
    found = re.search(r"Cannot unify (.+?) and (.+?) for '([\w$]+)", scene.story)
    if found is None:
        return None
    one, other = (in_words(kind) for kind in found.groups()[:2])
    name = "a value" if found[3].startswith("$") else found[3]  # the compiler's own names
    return f"{name} is {one} here and {other} there", "one kind for every name"


#: Looked at in this order: the surest first.
_LOOKS: tuple[Callable[[Scene, Exception], Verdict | None], ...] = (
    _wrapped,
    _read_only,
    _missing_field,
    _for_debugging,
    _missing_name,
    _from_outside,
    _of_a_module,
    _not_in_module,
    _wrong_arguments,
    _with_a_key,
    _construct,
    _record_as_number,
    _called_number,
    _of_a_number,
    _untyped_list,
    tuple_of_kinds,
    index_with_fraction,
    _text_among_numbers,
    _different_kinds,
    _seen_from_inside,
    _not_to_unpack,
    function_as_value,
    unfit_index,
    unfit_arguments,
)
