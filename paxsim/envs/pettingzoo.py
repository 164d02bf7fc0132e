"""PettingZoo environments: 2 to 8 agents that act in turn (AEC) or in parallel."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from paxsim.board.replay import Replay
from paxsim.board.view import EVERYTHING, Observer, with_rome_turned_up
from paxsim.board.words import table_in_words
from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.envs.encoding import encode
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, checked_int, is_integer, safe_repr, suggestion, unknown
from paxsim.game import Game
from paxsim.rules import MAX_PLAYERS, Rules
from paxsim.setting import MAX_NUMBER, Setting, make_setting
from paxsim.trace import TracedGame

#: Text from the seat's point of view, or a page of the board once the game is over.
RENDER_MODES = ["ansi", "html"]
#: Number of seeds to draw from when `reset` is called without one.
SEEDS = 1 << 48


def as_int(action: Any) -> int | None:
    """Return an action as an int, also from an array without dimensions; None if it is none."""
    try:
        return operator.index(action)
    except TypeError:
        return None


class SeatView:
    """One game in the observations and actions of a `Layout`; a traced one can be rendered."""

    def __init__(self, setting: Setting, layout: Layout, seed: int, deal: int, traced: bool):
        self.layout = layout
        self.names = [f"seat_{seat + 1}" for seat in range(setting.players)]
        self.game: Game = (
            TracedGame(setting, self.names, seed, deal, 0)
            if traced
            else Game.of_setting(setting, seed, deal, 0)
        )

    def observe(self, seat: int) -> dict[str, np.ndarray]:
        """Return the observation and the action mask of a seat (from 0)."""
        observation, mask, _ = encode(self.game._address, seat, self.layout)
        return {"observation": observation, "action_mask": mask}

    def act(self, action: Any) -> None:
        """Take an action for the deciding seat."""
        *_, options = encode(self.game._address, self.game.seat - 1, self.layout)
        allowed = np.flatnonzero(options >= 0)
        number = as_int(action)
        if number not in allowed:
            listed = ", ".join(map(str, allowed))
            raise PaxsimError(f"action must be one of {listed}, got {safe_repr(action)}")
        self.game.apply(int(options[number]))

    def render(self, mode: str) -> str:
        """Draw the table as the deciding seat sees it, or the whole game as a page."""
        assert isinstance(self.game, TracedGame)
        events = self.game.events
        if mode == "html":
            if not self.game.over:
                raise PaxsimError("render_mode 'html' shows finished games; the game is not over")
            return Replay(events).page()
        seat = EVERYTHING if self.game.over else self.game.seat
        observer = Observer(seat)
        steps = [observer.observe(event) for event in with_rome_turned_up(events)]
        return f"{steps[-1]['text']}\n{table_in_words(self.names, observer.view, seat)}"


class AllowedActions(Discrete):
    """Discrete action space that samples from the currently allowed actions."""

    def __init__(self, n: int, current_mask: Callable[[], np.ndarray | None]):
        super().__init__(n)
        self._current_mask = current_mask  # returns None without a game

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return a random action of `mask`, by default one that is allowed now."""
        if mask is None and probability is None:
            mask = self._current_mask()
        return super().sample(mask, probability)


def make_spaces(
    layout: Layout, actions: int, current_mask: Callable[[], np.ndarray | None]
) -> tuple[Space, Space]:
    """Return the observation space and the action space of an environment."""
    observation = Box(0, np.iinfo(np.int16).max, (layout.size,), np.int16)
    mask = Box(0, 1, (actions,), np.int8)
    spaces = Dict({"observation": observation, "action_mask": mask})
    return spaces, AllowedActions(actions, current_mask)


def checked_deal(options: Any) -> int:
    """Return the deal number in the options of `reset`, 0 by default."""
    options = {} if options is None else options
    if not isinstance(options, dict):
        raise PaxsimError(f'options must be a dict such as {{"deal": 1}}, got {safe_repr(options)}')
    for name in options:
        # PettingZoo's API test passes options that no environment knows.
        if name != "deal" and suggestion(str(name), ["deal"]):
            raise unknown("option", name, ["deal"])
    return checked_int("deal", options.get("deal", 0), 0, MAX_NUMBER)


