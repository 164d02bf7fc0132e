"""The registry: policies by name, from the package, a user's file or another package."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
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
from paxsim.policies.files import (
    UserFile,
    import_user_file,
    read_user_file,
    stdout_to_stderr,
    user_file_of,
)
from paxsim.policies.interpreted import as_plain
from paxsim.policies.policy import Policy, make_policy

#: Built-in policies, a module each in this package, in the order in which they are listed.
BUILT_IN = (
    "random",
    "first",
    "builder",
    "economist",
    "conspirator",
    "feeder",
    "starver",
    "tribune",
    "admiral",
    "merchant",
    "augur",
    "racer",
    "miser",
    "denier",
    "opportunist",
    "weighted",
    "defender",
    "loner",
    "answerer",
    "scout",
    "hermit",
)

#: The built-in policies with an idea: all but the two yardsticks.
HEURISTICS = BUILT_IN[2:]

#: The built-in policies that draw random numbers: all others play a deal the same way every time.
DRAWING = ("random",)

#: The policy that looks ahead, which others play for (`paxsim.search`).
SEARCH = "search"
#: The policy that plays like another one but for what is forbidden (`paxsim.policies.restricted`).
RESTRICTED = "restricted"

_HEURISTICS = "paxsim.policies.heuristics"
#: Characters of a policy's name, at most.
MAX_NAME = 200

#: Entry-point group under which another package offers policies.
ENTRY_POINTS = "paxsim.policies"

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

    The function takes ``(table, me, choice)`` and returns the index of the option it chooses.
    Further arguments are its parameters and need a number as default. ``solo=False`` says that it
    makes no sense in solo. With ``compiled=False`` it stays plain Python: anything may stand in it,
    and it plays some hundred times slower. ``signed`` names parameters that make sense below 0 as
    well although their default is above it, for `paxsim.tune`.

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
        raise PaxsimError(f"policy: found {safe_repr(function)}; allowed: a function")
    if not is_name(function.__name__, MAX_NAME) or set(",:") & set(function.__name__):
        raise PaxsimError(
            f"policy: name: found {safe_repr(function.__name__)}; allowed: what a line-up can name"
        )
    checked_bool(f"policy {function.__name__}: solo", solo)
    checked_bool(f"policy {function.__name__}: compiled", compiled)
    made = make_policy(function, solo=solo, signed=signed)
    wanted = compiled and (made.name in BUILT_IN or not PLAIN_WANTED)
    return _register(made if wanted else as_plain(made))


def _register(made: Policy) -> Policy:
    """File a policy under its name; a changed definition in the same place replaces the old."""
    if made.name in (SEARCH, RESTRICTED):
        raise _taken(made.name)
    if made.name in BUILT_IN:
        if Path(made.origin) == Path(__file__).with_name("heuristics.py").resolve():
            return made  # `_by_name` files it; whoever else claims to be it is never found
        raise _taken(made.name)
    check_source(made.function)
    old = _registry.get(made.name)
    # The cells of a notebook are different files of one module.
    here = (made.origin, made.function.__module__)
    if old is not None and old.origin != here[0] and old.function.__module__ != here[1]:
        raise PaxsimError(
            f"policy {made.name}: registered by {old.origin} and by {made.origin}; "
            "allowed: one policy a name"
        )
    _registry[made.name] = made
    return made


def _taken(name: str) -> PaxsimError:
    return PaxsimError(f"policy {name}: the name of a built-in policy; allowed: any other name")


def is_built_in(made: Policy) -> bool:
    """Whether a policy is the one that the module of its name in this folder defines."""
    if made.name not in BUILT_IN:
        return False
    return vars(import_module(_HEURISTICS))[made.name].function is made.function


def list_policies() -> list[str]:
    """Names of all policies: the built-in ones, then those registered since."""
    load_entry_points()
    return [*BUILT_IN, SEARCH, *(name for name in _registry if name not in BUILT_IN)]


@functools.cache
def load_entry_points() -> tuple[tuple[str, PaxsimError], ...]:
    """Import what other packages offer in the entry-point group ``paxsim.policies``.

    Returns
    -------
    tuple of (str, PaxsimError)
        The names of those that can't be loaded, and why: one package's fault is none of the others.
        The name of a module is chosen freely, so two packages may have chosen the same.
    """
    broken = []
    for point in entry_points(group=ENTRY_POINTS):
        try:
            with stdout_to_stderr():
                offered = point.load()
            _check_offer(point.name, point.value, offered)
        except KeyboardInterrupt:
            raise
        except PaxsimError as error:
            broken.append((point.name, error))
        except BaseException as error:  # a module may also end the program: sys.exit()
            text = f"cannot be loaded from {point.value}: {one_line(repr(error))}"
            broken.append((point.name, PaxsimError(f"policy {point.name}: {text}")))
    return tuple(broken)


def _check_offer(name: str, where: str, offered: object) -> None:
    """What an entry point leads to must be the policy of its name, or a module with policies."""
    found = safe_repr(offered)
    if isinstance(offered, ModuleType):
        if _has_policies(offered):
            return
        found = f"the module {offered.__name__} without a policy"
    if not isinstance(offered, Policy):
        raise PaxsimError(
            f"policy {name}: found {found} at {where}; allowed: MODULE:NAME of a function with "
            "@paxsim.policy, or MODULE of a module with such functions"
        )
    if offered.name != name:
        raise PaxsimError(
            f"policy {name}: found the policy {offered.name} at {where}; "
            f"allowed: an entry point of its own name, {offered.name} = {where!r}"
        )


def _has_policies(module: ModuleType) -> bool:
    """Whether policies were registered in a module or below it, or are imported into it."""
    within, held = f"{module.__name__}.", {id(value) for value in vars(module).values()}
    return any(
        f"{made.function.__module__}.".startswith(within) or id(made) in held
        for made in _registry.values()
        if made.name not in BUILT_IN
    )


def get_policy(spec: str | Policy) -> Policy:
    """Find a policy.

    Parameters
    ----------
    spec : str or Policy
        A name, or ``FILE.py:NAME``, of which the only policy of a file needs no name; with changed
        parameters behind it if wanted, as in ``"builder:breadth=0.8"`` or
        ``"mine.py:thrifty:greed=2"``.
    """
    if isinstance(spec, Policy):
        return _itself(spec)
    if not isinstance(spec, str):
        raise PaxsimError(
            f"policy: found {safe_repr(spec)}; allowed: a name, FILE.py:NAME, or a function with "
            "@paxsim.policy"
        )
    name, *settings = (part.strip() for part in spec.split(":"))
    if name == SEARCH:  # parentheses matter there
        from paxsim.search.searcher import searcher_from  # searchers build on policies

        return searcher_from(spec.partition(":")[2])
    if name == RESTRICTED:
        from paxsim.policies.restricted import restricted_from  # it builds on policies

        return restricted_from(settings)
    if name.endswith(".py"):
        named = bool(settings) and "=" not in settings[0]
        found = _from_file(name, settings.pop(0) if named else "")
    else:
        found = _by_name(name)
    changes: dict[str, float] = {}
    for part in settings:
        parameter, value = parse_setting(found.name, part)
        if parameter in changes:
            raise PaxsimError(f"policy {found.name}: {parameter}: given twice; allowed: once")
        changes[parameter] = value
    return found.with_params(changes)


def names_built_in(spec: str) -> bool:
    """Whether a text names a built-in policy, with whatever parameters."""
    return spec.partition(":")[0].strip() in BUILT_IN


def split_specs(text: str) -> list[str]:
    """The policies of a comma-separated text; an empty one is a mistake."""
    specs = [part.strip() for part in text.split(",")]
    if not all(specs):
        raise PaxsimError(f"policies: found {text!r} with an empty name; allowed: A,B,C")
    return specs


def _itself(made: Policy) -> Policy:
    """A policy as it was found; one with the name of a built-in must be that built-in."""
    if made.name not in BUILT_IN:
        return made
    if not made.built_in:
        raise _taken(made.name)
    if made.is_plain:
        return made
    return _by_name(made.name).with_params(dict(made.params))


def _by_name(name: str) -> Policy:
    if name in BUILT_IN and name not in _registry:
        module = import_module(_HEURISTICS)
        _registry[name] = replace(vars(module)[name], origin=module.__name__)
    if name not in _registry:
        broken = load_entry_points()
        if name not in _registry:
            raise _not_found(name, broken)
    return _registry[name]


def _not_found(name: str, broken: tuple[tuple[str, PaxsimError], ...]) -> PaxsimError:
    """Why there is no policy of a name: its package can't be loaded, or nobody knows it."""
    why = next((error for offer, error in broken if offer == name), None)
    if why is not None:
        return why
    error = unknown("policy", name, [*list_policies(), "FILE.py:NAME"])
    if not broken:
        return error
    offers = ", ".join(dict.fromkeys(offer for offer, _ in broken))
    return PaxsimError(f"{error}; offered but broken: {offers} (`paxsim policies` says why)")


