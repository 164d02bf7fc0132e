"""Registry: policies by name, from the package, a user's file or another package."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, overload

from paxsim.engine.jit import PLAIN_WANTED
from paxsim.errors import (
    PaxsimError,
    checked_bool,
    checked_path,
    is_name,
    one_line,
    safe_repr,
    unknown,
)
from paxsim.policies.checks import check_source
from paxsim.policies.files import FILE, import_user_file, stdout_to_stderr
from paxsim.policies.policy import BUILT_IN_MODULE, Policy, make_policy
from paxsim.policies.restricted import RESTRICTED, make_restricted, read_forbidden

#: Built-in policies, in the order in which they are listed.
BUILT_IN = (
    "random", "first", "builder", "economist", "conspirator", "feeder", "starver", "tribune",
    "admiral", "merchant", "augur", "racer", "miser", "denier", "opportunist", "weighted",
    "defender", "loner", "answerer", "scout", "hermit",
)  # fmt: skip

#: Built-in policies except the two yardsticks.
HEURISTICS = BUILT_IN[2:]

#: The policy that plays rollouts (`paxsim.search`).
SEARCH = "search"

#: Longest name of a policy, in characters.
MAX_NAME = 200

#: Entry-point group under which another package offers policies.
ENTRY_POINTS = "paxsim.policies"

#: Users' policies by name.
_registry: dict[str, Policy] = {}


@overload
def policy(
    function: Callable[..., Any],
    *,
    solo: bool = True,
    compiled: bool = True,
    signed: Sequence[str] = (),
) -> Policy: ...
@overload
def policy(
    *,
    solo: bool = True,
    compiled: bool = True,
    signed: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Policy]: ...
def policy(
    function: Callable[..., Any] | None = None,
    *,
    solo: bool = True,
    compiled: bool = True,
    signed: Sequence[str] = (),
) -> Policy | Callable[[Callable[..., Any]], Policy]:
    """Register a function as a policy: ``@policy``, or ``@policy(solo=False)``.

    Parameters
    ----------
    function : callable
        A function ``(table, me, choice, parameter=default, ...)`` that returns the index of the
        option it chooses. Parameters need a number as default.
    solo : bool
        Whether the policy makes sense in solo.
    compiled : bool
        False keeps it plain Python, which may use anything and is some hundred times slower.
    signed : sequence of str
        Parameters that make sense below 0 although their default is above it, for `paxsim.tune`.

    Returns
    -------
    Policy
        The policy, registered under the function's name.

    Raises
    ------
    PaxsimError
        If the function can't be a policy, or its name is taken; in a policy file, when it is used.

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
    if function is None:
        return functools.partial(policy, solo=solo, compiled=compiled, signed=signed)
    if not isinstance(function, FunctionType):
        raise PaxsimError(f"policy: expected a function, got {safe_repr(function)}")
    try:
        return _make(function, solo, compiled, signed)
    except PaxsimError as error:
        module = function.__module__  # while a policy file is imported, it is in sys.modules
        if not module.startswith(FILE) or module not in sys.modules:
            raise
        function.policy_error = error  # type: ignore[attr-defined]
        return function  # so that the other policies of the file can be used


def _make(function: FunctionType, solo: bool, compiled: bool, signed: Sequence[str]) -> Policy:
    name = function.__name__
    if not is_name(name, MAX_NAME) or set(",:") & set(name):
        raise PaxsimError(f"policy: name must not contain commas or colons, got {safe_repr(name)}")
    checked_bool(f"policy {name}: solo", solo)
    checked_bool(f"policy {name}: compiled", compiled)
    made = make_policy(function, solo=solo, signed=signed)
    if function.__module__ == BUILT_IN_MODULE and name in BUILT_IN:
        return made
    return _register(made if compiled and not PLAIN_WANTED else made.as_plain())


