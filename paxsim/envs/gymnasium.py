"""Solo PAX as a Gymnasium environment."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.envs.pettingzoo import checked_deal, checked_render_mode, rendered, spaces_of
from paxsim.envs.seatview import RENDER_MODES, SeatView, whole_action
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, checked_int, safe_repr
from paxsim.rules import SOLO_LEVELS, Rules
from paxsim.setting import make_setting


class SoloEnv(gymnasium.Env):
    """A solo game; the reward is 1 for a win, at its end.

    Observations are as those of `paxsim.env`. An action that is not allowed loses the game, and
    ``info["illegal"]`` says so: many learners for single players know no masks.

    Parameters
    ----------
    level : int
        1 to 5.
    deck, rules
        See `paxsim.make_setting`.
    render_mode : str, optional
        As for `paxsim.env`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}
    _ended = True

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
        self.render_mode = checked_render_mode(render_mode)
        self.layout = Layout(self.setting)
        self.observation_space, self.action_space = spaces_of(self.layout, self._mask)

    def __copy__(self) -> SoloEnv:
        """A game of its own: two that act in the same game are of no use."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"SoloEnv, level {self.setting.solo_level}, deck {self.setting.deck.name}"

    def _mask(self) -> np.ndarray | None:
        return self._view.observe(0)["action_mask"] if hasattr(self, "_view") else None

    def reset(
        self, *, seed: int | None = None, options: dict | None = None
    ) -> tuple[dict[str, np.ndarray], dict]:
        """Deal a game; ``options={"deal": k}`` names a deal of the seed, 0 by default."""
        super().reset(seed=seed)
        named = int(self.np_random.integers(1 << 48)) if seed is None else seed
        deal = checked_deal(options)
        self._view = SeatView(self.setting, self.layout, named, deal, self.render_mode is not None)
        self._ended = False
        return self._view.observe(0), {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict]:
        """Take an action."""
        if self._ended:
            raise PaxsimError("action: no game is being played; allowed: after reset()")
        number = whole_action(action)
        if number is None:
            raise PaxsimError(f"action: found {safe_repr(action)}; allowed: a whole number")
        seen = self._view.observe(0)
        if not (0 <= number < self.layout.actions and seen["action_mask"][number]):
            self._ended = True
            return seen, 0.0, True, False, {"illegal": True}
        self._view.act(number)
        game = self._view.game
        self._ended = game.over
        reward = float(game.result()["shares"][0]) if game.over else 0.0
        return self._view.observe(0), reward, game.over, False, {}

    def render(self) -> str | None:
        """The game to be looked at; see `render_mode`."""
        return rendered(self)


#: Named like this, `gymnasium.make` imports this module, and finds it.
GYM_ID = "paxsim/Solo-v0"
gymnasium.register(id=GYM_ID, entry_point=f"{__name__}:SoloEnv")


def solo_env(
    level: int = 1,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    render_mode: str | None = None,
) -> SoloEnv:
    """Solo PAX as a Gymnasium environment; see `SoloEnv`.

    Examples
    --------
    >>> import paxsim
    >>> solo = paxsim.solo_env(level=2)
    >>> observation, info = solo.reset(seed=1)
    >>> int(observation["action_mask"].sum()) > 0
    True
    """
    return SoloEnv(level, deck=deck, rules=rules, render_mode=render_mode)
