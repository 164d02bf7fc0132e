"""Names that may have no value yet: Python raises an error there, compiled code reads leftovers.

What a register or the stack held before is neither the guest's to see nor the same in every run,
so a name must have got a value on every way to where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numba.core import ir

from paxsim.guests.proof import RefusedError, refuse
from paxsim.policies.checks import construct_at


def refuse_unset_names(function: Callable, blocks: dict[int, Any], graph: Any) -> None:
    """Refuse a function that may use a name before it has a value.

    Parameters
    ----------
    function : callable
        The function, for the message.
    blocks : dict
        Its intermediate code.
    graph : numba.core.controlflow.CFGraph
        How one block leads to others.
    """
    copies = _copies(blocks)
    cleared = {s.target.name for s in _assignments(blocks) if _is_no_value(s.value)}
    set_after = _names_set_after(blocks, graph)
    for label in graph.nodes():
        names = _set_before(label, graph, set_after)
        for statement in blocks[label].body:
            for used in _used(statement):
                if used.name not in names and not _only_moves(statement, copies, cleared):
                    name = _origin(used, copies).unversioned_name
                    raise _refuse_unset(function, statement.loc.line, name)
            _follow(statement, names)


def _copies(blocks: dict[int, Any]) -> dict[str, Any]:
    """By the name of each variable that is given the value of another one this other one."""
    return {s.target.name: s.value for s in _assignments(blocks) if isinstance(s.value, ir.Var)}


def _assignments(blocks: dict[int, Any]) -> Iterator[Any]:
    return (s for block in blocks.values() for s in block.body if isinstance(s, ir.Assign))


def _only_moves(statement: Any, copies: dict[str, Any], cleared: set[str]) -> bool:
    """Whether a value goes to a name of the compiler's own, or from there back to its old name.

    From Python 3.12 on a list that is made in a line saves the names that it uses for itself, and
    gives them back: this is no use of them. (In Python 3.11 such a list has names of its own.)
    """
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Var):
        return False
    name, origin = statement.target.unversioned_name, _origin(statement.value, copies)
    return name.startswith("$") or origin.unversioned_name == name or origin.name in cleared


def _is_no_value(value: Any) -> bool:
    return isinstance(value, ir.Expr) and value.op == "undef"


def _origin(used: Any, copies: dict[str, Any]) -> Any:
    """The variable of the user's that one of the compiler's has its value from, if there is one."""
    for _ in copies:
        if not used.name.startswith("$") or used.name not in copies:
            break
        used = copies[used.name]
    return used


def _refuse_unset(function: Callable, line: int, name: str) -> RefusedError:
    verdict = f"{name} may have no value here", "a value on every way to this line"
    if name.startswith("$"):  # no name of the user's: the compiler has lost a value of its own
        verdict = construct_at(function, line) or verdict
    return refuse(function, line, *verdict)


def _names_set_after(blocks: dict[int, Any], graph: Any) -> dict[int, set[str]]:
    """For every block the names that have a value at its end, whichever way led there."""
    every = {name for block in blocks.values() for name in _assigned(block)}
    set_after = {label: set(every) for label in graph.nodes()}
    changed = True
    while changed:
        changed = False
        for label in graph.topo_order():
            names = _set_before(label, graph, set_after)
            for statement in blocks[label].body:
                _follow(statement, names)
            changed = changed or names != set_after[label]
            set_after[label] = names
    return set_after


def _set_before(label: int, graph: Any, set_after: dict[int, set[str]]) -> set[str]:
    if label == graph.entry_point():
        return set()
    before = [set_after[other] for other, _ in graph.predecessors(label)]
    return set.intersection(*before)


def _assigned(block: Any) -> Iterator[str]:
    return (statement.target.name for statement in block.body if isinstance(statement, ir.Assign))


def _used(statement: Any) -> list[Any]:
    if isinstance(statement, ir.Del):
        return []
    if isinstance(statement, ir.Assign):
        value = statement.value
        return [value] if isinstance(value, ir.Var) else _variables_of(value)
    return list(statement.list_vars())


def _variables_of(value: Any) -> list[Any]:
    return list(value.list_vars()) if isinstance(value, ir.Inst) else []


def _follow(statement: Any, names: set[str]) -> None:
    """Which names have a value after a statement, if these have one before it."""
    if isinstance(statement, ir.Assign):
        value = statement.value
        copied = isinstance(value, ir.Var)
        if _is_no_value(value) or (copied and value.name not in names):
            names.discard(statement.target.name)
        else:
            names.add(statement.target.name)
    elif isinstance(statement, ir.Del):
        names.discard(statement.value)
