"""Vector environment: many games at once, stepped by one compiled call."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

from paxsim.cards import DEFAULT_DECK, Deck
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
    progress_dtype,
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
    address_of,
    choice_dtype,
    game_dtype,
    hidden_dtype,
    result_dtype,
    seat_dtype,
    table_dtype,
)
from paxsim.engine.rng import KEY_WORDS, STATE_WORDS, draw_below, seat_keys, set_state, state_of
from paxsim.engine.scoring import score
from paxsim.envs.encoding import NOT_ALLOWED, allow, layout_at, observe, offset
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, checked_int
from paxsim.lineup import as_specs, make_lineup
from paxsim.playing import LineupLike, ask_all
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER, make_setting

#: Size of a cache line in bytes, and how many games ahead lines are prefetched.
LINE, AHEAD = 64, 2
#: Bytes from one game to the next: whole cache lines, and an odd number of them, so that the same
#: parts of many games do not compete for the same cache sets.
GAME_STRIDE = (-(-game_dtype.itemsize // LINE) | 1) * LINE
_RESULT_SIZE = result_dtype.itemsize
#: Offsets and sizes of the parts of a game that a step reads and writes, in bytes.
_TABLE, _SEATS, _CHOICES = (offset(name, game_dtype) for name in ("table", "seats", "choices"))
_HIDDEN_HEAD, _TABLE_HEAD = offset("deck", hidden_dtype), offset("copy", table_dtype)
_SEAT_HEAD, _CHOICE_HEAD = offset("hand", seat_dtype) + 64, offset("options", choice_dtype) + 32
_SEAT_SIZE, _CHOICE_SIZE = seat_dtype.itemsize, choice_dtype.itemsize
_LEGIONS = _TABLE + offset("legion_cards", table_dtype)
_LEGION_SIZE = table_dtype["legion_cards"].base.itemsize * MAX_CARDS
_DECK, _CARD_SIZE = offset("deck", hidden_dtype), hidden_dtype["deck"].base.itemsize
_DIARIES = _TABLE + offset("diary", table_dtype)
_DIARY_SIZE, _ENTRY_SIZE = table_dtype["diary"].shape[1], table_dtype["diary"].base.itemsize
#: Pseudo-action that deals a new game; far from any valid action.
RESTART = -(1 << 62)
#: Return values of `advance_games`; any other is the game whose action is not allowed.
ALL_FINE, POLICY_FAILED = -1, -2

_ADDRESSES = (
    # Arrays with a row per game; for `options` and `allowed` see `paxsim.envs.encoding.allow`.
    *("games", "results", "observations", "masks", "options", "allowed", "rewards"),
    # Arrays with a number per game; see `advance_games`.
    *("actions", "numbers", "seats", "counts", "done", "chosen"),
    # Parameters by position, keys of the seats' random streams, and the stream of random actions.
    *("params", "keys", "stream"),
    # Single records.
    *("layout", "progress"),
)
#: Arguments of a step, which stay the same from step to step.
batch_dtype = np.dtype(
    [
        ("seed", np.int64),
        ("rotations", np.int64),  # in which each deal is played
        ("opposed", np.int64),  # 1 if policies play all positions but the first
        ("policies", np.uint64, MAX_PLAYERS),  # addresses by position
        ("count", np.int64),  # number of games
        *((name, np.int64) for name in _ADDRESSES),
    ],
    align=True,
)
batch_at = record_at(numba.from_dtype(batch_dtype))
integers_at, words_at, flags_at, floats_at, doubles_at = map(
    array_at, (types.int64, types.uint64, types.boolean, types.float32, types.float64)
)


# --- compiled steps -----------------------------------------------------------------------------


@entry(types.void(types.int64))
def choose_at_random(batch_address):
    """Choose one of the allowed actions of every game at random."""
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
def play_on(game, progress, batch, option, fresh, learner):
    """Apply an option and play on to the next decision of the learner, or of any seat.

    `fresh` is the number of options of a game that was just dealt, else 0. Return the number of
    options of the next decision; 0 at the end of the game or after a failure.
    """
    count = fresh
    while True:  # one call of the rules, so that they are inlined once
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
def identify_game(progress, number, batch, players):
    """Record the deal and rotation of a game; return the learner's seat, `NOBODY` for all seats."""
    progress.deal = number // batch.rotations
    progress.rotation = number % batch.rotations
    return np.int64((players - progress.rotation) % players if batch.opposed else NOBODY)


