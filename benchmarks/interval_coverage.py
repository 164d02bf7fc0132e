"""Coverage of the confidence intervals and error rates of the tests, by simulation.

    python benchmarks/interval_coverage.py [--runs 40000] [--only TEXT] [--out FOLDER]

Each row simulates many runs of a world whose true values are known and counts how often the
intervals contain them. There are two kinds:

* `corners`: rates, joint rates, margins and differences on a grid down to a fraction of an expected
  event. Coverage must be at least 94%, and rates must not be much wider than a reference.
* `CASES`: worlds like those that the package meets, with a range for the coverage each.

The suite checks the cases and some corners with fewer runs (`tests/stats/test_stats_coverage.py`).
The results are `results/interval_coverage.md` and `.csv`.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from measuring import RESULTS, markdown_table
from scipy.special import gammaln
from scipy.stats import betabinom, binom, multinomial

from paxsim.stats import (
    DIFFERENCE,
    RATE,
    Interval,
    Moments,
    block_mean,
    block_rate,
    bootstrap_ratings,
    clopper_pearson,
    confidence_sequence,
    contrast,
    fit_ratings,
    mean_difference,
    paired_difference,
    ratio,
    seats_against_fair_share,
    sequential_test,
    simultaneous_contrasts,
    win_probabilities,
)
from paxsim.stats.intervals import make_interval, t_quantile
from paxsim.stats.sequential import log_e_value, sequence_radius
from paxsim.stats.variance import variance_shares

GAMES = 4  # of a block
#: Runs of a case; its range is not narrower than the error.
MOST_REPEATS = 3000
Generator = np.random.Generator
Case = tuple[Callable[[Generator, int], float], float, float]
#: Function, lowest and highest coverage by name of the case.
CASES: dict[str, Case] = {}


def case(name: str, low: float = 0.938, high: float = 0.962, **arguments):
    """Register a function of a random generator and a number of repeats as a case."""

    def register(function):
        CASES[name] = (lambda rng, repeats: function(rng, repeats, **arguments)), low, high
        return function

    return register


def coverage(intervals: Iterable[Interval], true: float) -> float:
    """Return the share of intervals that contain the true value."""
    return float(np.mean([true in interval for interval in intervals]))


def moments_of(blocks: np.ndarray) -> list[Moments]:
    """Return the moments of each repeat, from wins (repeats, blocks, d)."""
    return [Moments.of(x, scale=GAMES) for x in blocks]


# --- seats and strategies of rotated blocks -----------------------------------------------------

STRENGTH = np.array([0.5, 0.2, 0.0, -0.3])
ROME = -0.5


def chances(luck: np.ndarray) -> np.ndarray:
    """Return each seat's (and Rome's, last) chance to win, (..., rotations, seats + 1).

    `luck` (..., seats) is the same in all rotations; in rotation r strategy s sits on seat
    (s + r) mod 4.
    """
    seated = np.stack([np.roll(STRENGTH, r) for r in range(4)])
    weight = np.exp(seated + luck[..., None, :])
    rome = np.full((*weight.shape[:-1], 1), math.exp(ROME))
    weight = np.concatenate([weight, rome], axis=-1)
    return weight / weight.sum(axis=-1, keepdims=True)


def by_strategy(x: np.ndarray) -> np.ndarray:
    """Reorder values by seat (..., rotations, seats) into the order of the strategies."""
    return np.stack([np.roll(x[..., r, :], -r, axis=-1) for r in range(4)], axis=-2)


def rotated(rng: Generator, repeats: int, blocks: int = 80) -> np.ndarray:
    """Return wins (repeats, blocks, rotations, seats + 1) of games in which deals favour a seat."""
    p = chances(1.5 * rng.standard_normal((repeats, blocks, 4)))
    edges = p.cumsum(axis=-1)[..., :-1]
    winner = (rng.random(p.shape[:-1])[..., None] > edges).sum(axis=-1)
    return winner[..., None] == np.arange(5)


def rotated_truth() -> tuple[np.ndarray, np.ndarray]:
    """Return the true rates by seat and by strategy."""
    luck = 1.5 * np.random.default_rng(99).standard_normal((100_000, 4))
    p = chances(np.concatenate([luck, -luck]))[..., :-1]
    return p.mean(axis=(0, 1)), by_strategy(p).mean(axis=(0, 1))


SEAT_RATES, STRATEGY_RATES = rotated_truth()


@case("rate of a seat")
def seat_rate(rng: Generator, repeats: int) -> float:
    wins = rotated(rng, repeats)[..., :-1].sum(axis=2)
    return coverage((block_rate(m, 0) for m in moments_of(wins)), SEAT_RATES[0])


@case("rate of a strategy")
def strategy_rate(rng: Generator, repeats: int) -> float:
    wins = by_strategy(rotated(rng, repeats)[..., :-1]).sum(axis=2)
    return coverage((block_rate(m, 0) for m in moments_of(wins)), STRATEGY_RATES[0])


@case("naive rate of a seat: deals favour it in all rotations", 0.0, 0.90, strategy=False)
@case("naive rate of a strategy: its luck cancels out", 0.965, 1.0, strategy=True)
def naive_rate(rng: Generator, repeats: int, strategy: bool) -> float:
    """Return the coverage of the exact interval if all games are treated as independent."""
    wins = rotated(rng, repeats)[..., :-1]
    wins = by_strategy(wins) if strategy else wins
    true = (STRATEGY_RATES if strategy else SEAT_RATES)[0]
    bounds = [clopper_pearson(int(k), 80 * GAMES) for k in wins.sum(axis=(1, 2))[:, 0]]
    return float(np.mean([low <= true <= high for low, high in bounds]))


@case("difference of two strategies")
@case("unpaired difference of two strategies", 0.0, 0.94, which="unpaired")
def strategies_difference(rng: Generator, repeats: int, which: str = "paired") -> float:
    wins = by_strategy(rotated(rng, repeats)[..., :-1]).sum(axis=2)
    return coverage(_differences(wins, which), STRATEGY_RATES[0] - STRATEGY_RATES[1])


def _differences(wins: np.ndarray, which: str) -> Iterator[Interval]:
    """Yield the differences of the first two values of each run."""
    for blocks, m in zip(wins, moments_of(wins), strict=True):
        differing = int(np.count_nonzero(blocks[:, 0] != blocks[:, 1]))
        yield getattr(paired_difference(m, 0, 1, differing=differing), which)


@case("difference of two runs on common deals")
@case("unpaired difference of two runs on common deals", 0.98, 1.0, which="unpaired")
def runs_difference(rng: Generator, repeats: int, which: str = "paired") -> float:
    luck = rng.beta(0.8, 0.8, (repeats, 80))
    wins = np.stack([rng.binomial(4, luck), rng.binomial(4, 0.9 * luck)], axis=-1)
    return coverage(_differences(wins, which), 0.05)


@case("ratio: a seat wins, given that Rome does not")
def conditional_rate(rng: Generator, repeats: int) -> float:
    wins = rotated(rng, repeats)
    both = np.stack([wins[..., 0].sum(axis=2), 4 - wins[..., -1].sum(axis=2)], axis=-1)
    return coverage((ratio(m, 0, 1) for m in moments_of(both)), SEAT_RATES[0] / SEAT_RATES.sum())


@case("four seats jointly", 0.93, 0.97)
@case("four seats, one by one", 0.0, 0.90, joint=False)
def joint_rates(rng: Generator, repeats: int, joint: bool = True) -> float:
    hits = []
    for m in moments_of(rotated(rng, repeats)[..., :-1].sum(axis=2)):
        if joint:
            intervals: Sequence[Interval] = simultaneous_contrasts(m, list(np.eye(4)), bounds=RATE)
        else:
            intervals = [block_rate(m, seat) for seat in range(4)]
        hits.append(all(t in x for t, x in zip(SEAT_RATES, intervals, strict=True)))
    return float(np.mean(hits))


@case("equal seats: no difference claimed", 0.935, 0.97)
def equal_seats(rng: Generator, repeats: int) -> float:
    """Return the coverage for equal seats: every strategy sits in every seat.

    Runs of 300 blocks: the skew of such deals, 1.1, makes it 6% of false claims with 80 blocks.
    """
    held = []
    for _ in range(math.ceil(repeats / 100)):
        for m in moments_of(rotated(rng, 100, 300)[..., :-1].sum(axis=2)):
            held.append(min(s.p_holm for s in seats_against_fair_share(m, range(4))) >= 0.05)
    return float(np.mean(held))


# --- few blocks with an event: conservative -----------------------------------------------------


def counted(rng: Generator, repeats: int, rate: float, together: float, blocks: int) -> np.ndarray:
    """Return the number of blocks with 0 to 4 events, (repeats, 5).

    `together` is the correlation of the events within a block.
    """
    a = rate * (1 - together) / together
    p = betabinom.pmf(range(GAMES + 1), GAMES, a, a * (1 - rate) / rate)
    return rng.multinomial(blocks, p / p.sum(), size=repeats)


def counted_moments(counts: np.ndarray) -> list[Moments]:
    """Return the moments of events and of games without one, by repeat."""
    values = np.stack([np.arange(GAMES + 1), GAMES - np.arange(GAMES + 1)])
    return [Moments(int(c.sum()), values @ c, values * c @ values.T, GAMES) for c in counts]


@case("rare rate, 25 blocks", 0.94, 1.0, blocks=25)
@case("rare rate, 100 blocks", 0.94, 1.0, blocks=100)
@case("rare rate, t interval", 0.0, 0.935, blocks=100, bounded=False)
def rare_rate(rng: Generator, repeats: int, blocks: int, bounded: bool = True) -> float:
    wins = rng.binomial(4, rng.beta(1, 24, (repeats, blocks)))[..., None]
    interval = block_rate if bounded else block_mean
    return coverage((interval(m, 0) for m in moments_of(wins)), 0.04)


@case("rare winner against its fair share", 0.935, 1.0, together=0.05)
@case("rare winner against its fair share, correlated", 0.935, 1.0, together=0.8)
@case("rare winner against its fair share, t interval", 0.0, 0.92, together=0.8, bounded=False)
def rare_winner(rng: Generator, repeats: int, together: float, bounded: bool = True) -> float:
    bounds = {"bounds": (-0.5, 0.5)} if bounded else {}
    moments = counted_moments(counted(rng, repeats, 0.008, together, 200))
    return coverage((contrast(m, [0.5, -0.5], **bounds) for m in moments), 0.008 - 0.5)


@case("rate of nearly always", 0.935, 1.0, together=0.05, blocks=1000)
@case("rate of nearly always, correlated", 0.935, 1.0, together=0.8, blocks=10_000)
def nearly_always(rng: Generator, repeats: int, together: float, blocks: int) -> float:
    moments = counted_moments(counted(rng, repeats, 0.0002, together, blocks))
    return coverage((block_rate(m, 1) for m in moments), 0.9998)


# --- corners ------------------------------------------------------------------------------------

#: Correlation of the four games of a block, by name; None has one game a block.
DEPENDENCE = {
    "1 game": None,
    "4 games, correlation 0.3": 0.3,
    "4 games, correlation 0.8": 0.8,
    "4 games, 70% of blocks alike": 0.7,
    "4 games, correlation 0.05": 0.05,
}
ALIKE = 0.7
#: Dependences with joint rates.
JOINT = {name: value for name, value in DEPENDENCE.items() if value in (None, 0.3, ALIKE)}
BLOCKS = (10, 30, 100, 300, 1000, 3000, 10_000)
#: Fixed rates, and expected events (0.17 is where Wilson's interval misses a single event).
RATES_IN_CORNERS, EVENTS = (1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5), (0.17, 0.54, 1, 3.6)
LOWEST, WIDEST = 0.94, 1.2


PAGE = """# Coverage of the 95% intervals

