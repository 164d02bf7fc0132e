"""PAX for learners that act all at once: a parallel environment of PettingZoo.

A cycle is one decision. The seat that decides acts, and all others wait, which is an action of its
own, the last one.
"""

from __future__ import annotations

import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from pettingzoo import ParallelEnv

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.learning.pettingzoo import PaxEnv, spaces_of
from paxsim.learning.seatview import RENDER_MODES
from paxsim.quoting import told
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER


class ParallelPaxEnv(ParallelEnv[str, dict, int]):
    """A game of PAX in which every seat acts in every cycle; see `paxsim.learning.parallel`.

    Observations, rewards and names are those of `paxsim.env`, with one action more: ``wait``, the
    only one of seats that do not decide.

    Parameters
    ----------
    players : int
        2 to 8.
    deck, rules, render_mode
        See `paxsim.learning.pettingzoo.PaxEnv`.
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
            raise PaxsimError(f"actions: found {told(actions)}; allowed: an action for each agent")
        deciding = self._table.agent_selection
        for agent in self.agents:
            action = actions.get(agent)
            if agent != deciding and action != self.wait:
                raise PaxsimError(
                    f"action of {agent}: found {told(action)}; allowed now: {self.wait}, to wait"
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
