"""Plackett-Luce ratings of strategies, with bootstrap intervals.

Every contestant c has a strength w; in a game with seats_c seats for each, c wins
with probability ``seats_c w_c / sum of seats w``. The rating is log w, with mean 0 over all
contestants; a rating higher by 0.69 (log 2) means twice the chance in the same game.

`choix` fits the same model from a list of single games and knows no weights; with millions of
games a fit from counts by Newton's method is needed. The tests compare the two.
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
from paxsim.stats.intervals import check_level, normal_quantile

_MAX_STEPS = 200
_TOLERANCE = 1e-6  # of a step; Newton's method squares the error, so the result is far closer
_LONGEST_STEP = 2.0
_BATCH_CELLS = 4_000_000
#: Ratings have so many decimals: further ones differ from machine to machine, and with them the
#: order of equals.
_AGREED = 9


def win_probabilities(ratings: ArrayLike, seats: ArrayLike) -> NDArray[np.float64]:
    """Chance of each contestant to win a game of each line-up.

    Parameters
    ----------
    ratings : array_like, shape (..., contestants)
        Log strengths.
    seats : array_like, shape (lineups, contestants)
        How many seats each contestant has in each line-up.

    Returns
    -------
    ndarray, shape (..., lineups, contestants)
        Probabilities; each line-up adds up to 1.
    """
    r = np.asarray(ratings, np.float64)
    strength = np.exp(r - r.max(axis=-1, keepdims=True))
    weight = np.asarray(seats, np.float64) * strength[..., None, :]
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def fit_ratings(
    wins: ArrayLike, seats: ArrayLike, *, pseudo_games: float = PSEUDO_GAMES
) -> NDArray[np.float64]:
    """Most likely Plackett-Luce ratings, for one table of wins or a stack of them.

    Regularisation: every contestant has also drawn `pseudo_games` games (half a win, half a
    loss) against an imaginary average opponent of rating 0. Without them a contestant that never
    or always wins has no finite rating, nor have groups that never met a common scale; against
    thousands of real games they weigh nothing.

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
    """
    wins, seats = _checked(wins, seats)
    if not pseudo_games > 0:
        raise PaxsimError(f"pseudo games: found {pseudo_games!r}; allowed: above 0")
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
        # The likelihood has one peak; far from it a full Newton step can overshoot.
        size = np.abs(step).max(axis=-1, keepdims=True)
        ratings = ratings + step * np.minimum(1, _LONGEST_STEP / np.maximum(size, 1e-300))
        if size.max() < _TOLERANCE:
            return np.asarray(ratings - ratings.mean(axis=-1, keepdims=True))
    raise PaxsimError(f"ratings: no convergence within {_MAX_STEPS} steps")


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings with intervals.

    Attributes
    ----------
    rating, low, high : ndarray, shape (contestants,)
        Log strengths with mean 0, and their interval (each for itself).
    order : ndarray of int, shape (contestants,)
        Contestants from best to worst.
    best : ndarray, shape (contestants,)
        Fraction of resamples in which each came first; equals share a resample.
    superiority : float
        Fraction of resamples in which the first of `order` was rated above the second; where they
        were equal, half.
    misfit : float
        Largest difference between a win rate seen and the model's, over line-ups and contestants.
        A single number per contestant cannot describe "rock beats scissors beats paper".
    sure_misfit : float
        The part of such a difference that is more than chance, where that is largest: with few
        games of each line-up, some win rate is always far from the model's.
    """

    rating: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    order: NDArray[np.intp]
    best: NDArray[np.float64]
    superiority: float
    misfit: float
    sure_misfit: float

    @property
    def readable(self) -> bool:
        """Whether the ratings say who wins: if not, read the table of who beats whom instead."""
        return self.sure_misfit <= MISFIT_LIMIT


def bootstrap_ratings(
    wins: ArrayLike,
    seats: ArrayLike,
    *,
    level: float = LEVEL,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = RESAMPLING_SEED,
    pseudo_games: float = PSEUDO_GAMES,
) -> Ratings:
    """Ratings with percentile intervals from resampling groups of blocks.

    Blocks, not games, are independent; groups of blocks (e.g. deal number modulo 200) are too,
    and keep the table small. Percentile intervals need some 50 groups or more.

    Parameters
    ----------
    wins : array_like, shape (groups, lineups, contestants)
        Wins in each group of blocks; a group holds the same deals in every line-up.
    seats : array_like, shape (lineups, contestants)
        See `win_probabilities`.
    level : float
        Confidence level.
    resamples, seed : int
        Number of resamples and their seed: the same input gives the same result.
    pseudo_games : float
        See `fit_ratings`.
    """
    wins, seats = _checked(wins, seats)
    if wins.ndim != 3 or len(wins) < 2:
        raise PaxsimError(f"ratings: wins of shape {wins.shape}; wanted two or more groups")
    groups, lineups, contestants = wins.shape
    whole = wins.sum(axis=0)
    rating = fit_ratings(whole, seats, pseudo_games=pseudo_games).round(_AGREED)
    # Whole numbers alone are drawn: they are the same on every machine.
    drawn_groups = np.random.default_rng(seed).integers(groups, size=(resamples, groups))
    counts = np.stack([np.bincount(row, minlength=groups) for row in drawn_groups])
    tables = (counts @ wins.reshape(groups, -1)).reshape(resamples, lineups, contestants)
    batch = max(1, _BATCH_CELLS // (lineups * contestants))
    drawn = np.concatenate(
        [
            fit_ratings(tables[i : i + batch], seats, pseudo_games=pseudo_games)
            for i in range(0, resamples, batch)
        ]
    ).round(_AGREED)
    tail = (1 - check_level(level)) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0).round(_AGREED)
    order = np.argsort(-rating, kind="stable")
    first = drawn == drawn.max(axis=1, keepdims=True)
    best = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    superiority = 1.0
    if contestants > 1:
        lead = drawn[:, order[0]] - drawn[:, order[1]]
        superiority = float(np.mean((1 + np.sign(lead)) / 2))
    played = whole.sum(axis=1, keepdims=True)
    seen = np.divide(whole, played, out=np.zeros_like(whole), where=played > 0)
    model = win_probabilities(rating, seats)
    gap = np.abs(seen - model) * (played > 0)
    error = np.sqrt(model * (1 - model) / np.maximum(played, 1))
    # As many standard errors as none of so many gaps exceeds by chance (Bonferroni).
    beyond = gap - normal_quantile(1 - (1 - level) / gap.size) * error
    found = float(gap.max()), max(0.0, float(beyond.max()))
    return Ratings(rating, low, high, order, best, superiority, *found)


def _checked(wins: ArrayLike, seats: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    w, s = np.asarray(wins, np.float64), np.asarray(seats, np.float64)
    if s.ndim != 2 or w.shape[-2:] != s.shape or s.shape[1] == 0:
        raise PaxsimError(f"ratings: wins of shape {w.shape} for line-ups of shape {s.shape}")
    if not np.all(w >= 0) or not np.all(s >= 0) or not np.all(s.sum(axis=1) > 0):
        raise PaxsimError("ratings: wins and seats cannot be negative, nor a line-up empty")
    if np.any((s == 0) & (w > 0)):
        raise PaxsimError("ratings: a contestant has wins in a line-up without a seat in it")
    return w, s
