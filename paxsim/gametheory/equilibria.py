"""Symmetric equilibria, their stability, and the states in which adapting populations end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.games import Floats, SymmetricGame
from paxsim.gametheory.replicator import PRESENT, Limits, even_starts, follow

#: Largest number of strategies for which all supports are searched; beyond it, only pairs.
MOST_STRATEGIES = 8
#: Starting points of the search in each support.
STARTS = 8
#: Two states are the same if no share differs by more.
SAME = 0.02
#: Tolerance for regret, in wins.
NO_REGRET = 1e-7
#: Newton's method: steps, longest step in shares, and tolerance.
_STEPS, _LONGEST, _EXACT = 25, 0.2, 1e-10
#: Step of numerical derivatives.
_DELTA = 1e-6


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Symmetric equilibrium: a population in which no player gains by deviating alone."""

    shares: Floats  # shape (strategies,)
    stable: bool  # True if the replicator dynamics return to it


def payoffs_at(game: SymmetricGame, populations: Floats) -> Floats:
    """Return expected payoffs by state; for a game with draws, state i is taken in draw i."""
    if game.payoffs.ndim == 2:
        return game.expected_payoffs(populations)
    return game.expected_payoffs(populations[:, None, :])[:, 0]


def advantages(game: SymmetricGame, populations: Floats) -> Floats:
    """Return each strategy's payoff minus the mean payoff, shape (states, strategies)."""
    expected = payoffs_at(game, populations)
    return np.asarray(expected - (populations * expected).sum(axis=-1, keepdims=True))


def regret(game: SymmetricGame, populations: Floats) -> Floats:
    """Return the gain of the best response over the mean payoff, shape (states,).

    Examples
    --------
    >>> hawk_dove = SymmetricGame(2, np.array([[-1, np.nan], [4, 0], [np.nan, 2]]), np.zeros(3))
    >>> regret(hawk_dove, np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([1., 2.])
    """
    return np.asarray(advantages(game, populations).max(axis=-1))


def equilibria(game: SymmetricGame) -> list[Equilibrium]:
    """Return all symmetric equilibria that are found, pure ones first.

    Every support is searched for shares at which all its strategies do equally well. Supports of
    three or more strategies may have several equilibria, and the search can miss some. With more
    than `MOST_STRATEGIES` strategies, only supports of one and two are searched.

    Examples
    --------
    >>> hawk_dove = SymmetricGame(2, np.array([[-1, np.nan], [4, 0], [np.nan, 2]]), np.zeros(3))
    >>> [(found.shares.round(3).tolist(), found.stable) for found in equilibria(hawk_dove)]
    [([0.667, 0.333], True)]
    """
    k = game.strategies
    results: list[Equilibrium] = []
    for size in range(1, k + 1 if k <= MOST_STRATEGIES else 3):
        for support in itertools.combinations(range(k), size):
            states = _balanced_on(game, support)
            states = states[regret(game, states) <= NO_REGRET]
            for shares, stable in zip(states, are_stable(game, states), strict=True):
                if _is_new(shares, [other.shares for other in results]):
                    results.append(Equilibrium(shares, bool(stable)))
    return results


def _is_new(shares: Floats, others: Sequence[Floats]) -> bool:
    return all(np.abs(other - shares).max() >= SAME for other in others)


def _balanced_on(game: SymmetricGame, support: Sequence[int]) -> Floats:
    """Return the states with exactly this support in which all its strategies do equally well."""
    if len(support) == 1:
        return np.eye(game.strategies)[list(support)]
    starts = np.zeros((STARTS, game.strategies))
    starts[:, list(support)] = even_starts(len(support), STARTS)
    ends, solved = balanced(game, starts)
    different: list[Floats] = []
    for shares in ends[solved]:
        if _is_new(shares, different):
            different.append(shares)
    return np.array(different).reshape(-1, game.strategies)


