"""Alpha-rank and replicator dynamics of two-player games, compared with OpenSpiel."""

from __future__ import annotations

import numpy as np
import pytest
from open_spiel.python.egt import alpharank, dynamics
from support.textbook_games import BAD_RPS, HAWK_DOVE, STAG_HUNT, matrix_game

from paxsim.gametheory import alpha_rank
from paxsim.gametheory.alpharank import transitions
from paxsim.gametheory.equilibria import advantages

RANDOM = np.random.default_rng(8).random((5, 5)).tolist()
GAMES = {
    "stag hunt": STAG_HUNT,
    "hawk dove": HAWK_DOVE,
    "rock paper scissors": BAD_RPS,
    "random": RANDOM,
}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("alpha", [0.1, 3.0])
def test_alpha_rank_equals_openspiel(name, alpha):
    matrix = np.array(GAMES[name])
    theirs, _, share, *_ = alpharank.compute(
        [matrix], m=20, alpha=alpha, use_local_selection_model=False, use_inf_alpha=False
    )
    game = matrix_game(matrix)
    np.testing.assert_allclose(alpha_rank(game, alpha, 20), share, rtol=1e-5, atol=1e-9)
    ours = transitions(game, alpha, 20) * (len(matrix) - 1)  # every mutant is equally likely
    off = ~np.eye(len(matrix), dtype=bool)
    np.testing.assert_allclose(ours[off], np.asarray(theirs)[off], rtol=1e-6)


@pytest.mark.parametrize("name", GAMES)
def test_replicator_equals_openspiel(name):
    matrix = np.array(GAMES[name])
    theirs = dynamics.SinglePopulationDynamics(np.array([matrix, matrix.T]), dynamics.replicator)
    game = matrix_game(matrix)
    for state in np.random.default_rng(2).dirichlet(np.ones(len(matrix)), 5):
        ours = state * advantages(game, state[None])[0]
        np.testing.assert_allclose(ours, theirs(state), atol=1e-12)
