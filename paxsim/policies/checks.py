"""Checks of a policy's source before it is compiled, and one line for what numba then refuses."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import random
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import types
from numba.core.ir import Loc

from paxsim import helpers
from paxsim.engine.records import choice_dtype, rules_dtype, seat_dtype, table_dtype
from paxsim.errors import PaxsimError, one_line, suggestion, unknown
from paxsim.policies.files import is_library, references, user_functions
from paxsim.policies.readonly import ReadOnlyChoice, ReadOnlySeat, ReadOnlyTable

# --- places in files ------------------------------------------------------------------------

#: Longer lines are cut when they are quoted.
_QUOTED = 70
#: What notebooks call the file of a cell, which is nowhere.
_CELL = re.compile(r"ipykernel_\d+[/\\]\d+\.py$|^<ipython-input-")


def is_cell(file: str) -> bool:
    """Return whether a file is a cell of a notebook."""
    return _CELL.search(file) is not None


def place_in(file: str, line: int) -> str:
    """Return ``"line 12 of mine.py"`` or ``"line 3 of the cell In[28]"``."""
    return f"line {line} of {_cell_name(file) if is_cell(file) else Path(file).name}"


def _cell_name(file: str) -> str:
    """Return a cell's name with its number, where IPython knows it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"the cell In[{numbers[file]}]" if file in numbers else "the cell"


def place(function: Callable, line: int) -> str:
    """Return the place of a line in a function's file."""
    return place_in(function.__code__.co_filename, line)


def quoted(function: Callable, line: int) -> str:
    """Return ``"; the line: return 0"``, or nothing where there is no source to show."""
    return quoted_from(function.__code__.co_filename, line)


def quoted_from(file: str, line: int) -> str:
    """Return the same for a line of a file."""
    text = linecache.getline(file, line).strip() if line else ""
    text = textwrap.shorten(one_line(text), _QUOTED, placeholder=" ...")
    return f"; the line: {text}" if text else ""


