"""Importing a user's policy file, and keeping what it said when it was imported.

A run may take hours, and its workers may start long after the file was saved again, half saved or
deleted. So a policy travels as the bytes that were imported at the start, together with those of
the modules beside it that it imported; what the files say by then is not looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import linecache
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from paxsim.errors import PaxsimError, suggestion
from paxsim.policies.sources import quoted_from
from paxsim.quoting import one_line


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
