"""Corrections for many comparisons and the fair share, against libraries and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from paxsim.errors import PaxsimError
from paxsim.stats import Moments, benjamini_hochberg, fair_share, holm, seats_against_fair_share


@settings(deadline=None, max_examples=8)  # it collects garbage at every call, which is slow here
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_against_statsmodels(p):
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-12)
    theirs = multipletests(p, method="fdr_bh")[1]
    np.testing.assert_allclose(benjamini_hochberg(p), theirs, atol=1e-12)


def test_nothing_to_correct():
    assert holm([]).size == benjamini_hochberg([]).size == 0


def test_fair_share():
    assert fair_share(0.2, 4) == pytest.approx(0.2)
    assert fair_share(0.0, 1) == 1.0


def test_seats_by_brute_force():
    """Shares of three seats and Rome; the fair share moves with Rome from block to block."""
    x = np.random.default_rng(1).dirichlet([3, 2, 2, 2], 200)
    tests = seats_against_fair_share(Moments.of(x), [0, 1, 2])
    fair = x[:, :3].mean(axis=1)
    p = [stats.ttest_rel(x[:, i], fair).pvalue for i in range(3)]
    # Wilson's interval on the range of the difference instead of a t interval: about the same.
    assert [t.p for t in tests] == pytest.approx(p, abs=0.02)
    assert [t.p_holm for t in tests] == pytest.approx(list(holm([t.p for t in tests])))
    assert tests[0].fair.estimate == pytest.approx(fair_share(x[:, 3].mean(), 3))
    assert sum(t.difference.estimate for t in tests) == pytest.approx(0)
    assert tests[0].difference.low > 0
    assert tests[0].share.estimate == pytest.approx(x[:, 0].mean())


def test_seats_that_always_have_their_share():
    tests = seats_against_fair_share(Moments.of(np.ones((50, 4), int), 4), range(4))
    assert all(t.p == 1 and 0 in t.difference for t in tests)


def test_mistakes_are_named():
    with pytest.raises(PaxsimError, match="fair share"):
        fair_share(1.2, 4)
    with pytest.raises(PaxsimError, match="p-values"):
        holm([0.1, 1.5])
    with pytest.raises(PaxsimError, match="single seat"):
        seats_against_fair_share(Moments.of([[1.0]]), [0])
