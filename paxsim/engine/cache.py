"""Cache of compiled code: one folder per version of sources, numba and processor."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_name
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime import rtsys

#: Source files that end up in compiled code; changing any other file keeps the cache.
COMPILED_SOURCES = (
    "cards.py",
    "helpers.py",
    "rules.py",
    "engine/*.py",
    "policies/*.py",
    "search/*.py",
    "envs/*.py",
    "measures.py",
    "experiment/tally.py",
)


def source_digest() -> str:
    """Return a digest of everything that shapes compiled code."""
    versions = (numba.__version__, llvmlite.__version__, sys.version_info[:2], get_host_cpu_name())
    digest = hashlib.sha256(repr(versions).encode())
    package = Path(__file__).parent.parent
    for path in sorted(path for pattern in COMPILED_SOURCES for path in package.glob(pattern)):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


#: Digest of the sources that this process imported.
DIGEST = source_digest()


def cache_folder() -> Path:
    """Return the folder of all compiled code: ``PAXSIM_CACHE_DIR``, or the user's cache folder."""
    folder = os.environ.get("PAXSIM_CACHE_DIR")
    if folder:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "paxsim"


def code_folder() -> Path | None:
    """Return the folder for code compiled from these sources, or None if it can't be used.

    Loading compiled code runs it, so a folder that another user owns or can write is not used.
    """
    try:
        folder = cache_folder() / DIGEST
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        state = folder.lstat()
    except (OSError, RuntimeError, ValueError):  # not permitted, not a path, or no home folder
        return None
    if hasattr(os, "geteuid") and (state.st_uid != os.geteuid() or state.st_mode & 0o022):
        _notify_once(
            f"the compile cache {folder} belongs to or can be written by another user, so it is "
            "not used; choose another folder with PAXSIM_CACHE_DIR"
        )
        return None
    with contextlib.suppress(OSError):  # a read-only cache is still good to read
        os.utime(folder)  # see `remove_unused`
    return folder


def remove_unused(days: float = 30) -> int:
    """Remove code compiled from other versions and unused for this long; return the count."""
    removed = 0
    for folder in cache_folder().iterdir():
        is_ours = re.fullmatch("[0-9a-f]{16}", folder.name) and folder.name != DIGEST
        if is_ours and time.time() - folder.stat().st_mtime > days * 86400:
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def notify_terminal(text: str) -> None:
    """Print a notice to stderr if it is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


#: Function that shows notices such as "compiling ...".
notify: Callable[[str], None] = notify_terminal


@functools.cache
def _notify_once(text: str) -> None:
    notify(text)


class _Locator(_CacheLocator):
    """Folder and stamp of the package's compiled code, instead of one per source file."""

    def __init__(self, folder: Path, module: str):
        self._folder = folder
        self._module = module

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return DIGEST

    def get_disambiguator(self) -> str:
        return self._module

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> _Locator | None:
        folder = code_folder()
        return cls(folder, py_func.__module__) if folder is not None else None


class _Impl(CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]


class _Cache(FunctionCache):
    """Numba's cache, except that it loads faster and never raises."""

    _impl_class = _Impl

    def __init__(self, py_func: Callable, label: str):
        super().__init__(py_func)
        self._label = label

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, or None after telling the user that it has to be compiled.

        Numba's own method first loads every function it can compile (0.3 s). Running compiled
        code needs only the runtime.
        """
        rtsys.initialize(target_context)
        overload = None
        try:
            overload = self._load_overload(sig, target_context)
        except Exception:  # a damaged file can raise anything
            with contextlib.suppress(OSError):
                self.flush()
        if overload is None:
            _notify_once(f"compiling {self._label}, once ...")
        return overload

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code; a full disk is no reason to fail."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def enable_cache(dispatcher: Any, label: str = "policies (about 2 s each)") -> None:
    """Make a numba dispatcher load its code from the cache and save it there.

    Parameters
    ----------
    dispatcher : numba dispatcher
        Function about to be compiled.
    label : str
        Description of the function for the notice "compiling ..., once".
    """
    try:
        dispatcher._cache = _Cache(dispatcher.py_func, label)
    except RuntimeError:  # numba found no usable folder
        _notify_once(
            f"compiling {label}, in every new process: no cache folder is usable; "
            "choose one with PAXSIM_CACHE_DIR"
        )
