"""Experiments: games are planned, played in parallel, tallied and turned into rates with intervals.

`api` has what users call, `design` says what is played, `run` plays it, `tally` reduces games to
sums over blocks, `store` keeps a run on disk, `estimates` and `tables` turn sums into tables.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.errors import missing_library

if TYPE_CHECKING:
    from paxsim.experiment.api import ablate as ablate
    from paxsim.experiment.api import compare as compare
    from paxsim.experiment.api import compare_rules as compare_rules
    from paxsim.experiment.api import comparison_size as comparison_size
    from paxsim.experiment.api import metagame as metagame
    from paxsim.experiment.api import simulate as simulate
    from paxsim.experiment.api import simulate_lineups as simulate_lineups
    from paxsim.experiment.api import simulation_size as simulation_size
    from paxsim.experiment.api import solo as solo
    from paxsim.experiment.api import tournament as tournament
    from paxsim.experiment.api import vary_rules as vary_rules
    from paxsim.experiment.result import Result as Result
    from paxsim.experiment.result import load_result as load_result
    from paxsim.experiment.run import RunOptions as RunOptions

#: Public names by module. They are loaded when used: pandas and scipy take a second.
_NAMES = {
    "api": "ablate compare compare_rules comparison_size metagame simulate simulate_lineups "
    "simulation_size solo tournament vary_rules",
    "result": "Result load_result",
    "run": "RunOptions",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("paxsim"):
            raise
        raise missing_library(name, error.name) from None
