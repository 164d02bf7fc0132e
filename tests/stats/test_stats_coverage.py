"""Coverage of all intervals and error rates of all tests, with few repeats.

The cases are those of `benchmarks/interval_coverage.py`. A coverage may lie 3 standard errors
outside of its range here, which is 2.9 percentage points at 95%.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

from interval_coverage import CASES
from paxsim.report.studies.findings import lowest_and_highest

from paxsim.stats import Moments, block_rate

REPEATS = 500


@pytest.mark.parametrize("name", CASES)
def test_coverage(name):
    function, low, high = CASES[name]
    repeats = 150 if name.startswith("ratings") else REPEATS
    share = function(np.random.default_rng(3), repeats)
    errors = [3 * math.sqrt(bound * (1 - bound) / repeats) for bound in (low, high)]
    assert low - errors[0] <= share <= high + errors[1]


def test_intervals_of_the_lowest_and_highest_line_up():
    """20 equal line-ups, 300 experiments: a standard error of 1.3 points at 95%."""
    rng, true = np.random.default_rng(9), 0.3
    hits, naive = [], []
    for _ in range(300):
        lineups = [Moments.of(x[:, None], 4) for x in rng.binomial(4, true, (20, 100))]
        hits.append(all(true in end for end in lowest_and_highest(lineups, 0)))
        naive.append(true in min((block_rate(m, 0) for m in lineups), key=lambda r: r.estimate))
    assert np.mean(hits) >= 0.95 - 3 * 0.013
    assert np.mean(naive) < 0.75
