"""Fingerprints of what decides the moves: of a user's policy, and of the package.

A policy is more than its file: it calls functions of other files, and numbers that were read from
who knows where are frozen into it when it is compiled. So its fingerprint is taken from what is
compiled: bytecode, defaults, closures and globals, followed from function to function. Comments,
line numbers, file names and docstrings are no part of it. Bytecode differs between versions of
Python (3.11, 3.12), and so does the fingerprint.
"""

from __future__ import annotations

import builtins
import dis
import enum
import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import builtin_registry

from paxsim.errors import PaxsimError
from paxsim.policies.origins import (
    is_library,
    library_name,
    package_fingerprint,
    place_in_library,
    place_in_package,
)

__all__ = ["code_fingerprint", "note_compiled", "package_fingerprint"]

_compiled: dict[Callable, str] = {}


def note_compiled(function: Callable) -> None:
    """Remember what a policy was when it was compiled: its globals are frozen from then on."""
    _compiled[function] = code_fingerprint(function)


def code_fingerprint(function: Callable) -> str:
    """Sixty-four hexadecimal digits of all that decides the moves of a user's policy.

    Raises
    ------
    PaxsimError
        If it reads a value that can't be described exactly, or one that has changed since the
        policy was compiled.
    """
    walk = _Walk(f"policy {function.__name__}")
    walk.value(function)
    walk.escaped_modules()
    found = walk.digest.hexdigest()
    if _compiled.get(function, found) != found:
        raise PaxsimError(
            f"policy {function.__name__}: a value that it reads has changed since it was compiled; "
            "allowed: define the policy again, or start anew"
        )
    return found


#: What is the same wherever it is written down as `repr` does it.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range)
_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")
_FREE = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_CLOSURE")
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_NOTHING = object()


