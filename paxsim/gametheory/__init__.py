"""Game theory of symmetric n-player games: pure functions on payoff tables.

`games` holds the payoff table, `replicator` the dynamics, `equilibria` finds equilibria and cycles,
`alpharank` ranks strategies, and `metagame` does all of this with confidence intervals. Nothing
here depends on PAX, except that every table also has the rate at which Rome wins.
"""

from paxsim.gametheory.alpharank import alpha_rank
from paxsim.gametheory.equilibria import equilibria, find_states, regret
from paxsim.gametheory.games import SymmetricGame
from paxsim.gametheory.metagame import (
    Analysis,
    Played,
    analyse,
    bootstrap_games,
    coalitions,
    measured_game,
)
from paxsim.gametheory.replicator import even_starts, follow

__all__ = [
    "Analysis", "Played", "SymmetricGame", "alpha_rank", "analyse", "bootstrap_games", "coalitions",
    "equilibria", "even_starts", "find_states", "follow", "measured_game", "regret",
]  # fmt: skip
