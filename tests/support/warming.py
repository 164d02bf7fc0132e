"""All of the package's code compiled once, by several processes at once, before the tests."""

import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import paxsim
from paxsim.policies.registry import BUILT_IN

#: Modules with entry points; those that take longest come first, so that no process waits long.
MODULES = (
    "paxsim.search.evaluation",
    "paxsim.envs.vector",
    "paxsim.engine.loop",
    "paxsim.experiment.tally",
    "paxsim.engine.loop",
)
#: Policies that are not in the list of built-in ones and have code of their own.
OTHERS = ("search", "restricted:without=peek:policy=first")


def tasks():
    """What there is to compile, as pairs of a module, or nothing, and a name."""
    entries = [
        (module, name)
        for module in MODULES
        for name, value in vars(importlib.import_module(module)).items()
        if hasattr(value, "compiled") and value.__module__ == module
    ]
    policies = [(None, name) for name in (*OTHERS, *BUILT_IN)]
    return [policies[0], *entries, *policies[1:]]


def compile_task(task):
    """Compile one of them, or load it if it is in the cache."""
    module, name = task
    if module is None:
        return paxsim.get_policy(name).compiled is not None
    return getattr(importlib.import_module(module), name).compiled() is not None


def warm_up(processes):
    """Compile everything."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        assert all(pool.map(compile_task, tasks()))