Made by `python benchmarks/interval_coverage.py`, with {runs} runs of each corner: the standard
error of a coverage is {error} points. A corner is below the bar if its coverage is more than three
errors below {lowest}, or if a rate's interval is on average more than 1.2 times as wide as the
reference. All corners are in `interval_coverage.csv`.

- *one rate, 1 game*: exact sums over the binomial distribution, no simulation. *Widest* is the mean
  width beside that of Blaker's interval (2000), the shortest common one whose coverage is never
  below 95%.
- *one rate, 4 games*: wins of the games of a block are beta-binomial with this correlation, or all
  alike in 70% of the blocks and independent in the others. The reference is Blaker's interval for
  someone who knows this dependence; but its ends contain what no event in so many all-or-nothing
  blocks leaves possible, because no shorter interval is valid for all dependences. With the
  correlation 0.05 the width has no bar: the data of few events don't tell that games hardly depend.
- *margin*: widths beside the t interval, whose coverage is too low. *difference*: widths beside the
  normal interval with the true variance, which is useless where few blocks differ.

{corners}

Worlds like those that the package meets, {repeats} runs each:

{cases}
"""


class Corner(NamedTuple):
    """One row of the results: what was measured, and the coverage that it must reach."""

    section: str
    world: str
    blocks: int
    truth: str
    measure: Callable[[Generator, int], tuple[float, float]]  # coverage, relative width
    widest: float = math.inf

    def row(self, rng: Generator, runs: int) -> dict[str, Any]:
        """Return the row, measured in so many runs, with three standard errors of tolerance."""
        share, width = self.measure(rng, runs)
        tolerance = 3 * math.sqrt(LOWEST * (1 - LOWEST) / runs)
        return {"section": self.section, "world": self.world, "blocks": self.blocks,
                "truth": self.truth, "coverage": round(share, 4), "width": round(width, 3),
                "good": share >= LOWEST - tolerance and not width > self.widest}  # fmt: skip


def compositions(games: int, kinds: int) -> np.ndarray:
    """Return all ways in which the games of a block can end, wins by kind, (ways, kinds)."""
    ways = itertools.product(range(games + 1), repeat=kinds)
    return np.array([way for way in ways if sum(way) == games])


def chances_of(ways: np.ndarray, rates: np.ndarray, correlation: float | None) -> np.ndarray:
    """Return the probabilities of the ways (Dirichlet-multinomial with this correlation).

    With `ALIKE`, so many blocks have four games with the same winner, and the others independent
    games: few blocks then carry most of the wins.
    """
    games = ways[0].sum()
    if correlation is None:
        return rates[ways.argmax(axis=1)]
    if correlation == ALIKE:
        p = (1 - ALIKE) * multinomial.pmf(ways, games, rates)
        whole = ways.max(axis=1) == games
        p[whole] += ALIKE * rates[ways[whole].argmax(axis=1)]
        return p
    total = (1 - correlation) / correlation
    parts = gammaln(ways + total * rates) - gammaln(total * rates) - gammaln(ways + 1)
    log = parts.sum(axis=1) + gammaln(games + 1) + gammaln(total) - gammaln(games + total)
    return np.exp(log) / np.exp(log).sum()


def drawn_counts(
    rng: Generator, runs: int, blocks: int, rates: Sequence[float], correlation: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how a block can end, how many do in each different run, and the weights of these."""
    ways = compositions(1 if correlation is None else GAMES, len(rates))
    if correlation is None and len(rates) == 2:  # exact: no simulation
        wins = np.arange(blocks + 1)
        weights = binom.pmf(wins, blocks, rates[0])
        counts = np.stack([blocks - wins, wins], axis=1)[:, np.argsort(ways[:, 0])]
        return ways, counts[weights > 1e-9], weights[weights > 1e-9]
    p = chances_of(ways, np.array(rates), correlation)
    drawn = rng.multinomial(blocks, p, size=runs)
    counts, repeated = np.unique(drawn, axis=0, return_counts=True)
    return ways, counts, repeated / runs


