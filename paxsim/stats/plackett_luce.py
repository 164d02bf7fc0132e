"""Plackett-Luce ratings of strategies, with bootstrap intervals.

Every contestant c has a strength w_c and wins a game with n_c of the seats with probability
``n_c w_c / sum(n w)``. The rating is log w, with mean 0 over all contestants; a rating higher by
0.69 (log 2) means twice the chance in the same game.

The library `choix` fits the same model from a list of single games; for millions of games this
module fits counts by Newton's method. The tests compare the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.errors import PaxsimError
from paxsim.stats.constants import (
    BOOTSTRAP_RESAMPLES,
    LEVEL,
    MISFIT_LIMIT,
    PSEUDO_GAMES,
    RESAMPLING_SEED,
)
from paxsim.stats.intervals import normal_quantile

_MAX_STEPS = 200
_TOLERANCE = 1e-6  # of a step; Newton's method squares the error, so the result is far more exact
_LONGEST_STEP = 2.0
_BATCH_CELLS = 4_000_000
#: Decimals of a rating. Further ones, and with them the order of ties, differ between machines.
_DECIMALS = 9


def win_probabilities(ratings: ArrayLike, seats: ArrayLike) -> NDArray[np.float64]:
    """Return each contestant's probability of winning a game of each line-up.

    Parameters
    ----------
    ratings : array_like, shape (..., contestants)
        Log strengths.
    seats : array_like, shape (lineups, contestants)
        Number of seats of each contestant in each line-up.

    Returns
    -------
    ndarray, shape (..., lineups, contestants)
        Probabilities; each line-up adds up to 1.

    Examples
    --------
    >>> win_probabilities([0.0, 0.0], [[3, 1]])  # equal strengths, three seats against one
    array([[0.75, 0.25]])
    """
    r = np.asarray(ratings, np.float64)
    strength = np.exp(r - r.max(axis=-1, keepdims=True))
    weight = np.asarray(seats, np.float64) * strength[..., None, :]
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def fit_ratings(
    wins: ArrayLike, seats: ArrayLike, *, pseudo_games: float = PSEUDO_GAMES
) -> NDArray[np.float64]:
    """Return the most likely Plackett-Luce ratings for one table of wins or a stack of them.

    As regularisation, every contestant has also drawn `pseudo_games` games against an average
    opponent of rating 0. Without them, a contestant that never or always wins has no finite rating,
    and groups that never met have no common scale. They are negligible among thousands of games.

    Parameters
    ----------
    wins : array_like, shape (..., lineups, contestants)
        Wins of each contestant in the games of each line-up; shared wins are fractions.
    seats : array_like, shape (lineups, contestants)
        See `win_probabilities`.
    pseudo_games : float
        Strength of the regularisation, above 0.

    Returns
    -------
    ndarray, shape (..., contestants)
        Log strengths, mean 0.

    Raises
    ------
    PaxsimError
        If the shapes don't match, a number is negative, or a contestant wins without a seat.

    Examples
    --------
    >>> fit_ratings([[600, 300, 100]], [[1, 1, 1]]).round(2)
    array([ 0.83,  0.13, -0.96])
    """
    wins, seats = _checked(wins, seats)
    if not pseudo_games > 0:
        raise PaxsimError(f"pseudo_games must be positive, got {pseudo_games!r}")
    games = wins.sum(axis=-1)
    won = wins.sum(axis=-2)
    diagonal = np.arange(wins.shape[-1])
    ratings = np.zeros(won.shape)
    for _ in range(_MAX_STEPS):
        p = win_probabilities(ratings, seats)
        prior = 1 / (1 + np.exp(-ratings))
        expected = games[..., None] * p
        slope = won - expected.sum(axis=-2) + pseudo_games * (0.5 - prior)
        bend = -np.swapaxes(expected, -1, -2) @ p
        bend[..., diagonal, diagonal] += expected.sum(axis=-2) + pseudo_games * prior * (1 - prior)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        # The likelihood has one peak; far from it, a full Newton step can overshoot.
        size = np.abs(step).max(axis=-1, keepdims=True)
        ratings = ratings + step * np.minimum(1, _LONGEST_STEP / np.maximum(size, 1e-300))
        if size.max() < _TOLERANCE:
            return np.asarray(ratings - ratings.mean(axis=-1, keepdims=True))
    raise PaxsimError(f"ratings did not converge within {_MAX_STEPS} steps")


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings with intervals.

    Attributes
    ----------
    rating, low, high : ndarray, shape (contestants,)
        Log strengths with mean 0, and their individual 95% intervals.
    order : ndarray of int, shape (contestants,)
        Contestants from best to worst.
    best : ndarray, shape (contestants,)
        Fraction of resamples in which each came first; ties share a resample.
    misfit : float
        Largest difference between an observed win rate and the model's. Ratings can't describe
        "rock beats scissors beats paper".
    sure_misfit : float
        Largest significant part of such a difference: with few games of each line-up, some win rate
        is always far from the model's.
    """

    rating: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    order: NDArray[np.intp]
    best: NDArray[np.float64]
    misfit: float
    sure_misfit: float

    @property
    def readable(self) -> bool:
        """False if ratings don't describe who wins: read the table of who beats whom instead."""
        return self.sure_misfit <= MISFIT_LIMIT


