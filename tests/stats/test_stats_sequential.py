"""The sequential test, the confidence sequence and the planning of runs.

Error rates and coverage while watching are in `test_stats_coverage.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from paxsim.errors import PaxsimError
from paxsim.stats import (
    Moments,
    block_mean,
    blocks_for_half_width,
    blocks_for_power,
    confidence_sequence,
    describe_power,
    difference_sums,
    sequential_test,
)
from paxsim.stats.constants import MIN_BLOCKS
from paxsim.stats.sequential import half_width, log_e_value, power


@pytest.mark.parametrize("v", [0.01, 0.3, 0.9])
def test_inequality_behind_the_test(v):
    """1 + v y >= exp(v y - (-log(1 - v) - v) y^2) for all y >= -1."""
    y = np.linspace(-1, 20, 20_001)
    assert np.all(1 + v * y >= np.exp(v * y - (-np.log1p(-v) - v) * y**2) - 1e-12)


def test_e_value_is_the_mean_over_bets():
    x, delta, bets = np.array([0.25, 0.5, 0.0, -0.25] * 5), 0.1, 2.0 ** (-np.arange(1, 21) / 2)
    y = (x - delta) / (delta + 1)
    capital = np.exp(bets[:, None] * y + (np.log1p(-bets) + bets)[:, None] * y**2).prod(axis=1)
    result = sequential_test(len(x), x.sum(), (x**2).sum(), delta=delta)
    assert result.e_value == pytest.approx(capital.mean())


def test_power_of_the_sequential_test():
    """An advantage of 5 points with a standard deviation of 0.45 is found in 4000 blocks."""
    values = np.arange(-4, 5) / 4
    p = 0.95 * np.array([1, 4, 10, 16, 19, 16, 10, 4, 1]) / 81 + 0.05 * (values == 1.0)
    looks = np.arange(100, 4001, 100)
    counts = np.random.default_rng(3).multinomial(100, p, size=(1000, len(looks))).cumsum(axis=1)
    evidence = log_e_value(looks, counts @ values, counts @ values**2, 0.0, -1.0)
    decided = evidence >= math.log(20)
    assert decided.any(axis=1).mean() > 0.99
    sd = math.sqrt(values**2 @ p - (values @ p) ** 2)
    fixed = ((1.645 + 0.842) * sd / 0.05) ** 2  # of a fixed-n test with a power of 80%
    assert looks[np.argmax(decided, axis=1)].mean() < 2.2 * fixed


def test_decisions():
    x = np.array([0.25, 0.5, 0.0, 0.25] * 100)
    n, total, squares = len(x), x.sum(), (x**2).sum()
    better = sequential_test(n, total, squares)
    assert better.decision == "better"
    assert better.e_value >= 20 > better.e_value_not
    assert sequential_test(n, total, squares, delta=0.5).decision == "not better"
    assert sequential_test(n, total, squares, delta=x.mean()).decision == "undecided"
    huge = sequential_test(10**6, 9e5, 9e5)
    assert huge.decision == "better"
    assert math.isfinite(huge.e_value)
    assert sequential_test(0, 0.0, 0.0).e_value == pytest.approx(1.0)


def test_exchanging_the_players_mirrors_the_test():
    one = sequential_test(500, 20.0, 60.0, delta=0.01)
    other = sequential_test(500, -20.0, 60.0, delta=-0.01)
    assert one.e_value == pytest.approx(other.e_value_not)
    assert one.e_value_not == pytest.approx(other.e_value)


def test_difference_sums_from_moments():
    x = np.random.default_rng(2).integers(0, 5, (50, 3))
    difference = (x[:, 0] - x[:, 2]) / 4
    for m in (Moments.of(x, scale=4), Moments.of(x / 4)):
        n, total, squares = difference_sums(m, 0, 2)
        assert n == 50
        assert total == pytest.approx(difference.sum())
        assert squares == pytest.approx((difference**2).sum())


def test_confidence_sequence_by_hand():
    x = confidence_sequence(2000, 0.3, 0.04)
    sd, u = math.sqrt(0.04 + 1 / 2000), 8.2  # u solves u = log(u + 1) - 2 log(0.05)
    wide = sd * math.sqrt((1 + 1 / u) * (math.log(1 + u) - 2 * math.log(0.05)) / 2000)
    assert x.half_width == pytest.approx(wide, rel=1e-3)
    assert (x.level, x.df, x.method) == (0.95, 1999, "sequence")
    assert x.half_width / (1.96 * x.se) == pytest.approx(1.55, abs=0.02)
    early = confidence_sequence(99, 0.3, 0.04)
    assert (early.low, early.high) == (0.0, 1.0)
    equal = confidence_sequence(1000, 0.0, 0.0)
    assert equal.low == 0.0
    assert 0.001 < equal.high < 0.01


@pytest.mark.parametrize("sign", [1, -1])
def test_decision_exactly_at_twenty_times_the_stake(sign):
    looks = [sequential_test(n, sign * 0.1 * n, 0.01 * n) for n in range(1, 2000)]
    capitals = [(max(look.e_value, look.e_value_not), look.decision) for look in looks]
    verdict = "better" if sign > 0 else "not better"
    assert any(15 < capital < 20 for capital, _ in capitals), "it grows in small steps"
    for capital, decision in capitals:
        assert decision == (verdict if capital >= 20 else "undecided")


def test_a_run_stopped_by_the_test_overstates_the_difference():
    """300 comparisons with a true difference of 2 points."""
    rng = np.random.default_rng(8)
    looks = [int(400 * 1.1**k) for k in range(38)]
    estimates = []
    for _ in range(300):
        x = (rng.binomial(4, 0.27, looks[-1]) - rng.binomial(4, 0.25, looks[-1])) / 4
        sums, squares = x.cumsum(), (x**2).cumsum()
        for n in looks:
            if sequential_test(n, sums[n - 1], squares[n - 1]).decision != "undecided":
                break
        estimates.append(x[:n].mean())
    assert np.mean(estimates) > 0.02 + 3 * np.std(estimates) / math.sqrt(300)


# --- planning -----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [0.05, 0.01, 0.001])
def test_fewest_blocks_for_a_half_width(target):
    n = blocks_for_half_width(target, 0.3)
    assert half_width(n, 0.3) <= target < half_width(n - 1, 0.3)


def test_half_width_is_that_of_the_interval():
    x = np.random.default_rng(2).random((50, 1))
    interval = block_mean(Moments.of(x), 0)
    assert half_width(50, float(x.std(ddof=1))) == pytest.approx(interval.half_width)


def test_minimum_number_of_blocks():
    assert blocks_for_half_width(0.5, 0.1) == MIN_BLOCKS
    assert blocks_for_power(1.0, 0.1) == MIN_BLOCKS
    assert blocks_for_half_width(0.01, 0.0) == MIN_BLOCKS


@pytest.mark.parametrize(("difference", "target"), [(0.1, 0.8), (0.05, 0.9), (-0.02, 0.8)])
def test_blocks_for_power_against_statsmodels(difference, target):
    theirs = TTestPower().solve_power(abs(difference) / 0.4, alpha=0.05, power=target)
    assert blocks_for_power(difference, 0.4, target) == math.ceil(theirs)


def test_power_is_continuous_where_its_formula_changes():
    near = [power(n, 0.001, 0.1) for n in (100_000, 100_001, 100_002, 100_003)]
    assert max(near) - min(near) < 1e-4


def test_description_of_a_plan():
    fits = describe_power(0.01, 4, 0.4, 20_000_000)
    assert "12,561 blocks (50,244 games)" in fits and "Allowed" not in fits
    assert "With the 20,000,000 games allowed, the chance is 20%" in describe_power(
        0.0002, 4, 0.4, 20_000_000
    )


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: sequential_test(10, 0.0, 1.0, delta=1.0), "delta"),
        (lambda: confidence_sequence(1000, 0.0, 1.0, alpha=0.0), "alpha"),
        (lambda: confidence_sequence(1000, 0.0, 1.0, bounds=(0.0, math.inf)), "bounds"),
        (lambda: blocks_for_half_width(0.0), "half-width"),
        (lambda: blocks_for_power(0.1, 0.3, target=1.0), "power"),
        (lambda: blocks_for_power(0.0, 0.3), "difference"),
    ],
)
def test_bad_arguments(call, word):
    with pytest.raises(PaxsimError, match=word):
        call()
