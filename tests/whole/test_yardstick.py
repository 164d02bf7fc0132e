"""The C program that speeds are compared with plays the engine's very games."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))
import compare_c

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compare_c.compile_c(tmp_path_factory.mktemp("yardstick"), "-O1")


@pytest.mark.parametrize("players", compare_c.PLAYERS)
def test_sums_of_rounds_decisions_points_and_wins_are_those_of_the_engine(program, players):
    _, in_c = compare_c.run_c(program, players, 300)
    _, by_engine = compare_c.run_engine(players, 300)
    assert in_c == by_engine
    assert in_c[1] > 300 * 30  # decisions, so that games were played at all
