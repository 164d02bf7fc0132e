"""The states of a game that are worth a name: pure ones, mixed ones, and rounds that never end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.dynamics import Ends, follow
from paxsim.gametheory.equilibria import SAME, balanced, equilibria
from paxsim.gametheory.symmetric import Floats, SymmetricGame, pure_state

PURE, MIXED, CYCLE = "pure", "mixed", "cycle"
#: In a draw of the bootstrap a mixed state is somewhat elsewhere: within so much it is the same.
NEAR = 0.2
#: The place of a way that leads to no state with a name.
ELSEWHERE = -1


@dataclass(frozen=True, eq=False)
class State:
    """A state of a game.

    Attributes
    ----------
    kind : str
        ``pure`` (everybody plays one strategy), ``mixed``, or ``cycle``.
    shares : ndarray, shape (strategies,)
        The population; of a cycle, its mean over time.
    round : tuple of int
        Of a cycle, the strategies that lead, one after another.
    """

    kind: str
    shares: Floats
    round: tuple[int, ...] = ()


def find_states(game: SymmetricGame, starts: Floats) -> tuple[list[State], Ends]:
    """All states: pure ones first, then mixed equilibria, and where else the dynamics lead.

    Parameters
    ----------
    game : SymmetricGame
        The game, without draws.
    starts : ndarray, shape (starts, strategies)
        Where the dynamics begin.
    """
    states = [State(PURE, pure_state(game.strategies, i)) for i in range(game.strategies)]
    for found in equilibria(game):
        if (found.shares > 0).sum() > 1:
            states.append(State(MIXED, found.shares))
    ends = follow(game, starts)
    for shares in ends.shares[0][ends.settled[0]]:
        if all(np.abs(state.shares - shares).max() >= SAME for state in states):
            (exact,), (solved,) = balanced(game, shares[None])
            states.append(State(MIXED, exact if solved else shares))
    for round_ in dict.fromkeys(ends.rounds.values()):
        ways = [start for (_, start), other in ends.rounds.items() if other == round_]
        states.append(State(CYCLE, ends.shares[0][ways].mean(axis=0), round_))
    return states, ends


def reached(states: list[State], ends: Ends, near: float = SAME) -> NDArray[np.int64]:
    """Which state each way leads to, shape (draws, starts); `ELSEWHERE` if to none of them."""
    still = [i for i, state in enumerate(states) if state.kind != CYCLE]
    places = np.array([states[i].shares for i in still])
    distance = np.abs(ends.shares[..., None, :] - places).max(axis=-1)
    nearest = np.array(still)[distance.argmin(axis=-1)]
    found = np.where(ends.settled & (distance.min(axis=-1) < near), nearest, ELSEWHERE)
    cycles = {frozenset(state.round): i for i, state in enumerate(states) if state.kind == CYCLE}
    for way, round_ in ends.rounds.items():
        found[way] = cycles.get(frozenset(round_), ELSEWHERE)
    return found


def basins(states: list[State], found: NDArray[np.int64]) -> Floats:
    """Share of the starts that lead to each state, shape (draws, states)."""
    return np.stack([(found == i).mean(axis=-1) for i in range(len(states))], axis=-1)
