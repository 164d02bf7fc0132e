"""A game judged: what every option promised, where it turned, what was luck and what was play.

`retrace` finds the decisions of a trace, `opponents` says who plays on where they are judged,
`judging` plays them out, `ledger` splits a result into draws and choices, `analysis` puts one game
together and `page` shows it; `habits` does the same for the decisions of many games.
"""

from paxsim.analysis.game import Analysis, analyse
from paxsim.analysis.mistakes import Habits, analyse_games

__all__ = ["Analysis", "Habits", "analyse", "analyse_games"]
