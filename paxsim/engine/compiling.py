"""Compilation of the engine, with a cache that can't go stale.

Numba's own cache looks at the file a function stands in and not at the helpers it calls, so an
edited helper would go unnoticed. Here every cached kernel is filed under a fingerprint of all
sources that go into compiled code, in the user's cache folder, so a read-only install works too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import (
    Linkage,
    create_pass_builder,
    create_pipeline_tuning_options,
    get_host_cpu_name,
)
from numba import types
from numba.core.caching import CompileResultCacheImpl as _ResultImpl
from numba.core.caching import FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from paxsim.engine.trust import why_not_trusted

# First-class functions are what policies are passed as; the warning says they are experimental.
warnings.filterwarnings(
    "ignore", message="First-class function type", category=NumbaExperimentalFeatureWarning
)

#: numpy's error model: no test for division by zero, which the rules' checks exclude.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


class _PartLibrary(JITCodeLibrary):
    """Code of a function that runs only as a part of another: linked, not optimised, not run.

    Numba would optimise a function and turn it into machine code again in every function above
    it, up to the entry point: as many times as calls are nested. Here an entry point does it once
    for all of its parts.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # there is no machine code

    @property
    def codegen(self) -> _PartLibrary:
        return self  # numba asks it for `set_env` only

    def set_env(self, name: str, env: Any) -> None:
        """Nothing to do: only code that calls back into Python has an environment to look up."""


class _PartCompiler(Compiler):
    """Numba's usual compiler, except for what it puts the code into."""

    def __init__(self, typingctx, targetctx, library, *args):
        library = _PartLibrary(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, *args)


class _EntryLibrary(JITCodeLibrary):
    """Code of an entry point, with all of its parts.

    Parts are marked as seen from nowhere else, so that the optimiser may change how they are
    called, put a part that is called once into its caller whatever its size, and drop the rest.
    Loops are left as they are: those of a game run over a handful of cards, and unrolled or
    vectorised they take longer to run and to compile.
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        options = create_pipeline_tuning_options(speed_level=3)
        options.loop_unrolling = False
        options.loop_vectorization = False
        options.slp_vectorization = False
        builder = create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


class _EntryCompiler(Compiler):
    """Numba's usual compiler, except for what it puts the code into."""

    def __init__(self, typingctx, targetctx, library, *args):
        library = _EntryLibrary(targetctx.codegen(), "entry")
        library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, *args)


class _PartDispatcher(CPUDispatcher):
    """Hands every whole number over as 64-bit, however wide it is in a record.

    So a function is compiled once, and not again for each mixture of widths and literals that it
    is called with. Only the unsigned 64-bit words of random streams stay what they are.
    """

    def get_call_template(self, args, kws):
        return super().get_call_template(tuple(_widened(arg) for arg in args), kws)


def _widened(kind: types.Type) -> types.Type:
    kind = types.unliteral(kind)
    whole = isinstance(kind, types.Integer) and kind != types.uint64
    return types.int64 if whole else kind


def kernel(function: Callable) -> Callable:
    """Compile a function as a part of whatever calls it: it has no way in from Python."""
    options = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **OPTIONS}
    return _PartDispatcher(function, targetoptions=options, pipeline_class=_PartCompiler)


#: The package's files that compiled code is made of: it calls nothing that stands elsewhere.
COMPILED = ("*.py", "engine/*.py", "policies/*.py")


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


def with_parts(function: Callable) -> Any:
    """A dispatcher for a function that is optimised once, together with all of its parts."""
    return numba.njit(**OPTIONS, pipeline_class=_EntryCompiler)(function)


def entry(signature: Any) -> Callable[[Callable], Callable]:
    """Make a function an entry point of the engine: compiled at its first call, and cached.

    The signature is explicit so that policies arrive as first-class functions: one compiled
    engine serves every line-up. A callable signature is asked for it at the first call.
    """

    def decorate(function: Callable) -> Callable:
        @functools.cache
        def compiled() -> Callable:
            dispatcher = with_parts(function)
            enable_package_cache(dispatcher, "the engine (about 10 s)")
            dispatcher.compile(signature)
            dispatcher.disable_compile()
            return dispatcher

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return compiled()(*args)

        call.compiled = compiled  # type: ignore[attr-defined]
        return call

    return decorate
