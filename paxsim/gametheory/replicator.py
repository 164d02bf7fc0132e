"""Replicator dynamics: strategies with above-average payoffs become more common.

Shares x change by ``dx_i/dt = x_i (f_i(x) - mean)``. Heun's method on log shares, with its own step
size for each trajectory, because only limits matter here. (ODE solvers of scipy share one step size
and would run at the pace of the slowest of thousands of trajectories; the tests compare both.)

No share falls below `FLOOR`, as if mutants kept every strategy alive. A trajectory has *settled*
when no present strategy changes and no rare one would grow.

References
----------
P. D. Taylor and L. B. Jonker, "Evolutionarily stable strategies and game dynamics", Mathematical
Biosciences 40, 1978.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.games import Floats, SymmetricGame, multisets, orders
from paxsim.stats.multiple import even_points

#: Smallest share of a strategy.
FLOOR = 1e-6
#: Shares above this count as present.
PRESENT = 1e-3
#: Error of a step: absolute, relative to the step, and the smallest that matters.
STEP_ERROR, STEP_PART, NO_ERROR = 1e-3, 0.1, 1e-9
#: Largest change of a log share in a step.
STEP_GROWTH = 1.0
#: Speed below which a share counts as constant, relative to the range of payoffs.
STILL = 1e-6
#: Steps before a trajectory counts as not settling, and steps in which it is then observed.
MOST_STEPS, WATCHED_STEPS = 1_500, 750
#: A trajectory that stays within this range counts as settled after all.
NARROW = 0.02

#: Indices of some draws and some starts, from `numpy.ix_`.
Part = tuple[NDArray[np.intp], ...]
#: Successive leading strategies by (draw, start), for trajectories that did not settle.
Cycles = dict[tuple[int, int], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of trajectories by draw and start; means over time if one did not settle."""

    shares: Floats  # final populations, with absent strategies set to 0
    rome: Floats  # Rome's rate there
    settled: NDArray[np.bool_]
    cycles: Cycles


def even_starts(strategies: int, starts: int) -> Floats:
    """Return evenly spread populations, shape (starts, strategies).

    Quasi-random points estimate the sizes of basins more precisely than random ones.

    Examples
    --------
    >>> even_starts(2, 3).round(2)
    array([[0.34, 0.66],
           [0.91, 0.09],
           [0.15, 0.85]])
    """
    weights = -np.log(even_points(starts, strategies))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def follow(
    game: SymmetricGame,
    starts: Floats,
    most_steps: int = MOST_STEPS,
    watched_steps: int = WATCHED_STEPS,
) -> Limits:
    """Follow trajectories from several starts, in one game or in each of its draws.

    Parameters
    ----------
    game : SymmetricGame
        The game, possibly with draws.
    starts : ndarray, shape (starts, strategies)
        Initial populations.
    most_steps : int
        Steps after which a trajectory counts as not settling.
    watched_steps : int
        Further steps in which such a trajectory is observed.

    Returns
    -------
    Limits
        Limits of all trajectories.

    Examples
    --------
    >>> hawk_dove = SymmetricGame(2, np.array([[-1, np.nan], [4, 0], [np.nan, 2]]), np.zeros(3))
    >>> follow(hawk_dove, even_starts(2, 2)).shares.round(3)
    array([[[0.667, 0.333],
            [0.667, 0.333]]])
    """
    if game.payoffs.ndim == 2:
        game = SymmetricGame(game.players, game.payoffs[None], game.rome[None])
    logs = np.log(np.maximum(starts, FLOOR))
    trajectories = _Trajectories(game, np.broadcast_to(logs, (len(game.rome), *logs.shape)))
    for _ in range(most_steps):
        part = trajectories.moving()
        if part is None:
            break
        trajectories.step(part)
    means, mean_rome, cycles = _observe(trajectories, watched_steps)
    settled = trajectories.settled
    shares = np.where(settled[..., None], np.exp(trajectories.logs), means)
    shares = np.where(shares > PRESENT, shares, 0.0)
    shares /= shares.sum(axis=-1, keepdims=True)
    rome = np.where(settled, game.rome_rate(shares), mean_rome)
    return Limits(shares, rome, settled, cycles)


