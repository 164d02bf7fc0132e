"""Intervals against scipy, statsmodels and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from paxsim.errors import PaxsimError
from paxsim.stats import (
    Moments,
    block_mean,
    block_rate,
    contrast,
    jeffreys,
    p_value,
    paired_difference,
    ratio,
    simultaneous_contrasts,
    simultaneous_rates,
    unpaired_difference,
    wilson,
)
from paxsim.stats.multiple import max_t_quantile

X = np.random.default_rng(0).dirichlet([2, 1, 1, 1], 60)
M = Moments.of(X)


@pytest.mark.parametrize(("wins", "games"), [(0, 20), (1, 20), (7, 20), (20, 20), (300, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_single_rates(wins, games, level):
    theirs = proportion_confint(wins, games, alpha=1 - level, method="wilson")
    assert wilson(wins, games, level) == pytest.approx(theirs, abs=1e-12)
    scipys = stats.binomtest(wins, games).proportion_ci(level, method="wilson")
    assert wilson(wins, games, level) == pytest.approx((scipys.low, scipys.high), abs=1e-12)
    low, high = proportion_confint(wins, games, alpha=1 - level, method="jeffreys")
    low, high = (0.0 if wins == 0 else low), (1.0 if wins == games else high)
    assert jeffreys(wins, games, level) == pytest.approx((low, high), abs=1e-9)


def test_block_mean_is_the_t_interval():
    theirs = stats.ttest_1samp(X[:, 1], 0.15)
    x = block_mean(M, 1)
    ci = theirs.confidence_interval(0.95)
    assert (x.low, x.high) == pytest.approx((ci.low, ci.high))
    assert p_value(x, 0.15) == pytest.approx(theirs.pvalue)
    assert x.half_width == pytest.approx((ci.high - ci.low) / 2)


def test_contrast_against_brute_force():
    weights = [1, -0.5, 0, 2]
    ci = stats.ttest_1samp(X @ weights, 0).confidence_interval(0.9)
    x = contrast(M, weights, level=0.9)
    assert (x.low, x.high) == pytest.approx((ci.low, ci.high))


def test_a_rate_of_independent_games_is_wilson():
    """Blocks of one game: the effective sample size is the number of games (less one)."""
    games = np.repeat([1, 0], [37, 163])[:, None]
    x = block_rate(Moments.of(games, 1), 0)
    assert x.n_effective == pytest.approx(199)
    assert (x.low, x.high) == pytest.approx(wilson(37, 200), abs=1e-3)
    assert x.method == "wilson"


def test_a_rate_of_many_blocks_is_the_t_interval():
    x = np.random.default_rng(1).binomial(4, 0.3, (20_000, 1))
    m = Moments.of(x, 4)
    rate, mean = block_rate(m, 0), block_mean(m, 0)
    assert (rate.low, rate.high) == pytest.approx((mean.low, mean.high), abs=2e-5)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_blocks_at_the_edge_are_wilson(value):
    x = block_rate(Moments.of(np.full((30, 1), value)), 0)
    assert (x.low, x.high) == pytest.approx(wilson(30 * value, 30))
    assert x.method == "equal"


def test_equal_blocks_elsewhere():
    """A quarter in every block: the width comes from blocks that may yet be different."""
    x = block_rate(Moments.of(np.full((96, 1), 1), 4), 0)
    w = 1.959964**2 / (96 + 1.959964**2)
    assert (x.low, x.high) == pytest.approx((0.25 * (1 - w), 0.25 + 0.75 * w))
    single = block_rate(Moments.of([[1]], 4), 0)
    assert 0 < single.low < 0.25 < single.high < 1
    nothing_known = block_mean(Moments.of([[3.0], [3.0]]), 0)
    assert (nothing_known.low, nothing_known.high) == (-math.inf, math.inf)
    assert p_value(nothing_known, 2.0) == 1.0


def intervals():
    rate = st.lists(st.integers(0, 4), min_size=3, max_size=40)
    return st.tuples(rate, st.booleans())


@settings(deadline=None, max_examples=200)
@given(intervals(), st.floats(0.001, 0.999))
def test_p_value_and_interval_agree(drawn, reference):
    blocks, as_rate = drawn
    m = Moments.of(np.array(blocks)[:, None], 4)
    x = block_rate(m, 0) if as_rate else block_mean(m, 0, bounds=(-1.0, 1.0))
    p = p_value(x, reference)
    assert 0 <= p <= 1
    if abs(p - 0.05) > 1e-9:
        assert (p < 0.05) == (reference not in x)


def test_ratio_against_simulation_and_formula():
    rome = np.random.default_rng(3).binomial(4, 0.4, 500)
    both = np.random.default_rng(4).binomial(rome, 0.3)
    x = ratio(Moments.of(np.stack([both, rome], axis=1), 4), 0, 1)
    r = both.sum() / rome.sum()
    assert x.estimate == pytest.approx(r)
    # About the mean of the blocks with the condition, of which there are (Kish) so many.
    kish = rome.sum() ** 2 / (rome**2).sum()
    se = np.std(both - r * rome) / math.sqrt(500) / rome.mean() * math.sqrt(kish / (kish - 1))
    assert x.se == pytest.approx(se)
    rng = np.random.default_rng(5)
    drawn = rng.integers(0, 500, (2000, 500))
    assert x.se == pytest.approx(np.std(both[drawn].sum(1) / rome[drawn].sum(1)), rel=0.06)


def test_ratio_at_its_edges():
    never = ratio(Moments.of([[0, 0]] * 10, 4), 0, 1)
    assert math.isnan(never.estimate)
    assert (never.low, never.high) == (0.0, 1.0)
    with pytest.raises(PaxsimError, match="p-value"):
        p_value(never, 0.5)
    rome = np.repeat([1, 0], [25, 975])
    none = ratio(Moments.of(np.stack([0 * rome, rome], axis=1), 1), 0, 1)
    assert (none.low, none.high) == pytest.approx(wilson(0, 25))


def test_differences():
    d = paired_difference(M, 0, 1)
    paired = stats.ttest_rel(X[:, 0], X[:, 1]).confidence_interval()
    assert (d.paired.low, d.paired.high) == pytest.approx((paired.low, paired.high))
    welch = stats.ttest_ind(X[:, 0], X[:, 1], equal_var=False).confidence_interval()
    assert (d.unpaired.low, d.unpaired.high) == pytest.approx((welch.low, welch.high))
    unpaired, pair = X[:, :2].var(axis=0, ddof=1).sum(), np.var(X[:, 0] - X[:, 1], ddof=1)
    assert d.variance_factor == pytest.approx(unpaired / pair)
    same = paired_difference(Moments.of(X[:, [0, 0]]), 0, 1)
    assert same.variance_factor == math.inf
    assert same.paired.low < 0 < same.paired.high


def test_two_runs():
    y = np.random.default_rng(9).random((25, 2))
    theirs = CompareMeans(DescrStatsW(X[:, 2]), DescrStatsW(y[:, 1]))
    low, high = theirs.tconfint_diff(usevar="unequal")
    x = unpaired_difference(M, 2, Moments.of(y), 1)
    assert (x.low, x.high) == pytest.approx((low, high))


@pytest.mark.parametrize("df", [10, 200])
def test_max_t_quantile_against_scipy(df):
    r = np.array([[1, 0.5, -0.2], [0.5, 1, 0.1], [-0.2, 0.1, 1]])
    c = max_t_quantile(r, df)
    upper = np.full(3, c)
    inside = stats.multivariate_t.cdf(
        upper, shape=r, df=df, lower_limit=-upper, maxpts=200_000, random_state=1
    )
    assert inside == pytest.approx(0.95, abs=0.0015)


def test_max_t_of_perfectly_correlated_is_t():
    t = stats.t.ppf(0.975, 30)
    assert max_t_quantile(np.ones((3, 3)), 30) == pytest.approx(t, abs=0.02)
    assert max_t_quantile([[1.0]], 30) == pytest.approx(t)


def test_simultaneous():
    joint, sidak = (simultaneous_rates(M, range(4), method=m) for m in ("max-t", "sidak"))
    assert stats.t.ppf(0.975, 59) < joint.critical <= sidak.critical + 0.01
    assert sidak.local_level == pytest.approx(0.95**0.25)
    assert joint.intervals[2] == block_rate(M, 2, level=joint.local_level)
    assert simultaneous_rates(M, range(4)) == joint
    few = simultaneous_rates(Moments.of(X[:4]), range(4))
    assert few.method == "sidak"


def test_simultaneous_with_a_value_that_never_varies():
    m = Moments.of(np.column_stack([X[:, :2], np.zeros(60)]))
    s = simultaneous_rates(m, range(3))
    assert s.intervals[2].method == "equal"
    assert s.critical >= stats.t.ppf(1 - 0.05 / 6, 59) - 1e-9
    assert simultaneous_rates(Moments.of(np.zeros((60, 2))), range(2)).method == "sidak"


def test_mistakes_are_named():
    for call, text in [
        (lambda: wilson(3, 2), "wins"),
        (lambda: wilson(1, 2, 95), "level"),
        (lambda: block_rate(M, 4), "value 4"),
        (lambda: contrast(M, [1, 2]), "weights"),
        (lambda: contrast(Moments.empty(1), [1]), "no blocks"),
        (lambda: simultaneous_rates(M, range(2), method="tukey"), "tukey"),
        (lambda: simultaneous_contrasts(M, []), "contrasts"),
        (lambda: unpaired_difference(M, 0, Moments.empty(1), 0), "no blocks"),
    ]:
        with pytest.raises(PaxsimError, match=text):
            call()


def test_what_is_left_of_a_variance_by_rounding_counts_as_none():
    """Shares that add up to a whole in every block: their sum is known, not known to 1e-9."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        shares = rng.dirichlet([1.0, 2.0, 3.0, 4.0], size=40)
        total = contrast(Moments.of(shares), np.ones(4), bounds=(0.0, 4.0))
        assert total.method == "equal" and total.se == 0
