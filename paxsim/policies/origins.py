"""Where values and functions come from: this package, Python and its compilers, or a user.

What comes with the package is covered by the fingerprint of its sources, what belongs to Python,
numpy or numba by its name; only what is a user's has to be looked into.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

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
