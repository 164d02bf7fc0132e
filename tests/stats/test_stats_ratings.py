"""Ratings against choix and a general optimiser; results of the bootstrap."""

from __future__ import annotations

import itertools

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from paxsim.errors import PaxsimError
from paxsim.stats import bootstrap_ratings, fit_ratings, win_probabilities

# Three strategies and Rome (last); Rome has one seat everywhere.
SEATS = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]])
TRUE = np.array([0.6, 0.1, -0.2, -0.5])


def draw_wins(rng, games=40, groups=None):
    p = win_probabilities(TRUE, SEATS)
    shape = (len(SEATS),) if groups is None else (groups, len(SEATS))
    return rng.multinomial(games, np.broadcast_to(p, (*shape, p.shape[1])))


def test_against_choix():
    wins = draw_wins(np.random.default_rng(4))
    games = [
        (winner, [c for c in np.flatnonzero(seats) if c != winner])
        for seats, row in zip(SEATS, wins, strict=True)
        for winner, count in enumerate(row)
        for _ in range(count)
    ]
    ours = fit_ratings(wins, SEATS, pseudo_games=1e-6)
    for theirs in (choix.ilsr_top1(4, games), choix.opt_top1(4, games)):
        np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-4)


def test_repeated_seats_fractions_and_prior_against_an_optimiser():
    seats = np.array([[3, 1, 0, 1], [1, 2, 1, 1], [0, 0, 4, 1]])
    wins = np.array([[10.5, 6.0, 0, 3.5], [4.25, 9.5, 1.25, 5.0], [0, 0, 0, 12.0]])
    games = wins.sum(axis=1)

    def loss(r):
        size = np.log((seats * np.exp(r)).sum(axis=1))
        prior = (r / 2 - np.log1p(np.exp(r))).sum()
        return -(wins.sum(axis=0) @ r - games @ size + prior)

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(fit_ratings(wins, seats), best - best.mean(), atol=1e-5)


def test_a_repeated_seat_counts_twice():
    """Equal strategies, one of them on two of three seats (and Rome like a seat)."""
    wins = np.array([[500.0, 250.0, 250.0]])
    np.testing.assert_allclose(fit_ratings(wins, [[2, 1, 1]]), 0, atol=1e-3)


def test_never_and_always_winning_stay_finite():
    ratings = fit_ratings([[1000.0, 0.0, 0.0]], [[1, 1, 1]])
    assert np.all(np.isfinite(ratings))
    assert ratings[0] > ratings[1] + 3
    assert ratings[1] == pytest.approx(ratings[2])
    apart = fit_ratings([[60.0, 40.0, 0, 0], [0, 0, 60.0, 40.0]], [[1, 1, 0, 0], [0, 0, 1, 1]])
    assert np.all(np.isfinite(apart))
    assert apart.mean() == pytest.approx(0)


def test_tens_of_millions_of_games_with_extreme_contestants():
    """The fit converges in spite of rounding in large sums."""
    seats = np.array([[1, 1, 1, 1], [2, 0, 1, 1], [0, 1, 3, 1]])
    true = np.array([-60.0, 25.0, 0.3, -0.3])
    wins = np.random.default_rng(3).multinomial(20_000_000, win_probabilities(true, seats))
    ratings = fit_ratings(wins, seats)
    assert ratings[1] > 10 > -10 > ratings[0]
    assert ratings[2] - ratings[3] == pytest.approx(0.6, abs=0.01)


def test_pseudo_games_do_not_matter_for_many_games():
    wins = draw_wins(np.random.default_rng(4), games=1_000_000)
    ratings = fit_ratings(wins, SEATS)
    np.testing.assert_allclose(ratings, TRUE - TRUE.mean(), atol=0.01)
    np.testing.assert_allclose(ratings, fit_ratings(wins, SEATS, pseudo_games=1e-3), atol=1e-5)


def test_a_stack_is_fitted_like_single_tables():
    tables = draw_wins(np.random.default_rng(6), groups=5)
    singles = np.stack([fit_ratings(t, SEATS) for t in tables])
    np.testing.assert_allclose(fit_ratings(tables, SEATS), singles, atol=1e-7)


