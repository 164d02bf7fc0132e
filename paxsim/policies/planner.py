"""The planner: carries out wishes sensibly at every decision of a turn.

A heuristic says what it wishes for (`paxsim.policies.wishes`). What cards are worth by these wishes
(`worth`), where drawn ones go (`placing`) and what else is chosen (`choosing`) is the same for all.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from paxsim.engine.jit import kernel
from paxsim.helpers import BUY, DISPLAY, KEEP, PLACE, PLAY, TURN
from paxsim.policies.choosing import (
    choose_drawn,
    choose_play,
    choose_purchase,
    choose_reaction,
    choose_turn,
)
from paxsim.policies.notes import MADE, USUAL, begin_wishes
from paxsim.policies.placing import choose_place
from paxsim.policies.registry import policy
from paxsim.policies.wishes import give_up_forbidden
from paxsim.policies.worth import usual_hope


@kernel
def wishes_due(table, me, choice):
    """Whether it is time to make new wishes: at the draft, and once in every turn."""
    if choice.kind == KEEP or choice.kind == DISPLAY:
        return True
    return me.memory[MADE] != table.round + 1


@kernel
def carry_out_wishes(table, me, choice):
    """The option that serves the wishes in the seat's memory best."""
    kind = choice.kind
    if kind == PLACE:
        return choose_place(table, me, choice)
    if kind == TURN:
        return choose_turn(table, me)
    if kind == BUY:
        return choose_purchase(table, me, choice)
    if kind == KEEP or kind == DISPLAY:
        return choose_drawn(table, me, choice)
    if kind == PLAY:
        return choose_play(table, me, choice)
    return choose_reaction(table, me, choice)


#: The policy around an idea; a heuristic fills in its name and its parameters. Their values are
#: read where wishes are made, once a turn; as arguments they would be read at every decision.
_AROUND_IDEA = """
def {name}(table, me, choice{parameters}):
    if wishes_due(table, me, choice):
        begin_wishes(table, me, {with_now})
        make_wishes(table, me{values})
        give_up_forbidden(table, me)
        if choice.kind > KEEP:  # nobody asks for it before the first turn
            me.memory[USUAL] = usual_hope(me)
    return carry_out_wishes(table, me, choice)
"""


def _reads(function: Callable, name: str) -> bool:
    """Whether a function, or one that it calls, reads a global of this name."""
    waiting: list[Any] = [function]
    met = set()
    while waiting:
        part = waiting.pop()
        part = getattr(part, "py_func", part)
        if not inspect.isfunction(part) or part in met:
            continue
        met.add(part)
        used = inspect.getclosurevars(part)
        if name in used.globals or name in used.unbound:
            return True
        for value in (*used.globals.values(), *used.nonlocals.values()):
            if inspect.ismodule(value):
                waiting += [getattr(value, attribute, None) for attribute in used.unbound]
            waiting.append(value)
    return False


def heuristic(
    idea: Callable | None = None, *, solo: bool = True, signed: Sequence[str] = ()
) -> Any:
    """Make a policy out of an idea: ``@heuristic``, or ``@heuristic(solo=False)``.

    Parameters
    ----------
    idea : callable
        A function ``(table, me, parameter=default, ...)`` that makes the wishes of a turn with
        what `paxsim.policies.wishes` offers, and returns nothing. It starts from no wishes.
    solo : bool
        Whether it makes sense in solo.
    signed : sequence of str
        Parameters that make sense below 0 as well although their default is above it.

    Returns
    -------
    Policy
        Asks the idea for wishes when they are due and carries them out at every decision. Name,
        docstring, parameters and file are those of the idea.
    """
    if idea is None:
        return functools.partial(heuristic, solo=solo, signed=signed)
    parameters = list(inspect.signature(idea).parameters)[len(("table", "me")) :]
    source = _AROUND_IDEA.format(
        name=idea.__name__,
        parameters="".join(f", {name}" for name in parameters),
        values="".join(f", me.params[{i}]" for i in range(len(parameters))),
        with_now=_reads(idea, "ROME_NOW"),
    )
    namespace: dict[str, Any] = {
        "__name__": idea.__module__,
        "wishes_due": wishes_due,
        "begin_wishes": begin_wishes,
        "make_wishes": kernel(idea),
        "give_up_forbidden": give_up_forbidden,
        "usual_hope": usual_hope,
        "USUAL": USUAL,
        "KEEP": KEEP,
        "carry_out_wishes": carry_out_wishes,
    }
    exec(compile(source, idea.__code__.co_filename, "exec"), namespace)
    around = namespace[idea.__name__]
    around.__code__ = around.__code__.replace(co_firstlineno=idea.__code__.co_firstlineno)
    around.__defaults__ = idea.__defaults__
    around.__doc__ = idea.__doc__
    around.__qualname__ = idea.__qualname__
    return policy(around, solo=solo, signed=signed)
