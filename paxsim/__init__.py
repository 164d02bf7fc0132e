"""paxsim: Monte Carlo strategy analysis for the card game PAX."""

from importlib import import_module
from typing import TYPE_CHECKING

from paxsim import interrupts

if interrupts.is_command():  # the imports below take a second, in which users change their mind
    interrupts.watch()

from paxsim import helpers
from paxsim.cards import CATEGORIES, Card, Deck, list_decks, load_deck
from paxsim.errors import PaxsimError
from paxsim.game import Game, Option
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import Batch, GameResult, PolicyError, play, play_batch
from paxsim.policies import Policy, get_policy, helper, list_policies, policy
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
    "get_policy",
    "helper",
    "helpers",
    "list_decks",
    "list_policies",
    "load_deck",
    "load_rules",
    "make_lineup",
    "make_setting",
    "play",
    "play_batch",
    "policy",
]

#: What users ask, and where it stands; loaded when used, because pandas and scipy take a while.
_QUESTIONS = {
    **dict.fromkeys(
        (
            "Result",
            "ablate",
            "compare",
            "compare_rules",
            "load_result",
            "metagame",
            "simulate",
            "solo",
            "tournament",
        ),
        "paxsim.experiment",
    ),
    **dict.fromkeys(("VectorEnv", "env", "parallel_env", "solo_env"), "paxsim.envs"),
    "tune": "paxsim.tuning",
    "double_oracle": "paxsim.tuning",
}
#: Parts of the package that are there without an import of their own.
_MODULES = ("charts", "envs", "experiment", "stats", "testing", "trace", "tuning")

if TYPE_CHECKING:
    from paxsim import charts as charts
    from paxsim import envs as envs
    from paxsim import experiment as experiment
    from paxsim import stats as stats
    from paxsim import testing as testing
    from paxsim import trace as trace
    from paxsim import tuning as tuning
    from paxsim.envs import VectorEnv as VectorEnv
    from paxsim.envs import env as env
    from paxsim.envs import parallel_env as parallel_env
    from paxsim.envs import solo_env as solo_env
    from paxsim.experiment import Result as Result
    from paxsim.experiment import ablate as ablate
    from paxsim.experiment import compare as compare
    from paxsim.experiment import compare_rules as compare_rules
    from paxsim.experiment import load_result as load_result
    from paxsim.experiment import metagame as metagame
    from paxsim.experiment import simulate as simulate
    from paxsim.experiment import solo as solo
    from paxsim.experiment import tournament as tournament
    from paxsim.tuning import double_oracle as double_oracle
    from paxsim.tuning import tune as tune


def __getattr__(name: str) -> object:
    if name in _QUESTIONS:
        return getattr(import_module(_QUESTIONS[name]), name)
    if name in _MODULES:
        return import_module(f"paxsim.{name}")
    raise AttributeError(f"module 'paxsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_QUESTIONS, *_MODULES])
