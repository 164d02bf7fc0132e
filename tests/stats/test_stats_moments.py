"""Sums over blocks: merging equals adding everything at once, to the last bit in exact mode."""

from __future__ import annotations

import functools

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


def merged_in_order(parts):
    return functools.reduce(Moments.merge, parts)


def sums(m):
    """All that is kept, to the last bit."""
    return m.n, m.scale, m.total.tobytes(), m.cross.tobytes()


def chunks(x, cuts):
    return np.split(x, sorted(c % (len(x) + 1) for c in cuts))


@settings(deadline=None, max_examples=60)
@given(whole_blocks, st.lists(st.integers(0, 1000), max_size=5), st.randoms())
def test_any_chunks_in_any_order_give_the_same_bits(x, cuts, random):
    parts = [Moments.of(c, SCALE) for c in chunks(x, cuts)]
    random.shuffle(parts)
    whole, merged = Moments.of(x, SCALE), merged_in_order(parts)
    assert sums(whole) == sums(merged)
    assert whole.mean.tobytes() == merged.mean.tobytes()
    assert whole.covariance.tobytes() == merged.covariance.tobytes()


@settings(deadline=None, max_examples=60)
@given(whole_blocks, st.lists(st.integers(0, 1000), max_size=5))
def test_float_chunks_agree_up_to_rounding(x, cuts):
    values = x / SCALE
    merged = merged_in_order(Moments.of(c) for c in chunks(values, cuts))
    whole = Moments.of(values)
    assert whole.n == merged.n
    np.testing.assert_allclose(whole.mean, merged.mean, atol=1e-14)
    np.testing.assert_allclose(whole.covariance, merged.covariance, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(whole_blocks)
def test_against_numpy(x):
    values = x / SCALE
    for m in (Moments.of(x, SCALE), Moments.of(values)):
        np.testing.assert_allclose(m.mean, values.mean(axis=0), atol=1e-14)
        if len(x) > 1:
            cov = np.atleast_2d(np.cov(values.T))
            np.testing.assert_allclose(m.covariance, cov, atol=1e-12)


def test_adding_to_nothing():
    x = np.arange(12).reshape(4, 3)
    assert sums(Moments.empty(3, 5).add(x[:1]).add(x[1:])) == sums(Moments.of(x, 5))
    assert sums(Moments.empty(3) + Moments.of(x)) == sums(Moments.of(x))


def test_large_whole_numbers_are_exact_without_the_float_shortcut():
    x = np.array([[2**27 + 1, 3], [2**27 - 1, -5]])
    cross = [[int(a) for a in row] for row in x.astype(object).T @ x.astype(object)]
    assert Moments.of(x, 1).cross.tolist() == cross


def test_overflow_is_refused():
    with pytest.raises(PaxsimError, match="exact sums"):
        Moments.of(np.full((2, 1), 2**31), 1)
    with pytest.raises(PaxsimError, match="exact sums"):
        Moments.of(np.array([[np.iinfo(np.int64).min]]), 1)
    half = Moments.of(np.full((1, 1), 2**30 * 3 // 2), 1)
    with pytest.raises(PaxsimError, match="exact sums"):
        merged_in_order([half] * 3)


def test_twenty_million_games_fit():
    """Five million blocks of four games, each won alone, in 1/840: far from the limit."""
    block = Moments.of(np.full((1000, 2), SCALE), SCALE)
    m = Moments(5_000_000, block.total * 5000, block.cross * 5000, SCALE)
    assert m.mean.tolist() == [1.0, 1.0]
    assert m.covariance.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert m.merge(m).n == 10_000_000


def test_equal_float_blocks_have_no_spread():
    m = Moments.of(np.full((1001, 2), 0.1))
    assert m.covariance.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_sums_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Moments.of([[1.0]]).total[0] = 2


def test_mistakes_are_named():
    a = Moments.of([[1, 2]], 4)
    for other in (Moments.of([[1, 2]], 8), Moments.of([[1, 2, 3]], 4), Moments.of([[1.0, 2.0]])):
        with pytest.raises(PaxsimError, match="cannot merge"):
            a.merge(other)
    with pytest.raises(PaxsimError, match="whole numbers"):
        Moments.of([[0.5]], 4)
    with pytest.raises(PaxsimError, match="shape"):
        Moments.of([1, 2], 4)
    with pytest.raises(PaxsimError, match="no blocks"):
        _ = Moments.empty(2).mean
    with pytest.raises(PaxsimError, match="scale"):
        Moments(1, np.ones(1), np.ones((1, 1)), 4)
    with pytest.raises(PaxsimError, match="do not fit"):
        Moments(1, np.ones(1), np.ones((2, 2)))
