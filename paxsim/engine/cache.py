"""The cache of compiled code, which can't go stale."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_name
from numba.core.caching import CompileResultCacheImpl as _ResultImpl
from numba.core.caching import FunctionCache, _CacheLocator
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

#: Write permission for the group, and for all others.
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
#: Permission to reach what is inside a folder.
_OTHERS_ENTER = stat.S_IXGRP | stat.S_IXOTH


def why_not_trusted(base: Path, folder: Path) -> str | None:
    """What is wrong with a cache folder, in a few words; None if nothing is.

    Parameters
    ----------
    base : pathlib.Path
        The cache folder; it may be reached through a link.
    folder : pathlib.Path
        The folder in it that code is loaded from. Like the files in it, it must be no link.
    """
    if not hasattr(os, "geteuid"):
        return None  # Windows: a user's cache folder is their own
    inside = folder.lstat()
    found = _of_folder(base, base.stat()) or _of_folder(folder, inside)
    if found is not None:
        return found
    reached = bool(inside.st_mode & _OTHERS_ENTER)
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                state = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # another process has just finished writing
            found = _of_file(Path(entry.path), state, reached)
            if found is not None:
                return found
    return None


def _of_folder(path: Path, state: os.stat_result) -> str | None:
    if not stat.S_ISDIR(state.st_mode):
        return f"{path} is not a folder"
    return _of_owner(path, state) or _of_mode(path, state)


def _of_file(path: Path, state: os.stat_result, reached: bool) -> str | None:
    """A file that others may write is harmless in a folder that they can't enter."""
    if not stat.S_ISREG(state.st_mode):
        return f"{path} is not a file"
    return _of_owner(path, state) or (_of_mode(path, state) if reached else None)


def _of_owner(path: Path, state: os.stat_result) -> str | None:
    if state.st_uid in (os.geteuid(), 0):
        return None
    return f"{path} belongs to somebody else"


def _of_mode(path: Path, state: os.stat_result) -> str | None:
    return f"others can write {path}" if state.st_mode & _OTHERS_WRITE else None


#: The package's files that compiled code is made of: it calls nothing that stands elsewhere.
COMPILED = (
    "cards.py",
    "errors.py",
    "helpers.py",
    "interrupts.py",
    "markup.py",
    "quoting.py",
    "recordview.py",
    "rules.py",
    "text.py",
    "engine/*.py",
    "policies/*.py",
    "search/*.py",
    "experiment/counting.py",
    "experiment/tallylayout.py",
    "learning/acting.py",
    "learning/kernels.py",
    "learning/layout.py",
    "learning/observing.py",
    "learning/rows.py",
)


def source_fingerprint() -> str:
    """Stands for all that shapes compiled code: the package's sources, compiler and processor."""
    made_by = (numba.__version__, llvmlite.__version__, sys.version_info[:2], get_host_cpu_name())
    digest = hashlib.sha256(repr(made_by).encode())
    package = Path(__file__).parent.parent
    for path in sorted(path for pattern in COMPILED for path in package.glob(pattern)):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


#: The fingerprint of the sources as they were imported.
FINGERPRINT = source_fingerprint()


def cache_folder() -> Path:
    """Where compiled code is kept: ``PAXSIM_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("PAXSIM_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "paxsim"


def code_folder() -> Path | None:
    """The folder for code compiled from these very sources, or None if there can't be one.

    Nothing in a folder that others can write is read; the user is told.
    """
    try:
        base = cache_folder()
        folder = base / FINGERPRINT
        # Nobody else has to look at it, whatever the user lets others do with new files.
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        problem = why_not_trusted(base, folder)
    except (OSError, RuntimeError, ValueError):  # not allowed, no path, or no home is known
        return None
    if problem is not None:
        _tell_once(
            f"the cache of compiled code is not trusted: {problem}; compiling without it "
            "(make it yours alone, or name another folder with PAXSIM_CACHE_DIR)"
        )
        return None
    with contextlib.suppress(OSError):  # a folder that can't be written is still good to read
        os.utime(folder)  # see `remove_unused`
    return folder


def remove_unused(days: float = 30) -> int:
    """Remove compiled code of other versions, unused for so many days; return how many."""
    removed = 0
    for folder in cache_folder().iterdir():
        is_ours = re.fullmatch("[0-9a-f]{16}", folder.name) and folder.name != FINGERPRINT
        if is_ours and time.time() - folder.stat().st_mtime > days * 86400:
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def tell_terminal(text: str) -> None:
    """Say something on stderr, if somebody sits in front of it."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


