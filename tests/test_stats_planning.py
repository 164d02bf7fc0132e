"""Planning against statsmodels, and plans that keep what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from paxsim.errors import PaxsimError
from paxsim.stats import (
    Moments,
    block_mean,
    block_sd,
    blocks_for_half_width,
    blocks_for_power,
    plan_power,
    plan_precision,
)
from paxsim.stats.constants import MIN_BLOCKS
from paxsim.stats.planning import half_width, power


def test_block_sd():
    assert block_sd() == 0.5
    assert block_sd(0.25, 4, 0.0) == pytest.approx(math.sqrt(0.25 * 0.75 / 4))
    assert block_sd(0.25, 4, 1.0) == pytest.approx(math.sqrt(0.25 * 0.75))
    assert block_sd(0.25, 4, -1 / 3) == pytest.approx(0.0, abs=1e-7)


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


def test_plan_within_the_limit():
    plan = plan_precision(0.01, games_per_block=4)
    assert plan.fits
    assert plan.games == 4 * plan.blocks
    assert plan.text == "±1 percentage points at 95% takes 9,607 blocks (38,428 games)."


def test_plan_beyond_the_limit_says_what_is_possible():
    plan = plan_precision(0.0001, games_per_block=4)
    assert not plan.fits
    assert "Allowed are 20,000,000 games, which give ±0.0438 percentage points." in plan.text
    plan = plan_power(0.0002, 4, sd=0.4)
    assert not plan.fits
    assert "which find it with 20% chance" in plan.text
    assert plan_power(0.01, 4, sd=0.4).fits


def test_mistakes_are_named():
    with pytest.raises(PaxsimError, match="precision"):
        blocks_for_half_width(0.0)
    with pytest.raises(PaxsimError, match="power"):
        blocks_for_power(0.1, 0.3, target=1.0)
    with pytest.raises(PaxsimError, match="difference"):
        blocks_for_power(0.0, 0.3)
    with pytest.raises(PaxsimError, match="correlation"):
        block_sd(0.5, 4, -0.5)
