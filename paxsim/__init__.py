"""paxsim: Monte Carlo strategy analysis for the card game PAX."""

from importlib import import_module
from typing import TYPE_CHECKING

from paxsim import interrupts

if interrupts.is_command():  # the imports below take a second, in which users change their mind
    interrupts.watch()

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

#: What users ask, and where it stands; loaded when used, because pandas and scipy take a while.
_QUESTIONS = {
    **dict.fromkeys(
        (
            "Result",
            "compare",
            "compare_rules",
            "metagame",
            "restrict",
            "show",
            "simulate",
            "solo",
            "tournament",
        ),
        "paxsim.experiment",
    ),
    **dict.fromkeys(("BatchEnv", "env", "parallel_env", "solo_env"), "paxsim.learning"),
    "tune": "paxsim.tuning",
    "widen": "paxsim.tuning",
}
#: Parts of the package that are there without an import of their own.
_MODULES = ("charts", "experiment", "learning", "stats", "testing", "trace", "tuning")

if TYPE_CHECKING:
    from paxsim import charts as charts
    from paxsim import experiment as experiment
    from paxsim import learning as learning
    from paxsim import stats as stats
    from paxsim import testing as testing
    from paxsim import trace as trace
    from paxsim import tuning as tuning
    from paxsim.experiment import Result as Result
    from paxsim.experiment import compare as compare
    from paxsim.experiment import compare_rules as compare_rules
    from paxsim.experiment import metagame as metagame
    from paxsim.experiment import restrict as restrict
    from paxsim.experiment import show as show
    from paxsim.experiment import simulate as simulate
    from paxsim.experiment import solo as solo
    from paxsim.experiment import tournament as tournament
    from paxsim.learning import BatchEnv as BatchEnv
    from paxsim.learning import env as env
    from paxsim.learning import parallel_env as parallel_env
    from paxsim.learning import solo_env as solo_env
    from paxsim.tuning import tune as tune
    from paxsim.tuning import widen as widen


def __getattr__(name: str) -> object:
    if name in _QUESTIONS:
        return getattr(import_module(_QUESTIONS[name]), name)
    if name in _MODULES:
        return import_module(f"paxsim.{name}")
    raise AttributeError(f"module 'paxsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_QUESTIONS, *_MODULES])