#: How users are told what they are waiting for; the command line puts its own function here.
tell: Callable[[str], None] = tell_terminal


@functools.cache
def _tell_once(text: str) -> None:
    tell(text)


class _PackageLocator(_CacheLocator):
    """Files a kernel under the fingerprint of the whole package."""

    def __init__(self, folder: Path):
        self._path = folder

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return FINGERPRINT

    def get_disambiguator(self) -> str:
        return "paxsim"

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> _PackageLocator | None:
        folder = code_folder()
        return cls(folder) if folder is not None else None


class _PackageImpl(_ResultImpl):
    """Compiled code with a checksum: damaged machine code would end the process.

    The checksum also covers what the code was compiled from, and for which arguments, so that a
    file under another's name is found out.
    """

    _locator_classes: list[Any] = [_PackageLocator]

    def __init__(self, py_func: Callable):
        super().__init__(py_func)
        self._identity = (FINGERPRINT, py_func.__module__, py_func.__qualname__)
        #: The arguments of the code that is being loaded or saved.
        self.arguments = ""

    def _checksum(self, code: bytes) -> bytes:
        whose = repr((*self._identity, self.arguments))
        return hashlib.sha256(whose.encode() + b"\0" + code).digest()

    def reduce(self, cres: Any) -> tuple[bytes, bytes]:
        code = dumps(super().reduce(cres))
        return self._checksum(code), code

    def rebuild(self, target_context: Any, payload: tuple[bytes, bytes]) -> Any:
        checksum, code = payload
        if self._checksum(code) != checksum:
            raise ValueError("damaged, or the code of something else")
        return super().rebuild(target_context, pickle.loads(code))


class _PackageCache(FunctionCache):
    """Numba's cache, but quick to load, and never a reason to fail."""

    _impl_class: type[_ResultImpl] = _PackageImpl

    def __init__(self, py_func: Callable, what: str):
        super().__init__(py_func)
        self._what = what

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code from the cache; None if it has to be compiled, which the user is told.

        Numba would first learn all the functions that it can compile, a third of a second. To run
        what is compiled takes only its runtime.
        """
        rtsys.initialize(target_context)
        found = None
        self._impl.arguments = repr(sig)
        try:
            if source_fingerprint() == FINGERPRINT:
                found = self._load_overload(sig, target_context)
        except Exception:  # reading a damaged file may raise anything
            with contextlib.suppress(OSError):
                self.flush()
        if found is None:
            _tell_once(f"compiling {self._what}, once ...")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, unless the sources have changed since they were imported."""
        with contextlib.suppress(OSError):  # a full disk, say; the code is good all the same
            if source_fingerprint() == FINGERPRINT:
                self._impl.arguments = repr(sig)
                super().save_overload(sig, data)


def enable_package_cache(dispatcher: Any, what: str = "policies (about 2 s each)") -> None:
    """Make a dispatcher load and save its code in the package's cache, where there is one.

    Parameters
    ----------
    dispatcher : numba dispatcher
        What is about to be compiled.
    what : str
        What the user is told that it is.
    """
    try:
        dispatcher._cache = _PackageCache(dispatcher.py_func, what)
    except RuntimeError:
        _tell_once(
            f"compiling {what}, in every process anew: no cache folder can be used; "
            "PAXSIM_CACHE_DIR names another ..."
        )
