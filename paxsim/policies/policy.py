"""What a policy is: a Python function, its parameters, and its compiled form."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.ir import Loc

from paxsim.engine.cache import enable_package_cache
from paxsim.engine.jit import OPTIONS, kernel, whole
from paxsim.engine.records import MAX_PARAMS
from paxsim.engine.seating import POLICY_SIGNATURE, policy_address
from paxsim.errors import PaxsimError, is_number, unknown
from paxsim.policies.fingerprint import code_fingerprint, note_compiled, package_fingerprint
from paxsim.policies.userfiles import keep_user_file, user_file_of
from paxsim.quoting import told

_RECORDS = ("table", "me", "choice")


@dataclass(frozen=True)
class Policy:
    """A way to play, ready for the engine.

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
    """

    name: str
    function: Callable
    params: Mapping[str, float]
    defaults: dict[str, float]
    origin: str
    solo: bool

    @property
    def built_in(self) -> bool:
        """Whether it is the package's own of this name; all others are guests (`paxsim.guests`)."""
        from paxsim.policies import registry  # the registry builds on this module

        return registry.is_built_in(self)

    @property
    def thread_bound(self) -> bool:
        """Whether its parameters mean something in the thread alone that asked for them."""
        return False

    @property
    def rollout_progress(self) -> np.void | None:
        """Where the policies stand that play its rollouts; None if it has none."""
        return None

    def asked_in_rollout(self, progress: np.void) -> Policy:
        """The policy that was asked last in rollouts that stand there."""
        return self

    @property
    def idea(self) -> str:
        """The first line of the docstring: the idea in a player's words."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def fits(self) -> str:
        """The player counts that it is meant for."""
        return "solo, 2-8 players" if self.solo else "2-8 players"

    @property
    def label(self) -> str:
        """Name and changed parameters."""
        changed = [f"{k}={v!r}" for k, v in self.params.items() if v != self.defaults[k]]
        return ":".join([self.name, *changed])

    @property
    def spec(self) -> str:
        """The label as `find_policy` reads it in another process, file included."""
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
            return registry.find_policy, (self.label,)
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

    def param_vector(self) -> np.ndarray:
        """Parameter values as the seat record holds them, shape ``(MAX_PARAMS,)``."""
        vector = np.zeros(MAX_PARAMS)
        vector[: len(self.params)] = list(self.params.values())
        return vector

    def with_params(self, changes: dict[str, float]) -> Policy:
        """The same policy with some parameters changed; nothing is compiled again."""
        if not isinstance(changes, dict):
            raise PaxsimError(
                f"policy {self.name}: params: found {told(changes)}; allowed: a dictionary"
            )
        for name, value in changes.items():
            if name not in self.params:
                raise unknown(f"policy {self.name}: parameter", name, self.params or ["none"])
            if not is_number(value):
                raise PaxsimError(
                    f"policy {self.name}: parameter {name}: found {told(value)}; allowed: a number"
                )
        values = {name: float(value) for name, value in changes.items()}
        return replace(self, params={**self.params, **values})


def helper(function: Callable) -> Any:
    """Compile a function of one's own, so that policies can call it: ``@paxsim.helper``.

    Within a policy it is compiled again, under the rules for policies.
    """
    if not inspect.isfunction(function):
        raise PaxsimError(f"helper: found {told(function)}; allowed: a function")
    return numba.njit(**OPTIONS, boundscheck=True)(function)


def make_policy(function: Callable, *, solo: bool) -> Policy:
    """Wrap a function as a guest; nothing is compiled yet."""
    params = _params_of(function)
    origin = function.__module__
    with contextlib.suppress(TypeError):
        origin = str(Path(inspect.getfile(function)).resolve())
        keep_user_file(function.__module__, Path(origin))
    return Policy(function.__name__, function, params, dict(params), origin, solo)


def _params_of(function: Callable) -> dict[str, float]:
    """Names and defaults of the parameters behind the three records."""
    arguments = list(inspect.signature(function).parameters.values())
    where = f"policy {function.__name__}"
    named = all(argument.kind is argument.POSITIONAL_OR_KEYWORD for argument in arguments)
    if len(arguments) < len(_RECORDS) or not named:
        found = len(arguments) if named else inspect.signature(function)
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
    enable_package_cache(outer)
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
    from paxsim.guests import views  # only those who bring policies of their own need it
    from paxsim.guests.compiler import guest

    inner = guest(function, explaining)
    _check_return_type(inner, function)
    shown = "table_view(table), seat_view(me), choice_view(choice)"
    outer = whole(_outer(function, inner, shown, **vars(views)))
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
    from paxsim.guests.proof import RefusedError
    from paxsim.guests.views import GuestChoice, GuestSeat, GuestTable

    name = function.__name__
    numbers = [types.float64] * len(_params_of(function))
    arguments = (GuestTable, GuestSeat, GuestChoice, *numbers)
    try:
        inner.compile(arguments)
    except RefusedError as error:
        raise PaxsimError(f"policy {name}: {error}") from None
    except Exception as error:  # numba may trip over what it has not thought of
        file = function.__code__.co_filename
        raise PaxsimError(f"policy {name}: {_in_plain_words(error, file)}") from None
    found = inner.overloads[arguments].signature.return_type
    if not isinstance(found, types.Integer):
        raise PaxsimError(
            f"policy {name}: returns {_TYPE_NAMES.get(str(found), str(found))}; "
            "allowed: a whole number, the index of the chosen option"
        )


_TYPE_NAMES = {
    "none": "None",
    "OptionalType(int64)": "None on some way through it",
    "float64": "a number with a fraction (float64)",
    "bool": "True or False",
}


def _in_plain_words(error: Exception, file: str) -> str:
    """What the compiler could not do, and in which line of the file, without its own story."""
    lines = [line.strip() for line in _with_short_names(str(error)).splitlines()]
    places = [line for line in lines if line.startswith("File ") and Path(file).name in line]
    number = (
        places[-1].rpartition("line ")[2].rstrip(":") if places else _line_worked_at(error, file)
    )
    skipped = ("Failed in nopython", "During:", "File ", "- Resolution", "There are", ">>>")
    reason = next((line for line in lines if line and not line.startswith(skipped)), repr(error))
    if reason.endswith("signature:"):
        reason += next((line[3:] for line in lines if line.startswith(">>>")), "")
    where = f"line {number}: " if number else ""
    if "setitem(readonly " in str(error):
        return f"{where}writes to what it may only read; allowed: me.memory alone"
    return f"{where}cannot be compiled: {reason}; allowed: what docs/policies.md lists"


def _with_short_names(text: str) -> str:
    """A text with the three records called as everybody calls them."""
    from paxsim.guests.views import GuestChoice, GuestSeat, GuestTable

    for name, kind in zip(_RECORDS, (GuestTable, GuestSeat, GuestChoice), strict=True):
        text = text.replace(str(kind), name)
    return text


def _line_worked_at(error: Exception, file: str) -> str:
    """The line of the file that the compiler was at when it tripped, or nothing."""
    found = ""
    traceback = error.__traceback__
    while traceback is not None:
        worker = traceback.tb_frame.f_locals.get("self")
        place = getattr(worker, "loc", None)
        if isinstance(place, Loc) and place.filename == file:
            found = str(place.line)
        traceback = traceback.tb_next
    return found