def policy_from_user_file(file: UserFile, name: str, params: dict[str, float]) -> Policy:
    """Build a user's policy in another process, from its file as it was imported."""
    return _from_module(import_user_file(file), file.path, name).with_params(params)


def policy_from_module(module: str, source: bytes, label: str) -> Policy:
    """Build a policy of an installed package in another process, where it must be the same."""
    with stdout_to_stderr():
        import_module(module)
    found = get_policy(label)
    here = user_file_of(module, found.origin)
    if here is not None and here.source != source:
        raise PaxsimError(f"policy {label}: {module} has changed since the run began")
    return found


#: The data file that names policies whose code must not be imported; "" if there is none.
_untrusted_source: ContextVar[str] = ContextVar("untrusted source", default="")


@contextmanager
def policies_named_by(source: str | Path, trusted: bool) -> Iterator[None]:
    """Refuse policy files named by a file that somebody else may have written, unless trusted.

    Parameters
    ----------
    source : str or pathlib.Path
        The run directory, save or other data file that names the policies.
    trusted : bool
        Whether the user agreed to importing policy files that the data names.
    """
    token = _untrusted_source.set("" if trusted else str(source))
    try:
        yield
    finally:
        _untrusted_source.reset(token)


def _from_file(file: str, name: str) -> Policy:
    """A policy of a user's file; without a name, the only one in it."""
    if source := _untrusted_source.get():
        raise PaxsimError(
            f"{source} names the policy file {safe_repr(file)}, whose code would be run; "
            "use --trust-policies if you trust it"
        )
    path = checked_path("policy", file).resolve()
    try:
        module = import_user_file(read_user_file(path))
    except PaxsimError as error:
        blamed = re.match(r"policy ([^:]+):", str(error))
        if not name or blamed is None or blamed[1] in (name, path.name):
            raise
        raise PaxsimError(f"policy {name}: {path.name} stops at another one: {error}") from None
    return _from_module(module, file, name)


def _from_module(module: ModuleType, file: str, name: str) -> Policy:
    found = {made.name: made for made in vars(module).values() if isinstance(made, Policy)}
    if not found:
        raise PaxsimError(f"policy {file}: found no policy; allowed: functions with @paxsim.policy")
    if not name and len(found) == 1:
        name = next(iter(found))
    if name not in found:
        raise unknown(f"policy {file}: policy", name, found)
    return _itself(found[name])


def parse_setting(policy_name: str, text: str) -> tuple[str, float]:
    """A changed parameter as a line-up names it, ``name=number``."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise PaxsimError(
            f"policy {policy_name}: found {text!r}; allowed: parameter=number"
        ) from None
