"""Compiled code that the environments call: one game to look at, or many, one decision further."""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from paxsim.engine import steps
from paxsim.engine.jit import called, entry, kernel
from paxsim.engine.knowledge import place_in_ring
from paxsim.engine.loop import (
    FINE,
    NO_LOG,
    ask,
    game_at,
    is_an_option,
    position_at,
    progress_at,
    result_at,
    seat_lineup,
)
from paxsim.engine.lowlevel import (
    INT16_BYTES,
    array_at,
    clear_bytes,
    load_byte,
    policy_at,
    prefetch,
    record_at,
)
from paxsim.engine.records import (
    MAX_CARDS,
    MAX_PARAMS,
    MAX_PLAYERS,
    NOBODY,
    OVER,
    choice_dtype,
    game_dtype,
    hidden_dtype,
    result_dtype,
    seat_dtype,
    table_dtype,
)
from paxsim.engine.rng import KEY_WORDS, STATE_WORDS, draw_below, set_state, state_of
from paxsim.engine.scoring import score
from paxsim.envs.encoding import NOT_ALLOWED, action_of, allow, observe, option_of
from paxsim.envs.spaces import layout_dtype

#: Bytes that a processor brings at once, and how many games ahead it is asked for them.
LINE, AHEAD = 64, 2
#: Bytes from one game to the next: whole lines, and an odd number of them, so that the same parts
#: of many games are not all kept in the same few places of the cache.
GAME_STRIDE = (-(-game_dtype.itemsize // LINE) | 1) * LINE
_RESULT_SIZE = result_dtype.itemsize


def _offset(dtype, name):
    return dtype.fields[name][1]


#: Where those parts of a game are that a step reads and writes, and how long they are, in bytes.
_TABLE, _SEATS, _CHOICES = (_offset(game_dtype, name) for name in ("table", "seats", "choices"))
_HIDDEN_HEAD, _TABLE_HEAD = _offset(hidden_dtype, "deck"), _offset(table_dtype, "copy")
_SEAT_HEAD, _CHOICE_HEAD = _offset(seat_dtype, "hand") + 64, _offset(choice_dtype, "options") + 32
_SEAT_SIZE, _CHOICE_SIZE = seat_dtype.itemsize, choice_dtype.itemsize
_LEGIONS = _TABLE + _offset(table_dtype, "legion_cards")
_LEGION_SIZE = table_dtype["legion_cards"].base.itemsize * MAX_CARDS
_DECK, _CARD_SIZE = _offset(hidden_dtype, "deck"), hidden_dtype["deck"].base.itemsize
_DIARIES = _TABLE + _offset(table_dtype, "diary")
_DIARY_SIZE, _ENTRY_SIZE = table_dtype["diary"].shape[1], table_dtype["diary"].base.itemsize
#: Instead of an action: deal the game. No learner would say so by mistake.
RESTART = -(1 << 62)
#: What `advance_games` answers when all went well; else the game whose action is not allowed.
ALL_FINE = -1
#: And when a policy failed (see the progress record).
POLICY_FAILED = -2

#: What stays the same from step to step of a batch.
batch_dtype = np.dtype(
    [
        ("seed", np.int64),
        ("turns", np.int64),  # rotations in which each deal is played
        ("opposed", np.int64),  # 1 if policies play all positions but the first
        ("policies", np.uint64, MAX_PLAYERS),  # their addresses by position
        ("count", np.int64),  # of games
        # Addresses of arrays with a row for each game.
        ("games", np.int64),
        ("results", np.int64),
        ("observations", np.int64),
        ("masks", np.int64),
        ("options", np.int64),  # see `paxsim.envs.acting.allow`
        ("allowed", np.int64),
        ("rewards", np.int64),
        # Addresses of arrays with a number for each game; see `advance_games`.
        *((name, np.int64) for name in ("actions", "numbers", "seats", "counts", "done", "chosen")),
        # Addresses of arrays for all of them.
        ("params", np.int64),  # by position
        ("keys", np.int64),
        ("stream", np.int64),  # what actions are chosen with at random
        # Addresses of single records.
        ("layout", np.int64),
        ("progress", np.int64),
    ],
    align=True,
)
layout_at, batch_at = (record_at(numba.from_dtype(dtype)) for dtype in (layout_dtype, batch_dtype))
integers_at, words_at, flags_at, floats_at, doubles_at = map(
    array_at, (types.int64, types.uint64, types.boolean, types.float32, types.float64)
)


# --- one game -----------------------------------------------------------------------------------


@entry(types.void(types.int64, types.int64, types.int64, types.int64, types.int64, types.int64))
def look(game_address, seat, layout_address, observation, mask, notes):
    """Write what a seat of one game sees, and which actions it is allowed.

    `notes` is the address of room for two bytes an action.
    """
    game = game_at(game_address)
    layout = layout_at(layout_address)
    observe(game, seat, layout, observation)
    if game.hidden.decision != OVER and game.hidden.seat == seat:
        allow(game, layout, mask, notes, notes + layout.actions)
    else:
        clear_bytes(mask, layout.actions)


@entry(types.int64(types.int64, types.int64, types.int64))
def option_for(game_address, action, layout_address):
    """The option of the decision at hand that an action is, or -1."""
    return option_of(game_at(game_address), action, layout_at(layout_address))


@entry(types.int64(types.int64, types.int64, types.int64))
def action_for(game_address, option, layout_address):
    """The action that an option of the decision at hand is."""
    return action_of(game_at(game_address), option, layout_at(layout_address))


# --- many games ---------------------------------------------------------------------------------


@entry(types.void(types.int64))
def choose_at_random(batch_address):
    """For every game one of its allowed actions, all equally likely."""
    batch = batch_at(batch_address)
    row_size = layout_at(batch.layout).actions
    counts = integers_at(batch.counts, batch.count)
    actions = integers_at(batch.chosen, batch.count)
    stream = words_at(batch.stream, STATE_WORDS)
    state = state_of(stream)
    for i in range(batch.count):
        chosen, state = draw_below(state, counts[i])
        actions[i] = load_byte(batch.allowed + i * row_size, chosen)
    set_state(stream, state)


@called
def go_on(game, progress, batch, option, fresh, learner):
    """Take an option, and play on to the next decision of the learner, or of any seat.

    `fresh` is the number of options of a game that was just dealt, and 0 otherwise. Returns how
    many options the next decision has, 0 at the end of the game or after a failure.
    """
    count = fresh
    while True:  # as in `steps.apply`: the rules are compiled once
        if count > 1:
            seat = game.hidden.seat
            if learner == NOBODY or seat == learner:
                return count
            position = position_at(np.int64(seat), progress.rotation, game.table.players)
            progress.asked += 1
            option = ask(game, policy_at(batch.policies[position]), progress)
            if not is_an_option(option, count, progress):
                return 0
        elif count == 1:
            option = np.int64(steps.ONLY)
        count = steps.carry_out(game, NO_LOG, option)
        if count == 0:
            return 0


@kernel
def name_game(progress, number, batch, players):
    """Note which game is played; return the seat of the learner, or `NOBODY` if all seats learn."""
    progress.deal = number // batch.turns
    progress.rotation = number % batch.turns
    return np.int64((players - progress.rotation) % players if batch.opposed else NOBODY)


@called
def deal_anew(game, progress, batch, params, keys):
    """Seat the policies and deal; return how many options the first decision has."""
    progress.asked = 0
    seat_lineup(game, progress, batch.policies, params, progress.rotation)
    return steps.begin_game(game, NO_LOG, keys, batch.seed, progress.deal, progress.rotation)


@kernel
def finish(game, progress, result_address, rewards, row):
    """Score a finished game, and reward every position with its share of the win."""
    clear_bytes(result_address, _RESULT_SIZE)
    result = result_at(result_address)
    result.deal = progress.deal
    result.rotation = progress.rotation
    score(game, result)
    players = game.table.players
    for seat in range(players):
        position = position_at(np.int64(seat), progress.rotation, players)
        rewards[row, position] = result.shares[seat]


@kernel
def first_refused(batch, actions, n_actions):
    """The first game whose action is not allowed, or `ALL_FINE`."""
    for i in range(actions.size):
        action = actions[i]
        if action == RESTART:
            continue
        if not 0 <= action < n_actions:
            return i
        if load_byte(batch.options + i * n_actions, action) == NOT_ALLOWED:
            return i
    return ALL_FINE


@kernel
def prefetch_lines(first, size):
    """Ask for all cache lines of a piece of memory."""
    for line in range(0, size, LINE):
        prefetch(first + line)


@kernel
def prefetch_game(batch, layout, legions, i, seat):
    """Ask for what the next step of a game reads and writes, while others are played."""
    game = batch.games + i * GAME_STRIDE
    prefetch_lines(game, _HIDDEN_HEAD)
    prefetch_lines(game + _TABLE, _TABLE_HEAD)
    for legion in range(legions):
        prefetch(game + _LEGIONS + legion * _LEGION_SIZE)
    prefetch_lines(game + _SEATS + seat * _SEAT_SIZE, _SEAT_HEAD)
    prefetch_lines(game + _CHOICES + seat * _CHOICE_SIZE, _CHOICE_HEAD)
    prefetch_lines(batch.observations + i * layout.size * INT16_BYTES, layout.size * INT16_BYTES)


@kernel
def prefetch_rest(batch, i, seat):
    """Ask for what only a look at the game tells: its next card, its diary, the seat that follows.

    What is looked at was asked for a game before, by `prefetch_game`.
    """
    game = batch.games + i * GAME_STRIDE
    table = game_at(game).table
    seat &= MAX_PLAYERS - 1  # the learner may have written to the array that it comes from
    prefetch(game + _DECK + np.int64(place_in_ring(table.deck_top)) * _CARD_SIZE)
    entry = seat * _DIARY_SIZE + np.int64(table.diary_count[seat])
    prefetch(game + _DIARIES + entry * _ENTRY_SIZE)
    following = seat + 1 if seat + 1 < table.players else 0
    prefetch_lines(game + _SEATS + following * _SEAT_SIZE, _SEAT_HEAD)
    prefetch(game + _CHOICES + following * _CHOICE_SIZE)


@entry(types.int64(types.int64))
def advance_games(batch_address):
    """Take one action in every game; a game that ends is scored and the next one is dealt.

    It is handed one number: for each array that Python hands over, the call takes as long as a
    decision. In the batch's record there are, of every game:

    - `actions`: what is done;
    - `numbers`: the number of the game, whose deal is ``number // turns`` and whose rotation is the
      rest. The next game in the same place has a number that is higher by the number of games;
    - `seats`, `counts`, `rewards`, `done`: get who decides next, how many actions are allowed then,
      the shares of the win by position, and whether the game has ended.
    """
    batch = batch_at(batch_address)
    progress = progress_at(batch.progress)
    layout = layout_at(batch.layout)
    n_actions = layout.actions
    games = batch.count
    actions, numbers = integers_at(batch.actions, games), integers_at(batch.numbers, games)
    seats, counts = integers_at(batch.seats, games), integers_at(batch.counts, games)
    done = flags_at(batch.done, games)
    refused = first_refused(batch, actions, n_actions)
    if refused != ALL_FINE:
        return refused
    legions = game_at(batch.games).table.legions
    players = np.int64(game_at(batch.games).table.players)
    rewards = floats_at(batch.rewards, (games, players))
    params = doubles_at(batch.params, (players, MAX_PARAMS))
    keys = words_at(batch.keys, (MAX_PLAYERS, KEY_WORDS))
    for i in range(games):
        if i + AHEAD < games:
            prefetch_game(batch, layout, legions, i + AHEAD, seats[i + AHEAD])
        if i + 1 < games:
            prefetch_rest(batch, i + 1, seats[i + 1])
        game = game_at(batch.games + i * GAME_STRIDE)
        options = batch.options + i * n_actions
        done[i] = False
        for position in range(players):
            rewards[i, position] = 0
        learner = np.int64(NOBODY)
        option = np.int64(steps.ONLY)
        fresh = np.int64(0)
        if batch.opposed or actions[i] == RESTART:
            learner = name_game(progress, numbers[i], batch, players)
        if actions[i] == RESTART:
            fresh = np.int64(deal_anew(game, progress, batch, params, keys))
        else:
            option = load_byte(options, actions[i]) - 1
        while go_on(game, progress, batch, option, fresh, learner) == 0:
            if progress.failure != FINE:
                return POLICY_FAILED
            name_game(progress, numbers[i], batch, players)
            done[i] = True
            finish(game, progress, batch.results + i * _RESULT_SIZE, rewards, i)
            numbers[i] += games
            learner = name_game(progress, numbers[i], batch, players)
            fresh = np.int64(deal_anew(game, progress, batch, params, keys))
        seat = np.int64(game.hidden.seat)
        seats[i] = seat
        observe(game, seat, layout, batch.observations + i * layout.size * INT16_BYTES)
        allowed = batch.allowed + i * n_actions
        counts[i] = allow(game, layout, batch.masks + i * n_actions, options, allowed)
    return ALL_FINE