@called
def deal_game(game, progress, batch, params, keys):
    """Seat the policies and deal; return the number of options of the first decision."""
    progress.asked = 0
    seat_lineup(game, progress, batch.policies, params, progress.rotation)
    return steps.begin_game(game, NO_LOG, keys, batch.seed, progress.deal, progress.rotation)


@kernel
def finish(game, progress, result_address, rewards, row):
    """Score a finished game and write the share of the win of every position."""
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
    """Return the first game whose action is not allowed, or `ALL_FINE`."""
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
    """Prefetch the cache lines of a memory range."""
    for line in range(0, size, LINE):
        prefetch(first + line)


@kernel
def prefetch_game(batch, layout, legions, i, seat):
    """Prefetch what the next step of a game reads and writes, while others are played."""
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
    """Prefetch what depends on the state: next card, diary entry, next seat.

    The state itself was prefetched one game earlier, by `prefetch_game`.
    """
    game = batch.games + i * GAME_STRIDE
    table = game_at(game).table
    seat &= MAX_PLAYERS - 1  # users may have overwritten `seats`
    prefetch(game + _DECK + np.int64(place_in_ring(table.deck_top)) * _CARD_SIZE)
    entry = seat * _DIARY_SIZE + np.int64(table.diary_count[seat])
    prefetch(game + _DIARIES + entry * _ENTRY_SIZE)
    following = seat + 1 if seat + 1 < table.players else 0
    prefetch_lines(game + _SEATS + following * _SEAT_SIZE, _SEAT_HEAD)
    prefetch(game + _CHOICES + following * _CHOICE_SIZE)


