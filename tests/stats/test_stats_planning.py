"""Planning against statsmodels, and plans that keep what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from paxsim.errors import PaxsimError
from paxsim.stats import Moments, block_mean, blocks_for_half_width, blocks_for_power, plan_power
from paxsim.stats.constants import MIN_BLOCKS
from paxsim.stats.sequential import half_width, power


@pytest.mark.parametrize("target", [0.05, 0.01, 0.001])
def test_fewest_blocks_for_a_half_width(target):
    n = blocks_for_half_width(target, 0.3)
    assert half_width(n, 0.3) <= target < half_width(n - 1, 0.3)


def test_half_width_is_that_of_the_interval():
    x = np.random.default_rng(2).random((50, 1))
    m = Moments.of(x)
    assert half_width(50, float(x.std(ddof=1))) == pytest.approx(block_mean(m, 0).half_width)


def test_never_fewer_than_the_minimum():
    assert blocks_for_half_width(0.5, 0.1) == MIN_BLOCKS
    assert blocks_for_power(1.0, 0.1) == MIN_BLOCKS
    assert blocks_for_half_width(0.01, 0.0) == MIN_BLOCKS


@pytest.mark.parametrize(("difference", "target"), [(0.1, 0.8), (0.05, 0.9), (-0.02, 0.8)])
def test_blocks_for_power_against_statsmodels(difference, target):
    theirs = TTestPower().solve_power(abs(difference) / 0.4, alpha=0.05, power=target)
    assert blocks_for_power(difference, 0.4, target) == math.ceil(theirs)


def test_power_of_very_many_blocks_is_continuous():
    near = [power(n, 0.001, 0.1) for n in (100_000, 100_001, 100_002, 100_003)]
    assert max(near) - min(near) < 1e-4


def test_a_plan_says_how_much_it_takes():
    plan = plan_power(0.01, 4, sd=0.4)
    assert plan.fits
    assert plan.games == 4 * plan.blocks
    assert plan.text == (
        "Finding a difference of 1 percentage points with 80% chance takes 12,561 blocks "
        "(50,244 games)."
    )


def test_plan_beyond_the_limit_says_what_is_possible():
    plan = plan_power(0.0002, 4, sd=0.4)
    assert not plan.fits
    assert "Allowed are 20,000,000 games, which find it with 20% chance." in plan.text


def test_mistakes_are_named():
    with pytest.raises(PaxsimError, match="precision"):
        blocks_for_half_width(0.0)
    with pytest.raises(PaxsimError, match="power"):
        blocks_for_power(0.1, 0.3, target=1.0)
    with pytest.raises(PaxsimError, match="difference"):
        blocks_for_power(0.0, 0.3)
