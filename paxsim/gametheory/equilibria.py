"""Symmetric equilibria: populations in which nobody gains by playing something else alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.games import Floats, SymmetricGame, pure_state
from paxsim.gametheory.replicator import PRESENT, Ends, even_starts, follow

#: Supports are enumerated in sets of at most so many strategies; there are 2 to that power.
MOST_STRATEGIES = 8
#: Starts of the search in each support.
STARTS = 8
#: Two states are the same if no share differs by more.
SAME = 0.02
#: Regret that counts as none, in wins.
NO_REGRET = 1e-7
#: Newton's method: steps, the longest in shares, and the difference of payoffs that counts as 0.
_STEPS, _LONGEST, _EXACT = 25, 0.2, 1e-10
#: Of the shares, for derivatives.
_PUSH = 1e-6


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A symmetric equilibrium.

    Attributes
    ----------
    shares : ndarray, shape (strategies,)
        The population.
    stable : bool
        Whether the dynamics come back to it.
    """

    shares: Floats
    stable: bool


def payoffs_at(game: SymmetricGame, populations: Floats) -> Floats:
    """Expected payoffs in populations (states, strategies): one in each draw if there are any."""
    if game.payoffs.ndim == 2:
        return game.expected_payoffs(populations)
    return game.expected_payoffs(populations[:, None, :])[:, 0]


def advantages(game: SymmetricGame, populations: Floats) -> Floats:
    """How much better each strategy does than the average player, (states, strategies)."""
    expected = payoffs_at(game, populations)
    return np.asarray(expected - (populations * expected).sum(axis=-1, keepdims=True))


def regret(game: SymmetricGame, populations: Floats) -> Floats:
    """How much the best answer gains over the average player, shape (states,)."""
    return np.asarray(advantages(game, populations).max(axis=-1))


def equilibria(game: SymmetricGame) -> list[Equilibrium]:
    """All symmetric equilibria that are found, pure ones first.

    For every set of strategies (support) the shares are searched for at which all of them do
    equally well; a set of more than two may have several such states, and those that no start of
    the search leads to are missed. Of more than `MOST_STRATEGIES` only pairs are tried.
    """
    k = game.strategies
    found: list[Equilibrium] = []
    for size in range(1, k + 1 if k <= MOST_STRATEGIES else 3):
        for support in itertools.combinations(range(k), size):
            states = states_on(game, support)
            if len(states):
                calm = states[regret(game, states) <= NO_REGRET]
                found += _new(found, calm, are_stable(game, calm))
    return found


def _new(
    found: Sequence[Equilibrium], states: Floats, stable: NDArray[np.bool_]
) -> list[Equilibrium]:
    return [
        Equilibrium(shares, bool(calm))
        for shares, calm in zip(states, stable, strict=True)
        if all(np.abs(other.shares - shares).max() >= SAME for other in found)
    ]


def states_on(game: SymmetricGame, support: Sequence[int]) -> Floats:
    """States in which exactly these strategies are present and do equally well, (states, k)."""
    if len(support) == 1:
        return pure_state(game.strategies, support[0])[None]
    starts = np.zeros((STARTS, game.strategies))
    starts[:, list(support)] = even_starts(len(support), STARTS)
    ends, solved = balanced(game, starts)
    different: list[Floats] = []
    for shares in ends[solved]:
        if all(np.abs(shares - other).max() >= SAME for other in different):
            different.append(shares)
    return np.array(different).reshape(-1, game.strategies)


def balanced(game: SymmetricGame, starts: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """States near some starts in which the strategies that are present do equally well.

    By Newton's method, for all starts at once.

    Parameters
    ----------
    game : SymmetricGame
        The game, or draws of it: then one start for each draw.
    starts : ndarray, shape (states, strategies)
        Where the search begins; all have the same strategies present.

    Returns
    -------
    states : ndarray, shape (states, strategies)
        Where it ends.
    solved : ndarray of bool, shape (states,)
        Whether that is such a state.
    """
    present = np.flatnonzero(starts[0] > 0)
    if len(present) == 1:
        return starts.copy(), np.ones(len(starts), bool)
    states = starts.copy()
    last = present[-1]
    for _ in range(_STEPS):
        gap = _imbalance(game, states, present)
        slopes = _derivatives(lambda x: _imbalance(game, x, present), states, present)
        step = -(np.linalg.pinv(slopes) @ gap[..., None])[..., 0]
        step *= np.minimum(1, _LONGEST / np.maximum(np.abs(step).max(axis=-1), 1e-300))[:, None]
        states[:, present[:-1]] += step
        states[:, last] = 1 - states[:, present[:-1]].sum(axis=-1)
        # Outside the simplex polynomials have roots that mean nothing.
        states = np.clip(states, 0.0, 1.0)
        states /= states.sum(axis=-1, keepdims=True)
        if np.abs(step).max() < _EXACT:
            break
    gap = np.abs(_imbalance(game, states, present)).max(axis=-1)
    return states, (gap < 1e-9) & (states[:, present].min(axis=-1) > PRESENT)


def _imbalance(game: SymmetricGame, states: Floats, present: NDArray[np.intp]) -> Floats:
    """How much better those present do than the last of them, (states, present - 1)."""
    expected = payoffs_at(game, states)[:, present]
    return np.asarray(expected[:, :-1] - expected[:, -1:])


def _derivatives(
    function: Callable[[Floats], Floats], states: Floats, present: NDArray[np.intp]
) -> Floats:
    """Derivatives by the shares of those present, at the expense of the last of them.

    Returns
    -------
    ndarray, shape (states, values, present - 1)
    """
    columns = []
    for moved in present[:-1]:
        push = np.zeros(states.shape[-1])
        push[moved], push[present[-1]] = _PUSH, -_PUSH
        columns.append((function(states + push) - function(states - push)) / (2 * _PUSH))
    return np.stack(columns, axis=-1)


def are_stable(game: SymmetricGame, states: Floats) -> NDArray[np.bool_]:
    """Whether the dynamics come back to equilibria after any small push, shape (states,).

    All states have the same strategies present.
    """
    if not len(states):
        return np.zeros(0, bool)
    present, absent = np.flatnonzero(states[0] > 0), np.flatnonzero(states[0] <= 0)
    better = advantages(game, states)
    safe = (better[:, absent] < 0).all(axis=-1) & (np.abs(better[:, present]) <= NO_REGRET).all(
        axis=-1
    )
    if len(present) == 1:
        return np.asarray(safe)
    slopes = _derivatives(lambda x: (x * advantages(game, x))[:, present[:-1]], states, present)
    return np.asarray(safe & (np.linalg.eigvals(slopes).real.max(axis=-1) < 0))


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