class RenderedEnv:
    """Base class of environments with one game in `_view`: rendering and copying."""

    render_mode: str | None
    _view: SeatView | None = None

    def _set_render_mode(self, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise unknown("render_mode", mode, RENDER_MODES)
        self.render_mode = mode

    def __copy__(self) -> Self:
        """Return a deep copy: a shallow one would share its game."""
        return copy.deepcopy(self)

    def render(self) -> str | None:
        """Return the game as text or HTML, as ``render_mode`` says; warn without one."""
        if self.render_mode is None:
            modes = " or ".join(map(repr, RENDER_MODES))
            logger.warn(f"nothing is rendered: set render_mode={modes} when creating the env")
            return None
        return self._current_view().render(self.render_mode)

    def _current_view(self) -> SeatView:
        if self._view is None:
            raise PaxsimError("call reset() first: there is no game yet")
        return self._view


class MultiAgentEnv(RenderedEnv):
    """Base class of environments with the spaces of several agents."""

    def _set_agents(self, layout: Layout, actions: int) -> None:
        self.layout = layout
        self.possible_agents = [f"seat_{seat + 1}" for seat in range(layout.setting.players)]
        self.agents: list[str] = []
        self._spaces = {
            agent: make_spaces(layout, actions, partial(self._mask, agent))
            for agent in self.possible_agents
        }

    def _mask(self, agent: str) -> np.ndarray | None:
        return None if self._view is None else self.observe(agent)["action_mask"]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of an agent; its mask is all 0 unless it decides."""
        if agent not in self.possible_agents:
            raise unknown("agent", agent, self.possible_agents)
        return self._current_view().observe(self.possible_agents.index(agent))

    def observation_space(self, agent: str) -> Space:
        """Return the observation space, the same for all agents."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Space:
        """Return the action space; without a mask it samples from the allowed actions."""
        return self._spaces[agent][1]


class PaxEnv(MultiAgentEnv, AECEnv[str, dict, int]):
    """Game of PAX for agents that act in turn; see `env`."""

    metadata = {"name": "pax_v0", "render_modes": RENDER_MODES, "is_parallelizable": False}

    def __init__(
        self, players: Any, deck: Any, rules: Any, max_cycles: Any, render_mode: str | None
    ):
        super().__init__()
        if not is_integer(players) or not 2 <= players <= MAX_PLAYERS:
            raise PaxsimError(
                f"players must be between 2 and {MAX_PLAYERS} (for solo use paxsim.solo_env), "
                f"got {safe_repr(players)}"
            )
        self.setting = make_setting(players, deck=deck, rules=rules)
        self._set_render_mode(render_mode)
        if max_cycles is not None:
            max_cycles = checked_int("max_cycles", max_cycles, 1, MAX_NUMBER)
        self.max_cycles = max_cycles
        layout = Layout(self.setting)
        self._set_agents(layout, layout.actions)
        self._draw_seeds = np.random.default_rng()

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Deal a game.

        Parameters
        ----------
        seed : int, optional
            Random seed of this game and of later resets without a seed.
        options : dict, optional
            ``{"deal": k}`` selects deal k of the seed, as in `paxsim.play`; 0 by default.
        """
        if seed is not None:
            seed = checked_int("seed", seed, 0, MAX_NUMBER)
            self._draw_seeds = np.random.default_rng(seed)
        else:
            seed = int(self._draw_seeds.integers(SEEDS))
        deal = checked_deal(options)
        self._view = SeatView(self.setting, self.layout, seed, deal, self.render_mode is not None)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self._decisions = dict.fromkeys(self.agents, 0)
        self.agent_selection = self._deciding_agent()

    def _deciding_agent(self) -> str:
        return self.possible_agents[self.game.seat - 1]

    @property
    def game(self) -> Game:
        """The game with all its hidden information."""
        return self._current_view().game

    def step(self, action: int | None) -> None:
        """Take an action for the deciding agent (``agent_selection``)."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._current_view().act(action)
        self._decisions[agent] += 1
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.game.over:
            shares = self.game.result()["shares"]
            self.rewards = {
                agent: float(shares[seat]) for seat, agent in enumerate(self.possible_agents)
            }
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self._deciding_agent()
            if self._decisions[self.agent_selection] == self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()


class _CheckedPaxEnv(OrderEnforcingWrapper):
    """`PaxEnv` with PettingZoo's errors for calls in the wrong order."""

    def __copy__(self) -> _CheckedPaxEnv:
        return copy.deepcopy(self)


def env(
    players: int = 4,
    *,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    max_cycles: int | None = None,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper:
    """Create a PettingZoo environment in which agents act in turn.

    Agents are ``"seat_1"`` to ``"seat_8"``. Observations are dicts of ``observation``, whose
    features ``env.layout`` describes, and ``action_mask``. The reward, at the end of the game, is
    the seat's share of the win; if Rome wins alone, all get 0.

    Parameters
    ----------
    players : int
        2 to 8.
    deck, rules
        See `paxsim.make_setting`.
    max_cycles : int, optional
        Truncate a game when a seat is about to decide more often than this.
    render_mode : str, optional
        ``"ansi"``: ``env.render()`` returns the table as text, as the deciding seat sees it.
        ``"html"``: it returns a page with the whole game, once it is over.

    Returns
    -------
    pettingzoo.utils.OrderEnforcingWrapper

    Examples
    --------
    >>> import paxsim
    >>> env = paxsim.env(players=3)
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     mask = observation["action_mask"]
    ...     env.step(None if terminated or truncated else int(mask.argmax()))
    >>> env.agents
    []
    """
    return _CheckedPaxEnv(PaxEnv(players, deck, rules, max_cycles, render_mode))


class ParallelPaxEnv(MultiAgentEnv, ParallelEnv[str, dict, int]):
    """Game of PAX in which every agent acts in every cycle.

    Observations and rewards are those of `paxsim.env`. One more action, ``wait``, is the only one
    that is allowed for agents that do not decide.

    Parameters
    ----------
    players, deck, rules, render_mode
        See `paxsim.env`.
    max_cycles : int, optional
        Truncate a game after this many decisions.

    Attributes
    ----------
    layout : Layout
        Meaning of observations and actions.
    wait : int
        The action of waiting, ``layout.actions``.

    Examples
    --------
    >>> import paxsim
    >>> env = paxsim.parallel_env(players=3, max_cycles=20)
    >>> observations, infos = env.reset(seed=1)
    >>> while env.agents:
    ...     actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> all(truncations.values())
    True
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
        self._aec = PaxEnv(players, deck, rules, max_cycles, render_mode)
        self.max_cycles = self._aec.max_cycles
        self.render_mode = self._aec.render_mode
        self.wait = self._aec.layout.actions
        self._set_agents(self._aec.layout, self.wait + 1)

    def __repr__(self) -> str:
        return f"ParallelPaxEnv with {len(self.possible_agents)} players"

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation and the action mask of an agent."""
        observation = super().observe(agent)
        waits = not observation["action_mask"].any()
        observation["action_mask"] = np.append(observation["action_mask"], np.int8(waits))
        return observation

    def _observations(self) -> dict[str, dict[str, np.ndarray]]:
        return {agent: self.observe(agent) for agent in self.possible_agents}

    def reset(
        self, seed: int | None = None, options: dict | None = None
    ) -> tuple[dict[str, dict], dict[str, dict]]:
        """Deal a game; see `PaxEnv.reset`."""
        self._aec.reset(seed, options)
        self._view = self._aec._view
        self.agents = list(self.possible_agents)
        self._cycles = 0
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        """Take an action of the deciding agent; all others must ``wait``."""
        game = self._current_view().game
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, dict):
            raise PaxsimError(f"actions must be a dict by agent, got {safe_repr(actions)}")
        deciding = self._aec.agent_selection
        for agent in self.agents:
            action = actions.get(agent)
            if agent != deciding and action != self.wait:
                raise PaxsimError(
                    f"action of {agent} must be {self.wait} (wait), got {safe_repr(action)}"
                )
        self._aec.step(actions.get(deciding))
        self._cycles += 1
        truncated = not game.over and self._cycles == self.max_cycles
        if game.over or truncated:
            self.agents = []
        return (
            self._observations(),
            dict(self._aec.rewards),
            dict.fromkeys(self.possible_agents, game.over),
            dict.fromkeys(self.possible_agents, truncated),
            {agent: {} for agent in self.possible_agents},
        )


parallel_env = ParallelPaxEnv
