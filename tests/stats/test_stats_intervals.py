"""Intervals against scipy, statsmodels and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from paxsim.errors import PaxsimError
from paxsim.stats import (
    DIFFERENCE,
    RATE,
    Moments,
    block_mean,
    block_rate,
    clopper_pearson,
    contrast,
    mean_difference,
    p_value,
    paired_difference,
    ratio,
    simultaneous_contrasts,
)
from paxsim.stats.multiple import max_t_quantile

X = np.random.default_rng(0).dirichlet([2, 1, 1, 1], 60)
M = Moments.of(X)


@pytest.mark.parametrize(("wins", "games"), [(0, 20), (1, 20), (7, 20), (20, 20), (300, 1000)])
def test_exact_rates_against_libraries(wins, games):
    theirs = proportion_confint(wins, games, method="beta")
    assert clopper_pearson(wins, games) == pytest.approx(theirs, abs=1e-12)
    test = stats.binomtest(wins, games)
    scipys = test.proportion_ci(0.99, method="exact")
    assert clopper_pearson(wins, games, 0.99) == pytest.approx((scipys.low, scipys.high), abs=1e-12)


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


@pytest.mark.parametrize("wins", [0, 1, 37, 200])
def test_a_rate_of_independent_games_is_exact(wins):
    """Blocks of one game: the effective number of games is theirs."""
    games = np.repeat([1, 0], [wins, 200 - wins])[:, None]
    x = block_rate(Moments.of(games, 1), 0)
    assert x.n_effective == pytest.approx(200)
    assert (x.low, x.high) == pytest.approx(clopper_pearson(wins, 200), abs=1e-12)
    assert x.method == ("equal" if wins in (0, 200) else "clopper-pearson")
    one_sided = stats.binomtest(wins, 200, 0.2, "less" if wins < 40 else "greater").pvalue
    assert p_value(x, 0.2) == pytest.approx(2 * one_sided)


def test_a_rate_of_many_blocks_is_the_t_interval():
    x = np.random.default_rng(1).binomial(4, 0.3, (20_000, 1))
    m = Moments.of(x, 4)
    rate, mean = block_rate(m, 0), block_mean(m, 0)
    assert (rate.low, rate.high) == pytest.approx((mean.low, mean.high), abs=2e-5)


def test_equal_blocks_elsewhere():
    """A quarter in every block: the width comes from block types not observed yet."""
    x = block_rate(Moments.of(np.full((96, 1), 1), 4), 0)
    w = clopper_pearson(0, 96)[1]
    assert (x.low, x.high) == pytest.approx((0.25 * (1 - w), 0.25 + 0.75 * w))
    single = block_rate(Moments.of([[1]], 4), 0)
    assert 0 < single.low < 0.25 < single.high < 1
    unbounded = block_mean(Moments.of([[3.0], [3.0]]), 0)
    assert (unbounded.low, unbounded.high) == (-math.inf, math.inf)
    assert p_value(unbounded, 2.0) == 1.0
    bounded = contrast(Moments.of(np.full((30, 1), 12), 1), [1.0], bounds=(9.0, 15.0))
    assert 9.0 < bounded.low < 12.0 < bounded.high < 15.0


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
    # Kish's number of blocks with the condition.
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
    assert (none.low, none.high) == pytest.approx(clopper_pearson(0, 25))
    margins = np.stack([np.resize([2, 4], 25), rome[:25]], axis=1)
    mean = ratio(Moments.of(margins, 1), 0, 1, bounds=(0.0, math.inf))
    logs = stats.t.ppf(0.975, 24) * mean.se / mean.estimate
    assert (mean.low, mean.high) == pytest.approx(2.96 * np.exp([-logs, logs]))
    one = ratio(Moments.of([[3, 1], [0, 0]], 1), 0, 1, bounds=(0.0, math.inf))
    assert one.estimate == 3.0 and math.isnan(one.high)


def test_differences():
    """With many differing blocks, paired t and Welch's t interval."""
    many = np.random.default_rng(4).dirichlet([2, 1, 1, 1], 40_000)
    d = paired_difference(Moments.of(many), 0, 1, differing=len(many))
    paired = stats.ttest_rel(many[:, 0], many[:, 1]).confidence_interval()
    assert (d.paired.low, d.paired.high) == pytest.approx((paired.low, paired.high), rel=1e-4)
    welch = stats.ttest_ind(many[:, 0], many[:, 1], equal_var=False).confidence_interval()
    assert (d.unpaired.low, d.unpaired.high) == pytest.approx((welch.low, welch.high), rel=1e-3)
    unpaired, pair = many[:, :2].var(axis=0, ddof=1).sum(), np.var(many[:, 0] - many[:, 1], ddof=1)
    assert d.variance_factor == pytest.approx(unpaired / pair)
    same = paired_difference(Moments.of(X[:, [0, 0]]), 0, 1)
    assert same.variance_factor == math.inf
    assert same.paired.low < 0 < same.paired.high


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