def _register(made: Policy) -> Policy:
    """Register a user's policy; a new definition in the same place replaces the old one."""
    _check_name_free(made.name)
    check_source(made.function)
    old = _registry.get(made.name)
    # The cells of a notebook are different files of one module.
    if old is not None and old.origin != made.origin:
        if old.function.__module__ != made.function.__module__:
            raise PaxsimError(
                f"policy {made.name} is defined in both {old.origin} and {made.origin}; "
                "rename one of them"
            )
    _registry[made.name] = made
    return made


def _check_name_free(name: str) -> None:
    if name in (*BUILT_IN, SEARCH, RESTRICTED):
        raise PaxsimError(f"policy {name}: a built-in policy has this name; choose another one")


def list_policies() -> list[str]:
    """Return the names of all policies: built-in ones, then registered ones.

    Returns
    -------
    list of str
        Names that `get_policy` finds.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.list_policies()[:3]
    ['random', 'first', 'builder']
    """
    load_entry_points()
    return [*BUILT_IN, SEARCH, *_registry]


@functools.cache
def load_entry_points() -> tuple[tuple[str, PaxsimError], ...]:
    """Import the policies of other packages; return names and errors of those that are broken."""
    broken = []
    for point in entry_points(group=ENTRY_POINTS):
        try:
            with stdout_to_stderr():
                offer = point.load()
            _check_offer(point.name, point.value, offer)
        except KeyboardInterrupt:
            raise
        except PaxsimError as error:
            broken.append((point.name, error))
        except BaseException as error:  # a module may also end the program: sys.exit()
            text = f"cannot be loaded from {point.value}: {one_line(repr(error))}"
            broken.append((point.name, PaxsimError(f"policy {point.name}: {text}")))
    return tuple(broken)


def _check_offer(name: str, value: str, offer: object) -> None:
    """Check that an entry point leads to the policy of its name, or to a module with policies."""
    if isinstance(offer, ModuleType):
        prefix, values = f"{offer.__name__}.", set(map(id, vars(offer).values()))
        if not any(
            f"{made.function.__module__}.".startswith(prefix) or id(made) in values
            for made in _registry.values()  # registered in it or below it, or imported into it
        ):
            raise PaxsimError(f"policy {name}: the module {value} has no policy")
    elif not isinstance(offer, Policy):
        raise PaxsimError(
            f"policy {name}: {value} must be a policy or a module with policies, "
            f"got {safe_repr(offer)}"
        )
    elif offer.name != name:
        raise PaxsimError(
            f"policy {name}: {value} is the policy {offer.name}; "
            f"the entry point needs the same name: {offer.name} = {value!r}"
        )


def get_policy(spec: str | Policy) -> Policy:
    """Find a policy by name.

    Parameters
    ----------
    spec : str or Policy
        A name or ``FILE.py:NAME`` (``FILE.py`` if the file defines one policy), with changed
        parameters if wanted: ``"builder:breadth=0.8"``, ``"mine.py:thrifty:greed=2"``. A policy
        is returned as it is.

    Returns
    -------
    Policy
        The policy with these parameters.

    Raises
    ------
    PaxsimError
        If there is no such policy or parameter, or the file can't be imported.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.get_policy("builder:breadth=0.8").params["breadth"]
    0.8
    """
    if isinstance(spec, Policy):
        if spec.name in BUILT_IN and not spec.built_in:
            _check_name_free(spec.name)
        return spec
    if not isinstance(spec, str):
        raise PaxsimError(
            "policy must be a name, FILE.py:NAME or a function with @paxsim.policy, "
            f"got {safe_repr(spec)}"
        )
    name, *settings = (part.strip() for part in spec.split(":"))
    if name == SEARCH:  # parentheses matter there
        from paxsim.search.searcher import searcher_from  # searchers build on policies

        return searcher_from(spec.partition(":")[2])
    if name == RESTRICTED:
        return _restricted_from(settings)
    if name.endswith(".py"):
        has_name = bool(settings) and "=" not in settings[0]
        base = _from_file(name, settings.pop(0) if has_name else "")
    else:
        base = _by_name(name)
    changes: dict[str, float] = {}
    for part in settings:
        parameter, value = parse_setting(base.name, part)
        if parameter in changes:
            raise PaxsimError(f"policy {base.name}: parameter {parameter} is given twice")
        changes[parameter] = value
    return base.with_params(changes)


