"""Corrections for many comparisons and the seat test, against libraries and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from paxsim.errors import PaxsimError
from paxsim.stats import Moments, benjamini_hochberg, holm, seats_against_fair_share


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_hochberg_against_scipy(p):
    np.testing.assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p), atol=1e-12)


@pytest.mark.parametrize("p", [[0.2], [0.04, 0.01, 0.03, 0.005], [0.5, 0.5, 0.001, 1.0, 0.02, 0.0]])
def test_holm_against_statsmodels(p):
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-12)


def test_no_p_values():
    assert holm([]).size == benjamini_hochberg([]).size == 0


def test_seats_against_paired_t_tests():
    """Shares of three seats and Rome; the fair share differs between blocks."""
    x = np.random.default_rng(1).dirichlet([3, 2, 2, 2], 200)
    tests = seats_against_fair_share(Moments.of(x), [0, 1, 2])
    fair = x[:, :3].mean(axis=1)
    p = [stats.ttest_rel(x[:, i], fair).pvalue for i in range(3)]
    # The score interval is close to the t interval.
    assert [t.p_holm for t in tests] == pytest.approx(list(holm(p)), abs=0.03)
    assert tests[0].fair.estimate == pytest.approx((1 - x[:, 3].mean()) / 3)
    assert sum(t.difference.estimate for t in tests) == pytest.approx(0)
    assert tests[0].difference.low > 0
    assert tests[0].share.estimate == pytest.approx(x[:, 0].mean())


def test_seats_that_always_have_their_fair_share():
    tests = seats_against_fair_share(Moments.of(np.ones((50, 4), int), 4), range(4))
    assert all(t.p_holm == 1 and 0 in t.difference for t in tests)


def test_bad_arguments():
    with pytest.raises(PaxsimError, match="p-values"):
        holm([0.1, 1.5])
    with pytest.raises(PaxsimError, match="2 or more players"):
        seats_against_fair_share(Moments.of([[1.0]]), [0])
