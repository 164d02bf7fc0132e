"""PAX for two to eight learners as a PettingZoo environment, in which seats act one at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.envs.seatview import RENDER_MODES, SeatView
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, checked_int, is_integer, safe_repr, suggestion, unknown
from paxsim.rules import MAX_PLAYERS, Rules
from paxsim.setting import MAX_NUMBER, make_setting

#: Without a seed, deals are drawn from so many.
_SEEDS = 1 << 48


class AllowedActions(Discrete):
    """Actions by number; without a mask it samples from those that are allowed now.

    Parameters
    ----------
    n : int
        How many actions there are.
    allowed : callable
        Gives the mask of the moment, or None where there is no game.
    """

    def __init__(self, n: int, allowed: Callable[[], np.ndarray | None]):
        super().__init__(n)
        self._allowed = allowed

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """One of the actions of the mask, or of those that are allowed now."""
        if mask is None and probability is None:
            mask = self._allowed()
        return super().sample(mask, probability)


def spaces_of(
    layout: Layout, allowed: Callable[[], np.ndarray | None], more: int = 0
) -> tuple[Space, Space]:
    """The observation space and the action space of a layout, with `more` actions than it has."""
    limits = np.iinfo(np.int16)
    actions = layout.actions + more
    seen = Box(0, limits.max, (layout.size,), np.int16)
    mask = Box(0, 1, (actions,), np.int8)
    return Dict({"observation": seen, "action_mask": mask}), AllowedActions(actions, allowed)


def checked_deal(options: Any) -> int:
    """The deal that the options of a reset name; 0 by default."""
    if options is not None and not isinstance(options, dict):
        raise PaxsimError(f'options: found {safe_repr(options)}; allowed: {{"deal": k}}')
    for name in options or {}:
        # (PettingZoo's own test hands over options that no environment knows.)
        if name != "deal" and suggestion(str(name), ["deal"]):
            raise unknown("option", name, ["deal"])
    return checked_int("deal", (options or {}).get("deal", 0), 0, MAX_NUMBER)


class OrderedPaxEnv(OrderEnforcingWrapper):
    """A `PaxEnv` that says so when it is used in the wrong order."""

    def __copy__(self) -> OrderedPaxEnv:
        return copy.deepcopy(self)


def checked_render_mode(mode: str | None) -> str | None:
    """A way to show games, or none."""
    if mode is not None and mode not in RENDER_MODES:
        raise unknown("render_mode", mode, RENDER_MODES)
    return mode


def rendered(env: Any) -> str | None:
    """The game of an environment to be looked at, or a warning that nobody said how."""
    if env.render_mode is None:
        modes = " or ".join(repr(mode) for mode in RENDER_MODES)
        logger.warn(f"render_mode: found none, so that nothing is shown; allowed: {modes}")
        return None
    if not hasattr(env, "_view"):
        raise PaxsimError("render: no game has been dealt; allowed: after reset()")
    return env._view.render(env.render_mode)


class PaxEnv(AECEnv[str, dict, int]):
    """A game of PAX; agents are ``"seat_1"`` to ``"seat_8"``.

    Observations are dictionaries of ``observation`` (see `paxsim.envs.layout`, and
    ``layout.fields`` for every number) and ``action_mask``. The reward is the seat's share of the
    win, at the end of the game; Rome's win leaves nothing to those who have no share.

    Parameters
    ----------
    players : int
        2 to 8.
    deck, rules
        See `paxsim.make_setting`.
    max_cycles : int, optional
        End a game as truncated before a seat decides more often than this.
    render_mode : str, optional
        ``"ansi"``: `render` returns the table in words, as the deciding seat sees it. ``"html"``:
        it returns the game as a page of the board, once it is over.

    Attributes
    ----------
    layout : Layout
        What observations and actions mean.
    """

    metadata = {"name": "pax_v0", "render_modes": RENDER_MODES, "is_parallelizable": False}

    def __init__(
        self,
        players: int = 4,
        *,
        deck: str | Path | Deck = DEFAULT_DECK,
        rules: str | Path | dict[str, Any] | Rules | None = None,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ):
        super().__init__()
        if not is_integer(players) or not 2 <= players <= MAX_PLAYERS:
            raise PaxsimError(
                f"players: found {safe_repr(players)}; "
                f"allowed: a whole number from 2 to {MAX_PLAYERS}, and paxsim.solo_env for solo"
            )
        self.setting = make_setting(players, deck=deck, rules=rules)
        self.render_mode = checked_render_mode(render_mode)
        self.max_cycles = (
            None if max_cycles is None else checked_int("max_cycles", max_cycles, 1, MAX_NUMBER)
        )
        self.layout = Layout(self.setting)
        self.possible_agents = [f"seat_{seat + 1}" for seat in range(self.setting.players)]
        self.agents: list[str] = []
        spaces = {
            agent: spaces_of(self.layout, partial(self._mask, agent))
            for agent in self.possible_agents
        }
        self.observation_spaces = {agent: seen for agent, (seen, _) in spaces.items()}
        self.action_spaces = {agent: taken for agent, (_, taken) in spaces.items()}
        self._draw_seeds = np.random.default_rng()

    def observation_space(self, agent: str) -> Space:
        """The same for all seats."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        """All actions; without a mask it samples from those that are allowed now."""
        return self.action_spaces[agent]

    def _mask(self, agent: str) -> np.ndarray | None:
        return self.observe(agent)["action_mask"] if hasattr(self, "_view") else None

    def __copy__(self) -> PaxEnv:
        """A game of its own: two that act in the same game are of no use."""
        return copy.deepcopy(self)

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Deal a game.

        Parameters
        ----------
        seed : int, optional
            Names the game, and those of the resets without a seed that follow it.
        options : dict, optional
            ``{"deal": k}`` is deal k of the seed, the game that `paxsim.play` plays; 0 by default.
        """
        if seed is not None:
            seed = checked_int("seed", seed, 0, MAX_NUMBER)
            self._draw_seeds = np.random.default_rng(seed)
        else:
            seed = int(self._draw_seeds.integers(_SEEDS))
        deal = checked_deal(options)
        self._view = SeatView(self.setting, self.layout, seed, deal, self.render_mode is not None)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self._decided = dict.fromkeys(self.agents, 0)
        self.agent_selection = self._deciding()

    def _deciding(self) -> str:
        return self.possible_agents[self._view.game.seat - 1]

    @property
    def game(self) -> Any:
        """The game behind it, a `paxsim.Game`, hidden things included."""
        return self._view.game

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What a seat sees; its mask is empty unless it decides."""
        if agent not in self.possible_agents:
            raise unknown("agent", agent, self.possible_agents)
        return self._view.observe(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Take an action for the seat that decides (``agent_selection``)."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._view.act(action)
        self._decided[agent] += 1
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._view.game.over:
            shares = self._view.game.result()["shares"]
            self.rewards = {
                each: float(shares[seat]) for seat, each in enumerate(self.possible_agents)
            }
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self._deciding()
            if self._decided[self.agent_selection] == self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The game to be looked at; see `render_mode`."""
        return rendered(self)

    def close(self) -> None:
        """Nothing is open."""


