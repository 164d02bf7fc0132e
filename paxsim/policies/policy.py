"""Policy: a Python function, its parameters, and its compiled form."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types

from paxsim.engine.cache import enable_cache
from paxsim.engine.jit import PART, kernel, whole
from paxsim.engine.loop import policy_address
from paxsim.engine.lowlevel import POLICY_SIGNATURE
from paxsim.engine.records import MAX_PARAMS
from paxsim.engine.threads import compiling
from paxsim.errors import PaxsimError, is_number, safe_repr, unknown
from paxsim.io import html_table
from paxsim.policies.checks import check_compilable, explain, explain_answer
from paxsim.policies.files import code_fingerprint, note_source, pack, package_fingerprint, unpack
from paxsim.policies.interpreted import PlainRecord, callback, plain_function, rebuild
from paxsim.policies.readonly import TYPES, VIEWS
from paxsim.text import WIDTH

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

#: The module that defines the built-in policies.
BUILT_IN_MODULE = "paxsim.policies.heuristics"
_RECORDS = ("table", "me", "choice")


@dataclass(frozen=True)
class PolicyContext:
    """Parameters of a policy at a seat, to be kept as long as the games are played."""

    #: Values as in the seat record, shape ``(MAX_PARAMS,)``.
    params: np.ndarray
    #: Progress of the policy's rollouts (``paxsim.engine.loop.progress_dtype``), if it plays any.
    rollouts: np.void | None = None
    #: Function that returns the policy asked last in rollouts with this progress.
    asked: Callable[[np.void], Policy] | None = None
    #: Memory that the parameters refer to by address, if they are not only numbers.
    memory: object = None


@dataclass(frozen=True, eq=False)
class Policy:
    """Way to play, ready for the engine.

    Policies are equal if they have the same label and make the same moves, wherever their
    functions were imported from.

    Attributes
    ----------
    name : str
        Name in line-ups and results.
    function : callable
        The Python function ``(table, me, choice, **parameters) -> int``.
    params : mapping of str to float
        Values of its parameters.
    defaults : dict of str to float
        Default values of its parameters.
    origin : str
        File or module that defines it.
    solo : bool
        Whether it makes sense in solo.
    signed : frozenset of str
        Parameters that make sense on both sides of 0: those declared so, and those whose default
        is not above 0.
    is_plain : bool
        Whether it is interpreted by Python and not compiled.

    Examples
    --------
    >>> import paxsim
    >>> builder = paxsim.get_policy("builder:breadth=0.8")
    >>> builder.params["breadth"], builder.defaults["breadth"]
    (0.8, 2.5)
    """

    name: str
    function: Any
    params: Mapping[str, float]
    defaults: dict[str, float]
    origin: str
    solo: bool
    signed: frozenset[str] = frozenset()
    is_plain: bool = False

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if not isinstance(other, Policy) or type(other) is not type(self):
            return NotImplemented
        if self.is_plain != other.is_plain:
            return False
        try:
            return self.label == other.label and self.fingerprint == other.fingerprint
        except PaxsimError:  # its code can't be described
            return False

    def __hash__(self) -> int:
        return hash(self.label)

    def __deepcopy__(self, memo: dict) -> Policy:
        return self  # it never changes

    def __repr__(self) -> str:
        text = f"Policy {self.label}: {self.idea or 'no description'}"
        return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."

    def _repr_html_(self) -> str:
        rows = [
            (key, f"{value:g}", f"{self.defaults[key]:g}") for key, value in self.params.items()
        ]
        caption = f"Policy {self.label} ({self.fits}): {self.idea or 'no description'}"
        return html_table(("parameter", "value", "default"), rows, caption)

    @property
    def built_in(self) -> bool:
        """True if it comes with the package."""
        if self.function.__module__ != BUILT_IN_MODULE:
            return False
        original = vars(import_module(BUILT_IN_MODULE)).get(self.name)
        return isinstance(original, Policy) and original.function is self.function

    @property
    def draws(self) -> bool:
        """True if it may draw random numbers, as any user's policy may."""
        return not self.built_in or self.name == "random"

    @property
    def idea(self) -> str:
        """First line of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def fits(self) -> str:
        """Player counts that it is meant for."""
        return "solo, 2-8 players" if self.solo else "2-8 players"

    @property
    def searches(self) -> bool:
        """True if it plays rollouts (`paxsim.search`)."""
        return False

    def check_solo(self) -> None:
        """Raise if it can't play solo at all; playing badly there is allowed."""

    @property
    def label(self) -> str:
        """Name and changed parameters."""
        changed = [f"{k}={v!r}" for k, v in self.params.items() if v != self.defaults[k]]
        return ":".join([self.name, *changed])

    @property
    def spec(self) -> str:
        """The label with its file, as `get_policy` reads it in another process."""
        if not self.origin.endswith(".py"):
            return self.label
        path = Path(self.origin)
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        return f"{path}:{self.label}"

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on everything that determines its moves.

        They are other ones in every process if an interpreted policy reads what can't be described,
        such as an open file: then a stored run can't be resumed.
        """
        code = self.name if self.built_in else code_fingerprint(self.function)
        text = repr((package_fingerprint(), code, sorted(self.params.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __reduce__(self) -> tuple:
        """Return how another process makes the policy: a user's function travels by value."""
        function = None if self.built_in else pack(self.function)
        return _from_values, ({**vars(self), "params": dict(self.params), "function": function},)

    @property
    def compiled(self) -> Any:
        """The function used in games: compiled on first use, or interpreted."""
        if self.is_plain:
            return plain_function(self.function)
        return compile_built_in(self.function) if self.built_in else compile_checked(self.function)

    def address(self) -> int:
        """Return the address of the code that the engine calls."""
        if self.is_plain:
            function = callback(self.function, len(self.params))
            return ctypes.cast(function, ctypes.c_void_p).value or 0
        return compiled_address(self.compiled)

    def context(self) -> PolicyContext:
        """Return its parameters for a seat, with the memory that they refer to."""
        return PolicyContext(self.param_vector())

    def param_vector(self) -> np.ndarray:
        """Return the parameter values as in the seat record, shape ``(MAX_PARAMS,)``."""
        vector = np.zeros(MAX_PARAMS)
        vector[: len(self.params)] = list(self.params.values())
        return vector

    def __call__(self, table: Any, me: Any, choice: Any, **changes: float) -> int:
        """Return the option that it chooses, computed in plain Python.

        Parameters
        ----------
        table, me, choice
            The records, such as `Game.table`, `Game.me` and `Game.choice`.
        changes : float
            Changed parameters.
        """
        params = self.with_params(changes).params
        records = [r if isinstance(r, PlainRecord) else PlainRecord(r) for r in (table, me, choice)]
        with np.errstate(over="ignore"):
            return plain_function(self.function)(*records, *params.values())

    def with_params(self, changes: dict[str, float]) -> Policy:
        """Return the policy with some parameters changed; nothing is compiled again."""
        if not isinstance(changes, dict):
            raise PaxsimError(
                f"policy {self.name}: params must be a dictionary, got {safe_repr(changes)}"
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

    def as_plain(self) -> Policy:
        """Return the policy interpreted by Python; a searcher stays compiled."""
        return replace(self, is_plain=True) if type(self) is Policy else self

    def restrict_like(self, other: Policy) -> Policy:
        """Return another policy with the restrictions of this one, usually none."""
        return other


def helper(function: AnyFunction) -> AnyFunction:
    """Compile a function so that policies can call it: ``@paxsim.helper``.

    Within a policy it is compiled again, with the checks for policies.

    Parameters
    ----------
    function : callable
        A function of numbers, arrays and records that numba can compile.

    Returns
    -------
    callable
        The compiled function.

    Raises
    ------
    PaxsimError
        If `function` is not a Python function.

    Examples
    --------
    >>> import paxsim
    >>> @paxsim.helper
    ... def spare_money(me, reserve):
    ...     return me.money - reserve
    """
    if not inspect.isfunction(function):
        raise PaxsimError(f"helper: expected a function, got {safe_repr(function)}")
    return numba.njit(**CHECKED)(function)


def make_policy(function: FunctionType, *, solo: bool, signed: Sequence[str] = ()) -> Policy:
    """Build a policy from a function, without compiling it."""
    params = _params_of(function)
    name, origin = function.__name__, function.__module__
    if not isinstance(signed, (list, tuple)):
        raise PaxsimError(
            f"policy {name}: signed must be a list of parameters, got {safe_repr(signed)}"
        )
    for parameter in signed:
        if parameter not in params:
            raise unknown(f"policy {name}: signed: parameter", parameter, params)
    both_signs = frozenset([*signed, *(key for key, value in params.items() if value <= 0)])
    if origin != BUILT_IN_MODULE:
        with contextlib.suppress(TypeError):  # a function typed into a prompt has no file
            origin = str(Path(inspect.getfile(function)).resolve())
            note_source(function, Path(origin))
    return Policy(name, function, params, dict(params), origin, solo, both_signs)


def _from_values(values: dict[str, Any]) -> Policy:
    """Build a policy in another process."""
    if values["function"] is None:
        function = vars(import_module(BUILT_IN_MODULE))[values["name"]].function
    else:
        function = unpack(values["function"])
    return Policy(**{**values, "function": function})


def _params_of(function: Callable) -> dict[str, float]:
    """Return names and defaults of the parameters after the three records."""
    signature = inspect.signature(function)
    arguments = list(signature.parameters.values())
    names = [argument.name for argument in arguments]
    where = f"policy {function.__name__}"
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise PaxsimError(f"{where}: must be defined with def, not async def")
    positional = all(argument.kind is argument.POSITIONAL_OR_KEYWORD for argument in arguments)
    # Other names are allowed, but these names in another place are a mistake.
    misplaced = any(name in names and names.index(name) != i for i, name in enumerate(_RECORDS))
    if len(arguments) < len(_RECORDS) or not positional or misplaced:
        raise PaxsimError(
            f"{where}: the arguments must be (table, me, choice, parameter=default, ...), "
            f"got {signature}"
        )
    params = {}
    for argument in arguments[len(_RECORDS) :]:
        if not is_number(argument.default):
            raise PaxsimError(
                f"{where}: parameter {argument.name} needs a number as default, "
                f"such as {argument.name}=1.0"
            )
        params[argument.name] = float(argument.default)
    if len(params) > MAX_PARAMS:
        raise PaxsimError(f"{where}: at most {MAX_PARAMS} parameters, got {len(params)}")
    return params


@compiling
def compile_cached(function: Callable) -> Any:
    """Compile a function with the signature of a policy, through the package's cache."""
    dispatcher = whole(function)
    enable_cache(dispatcher, "policies (about 2 s each)")
    dispatcher.compile(POLICY_SIGNATURE)
    return dispatcher


@compiling
def compile_built_in(function: Callable) -> Any:
    """Compile a policy of the package to the engine's signature."""
    return compile_cached(_outer(function, kernel(function), "table, me, choice"))


#: Bad indices and division by zero raise, as in Python.
CHECKED: dict[str, Any] = {"nogil": True, "error_model": "python", "boundscheck": True}
_compile_part = numba.njit(**{**PART, **CHECKED})
#: Checked versions of the functions that policies call, and of modules, by the original.
_checked: dict[Any, Any] = {}


@compiling
def compile_checked(function: FunctionType) -> Any:
    """Compile a user's policy, and all that it calls, with checks and read-only records."""
    check_compilable(function)
    code_fingerprint(function)  # the values that it reads are compiled in now
    inner = _compile_part(rebuild(function, _compile_part, _checked))
    numbers = [types.float64] * len(_params_of(function))
    arguments = (*TYPES.values(), *numbers)
    try:
        inner.compile(arguments)
    except Exception as error:  # numba may also stumble over what it did not expect
        raise PaxsimError(f"policy {function.__name__}: {explain(error, function)}") from None
    kind = inner.overloads[arguments].signature.return_type
    if not isinstance(kind, types.Integer):  # a fraction would be cut off
        raise PaxsimError(f"policy {function.__name__}: {explain_answer(kind, function)}")
    views = {f"{name}_view": view for name, view in VIEWS.items()}
    records = ", ".join(f"{name}_view({name})" for name in VIEWS)
    outer = whole(_outer(function, inner, records, **views))
    outer.compile(POLICY_SIGNATURE)
    return outer


#: Return the address of compiled code; the cache keeps the code alive.
compiled_address = functools.cache(policy_address)


def _outer(function: Callable, decide: Any, records: str, **names: Any) -> Callable:
    """Return a function with the engine's signature that reads parameters from the seat record."""
    name = function.__name__
    values = "".join(f", me.params[{i}]" for i in range(len(_params_of(function))))
    source = f"def {name}(table, me, choice):\n return decide({records}{values})\n"
    namespace = {**names, "decide": decide, "__name__": function.__module__}
    exec(compile(source, f"<policy {name}>", "exec"), namespace)
    return namespace[name]
