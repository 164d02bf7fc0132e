"""Sums over blocks: against numpy, exact for whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paxsim.errors import PaxsimError
from paxsim.stats import Moments

SCALE = 840 * 4
whole_blocks = st.integers(1, 5).flatmap(
    lambda d: arrays(
        np.int64, st.tuples(st.integers(1, 40), st.just(d)), elements=st.integers(-SCALE, SCALE)
    )
)


@settings(deadline=None, max_examples=60)
@given(whole_blocks)
def test_mean_and_covariance_against_numpy(x):
    values = x / SCALE
    for m in (Moments.of(x, SCALE), Moments.of(values)):
        np.testing.assert_allclose(m.mean, values.mean(axis=0), atol=1e-14)
        if len(x) > 1:
            cov = np.atleast_2d(np.cov(values.T))
            np.testing.assert_allclose(m.covariance, cov, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(whole_blocks, st.randoms())
def test_exact_sums_do_not_depend_on_the_order_of_blocks(x, random):
    order = list(range(len(x)))
    random.shuffle(order)
    one, other = Moments.of(x, SCALE), Moments.of(x[order], SCALE)
    assert one.mean.tobytes() == other.mean.tobytes()
    assert one.covariance.tobytes() == other.covariance.tobytes()


def test_large_whole_numbers_are_exact_without_the_float_shortcut():
    x = np.array([[2**27 + 1, 3], [2**27 - 1, -5]])
    cross = [[int(a) for a in row] for row in x.astype(object).T @ x.astype(object)]
    assert Moments.of(x, 1).cross.tolist() == cross


@pytest.mark.parametrize("x", [np.full((2, 1), 2**31), np.array([[np.iinfo(np.int64).min]])])
def test_overflow_is_refused(x):
    with pytest.raises(PaxsimError, match="exact sums"):
        Moments.of(x, 1)


def test_twenty_million_games_fit():
    """Five million blocks of four games, each won alone, in 1/840: far from the limit."""
    block = Moments.of(np.full((1000, 2), SCALE), SCALE)
    m = Moments(5_000_000, block.total * 5000, block.cross * 5000, SCALE)
    assert m.mean.tolist() == [1.0, 1.0]
    assert m.covariance.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_equal_float_blocks_have_no_spread():
    m = Moments.of(np.full((1001, 2), 0.1))
    assert m.covariance.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_sums_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Moments.of([[1.0]]).total[0] = 2


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: Moments.of([[0.5]], 4), "whole numbers"),
        (lambda: Moments.of([1, 2], 4), "shape"),
        (lambda: Moments.of(np.zeros((0, 2))).mean, "no blocks"),
        (lambda: Moments(1, np.ones(1), np.ones((1, 1)), 4), "scale"),
        (lambda: Moments(1, np.ones(1), np.ones((2, 2))), "shape"),
    ],
)
def test_bad_arguments(call, word):
    with pytest.raises(PaxsimError, match=word):
        call()
