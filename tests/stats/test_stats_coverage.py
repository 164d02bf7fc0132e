"""Coverage of all intervals and error rates of all tests, with few repeats.

The cases and corners are those of `benchmarks/interval_coverage.py`. A coverage may lie 3 standard
errors outside of its range here: 2.9 percentage points at 95% in a case with 500 runs, 1.8 in a
corner with 1,500. Rates of single games are summed exactly.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

from interval_coverage import CASES, corners

REPEATS = 500


@pytest.mark.parametrize("name", CASES)
def test_coverage(name):
    function, low, high = CASES[name]
    repeats = 150 if name.startswith("ratings") else REPEATS
    share = function(np.random.default_rng(3), repeats)
    errors = [3 * math.sqrt(bound * (1 - bound) / repeats) for bound in (low, high)]
    assert low - errors[0] <= share <= high + errors[1]


#: Corners that are checked: section, world, blocks and truth.
CORNERS = [
    ("one rate", "1 game", 10, "0.017"),
    ("one rate", "1 game", 100, "0.0017"),
    ("one rate", "1 game", 300, "0.0018"),
    ("one rate", "1 game", 300, "0.1"),
    ("one rate", "4 games, correlation 0.3", 30, "0.018"),
    ("one rate", "4 games, correlation 0.8", 100, "0.0017"),
    ("one rate", "4 games, correlation 0.8", 10, "0.3"),
    ("four rates jointly", "1 game", 100, "3 x 0.11 wins"),
    ("four rates jointly", "4 games, correlation 0.3", 100, "60, 30, 8, 2%"),
    ("margin", "4 games, correlation 0.3", 15, "about 4 informative blocks"),
    ("margin", "4 games, correlation 0.3", 25, "about 10 informative blocks"),
    ("difference", "both ways, whole blocks", 40, "1 counted"),
    ("difference", "mostly down, seldom far up", 945, "8 counted"),
    ("difference", "mostly down, seldom far up", 945, "8 uncounted"),
]


@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: ", ".join(map(str, corner)))
def test_corners(corner):
    (found,) = [each for each in corners() if each[:4] == corner]
    assert found.row(np.random.default_rng(3), 1500)["good"]
