"""What a policy may not do, as far as its source shows it: checked before it is compiled.

Mistakes that the source does not show (a write through a helper, an index out of range) are
caught while playing; see `paxsim.playing` and `paxsim.testing`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator

from paxsim.engine.records import choice_dtype, rules_dtype, seat_dtype, table_dtype
from paxsim.errors import PaxsimError, unknown
from paxsim.policies.sources import place, quoted

#: The records, in the order of a policy's arguments.
_RECORDS = (table_dtype, seat_dtype, choice_dtype)
_FIELDS = tuple(tuple(dtype.names or ()) for dtype in _RECORDS)
_ME = 1
_MEMORY = "memory"
#: Methods of an array that write to it.
_WRITING = ("fill", "sort")


def check_source(function: Callable) -> None:
    """Look for fields that do not exist, forbidden writes and loops without an end.

    Raises
    ------
    PaxsimError
        One line that names the policy, the line in its file, and what is allowed.
    """
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return  # typed into a bare prompt: there is no source to look at
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        tree = ast.parse("None")  # a lambda within a longer expression
    ast.increment_lineno(tree, first - 1)
    body = tree.body[0]
    if not isinstance(body, ast.FunctionDef):
        raise PaxsimError(
            f"policy {function.__name__}: line {first}: found no function definition; "
            "allowed: a function that begins with def"
        )
    names = [argument.arg for argument in body.args.args[: len(_FIELDS)]]
    _check_fields(function, body, names)
    _check_writes(function, body, names)
    _check_loops(function, body)


def _at(function: Callable, line: int) -> str:
    return f"policy {function.__name__}: {place(function, line)}"


def _check_fields(function: Callable, body: ast.FunctionDef, names: list[str]) -> None:
    """Every ``table.x``, ``me.x``, ``choice.x`` and ``table.rules.x`` must exist."""
    allowed = dict(zip(names, _FIELDS, strict=True))
    rules = f"{names[0]}.rules"
    allowed[rules] = tuple(rules_dtype.names or ())
    for node in ast.walk(body):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            if owner in allowed and node.attr not in allowed[owner]:
                where = f"{_at(function, node.lineno)}: {owner}"
                mistake = unknown(where, node.attr, allowed[owner])
                raise PaxsimError(f"{mistake}{quoted(function, node.lineno)}")


def _check_writes(function: Callable, body: ast.FunctionDef, names: list[str]) -> None:
    """Nothing may be written that hangs on the three records, but ``me.memory``."""
    aliases = _aliases(body, names)
    memory = f"{names[_ME]}.{_MEMORY}"
    for target, in_place in _written(body):
        path = _path(target, aliases)
        if isinstance(target, ast.Name) and not (in_place and _is_array(path, names)):
            continue  # the name means something else from here on
        if path and not (path == memory or path.startswith(f"{memory}[")):
            within = path.startswith(f"{memory}.")
            may = f"the numbers of {memory}, such as {memory}[0]" if within else f"{memory} alone"
            raise PaxsimError(
                f"{_at(function, target.lineno)}: writes to {ast.unparse(target)}; "
                f"allowed: {may}{quoted(function, target.lineno)}"
            )


def _aliases(body: ast.FunctionDef, names: list[str]) -> dict[str, str]:
    """Names for the records and for parts of them, such as ``row`` in ``row = table.cards[0]``."""
    aliases = {name: name for name in names}
    known = 0
    while len(aliases) > known:  # a name for a part may be the name of another one's owner
        known = len(aliases)
        for node in ast.walk(body):
            for target, value, suffix in _bindings(node):
                path = _path(value, aliases)
                if path and isinstance(target, ast.Name):
                    aliases.setdefault(target.id, path + suffix)
    return aliases


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """What a statement gives a name to; items of a sequence count as parts of it."""
    if isinstance(node, ast.NamedExpr):
        yield node.target, node.value, ""
    elif isinstance(node, ast.For):
        yield node.target, node.iter, "[i]"
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=False):
                    yield name, value, ""
            else:
                yield target, node.value, ""


def _written(body: ast.FunctionDef) -> Iterator[tuple[ast.expr, bool]]:
    """Everything that is assigned to, and whether that changes what is there already."""
    for node in ast.walk(body):
        targets: list[ast.expr] = []
        in_place = isinstance(node, ast.AugAssign)
        if isinstance(node, (ast.Assign, ast.Delete)):
            targets = list(node.targets)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            in_place = True
            targets = [node.func.value] if node.func.attr in _WRITING else []
        while targets:
            target = targets.pop()
            if isinstance(target, (ast.Tuple, ast.List)):
                targets += target.elts
            elif isinstance(target, ast.Starred):
                targets.append(target.value)
            else:
                yield target, in_place


def _path(node: ast.expr, aliases: dict[str, str]) -> str:
    """``table.symbols[i][:]`` for something that hangs on a record, else an empty text."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, "")
    if isinstance(node, ast.Attribute):
        owner = _path(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    if isinstance(node, ast.Subscript):
        owner = _path(node.value, aliases)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        marks = ("[:]" if isinstance(part, ast.Slice) else "[i]" for part in parts)
        return owner + "".join(marks) if owner else ""
    return ""


def _is_array(path: str, names: list[str]) -> bool:
    """Whether a path of `_path` leads to an array, and not to a single number."""
    field = path.partition("[")[0]
    for name, dtype in zip(names, _RECORDS, strict=True):
        for part in dtype.names or ():
            if field == f"{name}.{part}":
                return len(dtype[part].shape) > path.count("[i]")
    return False


def _check_loops(function: Callable, body: ast.FunctionDef) -> None:
    """``while True`` needs a way out."""
    for node in ast.walk(body):
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            ways_out = (ast.Break, ast.Return, ast.Raise)
            if not any(isinstance(inner, ways_out) for inner in ast.walk(node)):
                raise PaxsimError(
                    f"{_at(function, node.lineno)}: a loop without an end; "
                    f"allowed: a loop with break or return{quoted(function, node.lineno)}"
                )