def tree_of(function: Callable) -> ast.AST:
    """Return the source of a function with its lines in the file; nothing if it has none."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # typed into a prompt, or a lambda
        return ast.Module([], [])
    return ast.increment_lineno(tree, first - 1)


def _mistake(policy: str, function: Callable, line: int, what: str) -> PaxsimError:
    where = f"{place(function, line)}: " if line else ""
    return PaxsimError(f"policy {policy}: {where}{what}{quoted(function, line)}")


# --- when a policy is defined ---------------------------------------------------------------

#: The records, in the order of a policy's arguments.
_RECORDS = {"table": table_dtype, "me": seat_dtype, "choice": choice_dtype}
_ONLY_MEMORY = "a policy may only write the numbers of me.memory, such as me.memory[0] = 1"


def check_source(function: FunctionType) -> None:
    """Check a policy for fields that do not exist, assignments to fields and endless loops.

    Raises
    ------
    PaxsimError
        One line that names the policy and the line in its file.
    """
    if function.__name__ == "<lambda>":
        raise PaxsimError("policy: must be a function that begins with def, got a lambda")
    names = list(inspect.signature(function).parameters)[: len(_RECORDS)]
    _check_fields(function.__name__, function, dict(zip(names, _RECORDS.values(), strict=False)))
    for node in ast.walk(tree_of(function)):
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            if not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in ast.walk(node)):
                what = "this loop never ends; it needs a break or return"
                raise _mistake(function.__name__, function, node.lineno, what)


def _check_fields(policy: str, function: Callable, records: dict[str, np.dtype]) -> None:
    """Check that every ``table.x`` exists, and that none is assigned to."""
    fields = {name: tuple(dtype.names or ()) for name, dtype in records.items()}
    for name, dtype in records.items():
        if "rules" in fields[name]:
            fields[f"{name}.rules"] = tuple(dtype["rules"].names or ())
    for node in ast.walk(tree_of(function)):
        if isinstance(node, ast.Attribute) and (owner := ast.unparse(node.value)) in fields:
            if node.attr not in fields[owner]:
                where = f"policy {policy}: {place(function, node.lineno)}: {owner} field"
                error = unknown(where, node.attr, fields[owner])
                raise PaxsimError(f"{error}{quoted(function, node.lineno)}")
            if not isinstance(node.ctx, ast.Load):
                what = f"assigns to {owner}.{node.attr}; {_ONLY_MEMORY}"
                raise _mistake(policy, function, node.lineno, what)


# --- before a policy is compiled ------------------------------------------------------------

_PLAIN = "@paxsim.policy(compiled=False)"
_DEBUG = f"; use {_PLAIN} or `paxsim check --interpreted` to look into a policy"
_ARRAY = "; use an array or a tuple, with numbers as indices"
_DICE = "; use paxsim.helpers.random_below(me, n), so that games can be repeated"

#: Python that does not belong into a compiled policy, and what to use in its place.
_CONSTRUCTS: dict[type[ast.AST], str] = {
    ast.AsyncFunctionDef: "uses async",
    ast.Await: "uses await",
    ast.ClassDef: "defines a class",
    ast.Delete: "uses del",
    ast.Dict: f"uses a dictionary{_ARRAY}",
    ast.DictComp: f"uses a dictionary{_ARRAY}",
    ast.GeneratorExp: "uses a generator expression; use a loop",
    ast.Global: "changes a global variable; use me.memory for notes",
    ast.Import: "imports a module; import it at the top of the file",
    ast.ImportFrom: "imports a module; import it at the top of the file",
    ast.JoinedStr: f"uses an f-string{_DEBUG}",
    ast.Lambda: "uses lambda; use a loop that keeps the best so far",
    ast.Nonlocal: "changes a variable of the function around it; use me.memory for notes",
    ast.Set: f"uses a set{_ARRAY}",
    ast.SetComp: f"uses a set{_ARRAY}",
    ast.Try: "uses try; check with if before",
    ast.With: "uses with",
    ast.Yield: "uses yield; return the index of the chosen option",
    ast.YieldFrom: "uses yield; return the index of the chosen option",
}
#: Functions that would make games unrepeatable, write to records, or need Python.
_FUNCTIONS: dict[Any, str] = {
    **dict.fromkeys((print, breakpoint), _DEBUG),
    **dict.fromkeys((dict, set, frozenset), _ARRAY),
    **dict.fromkeys((open, input, exec, eval, globals, locals, vars, hash, id), ""),
    np.empty: "; use numpy.zeros",
    np.empty_like: "; use numpy.zeros_like",
    np.fill_diagonal: "; use a loop",
    np.nan_to_num: "; use a loop",
    np.dot: "; use a loop, as the last bits of a product depend on the machine",
    np.matmul: "; use a loop, as the last bits of a product depend on the machine",
}
#: Modules whose numbers differ from run to run.
_UNREPEATABLE = {
    "numpy.random": _DICE,
    "random": _DICE,
    "secrets": _DICE,
    "time": "; use only what the records tell, so that games can be repeated",
    "datetime": "; use only what the records tell, so that games can be repeated",
}


def check_compilable(function: FunctionType) -> None:
    """Check a policy, and the user's functions that it calls, for what can't be compiled.

    Raises
    ------
    PaxsimError
        One line that names the policy, the line in its file, and what to use instead.
    """
    policy = function.__name__
    for each in user_functions(function):
        tree = tree_of(each)
        if each is not function:
            names = inspect.signature(each).parameters
            _check_fields(policy, each, {n: _RECORDS[n] for n in names if n in _RECORDS})
        for line, what in _uncompilable(each, tree):
            raise _mistake(policy, each, line, what)
        if not _returns(tree, each is function):
            what = f"{each.__name__} can end without returning a value"
            raise _mistake(policy, each, _first_line(tree), what)
        if _calls_itself(each):
            what = f"{each.__name__} calls itself; use a loop"
            raise _mistake(policy, each, _first_line(tree), what)


def _first_line(tree: ast.AST) -> int:
    return next((node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), 0)


def _uncompilable(function: FunctionType, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield lines that can't be compiled, with what is wrong."""
    scope = _names_outside(function)
    local = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            local.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            local.add(node.name)
    bodies = [d.body for d in ast.iter_child_nodes(tree) if isinstance(d, ast.FunctionDef)]
    for statement in (statement for body in bodies for statement in body):
        for node in ast.walk(statement):
            line = getattr(node, "lineno", 0)
            if type(node) in _CONSTRUCTS:
                yield line, _CONSTRUCTS[type(node)]
            elif isinstance(node, ast.Attribute) and node.attr == "flat":
                yield line, "uses .flat; use indices"
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                yield line, f"uses @{_FUNCTIONS[np.matmul]}"
            elif isinstance(node, ast.keyword) and node.arg == "key":
                yield node.value.lineno, "uses key=; use a loop that keeps the best so far"
            elif isinstance(node, ast.Name) and node.id not in local and node.id not in scope:
                yield line, _undefined(node.id, {*local, *scope})
            elif isinstance(node, (ast.Name, ast.Attribute)):
                what = _unfit(_value_of(node, scope, local), ast.unparse(node))
                if what:
                    yield line, what


