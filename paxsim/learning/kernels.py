"""Compiled code of the environments: observations, actions, and many games one decision further."""

from __future__ import annotations

import numpy as np
from numba import types

from paxsim.engine import steps
from paxsim.engine.codes import category_of, symbols_of, value_of
from paxsim.engine.jit import called, entry, kernel
from paxsim.engine.loop import (
    FINE,
    NO_LOG,
    ask,
    game_at,
    is_an_option,
    options_asked,
    progress_at,
    result_at,
)
from paxsim.engine.records import (
    BUY,
    DISPLAY,
    KEEP,
    N_CATEGORIES,
    NOBODY,
    OVER,
    PLACE,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    game_dtype,
    result_dtype,
)
from paxsim.engine.scoring import score
from paxsim.engine.seating import AddressesType, ParamsType, policy_at, position_at, seat_lineup
from paxsim.engine.streams import KeysType, below
from paxsim.learning.layout import FIRST_DRAWN, IN_VIEW, OF_CARD, OTHER_PLACES, PASS

_GAME_SIZE = game_dtype.itemsize
_RESULT_SIZE = result_dtype.itemsize
#: Instead of an action: deal the game. No learner would say so by mistake.
RESTART = -(1 << 62)
#: What `advance_games` answers when all went well; else the game whose action is not allowed.
ALL_FINE = -1
#: And when a policy failed (see the progress record).
POLICY_FAILED = -2

_Integers = types.Array(types.int64, 1, "C")
_Kinds = types.Array(types.int16, 1, "C")
_Observations = types.Array(types.int16, 2, "C")
_Masks = types.Array(types.int8, 2, "C")
_Flags = types.Array(types.boolean, 1, "C")
_Rewards = types.Array(types.float32, 2, "C")


# --- observations -------------------------------------------------------------------------------


@called
def observe(game, seat, kinds, sizes, rows, row):
    """Write what a seat sees into a row of observations; see `paxsim.learning.layout`."""
    for i in range(sizes[2]):
        rows[row, i] = 0
    decides = game.hidden.seat == seat and game.hidden.decision != OVER
    choice = game.choices[seat]
    if decides:
        rows[row, choice.kind] = 1
    at = observe_table(game.table, np.int64(seat), rows, row, OVER)
    at = observe_cards(game.table, game.seats[seat], kinds, sizes[0], rows, row, at)
    if decides:
        for i in range(choice.drawn_count):
            card = choice.drawn[i]
            rows[row, at + i * OF_CARD + category_of(card)] = symbols_of(card)
            rows[row, at + i * OF_CARD + N_CATEGORIES] = value_of(card)
        at += sizes[1] * OF_CARD
        rows[row, at] = choice.price
        rows[row, at + 1] = choice.undrawn
        rows[row, at + 2] = choice.hand_open
        rows[row, at + 3] = choice.bottom_open
        rows[row, at + 4] = choice.legion_open
        rows[row, at + 5] = choice.hand_waits
        rows[row, at + 6] = choice.shown


@kernel
def observe_table(table, seat, rows, row, at):
    """From the round to Rome's open cards; return where the next field begins."""
    players = np.int64(table.players)
    rows[row, at] = table.round
    rows[row, at + 1] = table.turns_left
    rows[row, at + 2] = table.deck_left
    rows[row, at + 3] = table.played
    at += 4
    for category in range(N_CATEGORIES):
        rows[row, at + category] = (table.categories_played >> category) & 1
    at += N_CATEGORIES
    rows[row, at + (table.start - seat + players) % players] = 1
    rows[row, at + players + (table.active - seat + players) % players] = 1
    if table.primus != NOBODY:
        rows[row, at + 2 * players + (table.primus - seat + players) % players] = 1
    at += 3 * players
    other = seat
    for i in range(players):
        rows[row, at + i] = table.money[other]
        rows[row, at + players + i] = table.hand_size[other]
        rows[row, at + 2 * players + i] = table.peeked[other]
        symbols = at + 3 * players + i * N_CATEGORIES
        for category in range(N_CATEGORIES):
            rows[row, symbols + category] = table.symbols[other, category]
            rows[row, symbols + players * N_CATEGORIES + category] = table.cards[other, category]
        other = other + 1 if other + 1 < players else 0
    at += 3 * players + 2 * players * N_CATEGORIES
    for category in range(N_CATEGORIES):
        rows[row, at + category] = table.rome_symbols[category]
        rows[row, at + N_CATEGORIES + category] = table.rome_cards[category]
    return at + 2 * N_CATEGORIES


