"""Compiled code of the tests, cached between runs where the package caches its own."""

import hashlib
import inspect
from pathlib import Path

from paxsim.engine.cache import enable_cache
from paxsim.engine.jit import kernel, whole
from paxsim.engine.lowlevel import POLICY_SIGNATURE
from paxsim.policies.policy import _outer


def cached(dispatcher, file=None):
    """Let a dispatcher load and save its code.

    The package's fingerprint does not cover the tests, so the name under which code is filed
    stands for the text of its file. What it calls must stand there too, or in the package.
    """
    function = dispatcher.py_func
    source = Path(file or inspect.getfile(function)).read_bytes()
    function.__qualname__ += hashlib.sha256(source).hexdigest()[:12]
    enable_cache(dispatcher)
    return dispatcher


def cached_policy(function, file):
    """Compile a policy of the tests as those of the package are, which takes less time."""
    compiled = cached(whole(_outer(function, kernel(function), "table, me, choice")), file)
    compiled.compile(POLICY_SIGNATURE)
    return compiled
