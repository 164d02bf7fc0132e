"""The sequential test and the confidence sequence keep their promises while being watched.

Looks are spaced evenly in the logarithm from 100 to 1,000,000 blocks; the blocks between two looks
are drawn as counts of each possible value, which gives the same sums as drawing them one by one.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from paxsim.errors import PaxsimError
from paxsim.stats import (
    DIFFERENCE,
    RATE,
    Moments,
    confidence_sequence,
    difference_sums,
    precise_enough,
    sequential_test,
)
from paxsim.stats.sequential import log_e_value, sequence_radius

REPEATS = 2000
LOOKS = np.unique(np.geomspace(100, 1_000_000, 120).astype(int))
THRESHOLD = math.log(20)

# Block values and their probabilities; the differences are of four games each, in quarters.
QUARTERS = np.arange(-4, 5) / 4
SYMMETRIC = (QUARTERS, np.array([1, 4, 10, 16, 19, 16, 10, 4, 1]) / 81)
SKEWED = (np.array([-1.0, 0.0, 0.05]), np.array([0.01, 0.79, 0.20]))
SKEWED_UP = (np.array([-0.05, 0.0, 1.0]), np.array([0.20, 0.79, 0.01]))
NULLS = {"symmetric": SYMMETRIC, "rare losses": SKEWED, "rare wins": SKEWED_UP}


def watched(world, looks=LOOKS, repeats=REPEATS, seed=3):
    """Sums and sums of squares (repeats, looks) of blocks drawn from a discrete `world`."""
    values, p = world
    rng = np.random.default_rng(seed)
    steps = np.diff(looks, prepend=0)
    counts = rng.multinomial(np.broadcast_to(steps, (repeats, len(looks))), p).cumsum(axis=1)
    return counts @ values, counts @ values**2


@pytest.mark.parametrize("v", [0.01, 0.3, 0.9])
def test_inequality_behind_the_test(v):
    """1 + v y >= exp(v y - (-log(1 - v) - v) y^2) for all y >= -1."""
    y = np.linspace(-1, 20, 20_001)
    assert np.all(1 + v * y >= np.exp(v * y - (-np.log1p(-v) - v) * y**2) - 1e-12)


@pytest.mark.parametrize("world", NULLS.values(), ids=NULLS.keys())
def test_error_rate_at_exactly_delta(world):
    """Each wrong decision is ever reached in at most 5 % (standard error 0.5 points)."""
    total, squares = watched(world)
    delta = float(world[0] @ world[1])
    better = log_e_value(LOOKS, total, squares, delta, -1.0).max(axis=1) >= THRESHOLD
    worse = log_e_value(LOOKS, -total, squares, -delta, -1.0).max(axis=1) >= THRESHOLD
    assert better.mean() <= 0.05
    assert worse.mean() <= 0.05


@pytest.mark.parametrize("delta", [0.02, 0.1])
def test_error_rate_below_delta(delta):
    """If a is better by less than delta, "better" is ever said in at most 5 %."""
    total, squares = watched(SYMMETRIC, repeats=1000)
    said = log_e_value(LOOKS, total, squares, delta, -1.0).max(axis=1) >= THRESHOLD
    assert said.mean() <= 0.01


@pytest.mark.parametrize("world", NULLS.values(), ids=NULLS.keys())
def test_error_rate_watched_after_every_block(world):
    """Also from the first block on, without a start-up rule."""
    values, p = world
    x = np.random.default_rng(17).choice(values, p=p, size=(REPEATS, 300))
    n = np.arange(1, 301)
    evidence = log_e_value(n, x.cumsum(axis=1), (x**2).cumsum(axis=1), float(values @ p), -1.0)
    assert (evidence.max(axis=1) >= THRESHOLD).mean() <= 0.05


def test_naive_watching_is_wrong_far_more_often():
    """A t test repeated at every look claims a difference in more than half of the runs."""
    total, squares = watched(SYMMETRIC)
    mean = total / LOOKS
    se = np.sqrt((squares / LOOKS - mean**2) / LOOKS)
    assert (np.abs(mean / se) > 1.96).any(axis=1).mean() > 0.50


def test_power():
    """Five points better with a standard deviation of 0.45: found within 4000 blocks in 99 %."""
    values, p = SYMMETRIC
    p = 0.95 * p + 0.05 * (values == 1.0)
    sd = math.sqrt(values**2 @ p - (values @ p) ** 2)
    assert values @ p == pytest.approx(0.05)
    assert sd == pytest.approx(0.45, abs=0.01)
    looks = np.arange(100, 4001, 100)
    total, squares = watched((values, p), looks)
    evidence = log_e_value(looks, total, squares, 0.0, -1.0)
    decided = evidence.max(axis=1) >= THRESHOLD
    assert decided.mean() > 0.99
    first = looks[np.argmax(evidence >= THRESHOLD, axis=1)]
    fixed = ((1.645 + 0.842) * sd / 0.05) ** 2  # a fixed-n test with a power of 80 %
    assert first.mean() < 2.2 * fixed


def test_decisions_and_their_memory():
    x = np.array([0.25, 0.5, 0.0, 0.25] * 100)
    n, total, squares = len(x), x.sum(), (x**2).sum()
    better = sequential_test(n, total, squares)
    assert better.decision == "better"
    assert better.e_value >= 20 > better.e_value_not
    assert better.n == n
    assert sequential_test(n, total, squares, delta=0.5).decision == "not better"
    assert sequential_test(n, total, squares, delta=x.mean()).decision == "undecided"
    assert sequential_test(2 * n, -5.0, squares, previous=better) is better
    huge = sequential_test(10**6, 9e5, 9e5)
    assert huge.decision == "better"
    assert math.isfinite(huge.e_value)
    assert sequential_test(0, 0.0, 0.0).e_value == pytest.approx(1.0)


def test_exchanging_the_players_mirrors_the_test():
    one = sequential_test(500, 20.0, 60.0, delta=0.01)
    other = sequential_test(500, -20.0, 60.0, delta=-0.01)
    assert one.e_value == pytest.approx(other.e_value_not)
    assert one.e_value_not == pytest.approx(other.e_value)


def test_bad_requests_are_named():
    with pytest.raises(PaxsimError, match="delta"):
        sequential_test(10, 0.0, 1.0, delta=1.0)
    with pytest.raises(PaxsimError, match="error rate"):
        sequential_test(10, 0.0, 1.0, alpha=0.0)
    with pytest.raises(PaxsimError, match="bounds"):
        confidence_sequence(1000, 0.0, 1.0, bounds=(0.0, math.inf))


def test_difference_sums_from_moments():
    x = np.random.default_rng(2).integers(0, 5, (50, 3))
    difference = (x[:, 0] - x[:, 2]) / 4
    for m in (Moments.of(x, scale=4), Moments.of(x / 4)):
        n, total, squares = difference_sums(m, 0, 2)
        assert n == 50
        assert total == pytest.approx(difference.sum())
        assert squares == pytest.approx((difference**2).sum())


RATES = {
    "strategy": (np.arange(5) / 4, np.array([0.3, 0.45, 0.2, 0.04, 0.01])),
    "rare": (np.arange(5) / 4, np.array([0.97, 0.02, 0.005, 0.003, 0.002])),
    "often": (np.arange(5) / 4, np.array([0.0, 0.0, 0.01, 0.02, 0.97])),
}


@pytest.mark.parametrize("world", RATES.values(), ids=RATES.keys())
def test_confidence_sequence_holds_at_all_looks(world):
    """In 95 % of the runs no look at all misses the truth."""
    total, squares = watched(world, repeats=4000)
    mean = total / LOOKS
    variance = (squares - LOOKS * mean**2) / (LOOKS - 1)
    missed = np.abs(mean - world[0] @ world[1]) > sequence_radius(LOOKS, variance, span=1.0)
    assert 1 - missed.any(axis=1).mean() >= 0.95


def test_stopping_at_a_precision():
    """Stopped when +-2 points are reached, the interval still holds in 95 %."""
    world = RATES["strategy"]
    true = float(world[0] @ world[1])
    looks = np.arange(100, 5001, 100)
    total, squares = watched(world, looks, repeats=1000)
    mean = total / looks
    variance = (squares - looks * mean**2) / (looks - 1)
    hits = []
    for means, variances in zip(mean, variance, strict=True):
        for n, m, v in zip(looks, means, variances, strict=True):
            x = confidence_sequence(int(n), float(m), float(v))
            if precise_enough(x, 0.02):
                hits.append(true in x)
                break
    assert len(hits) == 1000
    assert np.mean(hits) >= 0.95


def test_confidence_sequence_by_hand():
    x = confidence_sequence(2000, 0.3, 0.04)
    sd, u = math.sqrt(0.04 + 1 / 2000), 8.2  # u solves u = log(u + 1) - 2 log(0.05)
    wide = sd * math.sqrt((1 + 1 / u) * (math.log(1 + u) - 2 * math.log(0.05)) / 2000)
    assert x.half_width == pytest.approx(wide, rel=1e-3)
    assert x.half_width / (1.96 * x.se) == pytest.approx(1.55, abs=0.02)
    early = confidence_sequence(99, 0.3, 0.04)
    assert (early.low, early.high) == (0.0, 1.0)
    equal = confidence_sequence(1000, 0.0, 0.0)
    assert equal.low == 0.0
    assert 0.001 < equal.high < 0.01


@pytest.mark.parametrize("sign", [1, -1])
def test_the_test_decides_at_twenty_times_the_stake_and_not_before(sign):
    looks = [sequential_test(n, sign * 0.1 * n, 0.01 * n) for n in range(1, 2000)]
    found = [(max(look.e_value, look.e_value_not), look.decision) for look in looks]
    verdict = "better" if sign > 0 else "not better"
    assert any(15 < capital < 20 for capital, _ in found), "it grows in small steps"
    for capital, decision in found:
        assert decision == (verdict if capital >= 20 else "undecided")


def test_a_run_that_stops_because_of_a_difference_overstates_it_but_its_limits_hold():
    """300 comparisons with a true difference of 2 points, stopped when the test has decided.

    The limits of the difference and of both rates are confidence sequences, which miss at any look
    in at most 5 %; 3 standard errors of that are 3.8 points.
    """
    rng = np.random.default_rng(8)
    truth, looks = (0.27, 0.25), [int(400 * 1.1**k) for k in range(38)]
    estimates, hits = [], []
    for _ in range(300):
        a, b = (rng.binomial(4, rate, looks[-1]) / 4 for rate in truth)
        x = a - b
        sums, squares = x.cumsum(), (x**2).cumsum()
        n = next(
            (n for n in looks
             if sequential_test(n, sums[n - 1], squares[n - 1]).decision != "undecided"),
            looks[-1],
        )  # fmt: skip
        estimates.append(x[:n].mean())
        found = [
            confidence_sequence(n, float(y[:n].mean()), float(y[:n].var(ddof=1)), bounds=bounds)
            for y, bounds in ((x, DIFFERENCE), (a, RATE), (b, RATE))
        ]
        hits.append([t in y for t, y in zip((0.02, *truth), found, strict=True)])
    assert np.mean(estimates) > 0.02 + 3 * np.std(estimates) / math.sqrt(300)
    assert (np.mean(hits, axis=0) >= 0.95 - 0.038).all()
