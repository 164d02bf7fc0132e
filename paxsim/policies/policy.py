"""What a policy is: a Python function, its parameters, and its compiled form."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types

from paxsim.engine.cache import enable_cache
from paxsim.engine.jit import OPTIONS, kernel, whole
from paxsim.engine.loop import policy_address
from paxsim.engine.lowlevel import POLICY_SIGNATURE
from paxsim.engine.records import MAX_PARAMS
from paxsim.errors import PaxsimError, is_number, safe_repr, unknown
from paxsim.io import html_table
from paxsim.policies.files import (
    code_fingerprint,
    keep_user_file,
    note_compiled,
    package_fingerprint,
    user_file_of,
)
from paxsim.text import WIDTH

#: A decorated function is called as it was before.
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

_RECORDS = ("table", "me", "choice")


@dataclass(frozen=True)
class PolicyContext:
    """What a policy needs at a seat, for one call of the engine or one game.

    Whoever plays keeps it for as long as that: its parameters may name memory that it holds.

    Attributes
    ----------
    params : numpy.ndarray
        Parameter values as the seat record holds them, shape ``(MAX_PARAMS,)``.
    rollouts : numpy.void or None
        Where the games stand that the policy plays in its head
        (``paxsim.engine.loop.progress_dtype``); None if it plays none.
    asked : callable or None
        The policy that was asked last in rollouts that stand there.
    memory : object
        What the parameters name by its address, to be kept; None if they are nothing but numbers.
    """

    params: np.ndarray
    rollouts: np.void | None = None
    asked: Callable[[np.void], Policy] | None = None
    memory: object = None


@dataclass(frozen=True, eq=False)
class Policy:
    """A way to play, ready for the engine.

    Two are equal if they have one name and make the same moves, wherever their function was
    imported from.

    Attributes
    ----------
    name : str
        What line-ups and results call it.
    function : callable
        The Python function ``(table, me, choice, **parameters) -> int``.
    params : mapping of str to float
        Its parameters with the values in force.
    defaults : dict of str to float
        The same as they were defined.
    origin : str
        The file or module that defines it.
    solo : bool
        Whether it makes sense in solo.
    signed : frozenset of str
        Parameters that make sense on both sides of 0: those that say so, and those whose default
        is not above 0.
    """

    name: str
    function: Callable
    params: Mapping[str, float]
    defaults: dict[str, float]
    origin: str
    solo: bool
    signed: frozenset[str] = frozenset()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        if other is self:
            return True
        try:
            return self.label == other.label and self.fingerprint == other.fingerprint
        except PaxsimError:  # it can't be said any more what it does
            return False

    def __hash__(self) -> int:
        return hash(self.label)

    def __copy__(self) -> Policy:
        return self  # it never changes

    def __deepcopy__(self, memo: dict) -> Policy:
        return self

    def __repr__(self) -> str:
        said = f"Policy {self.label}: {self.idea or 'no description'}"
        return said if len(said) <= WIDTH else f"{said[: WIDTH - 3]}..."

    def _repr_html_(self) -> str:
        rows = [
            (key, f"{value:g}", f"{self.defaults[key]:g}") for key, value in self.params.items()
        ]
        said = f"Policy {self.label} ({self.fits}): {self.idea or 'no description'}"
        return html_table(("parameter", "value", "default"), rows, said)

    @property
    def built_in(self) -> bool:
        """Whether it is the package's own of this name; all others are guests (`paxsim.guests`)."""
        from paxsim.policies import registry  # the registry builds on this module

        return registry.is_built_in(self)

    @property
    def draws(self) -> bool:
        """Whether it may draw random numbers; of a guest that is not known."""
        from paxsim.policies import registry  # the registry builds on this module

        return not self.built_in or self.name in registry.DRAWING

    @property
    def idea(self) -> str:
        """The first line of the docstring: the idea in a player's words."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def fits(self) -> str:
        """The player counts that it is meant for."""
        return "solo, 2-8 players" if self.solo else "2-8 players"

    @property
    def searches(self) -> bool:
        """Whether it plays games in its head (`paxsim.search`)."""
        return False

    def check_alone(self) -> None:
        """Raise if it can't play solo at all; to play there badly is allowed."""

    @property
    def label(self) -> str:
        """Name and changed parameters."""
        changed = [f"{k}={v!r}" for k, v in self.params.items() if v != self.defaults[k]]
        return ":".join([self.name, *changed])

    @property
    def spec(self) -> str:
        """The label as `get_policy` reads it in another process, file included."""
        if not self.origin.endswith(".py"):
            return self.label
        path = Path(self.origin)
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        return f"{path}:{self.label}"

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on all that decides its moves."""
        code = self.name if self.built_in else code_fingerprint(self.function)
        text = repr((package_fingerprint(), code, sorted(self.params.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        """How a policy travels to another process: by name, or as the source of its file."""
        from paxsim.policies import registry  # the registry builds on this module

        if self.built_in:
            return registry.get_policy, (self.label,)
        module = self.function.__module__
        file = user_file_of(module, self.origin)
        if file is None:  # a notebook has no file
            return super().__reduce__()  # type: ignore[return-value]
        in_package = getattr(sys.modules.get(module), "__package__", "")
        if in_package and module != "__main__":  # it may need its package
            return registry.policy_from_module, (module, file.source, self.label)
        return registry.policy_from_user_file, (file, self.name, self.params)

    @property
    def compiled(self) -> Any:
        """The compiled function; the first use compiles it."""
        return _compile_built_in(self.function) if self.built_in else compile_guest(self.function)

    def address(self, explaining: bool = False) -> int:
        """Where its compiled code is (see `paxsim.engine.seating`).

        With `explaining`, a policy that is not built in notes the line that it is at.
        """
        if explaining and not self.built_in:
            return _address(compile_guest(self.function, explaining=True))
        return _address(self.compiled)

    def context(self) -> PolicyContext:
        """What it needs at a seat."""
        return PolicyContext(self.param_vector())

    def param_vector(self) -> np.ndarray:
        """Parameter values as the seat record holds them, shape ``(MAX_PARAMS,)``."""
        vector = np.zeros(MAX_PARAMS)
        vector[: len(self.params)] = list(self.params.values())
        return vector

    @property
    def is_plain(self) -> bool:
        """Whether it is asked in plain Python (see `paxsim.policies.plainly`)."""
        return False

    def __call__(self, table: Any, me: Any, choice: Any, **changes: float) -> int:
        """The option that it chooses, worked out in plain Python: for trying it out.

        Parameters
        ----------
        table, me, choice
            The records, such as `Game.table`, `Game.me` and `Game.choice`.
        changes : float
            Parameters that are to have another value.
        """
        from paxsim.policies.interpreted import ask_plainly  # it builds on this module

        return ask_plainly(self.with_params(changes) if changes else self, table, me, choice)

    def with_params(self, changes: dict[str, float]) -> Policy:
        """The same policy with some parameters changed; nothing is compiled again."""
        if not isinstance(changes, dict):
            raise PaxsimError(
                f"policy {self.name}: params: found {safe_repr(changes)}; allowed: a dictionary"
            )
        for name, value in changes.items():
            if name not in self.params:
                raise unknown(f"policy {self.name}: parameter", name, self.params)
            if not is_number(value):
                raise PaxsimError(
                    f"parameter {name} of policy {self.name} must be a number, "
                    f"got {safe_repr(value)}"
                )
        values = {name: float(value) for name, value in changes.items()}
        return replace(self, params={**self.params, **values})

    def bound_alike(self, other: Policy) -> Policy:
        """Another policy under the restrictions of this one, of which most have none."""
        return other


def helper(function: AnyFunction) -> AnyFunction:
    """Compile a function of one's own, so that policies can call it: ``@paxsim.helper``.

    Within a policy it is compiled again, under the rules for policies.
    """
    if not inspect.isfunction(function):
        raise PaxsimError(f"helper: found {safe_repr(function)}; allowed: a function")
    return numba.njit(**OPTIONS, boundscheck=True)(function)


def make_policy(function: Callable, *, solo: bool, signed: Sequence[str] = ()) -> Policy:
    """Wrap a function as a guest; nothing is compiled yet."""
    params = _params_of(function)
    both_sides = _checked_signed(function.__name__, signed, params)
    origin = function.__module__
    with contextlib.suppress(TypeError):
        origin = str(Path(inspect.getfile(function)).resolve())
        keep_user_file(function.__module__, Path(origin))
    return Policy(function.__name__, function, params, dict(params), origin, solo, both_sides)


def _checked_signed(name: str, signed: Any, params: dict[str, float]) -> frozenset[str]:
    """The parameters that may be negative: those named, and those that are not above 0."""
    if not isinstance(signed, (list, tuple)):
        raise PaxsimError(
            f"policy {name}: signed: found {safe_repr(signed)}; allowed: a list of parameters"
        )
    named = list(signed)
    for parameter in named:
        if parameter not in params:
            raise unknown(f"policy {name}: signed: parameter", parameter, params)
    return frozenset([*named, *(key for key, value in params.items() if value <= 0)])


def _params_of(function: Callable) -> dict[str, float]:
    """Names and defaults of the parameters behind the three records."""
    arguments = list(inspect.signature(function).parameters.values())
    where = f"policy {function.__name__}"
    named = all(argument.kind is argument.POSITIONAL_OR_KEYWORD for argument in arguments)
    first = [argument.name for argument in arguments]
    # Other names are allowed; these in other places are surely not meant.
    misplaced = any(name in first and first.index(name) != i for i, name in enumerate(_RECORDS))
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise PaxsimError(f"{where}: found async def; allowed: def")
    if len(arguments) < len(_RECORDS) or not named or misplaced:
        found = len(arguments) if named and not misplaced else inspect.signature(function)
        raise PaxsimError(
            f"{where}: found {found} arguments; "
            "allowed: (table, me, choice, parameter=default, ...)"
        )
    params = {}
    for argument in arguments[len(_RECORDS) :]:
        default = argument.default
        if not is_number(default):
            raise PaxsimError(
                f"{where}: parameter {argument.name}: found no number as default; "
                f"allowed: a number, such as {argument.name}=1.0"
            )
        params[argument.name] = float(default)
    if len(params) > MAX_PARAMS:
        raise PaxsimError(f"{where}: found {len(params)} parameters; allowed: {MAX_PARAMS}")
    return params


@functools.cache
def _compile_built_in(function: Callable) -> Any:
    """Compile a policy of the package to the engine's signature."""
    outer = whole(_outer(function, kernel(function), "table, me, choice"))
    enable_cache(outer)
    outer.compile(POLICY_SIGNATURE)
    return outer


