"""Alpha-rank: how long a population is found at each strategy, if rare newcomers take over.

A population of `POPULATION` players all play one strategy. Now and then one of them tries another,
each as likely; before the next does, the newcomer has either taken over or gone. The chance of
taking over follows from what both get at tables drawn from the population, and grows with `ALPHA`,
the strength of selection. The share of time at each strategy is the stationary distribution of this
chain (Omidshafiei and others, 2019), here for one population and tables of any size.
"""

from __future__ import annotations

import numpy as np
from scipy.special import comb, logsumexp

from paxsim.gametheory.games import Floats, SymmetricGame, rows_of

#: Players of the population.
POPULATION = 50
#: Strength of selection: with 100, a newcomer whose win rate is a percentage point higher
#: is imitated e times as often as the other way round.
ALPHA = 100.0
#: No chance is smaller than this, which is as good as never.
_TINY = 1e-250


def alpha_rank(game: SymmetricGame, alpha: float = ALPHA, population: int = POPULATION) -> Floats:
    """Share of time that the population is at each strategy, shape (..., strategies)."""
    return stationary(transitions(game, alpha, population))


def transitions(game: SymmetricGame, alpha: float = ALPHA, population: int = POPULATION) -> Floats:
    """Chance that everybody has changed from the row's strategy to the column's.

    Returns
    -------
    ndarray, shape (..., strategies, strategies)
        Rows add up to 1; the diagonal is the chance that the newcomer is gone again.
    """
    k = game.strategies
    chain = np.zeros((*game.rome.shape[:-1], k, k))
    for old in range(k):
        for new in range(k):
            if new != old:
                chain[..., old, new] = fixation(game, old, new, alpha, population) / max(k - 1, 1)
    diagonal = np.arange(k)
    chain[..., diagonal, diagonal] = 1 - chain.sum(axis=-1)
    return chain


def fixation(
    game: SymmetricGame, old: int, new: int, alpha: float = ALPHA, population: int = POPULATION
) -> Floats:
    """Chance that one newcomer takes over a population that plays another strategy, shape (...)."""
    newcomers = np.arange(1, population)
    paid_new = _paid(game, new, old, newcomers - 1, population)
    paid_old = _paid(game, old, new, population - newcomers - 1, population)
    against = -alpha * np.cumsum(paid_new - paid_old, axis=-1)
    nothing = np.zeros((*against.shape[:-1], 1))
    return np.asarray(np.exp(-logsumexp(np.concatenate([nothing, against], axis=-1), axis=-1)))


def _paid(game: SymmetricGame, own: int, other: int, alike: np.ndarray, population: int) -> Floats:
    """What a player gets at tables drawn from the population.

    Parameters
    ----------
    own, other : int
        The player's strategy, and that of those who play differently.
    alike : ndarray of int, shape (sizes,)
        How many of the others in the population play the player's strategy.

    Returns
    -------
    ndarray, shape (..., sizes)
    """
    rivals = game.players - 1
    same = np.arange(rivals + 1)
    counts = np.zeros((rivals + 1, game.strategies), np.int64)
    counts[:, own] = same + 1
    counts[:, other] = rivals - same
    paid = game.payoffs[..., rows_of(counts), own]
    # Drawn without replacement (hypergeometric).
    drawn = comb(alike[:, None], same) * comb(population - 1 - alike[:, None], rivals - same)
    chance = drawn / comb(population - 1, rivals)
    return np.asarray(paid @ chance.T)


def stationary(chain: Floats) -> Floats:
    """Share of time at each state of a chain, shape (..., states).

    By state reduction (Grassmann, Taksar and Heyman), which never subtracts: with strong selection
    chances differ by hundreds of powers of ten, and equations solved otherwise lose the small ones.
    """
    k = chain.shape[-1]
    left = np.maximum(chain, _TINY)
    for last in range(k - 1, 0, -1):
        leaving = left[..., last, :last].sum(axis=-1)
        left[..., :last, last] /= leaving[..., None]
        left[..., :last, :last] += left[..., :last, last, None] * left[..., None, last, :last]
    time = np.ones(chain.shape[:-1])
    for state in range(1, k):
        time[..., state] = (time[..., :state] * left[..., :state, state]).sum(axis=-1)
        time /= time[..., : state + 1].max(axis=-1, keepdims=True)
    return np.asarray(time / time.sum(axis=-1, keepdims=True))
