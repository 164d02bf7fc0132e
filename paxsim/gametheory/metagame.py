"""Analysis of a meta-game from played games: states, coalitions, and bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from paxsim.errors import PaxsimError
from paxsim.gametheory.alpharank import alpha_rank
from paxsim.gametheory.equilibria import (
    CYCLE,
    NEAR,
    NO_REGRET,
    PURE,
    State,
    are_stable,
    balanced,
    basins,
    find_states,
    payoffs_at,
    reached,
    regret,
)
from paxsim.gametheory.games import Floats, SymmetricGame, fill_missing
from paxsim.gametheory.replicator import even_starts, follow
from paxsim.stats.constants import LEVEL, RESAMPLING_SEED

#: Bootstrap draws.
DRAWS = 200
#: Starting points of the dynamics, in the measured game and in each draw.
STARTS, DRAWN_STARTS = 512, 64
#: Steps of the dynamics in a draw, and steps in which unsettled trajectories are observed.
DRAWN_STEPS, DRAWN_WATCHED = 400, 200
#: Draws in which basins are computed: fewer for large games, whose work (draws x starts x multisets
#: of rivals) is limited.
BASIN_WORK = 250_000
FEWEST_DRAWS, MOST_DRAWS = 20, 100


@dataclass(frozen=True, eq=False)
class Played:
    """Played games, summed over groups of blocks.

    Attributes
    ----------
    players : int
        Number of players.
    rows : ndarray of int, shape (played,)
        Rows of `multisets` that were played.
    wins : ndarray, shape (groups, played, strategies)
        Wins of a seat of each strategy.
    rome : ndarray, shape (groups, played)
        Games that Rome won.
    games : ndarray, shape (groups, played)
        Games; groups without games of some multiset are not used.
    """

    players: int
    rows: NDArray[np.intp]
    wins: Floats
    rome: Floats
    games: Floats

    def __post_init__(self) -> None:
        if self.wins.shape[:2] != self.games.shape or self.rome.shape != self.games.shape:
            raise PaxsimError(
                f"wins and games must have the same groups, got shapes {self.wins.shape} and "
                f"{self.games.shape}"
            )

    @property
    def used(self) -> np.ndarray:
        """Groups with games of every multiset."""
        return np.flatnonzero((self.games > 0).all(axis=1))


def measured_game(played: Played) -> SymmetricGame:
    """Return the game estimated from all played games.

    Examples
    --------
    >>> wins = np.array([[[9.0, 0.0], [3.0, 6.0], [0.0, 8.0]]])  # of one group, by multiset
    >>> games = np.full((1, 3), 20.0)
    >>> measured_game(Played(2, np.arange(3), wins, games - wins.sum(axis=2), games)).payoffs
    array([[0.45, 0.  ],
           [0.15, 0.3 ],
           [0.  , 0.4 ]])
    """
    return _weighted_game(played, np.ones((1, len(played.games)))).draw(0)


def bootstrap_games(played: Played, draws: int = DRAWS) -> SymmetricGame:
    """Return bootstrap draws of the game: payoffs of shape (draws, multisets, strategies).

    Examples
    --------
    >>> wins = np.array([[[9.0, 0.0], [3.0, 6.0], [0.0, 8.0]]] * 2)  # of two equal groups
    >>> games = np.full((2, 3), 20.0)
    >>> played = Played(2, np.arange(3), wins, games - wins.sum(axis=2), games)
    >>> bootstrap_games(played, draws=50).payoffs.shape
    (50, 3, 2)
    """
    used = played.used
    if len(used) < 2:
        raise PaxsimError(f"a bootstrap needs two or more groups of blocks, got {len(used)}")
    rng = np.random.default_rng(RESAMPLING_SEED)
    weights = np.zeros((draws, len(played.games)))
    weights[:, used] = rng.multinomial(len(used), np.full(len(used), 1 / len(used)), size=draws)
    return _weighted_game(played, weights)


def _weighted_game(played: Played, weights: Floats) -> SymmetricGame:
    """Return games in which the groups have weights, shape (draws, groups)."""
    groups, rows, strategies = played.wins.shape
    games = weights @ played.games
    wins = (weights @ played.wins.reshape(groups, -1)).reshape(-1, rows, strategies)
    rome = (weights @ played.rome) / games
    payoffs = wins / games[..., None]
    return SymmetricGame(played.players, *fill_missing(played.players, played.rows, payoffs, rome))


def interval(draws: Floats) -> tuple[float, float]:
    """Return the percentile interval of bootstrap draws; NaN without any finite draw."""
    finite = draws[np.isfinite(draws)]
    if not len(finite):
        return float("nan"), float("nan")
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(finite, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True)
class Estimate:
    """Estimate with a percentile interval of the bootstrap."""

    estimate: float
    low: float
    high: float


_NONE = Estimate(float("nan"), float("nan"), float("nan"))


def _estimate(value: float | Floats, draws: Floats) -> Estimate:
    return Estimate(float(value), *interval(np.asarray(draws, np.float64)))


# --- coalitions ---------------------------------------------------------------------------------

Value = TypeVar("Value", Floats, Estimate)
_VALUES = ("before", "after", "others", "gain", "inside", "rome_before", "rome_after")


@dataclass(frozen=True, eq=False)
class Coalition(Generic[Value]):
    """Seats that deviate from a state together; one seat is an ordinary deviation."""

    strategy: int  # of the members
    seats: int  # their number
    before: Value  # payoff of a member in the state
    after: Value  # and in the coalition
    others: Value  # payoff of each seat outside; NaN without any
    gain: Value  # after - before
    inside: Value  # largest gain of a member by leaving; negative if the coalition is stable
    rome_before: Value  # Rome's rate
    rome_after: Value


def coalitions(game: SymmetricGame, population: Floats) -> list[Coalition[Floats]]:
    """Return the results of all coalitions of one to all seats, for each absent or rare strategy.

    Seats outside the coalition are drawn from the population.

    Examples
    --------
    >>> stag_hunt = SymmetricGame(2, np.array([[4, np.nan], [0, 3], [np.nan, 3]]), np.zeros(3))
    >>> [(c.seats, float(c.gain)) for c in coalitions(stag_hunt, np.array([0.0, 1.0]))]
    [(1, -3.0), (2, 1.0)]
    """
    before, rome = game.mean_payoff(population), game.rome_rate(population)
    one = np.eye(game.strategies, dtype=np.int64)
    results = []
    for strategy in np.flatnonzero(population < 1).tolist():
        for seats in range(1, game.players + 1):
            result = game.seated(population, seats * one[strategy])
            after = result.taken[..., strategy]
            rest = (seats - 1) * one[strategy]
            left = [
                game.seated(population, rest + one[other]).taken[..., other] - after
                for other in range(game.strategies)
                if other != strategy
            ]
            gain, inside = np.asarray(after - before), np.asarray(np.max(left, axis=0))
            values = before, after, result.others, gain, inside, rome, result.rome
            results.append(Coalition(strategy, seats, *values))
    return results


# --- analysis -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Described:
    """State with its properties."""

    state: State
    rome: Estimate  # Rome's rate
    regret: Estimate  # gain of the best response; NaN for a cycle
    basin: Estimate  # share of starting points that lead to the state
    payoff: Estimate  # mean payoff; NaN for a cycle
    equilibrium: bool  # True if no player gains by deviating alone, in the measured game
    stable: bool  # True if the dynamics return to it, in the measured game
    stable_draws: float  # share of the bootstrap draws in which it is stable
    alpha_rank: Estimate  # share of time at a pure state; NaN for others
    coalitions: list[Coalition[Estimate]]  # that deviate, for pure and stable states


@dataclass(frozen=True, eq=False)
class Analysis:
    """Analysis of a meta-game.

    Attributes
    ----------
    game : SymmetricGame
        The measured game.
    states : list of Described
        Pure states in the order of the strategies, then the others.
    starts, draws : int
        Starting points of the dynamics, and bootstrap draws.
    """

    game: SymmetricGame
    states: list[Described]
    starts: int
    draws: int


def analyse(played: Played, *, starts: int = STARTS, drawn_starts: int = DRAWN_STARTS) -> Analysis:
    """Find the states of a meta-game, their basins and coalitions, with intervals.

    Parameters
    ----------
    played : Played
        Played games.
    starts, drawn_starts : int
        Starting points of the dynamics in the measured game, and in each draw.

    Returns
    -------
    Analysis
        All states with their properties.

    Examples
    --------
    >>> wins = np.array([[[8.0, 0.0], [9.0, 3.0], [0.0, 6.0]]] * 4)  # of four equal groups
    >>> games = np.full((4, 3), 20.0)
    >>> analysis = analyse(Played(2, np.arange(3), wins, games - wins.sum(axis=2), games))
    >>> [(item.state.kind, item.stable, item.basin.estimate) for item in analysis.states]
    [('pure', True, 1.0), ('pure', False, 0.0)]
    """
    game, resampled = measured_game(played), bootstrap_games(played)
    points = even_starts(game.strategies, starts)
    states, limits = find_states(game, points)
    ends = reached(states, limits)
    sizes = basins(states, ends)[0]
    rivals = game.against_rivals.shape[-2]
    basin_draws = int(np.clip(BASIN_WORK // (drawn_starts * rivals), FEWEST_DRAWS, MOST_DRAWS))
    drawn_limits = follow(
        resampled.draw(slice(basin_draws)), points[:drawn_starts], DRAWN_STEPS, DRAWN_WATCHED
    )
    drawn_ends = reached(states, drawn_limits, NEAR)
    # Draws have fewer starts, so their basins are compared with those of the same starts.
    changes = basins(states, drawn_ends) - basins(states, ends[:, :drawn_starts])
    drawn_sizes = np.clip(sizes + changes, 0.0, 1.0)
    ranks, drawn_ranks = alpha_rank(game), alpha_rank(resampled)
    described = []
    for i, state in enumerate(states):
        basin = _estimate(sizes[i], drawn_sizes[:, i])
        if state.kind == CYCLE:
            rome = _estimate(
                limits.rome[0][ends[0] == i].mean(), drawn_limits.rome[drawn_ends == i]
            )
            stable = float((drawn_ends == i).any(axis=-1).mean())
            described.append(
                Described(state, rome, _NONE, basin, _NONE, False, True, stable, _NONE, [])
            )
        else:
            rank = _estimate(ranks[i], drawn_ranks[:, i]) if state.kind == PURE else _NONE
            described.append(_describe(state, game, resampled, basin, rank))
    return Analysis(game, described, starts, DRAWS)


def _describe(
    state: State, game: SymmetricGame, resampled: SymmetricGame, basin: Estimate, rank: Estimate
) -> Described:
    """Describe a pure or mixed state; a mixed one is solved again in each draw."""
    shares = state.shares
    places, solved = balanced(resampled, np.tile(shares, (len(resampled.rome), 1)))
    same = solved & (np.abs(places - shares).max(axis=-1) < NEAR)
    gap = float(regret(game, shares[None])[0])
    gaps = _estimate(gap, regret(resampled, np.broadcast_to(shares, places.shape)))
    # The maximum over several worthless responses is positive in every draw, so the interval of a
    # regret of 0 is extended to it.
    gaps = replace(gaps, low=min(gaps.low, gap), high=max(gaps.high, gap))
    stable = bool(are_stable(game, shares[None])[0])
    gains = []
    if stable or state.kind == PURE:
        pairs = zip(coalitions(game, shares), coalitions(resampled, shares), strict=True)
        for one, draws in pairs:
            values = {n: _estimate(getattr(one, n), getattr(draws, n)) for n in _VALUES}
            gains.append(Coalition(one.strategy, one.seats, **values))
    payoffs = (places * payoffs_at(resampled, places)).sum(axis=-1)
    return Described(
        state,
        _estimate(game.rome_rate(shares), resampled.rome_rate(places[:, None])[:, 0][same]),
        gaps,
        basin,
        _estimate(game.mean_payoff(shares), payoffs[same]),
        gap <= NO_REGRET,
        stable,
        float((same & are_stable(resampled, places)).mean()),
        rank,
        gains,
    )
