"""Replicator dynamics: who does better than the average becomes more common.

Shares x of a population change by ``dx_i/dt = x_i (f_i(x) - mean)``. The logarithms of the shares
are followed by Heun's method, with a step for each start of its own: how long a way takes is of no
interest here, where it leads is. (scipy's solvers have one step for all and would go at the pace of
the slowest of tens of thousands of ways; the tests compare the two.)

No strategy dies out: below `FLOOR` a share stays there, like the rare player who tries something
else. A way has *settled* if nothing that is present moves and nothing that is rare would grow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.games import Floats, SymmetricGame, multisets, orders
from paxsim.stats.multiple import even_points

#: Smallest share of a strategy: a millionth of the players try something at any time.
FLOOR = 1e-6
#: A share counts as present if it is above this.
PRESENT = 1e-3
#: Error of a step: in shares, as a part of the way it goes, and what is too small to matter.
STEP_ERROR, STEP_PART, NO_ERROR = 1e-3, 0.1, 1e-9
#: A share may grow by this power of e in a step, and not more.
STEP_GROWTH = 1.0
#: A way has settled if no share moves faster than this part of the payoffs' range.
STILL = 1e-6
#: Steps before a way is called one that does not settle, and steps that are then looked at.
MOST_STEPS, WATCHED_STEPS = 1_500, 750
#: A way that does not settle but stays within so much of a point has all but settled.
NARROW = 0.02

#: Some draws with some starts, as `numpy.ix_` gives them.
Part = tuple[NDArray[np.intp], ...]


@dataclass(frozen=True, eq=False)
class Ends:
    """Where ways of the dynamics lead.

    Attributes
    ----------
    shares : ndarray, shape (draws, starts, strategies)
        The end of each way, with what is not present set to 0; of one that goes round, its mean
        over time.
    rome : ndarray, shape (draws, starts)
        How often Rome wins there; of a way that goes round, on average over time.
    settled : ndarray of bool, shape (draws, starts)
        Whether it came to an end.
    rounds : dict
        By (draw, start), of ways that go round: the strategies that lead, one after another.
    """

    shares: Floats
    rome: Floats
    settled: NDArray[np.bool_]
    rounds: dict[tuple[int, int], tuple[int, ...]]


def even_starts(strategies: int, starts: int) -> Floats:
    """Populations spread evenly over all there are, shape (starts, strategies).

    Quasi-random: every region gets its share of the starts, so a basin's size is known better than
    from as many random ones.
    """
    weights = -np.log(even_points(starts, strategies))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def follow(
    game: SymmetricGame,
    starts: Floats,
    most_steps: int = MOST_STEPS,
    watched_steps: int = WATCHED_STEPS,
) -> Ends:
    """Follow the dynamics from several starts, in one game or in each of its draws.

    Parameters
    ----------
    game : SymmetricGame
        The game, or draws of it (payoffs of shape (draws, multisets, strategies)).
    starts : ndarray, shape (starts, strategies)
        Populations at the beginning.
    most_steps : int
        After so many a way counts as one that does not settle.
    watched_steps : int
        So many more of it are looked at, for its round and its mean over time.
    """
    if game.payoffs.ndim == 2:
        game = SymmetricGame(game.players, game.payoffs[None], game.rome[None])
    logs = np.log(np.maximum(starts, FLOOR))
    ways = _Ways(game, np.broadcast_to(logs, (len(game.rome), *logs.shape)))
    ways.go(most_steps)
    watched = _watch(ways, watched_steps)
    shares = np.where(ways.settled[..., None], ways.shares, watched.shares)
    shares = np.where(shares > PRESENT, shares, 0.0)
    shares /= shares.sum(axis=-1, keepdims=True)
    rome = np.where(ways.settled, game.rome_rate(shares), watched.rome)
    return Ends(shares, rome, ways.settled, watched.rounds)


class _Ways:
    """Many ways at once, each with its own step.

    A *part* of them is some draws with some starts, as two arrays of indices (see `numpy.ix_`).
    """

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

    @property
    def shares(self) -> Floats:
        """The populations now, shape (draws, starts, strategies)."""
        return np.exp(self.logs)

    def busy(self) -> Part | None:
        """The draws and the starts that have ways that have not settled."""
        draws, starts = (np.flatnonzero(~self.settled.all(axis=axis)) for axis in (1, 0))
        return np.ix_(draws, starts) if len(draws) else None

    def go(self, most_steps: int) -> None:
        """Go on until all ways have settled."""
        for _ in range(most_steps):
            part = self.busy()
            if part is None:
                return
            self.step(part)

    def step(self, part: Part) -> Floats:
        """Go one step; return how much time it took, 0 where it was too large or all is settled."""
        draws = part[0].ravel()
        logs, settled = self.logs[part], self.settled[part]
        shares = np.exp(logs)
        growth = self._growth(draws, logs, shares)
        rare = logs <= np.log(2 * FLOOR)
        settled |= self._still(draws, shares, growth, rare)
        # What is rare and becomes rarer does not matter, however fast it does.
        moving = np.where(rare & (growth < 0), 0.0, np.abs(growth)).max(axis=-1)
        size = np.minimum(self.steps[part], STEP_GROWTH / np.maximum(moving, 1e-300))
        first = _within(logs + size[..., None] * growth)
        mean = (growth + self._growth(draws, first, np.exp(first))) / 2
        second = _within(logs + size[..., None] * mean)
        there = np.exp(second)
        error = np.abs(there - np.exp(first)).max(axis=-1)
        allowed = np.minimum(STEP_ERROR, STEP_PART * np.abs(there - shares).max(axis=-1))
        allowed = np.maximum(allowed, NO_ERROR)
        taken = (error <= allowed) & ~settled
        self.logs[part] = np.where(taken[..., None], second, logs)
        change = np.clip(0.9 * np.sqrt(allowed / np.maximum(error, 1e-12)), 0.3, 2.0)
        self.steps[part] = size * change
        self.settled[part] = settled
        return np.where(taken, size, 0.0)

    def rome(self, part: Part) -> Floats:
        """How often Rome wins in the populations now, shape (draws, starts)."""
        chances = np.exp(self.logs[part] @ self._tables + self._table_orders)
        return np.asarray((chances @ self._rome[part[0].ravel()][..., None])[..., 0])

    def _growth(self, draws: NDArray[np.intp], logs: Floats, shares: Floats) -> Floats:
        """How much better than the average each strategy does."""
        chances = np.exp(logs @ self._rivals + self._rival_orders)
        expected = chances @ self._payoffs[draws]
        return np.asarray(expected - (shares * expected).sum(axis=-1, keepdims=True))

    def _still(
        self, draws: NDArray[np.intp], shares: Floats, growth: Floats, rare: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Whether nothing that is present moves, and nothing that is rare would grow."""
        limit = (STILL * self._scale[draws])[:, None, None]
        calm = np.where(rare, growth <= limit, np.abs(shares * growth) <= limit)
        return np.asarray(calm.all(axis=-1))


