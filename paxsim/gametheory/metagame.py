"""Everything that is said of a game, with how sure it is: one call from what was played."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from paxsim.gametheory.games import Floats, SymmetricGame, fill
from paxsim.gametheory.replicator import even_starts, follow
from paxsim.stats.constants import LEVEL, RESAMPLING_SEED

#: Draws of the bootstrap. What is searched for anew in each (mixed states, basins) takes a while.
DRAWS = 200


@dataclass(frozen=True, eq=False)
class Played:
    """What was played, in groups of blocks.

    Attributes
    ----------
    players : int
        Seats at the table.
    rows : ndarray of int, shape (played,)
        Which multisets were played, as rows of `multisets`.
    wins : ndarray, shape (groups, played, strategies)
        Wins of a seat of each strategy, summed over the games of a group.
    rome : ndarray, shape (groups, played)
        Games that Rome won.
    games : ndarray, shape (groups, played)
        Games; a group without any in some multiset counts nowhere.
    """

    players: int
    rows: NDArray[np.intp]
    wins: Floats
    rome: Floats
    games: Floats

    def __post_init__(self) -> None:
        if self.wins.shape[:2] != self.games.shape or self.rome.shape != self.games.shape:
            raise PaxsimError(
                f"game: wins of shape {self.wins.shape} for games of shape {self.games.shape}"
            )

    @property
    def used(self) -> np.ndarray:
        """Groups that hold games of every multiset."""
        return np.flatnonzero((self.games > 0).all(axis=1))


def measured(played: Played) -> SymmetricGame:
    """The game as all games together say it is."""
    everything = np.ones((1, len(played.games)))
    return _tables(played, everything).draw(0)


def drawn(played: Played, draws: int = DRAWS, seed: int = RESAMPLING_SEED) -> SymmetricGame:
    """The game in each draw of the bootstrap: payoffs (draws, multisets, strategies)."""
    used = played.used
    if len(used) < 2:
        raise PaxsimError(f"game: found {len(used)} groups of blocks; allowed: two or more")
    rng = np.random.default_rng(seed)
    counts = np.zeros((draws, len(played.games)))
    counts[:, used] = rng.multinomial(len(used), np.full(len(used), 1 / len(used)), size=draws)
    return _tables(played, counts)


def _tables(played: Played, counts: Floats) -> SymmetricGame:
    """Tables in which each group counts so many times, counts of shape (tables, groups)."""
    groups, rows, strategies = played.wins.shape
    games = counts @ played.games
    wins = (counts @ played.wins.reshape(groups, -1)).reshape(-1, rows, strategies)
    rome = (counts @ played.rome) / games
    whole = fill(played.players, played.rows, wins / games[..., None], rome)
    return SymmetricGame(played.players, whole.payoffs, whole.rome)


def interval(draws: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The middle part of the draws (percentile interval); NaN without any."""
    found = draws[np.isfinite(draws)]
    if not len(found):
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Coalition:
    """What some seats get by leaving a state together; arrays have the shape of the game's draws.

    Attributes
    ----------
    strategy, seats : int
        What they play instead, and how many they are.
    before, after : ndarray, shape (...)
        What each of them gets in the state, and in the coalition.
    others : ndarray, shape (...)
        What each of those who stay gets; NaN if nobody does.
    rome_before, rome_after : ndarray, shape (...)
        How often Rome wins.
    """

    strategy: int
    seats: int
    before: Floats
    after: Floats
    others: Floats
    rome_before: Floats
    rome_after: Floats

    @property
    def gain(self) -> Floats:
        """What each member gains, shape (...)."""
        return np.asarray(self.after - self.before)


def coalitions(game: SymmetricGame, population: Floats) -> list[Coalition]:
    """All coalitions of one seat (the deviator of an equilibrium) to all seats.

    Those who stay are drawn from the population; if that is a pure state, all numbers are rows of
    the table.
    """
    before, rome = game.mean_payoff(population), game.rome_rate(population)
    found = []
    for strategy in np.flatnonzero(population < 1).tolist():
        for seats in range(1, game.players + 1):
            there = game.seated(population, _seats(game, {strategy: seats}))
            after = there.taken[..., strategy]
            found.append(Coalition(strategy, seats, before, after, there.others, rome, there.rome))
    return found


