"""Estimates of a match: rates and means with intervals over blocks, from its tally."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from paxsim.errors import PaxsimError, is_number, safe_repr
from paxsim.experiment.design import Facts, Plan
from paxsim.experiment.tally import NAMES, SUPERBLOCKS, Layout, Tally, in_units, in_wins
from paxsim.measures import MEASURES
from paxsim.stats import (
    DIFFERENCE,
    RATE,
    UNBOUNDED,
    Interval,
    Moments,
    blocks_for_half_width,
    confidence_sequence,
    contrast,
    difference_interval,
    difference_sums,
    mean_difference,
    ratio,
    sequential_test,
    simultaneous_contrasts,
)
from paxsim.stats.constants import ALPHA, LEVEL, SEQUENTIAL_TIGHTEST
from paxsim.stats.intervals import Bounds, make_interval
from paxsim.stats.multiple import joint_level
from paxsim.text import PERCENT, significant

#: Standard deviation of a strategy's share of a block, roughly; it was always 0.15 to 0.5.
TYPICAL_SD = 0.3


class MatchMeasures:
    """The measures of one match: the one with this index in a bundle, from the bundle's tally.

    If the run was to stop at a half-width (`watched`), the strategies' win rates and Rome's have
    intervals that hold at every look. The others are ordinary ones, which stay valid because the
    rule depends on the precision of the rates and not on their values.
    """

    def __init__(
        self, bundle: Sequence[Facts], index: int, tally: Tally, watched: float | None = None
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
        """Number of seats."""
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

    @cached_property
    def strategies(self) -> dict[str, list[int]]:
        """Positions by policy, in the order of first appearance."""
        positions: dict[str, list[int]] = {}
        for position, label in enumerate(self.labels):
            positions.setdefault(label, []).append(position)
        return positions

    def detail(self, name: str) -> np.ndarray:
        """Return a sum of the match's tally by its name."""
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

    def weights(self, statistic: str, numbers: Sequence[int] = (0,)) -> np.ndarray:
        """Return the weights of the mean of a statistic, over positions or seats if it has them."""
        weights = np.zeros(self.layout.size)
        weights[[self.layout.place(statistic, n) for n in numbers]] = 1 / len(numbers)
        return weights

    def mean(
        self, statistic: str, numbers: Sequence[int] = (0,), bounds: Bounds = UNBOUNDED
    ) -> Interval:
        """Return the mean of a statistic (see `paxsim.experiment.tally`) over games.

        One from `SEAT_STATISTICS` is averaged over the positions, or seats, in `numbers`.
        """
        return contrast(self.moments, self.weights(statistic, numbers), bounds=bounds)

    def win_rate(self, positions: Sequence[int]) -> Interval:
        """Return the win rate of a seat, on average over these positions."""
        return self._watched_rate(self.weights("share", positions), self._most(positions))

    def win_rates(self) -> dict[str, Interval]:
        """Return the win rate of every strategy, with joint intervals."""
        rows = {name: self.weights("share", places) for name, places in self.strategies.items()}
        if self.watched is None:
            bounds = [self._most(places) for places in self.strategies.values()]
            joint = simultaneous_contrasts(self.moments, list(rows.values()), bounds=bounds)
            return dict(zip(rows, joint, strict=True))
        # A union bound, which holds whenever the run stops.
        return {name: self._watched_rate(row, among=len(rows)) for name, row in rows.items()}

    def _most(self, positions: Sequence[int]) -> Bounds:
        """Return the range of the win rate of positions that together win at most every game."""
        return 0.0, 1 / len(positions)

    def over_fair_shares(self, joint: bool = True) -> dict[str, Interval]:
        """Return the win rate minus the fair share by strategy, with joint or single intervals.

        The fair share is estimated from the same games. The difference lies between minus the fair
        share, for a strategy that never wins, and what is left if it always does.
        """
        average = self.weights("share", range(self.players))
        rows = [self.weights("share", places) - average for places in self.strategies.values()]
        fair, alone = 1 / self.players, len(self.strategies) == 1
        bounds = [
            (0.0, 0.0) if alone else (-fair, 1 / len(places) - fair)
            for places in self.strategies.values()
        ]
        if joint:
            shares = simultaneous_contrasts(self.moments, rows, bounds=bounds)
        else:
            pairs = zip(rows, bounds, strict=True)
            shares = tuple(contrast(self.moments, row, bounds=ends) for row, ends in pairs)
        return dict(zip(self.strategies, shares, strict=True))

    @cached_property
    def points(self) -> dict[str, Interval]:
        """Return the points of a seat of every strategy, with joint intervals."""
        rows = [self.weights("points", places) for places in self.strategies.values()]
        joint = simultaneous_contrasts(self.moments, rows)
        return {
            name: self._bounded(mean, "points", places, "winner_points")
            for (name, places), mean in zip(self.strategies.items(), joint, strict=True)
        }

    def histogram(self, name: str) -> np.ndarray:
        """Return the number of games by value of a measure."""
        return self.detail("histograms")[NAMES.index(name)]

    def range_of(self, name: str) -> Bounds:
        """Return 0 and one more than the highest value of a measure."""
        bins = np.flatnonzero(self.histogram(name))
        return 0.0, float(bins[-1] + 1 if len(bins) else 1)

    def _bounded(
        self, mean: Interval, statistic: str, numbers: Sequence[int], measure: str
    ) -> Interval:
        """Return a mean without natural bounds; if all blocks are equal, a measure bounds it."""
        if mean.se > 0:
            return mean
        low, high = self.range_of(measure)
        bounds = min(low, mean.estimate), max(high, mean.estimate + 1)
        return self.mean(statistic, numbers, bounds)

    def rome_rate(self) -> Interval:
        """Return the rate at which Rome wins."""
        return self._watched_rate(self.weights("rome"))

    def _watched_rate(self, weights: np.ndarray, bounds: Bounds = RATE, among: int = 1) -> Interval:
        """Return a rate that a stopping rule looks at, as one of several with joint intervals."""
        rate = contrast(self.moments, weights, bounds=bounds)
        if self.watched is None:
            return rate
        variance = rate.se**2 * self.blocks
        return watched_rate(self.blocks, rate.estimate, variance, self.watched, among)

    def watched_variances(self) -> list[tuple[float, float]]:
        """Return mean and variance over blocks of every strategy's win rate and of Rome's."""
        rows = [self.weights("share", places) for places in self.strategies.values()]
        rows.append(self.weights("rome"))
        rates = [contrast(self.moments, weights, bounds=RATE) for weights in rows]
        return [(rate.estimate, rate.se**2 * self.blocks) for rate in rates]

    def fair_share(self) -> float:
        """Return the win rate of every seat if none were favoured."""
        return (1.0 - self.measure("rome_alone").estimate) / self.players

    def measure(self, name: str) -> Interval:
        """Return the mean of a measure over the games that it is defined for."""
        where = MEASURES[name].where
        if where:
            places = self.layout.place(name), self.layout.place(where)
            bounds = RATE if MEASURES[name].rate else (0.0, math.inf)
            return ratio(self.moments, *places, bounds=bounds)
        if MEASURES[name].rate:
            return self.mean(name, bounds=RATE)
        return self._bounded(self.mean(name), name, (0,), name)

    def cell_rate(self, seat: int, strategy: str) -> Interval:
        """Return the win rate of a strategy at one seat, where its positions sit in turn."""
        number = list(self.strategies).index(strategy)
        n = self.blocks
        games = self.facts.block_size * len(self.strategies[strategy]) // self.players
        unit = int(self.layout.units[self.layout.place("seat", seat)]) * games
        total = int(self.detail("cells")[seat, number])
        squares = int(self.detail("cell_squares")[seat, number])
        # Exact integers until the last step, because blocks may hardly differ.
        variance = (n * squares - total**2) / (n * max(n - 1, 1)) / unit**2
        return make_interval(total / n / unit, math.sqrt(variance / n), n, bounds=RATE)

    def superblock_wins(self) -> np.ndarray:
        """Return wins by super-block and contestant (positions, then Rome alone)."""
        return in_wins(self.detail("superblocks"))

    def superblock_rome(self) -> np.ndarray:
        """Return the games that Rome won, alone or not, by super-block."""
        return self.detail("rome_superblocks")

    def superblock_games(self) -> np.ndarray:
        """Return the games by super-block; every game is won by a player or by Rome."""
        return in_wins(self.detail("superblocks").sum(axis=1)).astype(np.int64)

    def example(self, positions: Sequence[int] | None = None, seat: int | None = None) -> int:
        """Return the number of the first game won by these positions (at a seat), or -1."""
        seats = range(self.players) if seat is None else [seat]
        places = range(self.players) if positions is None else positions
        games = self.detail("win_example")[np.ix_(list(seats), list(places))]
        return min(games[games >= 0].tolist(), default=-1)

    def rome_example(self) -> int:
        """Return the number of the first game that Rome won, or -1."""
        return int(self.detail("rome_example")[0])


