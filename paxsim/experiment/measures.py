"""What the tally of a match says: rates and means with intervals over blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from paxsim.experiment.plan import Facts
from paxsim.experiment.tally import WIN, Layout, Tally, wins_by_superblock
from paxsim.stats import (
    RATE,
    UNBOUNDED,
    Interval,
    Moments,
    blocks_for_half_width,
    confidence_sequence,
    contrast,
    ratio,
)
from paxsim.stats.constants import SEQUENTIAL_TIGHTEST
from paxsim.stats.intervals import make_interval

#: Standard deviation of a strategy's share of a block, about; 0.15 to 0.5 have been seen.
TYPICAL_SD = 0.3


class MatchMeasures:
    """The measures of one match.

    Parameters
    ----------
    bundle : sequence of Facts
        All matches of the bundle, in order.
    index : int
        Which of them this is.
    tally : dict
        The tally of the bundle.
    watched : float, optional
        The half-width at which the run was to stop. The strategies' win rates and Rome's then have
        intervals that hold at every look. The others are ordinary ones, which stay right because
        the rule looks at how sure the rates are, and not at what they are.
    """

    def __init__(
        self,
        bundle: Sequence[Facts],
        index: int,
        tally: Tally,
        watched: float | None = None,
    ):
        self.facts = bundle[index]
        self.watched = watched
        self.layout = Layout(self.facts.players)
        self.tally = tally
        self._index = index
        first = sum(Layout(other.players).size for other in bundle[:index])
        self.span = slice(first, first + self.layout.size)

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.facts.players

    @property
    def blocks(self) -> int:
        """Blocks played."""
        return int(self.tally["blocks"][0])

    @property
    def games(self) -> int:
        """Games played."""
        return int(self.detail("games")[0])

    @property
    def labels(self) -> tuple[str, ...]:
        """Policies by position."""
        return self.facts.policies

    @property
    def strategies(self) -> dict[str, list[int]]:
        """Positions by policy, in the order of first appearance."""
        found: dict[str, list[int]] = {}
        for position, label in enumerate(self.labels):
            found.setdefault(label, []).append(position)
        return found

    def detail(self, name: str) -> np.ndarray:
        """A named sum of the match's tally."""
        return self.tally[f"{self._index}/{name}"]

    @cached_property
    def moments(self) -> Moments:
        """Sums over blocks, of means over the games of a block."""
        return Moments(
            n=self.blocks,
            total=self.tally["sums"][self.span].copy(),
            cross=self.tally["products"][self.span, self.span].copy(),
            scale=self.layout.units * self.facts.block_size,
        )

    def _weights(self, entries: Sequence[int], factor: float) -> np.ndarray:
        weights = np.zeros(self.layout.size)
        weights[list(entries)] = factor
        return weights

    def win_rate(self, positions: Sequence[int]) -> Interval:
        """Share of the win of a seat played by these positions, on average over them."""
        entries = [self.layout.share(position) for position in positions]
        return self._watched_rate(self._weights(entries, 1 / len(positions)))

    def with_rome(self, positions: Sequence[int]) -> Interval:
        """The part of `win_rate` that was won as Rome's friend."""
        entries = [self.layout.with_rome(position) for position in positions]
        return contrast(self.moments, self._weights(entries, 1 / len(positions)), bounds=RATE)

    def over_fair_share(self, positions: Sequence[int]) -> Interval:
        """Win rate less the fair share, which is estimated from the same games."""
        weights = self._weights([self.layout.share(p) for p in range(self.players)], 0.0)
        weights[: self.players] = -1 / self.players
        weights[[self.layout.share(p) for p in positions]] += 1 / len(positions)
        return contrast(self.moments, weights, bounds=(-1.0, 1.0))

    def points(self, positions: Sequence[int]) -> Interval:
        """Points of a seat played by these positions."""
        entries = [self.layout.points(position) for position in positions]
        return contrast(self.moments, self._weights(entries, 1 / len(positions)))

    def rome_rate(self) -> Interval:
        """How often Rome wins."""
        return self._watched_rate(self._weights([self.layout.rome], 1.0))

    def rome_alone(self) -> Interval:
        """How often Rome wins and no player with it."""
        return contrast(self.moments, self._weights([self.layout.rome_alone], 1.0), bounds=RATE)

    def _watched_rate(self, weights: np.ndarray) -> Interval:
        """A rate that a stopping rule looks at."""
        rate = contrast(self.moments, weights, bounds=RATE)
        if self.watched is None:
            return rate
        return watched_rate(self.blocks, rate.estimate, rate.se**2 * self.blocks, self.watched)

    def watched_variances(self) -> list[tuple[float, float]]:
        """Mean and variance over blocks of every strategy's win rate and of Rome's."""
        rows = [
            self._weights([self.layout.share(p) for p in places], 1 / len(places))
            for places in self.strategies.values()
        ]
        found = [
            contrast(self.moments, weights, bounds=RATE)
            for weights in [*rows, self._weights([self.layout.rome], 1.0)]
        ]
        return [(rate.estimate, rate.se**2 * self.blocks) for rate in found]

    def fair_share(self) -> float:
        """The share of a win that every seat would have if none were favoured."""
        return (1.0 - self.rome_alone().estimate) / self.players

    def rounds(self) -> Interval:
        """Rounds of a game."""
        return contrast(self.moments, self._weights([self.layout.rounds], 1.0))

    def margin(self) -> Interval:
        """Points between the winner and the next seat, where the players won."""
        return ratio(self.moments, self.layout.margin, self.layout.players_won, bounds=UNBOUNDED)

    def cell_rate(self, seat: int, strategy: str) -> Interval:
        """Win rate of a strategy at one seat; its positions meet the seat in turn."""
        number = list(self.strategies).index(strategy)
        n = self.blocks
        games = self.facts.block_size // self.players * len(self.strategies[strategy])
        unit = WIN * games
        total = int(self.detail("cells")[seat, number])
        squares = int(self.detail("cell_squares")[seat, number])
        # Whole numbers until the last step: nothing is lost where blocks hardly differ.
        variance = (n * squares - total**2) / (n * max(n - 1, 1)) / unit**2
        return make_interval(total / n / unit, math.sqrt(variance / n), n, bounds=RATE)

    def superblock_wins(self) -> np.ndarray:
        """Wins by super-block and contestant (positions, then Rome), in games."""
        return wins_by_superblock(self.tally, self._index)

    def superblock_games(self) -> np.ndarray:
        """Games by super-block, shape ``(SUPERBLOCKS,)``."""
        return self.superblock_wins().sum(axis=1)

    def example(self, positions: Sequence[int] | None = None, seat: int | None = None) -> int:
        """Number of the first game won by one of these positions, or -1; at a seat, if given."""
        seats = range(self.players) if seat is None else [seat]
        places = range(self.players) if positions is None else positions
        found = self.detail("win_example")[np.ix_(list(seats), list(places))]
        return min(found[found >= 0].tolist(), default=-1)

    def rome_example(self) -> int:
        """Number of the first game that Rome won, or -1."""
        return int(self.detail("rome_example")[0])