@functools.cache
def exact_intervals(games: int, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return wins and the ends of the exact intervals of Blaker (2000), shorter than most others.

    They contain every rate at which no more than 5% of the results are as unlikely as these wins.
    """
    least, most = binom.ppf((1e-9, 1 - 1e-9), games, rate)
    wins = np.unique(np.linspace(least, min(most + 1, games), 60).astype(int))
    ends = np.array([clopper_pearson(won, games) for won in wins.tolist()])
    for won, both in zip(wins.tolist(), ends, strict=True):
        for side, end in enumerate(both):
            rates = np.linspace(end, won / games, 400)
            above, below = binom.sf(won - 1, games, rates), binom.cdf(won, games, rates)
            above += binom.cdf(binom.ppf(above, games, rates) - 1, games, rates)
            below += binom.sf(binom.ppf(1 - below, games, rates), games, rates)
            inside = (above if side == 0 else below) >= 0.05
            inside[-1] = True
            both[side] = rates[inside.argmax()]
    return wins, *ends.T


def reference_widths(
    rates: np.ndarray, blocks: int, rate: float, correlation: float | None
) -> np.ndarray:
    """Return widths of the exact interval that knows how the games of a block depend.

    It is Blaker's for as many independent games as the blocks are worth. But it contains what no
    win, or no loss, leaves possible if every block is all or nothing: limits that are valid for all
    dependences and don't fall with more wins can't be narrower (Buehler 1957).
    """
    games = 1 if correlation is None else GAMES
    worth = blocks * games / (1 + (games - 1) * (correlation or 0.0))
    wins, lows, highs = exact_intervals(round(worth), rate)
    most = exact_intervals(blocks, 0.0)[2][0]
    low = np.minimum(np.interp(rates * worth, wins, lows), 1 - most)
    high = np.maximum(np.interp(rates * worth, wins, highs), most)
    return np.where(rates == 1, 1.0, high) - np.where(rates == 0, 0.0, low)


def rate_corner(rng, runs, blocks: int, rate: float, correlation: float | None):
    """Return coverage and relative width of the interval of one rate."""
    ways, counts, weights = drawn_counts(rng, runs, blocks, (rate, 1 - rate), correlation)
    wins, games = ways[:, 0], ways[0].sum()
    total, squares = counts @ wins, counts @ wins**2
    rates = total / (blocks * games)
    # As `block_rate` does, without a `Moments` for each run.
    errors = np.sqrt((blocks * squares - total**2) / (blocks - 1)) / (blocks * games)
    pairs = zip(rates.tolist(), errors.tolist(), strict=True)
    ends = np.array([_ends(make_interval(*pair, blocks, bounds=RATE)) for pair in pairs])
    held = weights[(ends[:, 0] <= rate) & (rate <= ends[:, 1])].sum()
    width = weights @ (ends[:, 1] - ends[:, 0])
    return held, width / (weights @ reference_widths(rates, blocks, rate, correlation))


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def joint_corner(rng, runs, blocks: int, rates: Sequence[float], correlation: float | None):
    """Return the coverage of joint intervals of rates that add up to 1; widths are not compared."""
    ways, counts, weights = drawn_counts(rng, runs, blocks, rates, correlation)
    held = 0.0
    for count, weight in zip(counts, weights.tolist(), strict=True):
        m = Moments(blocks, ways.T @ count, ways.T * count @ ways, int(ways[0].sum()))
        joint = simultaneous_contrasts(m, np.eye(len(rates)), bounds=RATE)
        held += weight * all(p in x for p, x in zip(rates, joint, strict=True))
    return held, math.nan


#: Expected wins of three weak strategies and of the fourth, the rest; or four rates.
LINEUPS = {"3 x 0.11 wins": 0.11, "3 x 0.17 wins": 0.17, "3 x 1 win": 1.0, "3 x 4 wins": 4.0}
EVEN = (0.6, 0.3, 0.08, 0.02)


def margin_corner(rng, runs, blocks: int, chance: float):
    """Return the coverage of a mean over games that few blocks have, and the width beside t.

    The margin of a game is negative binomial with mean 5 and standard deviation 4.2. Runs with
    fewer than two informative blocks are left out: no method has an interval then.
    """
    ways = compositions(GAMES, 2)
    held, widths, plain = [], [], []
    for _ in range(runs):
        counts = rng.multinomial(blocks, chances_of(ways, np.array([chance, 1 - chance]), 0.3))
        won = np.repeat(ways[:, 0], counts)
        if np.count_nonzero(won) > 1:
            margins = np.where(won > 0, rng.negative_binomial(2 * won + 1e-9, 2 / 7), 0)
            x = ratio(Moments.of(np.stack([margins, won], axis=1), 1), 0, 1, bounds=(0.0, math.inf))
            held.append(5.0 in x and x.method == "log")
            if x.method == "log":
                widths.append(x.high - x.low)
                plain.append(2 * t_quantile(x.df) * x.se)
    return float(np.mean(held)), float(np.median(np.array(widths) / plain))


#: Sizes of differences and their probabilities.
CHANGES = {
    "all one way": ([0.25], [1.0]),
    "all one way, whole blocks": ([1.0], [1.0]),
    "mostly up": ([0.25, 0.5, -0.25], [0.7, 0.2, 0.1]),
    "both ways": ([0.25, -0.25], [0.5, 0.5]),
    "both ways, whole blocks": ([1.0, -1.0], [0.5, 0.5]),
    "seldom large": ([0.25, 1.0], [0.9, 0.1]),
    "mostly down, seldom far up": ([-0.25, 1.0], [0.8, 0.2]),
}


def difference_corner(rng, runs, blocks: int, differ: float, world: str, count: bool):
    """Return the coverage of a mean difference that is 0 in most blocks, and the relative width.

    The width is relative to the normal interval with the true variance.
    """
    sizes, p = (np.array(x) for x in CHANGES[world])
    truth = differ * float(sizes @ p)
    sd = math.sqrt(differ * float(sizes**2 @ p) - truth**2)
    counts = rng.multinomial(blocks, [1 - differ, *(differ * p)], size=runs)
    counts, repeated = np.unique(counts, axis=0, return_counts=True)
    games = np.array([0, *np.rint(GAMES * sizes).astype(int)])
    held = width = 0.0
    for each, weight in zip(counts, repeated / runs, strict=True):
        m = Moments(blocks, games[None] @ each, np.array([[games**2 @ each]]), GAMES)
        x = mean_difference(m, [1.0], differing=int(each[1:].sum()) if count else None)
        held += weight * (x.low - 1e-12 <= truth <= x.high + 1e-12)
        width += weight * (x.high - x.low)
    return held, width / (2 * 1.96 * sd / math.sqrt(blocks))


POINTS = np.array([20.0, 17.0, 14.0, 9.0])


def points_corner(rng, runs, blocks: int):
    """Return the coverage of the joint intervals of four strategies' points, which are skewed."""
    held = []
    for _ in range(runs):
        deal = rng.gamma(20, 1 / 20, (blocks, 1))
        joint = simultaneous_contrasts(Moments.of(rng.gamma(deal * POINTS)), np.eye(4))
        held.append(all(p in x for p, x in zip(POINTS, joint, strict=True)))
    return float(np.mean(held)), math.nan


def corners() -> Iterator[Corner]:
    """Yield all corners."""
    for world, correlation in DEPENDENCE.items():
        for blocks in BLOCKS:
            rates = {*RATES_IN_CORNERS, *(events / blocks for events in EVENTS)}
            for rate in sorted(rates):
                measure = partial(rate_corner, blocks=blocks, rate=rate, correlation=correlation)
                # Few events do not tell that the games of a block hardly depend.
                widest = math.inf if correlation == 0.05 else WIDEST
                yield Corner("one rate", world, blocks, f"{rate:.3g}", measure, widest)
    for world, correlation in JOINT.items():
        for blocks in (10, 100, 10_000):
            lineups = {name: 3 * (events / blocks,) for name, events in LINEUPS.items()}
            lineups = {name: (1 - sum(p), *p) for name, p in lineups.items() if sum(p) < 0.5}
            lineups["60, 30, 8, 2%"] = EVEN
            for name, rates in lineups.items():
                measure = partial(joint_corner, blocks=blocks, rates=rates, correlation=correlation)
                yield Corner("four rates jointly", world, blocks, name, measure)
    for blocks in (15, 25, 40, 945):
        for informative in (2, 4, 10, 20):
            if informative < blocks:
                # A block contains the condition 2.7 times as often as a game, at this correlation.
                chance = informative / blocks / 2.7
                name = f"about {informative} informative blocks"
                yield Corner("margin", "4 games, correlation 0.3", blocks, name,
                             partial(margin_corner, blocks=blocks, chance=chance))  # fmt: skip
    for world in CHANGES:
        for blocks in (10, 40, 945):
            for differing in (0.17, 1, 3, 8, 0.5 * blocks):
                for count in (True, False):
                    name = f"{differing:g} {'counted' if count else 'uncounted'}"
                    yield Corner("difference", world, blocks, name, partial(
                        difference_corner, blocks=blocks, differ=differing / blocks, world=world,
                        count=count))  # fmt: skip
    for blocks in (30, 100):
        yield Corner("four strategies' points jointly", "skewed", blocks, "9 to 20",
                     partial(points_corner, blocks=blocks))  # fmt: skip


# --- watched runs -------------------------------------------------------------------------------

LOOKS = np.unique(np.geomspace(100, 1_000_000, 120).astype(int))
QUARTERS = np.arange(-4, 5) / 4
#: Block values and their probabilities.
SYMMETRIC = (QUARTERS, np.array([1, 4, 10, 16, 19, 16, 10, 4, 1]) / 81)
RARE_LOSSES = (np.array([-1.0, 0.0, 0.05]), np.array([0.01, 0.79, 0.20]))
RARE_WINS = (np.array([-0.05, 0.0, 1.0]), np.array([0.20, 0.79, 0.01]))
RATES = {
    "usual": (np.arange(5) / 4, np.array([0.3, 0.45, 0.2, 0.04, 0.01])),
    "rare": (np.arange(5) / 4, np.array([0.97, 0.02, 0.005, 0.003, 0.002])),
    "high": (np.arange(5) / 4, np.array([0.0, 0.0, 0.01, 0.02, 0.97])),
}


def watched(rng: Generator, repeats: int, world, looks=LOOKS) -> tuple[np.ndarray, np.ndarray]:
    """Return sums and sums of squares (repeats, looks) of blocks of a discrete world."""
    values, p = world
    steps = np.diff(looks, prepend=0)
    counts = rng.multinomial(np.broadcast_to(steps, (repeats, len(looks))), p).cumsum(axis=1)
    return counts @ values, counts @ values**2


@case("sequential test, true mean at delta", 0.95, 1.0, world=SYMMETRIC)
@case("sequential test, rare losses", 0.95, 1.0, world=RARE_LOSSES)
@case("sequential test, rare wins", 0.95, 1.0, world=RARE_WINS)
@case("sequential test, every block, rare wins", 0.95, 1.0, world=RARE_WINS, every=True)
@case("sequential test, true mean below delta", 0.99, 1.0, world=SYMMETRIC, delta=0.02)
def no_wrong_decision(rng, repeats, world, delta=None, every=False) -> float:
    """Return the share of runs in which the test never says "better"."""
    looks = np.arange(1, 301) if every else LOOKS
    delta = float(world[0] @ world[1]) if delta is None else delta
    evidence = log_e_value(looks, *watched(rng, repeats, world, looks), delta, -1.0)
    return 1 - float((evidence.max(axis=1) >= math.log(20)).mean())


@case("t test at every look", 0.0, 0.5)
def repeated_t_test(rng: Generator, repeats: int) -> float:
    total, squares = watched(rng, repeats, SYMMETRIC)
    mean = total / LOOKS
    se = np.sqrt((squares / LOOKS - mean**2) / LOOKS)
    return float((np.abs(mean / se) <= 1.96).all(axis=1).mean())


@case("confidence sequence, usual rate", 0.94, 1.0, world="usual")
@case("confidence sequence, rare event", 0.94, 1.0, world="rare")
@case("confidence sequence, high rate", 0.94, 1.0, world="high")
def all_looks(rng: Generator, repeats: int, world: str) -> float:
    values, p = RATES[world]
    total, squares = watched(rng, repeats, RATES[world])
    mean = total / LOOKS
    variance = (squares - LOOKS * mean**2) / (LOOKS - 1)
    missed = np.abs(mean - values @ p) > sequence_radius(LOOKS, variance, span=1.0)
    return 1 - float(missed.any(axis=1).mean())


@case("stopped at a precision of 2 points", 0.95, 1.0)
def stopped_when_precise(rng: Generator, repeats: int) -> float:
    values, p = RATES["usual"]
    looks = np.arange(1000, 5001, 100)
    total, squares = watched(rng, repeats, RATES["usual"], looks)
    hits = []
    for sums, sums2 in zip(total, squares, strict=True):
        for n, a, b in zip(looks.tolist(), sums, sums2, strict=True):
            x = confidence_sequence(n, a / n, (b - a**2 / n) / (n - 1))
            if x.half_width <= 0.02:
                hits.append(float(values @ p) in x)
                break
    return float(np.mean(hits))


@case("stopped when a difference was found", 0.95, 1.0)
def stopped_when_decided(rng: Generator, repeats: int) -> float:
    """Return the lowest coverage of the difference of 2 points and of both rates."""
    truth, looks, hits = (0.27, 0.25), [int(400 * 1.1**k) for k in range(38)], []
    for _ in range(min(repeats, 1000)):
        a, b = (rng.binomial(4, rate, looks[-1]) / 4 for rate in truth)
        x = a - b
        sums, squares = x.cumsum(), (x**2).cumsum()
        for n in looks:
            if sequential_test(n, sums[n - 1], squares[n - 1]).decision != "undecided":
                break
        intervals = [
            confidence_sequence(n, float(y[:n].mean()), float(y[:n].var(ddof=1)), bounds=bounds)
            for y, bounds in ((x, DIFFERENCE), (a, RATE), (b, RATE))
        ]
        hits.append([t in y for t, y in zip((0.02, *truth), intervals, strict=True)])
    return float(np.mean(hits, axis=0).min())


# --- ratings and shares of the variance ---------------------------------------------------------

SEATS = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]])
RATINGS = np.array([0.6, 0.1, -0.2, -0.5])


