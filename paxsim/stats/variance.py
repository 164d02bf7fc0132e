"""How much of the outcome is seat, strategy and deal: an analysis of variance on rotated blocks.

A block is one deal played once for each rotation of the line-up, so over its games every strategy
sits once at every seat: a full square of seat by strategy for each deal, with one share of the win
in each cell. Such a layout is balanced, and its sum of squares splits exactly into

- seat, strategy, and seat with strategy (the same on all deals),
- deal with seat (these cards favour that seat, whoever sits there),
- deal with strategy (these cards favour that strategy, wherever it sits),
- the rest: who met whom where on this deal.

Each part is freed of what chance alone would give it: its degrees of freedom times the mean square
of the term it is tested against (deal with seat for seat, deal with strategy for strategy, the
rest for the others), as in omega squared. Shares of the total variance follow. The shares of a
game add up to one, which takes ``players - 1`` degrees of freedom from the rest; with two players
nothing is left of it, and deal with seat and deal with strategy then include it. Intervals come
from a jackknife over groups of deals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paxsim.stats.constants import SURE_ERRORS

#: What the variance splits into.
PARTS = ("strategy", "seat", "seat_strategy", "deal_strategy", "deal_seat", "rest")
GROUPS = 20


def variance_shares(shares: NDArray[np.float64]) -> dict[str, tuple[float, float, float]]:
    """Shares of the variance by part (`PARTS`), each with the ends of its interval.

    Parameters
    ----------
    shares : numpy.ndarray, shape (deals, players, players)
        Share of the win by deal, seat and strategy.
    """
    whole = _decompose(shares)
    groups = np.arange(len(shares)) % min(GROUPS, len(shares))
    left_out = np.array([_decompose(shares[groups != group]) for group in np.unique(groups)])
    n = len(left_out)
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    low, high = (np.clip(whole + sign * SURE_ERRORS * error, 0, 1) for sign in (-1, 1))
    rows = zip(whole.tolist(), low.tolist(), high.tolist(), strict=True)
    return dict(zip(PARTS, rows, strict=True))


def _decompose(y: np.ndarray) -> np.ndarray:
    """Shares of the variance, in the order of `PARTS`."""
    deals, n, _ = y.shape
    centred = y - y.mean()
    deal = centred.mean(axis=(1, 2), keepdims=True)
    seat = centred.mean(axis=(0, 2), keepdims=True)
    strategy = centred.mean(axis=(0, 1), keepdims=True)
    both = centred.mean(axis=0, keepdims=True) - seat - strategy
    deal_seat = centred.mean(axis=2, keepdims=True) - deal - seat
    deal_strategy = centred.mean(axis=1, keepdims=True) - deal - strategy
    rest = centred - deal - seat - strategy - both - deal_seat - deal_strategy

    def size(effect: np.ndarray) -> float:
        return float((effect**2).sum()) * (y.size / effect.size)

    repeats = max(deals - 1, 1)
    mean_rest = size(rest) / (repeats * (n - 1) * (n - 2)) if n > 2 else 0.0
    # Where nothing is left for the rest, chance is measured by the terms themselves.
    spare = mean_rest * (n - 1) * repeats
    parts = np.array(
        [
            size(strategy) - size(deal_strategy) / repeats,
            size(seat) - size(deal_seat) / repeats,
            size(both) - mean_rest * (n - 1) * (n - 2),
            size(deal_strategy) - spare,
            size(deal_seat) - spare,
        ]
    )
    total = max(size(centred), 1e-12)
    found = np.clip(parts, 0, None) / total
    return np.append(found, max(0.0, 1.0 - found.sum()))
