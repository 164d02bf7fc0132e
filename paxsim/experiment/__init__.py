"""Experiments: games are planned, played in parallel, tallied and turned into rates with intervals.

`simulation`, `tournaments` and `paired` have what users call, `design` says what is played, `run`
plays it, `tally` reduces games to sums over blocks, `store` keeps a run on disk, `estimates` and
`tables` turn sums into tables.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.errors import missing_library

if TYPE_CHECKING:
    from paxsim.experiment.paired import ablate as ablate
    from paxsim.experiment.paired import compare as compare
    from paxsim.experiment.paired import compare_rules as compare_rules
    from paxsim.experiment.paired import comparison_size as comparison_size
    from paxsim.experiment.paired import vary_rules as vary_rules
    from paxsim.experiment.result import Result as Result
    from paxsim.experiment.result import load_result as load_result
    from paxsim.experiment.run import RunOptions as RunOptions
    from paxsim.experiment.simulation import simulate as simulate
    from paxsim.experiment.simulation import simulate_lineups as simulate_lineups
    from paxsim.experiment.simulation import simulation_size as simulation_size
    from paxsim.experiment.simulation import solo as solo
    from paxsim.experiment.tournaments import metagame as metagame
    from paxsim.experiment.tournaments import tournament as tournament

#: Public names by module. They are loaded when used: pandas and scipy take a second.
_NAMES = {
    "paired": "ablate compare compare_rules comparison_size vary_rules",
    "result": "Result load_result",
    "run": "RunOptions",
    "simulation": "simulate simulate_lineups simulation_size solo",
    "tournaments": "metagame tournament",
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
