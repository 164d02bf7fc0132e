"""The package's compiled functions as the Python functions they were made from.

With ``PAXSIM_TESTS_PLAIN=1`` nothing is compiled for games step by step and for policies asked
about a situation: slower, but at once. mutants/run.py uses it, which changes the sources for a
single run of some tests. Other tests compare compiled code with Python.
"""

import ctypes
import functools
import os
import types

import numpy as np

import paxsim.game
from paxsim.engine.records import game_dtype, result_dtype
from paxsim.policies.interpreted import rebuild

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


class RecordAt:
    """Stand-in for a function that makes a record of an address, as entry points do."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __call__(self, address):
        place = (ctypes.c_char * self.dtype.itemsize).from_address(address)
        return view(np.frombuffer(place, self.dtype)[0])


#: What can't be run as Python, by name.
STAND_INS = {"game_at": RecordAt(game_dtype), "result_at": RecordAt(result_dtype)}


def plain(function):
    """Return a compiled function or an entry point as a Python function that calls others.

    It calls them as they are now: a test that replaces one asks again.
    """

    def convert(copy):
        copy.__globals__.update(STAND_INS)
        return copy

    source = getattr(function, "__wrapped__", None) or getattr(function, "py_func", function)
    top = types.FunctionType(source.__code__, {**source.__globals__, **STAND_INS})
    made = rebuild(top, convert, {})

    def call(*arguments):
        with np.errstate(over="ignore"):
            return made(*arguments)

    return call


def use():
    """Let games step by step run in plain Python from here on."""
    for name in ("start_game", "apply_option", "score_game"):
        setattr(paxsim.game, name, plain(getattr(paxsim.game, name)))


in_python = functools.cache(plain)


def asked(policy, table, me, choice):
    """Return the option that a policy chooses, in plain Python."""
    return in_python(policy.function)(view(table), view(me), view(choice), *policy.params.values())
