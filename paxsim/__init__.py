"""paxsim: Monte Carlo strategy analysis for the card game PAX."""

from paxsim import helpers
from paxsim.cards import CATEGORIES, Card, Deck, deck_names, load_deck
from paxsim.errors import PaxsimError
from paxsim.game import Game, Option
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import Batch, GameResult, PolicyError, play, play_batch
from paxsim.policies import Policy, find_policy, helper, policy, policy_names
from paxsim.rules import Rules, load_rules
from paxsim.setting import Setting, make_setting
from paxsim.version import __version__

__all__ = [
    "CATEGORIES",
    "Batch",
    "Card",
    "Deck",
    "Game",
    "GameResult",
    "Lineup",
    "Option",
    "PaxsimError",
    "Policy",
    "PolicyError",
    "Rules",
    "Setting",
    "__version__",
    "deck_names",
    "find_policy",
    "helper",
    "helpers",
    "load_deck",
    "load_rules",
    "make_lineup",
    "make_setting",
    "play",
    "play_batch",
    "policy",
    "policy_names",
]

#: What users ask, from `paxsim.experiment`; loaded when used, because it needs pandas and scipy.
_QUESTIONS = ("compare", "compare_rules", "show", "simulate", "solo", "tournament")


def __getattr__(name: str) -> object:
    if name in _QUESTIONS:
        from paxsim import experiment

        return getattr(experiment, name)
    raise AttributeError(f"module 'paxsim' has no attribute {name!r}")