def balanced(game: SymmetricGame, starts: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Find states near some starts in which the present strategies do equally well.

    Newton's method, for all starts at once: they must have the same strategies present, and in a
    game with draws, start i belongs to draw i. Returns the last states, and a mask of those solved.
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
        # Roots outside the simplex are meaningless.
        states = np.clip(states, 0.0, 1.0)
        states /= states.sum(axis=-1, keepdims=True)
        if np.abs(step).max() < _EXACT:
            break
    gap = np.abs(_imbalance(game, states, present)).max(axis=-1)
    return states, (gap < 1e-9) & (states[:, present].min(axis=-1) > PRESENT)


def _imbalance(game: SymmetricGame, states: Floats, present: NDArray[np.intp]) -> Floats:
    """Return the payoffs of the present strategies relative to the last of them."""
    expected = payoffs_at(game, states)[:, present]
    return np.asarray(expected[:, :-1] - expected[:, -1:])


def _derivatives(
    function: Callable[[Floats], Floats], states: Floats, present: NDArray[np.intp]
) -> Floats:
    """Return derivatives by the present shares but the last, (states, values, present - 1)."""
    columns = []
    for moved in present[:-1]:
        delta = np.zeros(states.shape[-1])
        delta[moved], delta[present[-1]] = _DELTA, -_DELTA
        columns.append((function(states + delta) - function(states - delta)) / (2 * _DELTA))
    return np.stack(columns, axis=-1)


def are_stable(game: SymmetricGame, states: Floats) -> NDArray[np.bool_]:
    """Return whether the replicator dynamics return to each state after small perturbations.

    All states must have the same strategies present.
    """
    if not len(states):
        return np.zeros(0, bool)
    present, absent = np.flatnonzero(states[0] > 0), np.flatnonzero(states[0] <= 0)
    better = advantages(game, states)
    balanced_here = (np.abs(better[:, present]) <= NO_REGRET).all(axis=-1)
    safe = (better[:, absent] < 0).all(axis=-1) & balanced_here
    if len(present) == 1:
        return np.asarray(safe)
    slopes = _derivatives(lambda x: (x * advantages(game, x))[:, present[:-1]], states, present)
    return np.asarray(safe & (np.linalg.eigvals(slopes).real.max(axis=-1) < 0))


# --- long-run states ----------------------------------------------------------------------------

PURE, MIXED, CYCLE = "pure", "mixed", "cycle"
#: Tolerance for a mixed state to be the same one in a bootstrap draw.
NEAR = 0.2
#: Index for trajectories that lead to no known state.
ELSEWHERE = -1


@dataclass(frozen=True, eq=False)
class State:
    """Population state: pure (everybody plays one strategy), mixed equilibrium, or cycle."""

    kind: str
    shares: Floats  # shape (strategies,); for a cycle, the mean over time
    cycle: tuple[int, ...] = ()  # its successive leading strategies


def find_states(game: SymmetricGame, starts: Floats) -> tuple[list[State], Limits]:
    """Find all states: pure ones, mixed equilibria, and other limits of the dynamics.

    Parameters
    ----------
    game : SymmetricGame
        The game, without draws.
    starts : ndarray, shape (starts, strategies)
        Starting points of the dynamics.

    Returns
    -------
    states : list of State
        Pure states in the order of the strategies, then the others.
    limits : Limits
        Limits of the trajectories.

    Examples
    --------
    >>> hawk_dove = SymmetricGame(2, np.array([[-1, np.nan], [4, 0], [np.nan, 2]]), np.zeros(3))
    >>> states, limits = find_states(hawk_dove, even_starts(2, 4))
    >>> [state.kind for state in states]
    ['pure', 'pure', 'mixed']
    """
    states = [State(PURE, shares) for shares in np.eye(game.strategies)]
    for equilibrium in equilibria(game):
        if (equilibrium.shares > 0).sum() > 1:
            states.append(State(MIXED, equilibrium.shares))
    limits = follow(game, starts)
    for shares in limits.shares[0][limits.settled[0]]:
        if _is_new(shares, [state.shares for state in states]):
            (exact,), (solved,) = balanced(game, shares[None])
            states.append(State(MIXED, exact if solved else shares))
    for cycle in dict.fromkeys(limits.cycles.values()):
        members = [start for (_, start), other in limits.cycles.items() if other == cycle]
        states.append(State(CYCLE, limits.shares[0][members].mean(axis=0), cycle))
    return states, limits


def reached(states: list[State], limits: Limits, near: float = SAME) -> NDArray[np.int64]:
    """Return the index of the state that each trajectory leads to, shape (draws, starts)."""
    still = [i for i, state in enumerate(states) if state.kind != CYCLE]
    places = np.array([states[i].shares for i in still])
    distance = np.abs(limits.shares[..., None, :] - places).max(axis=-1)
    nearest = np.array(still)[distance.argmin(axis=-1)]
    ends = np.where(limits.settled & (distance.min(axis=-1) < near), nearest, ELSEWHERE)
    cycles = {frozenset(state.cycle): i for i, state in enumerate(states) if state.kind == CYCLE}
    for trajectory, cycle in limits.cycles.items():
        ends[trajectory] = cycles.get(frozenset(cycle), ELSEWHERE)
    return ends


def basins(states: list[State], ends: NDArray[np.int64]) -> Floats:
    """Return the share of starts that lead to each state, shape (draws, states)."""
    return np.stack([(ends == i).mean(axis=-1) for i in range(len(states))], axis=-1)
