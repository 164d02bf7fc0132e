"""Games whose answers stand in every textbook, as tables of n players."""

from __future__ import annotations

import numpy as np

from paxsim.gametheory import SymmetricGame
from paxsim.gametheory.games import multisets

STAG_HUNT = [[4.0, 0.0], [3.0, 3.0]]
PRISONERS = [[3.0, 0.0], [5.0, 1.0]]
#: A fight over 4 costs the loser 6: hawks make up 4/6 of the population.
HAWK_DOVE = [[-1.0, 4.0], [0.0, 2.0]]
#: Rock, paper, scissors, in which winning pays more than losing costs (or less, or as much).
RPS = [[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
GOOD_RPS = [[0.0, -1.0, 2.0], [2.0, 0.0, -1.0], [-1.0, 2.0, 0.0]]
BAD_RPS = [[0.0, -2.0, 1.0], [1.0, 0.0, -2.0], [-2.0, 1.0, 0.0]]


def matrix_game(matrix, players=2, rome=None):
    """Everybody plays a game of two with each of the others, and gets what they get on average."""
    matrix = np.asarray(matrix, float)

    def paid(strategy, rivals):
        return (matrix[strategy] * rivals).sum() / (players - 1)

    return table_game(paid, len(matrix), players, rome)


def table_game(paid, strategies, players, rome=None):
    """A game from a function of a strategy and of its rivals' counts.

    What nobody gets is NaN, so that a test notices if it is used.
    """
    counts = multisets(strategies, players)
    payoffs = np.full(counts.shape, np.nan)
    for row, seats in enumerate(counts):
        for strategy in np.flatnonzero(seats):
            rivals = seats.copy()
            rivals[strategy] -= 1
            payoffs[row, strategy] = paid(strategy, rivals)
    rates = np.array([0.0 if rome is None else rome(seats) for seats in counts])
    return SymmetricGame(players, payoffs, rates)
