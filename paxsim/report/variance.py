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

from collections.abc import Sequence

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from paxsim.experiment.execute import default_jobs
from paxsim.playing import play_batch

PARTS = {
    "strategy": "strategy",
    "seat": "seat",
    "seat_strategy": "seat with strategy",
    "deal_strategy": "deal, for a strategy",
    "deal_seat": "deal, for a seat",
    "rest": "the rest: who met whom where",
}
GROUPS = 20
#: Deals a worker plays at a time.
CHUNK_DEALS = 500


def squares(
    policies: Sequence[str], deals: int, seed: int, jobs: int | None = None
) -> dict[str, np.ndarray]:
    """Shares of the win by deal, seat and strategy, array of shape (deals, players, players)."""
    players = len(policies)
    firsts = range(0, deals, CHUNK_DEALS)
    workers = Parallel(n_jobs=jobs or default_jobs(), prefer="threads")
    parts = workers(
        delayed(_square)(list(policies), first, min(CHUNK_DEALS, deals - first), seed)
        for first in firsts
    )
    found = np.concatenate(parts)
    assert found.shape == (deals, players, players)
    return {"shares": found}


def _square(policies: list[str], first: int, deals: int, seed: int) -> np.ndarray:
    """Shares by deal, seat and position: seat s of rotation r is played by s + r."""
    players = len(policies)
    batch = play_batch(policies, deals=deals, first_deal=first, rotations="all", seed=seed)
    shares = batch.shares.reshape(deals, players, players)
    positions = batch.positions.reshape(deals, players, players)
    square = np.zeros((deals, players, players))
    deal = np.arange(deals)[:, None, None]
    square[deal, np.arange(players)[None, None, :], positions] = shares
    return square


def variance_shares(shares: np.ndarray) -> pd.DataFrame:
    """Shares of the variance with intervals: columns part, share, share_low, share_high.

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
    return pd.DataFrame(
        {
            "part": list(PARTS),
            "share": whole,
            "share_low": np.clip(whole - 1.96 * error, 0, 1),
            "share_high": np.clip(whole + 1.96 * error, 0, 1),
        }
    )


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
