"""Many games at once for learners: one compiled call takes an action in each of them."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.engine.loop import progress_dtype
from paxsim.engine.records import address_of, game_dtype, result_dtype
from paxsim.engine.rng import seat_keys
from paxsim.envs.kernels import (
    ALL_FINE,
    GAME_STRIDE,
    LINE,
    RESTART,
    advance_games,
    batch_dtype,
    choose_at_random,
)
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, checked_int
from paxsim.failures import ask_all
from paxsim.lineup import as_specs, make_lineup
from paxsim.playing import LineupLike
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER, make_setting

#: A game in hand takes some fifty kilobytes.
MAX_GAMES = 1_000_000
#: Sits where the learner does, and is never asked.
_STAND_IN = "random"


def lined_up(rows: int, size: int) -> np.ndarray:
    """Rows of bytes, all 0, that begin where the processor's cache lines do."""
    room = np.zeros(rows * size + LINE, np.uint8)
    first = -address_of(room) % LINE
    return room[first : first + rows * size].reshape(rows, size)


class VectorEnv:
    """Games that wait for an action each, and go on together.

    A game that ends is followed by the next deal at once, so all games always wait. Arrays are
    written over by the next step: copy what is to be kept.

    Parameters
    ----------
    games : int
        How many games are in hand.
    players : int, optional
        1 (solo) to 8; 4 by default.
    opponents : str, Policy or sequence, optional
        Who plays all seats but the learner's: one policy, or ``players - 1``. Every deal is then
        played in all rotations, with the learner at position 0. By default all seats are the
        learner's, in rotation 0.
    seed, first_deal : int
        Name the deals. Game ``i`` of the batch plays numbers ``i``, ``i + games`` and so on; number
        ``k`` is deal ``first_deal + k``, or with opponents rotation ``k % players`` of deal
        ``first_deal + k // players``. It is the game that `paxsim.play` plays for these.
    solo_level, deck, rules
        See `paxsim.make_setting`.

    Attributes
    ----------
    layout : Layout
        What observations and actions mean.
    observations : numpy.ndarray
        What the deciding seat of each game sees, shape ``(games, layout.size)``, int16.
    masks : numpy.ndarray
        1 for actions that it may take, shape ``(games, layout.actions)``, int8.
    seats : numpy.ndarray
        The deciding seats, from 0, shape ``(games,)``.
    rewards : numpy.ndarray
        Shares of the win by line-up position where a game has just ended, else zeros, shape
        ``(games, players)``, float32. Without opponents a position is a seat; with opponents
        column 0 is the learner's.
    done : numpy.ndarray
        Whether a game has just ended, shape ``(games,)``, bool.
    results : numpy.ndarray
        The last finished game in each place (``paxsim.engine.records.result_dtype``); decisions
        are not counted.
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
        self._turns = self.players if self._opposed else 1
        most = MAX_NUMBER // (2 * self._turns)
        self._first = checked_int("first_deal", first_deal, 0, most) * self._turns
        self._lineup = make_lineup(self._seated(opponents), self.players)
        self._contexts = self._lineup.contexts()
        if any(context.memory is not None for context in self._contexts.by_position):
            raise PaxsimError(
                "opponents: found a policy that searches, which needs a memory for every game; "
                "allowed: policies that do not"
            )
        self._games = lined_up(self.games, GAME_STRIDE)
        self._games[:, : game_dtype.itemsize] = self.setting.new_game()
        self._progress = np.zeros(1, progress_dtype)
        self._numbers = np.zeros(self.games, np.int64)
        self._actions = np.zeros(self.games, np.int64)
        self._chosen = np.zeros(self.games, np.int64)
        self._stream = np.array([self._seed + 1, 2, 3, 4], np.uint64)
        self.observations = np.zeros((self.games, self.layout.size), np.int16)
        self.masks = np.zeros((self.games, self.layout.actions), np.int8)
        self._options = np.zeros(self.masks.shape, np.uint8)
        self._allowed = np.zeros(self.masks.shape, np.uint8)
        self._counts = np.zeros(self.games, np.int64)
        self.seats = np.zeros(self.games, np.int64)
        self.rewards = np.zeros((self.games, self.players), np.float32)
        self.done = np.zeros(self.games, bool)
        self.results = np.zeros(self.games, result_dtype)
        self.decisions = 0
        self._begun = False
        # All that compiled code is handed stays where it is, also if an attribute is set anew.
        self._arrays = {
            "games": self._games,
            "results": self.results,
            "observations": self.observations,
            "masks": self.masks,
            "options": self._options,
            "allowed": self._allowed,
            "rewards": self.rewards,
            "actions": self._actions,
            "numbers": self._numbers,
            "seats": self.seats,
            "counts": self._counts,
            "done": self.done,
            "chosen": self._chosen,
            "params": self._contexts.params,
            "keys": seat_keys(self._seed),
            "stream": self._stream,
            "layout": self.layout.record,
            "progress": self._progress,
        }
        self._connect()

    def _connect(self) -> None:
        """Tell compiled code where things are."""
        self._compiled = advance_games.compiled()  # type: ignore[attr-defined]
        self._choose = choose_at_random.compiled()  # type: ignore[attr-defined]
        self._played = (self.setting, self._lineup, self._contexts, self._seed, self._progress[0])
        self._batch = np.zeros(1, batch_dtype)
        for name, number in (
            ("seed", self._seed),
            ("turns", self._turns),
            ("opposed", self._opposed),
            ("count", self.games),
            ("policies", self._lineup.addresses()),
            *((name, address_of(array)) for name, array in self._arrays.items()),
        ):
            self._batch[name] = number
        self._arguments = (address_of(self._batch),)

    def __copy__(self) -> VectorEnv:
        """Games of its own: two that take actions in the same games are of no use."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """All but what is somewhere else in a copy."""
        elsewhere = ("_compiled", "_choose", "_played", "_batch", "_arguments")
        return {name: value for name, value in vars(self).items() if name not in elsewhere}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._connect()

    def __repr__(self) -> str:
        games = f"{self.games:,} games with {self.players} players"
        return (
            f"VectorEnv of {games}: observations of {self.layout.size} numbers, "
            f"{self.layout.actions} actions"
        )

    def _seated(self, opponents: LineupLike | None) -> list:
        if opponents is None:
            return [_STAND_IN] * self.players
        if self.players == 1:
            raise PaxsimError("opponents: found some in solo; allowed: none")
        others = as_specs(opponents, "opponents")
        if len(others) == 1:
            others *= self.players - 1
        if len(others) != self.players - 1:
            raise PaxsimError(
                f"opponents: found {len(others)} policies; "
                f"allowed with {self.players} players: {self.players - 1}, or one"
            )
        return [_STAND_IN, *others]

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Begin again with the first deals; return `observations` and `masks`.

        Parameters
        ----------
        seed : int, optional
            Names other deals from now on, and other random actions.
        """
        if seed is not None:
            self._seed = checked_int("seed", seed, 0, MAX_NUMBER)
            self._arrays["keys"] = seat_keys(self._seed)
            self._stream[0] = self._seed + 1
            self._stream[1:] = 2, 3, 4
            self._connect()
        self._numbers[:] = self._first + np.arange(self.games)
        self._actions[:] = RESTART
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
            See the attributes.
        """
        found = np.asarray(actions)
        if found.shape != (self.games,) or found.dtype.kind not in "iu":
            raise PaxsimError(
                f"actions: found shape {found.shape} of {found.dtype}; "
                f"allowed: whole numbers of shape ({self.games},)"
            )
        self._require_begun()
        self._actions[:] = found
        self._advance()
        self.decisions += self.games
        return self.observations, self.masks, self.rewards, self.done

    def random_actions(self) -> np.ndarray:
        """One of the allowed actions for each game, all equally likely, shape ``(games,)``."""
        self._require_begun()
        self._choose(*self._arguments)
        return self._chosen.copy()

    def _require_begun(self) -> None:
        if not self._begun:
            raise PaxsimError("actions: the games have not begun; allowed: after reset()")

    def _advance(self) -> None:
        # Without opponents no policy is asked, and nothing can go wrong with one.
        answer = (
            ask_all(advance_games, self._arguments, *self._played)
            if self._opposed
            else self._compiled(*self._arguments)
        )
        if answer != ALL_FINE:
            self._refuse(answer, int(self._actions[answer]))

    def _refuse(self, game: int, action: int) -> None:
        # (Not from the masks: whoever learns may have written to them.)
        allowed = ", ".join(map(str, sorted(self._allowed[game, : self._counts[game]])))
        raise PaxsimError(f"actions: found {action} in game {game}; allowed there: {allowed}")
