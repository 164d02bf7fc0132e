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
from paxsim.engine.records import (
    MAX_PLAYERS,
    GameType,
    LogType,
    ResultType,
    game_dtype,
    offset_of,
    seat_dtype,
)
from paxsim.engine.scoring import score

# Ways in which a policy can fail without raising an exception.
FINE, OUT_OF_RANGE, WROTE_ELSEWHERE = range(3)

#: Where a batch stands; after a failure it names the very decision.
progress_dtype = np.dtype(
    [
        ("failure", np.int32),
        ("seat", np.int32),
        ("decision", np.int32),
        ("rotation", np.int32),
        ("deal", np.int64),
        ("answer", np.int64),
        ("policies", np.uint64, MAX_PLAYERS),  # addresses by seat, in this rotation
    ],
    align=True,
)
ProgressType = numba.from_dtype(progress_dtype)

#: Batches write no events; see paxsim.engine.events.
NO_LOG = None

# Where a seat and its memory are in a game's image, in words of 8 bytes.
_SEATS = offset_of(game_dtype, "seats") // 8
_MEMORY = offset_of(seat_dtype, "memory") // 8
_SEAT_SIZE = seat_dtype.itemsize // 8

Image = types.Array(types.uint64, 1, "C")
Results = types.Array(ResultType, 1, "C")


@kernel
def copy_image(source, target):
    """Copy an image of a game (assigning a slice would take seconds to compile)."""
    for i in range(source.size):
        target[i] = source[i]


@kernel
def only_memory_changed(seat, now, before):
    """Whether two images of a game are equal but for a seat's memory and random stream.

    These two are the last fields of a seat, so that what a policy may write is one run of words.
    """
    first = _SEATS + seat * _SEAT_SIZE + _MEMORY
    end = _SEATS + (seat + 1) * _SEAT_SIZE
    for i in range(first):
        if now[i] != before[i]:
            return False
    for i in range(end, now.size):
        if now[i] != before[i]:
            return False
    return True


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
def play_to_the_end(game, progress, count, image, before):
    """Play a game from a decision with `count` options; return how many decisions were asked.

    With `before` (as long as the game's words in `image`) every call of a policy is checked for
    writes to anything but its own memory.
    """
    decisions = 0
    guarded = before.size > 0
    while count > 0:
        option = steps.ONLY
        if count > 1:
            decisions += 1
            if guarded:
                copy_image(image, before)
            seat = game.hidden.seat
            option = ask(game, policy_at(progress.policies[seat]), progress)
            if guarded and not only_memory_changed(seat, image, before):
                progress.failure = WROTE_ELSEWHERE
                return decisions
            if not is_an_option(option, count, progress):
                return decisions
        count = steps.carry_out(game, NO_LOG, option)
    return decisions


@entry(
    types.int64(
        GameType,
        LineupType,
        types.Array(types.float64, 2, "C"),
        types.int64,
        types.int64,
        types.int64,
        types.Array(types.int64, 1, "C"),
        Results,
        ProgressType,
        Image,
        Image,
        types.int64,
    )
)
def play_games(
    game,
    policies,
    params,
    seed,
    first_deal,
    deals,
    rotations,
    results,
    progress,
    image,
    before,
    guard_every,
):
    """Play `deals` deals, each once for each rotation; fill one result a game.

    Results are ordered by deal, then by rotation. Returns the number of games played, which is
    less than asked for only after a failure (see `progress`).
    """
    played = 0
    turns = rotations.size
    unguarded = before[:0]
    for turn in range(turns):
        rotation = rotations[turn]
        seat_lineup(game, progress, policies, params, rotation)
        progress.rotation = rotation
        for index in range(deals):
            deal = first_deal + index
            progress.deal = deal
            progress.seat = -1
            guarded = guard_every > 0 and deal % guard_every == 0
            count = steps.begin_game(game, NO_LOG, seed, deal, rotation)
            decisions = play_to_the_end(
                game, progress, count, image, before if guarded else unguarded
            )
            if progress.failure != FINE:
                return played
            result = results[index * turns + turn]
            result.deal = deal
            result.rotation = rotation
            result.decisions = decisions
            score(game, result)
            played += 1
    return played


@entry(types.void(GameType, LogType, types.int64, types.int64, types.int64))
def start_game(game, log, seed, deal, rotation):
    """Deal a game and stop at its first decision."""
    steps.start(game, log, seed, deal, rotation)


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


@entry(types.int64(GameType, ProgressType, Image, Image))
def ask_policy(game, progress, image, before):
    """Ask the deciding seat's policy about the decision at hand, every call being checked."""
    copy_image(image, before)
    seat = game.hidden.seat
    option = ask(game, policy_at(progress.policies[seat]), progress)
    if not only_memory_changed(seat, image, before):
        progress.failure = WROTE_ELSEWHERE
    else:
        is_an_option(option, game.choices[seat].count, progress)
    return option


@entry(types.void(GameType, ResultType))
def score_game(game, result):
    """Score a finished game."""
    score(game, result)