def env(
    players: int = 4,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper:
    """PAX as a PettingZoo environment; see `PaxEnv` for what can be asked for.

    Examples
    --------
    >>> import paxsim
    >>> table = paxsim.env(players=3)
    >>> table.reset(seed=1)
    >>> for agent in table.agent_iter():
    ...     observation, reward, ended, truncated, info = table.last()
    ...     mask = observation["action_mask"]
    ...     table.step(None if ended or truncated else int(mask.argmax()))
    >>> table.agents
    []
    """
    made = PaxEnv(players, deck=deck, rules=rules, max_cycles=max_cycles, render_mode=render_mode)
    return OrderedPaxEnv(made)


class ParallelPaxEnv(ParallelEnv[str, dict, int]):
    """A game of PAX in which every seat acts in every cycle; see `paxsim.envs.parallel`.

    Observations, rewards and names are those of `paxsim.env`, with one action more: ``wait``, the
    only one of seats that do not decide.

    Parameters
    ----------
    players : int
        2 to 8.
    deck, rules, render_mode
        See `paxsim.envs.pettingzoo.PaxEnv`.
    max_cycles : int, optional
        End a game as truncated after so many decisions.

    Attributes
    ----------
    layout : Layout
        What observations and actions mean.
    wait : int
        The action that waits, ``layout.actions``.
    """

    metadata = {"name": "pax_parallel_v0", "render_modes": RENDER_MODES}

    def __init__(
        self,
        players: int = 4,
        *,
        deck: str | Path | Deck = DEFAULT_DECK,
        rules: str | Path | dict[str, Any] | Rules | None = None,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ):
        self._table = PaxEnv(players, deck=deck, rules=rules, render_mode=render_mode)
        self.max_cycles = (
            None if max_cycles is None else checked_int("max_cycles", max_cycles, 1, MAX_NUMBER)
        )
        self.render_mode = self._table.render_mode
        self.layout = self._table.layout
        self.wait = self.layout.actions
        self.possible_agents = self._table.possible_agents
        self.agents: list[str] = []
        self._cycles: int | None = None
        self._spaces = {
            agent: spaces_of(self.layout, partial(self._mask, agent), 1)
            for agent in self.possible_agents
        }

    def __copy__(self) -> ParallelPaxEnv:
        """A game of its own: two that act in the same game are of no use."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"ParallelPaxEnv with {len(self.possible_agents)} players"

    def observation_space(self, agent: str) -> Space:
        """The same for all seats."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Space:
        """All actions; without a mask it samples from those that are allowed now."""
        return self._spaces[agent][1]

    def _mask(self, agent: str) -> np.ndarray | None:
        return self.observe(agent)["action_mask"] if self.agents else None

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What a seat sees and may do."""
        seen = self._table.observe(agent)
        waits = not seen["action_mask"].any()
        seen["action_mask"] = np.append(seen["action_mask"], np.int8(waits))
        return seen

    def _observations(self) -> dict[str, dict[str, np.ndarray]]:
        return {agent: self.observe(agent) for agent in self.possible_agents}

    def reset(
        self, seed: int | None = None, options: dict | None = None
    ) -> tuple[dict[str, dict], dict[str, dict]]:
        """Deal a game; seed and options are those of `paxsim.env`."""
        self._table.reset(seed, options)
        self.agents = list(self.possible_agents)
        self._cycles = 0
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        """One decision: an action of the seat that decides, ``wait`` of all others."""
        if self._cycles is None:
            raise PaxsimError("actions: no game has been dealt; allowed: after reset()")
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, dict):
            raise PaxsimError(
                f"actions: found {safe_repr(actions)}; allowed: an action for each agent"
            )
        deciding = self._table.agent_selection
        for agent in self.agents:
            action = actions.get(agent)
            if agent != deciding and action != self.wait:
                raise PaxsimError(
                    f"action of {agent}: found {safe_repr(action)}; allowed now: {self.wait}, to wait"
                )
        self._table.step(actions.get(deciding))
        self._cycles += 1
        ended = self._table.game.over
        truncated = not ended and self._cycles == self.max_cycles
        answer: tuple[dict, dict, dict, dict, dict] = (
            self._observations(),
            dict(self._table.rewards),
            dict.fromkeys(self.agents, ended),
            dict.fromkeys(self.agents, truncated),
            {agent: {} for agent in self.agents},
        )
        if ended or truncated:
            self.agents = []
        return answer

    def render(self) -> str | None:
        """The game to be looked at; see `paxsim.env`."""
        return self._table.render()

    def close(self) -> None:
        """Nothing is open."""


def parallel_env(
    players: int = 4,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> ParallelPaxEnv:
    """PAX as a parallel environment of PettingZoo; see `ParallelPaxEnv`.

    Examples
    --------
    >>> import paxsim
    >>> table = paxsim.parallel_env(players=3, max_cycles=20)
    >>> observations, infos = table.reset(seed=1)
    >>> while table.agents:
    ...     actions = {agent: table.action_space(agent).sample() for agent in table.agents}
    ...     observations, rewards, ended, truncated, infos = table.step(actions)
    >>> all(truncated.values())
    True
    """
    return ParallelPaxEnv(
        players, deck=deck, rules=rules, max_cycles=max_cycles, render_mode=render_mode
    )