def grouped_wins(rng: Generator, groups: int) -> np.ndarray:
    """Return wins of groups of 3 blocks; a deal favours one contestant in all its line-ups."""
    luck = 0.8 * rng.standard_normal((groups, 3, 1, 4))
    return rng.multinomial(4, win_probabilities(RATINGS + luck[:, :, 0], SEATS)).sum(axis=1)


@case("ratings, percentile intervals of 100 groups", 0.905, 0.97)
def ratings(rng: Generator, repeats: int) -> float:
    true = fit_ratings(grouped_wins(np.random.default_rng(7), 200_000).sum(axis=0), SEATS)
    hits = []
    for _ in range(min(repeats, 400)):
        r = bootstrap_ratings(grouped_wins(rng, 100), SEATS, resamples=200)
        hits.append((r.low <= true) & (true <= r.high))
    return float(np.mean(hits))


@case("shares of the variance: luck of lotteries", 0.92, 0.98)
def luck_of_lotteries(rng: Generator, repeats: int) -> float:
    hits = []
    for _ in range(repeats):
        square = np.zeros((80, 2, 2), np.int64)
        for rotation in range(2):
            seat = rng.integers(0, 2, 80)
            square[np.arange(80), seat, (seat + rotation) % 2] = 840
        square = square.reshape(20, 4, 2, 2)  # of 20 line-ups
        _, low, high = variance_shares(square)["luck"]
        hits.append(low <= 1 <= high)
    return float(np.mean(hits))


