"""Game theory of symmetric games of n players, from a table of payoffs: pure functions on arrays.

`multisets` counts tables, `symmetric` is the game, `dynamics`, `equilibria`, `alpharank` and
`coalitions` each answer one question about it, `states` gives what they find a name, `bootstrap`
says how sure it is, `fill` deals with line-ups that were not played, and `analysis` does all of it.
Nothing here knows PAX but for one number: how often Rome wins.
"""

from paxsim.gametheory.alpharank import alpha_rank
from paxsim.gametheory.equilibria import equilibria, find_states, regret
from paxsim.gametheory.games import SymmetricGame
from paxsim.gametheory.metagame import Analysis, Played, analyse, coalitions, drawn, measured
from paxsim.gametheory.replicator import even_starts, follow

__all__ = [
    "Analysis",
    "Played",
    "SymmetricGame",
    "alpha_rank",
    "analyse",
    "coalitions",
    "drawn",
    "equilibria",
    "even_starts",
    "find_states",
    "follow",
    "measured",
    "regret",
]