def bootstrap_ratings(
    wins: ArrayLike, seats: ArrayLike, *, resamples: int = BOOTSTRAP_RESAMPLES
) -> Ratings:
    """Return ratings with percentile intervals from resampling groups of blocks.

    Blocks, not games, are independent; so are groups of blocks (e.g. deal number modulo 200), which
    keep the table small. Percentile intervals need some 50 groups or more.

    Parameters
    ----------
    wins : array_like, shape (groups, lineups, contestants)
        Wins in each group of blocks; a group has the same deals in every line-up.
    seats : array_like, shape (lineups, contestants)
        See `win_probabilities`.
    resamples : int
        Number of resamples.

    Examples
    --------
    >>> wins = np.random.default_rng(1).multinomial(40, [0.5, 0.3, 0.2], size=(60, 1))
    >>> ratings = bootstrap_ratings(wins, [[1, 1, 1]])
    >>> ratings.order.tolist(), ratings.best.tolist()
    ([0, 1, 2], [1.0, 0.0, 0.0])
    """
    wins, seats = _checked(wins, seats)
    if wins.ndim != 3 or len(wins) < 2:
        raise PaxsimError(f"wins must be those of two or more groups, got shape {wins.shape}")
    groups, lineups, contestants = wins.shape
    whole = wins.sum(axis=0)
    rating = fit_ratings(whole, seats).round(_DECIMALS)
    # Only whole numbers are drawn: they are the same on every machine.
    drawn_groups = np.random.default_rng(RESAMPLING_SEED).integers(groups, size=(resamples, groups))
    counts = np.stack([np.bincount(row, minlength=groups) for row in drawn_groups])
    tables = (counts @ wins.reshape(groups, -1)).reshape(resamples, lineups, contestants)
    batch = max(1, _BATCH_CELLS // (lineups * contestants))
    drawn = np.concatenate(
        [fit_ratings(tables[i : i + batch], seats) for i in range(0, resamples, batch)]
    ).round(_DECIMALS)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0).round(_DECIMALS)
    first = drawn == drawn.max(axis=1, keepdims=True)
    best = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    played = whole.sum(axis=1, keepdims=True)
    observed = np.divide(whole, played, out=np.zeros_like(whole), where=played > 0)
    model = win_probabilities(rating, seats)
    gap = np.abs(observed - model) * (played > 0)
    error = np.sqrt(model * (1 - model) / np.maximum(played, 1))
    # Bonferroni over all line-ups and contestants.
    significant = gap - normal_quantile(1 - (1 - LEVEL) / gap.size) * error
    order = np.argsort(-rating, kind="stable")
    misfits = float(gap.max()), max(0.0, float(significant.max()))
    return Ratings(rating, low, high, order, best, *misfits)


def _checked(wins: ArrayLike, seats: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    w, s = np.asarray(wins, np.float64), np.asarray(seats, np.float64)
    if s.ndim != 2 or w.shape[-2:] != s.shape or s.shape[1] == 0:
        raise PaxsimError(f"wins and seats must have the same shape, got {w.shape} and {s.shape}")
    if not np.all(w >= 0) or not np.all(s >= 0) or not np.all(s.sum(axis=1) > 0):
        raise PaxsimError("wins and seats can't be negative, and every line-up needs a seat")
    if np.any((s == 0) & (w > 0)):
        raise PaxsimError("a contestant has wins in a line-up in which it has no seat")
    return w, s
