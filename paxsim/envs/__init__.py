"""Environments for reinforcement learning.

`spaces` describes observations and actions, `encoding` computes them, `vector` steps many games at
once, and `policy` turns a trained model into a policy. `pettingzoo` and `gymnasium` implement the
interfaces of these libraries and need the extra ``learn``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.envs.policy import ObservationEncoder
from paxsim.envs.spaces import Feature, Layout
from paxsim.envs.vector import VectorEnv
from paxsim.errors import missing_library

if TYPE_CHECKING:
    from paxsim.envs.gymnasium import solo_env
    from paxsim.envs.pettingzoo import env, parallel_env

__all__ = [
    "Feature",
    "Layout",
    "ObservationEncoder",
    "VectorEnv",
    "env",
    "parallel_env",
    "solo_env",
]
_MODULES = {"env": "pettingzoo", "parallel_env": "pettingzoo", "solo_env": "gymnasium"}


def __getattr__(name: str) -> Any:
    """Import an environment that needs another library when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ImportError as error:
        raise missing_library(f"paxsim.{name}", error.name) from None