def test_probabilities():
    p = win_probabilities([0.0, np.log(2.0), 0.0], [[2, 1, 0]])
    np.testing.assert_allclose(p, [[0.5, 0.5, 0.0]])


def grouped(rng, groups, blocks=3, luck=0.8):
    """Return wins of groups of blocks; a deal favours one contestant in all its line-ups."""
    shift = luck * rng.standard_normal((groups, blocks, 1, 4))
    weight = SEATS * np.exp(TRUE + shift)
    p = weight / weight.sum(axis=-1, keepdims=True)
    return rng.multinomial(4, p).sum(axis=1)


def test_bootstrap_result():
    wins = grouped(np.random.default_rng(8), 200)
    r = bootstrap_ratings(wins, SEATS)
    again = bootstrap_ratings(wins, SEATS)
    np.testing.assert_array_equal(r.low, again.low)
    np.testing.assert_allclose(r.rating, fit_ratings(wins.sum(axis=0), SEATS))
    assert np.all((r.low < r.rating) & (r.rating < r.high))
    assert list(r.order) == [0, 1, 2, 3]
    assert r.best.sum() == pytest.approx(1)
    assert r.best[0] > 0.95
    assert r.misfit < 0.05


def test_ties_share_the_first_place_of_every_resample():
    """The last bit of a rating differs between machines."""
    wins = np.random.default_rng(3).integers(1, 9, (60, 1, 1)) * np.array([[[1.0, 1.0, 0.2]]])
    tied = bootstrap_ratings(wins, np.ones((1, 3)), resamples=300)
    assert tied.best == pytest.approx([0.5, 0.5, 0.0])


def test_misfit_of_a_cycle():
    """Rock, scissors, paper: equal ratings that describe none of the line-ups."""
    seats = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    wins = np.tile([[[9, 1, 0], [0, 9, 1], [1, 0, 9]]], (60, 1, 1))
    r = bootstrap_ratings(wins, seats, resamples=20)
    np.testing.assert_allclose(r.rating, 0, atol=1e-9)
    assert r.misfit == pytest.approx(0.4)


def test_bad_arguments():
    with pytest.raises(PaxsimError, match="shape"):
        fit_ratings([[1.0, 2.0]], [[1, 1, 1]])
    with pytest.raises(PaxsimError, match="no seat"):
        fit_ratings([[1.0, 2.0]], [[1, 0]])
    with pytest.raises(PaxsimError, match="negative"):
        fit_ratings([[1.0, -2.0]], [[1, 1]])
    with pytest.raises(PaxsimError, match="pseudo_games must be positive, got 0"):
        fit_ratings([[1.0, 2.0]], [[1, 1]], pseudo_games=0)
    with pytest.raises(PaxsimError, match="groups"):
        bootstrap_ratings([[[1.0, 2.0]]], [[1, 1]])


def pairs_of(contestants, games, circle):
    """Return wins of all pairs; one of each wins 1/2 + `circle`, and all win equally often."""
    rng = np.random.default_rng(7)
    pairs = list(itertools.combinations(range(contestants), 2))
    wins, seats = np.zeros((20, len(pairs), contestants)), np.zeros((len(pairs), contestants))
    for row, (a, b) in enumerate(pairs):
        first, second = (a, b) if (b - a) % 2 else (b, a)
        won = rng.binomial(games // 20, 0.5 + circle, 20)
        wins[:, row, first], wins[:, row, second] = won, games // 20 - won
        seats[row, [a, b]] = 1
    return wins, seats


@pytest.mark.parametrize(("games", "circle", "readable"), [(40, 0.0, True), (2000, 0.15, False)])
def test_ratings_are_readable_unless_the_misfit_is_significant(games, circle, readable):
    """With 40 games a pair, large misfits are chance; in a cycle they are not."""
    ratings = bootstrap_ratings(*pairs_of(7, games, circle), resamples=20)
    assert ratings.readable is readable
    assert ratings.misfit > 0.1