def watched_rate(blocks: int, rate: float, variance: float, precision: float) -> Interval:
    """Interval of a rate that is watched until its half-width is `precision`.

    Parameters
    ----------
    blocks : int
        Blocks so far.
    rate, variance : float
        Mean and variance over blocks.
    precision : float
        The target, which is known beforehand: the interval is made narrow where it will be met.
    """
    tightest = max(SEQUENTIAL_TIGHTEST, blocks_for_half_width(precision, TYPICAL_SD))
    return confidence_sequence(blocks, rate, variance, tightest_at=tightest)


def pooled_rate(wins: np.ndarray, games: np.ndarray) -> Interval:
    """A rate over several matches on common deals, with super-blocks as the units.

    Parameters
    ----------
    wins, games : numpy.ndarray, shape (SUPERBLOCKS,)
        Wins and games of each super-block, summed over the matches.
    """
    used = games > 0
    wins, games = wins[used], games[used]
    n = len(games)
    rate = wins.sum() / games.sum()
    residual = wins - rate * games
    variance = (residual**2).sum() / max(n - 1, 1) * n / games.sum() ** 2
    return make_interval(float(rate), float(np.sqrt(variance)), n, bounds=RATE)


def bundle_moments(bundle: Sequence[MatchMeasures]) -> Moments:
    """Sums over the blocks of a whole bundle; its matches have blocks of one size."""
    tally = bundle[0].tally
    units = [match.layout.units * match.facts.block_size for match in bundle]
    return Moments(
        n=bundle[0].blocks,
        total=tally["sums"].copy(),
        cross=tally["products"].copy(),
        scale=np.concatenate(units),
    )