def measure(
    bundle: Sequence[Facts], tally: Tally, watched: float | None = None
) -> list[MatchMeasures]:
    """Return the measures of the matches of a bundle; see `MatchMeasures`."""
    return [MatchMeasures(bundle, index, tally, watched) for index in range(len(bundle))]


def change_between(
    base: MatchMeasures,
    other: MatchMeasures,
    statistic: str,
    numbers: Sequence[int] = (0,),
    bounds: Bounds = DIFFERENCE,
) -> Interval:
    """Return the change of a mean from the first match of a bundle to another one.

    Both matches have as many players; parameters are those of `MatchMeasures.mean`.
    """
    moments = bundle_moments([base, other])
    weights = np.zeros(moments.d)
    weights[base.span] = -base.weights(statistic, numbers)
    weights[other.span] = other.weights(statistic, numbers)
    entries = [other.layout.place(statistic, number) for number in numbers]
    differing = int(other.detail("differing")[entries].max())
    return mean_difference(moments, weights, bounds=bounds, differing=differing)


def watched_rate(
    blocks: int, rate: float, variance: float, precision: float, among: int = 1
) -> Interval:
    """Return the interval of a rate that is watched until its half-width is `precision`.

    It is optimised for the number of blocks that will meet the target. `variance` is over blocks;
    `among` is the number of rates with joint intervals, which share the error.
    """
    tightest = max(SEQUENTIAL_TIGHTEST, blocks_for_half_width(precision, TYPICAL_SD))
    return confidence_sequence(blocks, rate, variance, alpha=ALPHA / among, tightest_at=tightest)


