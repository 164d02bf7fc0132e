"""Policy files: importing them, telling their versions apart, and sending policies to workers."""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import hashlib
import importlib
import importlib.util
import io
import linecache
import pickle
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import cloudpickle
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from paxsim.errors import PaxsimError, one_line, suggestion

# --- importing ------------------------------------------------------------------------------

#: Imported policy files, by path and digest.
_imported: dict[tuple[Path, str], ModuleType] = {}
#: How the names of imported policy files begin.
FILE = "paxsim_file_"
#: Importing changes `sys.path`, so one thread at a time does it.
_import_lock = threading.RLock()


def import_user_file(path: Path) -> ModuleType:
    """Import a policy file under a name of its own, once for each version of it.

    The modules beside it are imported anew for every file, so that two folders may have modules of
    the same name, and a changed module is noticed.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise PaxsimError(f"policy: cannot read {path}: {error.strerror}") from None
    with _import_lock:
        digest = source_digest(path)
        if (path, digest) not in _imported:
            _imported[path, digest] = _import(path, source, f"{FILE}{digest}")
        return _imported[path, digest]


def _import(path: Path, source: bytes, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    before = {name, *sys.modules} - {name}
    write_bytecode = sys.dont_write_bytecode
    sys.modules[name] = module  # dataclasses look for it
    sys.path.insert(0, str(path.parent))
    sys.dont_write_bytecode = True  # it can be stale within a second
    importlib.invalidate_caches()
    try:
        with stdout_to_stderr():
            text = importlib.util.decode_source(source)
            linecache.cache[str(path)] = (len(text), None, text.splitlines(True), str(path))
            exec(compile(source, str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a file may also end the program: sys.exit()
        if isinstance(error, PaxsimError) and str(error):
            raise
        raise PaxsimError(_import_error(path, error)) from None
    finally:
        sys.dont_write_bytecode = write_bytecode
        with contextlib.suppress(ValueError):
            sys.path.remove(str(path.parent))
        for added in set(sys.modules) - before:
            file = getattr(sys.modules[added], "__file__", None) or ""
            if added == name or (Path(file).is_relative_to(path.parent) and not is_installed(file)):
                del sys.modules[added]
    return module


def stdout_to_stderr() -> contextlib.AbstractContextManager:
    """Redirect what users' files print while they are imported, away from the results."""
    return contextlib.redirect_stdout(sys.stderr)


def _import_error(path: Path, error: BaseException) -> str:
    """Return one line about an exception during the import of a file."""
    if isinstance(error, SystemExit):
        return f"policy {path.name}: the file ends the program when it is imported"
    own = isinstance(error, SyntaxError) and error.filename == str(path)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    number = error.lineno if own else lines[-1] if lines else None  # type: ignore[attr-defined]
    text = error.msg if own else str(error)  # type: ignore[attr-defined]
    missing = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", text)
    if missing:
        names = [name for name in dir(sys.modules.get(missing[2])) if not name.startswith("_")]
        text = f"{missing[2]} has no {missing[1]}{suggestion(missing[1], names)}"
    place = f" line {number}:" if number else ""
    line = one_line(linecache.getline(str(path), number or 0).strip())
    quote = f"; the line: {line}" if line else ""
    what = f"{type(error).__name__}: {one_line(text)}".removesuffix(": ")
    return f"policy {path.name}:{place} {what}{quote}"


# --- versions of policies -------------------------------------------------------------------


_PACKAGE = Path(__file__).resolve().parent.parent
#: The parts of the package that decide how games are played and counted.
_SOURCES = (
    "cards.py", "rules.py", "setting.py", "helpers.py", "lineup.py", "playing.py", "engine/*.py",
    "policies/*.py", "search/*", "experiment/design.py", "experiment/run.py", "experiment/tally.py",
)  # fmt: skip


@functools.cache
def package_fingerprint() -> str:
    """Return sixteen hexadecimal digits of the sources that play and count games."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _SOURCES for path in _PACKAGE.glob(pattern)):
        if path.is_file():
            # As text, because line ends may differ between copies.
            name, text = path.relative_to(_PACKAGE).as_posix(), path.read_text("utf-8")
            digest.update(repr((name, text)).encode())
    return digest.hexdigest()[:16]


package_fingerprint()  # at import: what is edited later is not what plays


def is_installed(file: str) -> bool:
    """Return whether a file belongs to an installed package."""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


_LIBRARIES = frozenset({*sys.stdlib_module_names, "llvmlite", "numba", "numpy", "scipy"})


def is_library(module: str | None) -> bool:
    """Return whether a module belongs to Python, NumPy or numba."""
    return (module or "").partition(".")[0] in _LIBRARIES


def is_shared(module: str | None) -> bool:
    """Return whether every worker has a module: Python's, this package's, or an installed one."""
    if is_library(module) or f"{module}.".startswith("paxsim."):
        return True
    if module == "__main__":  # each process has its own
        return False
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return file is not None and is_installed(file)


def source_digest(path: Path) -> str:
    """Return sixteen hexadecimal digits of a file and of the modules beside it that it imports."""
    sources = [file.read_bytes() for file in _with_modules_beside(path)]
    return hashlib.sha256(repr(sources).encode()).hexdigest()[:16]


def _with_modules_beside(path: Path) -> list[Path]:
    """Return a file and the modules beside it, or in its package, that it imports."""
    root = path.parent
    while (root / "__init__.py").exists() and root != root.parent:
        root = root.parent
    files = [path]
    for file in files:
        try:
            tree = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue  # the import will say what is wrong
        for node in ast.walk(tree):
            folder, package = root, ""
            if isinstance(node, ast.ImportFrom):
                above = [root, *file.parents]  # by the number of dots
                folder, package = above[min(node.level, len(above) - 1)], node.module or ""
            elif not isinstance(node, ast.Import):
                continue
            inner = [f"{package}.{alias.name}".strip(".") for alias in node.names]
            for name in [package, *inner] if package else inner:
                stem = folder.joinpath(*name.split("."))
                for candidate in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
                    if candidate not in files and candidate.is_file():
                        files.append(candidate)
    return files


_sources: dict[Callable, str] = {}
_digests: dict[Callable, str] = {}


def note_source(function: Callable, path: Path) -> None:
    """Remember what stands in a function's file now, while it is being defined."""
    if path.is_file():
        _sources[function] = source_digest(path)


