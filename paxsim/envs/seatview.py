"""One game for learners: what a seat sees, what it may do, and the board to look at."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from paxsim.board.replay import Replay
from paxsim.board.view import EVERYTHING, Onlooker, with_rome_turned_up
from paxsim.board.words import table_in_words
from paxsim.engine.records import address_of
from paxsim.envs.kernels import action_for, look, option_for
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError, safe_repr
from paxsim.game import Game
from paxsim.setting import Setting
from paxsim.trace import TracedGame

#: How a game can be shown: as text as seats see it, or as the page of the board when it is over.
RENDER_MODES = ["ansi", "html"]


def look_at(game_address: int, seat: int, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """The observation and the mask of a seat (from 0) of the game at an address."""
    observation = np.empty(layout.size, np.int16)
    mask = np.empty(layout.actions, np.int8)
    notes = np.empty(2 * layout.actions, np.uint8)
    look(game_address, seat, layout.address, *map(address_of, (observation, mask, notes)))
    return observation, mask


def whole_action(action: Any) -> int | None:
    """An action as learners hand it over, an array of one number too; None if it is no number."""
    if isinstance(action, bool):
        return None
    try:
        return operator.index(action)
    except TypeError:
        return None


class SeatView:
    """A game in the numbers of a `Layout`.

    Parameters
    ----------
    setting : Setting
        What is played.
    seed, deal : int
        Which game.
    traced : bool
        Whether what happens is kept, for the board.
    """

    def __init__(self, setting: Setting, layout: Layout, seed: int, deal: int, traced: bool):
        self.layout = layout
        self.names = [f"seat_{seat + 1}" for seat in range(setting.players)]
        self.game: Game = (
            TracedGame(setting, self.names, seed, deal, 0)
            if traced
            else Game.of_setting(setting, seed, deal, 0)
        )

    def observe(self, seat: int) -> dict[str, np.ndarray]:
        """What a seat (from 0) sees and may do."""
        observation, mask = look_at(self.game._address, seat, self.layout)
        return {"observation": observation, "action_mask": mask}

    def act(self, action: Any) -> None:
        """Take an action for the seat that decides."""
        number, option = whole_action(action), -1
        if number is not None and 0 <= number < self.layout.actions:
            option = option_for(self.game._address, number, self.layout.address)
        if option < 0:
            mask = self.observe(self.game.seat - 1)["action_mask"]
            allowed = ", ".join(map(str, np.flatnonzero(mask)))
            raise PaxsimError(f"action: found {safe_repr(action)}; allowed now: {allowed}")
        self.game.apply(option)

    def action_of(self, option: int) -> int:
        """The action that an option of the decision at hand is."""
        return action_for(self.game._address, option, self.layout.address)

    def render(self, mode: str) -> str:
        """The table as the deciding seat sees it, or the whole game as a page."""
        assert isinstance(self.game, TracedGame)
        events = list(with_rome_turned_up(self.game.events))
        if mode == "html":
            if not self.game.over:
                raise PaxsimError("render: the page of the board shows whole games; allowed: 'ansi'"
                                  " before the end")  # fmt: skip
            return Replay(self.game.events).page()
        seat = EVERYTHING if self.game.over else self.game.seat
        onlooker = Onlooker(seat)
        said = [onlooker.tell(event)["said"] for event in events]
        return f"{said[-1]}\n{table_in_words(self.names, onlooker.view, seat)}"