@kernel
def observe_cards(table, me, kinds, n_kinds, rows, row, at):
    """Cards below legions, in the own hand, and Rome's hidden ones if they are known."""
    for legion in range(table.legions):
        rows[row, at + legion] = table.legion_value[legion]
    at += table.legions
    for legion in range(table.legions):
        for i in range(table.legion_size[legion]):
            rows[row, at + kinds[table.legion_cards[legion, i]]] += 1
        at += n_kinds
    for i in range(me.hand_count):
        rows[row, at + kinds[me.hand[i]]] += 1
    at += n_kinds
    if me.peeked:
        for i in range(table.rules.rome_hidden):
            rows[row, at + kinds[me.rome_peeked[i]]] += 1
    return at + n_kinds


# --- actions ------------------------------------------------------------------------------------


@kernel
def first_place(sizes):
    """The first action that places a card."""
    return FIRST_DRAWN + sizes[1]


@kernel
def first_legion(table, sizes):
    """The first action that buys."""
    return first_place(sizes) + IN_VIEW * (OTHER_PLACES + table.legions)


@kernel
def action_of(game, option, kinds, sizes):
    """The action that an option of the decision at hand is."""
    choice = game.choices[game.hidden.seat]
    kind = choice.kind
    if kind == TURN:
        return np.int64(option)
    if kind == DISPLAY or kind == KEEP:
        return np.int64(FIRST_DRAWN + option)
    if kind == PLACE:
        card = option // choice.places
        place = np.int64(choice.options[option % choice.places])
        if place == TO_HAND:
            number = np.int64(0)
        elif place == TO_BOTTOM:
            number = np.int64(1)
        else:
            number = place + OTHER_PLACES
        return first_place(sizes) + card * (OTHER_PLACES + game.table.legions) + number
    if option == choice.count - 1:
        return np.int64(PASS)
    chosen = choice.options[option]
    if kind == BUY:
        return first_legion(game.table, sizes) + chosen
    card = game.seats[game.hidden.seat].hand[chosen]
    return first_legion(game.table, sizes) + game.table.legions + kinds[card]


@called
def option_of(game, action, kinds, sizes):
    """The first option of the decision at hand that an action is, or -1."""
    for option in range(options_asked(game)):
        if action_of(game, option, kinds, sizes) == action:
            return option
    return -1


@called
def allow(game, kinds, sizes, masks, row):
    """Write which actions are allowed into a row of masks."""
    for action in range(masks.shape[1]):
        masks[row, action] = 0
    for option in range(options_asked(game)):
        masks[row, action_of(game, option, kinds, sizes)] = 1


# --- entry points -------------------------------------------------------------------------------


@entry(
    types.void(types.int64, types.int64, _Kinds, _Integers, _Observations, _Masks),
)
def look(game_address, seat, kinds, sizes, observations, masks):
    """Write what a seat of one game sees, and which actions it is allowed, into rows 0."""
    game = game_at(game_address)
    observe(game, seat, kinds, sizes, observations, 0)
    if game.hidden.decision != OVER and game.hidden.seat == seat:
        allow(game, kinds, sizes, masks, 0)
    else:
        for action in range(masks.shape[1]):
            masks[0, action] = 0


@entry(types.int64(types.int64, types.int64, _Kinds, _Integers))
def option_for(game_address, action, kinds, sizes):
    """The option of the decision at hand that an action is, or -1."""
    return option_of(game_at(game_address), action, kinds, sizes)


@entry(types.int64(types.int64, types.int64, _Kinds, _Integers))
def action_for(game_address, option, kinds, sizes):
    """The action that an option of the decision at hand is."""
    return action_of(game_at(game_address), option, kinds, sizes)


