"""Play loop: whole games in a row with a policy at every seat, and the entry points from Python."""

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
_INT = types.int64

# Whether a policy returned an option that exists. (The next number is `threads.STOPPED`.)
FINE, OUT_OF_RANGE = range(2)
#: Returned by `apply_option` for an option that doesn't exist.
NO_SUCH_OPTION = -1
#: Passed to `step_logged` instead of an option to deal a new game.
DEAL = -1
#: Only traces log events; see paxsim.engine.events.
NO_LOG = None

#: Where a batch stands; after a failure it names the exact decision.
progress_dtype = np.dtype(
    [
        ("failure", np.int32),
        ("seat", np.int32),
        ("decision", np.int32),
        ("rotation", np.int32),
        ("deal", np.int64),
        ("asked", np.int64),  # decisions of this game so far; changes while a batch makes progress
        ("answer", np.int64),  # an option that does not exist,
        ("count", np.int64),  # and the number of those that do
        ("policies", np.uint64, MAX_PLAYERS),  # addresses by seat, in this rotation
    ],
    align=True,
)
ProgressType = numba.from_dtype(progress_dtype)

_RESULT_SIZE = result_dtype.itemsize

game_at, log_at, result_at, progress_at = map(
    record_at, (GameType, LogType, ResultType, ProgressType)
)


@entry(types.uint64(PolicyType))
def policy_address(policy):
    """Return the address of a compiled policy, valid while the policy exists."""
    return address_of_policy(policy)


@kernel
def position_at(seat, rotation, players):
    """Return the line-up position of a seat in a rotation."""
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


@short
def ask(game, policy, progress):
    """Return the option that the deciding seat's policy chooses."""
    seat = game.hidden.seat
    choice = game.choices[seat]
    progress.seat = seat
    progress.decision = choice.kind
    return policy(game.table, game.seats[seat], choice)


@short
def is_an_option(option, count, progress):
    """Return whether an option exists; if not, record the failure."""
    if 0 <= option < count:
        return True
    progress.failure = OUT_OF_RANGE
    progress.answer = option
    progress.count = count
    return False


@short
def play_on(game, log, progress, count, decisions):
    """Play from a decision with `count` options to the end, or until the log is full.

    Return the number of decisions asked, including `decisions` before.
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
            if not is_an_option(option, count, progress) or progress.failure != FINE:
                break
        count = steps.carry_out(game, log, option)
    return decisions


@called
def play_until(game, progress, option, stop):
    """Apply an option and play on to the next decision of the seat `stop`.

    Return the number of its options, or 0 at the end of the game or after a failure.
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
    """Apply an option and play to the end."""
    play_until(game, progress, np.int64(option), np.int64(NOBODY))


@kernel
def options_asked(game):
    """Return the number of options of the current decision; 0 at the end of the game."""
    return game.choices[game.hidden.seat].count


@entry(
    _INT(
        _INT, AddressesType, ParamsType, KeysType, _INT, _INT, _INT,
        types.Array(_INT, 1, "C"), _INT, _INT,
    )
)  # fmt: skip
def play_games(
    game_address, policies, params, keys, seed, first_deal, deals, rotations, results_address,
    progress_address,
):  # fmt: skip
    """Play `deals` deals, each once per rotation, and fill one result per game.

    Results are ordered by deal, then by rotation. Return the number of games played, less than
    requested only after a failure (see `progress`).
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


@entry(types.boolean(_INT, _INT, _INT, _INT, KeysType, _INT, _INT))
def play_logged(game_address, log_address, result_address, progress_address, keys, seed, last_deal):
    """Clear the log, then play deal after deal to the last one or until the log is full.

    `progress` has the rotation, the policies (see `take_seats`) and the number before the first
    deal. Return whether anything is left to play: then call it again.
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


@entry(_INT(_INT, _INT, _INT, KeysType, _INT, _INT, _INT, _INT))
def step_logged(game_address, log_address, result_address, keys, seed, deal, rotation, option):
    """Apply an option, or `DEAL` a game, and log the events up to the next decision or the score.

    Return the number of options as `apply_option` does; 1 if the log was full before the next
    decision: then continue with `ONLY`.
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


@entry(_INT(_INT, KeysType, _INT, _INT, _INT))
def start_game(game_address, keys, seed, deal, rotation):
    """Deal a game up to its first decision; return the number of its options."""
    game = game_at(game_address)
    steps.start(game, NO_LOG, keys, seed, deal, rotation)
    return options_asked(game)


@entry(_INT(_INT, _INT))
def apply_option(game_address, option):
    """Apply an option up to the next decision; return the number of its options.

    That is 0 at the end of the game, and `NO_SUCH_OPTION` if nothing was applied.
    """
    game = game_at(game_address)
    if not 0 <= option < options_asked(game):
        return NO_SUCH_OPTION
    steps.apply(game, NO_LOG, option)
    return options_asked(game)


@entry(_INT(_INT, _INT))
def finish_game(game_address, progress_address):
    """Play a game from the current decision to its end; return the number of decisions asked."""
    game = game_at(game_address)
    return play_on(game, NO_LOG, progress_at(progress_address), options_asked(game), 0)


@entry(types.void(_INT, AddressesType, ParamsType, _INT, _INT))
def take_seats(game_address, policies, params, rotation, progress_address):
    """Seat a line-up in a rotation, for `ask_policy`."""
    progress = progress_at(progress_address)
    progress.rotation = rotation
    seat_lineup(game_at(game_address), progress, policies, params, rotation)


@entry(_INT(_INT, _INT))
def ask_policy(game_address, progress_address):
    """Return the option that the deciding seat's policy chooses."""
    game = game_at(game_address)
    progress = progress_at(progress_address)
    seat = game.hidden.seat
    progress.asked += 1
    option = ask(game, policy_at(progress.policies[seat]), progress)
    is_an_option(option, game.choices[seat].count, progress)
    return option


@entry(types.void(_INT, _INT))
def score_game(game_address, result_address):
    """Score a finished game."""
    score(game_at(game_address), result_at(result_address))