@entry(types.int64(types.int64))
def advance_games(batch_address):
    """Take one action in every game; score a game that ends and deal the next one.

    The only argument is an address, because every array argument costs as much time as a decision.
    `numbers` gives deal (``number // rotations``) and rotation (the remainder) of every game; the
    next game in its place has a number higher by `count`. Deciding `seats`, `counts` of allowed
    actions, `rewards` by position and `done` are written.
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
            learner = identify_game(progress, numbers[i], batch, players)
        if actions[i] == RESTART:
            fresh = np.int64(deal_game(game, progress, batch, params, keys))
        else:
            option = load_byte(options, actions[i]) - 1
        while play_on(game, progress, batch, option, fresh, learner) == 0:
            if progress.failure != FINE:
                return POLICY_FAILED
            identify_game(progress, numbers[i], batch, players)
            done[i] = True
            finish(game, progress, batch.results + i * _RESULT_SIZE, rewards, i)
            numbers[i] += games
            learner = identify_game(progress, numbers[i], batch, players)
            fresh = np.int64(deal_game(game, progress, batch, params, keys))
        seat = np.int64(game.hidden.seat)
        seats[i] = seat
        observe(game, seat, layout, batch.observations + i * layout.size * INT16_BYTES)
        allowed = batch.allowed + i * n_actions
        counts[i] = allow(game, layout, batch.masks + i * n_actions, options, allowed)
    return ALL_FINE


# --- the environment ----------------------------------------------------------------------------

#: A game takes about 50 kB of memory.
MAX_GAMES = 1_000_000
#: Policy at the learner's position, never called.
_PLACEHOLDER = "random"


class VectorEnv:
    """Many games that are stepped together by compiled code.

    A game that ends is followed by the next deal at once, so every game always needs an action.
    Arrays are overwritten by the next step: copy what you want to keep.

    Parameters
    ----------
    games : int
        Number of games.
    players : int, optional
        1 (solo) to 8; 4 by default.
    opponents : str, Policy or sequence, optional
        Policies for all seats but the learner's: one, or ``players - 1``. Every deal is then
        played in all rotations, with the learner at position 0. By default the learner plays all
        seats, in rotation 0.
    seed, first_deal : int
        Random seed and number of the first deal. Place ``i`` plays games ``i``, ``i + games`` and
        so on. Game ``k`` is deal ``first_deal + k``; with opponents, it is rotation
        ``k % players`` of deal ``first_deal + k // players``. `paxsim.play` plays the same game.
    solo_level, deck, rules
        See `paxsim.make_setting`.

    Attributes
    ----------
    layout : Layout
        Meaning of observations and actions.
    observations : numpy.ndarray
        Observation of the deciding seat of each game, shape ``(games, layout.size)``, int16.
    masks : numpy.ndarray
        1 for allowed actions, shape ``(games, layout.actions)``, int8.
    seats : numpy.ndarray
        The deciding seats, from 0, shape ``(games,)``.
    rewards : numpy.ndarray
        Shares of the win by line-up position where a game has just ended, else zeros, shape
        ``(games, players)``, float32. Without opponents a position is a seat; with opponents
        column 0 is the learner's.
    done : numpy.ndarray
        Whether a game has just ended, shape ``(games,)``, bool.
    results : numpy.ndarray
        Result of the last finished game in each place
        (``paxsim.engine.records.result_dtype``, without the number of decisions).
    decisions : int
        Actions taken so far, in all games.

    Examples
    --------
    >>> import paxsim
    >>> env = paxsim.VectorEnv(64, players=3, seed=1)
    >>> observations, masks = env.reset()
    >>> observations, masks, rewards, done = env.step(env.random_actions())
    >>> rewards.shape
    (64, 3)
    """

    def __init__(
        self,
        games: int,
        players: int | None = None,
        *,
        opponents: LineupLike | None = None,
        seed: int = 0,
        first_deal: int = 0,
        solo_level: int | None = None,
        deck: str | Path | Deck = DEFAULT_DECK,
        rules: str | Path | dict[str, Any] | Rules | None = None,
    ):
        self.setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
        self.games = checked_int("games", games, 1, MAX_GAMES)
        self.players = self.setting.players
        self.layout = Layout(self.setting)
        self._seed = checked_int("seed", seed, 0, MAX_NUMBER)
        self._opposed = opponents is not None
        self._rotations = self.players if self._opposed else 1
        most = MAX_NUMBER // (2 * self._rotations)
        self._first = checked_int("first_deal", first_deal, 0, most) * self._rotations
        self._lineup = make_lineup(self._seated(opponents), self.players)
        self._contexts = self._lineup.contexts()
        if any(context.memory is not None for context in self._contexts.by_position):
            raise PaxsimError("opponents: search policies can't play in a VectorEnv")
        games, actions = self.games, self.layout.actions
        buffer = np.zeros(games * GAME_STRIDE + LINE, np.uint8)
        first = -address_of(buffer) % LINE
        rows = buffer[first : first + games * GAME_STRIDE].reshape(games, GAME_STRIDE)
        rows[:, : game_dtype.itemsize] = self.setting.new_game()
        self.observations = np.zeros((games, self.layout.size), np.int16)
        self.masks = np.zeros((games, actions), np.int8)
        self.seats = np.zeros(games, np.int64)
        self.rewards = np.zeros((games, self.players), np.float32)
        self.done = np.zeros(games, bool)
        self.results = np.zeros(games, result_dtype)
        self.decisions = 0
        self._begun = False
        #: The arrays of compiled code, which stay alive if a user replaces an attribute.
        self._arrays: dict[str, np.ndarray] = {
            "games": rows,
            "results": self.results,
            "observations": self.observations,
            "masks": self.masks,
            "options": np.zeros((games, actions), np.uint8),
            "allowed": np.zeros((games, actions), np.uint8),
            "rewards": self.rewards,
            "actions": np.zeros(games, np.int64),
            "numbers": np.zeros(games, np.int64),
            "seats": self.seats,
            "counts": np.zeros(games, np.int64),
            "done": self.done,
            "chosen": np.zeros(games, np.int64),
            "params": self._contexts.params,
            "keys": seat_keys(self._seed),
            "stream": np.array([self._seed + 1, 2, 3, 4], np.uint64),
            "layout": self.layout.record,
            "progress": np.zeros(1, progress_dtype),
        }
        self._connect()

    def _connect(self) -> None:
        """Give compiled code the addresses of all arrays."""
        self._compiled = advance_games.compiled()  # type: ignore[attr-defined]
        self._choose = choose_at_random.compiled()  # type: ignore[attr-defined]
        progress = self._arrays["progress"][0]
        self._played = (self.setting, self._lineup, self._contexts, self._seed, progress)
        self._batch = np.zeros(1, batch_dtype)
        self._batch["seed"], self._batch["count"] = self._seed, self.games
        self._batch["rotations"], self._batch["opposed"] = self._rotations, self._opposed
        self._batch["policies"] = self._lineup.addresses
        for name, array in self._arrays.items():
            self._batch[name] = address_of(array)
        self._arguments = (address_of(self._batch),)

    def __copy__(self) -> VectorEnv:
        """Return a deep copy: a shallow one would share its games."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but addresses, which differ in a copy."""
        addresses = ("_compiled", "_choose", "_played", "_batch", "_arguments")
        return {name: value for name, value in vars(self).items() if name not in addresses}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._connect()

    def __repr__(self) -> str:
        games = f"{self.games:,} games with {self.players} players"
        size, actions = self.layout.size, self.layout.actions
        return f"VectorEnv of {games}: observations of {size} numbers, {actions} actions"

    def _seated(self, opponents: LineupLike | None) -> list:
        if opponents is None:
            return [_PLACEHOLDER] * self.players
        if self.players == 1:
            raise PaxsimError("opponents: a solo game has no opponents")
        others = as_specs(opponents, "opponents")
        if len(others) == 1:
            others *= self.players - 1
        if len(others) != self.players - 1:
            raise PaxsimError(
                f"opponents must be one policy or {self.players - 1} with {self.players} players, "
                f"got {len(others)}"
            )
        return [_PLACEHOLDER, *others]

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Deal the first games again; return `observations` and `masks`.

        Parameters
        ----------
        seed : int, optional
            New random seed, for deals and random actions.
        """
        if seed is not None:
            self._seed = checked_int("seed", seed, 0, MAX_NUMBER)
            self._arrays["keys"] = seat_keys(self._seed)
            self._arrays["stream"][:] = self._seed + 1, 2, 3, 4
            self._connect()
        self._arrays["numbers"][:] = self._first + np.arange(self.games)
        self._arrays["actions"][:] = RESTART
        self.decisions = 0
        self._begun = True
        self._advance()
        self.done[:] = False
        return self.observations, self.masks

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Take one action in every game.

        Parameters
        ----------
        actions : array of int
            An allowed action for each game, shape ``(games,)``.

        Returns
        -------
        observations, masks, rewards, done
            The attributes of these names.

        Raises
        ------
        PaxsimError
            If an action is not allowed; no game is changed then.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.games,) or chosen.dtype.kind not in "iu":
            raise PaxsimError(
                f"actions must be integers of shape ({self.games},), "
                f"got shape {chosen.shape} of {chosen.dtype}"
            )
        self._require_begun()
        self._arrays["actions"][:] = chosen
        self._advance()
        self.decisions += self.games
        return self.observations, self.masks, self.rewards, self.done

    def random_actions(self) -> np.ndarray:
        """Return a random allowed action for each game, shape ``(games,)``."""
        self._require_begun()
        self._choose(*self._arguments)
        return self._arrays["chosen"].copy()

    def _require_begun(self) -> None:
        if not self._begun:
            raise PaxsimError("call reset() before step() or random_actions()")

    def _advance(self) -> None:
        # Without opponents no policy is called, so no policy error can occur.
        status = (
            ask_all(advance_games, self._arguments, *self._played)
            if self._opposed
            else self._compiled(*self._arguments)
        )
        if status != ALL_FINE:
            # Not from `masks`, which users may have overwritten.
            count = self._arrays["counts"][status]
            allowed = ", ".join(map(str, sorted(self._arrays["allowed"][status, :count])))
            action = self._arrays["actions"][status]
            raise PaxsimError(f"actions[{status}] is {action}, but only {allowed} are allowed")
