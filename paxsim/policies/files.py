"""Importing a user's policy file, and keeping what it said when it was imported."""

from __future__ import annotations

import builtins
import contextlib
import dis
import enum
import hashlib
import importlib.util
import itertools
import linecache
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.typing.templates import builtin_registry

from paxsim.errors import PaxsimError, one_line, suggestion
from paxsim.policies.checks import quoted_from


@dataclass(frozen=True)
class UserFile:
    """A user's file as it was imported.

    Attributes
    ----------
    path : str
        Where it was.
    source : bytes
        What was in it.
    beside : dict of str to bytes
        The modules beside it that were imported, by their paths relative to its folder.
    """

    path: str
    source: bytes
    beside: dict[str, bytes] = field(default_factory=dict)

    @property
    def module_name(self) -> str:
        """A name of its own for each place and content."""
        digest = hashlib.sha256(self.path.encode("utf-8", "surrogateescape") + self.source)
        return f"paxsim_file_{digest.hexdigest()[:16]}"


#: Files by module and path: the cells of a notebook are different files of one module.
_imported: dict[tuple[str, str], UserFile] = {}
#: Modules beside imported files, by folder and then by relative path.
_beside: dict[str, dict[str, bytes]] = {}
#: Importing changes what the whole process sees, so one thread at a time does it.
_one_at_a_time = threading.RLock()


def read_user_file(path: Path) -> UserFile:
    """Read a file that is to be imported."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise PaxsimError(f"policy: cannot read {path}: {error.strerror}") from None
    return UserFile(str(path), source, _beside.setdefault(str(path.parent), {}))


def keep_user_file(module: str, path: Path) -> None:
    """Keep the file of a module that has just defined something, also if it did so before."""
    loader = getattr(sys.modules.get(module), "__loader__", None)
    ours = isinstance(loader, _KeptLoader) and loader.path == str(path)
    with contextlib.suppress(OSError):  # a notebook has no file
        source = loader.source if ours else path.read_bytes()  # type: ignore[union-attr]
        beside = _beside.setdefault(str(path.parent), {})
        _imported[module, str(path)] = UserFile(str(path), source, beside)


def user_file_of(module: str, path: str) -> UserFile | None:
    """The file of a module as it was imported, if there is one."""
    return _imported.get((module, path))


def import_user_file(file: UserFile) -> ModuleType:
    """Import a file from its bytes, under a name of its own, once for each content."""
    with _one_at_a_time:
        if file.module_name in sys.modules:
            return sys.modules[file.module_name]
        loader = _KeptLoader(file.module_name, file.path, file.source)
        spec = importlib.util.spec_from_file_location(file.module_name, file.path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.module_name] = module
        try:
            with _modules_beside(file), stdout_to_stderr():
                loader.exec_module(module)
        except BaseException as error:  # a file may also end the program: sys.exit()
            del sys.modules[file.module_name]
            if isinstance(error, (PaxsimError, KeyboardInterrupt)):
                raise
            raise PaxsimError(_in_one_line(file.path, error)) from None
        return module


def stdout_to_stderr() -> contextlib.AbstractContextManager:
    """What users' files print while they are imported must not stand among the results."""
    return contextlib.redirect_stdout(sys.stderr)


def _in_one_line(path: str, error: BaseException) -> str:
    name, number = Path(path).name, None
    if isinstance(error, SyntaxError) and error.filename == path:  # and not in what it imports
        number = error.lineno
    here = number is not None
    for frame in traceback.extract_tb(error.__traceback__):
        if number is None and frame.filename == path:
            number = frame.lineno
    line = f" line {number}:" if number else ""
    if isinstance(error, SystemExit):
        return f"policy {name}: ends the program when it is imported; allowed: definitions"
    quote = quoted_from(path, number or 0)
    return f"policy {name}:{line} {_what_is_wrong(error, here)}{quote}"


def _what_is_wrong(error: BaseException, here: bool) -> str:
    """An error of Python's in few words, without the place and paths that others need."""
    found = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    if isinstance(error, ImportError) and found:
        name, module = found.groups()
        known = [other for other in dir(sys.modules.get(module)) if not other.startswith("_")]
        return f"{module} has no {name}{suggestion(name, known)}; allowed: what {module} has"
    said = error.msg if here and isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {one_line(said)}"


