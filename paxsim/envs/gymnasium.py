"""Gymnasium environment: solo PAX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.envs.pettingzoo import (
    RENDER_MODES,
    SEEDS,
    RenderedEnv,
    SeatView,
    as_int,
    checked_deal,
    make_spaces,
)
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, checked_int, safe_repr
from paxsim.rules import SOLO_LEVELS, Rules
from paxsim.setting import make_setting


class SoloEnv(RenderedEnv, gymnasium.Env):
    """Solo game of PAX; the reward is 1 for a win, at the end.

    Observations are those of `paxsim.env`. An action that is not allowed loses the game and sets
    ``info["illegal"]``, because many single-agent learners do not use masks.

    Parameters
    ----------
    level : int
        Solo level, 1 to 5.
    deck, rules
        See `paxsim.make_setting`.
    render_mode : str, optional
        See `paxsim.env`.

    Examples
    --------
    >>> import paxsim
    >>> env = paxsim.solo_env(level=2)
    >>> observation, info = env.reset(seed=1)
    >>> int(observation["action_mask"].sum()) > 0
    True
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}
    _over = True

    def __init__(
        self,
        level: int = 1,
        *,
        deck: str | Path | Deck = DEFAULT_DECK,
        rules: str | Path | dict[str, Any] | Rules | None = None,
        render_mode: str | None = None,
    ):
        level = checked_int("level", level, SOLO_LEVELS[0], SOLO_LEVELS[-1])
        self.setting = make_setting(1, solo_level=level, deck=deck, rules=rules)
        self._set_render_mode(render_mode)
        self.layout = Layout(self.setting)
        spaces = make_spaces(self.layout, self.layout.actions, self._mask)
        self.observation_space, self.action_space = spaces

    def __repr__(self) -> str:
        return f"SoloEnv, level {self.setting.solo_level}, deck {self.setting.deck.name}"

    def _mask(self) -> np.ndarray | None:
        return None if self._view is None else self._view.observe(0)["action_mask"]

    def reset(
        self, *, seed: int | None = None, options: dict | None = None
    ) -> tuple[dict[str, np.ndarray], dict]:
        """Deal a game; ``options={"deal": k}`` selects deal k of the seed, 0 by default."""
        super().reset(seed=seed)
        seed = int(self.np_random.integers(SEEDS)) if seed is None else seed
        deal = checked_deal(options)
        self._view = SeatView(self.setting, self.layout, seed, deal, self.render_mode is not None)
        self._over = False
        return self._view.observe(0), {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict]:
        """Take an action."""
        view = self._view
        if view is None or self._over:
            raise PaxsimError("call reset() first: no game is being played")
        number = as_int(action)
        if number is None:
            raise PaxsimError(f"action must be an integer, got {safe_repr(action)}")
        before = view.observe(0)
        if not (0 <= number < self.layout.actions and before["action_mask"][number]):
            self._over = True
            return before, 0.0, True, False, {"illegal": True}
        view.act(number)
        self._over = view.game.over
        reward = float(view.game.result()["shares"][0]) if self._over else 0.0
        return view.observe(0), reward, self._over, False, {}


solo_env = SoloEnv

# `gymnasium.make("paxsim.envs.gymnasium:paxsim/Solo-v0")` imports this module.
gymnasium.register(id="paxsim/Solo-v0", entry_point=f"{__name__}:SoloEnv")
