"""Monte Carlo strategy analysis for the card game PAX."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.version import __version__ as __version__

if TYPE_CHECKING:
    from paxsim import analysis as analysis
    from paxsim import board as board
    from paxsim import charts as charts
    from paxsim import envs as envs
    from paxsim import experiment as experiment
    from paxsim import gametheory as gametheory
    from paxsim import helpers as helpers
    from paxsim import stats as stats
    from paxsim import testing as testing
    from paxsim import trace as trace
    from paxsim import tuning as tuning
    from paxsim.analysis import analyse as analyse
    from paxsim.analysis import analyse_games as analyse_games
    from paxsim.board.hosting import host_game as host_game
    from paxsim.board.replay import Replay as Replay
    from paxsim.board.replay import replay as replay
    from paxsim.cards import CATEGORIES as CATEGORIES
    from paxsim.cards import Card as Card
    from paxsim.cards import Deck as Deck
    from paxsim.cards import list_decks as list_decks
    from paxsim.cards import load_deck as load_deck
    from paxsim.envs import ObservationEncoder as ObservationEncoder
    from paxsim.envs import VectorEnv as VectorEnv
    from paxsim.envs import env as env
    from paxsim.envs import parallel_env as parallel_env
    from paxsim.envs import solo_env as solo_env
    from paxsim.errors import PaxsimError as PaxsimError
    from paxsim.experiment import Result as Result
    from paxsim.experiment import ablate as ablate
    from paxsim.experiment import compare as compare
    from paxsim.experiment import compare_rules as compare_rules
    from paxsim.experiment import load_result as load_result
    from paxsim.experiment import metagame as metagame
    from paxsim.experiment import simulate as simulate
    from paxsim.experiment import solo as solo
    from paxsim.experiment import tournament as tournament
    from paxsim.game import Game as Game
    from paxsim.game import Option as Option
    from paxsim.lineup import Lineup as Lineup
    from paxsim.lineup import make_lineup as make_lineup
    from paxsim.playing import Batch as Batch
    from paxsim.playing import GameResult as GameResult
    from paxsim.playing import PolicyError as PolicyError
    from paxsim.playing import play as play
    from paxsim.playing import play_batch as play_batch
    from paxsim.policies.policy import Policy as Policy
    from paxsim.policies.policy import helper as helper
    from paxsim.policies.registry import get_policy as get_policy
    from paxsim.policies.registry import list_policies as list_policies
    from paxsim.policies.registry import policy as policy
    from paxsim.report.build import make_report as make_report
    from paxsim.report.build import run_study as run_study
    from paxsim.rules import Rules as Rules
    from paxsim.rules import load_rules as load_rules
    from paxsim.setting import Setting as Setting
    from paxsim.setting import make_setting as make_setting
    from paxsim.testing import check_policy as check_policy
    from paxsim.trace import trace_games as trace_games
    from paxsim.tuning import double_oracle as double_oracle
    from paxsim.tuning import tune as tune

_MODULES = (
    "analysis", "board", "charts", "envs", "experiment", "gametheory", "helpers", "stats",
    "testing", "trace", "tuning",
)  # fmt: skip
#: Public names by module. They are loaded when used: numba, pandas and scipy take a second.
_NAMES = {
    "analysis": "analyse analyse_games",
    "board.hosting": "host_game",
    "board.replay": "Replay replay",
    "cards": "CATEGORIES Card Deck list_decks load_deck",
    "envs": "ObservationEncoder VectorEnv env parallel_env solo_env",
    "errors": "PaxsimError",
    "experiment": "Result ablate compare compare_rules load_result metagame simulate solo "
    "tournament",
    "game": "Game Option",
    "lineup": "Lineup make_lineup",
    "playing": "Batch GameResult PolicyError play play_batch",
    "policies.policy": "Policy helper",
    "policies.registry": "get_policy list_policies policy",
    "report.build": "make_report run_study",
    "rules": "Rules load_rules",
    "setting": "Setting make_setting",
    "testing": "check_policy",
    "trace": "trace_games",
    "tuning": "double_oracle tune",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(["__version__", *_MODULES, *_MODULE_OF])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"paxsim.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'paxsim' has no attribute {name!r}")
    try:
        value = getattr(import_module(f"paxsim.{_MODULE_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("paxsim"):
            raise
        from paxsim.errors import missing_library

        raise missing_library(f"paxsim.{name}", error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
