"""Coverage of the confidence intervals and error rates of the tests, by simulation.

    python benchmarks/interval_coverage.py [--repeats 3000] [--only TEXT]

Each case simulates many runs of a world whose true values are known, and counts how often the
intervals contain them. `CASES` gives the range in which the coverage has to be. The suite checks
the same cases with fewer repeats (`tests/stats/test_coverage.py`).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy.stats import betabinom

from paxsim.stats import (
    DIFFERENCE,
    RATE,
    Interval,
    Moments,
    block_mean,
    block_rate,
    bootstrap_ratings,
    cautious_difference,
    confidence_sequence,
    contrast,
    difference_interval,
    fit_ratings,
    paired_difference,
    ratio,
    seats_against_fair_share,
    sequential_test,
    simultaneous_contrasts,
    variance_shares,
    wilson,
    win_probabilities,
)
from paxsim.stats.sequential import log_e_value, sequence_radius

GAMES = 4  # of a block
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


# --- rates of independent games -----------------------------------------------------------------


@case("wilson, 40 games", games=40)
@case("wilson, 400 games", games=400)
def single_rate(rng: Generator, repeats: int, games: int) -> float:
    """Average over true rates of 5-95%: the coverage of a count oscillates with the rate."""
    rates = rng.uniform(0.05, 0.95, repeats)
    bounds = [wilson(int(wins), games) for wins in rng.binomial(games, rates)]
    return float(np.mean([a <= p <= b for p, (a, b) in zip(rates, bounds, strict=True)]))


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
    """Return the coverage of Wilson's interval if all games are treated as independent."""
    wins = rotated(rng, repeats)[..., :-1]
    wins = by_strategy(wins) if strategy else wins
    true = (STRATEGY_RATES if strategy else SEAT_RATES)[0]
    bounds = [wilson(int(k), 80 * GAMES) for k in wins.sum(axis=(1, 2))[:, 0]]
    return float(np.mean([low <= true <= high for low, high in bounds]))


@case("difference of two strategies")
@case("unpaired difference of two strategies", 0.0, 0.94, which="unpaired")
def strategies_difference(rng: Generator, repeats: int, which: str = "paired") -> float:
    wins = by_strategy(rotated(rng, repeats)[..., :-1]).sum(axis=2)
    intervals = [getattr(paired_difference(m, 0, 1), which) for m in moments_of(wins)]
    return coverage(intervals, STRATEGY_RATES[0] - STRATEGY_RATES[1])


@case("difference of two runs on common deals")
@case("unpaired difference of two runs on common deals", 0.98, 1.0, which="unpaired")
def runs_difference(rng: Generator, repeats: int, which: str = "paired") -> float:
    luck = rng.beta(0.8, 0.8, (repeats, 80))
    wins = np.stack([rng.binomial(4, luck), rng.binomial(4, 0.9 * luck)], axis=-1)
    return coverage((getattr(paired_difference(m, 0, 1), which) for m in moments_of(wins)), 0.05)


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


@case("rare rate, 25 blocks", 0.94, 0.985, blocks=25)
@case("rare rate, 100 blocks", 0.94, 0.985, blocks=100)
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


@case("mean over games that few blocks have", 0.93, 1.0, chance=0.003)
@case("mean over games that some blocks have", 0.93, 1.0, chance=0.05)
def mean_margin(rng: Generator, repeats: int, chance: float) -> float:
    """Return the coverage for a skewed margin with mean 5, in runs with any such game."""
    hits = []
    for counts in counted(rng, repeats, chance, 0.3, 945):
        won = np.repeat(np.arange(GAMES + 1), counts)
        if won.any():
            margins = rng.negative_binomial(2 * won + 1e-9, 2 / (2 + 5.0))
            m = Moments.of(np.stack([margins, won], axis=1), 1)
            hits.append(5.0 in ratio(m, 0, 1, bounds=(0.0, 60.0)))
    return float(np.mean(hits))


#: Sizes of the differences and their probabilities.
CHANGES = {
    "all one way": ([0.25], [1.0]),
    "mostly up": ([0.25, 0.5, -0.25], [0.7, 0.2, 0.1]),
    "both ways": ([0.25, -0.25], [0.5, 0.5]),
    "seldom large": ([0.25, 1.0], [0.9, 0.1]),
}


def differences(rng: Generator, repeats: int, world: str, blocks: int, differ: float) -> np.ndarray:
    """Return differences (repeats, blocks), of which a share `differ` is not 0."""
    sizes, p = CHANGES[world]
    return np.where(
        rng.random((repeats, blocks)) < differ, rng.choice(sizes, (repeats, blocks), p=p), 0.0
    )


def change_interval(x: np.ndarray) -> Interval:
    """Return the interval of a mean difference with counted differing blocks."""
    se = float(x.std(ddof=1)) / math.sqrt(len(x))
    return difference_interval(float(x.mean()), se, len(x), int(np.count_nonzero(x)))


def uncounted_interval(x: np.ndarray) -> Interval:
    """Return the interval of a mean difference without counting the differing blocks."""
    games = np.rint(GAMES * x).astype(np.int64)
    values = np.stack([np.maximum(games, 0), np.maximum(-games, 0)], axis=1)
    return cautious_difference(Moments.of(values, GAMES), [1.0, -1.0])


def few_changes(rng, repeats, world, blocks, differ, interval) -> float:
    x = differences(rng, repeats, world, blocks, differ)
    return coverage(map(interval, x), differ * float(np.dot(*CHANGES[world])))


for _world in CHANGES:
    for _blocks, _differ in ((40, 0.15), (40, 0.01), (945, 0.003), (945, 0.02), (945, 0.2)):
        for _kind, _interval in (("counted", change_interval), ("uncounted", uncounted_interval)):
            case(
                f"change {_world}, {_differ:.1%} of {_blocks} blocks, {_kind}", 0.935, 1.0,
                world=_world, blocks=_blocks, differ=_differ, interval=_interval,
            )(few_changes)  # fmt: skip


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3000)
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    options = parser.parse_args()
    failed = 0
    for name, (function, low, high) in CASES.items():
        if options.only in name:
            start = time.perf_counter()
            share = function(np.random.default_rng(5), options.repeats)
            good = low <= share <= high
            failed += not good
            print(
                f"{'ok  ' if good else 'FAIL'} {share:6.1%} ({low:.1%} to {high:.1%}) "
                f"{time.perf_counter() - start:5.1f} s  {name}",
                flush=True,
            )
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
