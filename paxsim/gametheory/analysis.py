"""Everything that is said of a game, with how sure it is: one call from what was played."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.alpharank import alpha_rank
from paxsim.gametheory.bootstrap import DRAWS, Played, drawn, interval, measured
from paxsim.gametheory.coalitions import Coalition, coalitions, gain_from_inside
from paxsim.gametheory.dynamics import even_starts, follow
from paxsim.gametheory.equilibria import NO_REGRET, are_stable, balanced, payoffs_at, regret
from paxsim.gametheory.states import (
    CYCLE,
    NEAR,
    PURE,
    State,
    basins,
    find_states,
    reached,
)
from paxsim.gametheory.symmetric import Floats, SymmetricGame
from paxsim.stats.constants import RESAMPLING_SEED

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
