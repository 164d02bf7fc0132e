"""The C program of the speed comparison plays the same games as the engine."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))
import compare_c

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compare_c.compile_c(tmp_path_factory.mktemp("yardstick"), "-O1")


@pytest.mark.parametrize("players", compare_c.PLAYERS)
def test_sums_of_rounds_decisions_points_and_wins_are_equal(program, players):
    _, in_c = compare_c.run_c(program, players, 300)
    _, by_engine = compare_c.run_engine(players, 300)
    assert in_c == by_engine
    assert in_c[1] > 300 * 30  # decisions
