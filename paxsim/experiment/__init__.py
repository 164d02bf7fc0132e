"""Experiments: from "play these games" to "this is the rate, and this is how sure we are".

`plan` says what is played, `run` plays it in parallel, `tally` reduces games to sums over blocks,
`store` keeps a run on disk, `answers` turns sums into tables, `questions` is what users call.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.errors import missing_library

if TYPE_CHECKING:
    from paxsim.experiment.answers import load_result
    from paxsim.experiment.api import (
        ablate,
        compare,
        compare_rules,
        comparison_size,
        simulate,
        simulation_size,
        solo,
        tournament,
    )
    from paxsim.experiment.populations import metagame, simulate_field, vary_rules, vary_rules_among
    from paxsim.experiment.result import Result

__all__ = [
    "Result",
    "compare",
    "compare_rules",
    "comparison_size",
    "metagame",
    "ablate",
    "load_result",
    "simulate",
    "simulate_field",
    "simulation_size",
    "solo",
    "tournament",
    "vary_rules",
    "vary_rules_among",
]
#: Where each name is, if not in `api`.
_ELSEWHERE = {
    "Result": "result",
    "load_result": "answers",
    "metagame": "populations",
    "simulate_field": "populations",
    "vary_rules": "populations",
    "vary_rules_among": "populations",
}


def __getattr__(name: str) -> Any:
    """Load the questions when they are asked: their libraries take a second to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _ELSEWHERE.get(name, "api")
    try:
        return getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("paxsim"):
            raise
        raise missing_library(name, error.name) from None
