"""Experiments: from "play these games" to "this is the rate, and this is how sure we are".

`plan` says what is played, `tally` reduces games to sums over blocks, `execute` plays in parallel,
`store` keeps a run on disk, `results` turns sums into tables, `questions` is what users call.
"""

from paxsim.experiment.questions import (
    compare,
    compare_rules,
    show,
    simulate,
    solo,
    tournament,
)
from paxsim.experiment.results import Result

__all__ = ["Result", "compare", "compare_rules", "show", "simulate", "solo", "tournament"]
