"""Rates over several line-ups on common deals, from sums over super-blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.shares import in_units
from paxsim.experiment.tallylayout import SUPERBLOCKS
from paxsim.stats import RATE, Interval, difference_interval
from paxsim.stats.constants import LEVEL
from paxsim.stats.intervals import make_interval
from paxsim.stats.simultaneous import joint_level


class Pool:
    """A rate over several matches on common deals, with super-blocks as the units.

    Parameters
    ----------
    wins, games : numpy.ndarray, shape (SUPERBLOCKS,)
        Wins and games of each super-block, summed over the matches.
    blocks : int
        Blocks behind them.
    """

    def __init__(self, wins: np.ndarray, games: np.ndarray, blocks: int):
        self.blocks = blocks
        self.units = int(np.count_nonzero(games))
        won, played = in_units(wins), in_units(games)
        self.won, self.played = int(won.sum()), int(played.sum())
        #: What a super-block won beyond the rate, by super-block; exact, times all games.
        residuals = won.astype(object) * self.played - played.astype(object) * self.won
        self.residuals = residuals / self.played**2

    @property
    def rate(self) -> float:
        """Wins by games."""
        return self.won / self.played

    def covariance(self, other: Pool) -> float:
        """Covariance of two rates."""
        products = (self.residuals * other.residuals).tolist()
        return math.fsum(products) * self.units / max(self.units - 1, 1)

    def interval(self, level: float = LEVEL) -> Interval:
        """The rate with its interval."""
        se = math.sqrt(self.covariance(self))
        df = max(self.units - 1, 1)
        return make_interval(self.rate, se, self.blocks, level=level, bounds=RATE, df=df)

    def lead(self, other: Pool) -> Interval:
        """How much higher the rate is than another one on common deals."""
        variance = self.covariance(self) + other.covariance(other) - 2 * self.covariance(other)
        se = math.sqrt(max(variance, 0.0))
        return difference_interval(self.rate - other.rate, se, min(self.units, other.units))


def joint_rates(pools: Sequence[Pool]) -> list[Interval]:
    """Intervals of several rates on common deals that hold together."""
    covariance = np.array([[a.covariance(b) for b in pools] for a in pools])
    level, _, _ = joint_level(covariance, min(pool.units for pool in pools))
    return [pool.interval(level) for pool in pools]


def pool_of(matches: Sequence[MatchMeasures], name: str) -> Pool:
    """Wins of a seat of a strategy, over line-ups that have it."""
    wins, games = np.zeros(SUPERBLOCKS), np.zeros(SUPERBLOCKS, np.int64)
    for match in matches:
        places = match.strategies[name]
        wins += match.superblock_wins()[:, places].sum(axis=1)
        games += len(places) * match.superblock_games()
    return Pool(wins, games, sum(match.blocks for match in matches))


def rome_pool(matches: Sequence[MatchMeasures]) -> Pool:
    """Rome's wins over some line-ups on common deals."""
    wins = np.sum([match.superblock_rome() for match in matches], axis=0)
    games = np.sum([match.superblock_games() for match in matches], axis=0)
    return Pool(wins, games, sum(match.blocks for match in matches))