class _KeptLoader(SourceFileLoader):
    """Loads a module from bytes that were read before, whatever its file says by now."""

    def __init__(self, name: str, path: str, source: bytes):
        super().__init__(name, path)
        self.source = source

    def get_data(self, path: str) -> bytes:
        return self.source

    def path_stats(self, path: str) -> dict:
        # Python's own cache of compiled files takes two files of one second for the same.
        raise OSError("not cached")

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, with its text at hand for messages and for `inspect`."""
        text = importlib.util.decode_source(self.source)
        linecache.cache[self.path] = (len(text), None, text.splitlines(True), self.path)
        super().exec_module(module)


class _BesideFinder:
    """Finds the modules beside a file, and keeps their bytes."""

    def __init__(self, folder: Path, kept: dict[str, bytes]):
        self._folder = folder
        self._kept = kept

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        owner = sys.modules.get(name.partition(".")[0])
        loader = getattr(owner, "__loader__", None)
        if getattr(owner, "__file__", None) and not isinstance(loader, _KeptLoader):
            return None  # a part of a package that is not beside the file
        stem = name.replace(".", "/")
        for relative in (f"{stem}/__init__.py", f"{stem}.py"):
            if relative not in self._kept:
                try:
                    self._kept[relative] = (self._folder / relative).read_bytes()
                except OSError:
                    continue
            file = str(self._folder / relative)
            return importlib.util.spec_from_file_location(
                name, file, loader=_KeptLoader(name, file, self._kept[relative])
            )
        return None


@contextlib.contextmanager
def _modules_beside(file: UserFile) -> Iterator[None]:
    """Let a file import what stands beside it."""
    folder = Path(file.path).parent
    kept = _beside.setdefault(str(folder), {})
    kept.update(file.beside)
    finder = _BesideFinder(folder, kept)
    places = [i for i, known in enumerate(sys.meta_path) if known is PathFinder]
    sys.meta_path.insert(places[0] if places else len(sys.meta_path), finder)
    sys.path.insert(0, str(folder))  # for what is not written in Python
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        with contextlib.suppress(ValueError):  # the file itself may have taken it out
            sys.path.remove(str(folder))


_PACKAGE = Path(__file__).resolve().parent.parent
#: The parts of the package that decide how a game goes and what is counted of it.
_SOURCES = (
    "cards.py",
    "errors.py",
    "failures.py",
    "rules.py",
    "helpers.py",
    "setting.py",
    "lineup.py",
    "playing.py",
    "experiment/counting.py",
    "experiment/cutting.py",
    "experiment/tallylayout.py",
    "experiment/plan.py",
    "experiment/run.py",
    "experiment/tally.py",
    "engine/**/*.py",
    "guests/**/*.py",
    "policies/**/*.py",
    "search/**/*.py",
    "search/profiles.toml",
)


def _package_sources() -> list[Path]:
    """The files of `_SOURCES`."""
    return sorted(path for pattern in _SOURCES for path in _PACKAGE.glob(pattern))


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in _package_sources():
        # As text, because line ends may differ from one copy to another.
        digest.update(
            repr((path.relative_to(_PACKAGE).as_posix(), path.read_text("utf-8"))).encode()
        )
    return digest.hexdigest()[:16]


#: Taken when the package is imported: what is edited later is not what plays.
_PACKAGE_FINGERPRINT = _digest_of_sources()
_PACKAGE_FILES = frozenset(_package_sources())


def package_fingerprint() -> str:
    """Sixteen hexadecimal digits of the sources of all that plays games and counts them.

    They depend on the sources as they were imported, and neither on where they are nor on the
    machine.
    """
    return _PACKAGE_FINGERPRINT


def _folder_of(module: ModuleType) -> Path:
    return Path(str(module.__file__)).resolve().parent


#: Python's own library, and folders inside it that others install their packages into.
_PYTHON = Path(os.__file__).resolve().parent
_INSTALLED = {"site-packages", "dist-packages"}
_COMPILERS = (_folder_of(np), _folder_of(numba))


def _is_library_file(name: str) -> bool:
    """Whether a file belongs to Python, numpy or numba; a user's file may well be `random.py`."""
    path = Path(name).resolve()
    if any(path.is_relative_to(folder) for folder in _COMPILERS):
        return True
    return path.is_relative_to(_PYTHON) and _INSTALLED.isdisjoint(path.parts)


def is_library(module: ModuleType) -> bool:
    """Whether a module belongs to Python, numpy or numba."""
    file = getattr(module, "__file__", None)
    if file is not None:
        return _is_library_file(file)
    return module.__name__ in sys.builtin_module_names


def place_in_package(function: FunctionType) -> str | None:
    """Where a function stands in the sources of `package_fingerprint`; None if it does not."""
    code = function.__code__
    path = Path(code.co_filename).resolve()
    if path not in _PACKAGE_FILES:
        return None
    return f"{path.relative_to(_PACKAGE).as_posix()}:{code.co_firstlineno}"


def place_in_library(function: FunctionType) -> str | None:
    """The name of a function of Python, numpy or numba; None if it is none of theirs."""
    if not _is_library_file(function.__code__.co_filename):
        return None
    return f"{function.__module__}.{function.__qualname__}"


def library_name(value: Any) -> str | None:
    """The name under which Python, numpy, numba or this package has a value; else None."""
    place = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    module = sys.modules.get(place) if isinstance(place, str) else None
    if module is None or not isinstance(name, str):
        return None
    ours = Path(str(getattr(module, "__file__", ""))).resolve() in _PACKAGE_FILES
    if not ours and not is_library(module):
        return None
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{place}.{name}" if found is value else None


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
