"""What a policy is: a Python function, its parameters, and its compiled form."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import marshal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import decode_source
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from paxsim.engine.compiling import OPTIONS, enable_package_cache, kernel, with_parts
from paxsim.engine.play import POLICY_SIGNATURE
from paxsim.engine.records import MAX_PARAMS, ChoiceType, SeatType, TableType
from paxsim.errors import PaxsimError, is_number, unknown
from paxsim.policies.contract import check_source
from paxsim.policies.userfiles import keep_user_file, user_file_of
from paxsim.texts import told

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
    params : dict of str to float
        Its parameters with the values in force.
    defaults : dict of str to float
        The same as they were defined.
    origin : str
        The file or module that defines it.
    built_in : bool
        Whether it comes with the package.
    solo : bool
        Whether it makes sense in solo.
    """

    name: str
    function: Callable
    params: dict[str, float]
    defaults: dict[str, float]
    origin: str
    built_in: bool
    solo: bool

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
        """Twelve hexadecimal digits that depend on the source file and on the parameters."""
        text = _source_of(self.function) + repr(sorted(self.params.items()))
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
        return _compile(self.function, self.built_in)

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

    Like a policy's own code, it is checked for indices that are out of range.
    """
    if not inspect.isfunction(function):
        raise PaxsimError(f"helper: found {told(function)}; allowed: a function")
    return numba.njit(**OPTIONS, boundscheck=True)(function)


def make_policy(function: Callable, *, solo: bool) -> Policy:
    """Check a function against the contract of policies and wrap it; nothing is compiled yet."""
    module = function.__module__
    built_in = module.startswith("paxsim.policies.")
    params = _params_of(function)
    if not built_in:
        check_source(function)
    origin = module
    if not built_in:
        with contextlib.suppress(TypeError):
            origin = str(Path(inspect.getfile(function)).resolve())
            keep_user_file(module, Path(origin))
    return Policy(function.__name__, function, params, dict(params), origin, built_in, solo)


def _source_of(function: Callable) -> str:
    """The text of the file that defines a function, or of the function where there is no file.

    Of a function typed at a prompt, which has no text either, it is the compiled code.
    """
    try:
        return decode_source(Path(inspect.getfile(function)).read_bytes())
    except (OSError, TypeError, SyntaxError, UnicodeDecodeError):  # no file, or a damaged one
        pass
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return marshal.dumps(function.__code__).hex()


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
def _compile(function: Callable, built_in: bool) -> Any:
    """Compile a policy to the engine's signature, its parameters read from the seat record.

    A user's policy is compiled with checks of every index, so that it can't read beyond what it
    was handed.
    """
    name = function.__name__
    count = len(_params_of(function))
    inner = kernel(function) if built_in else helper(function)
    if not built_in:
        _check_return_type(inner, name, count)
    values = "".join(f", me.params[{i}]" for i in range(count))
    source = f"def {name}(table, me, choice):\n return decide(table, me, choice{values})\n"
    namespace: dict[str, Any] = {"decide": inner, "__name__": function.__module__}
    exec(compile(source, f"<policy {name}>", "exec"), namespace)
    outer = with_parts(namespace[name])
    if built_in:
        enable_package_cache(outer)
    outer.compile(POLICY_SIGNATURE)
    return outer


def _check_return_type(inner: Any, name: str, count: int) -> None:
    """A float would be cut off in silence, so only whole numbers are let through."""
    arguments = (TableType, SeatType, ChoiceType, *[types.float64] * count)
    try:
        inner.compile(arguments)
    except NumbaError as error:
        file = inner.py_func.__code__.co_filename
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


def _in_plain_words(error: NumbaError, file: str) -> str:
    """What the compiler could not do, and in which line of the file, without its own story."""
    lines = [line.strip() for line in str(error).splitlines()]
    places = [line for line in lines if line.startswith("File ") and Path(file).name in line]
    number = places[-1].rpartition("line ")[2].rstrip(":") if places else ""
    skipped = ("Failed in nopython", "During:", "File ", "- Resolution", "There are", ">>>")
    reason = next((line for line in lines if line and not line.startswith(skipped)), "")
    where = f"line {number}: " if number else ""
    return f"{where}cannot be compiled: {reason}"
