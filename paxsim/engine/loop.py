"""The play loop: whole games, one after another, with a policy at every seat."""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from paxsim.engine import events, steps
from paxsim.engine.jit import called, entry, kernel, short
from paxsim.engine.lowlevel import PolicyType, address_of_policy, policy_at, record_at
from paxsim.engine.records import (
    MAX_PARAMS,
    MAX_PLAYERS,
    NOBODY,
    GameType,
    LogType,
    ResultType,
    result_dtype,
)
from paxsim.engine.rng import KeysType
from paxsim.engine.scoring import score, write_score

#: Addresses of the policies by line-up position, and their parameters.
AddressesType = types.Array(types.uint64, 1, "C", readonly=True)
ParamsType = types.Array(types.float64, 2, "C", readonly=True)


@entry(types.uint64(PolicyType))
def policy_address(policy):
    """The address of a compiled policy, which holds for as long as somebody keeps the policy."""
    return address_of_policy(policy)


@kernel
def position_at(seat, rotation, players):
    """Line-up position that sits at a seat in a rotation."""
    position = seat + rotation
    return position if position < players else position - players


@kernel
def seat_lineup(game, progress, addresses, params, rotation):
    """Give every seat the policy that plays it in this rotation, and the policy's parameters."""
    players = game.table.players
    for seat in range(players):
        position = position_at(seat, rotation, players)
        progress.policies[seat] = addresses[position]
        me = game.seats[seat]
        for i in range(MAX_PARAMS):
            me.params[i] = params[position, i]


# Whether a policy answered with an option that there is.
FINE, OUT_OF_RANGE = range(2)
#: What `apply_option` answers to an option that there is not.
NO_SUCH_OPTION = -1
#: What `step_logged` is handed instead of an option to deal a fresh game.
DEAL = -1

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

#: Only traces write down what happens; see paxsim.engine.events.
NO_LOG = None

_RESULT_SIZE = result_dtype.itemsize


game_at, log_at, result_at, progress_at = map(
    record_at, (GameType, LogType, ResultType, ProgressType)
)


@short
def ask(game, policy, progress):
    """The option that the deciding seat's policy chooses."""
    seat = game.hidden.seat
    choice = game.choices[seat]
    progress.seat = seat
    progress.decision = choice.kind
    return policy(game.table, game.seats[seat], choice)


@short
def is_an_option(option, count, progress):
    """Whether there is an option of this number; if not, note the failure."""
    if 0 <= option < count:
        return True
    progress.failure = OUT_OF_RANGE
    progress.answer = option
    return False


@short
def play_on(game, log, progress, count, decisions):
    """Play a game from a decision with `count` options to its end, or until the log is full.

    Returns how many decisions were asked, those before this one included.
    """
    while count > 0:
        if log is not None:
            if events.is_full(log):
                break
        option = steps.ONLY
        if count > 1:
            decisions += 1
            progress.asked = decisions
            option = ask(game, policy_at(progress.policies[game.hidden.seat]), progress)
            if not is_an_option(option, count, progress):
                break
        count = steps.carry_out(game, log, option)
    return decisions


@called
def play_until(game, progress, option, stop):
    """Take an option of the decision at hand, and play on to the next decision of the seat `stop`.

    Returns how many options that one has; 0 at the end of the game, or after a failure.
    """
    while True:  # as in `steps.apply`: the rules are compiled once
        count = steps.carry_out(game, NO_LOG, option)
        if count == 0:
            return 0
        option = steps.ONLY
        if count > 1:
            seat = game.hidden.seat
            if seat == stop:
                return count
            option = ask(game, policy_at(progress.policies[seat]), progress)
            if not is_an_option(option, count, progress):
                return 0


@kernel
def play_from(game, progress, option):
    """Take an option of the decision at hand, and play to the end."""
    play_until(game, progress, np.int64(option), np.int64(NOBODY))


@kernel
def options_asked(game):
    """How many options the decision at hand has; 0 at the end of the game."""
    return game.choices[game.hidden.seat].count