@case("shares of the variance: a strategy among luck", 0.91, 0.98)
def strategy_among_luck(rng: Generator, repeats: int) -> float:
    rates = np.array([0.5, 0.3, 0.2])
    truth = float(((rates - 1 / 3) ** 2).mean() / (1 / 3 * 2 / 3))
    hits = []
    for _ in range(repeats):
        square = np.zeros((1, 400, 3, 3), np.int64)
        for rotation in range(3):
            strategy = rng.choice(3, 400, p=rates)
            square[0, np.arange(400), (strategy - rotation) % 3, strategy] = 840
        _, low, high = variance_shares(square)["strategy"]
        hits.append(low <= truth <= high)
    return float(np.mean(hits))


# --- results ------------------------------------------------------------------------------------


def measured(runs: int, only: str) -> Iterator[dict[str, Any]]:
    """Measure and print row by row."""
    rng = np.random.default_rng(5)
    for corner in corners():
        if only in f"{corner.section}, {corner.world}":
            yield _printed(corner.row(rng, runs))
    for name, (function, low, high) in CASES.items():
        if only in name:
            repeats = min(runs, MOST_REPEATS)
            share = function(np.random.default_rng(5), repeats)
            yield _printed({"section": "case", "world": name, "truth": f"{low:.1%} to {high:.1%}",
                            "coverage": round(share, 4), "good": low <= share <= high})  # fmt: skip