def gain_from_inside(game: SymmetricGame, population: Floats, coalition: Coalition) -> Floats:
    """What one member can gain at most by leaving the coalition for anything else, shape (...).

    Below 0 the coalition holds together by itself; above, somebody is tempted to break it.
    """
    left = coalition.seats - 1
    found = []
    for other in range(game.strategies):
        if other != coalition.strategy:
            there = game.seated(population, _seats(game, {coalition.strategy: left, other: 1}))
            found.append(there.taken[..., other] - coalition.after)
    return np.asarray(np.max(found, axis=0))


def _seats(game: SymmetricGame, taken: dict[int, int]) -> list[int]:
    """Seats by strategy, of those that take some."""
    return [taken.get(strategy, 0) for strategy in range(game.strategies)]


#: Starts of the dynamics, and those in each draw of the bootstrap.
STARTS, DRAWN_STARTS = 512, 64
#: Steps of the dynamics in a draw, and those in which ways are looked at that have not settled.
DRAWN_STEPS, DRAWN_WATCHED = 400, 200
#: Draws in which basins are looked at: so many, and fewer where games are large. The work is
#: draws x starts x multisets of rivals.
BASIN_WORK = 250_000
FEWEST_DRAWS, MOST_DRAWS = 20, 100


@dataclass(frozen=True)
class Estimate:
    """A number and its interval (percentiles of the bootstrap)."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Described:
    """A state and what holds there.

    Attributes
    ----------
    state : State
        The state.
    rome, regret, basin : Estimate
        Rome's rate, what the best answer gains (NaN in a cycle), and the share of starts that lead
        there.
    payoff : Estimate
        What a seat gets on average.
    equilibrium : bool
        Whether nobody gains by leaving it alone, as measured.
    stable : bool
        Whether the dynamics come back to it, as measured.
    stable_draws : float
        Share of the draws in which it is stable.
    alpha_rank : Estimate
        Share of time at a pure state; NaN for others.
    coalitions : list of CoalitionGain
        What coalitions of 1 to all seats gain by leaving it, if it is pure or stable.
    """

    state: State
    rome: Estimate
    regret: Estimate
    basin: Estimate
    payoff: Estimate
    equilibrium: bool
    stable: bool
    stable_draws: float
    alpha_rank: Estimate
    coalitions: list[CoalitionGain]


@dataclass(frozen=True, eq=False)
class CoalitionGain:
    """What a coalition gains, with how sure it is.

    Attributes
    ----------
    strategy, seats : int
        What its members play, and how many they are.
    before, after, others, gain, rome_before, rome_after : Estimate
        See `paxsim.gametheory.coalitions.Coalition`.
    inside : Estimate
        What a member gains at most by breaking it.
    """

    strategy: int
    seats: int
    before: Estimate
    after: Estimate
    others: Estimate
    gain: Estimate
    rome_before: Estimate
    rome_after: Estimate
    inside: Estimate


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is said of a game.

    Attributes
    ----------
    game : SymmetricGame
        The game as measured.
    states : list of Described
        Its states: pure ones in the order of the strategies, then the others.
    starts, draws, basin_draws : int
        Starts of the dynamics, draws of the bootstrap, and those in which basins were looked at.
    """

    game: SymmetricGame
    states: list[Described]
    starts: int
    draws: int
    basin_draws: int