def code_fingerprint(function: FunctionType) -> str:
    """Return sixty-four hexadecimal digits of everything that decides a user's policy's moves.

    They depend on its file and the modules beside it, and on the code and the values that it reads,
    such as a table that was loaded from another file. They are taken once, when the policy is
    first used: compiled code does not notice later changes either.
    """
    if function not in _digests:
        text = repr((_sources.get(function), _describe(function, [])))
        _digests[function] = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return _digests[function]


def _describe(value: Any, seen: list[Any]) -> Any:
    """Return something with a `repr` that depends on a value and on all that it reads."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        if seen and is_shared(value.__module__):
            return value.__module__, value.__qualname__
        if value in seen:
            return seen.index(value)
        seen.append(value)
        reads = [(name, _describe(each, seen)) for name, each in references(value)]
        return _describe_code(value.__code__), _describe(value.__defaults__, seen), reads
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, (set, frozenset)):  # their order differs between processes
        return sorted(map(repr, value))
    if isinstance(value, (tuple, list)):
        return [_describe(each, seen) for each in value]
    if hasattr(type(value), "fingerprint"):  # another policy, or the same
        return value.label, _describe(value.function, seen)
    return repr(value)


def _describe_code(code: CodeType) -> tuple:
    constants = [
        _describe_code(each) if isinstance(each, CodeType) else _describe(each, [])
        for each in code.co_consts
    ]
    return code.co_code, code.co_names, code.co_varnames, constants


@functools.cache
def names_in(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that code uses, with its inner functions."""
    # Other than co_names, without those in lines that are never reached.
    names = {step.argval for step in dis.get_instructions(code) if step.opcode in dis.hasname}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= names_in(constant)
    return names


def references(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield what a function reads from outside, attributes of the user's modules included."""
    names = sorted(names_in(function.__code__))
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, ModuleType) and not is_shared(value.__name__):
                for attribute in names:
                    if attribute in vars(value):
                        yield f"{name}.{attribute}", vars(value)[attribute]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not filled yet
            yield name, cell.cell_contents


def user_functions(function: FunctionType) -> list[FunctionType]:
    """Return a function and those of the user that it calls, itself or through others."""
    functions = [function]
    for each in functions:
        for _, value in references(each):
            inner = getattr(value, "py_func", value)
            if isinstance(inner, FunctionType) and inner not in functions:
                if not is_shared(inner.__module__):
                    functions.append(inner)
    return functions


# --- to worker processes --------------------------------------------------------------------


class _Pickler(cloudpickle.Pickler):
    """Pickler that sends compiled functions as their Python functions."""

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, Dispatcher):
            return super().reducer_override(value)
        name, module = value.py_func.__name__, sys.modules.get(value.py_func.__module__)
        if module and is_shared(module.__name__) and getattr(module, name, None) is value:
            return getattr, (module, name)
        return numba.njit, (value.py_func,)


@functools.cache
def pack(function: FunctionType) -> bytes:
    """Pickle a user's function by value, with all that it needs from files that workers lack."""
    for each in user_functions(function):
        values = [value for _, value in references(each) if isinstance(value, ModuleType)]
        for name in {each.__module__, *(module.__name__ for module in values)}:
            if name != "__main__" and name in sys.modules and not is_shared(name):
                cloudpickle.register_pickle_by_value(sys.modules[name])
    buffer = io.BytesIO()
    try:
        _Pickler(buffer).dump((function, code_fingerprint(function)))
    except (pickle.PicklingError, TypeError, RecursionError, AttributeError) as error:
        raise PaxsimError(
            f"policy {function.__name__} can't be sent to other processes "
            f"({one_line(str(error))}); use the threads backend"
        ) from None
    return buffer.getvalue()


@functools.cache
def unpack(data: bytes) -> FunctionType:
    """Return the function of `pack`: one object for equal data, so that it is compiled once."""
    function, digest = pickle.loads(data)
    _digests[function] = digest
    return function
