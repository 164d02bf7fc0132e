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

REPEATS = 500


@pytest.mark.parametrize("name", CASES)
def test_coverage(name):
    function, low, high = CASES[name]
    repeats = 150 if name.startswith("ratings") else REPEATS
    share = function(np.random.default_rng(3), repeats)
    errors = [3 * math.sqrt(bound * (1 - bound) / repeats) for bound in (low, high)]
    assert low - errors[0] <= share <= high + errors[1]
