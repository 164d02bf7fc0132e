"""PAX for programs that learn: as arrays of many games, for PettingZoo, for Gymnasium.

`layout` says what observations and actions mean, `kernels` writes them, `batch` holds many games
at once, `reader` makes a policy of what was learnt, `pettingzoo`, `parallel` and `solo` are what
the two libraries ask for (the extra ``learn``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.envs.policy import ObservationEncoder
from paxsim.envs.spaces import Field, Layout
from paxsim.envs.vector import VectorEnv
from paxsim.errors import missing_library
from paxsim.rules import Rules

if TYPE_CHECKING:
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

    from paxsim.envs.gymnasium import SoloEnv
    from paxsim.envs.pettingzoo import ParallelPaxEnv

__all__ = [
    "Field",
    "Layout",
    "ObservationEncoder",
    "VectorEnv",
    "env",
    "parallel_env",
    "solo_env",
]


def env(
    players: int = 4,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper[str, dict[str, np.ndarray], int]:
    """PAX as a PettingZoo environment; see `paxsim.envs.pettingzoo.PaxEnv`."""
    try:
        from paxsim.envs.pettingzoo import env as made
    except ImportError as error:
        raise missing_library("paxsim.env", error.name) from None
    return made(players, deck=deck, rules=rules, max_cycles=max_cycles, render_mode=render_mode)


def parallel_env(
    players: int = 4,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> ParallelPaxEnv:
    """PAX for agents that act all at once; see `paxsim.envs.parallel.ParallelPaxEnv`."""
    try:
        from paxsim.envs.pettingzoo import parallel_env as made
    except ImportError as error:
        raise missing_library("paxsim.parallel_env", error.name) from None
    return made(players, deck=deck, rules=rules, max_cycles=max_cycles, render_mode=render_mode)


def solo_env(
    level: int = 1,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    render_mode: str | None = None,
) -> SoloEnv:
    """Solo PAX as a Gymnasium environment; see `paxsim.envs.gymnasium.SoloEnv`."""
    try:
        from paxsim.envs.gymnasium import solo_env as made
    except ImportError as error:
        raise missing_library("paxsim.solo_env", error.name) from None
    return made(level, deck=deck, rules=rules, render_mode=render_mode)