@functools.cache
def compile_guest(function: Callable, explaining: bool = False) -> Any:
    """Compile a policy that is not the package's own to the engine's signature.

    Parameters
    ----------
    function : callable
        The policy.
    explaining : bool
        Whether it notes the line it is at (see `paxsim.guests.whereabouts`).
    """
    from paxsim.guests.compiler import guest
    from paxsim.policies import readonly  # only those who bring policies of their own need it

    inner = guest(function, explaining)
    _check_return_type(inner, function)
    shown = "table_view(table), seat_view(me), choice_view(choice)"
    outer = whole(_outer(function, inner, shown, **vars(readonly)))
    outer.compile(POLICY_SIGNATURE)
    note_compiled(function)
    return outer


@functools.cache
def _address(compiled: Any) -> int:
    """Asked for once; the cache keeps the code alive."""
    return policy_address(compiled)


def _outer(function: Callable, decide: Any, records: str, **names: Any) -> Callable:
    """A function with the engine's signature that reads the parameters from the seat record."""
    name = function.__name__
    values = "".join(f", me.params[{i}]" for i in range(len(_params_of(function))))
    source = f"def {name}(table, me, choice):\n return decide({records}{values})\n"
    namespace = {**names, "decide": decide, "__name__": function.__module__}
    exec(compile(source, f"<policy {name}>", "exec"), namespace)
    return namespace[name]


def _check_return_type(inner: Any, function: Callable) -> None:
    """A float would be cut off in silence, so only whole numbers are let through."""
    from paxsim.guests.compiler import called_by
    from paxsim.guests.proof import RefusedError
    from paxsim.policies.checks import explain, explain_answer
    from paxsim.policies.readonly import GuestChoice, GuestSeat, GuestTable

    name = function.__name__
    numbers = [types.float64] * len(_params_of(function))
    arguments = (GuestTable, GuestSeat, GuestChoice, *numbers)
    try:
        inner.compile(arguments)
    except RefusedError as error:
        raise PaxsimError(f"policy {name}: {error}") from None
    except Exception as error:  # numba may trip over what it has not thought of
        raise PaxsimError(f"policy {name}: {explain(error, called_by(function))}") from None
    found = inner.overloads[arguments].signature.return_type
    if not isinstance(found, types.Integer):
        raise PaxsimError(f"policy {name}: {explain_answer(found, function)}")