@entry(
    types.int64(
        types.int64,
        AddressesType,
        ParamsType,
        KeysType,
        types.int64,
        types.int64,
        types.int64,
        types.Array(types.int64, 1, "C"),
        types.int64,
        types.int64,
    )
)
def play_games(
    game_address,
    policies,
    params,
    keys,
    seed,
    first_deal,
    deals,
    rotations,
    results_address,
    progress_address,
):
    """Play `deals` deals, each once for each rotation; fill one result a game.

    Results are ordered by deal, then by rotation. Returns the number of games played, which is
    less than asked for only after a failure (see `progress`).
    """
    game = game_at(game_address)
    progress = progress_at(progress_address)
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
            decisions = play_on(game, NO_LOG, progress, count, 0)
            if progress.failure != FINE:
                return played
            result = result_at(results_address + (index * turns + turn) * _RESULT_SIZE)
            result.deal = deal
            result.rotation = rotation
            result.decisions = decisions
            score(game, result)
            played += 1
    return played


@entry(
    types.boolean(
        types.int64, types.int64, types.int64, types.int64, KeysType, types.int64, types.int64
    )
)
def play_logged(game_address, log_address, result_address, progress_address, keys, seed, last_deal):
    """Play deal after deal up to the last one, or until the log, which is emptied first, is full.

    `progress` has the rotation, the policies (see `take_seats`) and the deal before the first one.
    Call it again to play on: it returns whether there is anything left to play.
    """
    game = game_at(game_address)
    log = log_at(log_address)
    progress = progress_at(progress_address)
    log.used = 0
    count = options_asked(game)
    while not events.is_full(log):
        if count == 0:
            if progress.deal == last_deal:
                return False
            progress.deal += 1
            progress.asked = 0
            count = steps.begin_game(game, log, keys, seed, progress.deal, progress.rotation)
        play_on(game, log, progress, count, progress.asked)
        if progress.failure != FINE:
            return False
        count = options_asked(game)
        if count == 0:
            write_score(game, log, result_at(result_address))
    return True


@entry(
    types.int64(
        types.int64,
        types.int64,
        types.int64,
        KeysType,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
    )
)
def step_logged(game_address, log_address, result_address, keys, seed, deal, rotation, option):
    """Apply one option of a game, or `DEAL` it, and log what happens up to the next decision.

    Returns how many options that one has, as `apply_option` does. After the end the score is
    logged. If the log was full before, it returns 1: empty it, and go on with `ONLY`.
    """
    game = game_at(game_address)
    log = log_at(log_address)
    log.used = 0
    count = 1
    if option == DEAL:
        count = steps.begin_game(game, log, keys, seed, deal, rotation)
        option = steps.ONLY
    elif not 0 <= option < options_asked(game):
        return NO_SUCH_OPTION
    while count == 1 and not events.is_full(log):
        count = steps.carry_out(game, log, option)
        option = steps.ONLY
    if count == 0:
        write_score(game, log, result_at(result_address))
    return count


@entry(types.int64(types.int64, KeysType, types.int64, types.int64, types.int64))
def start_game(game_address, keys, seed, deal, rotation):
    """Deal a game and stop at its first decision; return how many options it has."""
    game = game_at(game_address)
    steps.start(game, NO_LOG, keys, seed, deal, rotation)
    return options_asked(game)


@entry(types.int64(types.int64, types.int64))
def apply_option(game_address, option):
    """Apply one option and stop at the next decision; return how many options that one has.

    That is 0 at the end of the game, and -1 if there is no such option: then nothing is done.
    """
    game = game_at(game_address)
    if not 0 <= option < options_asked(game):
        return NO_SUCH_OPTION
    steps.apply(game, NO_LOG, option)
    return options_asked(game)


@entry(types.int64(types.int64, types.int64))
def finish_game(game_address, progress_address):
    """Play a game from the decision at hand to its end; return how many decisions were asked."""
    game = game_at(game_address)
    return play_on(game, NO_LOG, progress_at(progress_address), options_asked(game), 0)


@entry(types.void(types.int64, AddressesType, ParamsType, types.int64, types.int64))
def take_seats(game_address, policies, params, rotation, progress_address):
    """Seat a line-up in a rotation, for `ask_policy`."""
    progress = progress_at(progress_address)
    progress.rotation = rotation
    seat_lineup(game_at(game_address), progress, policies, params, rotation)


@entry(types.int64(types.int64, types.int64))
def ask_policy(game_address, progress_address):
    """Ask the deciding seat's policy about the decision at hand."""
    game = game_at(game_address)
    progress = progress_at(progress_address)
    seat = game.hidden.seat
    progress.asked += 1
    option = ask(game, policy_at(progress.policies[seat]), progress)
    is_an_option(option, game.choices[seat].count, progress)
    return option


@entry(types.void(types.int64, types.int64))
def score_game(game_address, result_address):
    """Score a finished game."""
    score(game_at(game_address), result_at(result_address))
