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

#: Fields by record, in the order of a policy's arguments.
_FIELDS = tuple(tuple(dtype.names or ()) for dtype in (table_dtype, seat_dtype, choice_dtype))
_ME = 1
_MEMORY = "memory"


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
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    body = tree.body[0]
    if not isinstance(body, ast.FunctionDef):
        raise PaxsimError(
            f"policy {function.__name__}: line {first}: found no function definition; "
            "allowed: a function that begins with def"
        )
    names = [argument.arg for argument in body.args.args[: len(_FIELDS)]]
    _check_fields(function.__name__, body, names)
    _check_writes(function.__name__, body, names)
    _check_loops(function.__name__, body)


def _check_fields(policy: str, body: ast.FunctionDef, names: list[str]) -> None:
    """Every ``table.x``, ``me.x``, ``choice.x`` and ``table.rules.x`` must exist."""
    allowed = dict(zip(names, _FIELDS, strict=True))
    rules = f"{names[0]}.rules"
    allowed[rules] = tuple(rules_dtype.names or ())
    for node in ast.walk(body):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            if owner in allowed and node.attr not in allowed[owner]:
                raise unknown(
                    f"policy {policy}: line {node.lineno}: {owner}", node.attr, allowed[owner]
                )


def _check_writes(policy: str, body: ast.FunctionDef, names: list[str]) -> None:
    """Nothing may be written that hangs on the three records, but ``me.memory``."""
    aliases = {name: name for name in names}
    for node in ast.walk(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            path = _path(node.value, aliases)
            if path and not isinstance(node.value, ast.Name):
                aliases[node.targets[0].id] = path
    memory = f"{names[_ME]}.{_MEMORY}"
    for target in _written(body):
        if isinstance(target, ast.Name):
            continue
        path = _path(target, aliases)
        if path and not (path == memory or path.startswith(f"{memory}[")):
            raise PaxsimError(
                f"policy {policy}: line {target.lineno}: writes to {ast.unparse(target)}; "
                f"allowed: {memory} alone"
            )


def _written(body: ast.FunctionDef) -> Iterator[ast.expr]:
    """Everything that is assigned to."""
    for node in ast.walk(body):
        targets: list[ast.expr] = []
        if isinstance(node, (ast.Assign, ast.Delete)):
            targets = list(node.targets)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = [node.target]
        for target in targets:
            yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _path(node: ast.expr, aliases: dict[str, str]) -> str:
    """``table.symbols[...]`` for something that hangs on a record, else an empty text."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, "")
    if isinstance(node, ast.Attribute):
        owner = _path(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    if isinstance(node, ast.Subscript):
        owner = _path(node.value, aliases)
        return f"{owner}[...]" if owner else ""
    return ""


def _check_loops(policy: str, body: ast.FunctionDef) -> None:
    """``while True`` needs a way out."""
    for node in ast.walk(body):
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            ways_out = (ast.Break, ast.Return, ast.Raise)
            if not any(isinstance(inner, ways_out) for inner in ast.walk(node)):
                raise PaxsimError(
                    f"policy {policy}: line {node.lineno}: a loop without an end; "
                    "allowed: a loop with break or return"
                )
