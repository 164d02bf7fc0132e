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
from paxsim.engine.records import choice_dtype, seat_dtype, table_dtype
from paxsim.errors import PaxsimError, one_line, suggestion, unknown
from paxsim.policies.files import is_library, is_shared, names_in, user_functions
from paxsim.policies.readonly import TYPES

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
    if not is_cell(file):
        return f"line {line} of {Path(file).name}"
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    cell = f"the cell In[{numbers[file]}]" if file in numbers else "the cell"
    return f"line {line} of {cell}"


def quote(file: str, line: int) -> str:
    """Return ``"; the line: return 0"``, or nothing where there is no source to show."""
    text = textwrap.shorten(one_line(linecache.getline(file, line)), _QUOTED, placeholder=" ...")
    return f"; the line: {text}" if text else ""


def at_line(function: Callable, line: int, what: str) -> str:
    """Return a message with the place of a line before it, and the line behind it."""
    file = function.__code__.co_filename
    return f"{place_in(file, line)}: {what}{quote(file, line)}" if line else what


def tree_of(function: Callable) -> ast.AST:
    """Return the source of a function with its lines in the file; nothing if it has none."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # typed into a prompt, or a lambda
        return ast.Module([], [])
    return ast.increment_lineno(tree, first - 1)


# --- when a policy is defined ---------------------------------------------------------------

#: The records, in the order of a policy's arguments.
_RECORDS = {"table": table_dtype, "me": seat_dtype, "choice": choice_dtype}
_ONLY_MEMORY = "a policy may only write the numbers of me.memory, such as me.memory[0] = 1"


def check_source(function: FunctionType) -> None:
    """Check a policy for fields that do not exist, assignments to fields and endless loops."""
    if function.__name__ == "<lambda>":
        raise PaxsimError("policy: must be a function that begins with def, got a lambda")
    names = list(inspect.signature(function).parameters)[: len(_RECORDS)]
    records = dict(zip(names, _RECORDS.values(), strict=False))
    for line, what in _misuses(tree_of(function), records):
        raise PaxsimError(f"policy {function.__name__}: {at_line(function, line, what)}")


def _misuses(tree: ast.AST, records: dict[str, np.dtype]) -> Iterator[tuple[int, str]]:
    """Yield lines with fields that do not exist, writes to fields and endless loops."""
    fields = {name: tuple(dtype.names or ()) for name, dtype in records.items()}
    for name, dtype in records.items():
        if "rules" in fields[name]:
            fields[f"{name}.rules"] = tuple(dtype["rules"].names or ())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (owner := ast.unparse(node.value)) in fields:
            if node.attr not in fields[owner]:
                yield node.lineno, str(unknown(f"{owner} field", node.attr, fields[owner]))
            elif not isinstance(node.ctx, ast.Load):
                yield node.lineno, f"assigns to {owner}.{node.attr}; {_ONLY_MEMORY}"
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            owner, _, field = ast.unparse(node.value).rpartition(".")
            if owner in fields and field == "stream":
                yield node.lineno, f"writes to {owner}.stream; {_ONLY_MEMORY}"
        elif isinstance(node, ast.While) and ast.unparse(node.test) in ("True", "1"):
            if not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in ast.walk(node)):
                yield node.lineno, "this loop never ends; it needs a break or return"


# --- before a policy is compiled ------------------------------------------------------------

_PLAIN = "@paxsim.policy(compiled=False)"
_DEBUG = f"; use {_PLAIN} or paxsim.play(..., compiled=False) to look into a policy"
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
    ast.NamedExpr: "uses :=; assign on a line of its own",
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
    """Check a policy, and the user's functions that it calls, for what can't be compiled."""
    policy = function.__name__
    for each in user_functions(function):
        if hasattr(each, "__wrapped__"):
            what = f"another decorator wraps {each.__name__}, which can't be compiled; try {_PLAIN}"
            raise PaxsimError(f"policy {policy}: {what}")
        tree = tree_of(each)
        names = inspect.signature(each).parameters
        records = {name: dtype for name, dtype in _RECORDS.items() if name in names}
        misuses = _misuses(tree, records) if each is not function else ()
        for line, what in (*misuses, *_uncompilable(each, tree)):
            raise PaxsimError(f"policy {policy}: {at_line(each, line, what)}")


def _uncompilable(function: FunctionType, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield lines that can't be compiled, with what is wrong."""
    outside = inspect.getclosurevars(function).nonlocals
    scope = {**vars(builtins), **function.__globals__, **outside}
    used = names_in(function.__code__)  # others stand in lines that are never reached
    for definition in (d for d in ast.iter_child_nodes(tree) if isinstance(d, ast.FunctionDef)):
        nodes = [node for statement in definition.body for node in ast.walk(statement)]
        local = {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                local.add(node.id)
            elif isinstance(node, ast.FunctionDef):
                local.add(node.name)
        values = {name: value for name, value in scope.items() if name not in local}
        if definition.args.kwarg:
            yield definition.lineno, f"takes **{definition.args.kwarg.arg}; name the arguments"
        for node in nodes:
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
                if node.id in used:
                    yield line, _undefined(node.id, {*local, *scope})
            elif isinstance(node, (ast.Name, ast.Attribute)):
                if what := _unfit(node, values, function):
                    yield line, what


def _undefined(name: str, names: set[str]) -> str:
    if name in helpers.__all__:
        return f"{name} is not imported; write: from paxsim.helpers import {name}"
    visible = [other for other in [*names, *helpers.__all__] if not other.startswith("_")]
    return f"the name {name} is not defined{suggestion(name, visible)}"


def _value_of(node: ast.AST, values: dict[str, Any]) -> Any:
    """Return what a name, or an attribute of a module, stands for outside the function."""
    if isinstance(node, ast.Name):
        return values.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _value_of(node.value, values)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def _unfit(node: ast.Name | ast.Attribute, values: dict[str, Any], function: FunctionType) -> str:
    """Return why a compiled policy can't use a value from outside; empty if it may."""
    value, name = _value_of(node, values), ast.unparse(node)
    if isinstance(node, ast.Attribute):
        module = _value_of(node.value, values)
        if isinstance(module, ModuleType) and not hasattr(module, node.attr):
            return f"{module.__name__} has no {node.attr}{suggestion(node.attr, dir(module))}"
    owner = getattr(value, "__self__", None)
    if isinstance(owner, (random.Random, np.random.RandomState)):
        value = owner
    if isinstance(value, ModuleType):
        homes = [value.__name__]
    else:
        homes = [str(getattr(value, "__module__", "")), type(value).__module__]
    for home, instead in _UNREPEATABLE.items():
        if any(f"{each}.".startswith(f"{home}.") for each in homes):
            return f"uses {name}{instead}"
    if hasattr(type(value), "fingerprint"):
        return f"calls the policy {name}; put what they share into a function with @paxsim.helper"
    if isinstance(value, (dict, list, set)):
        return f"{name} is a {type(value).__name__} from outside the function{_ARRAY}"
    if isinstance(value, FunctionType) and not is_library(value.__module__):
        if f"{value.__module__}.".startswith("paxsim."):
            return f"{name} is not for use inside a policy; see paxsim.helpers"
        return f"{name} is a plain Python function; put @paxsim.helper above its def"
    inner = getattr(value, "py_func", None)
    if inner and not is_shared(inner.__module__) and function in user_functions(inner):
        return f"{function.__name__} calls itself; use a loop"
    try:
        return f"uses {name}{_FUNCTIONS[value]}" if value in _FUNCTIONS else ""
    except TypeError:  # not hashable
        return ""


# --- after the compiler has refused it ------------------------------------------------------

#: The compiler writes in colours where colorama is installed.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
#: Longest sentence of the compiler that is quoted.
_SENTENCE = 250
#: How the compiler names functions, modules and constants, and the part that is worth reading.
_VERBOSE = (
    (r"type\(CPUDispatcher\(<function (\w+)[^>]*>\)\)", r"\1"),
    (r"Function\(<(?:built-in function |function |class ')(\w+)[^>]*>\)", r"\1"),
    (r"Module\(<module '([\w.]+)'.*?>\)", r"module \1"),
    (r"Literal\[\w+\]\((.*?)\)", r"\1"),
    (r"(?: Raised from|, defined at|, location:) \S+ \(\d+\)", ""),
)


def explain(error: Exception, function: FunctionType) -> str:
    """Return one line about an error of the compiler in a policy or in what it calls."""
    text = _COLOURS.sub("", str(error))
    culprit, line = _place_of(error, text, user_functions(function))
    if _writes_to_record(error, text, tree_of(culprit), line):
        what = f"writes to a record; {_ONLY_MEMORY}"
    elif isinstance(error, KeyError):
        what = f"uses a record without the field {error.args[0]}; is it the right one?"
    else:
        reason = _first_sentence(text) or repr(error)
        what = f"numba can't compile it: {reason}; if there is no other way, try {_PLAIN}"
    return at_line(culprit, line, what)


def _writes_to_record(error: Exception, text: str, tree: ast.AST, line: int) -> bool:
    """Return whether a store to something read-only is what the compiler stumbled over."""
    if isinstance(error, (AttributeError, AssertionError)):  # numba has no words for these
        nodes = [node for node in ast.walk(tree) if getattr(node, "lineno", 0) == line]
        return any(isinstance(node, (ast.AugAssign, ast.Assign)) for node in nodes)
    return "readonly " in text and re.search("setitem|readonly field|read-only", text) is not None


def explain_answer(kind: Any, function: FunctionType) -> str:
    """Return one line about a policy that does not return an integer."""
    nodes = list(ast.walk(tree_of(function)))
    lines = [node.lineno for node in nodes if isinstance(node, ast.Return)]
    what = f"must return an integer, the index of an option, got {kind}"
    if isinstance(kind, (types.Float, types.Boolean)):
        what += "; use int(...)"
    elif isinstance(kind, (types.Optional, types.NoneType)):
        what = "can end without returning the index of an option"
        lines = [node.lineno for node in nodes if isinstance(node, ast.FunctionDef)][:1]
    return at_line(function, lines[0] if len(lines) == 1 else 0, what)


def _place_of(
    error: Exception, text: str, functions: list[FunctionType]
) -> tuple[FunctionType, int]:
    """Return the user's function and the line that the compiler stopped at; 0 if not known."""
    places = [
        (file, int(line))
        for pattern in (r" (?:at|from) (.+?) \((\d+)\)", r'File "(.+?)", line (\d+)')
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
    """Return the compiler's own first words about what is wrong, with short names."""
    skipped = ("Failed in nopython", "During:", "File ", "- Resolution", "There are", ">>>")
    lines = [line.strip() for line in text.splitlines()]
    reason = next((line for line in lines if line and not line.startswith(skipped)), "")
    if reason.endswith("signature:"):
        reason += next((line[3:] for line in lines if line.startswith(">>>")), "")
    for name, kind in TYPES.items():
        reason = reason.replace(str(kind), name).replace(repr(kind), name)
    for pattern, short in _VERBOSE:
        reason = re.sub(pattern, short, reason)
    return textwrap.shorten(one_line(reason), _SENTENCE, placeholder=" ...")
