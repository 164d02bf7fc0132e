"""Alpha-rank: long-run share of time that a population spends at each strategy.

All players of a finite population use one strategy. Now and then a mutant tries another one, and
either takes over or disappears before the next mutant. The ranking is the stationary distribution
of this Markov chain, here for one population and any number of players at a table.

References
----------
S. Omidshafiei et al., "α-Rank: Multi-Agent Evaluation by Evolution", Scientific Reports 9, 2019.
"""

from __future__ import annotations

import numpy as np
from scipy.special import comb, logsumexp

from paxsim.gametheory.games import Floats, SymmetricGame, rows_of

#: Size of the population.
POPULATION = 50
#: Selection strength: with 100, an advantage of one percentage point in win rate makes imitation
#: e times as likely as the reverse.
ALPHA = 100.0
#: Lower bound of transition probabilities.
_TINY = 1e-250


def alpha_rank(game: SymmetricGame, alpha: float = ALPHA, population: int = POPULATION) -> Floats:
    """Return the share of time that the population spends at each strategy, (..., strategies).

    Parameters
    ----------
    game : SymmetricGame
        The game, possibly with draws.
    alpha : float
        Selection strength.
    population : int
        Size of the population.

    Examples
    --------
    >>> stag_hunt = SymmetricGame(2, np.array([[4, np.nan], [0, 3], [np.nan, 3]]), np.zeros(3))
    >>> alpha_rank(stag_hunt).round(3)
    array([0., 1.])
    """
    return stationary(transitions(game, alpha, population))


def transitions(game: SymmetricGame, alpha: float, population: int) -> Floats:
    """Return the probabilities of moving from the row's strategy to the column's."""
    k = game.strategies
    chain = np.zeros((*game.rome.shape[:-1], k, k))
    for old in range(k):
        for new in range(k):
            if new != old:
                chain[..., old, new] = fixation(game, old, new, alpha, population) / max(k - 1, 1)
    diagonal = np.arange(k)
    chain[..., diagonal, diagonal] = 1 - chain.sum(axis=-1)
    return chain


def fixation(game: SymmetricGame, old: int, new: int, alpha: float, population: int) -> Floats:
    """Return the probability that one mutant takes over a population, shape (...)."""
    mutants = np.arange(1, population)
    payoff_new = _payoff(game, new, old, mutants - 1, population)
    payoff_old = _payoff(game, old, new, population - mutants - 1, population)
    exponents = -alpha * np.cumsum(payoff_new - payoff_old, axis=-1)
    zero = np.zeros((*exponents.shape[:-1], 1))
    return np.asarray(np.exp(-logsumexp(np.concatenate([zero, exponents], axis=-1), axis=-1)))


def _payoff(
    game: SymmetricGame, own: int, other: int, same_strategy: np.ndarray, population: int
) -> Floats:
    """Return a player's expected payoff at tables drawn from a population of two strategies.

    `same_strategy` are numbers of others in the population with the player's strategy.
    """
    rivals = game.players - 1
    same = np.arange(rivals + 1)
    counts = np.zeros((rivals + 1, game.strategies), np.int64)
    counts[:, own] = same + 1
    counts[:, other] = rivals - same
    payoffs = game.payoffs[..., rows_of(counts), own]
    # Drawn without replacement: hypergeometric.
    drawn = comb(same_strategy[:, None], same) * comb(
        population - 1 - same_strategy[:, None], rivals - same
    )
    probabilities = drawn / comb(population - 1, rivals)
    return np.asarray(payoffs @ probabilities.T)


def stationary(chain: Floats) -> Floats:
    """Return the stationary distribution of a Markov chain, shape (..., states).

    State reduction (Grassmann, Taksar and Heyman) avoids subtractions, because probabilities can
    differ by hundreds of orders of magnitude.
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