def level_of(intervals):
    (level,) = {x.level for x in intervals}
    return level


def test_joint_intervals():
    joint = simultaneous_contrasts(M, np.eye(4), bounds=RATE)
    sidak = 0.95**0.25
    assert 0.95 < level_of(joint) <= sidak + 1e-3
    assert joint[2] == block_rate(M, 2, level=level_of(joint))
    few = simultaneous_contrasts(Moments.of(X[:4]), np.eye(4), bounds=RATE)
    assert level_of(few) == pytest.approx(sidak)


def test_joint_intervals_with_a_constant():
    constant = Moments.of(np.column_stack([X[:, :2], np.zeros(60)]))
    joint = simultaneous_contrasts(constant, np.eye(3), bounds=RATE)
    assert joint[2].method == "equal"
    assert level_of(joint) >= 1 - 0.05 / 3 - 1e-9
    zeros = simultaneous_contrasts(Moments.of(np.zeros((60, 2))), np.eye(2))
    assert level_of(zeros) == pytest.approx(0.95**0.5)


# --- few blocks with an event -------------------------------------------------------------------


def differing_blocks(differing, blocks=945):
    x = np.zeros((blocks, 2), np.int64)
    x[:differing, 0] = 1
    return Moments.of(x, 4)


def counted(differing):
    return mean_difference(differing_blocks(differing), [1.0, -1.0], differing=differing)


def uncounted(differing):
    return contrast(differing_blocks(differing), [1.0, -1.0], bounds=DIFFERENCE)


def events(number, blocks=945):
    x = np.full((blocks, 1), 4)
    x[:number] -= 1
    return block_rate(Moments.of(x, 4), 0)


@pytest.mark.parametrize("interval", [counted, uncounted, events])
def test_width_does_not_jump_at_the_first_event(interval):
    widths = [interval(number).half_width for number in range(12)]
    for one, other in zip(widths, widths[1:], strict=False):
        assert 0.5 < other / one < 1.4
    if interval is not events:
        assert widths[0] == pytest.approx(clopper_pearson(0, 945)[1])


def test_one_block_does_not_decide_between_two():
    """That a was better in the only block that differs says little, even if by all games."""
    whole = np.zeros((40, 2), np.int64)
    whole[0, 0] = 4
    assert p_value(mean_difference(Moments.of(whole, 4), [1.0, -1.0], differing=1)) > 0.3


@pytest.mark.parametrize("differing", [1, 5, 30, 400])
def test_p_values_agree_with_intervals_if_few_blocks_differ(differing):
    x = np.zeros((945, 2), np.int64)
    x[:differing, 0] = np.resize([1, 2, -1], differing)
    moments = Moments.of(x, 4)
    for level in (0.9, 0.99):
        interval = contrast(moments, [1.0, -1.0], level=level, bounds=DIFFERENCE)
        for end in (interval.low, interval.high):
            assert p_value(interval, end) == pytest.approx(1 - level)
    interval = mean_difference(moments, [1.0, -1.0], differing=differing)
    for end in (interval.low, interval.high):
        assert p_value(interval, end) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize(("blocks", "differ"), [(40, 0.15), (945, 0.003), (945, 0.2)])
def test_uncounted_differences_are_wider_than_t_but_not_by_much(blocks, differ):
    rng = np.random.default_rng(8)
    for _ in range(50):
        x = np.zeros((blocks, 2), np.int64)
        x[:, 0] = np.where(rng.random(blocks) < differ, rng.choice([1, 2, 4], blocks), 0)
        cautious = contrast(Moments.of(x, 4), [1.0, -1.0], bounds=DIFFERENCE)
        plain = contrast(Moments.of(x, 4), [1.0, -1.0])
        if plain.se > 0:
            assert cautious.low <= plain.low and cautious.high >= plain.high
        if blocks * differ > 100:
            assert cautious.half_width < 1.25 * plain.half_width


def test_rounding_noise_counts_as_no_variance():
    """Shares with a constant sum: the sum has an interval of equal blocks."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        shares = rng.dirichlet([1.0, 2.0, 3.0, 4.0], size=40)
        total = contrast(Moments.of(shares), np.ones(4), bounds=(0.0, 4.0))
        assert total.method == "equal" and total.se == 0


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: clopper_pearson(3, 2), "wins"),
        (lambda: block_rate(M, 0, level=95), "level"),
        (lambda: block_rate(M, 4), "value 4"),
        (lambda: contrast(M, [1, 2]), "weights"),
        (lambda: contrast(Moments.of(np.zeros((0, 1))), [1]), "no blocks"),
        (lambda: simultaneous_contrasts(M, []), "contrasts"),
    ],
)
def test_bad_arguments(call, word):
    with pytest.raises(PaxsimError, match=word):
        call()