def _restricted_from(settings: list[str]) -> Policy:
    """Return the policy of ``restricted:without=A+B:policy=NAME:...`` from its settings."""
    first, _, words = (settings[0] if settings else "").partition("=")
    second, _, name = (settings[1] if len(settings) > 1 else "").partition("=")
    if first.strip() != "without" or second.strip() != "policy":
        raise PaxsimError(
            f"policy {RESTRICTED} is written {RESTRICTED}:without=A+B:policy=NAME, "
            f"got {':'.join([RESTRICTED, *settings])!r}"
        )
    forbidden = read_forbidden(words)
    return make_restricted(get_policy(":".join([name, *settings[2:]])), forbidden)


def names_built_in(spec: str) -> bool:
    """Return whether a spec names a built-in policy, with any parameters."""
    return spec.partition(":")[0].strip() in BUILT_IN


def split_specs(text: str) -> list[str]:
    """Return the policies of a comma-separated text; raise if one of them is empty."""
    specs = [part.strip() for part in text.split(",")]
    if not all(specs):
        raise PaxsimError(f"policies must be names separated by commas, got {text!r}")
    return specs


def _by_name(name: str) -> Policy:
    if name in BUILT_IN:
        return vars(import_module(BUILT_IN_MODULE))[name]
    broken = () if name in _registry else load_entry_points()
    if name in _registry:
        return _registry[name]
    for offer, error in broken:
        if offer == name:
            raise error
    mistake = unknown("policy", name, [*list_policies(), "FILE.py:NAME"])
    if not broken:
        raise mistake
    offers = ", ".join(dict.fromkeys(offer for offer, _ in broken))
    raise PaxsimError(f"{mistake}; offered but broken: {offers} (`paxsim policies` says why)")


#: The data file that names policies whose code must not be imported; "" if there is none.
_untrusted_source: ContextVar[str] = ContextVar("untrusted source", default="")


@contextmanager
def policies_named_by(source: str | Path, trusted: bool) -> Iterator[None]:
    """Refuse policy files named by data that may come from others, unless it is trusted."""
    token = _untrusted_source.set("" if trusted else str(source))
    try:
        yield
    finally:
        _untrusted_source.reset(token)


def _from_file(file: str, name: str) -> Policy:
    """Return a policy of a user's file; without a name, the only one in it."""
    if source := _untrusted_source.get():
        raise PaxsimError(
            f"{source} names the policy file {safe_repr(file)}, whose code would be run; "
            "use --trust-policies (in Python: trust_policies=True) if you trust it"
        )
    path = checked_path("policy", file).resolve()
    offers: dict[str, Any] = {}
    for value in vars(import_user_file(path)).values():
        if isinstance(value, Policy):
            offers[value.name] = value
        elif isinstance(value, FunctionType) and hasattr(value, "policy_error"):
            offers[value.__name__] = value
    if not offers:
        raise PaxsimError(f"policy {file}: there is no function with @paxsim.policy in it")
    if not name and len(offers) == 1:
        name = next(iter(offers))
    if not name:
        named = " or ".join(f"{file}:{one}" for one in offers)
        raise PaxsimError(f"policy {file}: the file has several policies; write {named}")
    if name not in offers:
        raise unknown(f"policy {file}: policy", name, offers)
    if not isinstance(offers[name], Policy):
        raise offers[name].policy_error
    return get_policy(offers[name])


def parse_setting(policy_name: str, text: str) -> tuple[str, float]:
    """Return name and value of a changed parameter, ``name=number``."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise PaxsimError(
            f"policy {policy_name}: a parameter is written name=number, got {text!r}"
        ) from None
