"""The registry of policies and the decorator that compiles an ordinary function into one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numba
import numpy as np
from numba import types

from paxsim.engine.compiling import OPTIONS, enable_package_cache
from paxsim.engine.play import POLICY_SIGNATURE
from paxsim.engine.records import MAX_PARAMS, ChoiceType, SeatType, TableType
from paxsim.errors import PaxsimError, unknown

#: Built-in policies, a module each in this package.
BUILT_IN = ("random", "first")

_RECORDS = ("table", "me", "choice")
_registry: dict[str, Policy] = {}


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
    built_in : bool
        Whether it comes with the package.
    """

    name: str
    function: Callable
    params: dict[str, float]
    built_in: bool = False

    @property
    def idea(self) -> str:
        """The first line of the docstring: the idea in a player's words."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def label(self) -> str:
        """Name and changed parameters, as `find_policy` reads them."""
        base = _registry[self.name].params if self.name in _registry else self.params
        changed = [f"{k}={v:g}" for k, v in self.params.items() if v != base[k]]
        return ":".join([self.name, *changed])

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
        for name in changes:
            if name not in self.params:
                raise unknown(f"policy {self.name}: parameter", name, self.params or ["none"])
        return Policy(self.name, self.function, {**self.params, **changes}, self.built_in)


def policy(function: Callable) -> Policy:
    """Register a function as a policy.

    The function takes ``(table, me, choice)`` and returns the index of the option it chooses.
    Further arguments are its parameters and need a number as default.

    Examples
    --------
    >>> import paxsim
    >>> @paxsim.policy
    ... def hasty(table, me, choice, stop=0.0):
    ...     '''Take the first option of everything.'''
    ...     return 0
    >>> hasty.params
    {'stop': 0.0}
    """
    built_in = function.__module__.startswith("paxsim.policies.")
    made = Policy(function.__name__, function, _params_of(function), built_in)
    _registry[made.name] = made
    return made


def _params_of(function: Callable) -> dict[str, float]:
    """Names and defaults of the parameters behind the three records."""
    arguments = list(inspect.signature(function).parameters.values())
    name = function.__name__
    if len(arguments) < len(_RECORDS):
        raise PaxsimError(f"policy {name}: found {len(arguments)} arguments; "
                          "allowed: (table, me, choice, parameter=default, ...)")
    params = {}
    for argument in arguments[len(_RECORDS) :]:
        default = argument.default
        if isinstance(default, bool) or not isinstance(default, (int, float)):
            raise PaxsimError(f"policy {name}: parameter {argument.name}: found no number as "
                              "default; allowed: a number, such as weight=1.0")
        params[argument.name] = float(default)
    if len(params) > MAX_PARAMS:
        raise PaxsimError(f"policy {name}: found {len(params)} parameters; "
                          f"allowed: at most {MAX_PARAMS}")
    return params


@functools.cache
def _compile(function: Callable, built_in: bool) -> Any:
    """Compile a policy to the engine's signature, its parameters read from the seat record."""
    count = len(_params_of(function))
    inner = numba.njit(**OPTIONS, boundscheck=not built_in)(function)
    if not built_in:
        _check_return_type(inner, function.__name__, count)
    values = "".join(f", me.params[{i}]" for i in range(count))
    source = f"def {function.__name__}(table, me, choice):\n return decide(table, me, choice{values})\n"
    namespace: dict[str, Any] = {"decide": inner, "__name__": function.__module__}
    exec(compile(source, f"<policy {function.__name__}>", "exec"), namespace)
    outer = numba.njit(**OPTIONS)(namespace[function.__name__])
    if built_in:
        enable_package_cache(outer)
    outer.compile(POLICY_SIGNATURE)
    return outer


def _check_return_type(inner: Any, name: str, count: int) -> None:
    """A float would be cut off in silence, so only whole numbers are let through."""
    arguments = (TableType, SeatType, ChoiceType, *[types.float64] * count)
    inner.compile(arguments)
    found = inner.overloads[arguments].signature.return_type
    if not isinstance(found, types.Integer):
        raise PaxsimError(f"policy {name}: returns {found}; allowed: a whole number, the index "
                          "of the chosen option")


def policy_names() -> list[str]:
    """Names of all policies: the built-in ones, then those registered since."""
    return [*BUILT_IN, *(name for name in _registry if name not in BUILT_IN)]


def find_policy(spec: str | Policy) -> Policy:
    """Find a policy by its name.

    Parameters
    ----------
    spec : str or Policy
        A name, with changed parameters behind it if wanted: ``"builder:breadth=0.8"``.
    """
    if isinstance(spec, Policy):
        return spec
    name, *settings = spec.strip().split(":")
    if name in BUILT_IN and name not in _registry:
        import_module(f"paxsim.policies.{name}")
    if name not in _registry:
        raise unknown("policy", name, policy_names())
    return _registry[name].with_params(dict(_parse_setting(name, part) for part in settings))


def _parse_setting(policy_name: str, text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise PaxsimError(
            f"policy {policy_name}: found {text!r}; allowed: parameter=number"
        ) from None
