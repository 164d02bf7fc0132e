"""Tuning: the parameters that make a policy strong, against given opponents and for a given goal.

`arena` evaluates candidates, `cmaes` searches for parameters, `record` stores the scores, and
`tuner` confirms the result on held-out deals. `oracle` adds best responses to a set of strategies.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.errors import missing_library

if TYPE_CHECKING:
    from paxsim.tuning.oracle import DoubleOracleResult, double_oracle
    from paxsim.tuning.tuner import TuneResult, tune, tune_for_ablation

_MODULES = {
    "DoubleOracleResult": "oracle",
    "TuneResult": "tuner",
    "double_oracle": "oracle",
    "tune": "tuner",
    "tune_for_ablation": "tuner",
}
__all__ = ["DoubleOracleResult", "TuneResult", "double_oracle", "tune", "tune_for_ablation"]


def __getattr__(name: str) -> Any:
    """Import a function when it is first used, because its libraries take a second to import."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("paxsim"):
            raise
        raise missing_library(name, error.name) from None