def _printed(row: dict[str, Any]) -> dict[str, Any]:
    print("ok  " if row["good"] else "FAIL", *row.values(), sep="  ", flush=True)
    return row


def report(table: pd.DataFrame, runs: int) -> str:
    """Return the results as a page: a summary by section and world, and every failure."""
    rows = []
    for (section, world), group in table[table["section"] != "case"].groupby(
        ["section", "world"], sort=False
    ):
        worst = group.loc[group["coverage"].idxmin()]
        wide = "" if group["width"].isna().all() else f"{group['width'].max():.2f}"
        rows.append({"what": section, "blocks of": world, "corners": len(group),
                     "lowest coverage": f"{worst['coverage']:.1%}",
                     "in": f"{worst['blocks']:,.0f} blocks, {worst['truth']}",
                     "mean coverage": f"{group['coverage'].mean():.1%}",
                     "widest": wide, "below the bar": int((~group["good"]).sum())})  # fmt: skip
    cases = table[table["section"] == "case"]
    names = {"world": "case", "coverage": "coverage", "truth": "expected"}
    cases = cases[list(names)].rename(columns=names).assign(
        coverage=[f"{share:.1%}" for share in cases["coverage"]]
    )  # fmt: skip
    return PAGE.format(
        runs=f"{runs:,}", error=f"{100 * math.sqrt(LOWEST * (1 - LOWEST) / runs):.2f}",
        lowest=f"{LOWEST:.0%}", repeats=f"{min(runs, MOST_REPEATS):,}",
        corners=markdown_table(rows), cases=markdown_table(cases.to_dict("records")),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=40_000, help="simulated runs of a corner")
    parser.add_argument("--only", default="", help="rows whose section or world contains this text")
    parser.add_argument("--out", type=Path, help="folder (default: results, if all are measured)")
    options = parser.parse_args()
    table = pd.DataFrame(measured(options.runs, options.only))
    out = options.out or (None if options.only else RESULTS)
    if out is not None:
        table.to_csv(out / "interval_coverage.csv", index=False)
        (out / "interval_coverage.md").write_text(report(table, options.runs))
    return int(not table["good"].all())


if __name__ == "__main__":
    sys.exit(main())