def bundle_moments(bundle: Sequence[MatchMeasures]) -> Moments:
    """Return the sums over the blocks of a bundle, whose matches have one block size."""
    tally = bundle[0].tally
    units = [match.layout.units * match.facts.block_size for match in bundle]
    return Moments(
        n=bundle[0].blocks,
        total=tally["sums"].copy(),
        cross=tally["products"].copy(),
        scale=np.concatenate(units),
    )


class Pool:
    """Rate over several matches on common deals, from wins and games by super-block."""

    def __init__(self, wins: np.ndarray, games: np.ndarray, blocks: int):
        self.blocks = blocks
        self.units = int(np.count_nonzero(games))
        won, played = in_units(wins), in_units(games)
        self.won, self.played = int(won.sum()), int(played.sum())
        #: Wins of every super-block beyond the rate, over all games; exact until the division.
        residuals = won.astype(object) * self.played - played.astype(object) * self.won
        self.residuals = residuals / self.played**2

    @property
    def rate(self) -> float:
        """Wins per game."""
        return self.won / self.played

    def covariance(self, other: Pool) -> float:
        """Return the covariance of two rates."""
        products = (self.residuals * other.residuals).tolist()
        return math.fsum(products) * self.units / max(self.units - 1, 1)

    def interval(self, level: float = LEVEL) -> Interval:
        """Return the rate with its interval."""
        se = math.sqrt(self.covariance(self))
        df = max(self.units - 1, 1)
        return make_interval(self.rate, se, self.blocks, level=level, bounds=RATE, df=df)

    def lead(self, other: Pool) -> Interval:
        """Return the difference to another rate on common deals."""
        variance = self.covariance(self) + other.covariance(other) - 2 * self.covariance(other)
        se = math.sqrt(max(variance, 0.0))
        return difference_interval(self.rate - other.rate, se, min(self.units, other.units))


