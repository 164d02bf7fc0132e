"""Textbook games as n-player payoff tables."""

from __future__ import annotations

import numpy as np

from paxsim.gametheory import SymmetricGame
from paxsim.gametheory.games import multisets

STAG_HUNT = [[4.0, 0.0], [3.0, 3.0]]
PRISONERS = [[3.0, 0.0], [5.0, 1.0]]
#: The prize is 4 and the cost of a fight 6, so that 2/3 of the population are hawks.
HAWK_DOVE = [[-1.0, 4.0], [0.0, 2.0]]
#: Rock, paper, scissors: wins pay as much as losses cost, more, and less.
RPS = [[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
GOOD_RPS = [[0.0, -1.0, 2.0], [2.0, 0.0, -1.0], [-1.0, 2.0, 0.0]]
BAD_RPS = [[0.0, -2.0, 1.0], [1.0, 0.0, -2.0], [-2.0, 1.0, 0.0]]


def matrix_game(matrix, players=2, rome=None):
    """Return the game in which everybody plays a two-player game with each other player."""
    matrix = np.asarray(matrix, float)

    def paid(strategy, rivals):
        return (matrix[strategy] * rivals).sum() / (players - 1)

    return table_game(paid, len(matrix), players, rome)


def table_game(paid, strategies, players, rome=None):
    """Return a game from a payoff function of strategy and rivals; undefined payoffs are NaN."""
    counts = multisets(strategies, players)
    payoffs = np.full(counts.shape, np.nan)
    for row, seats in enumerate(counts):
        for strategy in np.flatnonzero(seats):
            rivals = seats.copy()
            rivals[strategy] -= 1
            payoffs[row, strategy] = paid(strategy, rivals)
    rates = np.array([0.0 if rome is None else rome(seats) for seats in counts])
    return SymmetricGame(players, payoffs, rates)
