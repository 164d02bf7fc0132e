"""Tuning: which parameters make a policy strong, in given company and for a given goal?

`arena` says where candidates are measured and what counts there, `space` turns parameters into
points, `search` moves through them, `record` keeps what was found on disk, `answer` confirms it on
deals that the search never saw, `question` is what users call. `widening` lets a set of strategies
grow by the answers that tuning finds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paxsim.errors import missing_library

if TYPE_CHECKING:
    from paxsim.tuning.oracle import Widening, double_oracle
    from paxsim.tuning.tuner import Answer, tune, tuned_answers

__all__ = ["Answer", "Widening", "tune", "tuned_answers", "double_oracle"]

#: The module of each name.
_MODULES = {
    "Answer": "tuner",
    "Widening": "oracle",
    "tune": "tuner",
    "tuned_answers": "tuner",
    "double_oracle": "oracle",
}


def __getattr__(name: str) -> Any:
    """Load it when it is asked for: its libraries take a second to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("paxsim"):
            raise
        raise missing_library(name, error.name) from None