class _Walk:
    """A walk over all that a function refers to, which is hashed as it is met."""

    def __init__(self, subject: str):
        self.subject = subject
        self.digest = hashlib.sha256()
        self._path: list[str] = []
        self._numbers: dict[int, int] = {}
        self._met: list[Any] = []  # kept alive, so that no number is given twice
        self._inside: list[int] = []
        self._in_package = 0
        #: Modules that are handed about as values, and every name that may be asked of them.
        self._escaped: list[ModuleType] = []
        self._names: set[str] = set()

    def _tell(self, *words: object) -> None:
        """Add words to the hash; their `repr` shows where each ends."""
        self.digest.update(repr(words).encode())

    def _is_new(self, value: Any) -> bool:
        """Whether something that may refer to itself is met for the first time."""
        number = self._numbers.setdefault(id(value), len(self._numbers))
        self._tell("met", number)
        if number < len(self._met):
            return False
        self._met.append(value)
        return True

    # --- values -----------------------------------------------------------------------------

    def value(self, value: Any) -> None:
        """Add a value, whatever it is."""
        if type(value) in _PLAIN:
            self._tell(type(value).__name__, repr(value))
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, (np.ndarray, np.generic)):
            self._array(np.asarray(value))
        elif isinstance(value, enum.Enum):
            self._tell("member", type(value).__qualname__, value.name)
            self.value(value.value)
        elif isinstance(value, (tuple, list, dict, set, frozenset)):
            self._container(value)
        elif isinstance(value, CodeType):
            self._code(value)
        elif isinstance(value, ModuleType):
            self._follow(value, ())
        elif _compiled_function(value) is not None:
            self._tell("compiled", type(value).__name__)
            self.value(getattr(value, "targetoptions", None))
            self._compiled(_compiled_function(value))
        else:
            self._other(value)

    def _array(self, array: np.ndarray) -> None:
        self._tell("array", array.shape, _dtype_text(array.dtype))
        if array.dtype.names is not None:
            for name in array.dtype.names:  # one by one: what lies between fields is no value
                self._array(array[name])
        elif array.dtype.hasobject:
            self.value(array.ravel().tolist())
        else:
            self.digest.update(array.tobytes())

    def _container(self, value: Any) -> None:
        if id(value) in self._inside:
            self._tell("again", len(self._inside) - self._inside.index(id(value)))
            return
        self._tell(type(value).__name__, len(value), getattr(value, "_fields", None))
        self._inside.append(id(value))
        if isinstance(value, (set, frozenset)):
            # The order of a set depends on the process.
            self._tell(sorted(self._apart(item) for item in value))
        else:
            for item in value.items() if isinstance(value, dict) else value:
                self.value(item)
        self._inside.pop()

    def _apart(self, item: Any) -> str:
        """The hash of one item of a set."""
        apart = _Walk(self.subject)
        apart._path = self._path
        apart.value(item)
        return apart.digest.hexdigest()

    def _other(self, value: Any) -> None:
        """Add what is neither data nor a function of the user's, or say that it can't be done."""
        if isinstance(value, np.dtype):
            self._tell("dtype", _dtype_text(value))
        elif (name := library_name(value)) is not None:
            self._tell("library", name)
        elif isinstance(value, type) and issubclass(value, enum.Enum):
            self._tell("enum", value.__qualname__)
            self.value({name: member.value for name, member in value.__members__.items()})
        elif isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            self._tell("fields", value.__qualname__, value._fields)
        elif isinstance(value, types.Type) and "0x" not in str(value):
            self._tell("type", str(value))
        elif isinstance(function := getattr(value, "function", None), FunctionType):
            self._tell("policy", type(value).__name__)
            self.value([function, getattr(value, "params", None)])
        elif self._in_package:
            self._tell("of the package", type(value).__qualname__)
        else:
            kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
            name = ".".join(self._path) or "a value"
            raise PaxsimError(
                f"{self.subject}: reads {name}, found {kind}; "
                "allowed: numbers, texts, tuples, arrays and functions"
            )

    # --- functions --------------------------------------------------------------------------

    def _compiled(self, part: Any) -> None:
        """Add what numba compiles.

        The package's fingerprint covers its own functions, but not the numbers that they read,
        which a user's file may have changed.
        """
        if not isinstance(part, FunctionType) or place_in_package(part) is None:
            self.value(part)
        elif self._is_new(part):
            self._tell("at", place_in_package(part))
            self._in_package += 1
            self._what_it_reads(part)
            self._in_package -= 1

    def _function(self, function: FunctionType) -> None:
        if not self._is_new(function):
            return
        if (name := place_in_package(function) or place_in_library(function)) is not None:
            self._tell("at", name)
            self._closure(function, [])
            return
        self._code(function.__code__)
        self._what_it_reads(function)
        for overload in _overloads(function):
            self._tell("overload")
            self.value(overload)

    def _what_it_reads(self, function: FunctionType) -> None:
        """Add defaults, closure and globals of a function."""
        self.value([function.__defaults__, function.__kwdefaults__])
        references = sorted(set(_references(function.__code__)))
        self._closure(function, references)
        for kind, name, attributes in references:
            if kind == "global":
                self._tell("global", name)
                found = function.__globals__.get(name, _NOTHING)
                self._named(name, vars(builtins).get(name) if found is _NOTHING else found,
                            attributes)  # fmt: skip

    def _closure(self, function: FunctionType, references: list[tuple]) -> None:
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            self._tell("cell", name)
            try:
                content = cell.cell_contents
            except ValueError:  # not filled yet
                continue
            used = [
                attributes
                for kind, free, attributes in references
                if (kind, free) == ("free", name)
            ]
            for attributes in used or [()]:
                self._named(name, content, attributes)

    def _code(self, code: CodeType) -> None:
        """Add bytecode, without what only serves people: lines, files, docstrings, local names."""
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._tell("code", arguments, code.co_posonlyargcount, code.co_flags & 0xFF,
                   getattr(code, "co_exceptiontable", b""))  # fmt: skip
        self._names.update(code.co_names)
        self._names.update(text for text in code.co_consts if isinstance(text, str))
        for step in dis.get_instructions(code):
            if step.opcode in dis.hasconst:
                self._tell(step.opname)
                # (Names of arguments are constants too, but Python 3.11 does not look them up.)
                named = step.opname == "KW_NAMES"
                self.value(code.co_consts[step.arg or 0] if named else step.argval)
            elif step.opcode in dis.hasname:
                self._tell(step.opname, step.argrepr)
            else:
                self._tell(step.opname, step.arg)

    def _named(self, name: str, value: Any, attributes: tuple[str, ...]) -> None:
        self._path.append(name)
        self._follow(value, attributes)
        self._path.pop()

    def _follow(self, value: Any, attributes: tuple[str, ...]) -> None:
        """Add what is reached from a value through attributes of modules."""
        if not isinstance(value, ModuleType):
            self.value(value)
        elif is_library(value):
            self._tell("library", value.__name__, attributes)
        elif not attributes:
            self._tell("module")
            if self._is_new(value):
                self._escaped.append(value)
        else:
            self._tell("attribute", attributes[0])
            found = getattr(value, attributes[0], _NOTHING)
            if found is not _NOTHING:  # the compiler will say that it is not there
                self._named(attributes[0], found, attributes[1:])

    def escaped_modules(self) -> None:
        """Add all that may be asked of modules that are handed about as values."""
        done: set[tuple[int, str]] = set()
        while todo := [
            (number, name)
            for number, module in enumerate(self._escaped)
            for name in sorted(self._names)
            if (number, name) not in done and hasattr(module, name)
        ]:
            for number, name in todo:
                done.add((number, name))
                self._tell("of", number)
                self._follow(self._escaped[number], (name,))


def _compiled_function(value: Any) -> Any:
    """The Python function behind what numba makes of it (njit, vectorize, cfunc), or None."""
    for attribute in ("py_func", "_pyfunc"):
        found = getattr(value, attribute, None)
        if isinstance(found, FunctionType):
            return found
    is_numbas = type(value).__module__.startswith("numba.")
    return getattr(value, "_dispatcher", None) if is_numbas else None


def _references(code: CodeType) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Names from outside that code reads, each with the attributes that are asked of it."""
    steps = list(dis.get_instructions(code))
    for place, step in enumerate(steps):
        kind = "global" if step.opname in _GLOBAL else "free" if step.opname in _FREE else ""
        if kind:
            following = itertools.takewhile(_is_attribute, steps[place + 1 :])
            yield kind, step.argval, tuple(each.argval for each in following)
        if step.opcode in dis.hasconst and isinstance(step.argval, CodeType):
            yield from _references(step.argval)


def _is_attribute(step: dis.Instruction) -> bool:
    return step.opname in _ATTRIBUTE


def _overloads(function: FunctionType) -> Iterable[FunctionType]:
    """What numba was told to compile in place of a function (`numba.extending.overload`)."""
    for value, kind in builtin_registry.globals:
        if value is function:
            for template in getattr(kind, "templates", ()):
                found = getattr(template, "_overload_func", None)
                if isinstance(found, FunctionType):
                    yield found


def _dtype_text(dtype: np.dtype) -> str:
    return repr(dtype.descr) if dtype.names is not None else dtype.str