class _Trajectories:
    """Many trajectories at once, each with its own step size, shape (draws, starts)."""

    def __init__(self, game: SymmetricGame, logs: Floats):
        strategies, players = game.strategies, game.players
        self._payoffs, self._rome = game.against_rivals, game.rome
        self._rivals = multisets(strategies, players - 1).astype(np.float64).T
        self._rival_orders = np.log(orders(strategies, players - 1))
        self._tables = multisets(strategies, players).astype(np.float64).T
        self._table_orders = np.log(orders(strategies, players))
        flat = self._payoffs.reshape(len(self._payoffs), -1)
        self._scale = np.maximum(flat.max(axis=1) - flat.min(axis=1), 1e-12)
        self.logs = _within(logs)
        self.settled = np.zeros(logs.shape[:2], bool)
        self.steps = np.broadcast_to((0.1 / self._scale)[:, None], logs.shape[:2]).copy()

    def moving(self) -> Part | None:
        """Return the draws and starts of trajectories that have not settled, None without any."""
        draws, starts = (np.flatnonzero(~self.settled.all(axis=axis)) for axis in (1, 0))
        return np.ix_(draws, starts) if len(draws) else None

    def step(self, part: Part) -> Floats:
        """Make one step; return its length in time, 0 where it was rejected or not needed."""
        draws = part[0].ravel()
        logs, settled = self.logs[part], self.settled[part]
        shares = np.exp(logs)
        growth = self._growth(draws, logs, shares)
        rare = logs <= np.log(2 * FLOOR)
        limit = (STILL * self._scale[draws])[:, None, None]
        still = np.where(rare, growth <= limit, np.abs(shares * growth) <= limit)
        settled |= still.all(axis=-1)
        # A rare strategy may shrink as fast as it likes.
        speed = np.where(rare & (growth < 0), 0.0, np.abs(growth)).max(axis=-1)
        size = np.minimum(self.steps[part], STEP_GROWTH / np.maximum(speed, 1e-300))
        euler = _within(logs + size[..., None] * growth)
        mean = (growth + self._growth(draws, euler, np.exp(euler))) / 2
        heun = _within(logs + size[..., None] * mean)
        after = np.exp(heun)
        error = np.abs(after - np.exp(euler)).max(axis=-1)
        allowed = np.minimum(STEP_ERROR, STEP_PART * np.abs(after - shares).max(axis=-1))
        allowed = np.maximum(allowed, NO_ERROR)
        taken = (error <= allowed) & ~settled
        self.logs[part] = np.where(taken[..., None], heun, logs)
        change = np.clip(0.9 * np.sqrt(allowed / np.maximum(error, 1e-12)), 0.3, 2.0)
        self.steps[part] = size * change
        self.settled[part] = settled
        return np.where(taken, size, 0.0)

    def rome(self, part: Part) -> Floats:
        """Return Rome's rate in the current populations, shape (draws, starts)."""
        chances = np.exp(self.logs[part] @ self._tables + self._table_orders)
        return np.asarray((chances @ self._rome[part[0].ravel()][..., None])[..., 0])

    def _growth(self, draws: NDArray[np.intp], logs: Floats, shares: Floats) -> Floats:
        """Return each strategy's payoff minus the mean payoff."""
        chances = np.exp(logs @ self._rivals + self._rival_orders)
        expected = chances @ self._payoffs[draws]
        return np.asarray(expected - (shares * expected).sum(axis=-1, keepdims=True))


def _within(logs: Floats) -> Floats:
    """Return log shares normalized to sum 1, none below the floor."""
    logs = logs - logs.max(axis=-1, keepdims=True)
    logs = np.maximum(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)), np.log(FLOOR))
    return np.asarray(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)))


def _observe(trajectories: _Trajectories, steps: int) -> tuple[Floats, Floats, Cycles]:
    """Return mean shares and Rome rates of trajectories that do not settle, and their cycles.

    Those that hardly move are marked as settled.
    """
    means, rome = np.zeros(trajectories.logs.shape), np.zeros(trajectories.settled.shape)
    part = trajectories.moving()
    if part is None:
        return means, rome, {}
    time = np.zeros(trajectories.settled.shape)
    low = high = np.exp(trajectories.logs[part])
    leaders = []
    for _ in range(steps):
        shares, rates = np.exp(trajectories.logs[part]), trajectories.rome(part)
        taken = trajectories.step(part)
        time[part] += taken
        means[part] += taken[..., None] * shares
        rome[part] += taken * rates
        low, high = np.minimum(low, shares), np.maximum(high, shares)
        leaders.append(shares.argmax(axis=-1))
    passed = np.maximum(time[part], 1e-300)
    means[part] /= passed[..., None]
    rome[part] /= passed
    trajectories.settled[part] |= (high - low).max(axis=-1) < NARROW
    history = np.array(leaders)
    draws, starts = (index.ravel() for index in part)
    cycles = {
        (int(draws[i]), int(starts[j])): cycle_of(history[:, i, j].tolist())
        for i, j in zip(*np.nonzero(~trajectories.settled[part]), strict=True)
    }
    return means, rome, cycles


def cycle_of(leaders: list[int]) -> tuple[int, ...]:
    """Return the shortest cycle that a sequence of leading strategies ends with.

    It starts with its smallest number. Without a repetition, all leaders in ascending order.

    Examples
    --------
    >>> cycle_of([2, 2, 0, 0, 1, 2, 0, 1, 1, 2, 0])
    (0, 1, 2)
    """
    changes = [now for i, now in enumerate(leaders) if i == 0 or now != leaders[i - 1]]
    if len(changes) > 2:
        changes = changes[1:]  # the first leader may be left over from before
    for length in range(2, len(changes) // 2 + 1):
        last = changes[-length:]
        if changes[-2 * length : -length] == last:
            first = last.index(min(last))
            return tuple(last[first:] + last[:first])
    return tuple(sorted(set(changes)))
