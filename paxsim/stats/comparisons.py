"""Many comparisons at once, and seats against their fair share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.errors import PaxsimError
from paxsim.stats.constants import LEVEL
from paxsim.stats.intervals import RATE, Interval, contrast, p_value
from paxsim.stats.moments import Moments
from paxsim.stats.simultaneous import simultaneous_contrasts, simultaneous_rates


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values adjusted by Holm (1979).

    Call a difference real if its adjusted value is below 0.05: the chance of even *one* false
    claim among all is then at most 5 %, however the comparisons hang together.

    Parameters
    ----------
    p_values : array_like, shape (k,)
        One p-value for each comparison.

    Returns
    -------
    ndarray, shape (k,)
        Adjusted p-values in the same order.
    """
    p = _checked(p_values)
    # Written out: statsmodels' version collects garbage, 50 ms a call, and is slow to import.
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values adjusted by Benjamini & Hochberg (1995).

    Among the differences with an adjusted value below 0.05, about 5 % at most are false claims:
    for screening many candidates. Parameters and result as for `holm`.
    """
    p = _checked(p_values)
    if p.size == 0:
        return p
    from scipy.stats import false_discovery_control  # takes a second to import

    return np.asarray(false_discovery_control(p, method="bh"), np.float64)


def fair_share(p_rome_alone: float, players: int) -> float:
    """Win share of each seat if all seats were equal.

    Parameters
    ----------
    p_rome_alone : float
        Probability that Rome wins and no player does.
    players : int
        Number of players.
    """
    if not 0 <= p_rome_alone <= 1 or players < 1:
        raise PaxsimError(f"fair share: found {p_rome_alone!r} for Rome and {players!r} players")
    return (1 - p_rome_alone) / players


@dataclass(frozen=True, slots=True)
class SeatTest:
    """One seat against its fair share.

    Attributes
    ----------
    seat : int
        Which value of the block vector.
    share : Interval
        Its share of wins, holding jointly with those of the other seats.
    fair : Interval
        The fair share, which is itself an estimate.
    difference : Interval
        Share - fair share, holding jointly with those of the other seats.
    p : float
        p-value of "the difference is zero", for this seat alone.
    p_holm : float
        The same, corrected for looking at all seats.
    """

    seat: int
    share: Interval
    fair: Interval
    difference: Interval
    p: float
    p_holm: float


def seats_against_fair_share(
    moments: Moments, seats: Sequence[int], *, level: float = LEVEL
) -> tuple[SeatTest, ...]:
    """Test every seat's share of wins against the fair share.

    The fair share depends on how often Rome alone wins, estimated from the same games, so the
    two are not compared as if one were known: within each block the difference is
    ``share of the seat - (sum of the shares) / players``, and the interval is over its mean.

    Parameters
    ----------
    moments : Moments
        Sums over blocks.
    seats : sequence of int
        Which values of the block vector are the seats' shares; all seats of the table.
    level : float
        Chance that all the intervals hold.
    """
    k = len(seats)
    if k < 2:
        raise PaxsimError("seats: a single seat always has its fair share")
    pick = np.zeros((k, moments.d))
    pick[np.arange(k), list(seats)] = 1.0
    average = pick.mean(axis=0)
    shares = simultaneous_rates(moments, seats, level=level).intervals
    excess = pick - average
    # A seat that never wins is a whole fair share below it, one that always does the rest above.
    bounds = (-1 / k, 1 - 1 / k)
    differences = simultaneous_contrasts(moments, list(excess), level=level, bounds=bounds)
    fair = contrast(moments, average, level=level, bounds=RATE)
    p = np.array([p_value(x) for x in differences.intervals])
    rows = zip(seats, shares, differences.intervals, p, holm(p), strict=True)
    return tuple(SeatTest(s, x, fair, d, float(a), float(b)) for s, x, d, a, b in rows)


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise PaxsimError("p-values: wanted a list of numbers between 0 and 1")
    return p