def joint_rates(pools: Sequence[Pool]) -> list[Interval]:
    """Return joint intervals of several rates on common deals."""
    covariance = np.array([[a.covariance(b) for b in pools] for a in pools])
    level = joint_level(covariance, min(pool.units for pool in pools))
    return [pool.interval(level) for pool in pools]


def pool_of(matches: Sequence[MatchMeasures], name: str) -> Pool:
    """Return the win rate of a seat of a strategy, over line-ups that have it."""
    wins, games = np.zeros(SUPERBLOCKS), np.zeros(SUPERBLOCKS, np.int64)
    for match in matches:
        places = match.strategies[name]
        wins += match.superblock_wins()[:, places].sum(axis=1)
        games += len(places) * match.superblock_games()
    return Pool(wins, games, sum(match.blocks for match in matches))


def rome_pool(matches: Sequence[MatchMeasures], alone: bool = False) -> Pool:
    """Return Rome's win rate over several line-ups on common deals, or that of Rome alone."""
    wins = np.sum(
        [m.superblock_wins()[:, -1] if alone else m.superblock_rome() for m in matches], axis=0
    )
    games = np.sum([match.superblock_games() for match in matches], axis=0)
    return Pool(wins, games, sum(match.blocks for match in matches))


#: Returns whether a run should stop, from the tallies by bundle.
StopRule = Callable[[list[Tally | None]], bool]


def precision_rule(plan: Plan, precision: float) -> StopRule:
    """Return a rule that stops when all strategies' win rates and Rome's are precise enough.

    At the first look the rule refuses a target that the plan can't reach, and says how many games
    it would take.
    """
    (match,) = plan.bundles[0]
    looks = 0

    def stop(tallies: list[Tally | None]) -> bool:
        nonlocal looks
        looks += 1
        tally = tallies[0]
        assert tally is not None
        (measures,) = measure([match.facts], tally, precision)
        if reached(measures, precision) <= precision:
            return True
        needed = games_when_watched(measures, precision)
        # At later looks the games already played are reported instead.
        if looks == 1 and needed > plan.games:
            raise PaxsimError(
                f"a precision of ±{significant(100 * precision)}% requires about {needed:,} games; "
                f"this run has only {plan.games:,} (see --games)"
            )
        return False

    return stop


def sequential_rule(plan: Plan, delta: float) -> StopRule:
    """Return a rule that stops a comparison when the sequential test has decided."""
    facts = [match.facts for match in plan.bundles[0]]
    second = Layout(facts[0].players).size

    def stop(tallies: list[Tally | None]) -> bool:
        tally = tallies[0]
        assert tally is not None
        sums = difference_sums(bundle_moments(measure(facts, tally)), 0, second)
        return sequential_test(*sums, delta=delta).decision != "undecided"

    return stop


def checked_share(field: str, value: Any, low: float, high: float) -> float:
    """Return `value` as a float if it is a number between `low` and `high`; raise otherwise."""
    if is_number(value) and low < value < high:
        return float(value)
    least, most = (f"{significant(PERCENT * end)}%" for end in (low, high))
    shown = safe_repr(value)
    if is_number(value):
        shown = f"{significant(PERCENT * float(value))}% ({float(value):g})"
    raise PaxsimError(f"{field} must be above {least} and below {most} ({high:g}), got {shown}")


def checked_precision(precision: Any) -> float:
    """Return a valid half-width of rates."""
    return checked_share("precision", precision, 0, 0.5)


def reached(measures: MatchMeasures, precision: float) -> float:
    """Return the largest half-width of the watched rates."""
    blocks = measures.blocks
    return max(
        watched_rate(blocks, rate, variance, precision).half_width
        for rate, variance in measures.watched_variances()
    )


def games_when_watched(measures: MatchMeasures, precision: float) -> int:
    """Return the games that a run with a precision rule takes, by bisection of the blocks."""
    variance = max(variance for _, variance in measures.watched_variances())
    high = blocks_for_half_width(precision, max(variance, 1e-9) ** 0.5)
    while watched_rate(high, 0.5, variance, precision).half_width > precision:
        high *= 2
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if watched_rate(middle, 0.5, variance, precision).half_width > precision:
            low = middle
        else:
            high = middle
    return high * measures.facts.block_size
