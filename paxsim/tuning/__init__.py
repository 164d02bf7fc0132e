"""Tuning: the parameters that make a policy strong, against given opponents and for a given goal.

`arena` evaluates candidates, `cmaes` searches for parameters, `record` stores the scores, and
`tuner` confirms the result on held-out deals. `oracle` adds best responses to a set of strategies.
"""

from paxsim.tuning.oracle import DoubleOracleResult, double_oracle
from paxsim.tuning.tuner import TuneResult, tune, tune_for_ablation

__all__ = ["DoubleOracleResult", "TuneResult", "double_oracle", "tune", "tune_for_ablation"]
