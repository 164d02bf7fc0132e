"""The package's compiled functions as the Python functions they were made from.

``PAXSIM_TESTS_PLAIN=1`` lets games step by step, and policies asked about a situation, run without
being compiled: slower, but at once. It is for whoever changes the sources for a single run of some
tests (see mutants/run.py); that compiled code does the same is tested elsewhere.
"""

import ctypes
import functools
import os
import types

import numpy as np

import paxsim.game
from paxsim.engine.records import game_dtype, result_dtype

WANTED = os.environ.get("PAXSIM_TESTS_PLAIN") == "1"


class Record:
    """A numpy record with its fields as attributes."""

    def __init__(self, record):
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name):
        return view(self._record[name])

    def __setattr__(self, name, value):
        self._record[name] = value


class Array:
    """A numpy array that refuses every index out of range, negative ones included."""

    def __init__(self, array):
        self.array = array
        self.size = array.size

    def __getitem__(self, index):
        return view(self.array[self.checked(index)])

    def __setitem__(self, index, value):
        self.array[self.checked(index)] = value

    def checked(self, index):
        indices = index if isinstance(index, tuple) else (index,)
        for i, size in zip(indices, self.array.shape, strict=False):
            if not 0 <= i < size:
                raise IndexError(f"index {index} of an array of shape {self.array.shape}")
        return index


def view(value):
    """Part of a record as compiled code sees it; only the words of random streams have a width."""
    if isinstance(value, np.void):
        return Record(value)
    if isinstance(value, np.ndarray):
        return Array(value)
    return value if isinstance(value, np.uint64) else value.item()


def record_at(dtype):
    """A function that takes an address for a record, as compiled entry points do."""

    def at(address):
        place = (ctypes.c_char * dtype.itemsize).from_address(address)
        return view(np.frombuffer(place, dtype)[0])

    return at


#: What can't be run as Python, by name.
STAND_INS = {"game_at": record_at(game_dtype), "result_at": record_at(result_dtype)}


def plain(function, known=None):
    """A compiled function, and all that it calls, as Python functions."""
    known = {} if known is None else known
    source = source_of(function) or function
    if source not in known:
        names = dict(source.__globals__)
        known[source] = types.FunctionType(source.__code__, names, source.__name__)
        for name in source.__code__.co_names:
            found = names.get(name)
            if name in STAND_INS:
                names[name] = STAND_INS[name]
            elif isinstance(found, types.ModuleType) and found.__name__.startswith("paxsim."):
                names[name] = types.SimpleNamespace(
                    **{
                        key: plain(value, known) if source_of(value) is not None else value
                        for key, value in vars(found).items()
                        if key in source.__code__.co_names
                    }
                )
            elif source_of(found) is not None:
                names[name] = plain(found, known)
    return known[source]


def source_of(function):
    """The Python function that a compiled one was made from; None of anything else."""
    found = getattr(function, "py_func", None) or getattr(function, "__wrapped__", None)
    if found is None and isinstance(function, types.FunctionType):
        found = function if function.__module__.startswith("paxsim.") else None
    return found


def played_plainly(entry_point):
    """An entry point of the engine that compiles nothing."""
    function = plain(entry_point)

    def call(*arguments):
        with np.errstate(over="ignore"):
            return function(*arguments)

    return call


def use():
    """From here on, games step by step run in plain Python."""
    for name in ("start_game", "apply_option", "score_game"):
        setattr(paxsim.game, name, played_plainly(getattr(paxsim.game, name)))


@functools.cache
def decider(function):
    """The function of a policy, without being compiled."""
    return plain(function)


def asked(policy, table, me, choice):
    """The option that a policy chooses, in plain Python."""
    return decider(policy.function)(view(table), view(me), view(choice), *policy.params.values())