def _within(logs: Floats) -> Floats:
    """Logarithms of shares that add up to 1, none below the floor."""
    logs = logs - logs.max(axis=-1, keepdims=True)
    logs = np.maximum(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)), np.log(FLOOR))
    return np.asarray(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)))


# --- ways that do not settle ----------------------------------------------------------------


def _watch(ways: _Ways, steps: int) -> Ends:
    """Means over time of the ways that do not settle, and the rounds that they make.

    Those that hardly move are marked as settled.
    """
    means, rome = np.zeros(ways.logs.shape), np.zeros(ways.settled.shape)
    part = ways.busy()
    if part is None:
        return Ends(means, rome, ways.settled, {})
    time = np.zeros(ways.settled.shape)
    low = high = np.exp(ways.logs[part])
    leaders = []
    for _ in range(steps):
        shares, rates = np.exp(ways.logs[part]), ways.rome(part)
        taken = ways.step(part)
        time[part] += taken
        means[part] += taken[..., None] * shares
        rome[part] += taken * rates
        low, high = np.minimum(low, shares), np.maximum(high, shares)
        leaders.append(shares.argmax(axis=-1))
    passed = np.maximum(time[part], 1e-300)
    means[part] /= passed[..., None]
    rome[part] /= passed
    ways.settled[part] |= (high - low).max(axis=-1) < NARROW
    seen = np.array(leaders)
    draws, starts = (index.ravel() for index in part)
    rounds = {
        (int(draws[i]), int(starts[j])): round_of(seen[:, i, j].tolist())
        for i, j in zip(*np.nonzero(~ways.settled[part]), strict=True)
    }
    return Ends(means, rome, ways.settled, rounds)


def round_of(leaders: list[int]) -> tuple[int, ...]:
    """The round that a way makes, from who leads at each moment: ``0 1 2`` for 0 → 1 → 2 → 0.

    It is the shortest that the end of the way repeats, told from its smallest number on. If one
    strategy leads all the time it is that alone; without a repetition, all that lead in turn.
    """
    changes = [now for i, now in enumerate(leaders) if i == 0 or now != leaders[i - 1]]
    if len(changes) > 2:
        changes = changes[1:]  # where it was when we began to look, it may have been long before
    for length in range(2, len(changes) // 2 + 1):
        last = changes[-length:]
        if changes[-2 * length : -length] == last:
            first = last.index(min(last))
            return tuple(last[first:] + last[:first])
    return tuple(sorted(set(changes)))