def _names_outside(function: FunctionType) -> dict[str, Any]:
    """Return the values of the names that a function can see outside itself."""
    outside = inspect.getclosurevars(function)
    return {**vars(builtins), **function.__globals__, **outside.nonlocals}


def _value_of(node: ast.AST, scope: dict[str, Any], local: set[str]) -> Any:
    """Return what a name, or an attribute of a module, stands for outside the function."""
    if isinstance(node, ast.Name) and node.id not in local:
        return scope.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _value_of(node.value, scope, local)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def _undefined(name: str, names: set[str]) -> str:
    if name in helpers.__all__:
        return f"{name} is not imported; write: from paxsim.helpers import {name}"
    visible = [other for other in [*names, *helpers.__all__] if not other.startswith("_")]
    return f"the name {name} is not defined{suggestion(name, visible)}"


def _unfit(value: Any, name: str) -> str:
    """Return why a compiled policy can't use a value from outside; empty if it may."""
    owner = getattr(value, "__self__", None)
    if isinstance(owner, (random.Random, np.random.RandomState)):
        value = owner
    if isinstance(value, ModuleType):
        homes = [value.__name__]
    else:
        homes = [str(getattr(value, "__module__", "")), type(value).__module__]
    for module, instead in _UNREPEATABLE.items():
        if any(f"{home}.".startswith(f"{module}.") for home in homes):
            return f"uses {name}{instead}"
    if isinstance(value, (dict, list, set)):
        return f"{name} is a {type(value).__name__} from outside the function{_ARRAY}"
    if isinstance(value, FunctionType) and not is_library(value.__module__):
        if f"{value.__module__}.".startswith("paxsim."):
            return f"{name} is not for use inside a policy; see paxsim.helpers"
        return f"{name} is a plain Python function; put @paxsim.helper above its def"
    try:
        return f"uses {name}{_FUNCTIONS[value]}" if value in _FUNCTIONS else ""
    except TypeError:  # not hashable
        return ""


def _returns(tree: ast.AST, needed: bool) -> bool:
    """Return whether a function always ends with a value; a helper may also never do."""
    functions = [node for node in ast.iter_child_nodes(tree) if isinstance(node, ast.FunctionDef)]
    if not functions:
        return True
    own = [*_statements(functions[0].body)]
    values = [n.value for n in own if isinstance(n, ast.Return)]
    empty = [v for v in values if v is None or (isinstance(v, ast.Constant) and v.value is None)]
    if not needed and len(empty) == len(values):
        return True
    return not empty and _always_ends(functions[0].body)


