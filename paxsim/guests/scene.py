"""Where the compiler stopped in a guest: the function, the line, and the source around it.

The compiler tells its own story, in types and candidates; the place is found in that story, or in
what it was working at.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core.ir import Loc

from paxsim.engine.records import choice_dtype, rules_dtype, seat_dtype, table_dtype

#: The compiler tells its story in colours where colorama happens to be installed.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
#: What is wrong, and what is allowed instead.
Verdict = tuple[str, str]
RECORDS = {"table": table_dtype, "me": seat_dtype, "choice": choice_dtype, "rules": rules_dtype}


@dataclass(frozen=True)
class Scene:
    """Where the compiler stopped.

    Attributes
    ----------
    function : callable
        The function that it was at.
    line : int
        The line of its file; 0 if that is not known.
    story : str
        What the compiler says.
    tree : ast.AST
        The function's source.
    """

    function: Callable
    line: int
    story: str
    tree: ast.AST

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[Any]:
        """Parts of the source that begin on the line; of all lines if it is not known."""
        for node in ast.walk(self.tree):
            if isinstance(node, kinds) and self.line in (0, getattr(node, "lineno", 0)):
                yield node

    def around(self, *kinds: type[ast.AST]) -> Iterator[Any]:
        """Parts of the source that the line lies within."""
        for node in ast.walk(self.tree):
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
            if isinstance(node, kinds) and first <= self.line <= last:
                yield node

    def value_of(self, node: ast.AST) -> Any:
        """What a name, or an attribute of a module, stands for outside the function, or None."""
        if isinstance(node, ast.Name):
            found = inspect.getclosurevars(self.function)
            for names in (found.nonlocals, self.function.__globals__, vars(builtins)):
                if node.id in names:
                    return names[node.id]
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr, None)
        return None

    def records(self) -> set[str]:
        """Names of the function's arguments that are records."""
        names = inspect.signature(self.function).parameters
        return {name for name in names if name in RECORDS}


def scene_of(
    error: Exception, functions: list[Callable], impossible: tuple[type[ast.AST], ...]
) -> Scene:
    """The innermost place in a function of the user's that the compiler speaks of.

    Parameters
    ----------
    error : Exception
        What it raised.
    functions : list of callable
        The functions of the user that it was compiling.
    impossible : tuple of types
        Parts of a source that can't be compiled: the place, if the compiler speaks of none.
    """
    story = _with_short_names(_COLOURS.sub("", str(error)))
    for file, line in [*_places_told(story), *_places_worked_at(error)]:
        for function in functions:
            first, last = _extent(function)
            same = Path(function.__code__.co_filename).name == Path(file).name
            # Of what has no line of its own, the compiler names that of the definition.
            if same and first < line <= last:
                return Scene(function, line, story, tree_of(function))
    for function in functions:
        for scene in _suspected(function, story, impossible):
            return scene
    return Scene(functions[0], 0, story, tree_of(functions[0]))


def _places_told(story: str) -> Iterator[tuple[str, int]]:
    patterns = r'File "(.+?)", line (\d+)', r"Raised from (.+?) \((\d+)\)"
    for pattern in patterns:
        for file, line in re.findall(pattern, story):
            yield file, int(line)


def _places_worked_at(error: Exception) -> list[tuple[str, int]]:
    """What the compiler was at when it tripped over something itself, the last first."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        loc = getattr(traceback.tb_frame.f_locals.get("self"), "loc", None)
        if isinstance(loc, Loc):
            found.append((loc.filename, loc.line))
        traceback = traceback.tb_next
    return found[::-1]


def _suspected(
    function: Callable, story: str, impossible: tuple[type[ast.AST], ...]
) -> Iterator[Scene]:
    """Places of a function that can't be compiled by themselves, or that the story is about."""
    tree = tree_of(function)
    missing = re.search(r"NameError: name '(\w+)'", story)
    for node in ast.walk(tree):
        named = missing and isinstance(node, ast.Name) and node.id == missing[1]
        if named or isinstance(node, impossible):
            yield Scene(function, getattr(node, "lineno", 0), story, tree)


def _extent(function: Callable) -> tuple[int, int]:
    """The first line of a function, that of its definition or decorator, and its last."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return function.__code__.co_firstlineno, 0
    return first, first + len(lines) - 1


def tree_of(function: Callable) -> ast.AST:
    """The source of a function, with the lines of its file; nothing if it has none."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])
    return ast.increment_lineno(tree, first - 1)


def _with_short_names(text: str) -> str:
    """A text with the three records called as everybody calls them."""
    from paxsim.guests.views import GuestChoice, GuestSeat, GuestTable

    for name, kind in (("table", GuestTable), ("me", GuestSeat), ("choice", GuestChoice)):
        text = text.replace(str(kind), name)
    return text