def analyse(
    played: Played,
    *,
    draws: int = DRAWS,
    starts: int = STARTS,
    drawn_starts: int = DRAWN_STARTS,
    seed: int = RESAMPLING_SEED,
) -> Analysis:
    """States of a game, their basins, what coalitions gain, and how sure all of it is.

    Parameters
    ----------
    played : Played
        What was played.
    draws, seed : int
        Draws of the bootstrap, and their seed.
    starts, drawn_starts : int
        Starts of the dynamics, as measured and in each draw.
    """
    game, again = measured(played), drawn(played, draws, seed)
    beginnings = even_starts(game.strategies, starts)
    states, ends = find_states(game, beginnings)
    found = reached(states, ends)
    sizes = basins(states, found)[0]
    rivals = game.against_rivals.shape[-2]
    basin_draws = int(np.clip(BASIN_WORK // (drawn_starts * rivals), FEWEST_DRAWS, MOST_DRAWS))
    basin_draws = min(basin_draws, draws)
    ends_again = follow(
        again.draws(slice(basin_draws)), beginnings[:drawn_starts], DRAWN_STEPS, DRAWN_WATCHED
    )
    found_again = reached(states, ends_again, NEAR)
    # Draws have fewer starts: what counts is how far each is from the same starts as measured.
    changes = basins(states, found_again) - basins(states, found[:, :drawn_starts])
    sizes_again = np.clip(sizes + changes, 0.0, 1.0)
    ranks, ranks_again = alpha_rank(game), alpha_rank(again)
    described = []
    for i, state in enumerate(states):
        basin = _estimate(sizes[i], sizes_again[:, i])
        if state.kind == CYCLE:
            rome = float(ends.rome[0][found[0] == i].mean())
            rome_again = ends_again.rome[found_again == i]
            again_there = (found_again == i).any(axis=-1)
            described.append(_cycle(state, basin, _estimate(rome, rome_again), again_there))
            continue
        rank = _estimate(ranks[i], ranks_again[:, i]) if state.kind == PURE else _NONE
        described.append(_at_rest(state, game, again, basin, rank))
    return Analysis(game, described, starts, draws, basin_draws)


_NONE = Estimate(float("nan"), float("nan"), float("nan"))


def _estimate(value: float, draws: Floats) -> Estimate:
    return Estimate(float(value), *interval(np.asarray(draws, np.float64)))


def _cycle(
    state: State, basin: Estimate, rome: Estimate, reached_again: NDArray[np.bool_]
) -> Described:
    """A cycle: it is stable in a draw if some way of the draw leads to it."""
    stable = float(reached_again.mean())
    return Described(state, rome, _NONE, basin, _NONE, False, True, stable, _NONE, [])


def _at_rest(
    state: State, game: SymmetricGame, again: SymmetricGame, basin: Estimate, rank: Estimate
) -> Described:
    """A pure or mixed state; in each draw a mixed one is looked for anew."""
    shares = state.shares
    places, found, stable = _in_draws(state, again)
    rome = again.rome_rate(places[:, None])[:, 0][found]
    paid = (places * payoffs_at(again, places)).sum(axis=-1)[found]
    gap = float(regret(game, shares[None])[0])
    stays = bool(are_stable(game, shares[None])[0])
    return Described(
        state,
        _estimate(float(game.rome_rate(shares)), rome),
        _at_least_none(_estimate(gap, regret(again, np.broadcast_to(shares, places.shape)))),
        basin,
        _estimate(float(game.mean_payoff(shares)), paid),
        gap <= NO_REGRET,
        stays,
        float(stable.mean()),
        rank,
        _gains(state, game, again) if stays or state.kind == PURE else [],
    )


def _at_least_none(gap: Estimate) -> Estimate:
    """A regret whose interval has it.

    The best of several answers that are all worth nothing is worth something in every draw, so the
    draws of a regret lie above it.
    """
    return replace(gap, low=min(gap.low, gap.estimate), high=max(gap.high, gap.estimate))


def _in_draws(
    state: State, again: SymmetricGame
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Where a state is in each draw, whether it is found there, and whether it is stable."""
    starts = np.tile(state.shares, (len(again.rome), 1))
    places, solved = balanced(again, starts)
    found = solved & (np.abs(places - state.shares).max(axis=-1) < NEAR)
    return places, found, found & are_stable(again, places)


def _gains(state: State, game: SymmetricGame, again: SymmetricGame) -> list[CoalitionGain]:
    pairs = zip(coalitions(game, state.shares), coalitions(again, state.shares), strict=True)
    return [_gain(state, found, drawn, game, again) for found, drawn in pairs]


def _gain(
    state: State, found: Coalition, again: Coalition, game: SymmetricGame, draws: SymmetricGame
) -> CoalitionGain:
    names = ("before", "after", "others", "gain", "rome_before", "rome_after")
    numbers = {name: _estimate(float(getattr(found, name)), getattr(again, name)) for name in names}
    inside = _estimate(
        float(gain_from_inside(game, state.shares, found)),
        gain_from_inside(draws, state.shares, again),
    )
    return CoalitionGain(found.strategy, found.seats, inside=inside, **numbers)