def _statements(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements of a function, without those of functions in it."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef):
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            yield from _statements(inner)


def _always_ends(body: list[ast.stmt]) -> bool:
    """Return whether statements always lead to a return, an exception or an endless loop."""
    for node in body:
        if isinstance(node, (ast.Return, ast.Raise)):
            return True
        if isinstance(node, ast.If) and _always_ends(node.body) and _always_ends(node.orelse):
            return True
        if isinstance(node, (ast.For, ast.While)) and _always_ends(node.orelse):
            return True
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            return not any(isinstance(inner, ast.Break) for inner in ast.walk(node))
    return False


def _calls_itself(function: FunctionType) -> bool:
    """Return whether a function calls itself, perhaps through others."""
    called = [getattr(value, "py_func", value) for _, value in references(function)]
    own = [each for each in called if each in user_functions(function)]
    return any(function in user_functions(each) for each in own)


# --- after the compiler has refused it ------------------------------------------------------

#: The compiler writes in colours where colorama is installed.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TRY_PLAIN = f"; if there is no other way, try {_PLAIN}"


def explain(error: Exception, function: FunctionType) -> str:
    """Return one line about an error of the compiler in a policy or in what it calls."""
    text = _COLOURS.sub("", str(error))
    culprit, line = _place_of(error, text, user_functions(function))
    if _writes_to_record(error, text, tree_of(culprit), line):
        what = f"writes to a record; {_ONLY_MEMORY}"
    elif isinstance(error, KeyError):
        name, names = str(error.args[0]), [n for d in _RECORDS.values() for n in d.names or ()]
        what = f"there is no field {name}{suggestion(name, [*names, *(rules_dtype.names or ())])}"
    else:
        what = f"numba can't compile it: {_first_sentence(text) or repr(error)}{_TRY_PLAIN}"
    where = f"{place(culprit, line)}: " if line else ""
    return f"{where}{what}{quoted(culprit, line)}"


def _writes_to_record(error: Exception, text: str, tree: ast.AST, line: int) -> bool:
    """Return whether a store to something read-only is what the compiler stumbled over."""
    if isinstance(error, (AttributeError, AssertionError)):  # numba has no words for these
        nodes = [node for node in ast.walk(tree) if getattr(node, "lineno", 0) == line]
        return any(isinstance(node, (ast.AugAssign, ast.Assign)) for node in nodes)
    return "readonly " in text and re.search("setitem|readonly field|read-only", text) is not None


def explain_answer(kind: Any, function: FunctionType) -> str:
    """Return one line about a policy that does not return an integer."""
    lines = [node.lineno for node in ast.walk(tree_of(function)) if isinstance(node, ast.Return)]
    line = lines[0] if len(lines) == 1 else 0
    where = f"{place(function, line)}: " if line else ""
    hint = "; use int(...)" if isinstance(kind, types.Float) else ""
    kind = "a number with a fraction" if hint else kind
    return f"{where}must return an integer, the index of an option, got {kind}{hint}" + quoted(
        function, line
    )


def _place_of(
    error: Exception, text: str, functions: list[FunctionType]
) -> tuple[FunctionType, int]:
    """Return the user's function and the line that the compiler stopped at; 0 if not known."""
    places = [
        (file, int(line))
        for pattern in (r'File "(.+?)", line (\d+)', r"Raised from (.+?) \((\d+)\)")
        for file, line in re.findall(pattern, text)
    ]
    traceback = error.__traceback__
    working_at: list[tuple[str, int]] = []
    while traceback is not None:  # where the compiler itself was, if it says nothing
        loc = getattr(traceback.tb_frame.f_locals.get("self"), "loc", None)
        if isinstance(loc, Loc):
            working_at.insert(0, (loc.filename, loc.line))
        traceback = traceback.tb_next
    for file, line in [*places, *working_at]:
        for function in functions:
            nodes = [n for n in ast.walk(tree_of(function)) if isinstance(n, ast.FunctionDef)]
            same = Path(function.__code__.co_filename).name == Path(file).name
            # The line of the definition stands for whatever has no line of its own.
            if same and nodes and nodes[0].lineno < line <= (nodes[0].end_lineno or 0):
                return function, line
    return functions[0], 0


def _first_sentence(text: str) -> str:
    """Return the compiler's own first words about what is wrong."""
    skipped = ("Failed in nopython", "During:", "File ", "- Resolution", "There are", ">>>")
    lines = [line.strip() for line in text.splitlines()]
    reason = next((line for line in lines if line and not line.startswith(skipped)), "")
    if reason.endswith("signature:"):
        reason += next((line[3:] for line in lines if line.startswith(">>>")), "")
    return one_line(_short_names(reason))


def _short_names(text: str) -> str:
    """Return a text of the compiler's with the records named as in policies."""
    for name, kind in (("table", ReadOnlyTable), ("me", ReadOnlySeat), ("choice", ReadOnlyChoice)):
        text = text.replace(str(kind), name)
    return text
