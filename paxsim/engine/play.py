"""The play loop: whole games, one after another, with a policy at every seat.

Entry points that Python calls stand here. Policies arrive as first-class functions in a tuple of
fixed length, so that one compiled engine serves every line-up.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from paxsim.engine import steps
from paxsim.engine.compiling import entry, kernel
from paxsim.engine.lineups import POLICY_SIGNATURE as POLICY_SIGNATURE
from paxsim.engine.lineups import LineupType, policy_at, seat_lineup
from paxsim.engine.records import MAX_PLAYERS, GameType, LogType, ResultType
from paxsim.engine.scoring import score
from paxsim.engine.streams import KeysType

# Whether a policy answered with an option that there is.
FINE, OUT_OF_RANGE = range(2)

#: Where a batch stands; after a failure it names the very decision.
progress_dtype = np.dtype(
    [
        ("failure", np.int32),
        ("seat", np.int32),
        ("decision", np.int32),
        ("rotation", np.int32),
        ("deal", np.int64),
        ("asked", np.int64),  # decisions of this game so far; a batch that moves changes it
        ("answer", np.int64),
        ("policies", np.uint64, MAX_PLAYERS),  # addresses by seat, in this rotation
    ],
    align=True,
)
ProgressType = numba.from_dtype(progress_dtype)

#: Batches write no events; see paxsim.engine.events.
NO_LOG = None

Results = types.Array(ResultType, 1, "C")


@kernel
def ask(game, policy, progress):
    """The option that the deciding seat's policy chooses."""
    seat = game.hidden.seat
    choice = game.choices[seat]
    progress.seat = seat
    progress.decision = choice.kind
    return policy(game.table, game.seats[seat], choice)


@kernel
def is_an_option(option, count, progress):
    """Whether there is an option of this number; if not, note the failure."""
    if 0 <= option < count:
        return True
    progress.failure = OUT_OF_RANGE
    progress.answer = option
    return False


@kernel
def play_to_the_end(game, progress, count):
    """Play a game from a decision with `count` options; return how many decisions were asked."""
    decisions = 0
    while count > 0:
        option = steps.ONLY
        if count > 1:
            decisions += 1
            progress.asked = decisions
            option = ask(game, policy_at(progress.policies[game.hidden.seat]), progress)
            if not is_an_option(option, count, progress):
                return decisions
        count = steps.carry_out(game, NO_LOG, option)
    return decisions


@entry(
    types.int64(
        GameType,
        LineupType,
        types.Array(types.float64, 2, "C"),
        KeysType,
        types.int64,
        types.int64,
        types.int64,
        types.Array(types.int64, 1, "C"),
        Results,
        ProgressType,
    )
)
def play_games(game, policies, params, keys, seed, first_deal, deals, rotations, results, progress):
    """Play `deals` deals, each once for each rotation; fill one result a game.

    Results are ordered by deal, then by rotation. Returns the number of games played, which is
    less than asked for only after a failure (see `progress`).
    """
    played = 0
    turns = rotations.size
    for turn in range(turns):
        rotation = rotations[turn]
        seat_lineup(game, progress, policies, params, rotation)
        progress.rotation = rotation
        for index in range(deals):
            deal = first_deal + index
            progress.deal = deal
            progress.seat = -1
            count = steps.begin_game(game, NO_LOG, keys, seed, deal, rotation)
            decisions = play_to_the_end(game, progress, count)
            if progress.failure != FINE:
                return played
            result = results[index * turns + turn]
            result.deal = deal
            result.rotation = rotation
            result.decisions = decisions
            score(game, result)
            played += 1
    return played


@entry(types.void(GameType, LogType, KeysType, types.int64, types.int64, types.int64))
def start_game(game, log, keys, seed, deal, rotation):
    """Deal a game and stop at its first decision."""
    steps.start(game, log, keys, seed, deal, rotation)


@entry(types.void(GameType, LogType, types.int64))
def apply_option(game, log, option):
    """Apply one option and stop at the next decision."""
    steps.apply(game, log, option)


@entry(
    types.void(GameType, LineupType, types.Array(types.float64, 2, "C"), types.int64, ProgressType)
)
def take_seats(game, policies, params, rotation, progress):
    """Seat a line-up in a rotation, for `ask_policy`."""
    seat_lineup(game, progress, policies, params, rotation)


@entry(types.int64(GameType, ProgressType))
def ask_policy(game, progress):
    """Ask the deciding seat's policy about the decision at hand."""
    seat = game.hidden.seat
    progress.asked += 1
    option = ask(game, policy_at(progress.policies[seat]), progress)
    is_an_option(option, game.choices[seat].count, progress)
    return option


@entry(types.void(GameType, ResultType))
def score_game(game, result):
    """Score a finished game."""
    score(game, result)
