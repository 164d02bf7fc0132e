"""Analysis of games: what options were worth, mistakes, turning points, luck and play."""

from paxsim.analysis.game import Analysis, analyse
from paxsim.analysis.mistakes import Habits, analyse_games

__all__ = ["Analysis", "Habits", "analyse", "analyse_games"]