@entry(types.void(_Masks, types.Array(types.uint64, 1, "C"), _Integers))
def choose_at_random(masks, stream, actions):
    """For every game one of its allowed actions, all equally likely."""
    for row in range(masks.shape[0]):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action]
        skip = below(stream, count)
        for action in range(masks.shape[1]):
            if masks[row, action]:
                if skip == 0:
                    actions[row] = action
                    break
                skip -= 1


@called
def go_on(game, progress, policies, option, fresh, learner):
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
            option = ask(game, policy_at(policies[position]), progress)
            if not is_an_option(option, count, progress):
                return 0
        elif count == 1:
            option = np.int64(steps.ONLY)
        count = steps.carry_out(game, NO_LOG, option)
        if count == 0:
            return 0


@kernel
def name_game(progress, number, turns, players, opposed):
    """Note which game is played; return the seat of the learner, or `NOBODY` if all seats learn."""
    progress.deal = number // turns
    progress.rotation = number % turns
    return np.int64((players - progress.rotation) % players if opposed else NOBODY)


@called
def deal_anew(game, progress, policies, params, keys, seed):
    """Seat the policies and deal; return how many options the first decision has."""
    progress.asked = 0
    seat_lineup(game, progress, policies, params, progress.rotation)
    return steps.begin_game(game, NO_LOG, keys, seed, progress.deal, progress.rotation)


@kernel
def finish(game, progress, results, results_address, rewards, row):
    """Score a finished game, and reward every position with its share of the win."""
    for i in range(_RESULT_SIZE):
        results[row, i] = 0
    result = result_at(results_address + row * _RESULT_SIZE)
    result.deal = progress.deal
    result.rotation = progress.rotation
    score(game, result)
    players = game.table.players
    for seat in range(players):
        position = position_at(np.int64(seat), progress.rotation, players)
        rewards[row, position] = result.shares[seat]


@entry(
    types.int64(
        types.int64,
        _Integers,
        types.boolean,
        AddressesType,
        ParamsType,
        KeysType,
        types.int64,
        types.int64,
        _Integers,
        _Kinds,
        _Integers,
        _Observations,
        _Masks,
        _Integers,
        _Rewards,
        _Flags,
        types.Array(types.uint8, 2, "C"),
        types.int64,
        types.int64,
    )
)
def advance_games(
    games_address,
    actions,
    opposed,
    policies,
    params,
    keys,
    seed,
    turns,
    numbers,
    kinds,
    sizes,
    observations,
    masks,
    seats,
    rewards,
    done,
    results,
    results_address,
    progress_address,
):
    """Take one action in every game; a game that ends is scored and the next one is dealt.

    Parameters
    ----------
    turns : int
        Rotations in which each deal is played.
    numbers : array
        The number of each game: its deal is ``number // turns``, its rotation the rest. The next
        game in the same place has a number that is higher by the number of games.
    opposed : bool
        Whether policies play all positions but the first.
    """
    games = actions.size
    for i in range(games):
        action = actions[i]
        if action != RESTART and not (0 <= action < masks.shape[1] and masks[i, action]):
            return i
    progress = progress_at(progress_address)
    for i in range(games):
        game = game_at(games_address + i * _GAME_SIZE)
        players = game.table.players
        done[i] = False
        for position in range(players):
            rewards[i, position] = 0
        option = np.int64(steps.ONLY)
        fresh = np.int64(0)
        learner = name_game(progress, numbers[i], turns, players, opposed)
        if actions[i] != RESTART:
            option = np.int64(option_of(game, actions[i], kinds, sizes))
            if option < 0:
                return i
        else:
            fresh = np.int64(deal_anew(game, progress, policies, params, keys, seed))
        while go_on(game, progress, policies, option, fresh, learner) == 0:
            if progress.failure != FINE:
                return POLICY_FAILED
            done[i] = True
            finish(game, progress, results, results_address, rewards, i)
            numbers[i] += games
            learner = name_game(progress, numbers[i], turns, players, opposed)
            fresh = np.int64(deal_anew(game, progress, policies, params, keys, seed))
        seat = np.int64(game.hidden.seat)
        seats[i] = seat
        observe(game, seat, kinds, sizes, observations, i)
        allow(game, kinds, sizes, masks, i)
    return ALL_FINE
