"""Compilation of the package's functions, as parts of others or as entry points from Python."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba.core import ir
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.ir_utils import remove_dead_extensions

from paxsim.engine.cache import enable_cache
from paxsim.engine.threads import compiling

# First-class functions are what policies are passed as; the warning says they are experimental.
warnings.filterwarnings(
    "ignore", message="First-class function type", category=NumbaExperimentalFeatureWarning
)

#: Whether ``NUMBA_DISABLE_JIT=1`` asks for plain Python. Policies of users follow it, so that they
#: can be debugged; the engine is compiled whatever it says, and numba must know that it may.
PLAIN_WANTED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
numba.config.DISABLE_JIT = 0  # type: ignore[attr-defined]

#: Expressions that can raise, or change what they are computed from.
_EFFECTS = ("getitem", "static_getitem", "binop", "inplace_binop", "exhaust_iter")


def _keep_effects(statement: Any, lives: set[str], lives_n_aliases: set[str], *_: Any) -> Any:
    """Keep a statement that numba would remove as dead code by mistake.

    Where numba inlines a comprehension, it removes every store to an array that it does not know
    to be part of an argument, such as one out of a tuple, a list or a call. What is kept in vain is
    removed by LLVM. See docs/policies.md.
    """
    if isinstance(statement, ir.SetItem):
        lives_n_aliases.add(statement.target.name)
    elif isinstance(statement.value, ir.Expr) and statement.value.op in _EFFECTS:
        lives.add(statement.target.name)
    return statement


remove_dead_extensions.update({ir.SetItem: _keep_effects, ir.Assign: _keep_effects})

#: NumPy's error model doesn't test for division by zero, which the checks of the rules exclude.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
#: For functions that are only called from compiled code: inlined, without wrappers.
PART: dict[str, Any] = {
    **OPTIONS,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def kernel(function: Callable) -> Any:
    """Compile a function as a part of its callers; it can't be called from Python."""
    return numba.njit(**PART)(function)


def short(function: Callable) -> Any:
    """Put a function of a few lines into its callers, which compiles faster than a part does."""
    return numba.njit(**PART, inline="always")(function)


def called(function: Callable) -> Any:
    """Compile a long and rarely used function as a part that is called, not inlined."""
    return numba.njit(**{**PART, "forceinline": False})(function)


def whole(function: Callable) -> Any:
    """Return a dispatcher that compiles a function together with all of its parts."""
    return numba.njit(**OPTIONS)(function)


def entry(signature: Any, what: str = "the engine (about 15 s)") -> Callable[[Callable], Callable]:
    """Make a function an entry point of the engine: compiled at its first call, and cached.

    The signature is explicit, so there is one compiled form. `what` names it to users who wait.
    """

    def decorate(function: Callable) -> Callable:
        @compiling
        def compiled() -> Callable:
            dispatcher = whole(function)
            enable_cache(dispatcher, what)
            dispatcher.compile(signature)
            dispatcher.disable_compile()
            return dispatcher

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return compiled()(*args)

        call.compiled = compiled  # type: ignore[attr-defined]
        return call

    return decorate
