"""Intervals for a rate among *independent* games: every deal played once, one seat looked at.

Games that share a deal need `paxsim.stats.intervals.block_rate` instead. The two formulas are
written out because statsmodels takes seconds to import; the tests compare them with it.
"""

from __future__ import annotations

import math

from scipy.special import betaincinv, ndtri

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL


def check_level(level: float) -> float:
    """Return `level` if it lies between 0 and 1; complain otherwise."""
    if not 0 < level < 1:
        raise PaxsimError(f"level: found {level!r}; allowed: a number between 0 and 1, e.g. 0.95")
    return level


def normal_quantile(level: float) -> float:
    """Number of standard errors to either side for a two-sided `level` (1.96 for 0.95)."""
    return float(ndtri((1 + check_level(level)) / 2))


def score_bounds(rate: float, n: float, critical: float) -> tuple[float, float]:
    """Wilson's bounds for a rate seen in `n` (effective) observations.

    They hold every p with ``|rate - p| <= critical * sqrt(p (1 - p) / n)``, so they stay within
    0..1 and have a width above zero even for a rate of 0 or 1.

    Parameters
    ----------
    rate : float
        Observed rate, 0..1.
    n : float
        Number of observations; need not be whole.
    critical : float
        Number of standard errors: a normal or t quantile.
    """
    q = critical**2 / n
    centre = (rate + q / 2) / (1 + q)
    half = math.sqrt(q * (rate * (1 - rate) + q / 4)) / (1 + q)
    # At 0 and 1 the bound is the rate itself, which rounding may miss by an ulp.
    low = 0.0 if rate == 0 else max(0.0, centre - half)
    high = 1.0 if rate == 1 else min(1.0, centre + half)
    return low, high


def wilson(wins: float, games: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval (Wilson 1927) for a rate among independent games.

    Parameters
    ----------
    wins : float
        Wins, 0..games. Shared wins may count as fractions: the interval is then a little wide.
    games : float
        Number of independent games.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Lower and upper bound of the rate, 0..1.
    """
    _check_counts(wins, games)
    return score_bounds(wins / games, games, normal_quantile(level))


def jeffreys(wins: float, games: float, level: float = LEVEL) -> tuple[float, float]:
    """Jeffreys' interval: equal tails of Beta(wins + 1/2, losses + 1/2).

    As Brown, Cai & DasGupta (2001) advise, the lower bound is 0 when nothing was won and the
    upper one 1 when everything was. Parameters and result as for `wilson`.
    """
    _check_counts(wins, games)
    tail = (1 - check_level(level)) / 2
    a, b = wins + 0.5, games - wins + 0.5
    low = 0.0 if wins == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if wins == games else float(betaincinv(a, b, 1 - tail))
    return low, high


def _check_counts(wins: float, games: float) -> None:
    if games <= 0 or not 0 <= wins <= games:
        raise PaxsimError(f"rate: found {wins!r} wins in {games!r} games")
