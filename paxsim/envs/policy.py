"""What a learner learnt, as a policy: the three records of a policy in the numbers of a learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from paxsim.cards import Card
from paxsim.engine.records import address_of, game_dtype
from paxsim.envs.kernels import option_for
from paxsim.envs.seatview import look_at
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError
from paxsim.setting import Setting


class ObservationEncoder:
    """Reads what a policy is handed; for policies that stay plain Python.

    Parameters
    ----------
    setting : Setting
        What is played.

    Examples
    --------
    >>> import paxsim
    >>> reader = paxsim.envs.ObservationEncoder(paxsim.make_setting(2))
    >>> @paxsim.policy(compiled=False)
    ... def lowest(table, me, choice):
    ...     observation, mask = reader.read(table, me, choice)
    ...     return reader.option(int(mask.argmax()))
    >>> paxsim.play([lowest, "random"], seed=1).rounds > 0
    True
    """

    def __init__(self, setting: Setting):
        self.layout = Layout(setting)
        self._games = setting.new_game().view(game_dtype)
        self._known = {0, *(card.code for card in self.layout.kinds)}

    def read(self, table: Any, me: Any, choice: Any) -> tuple[np.ndarray, np.ndarray]:
        """The observation, shape ``(layout.size,)``, and the mask, shape ``(layout.actions,)``."""
        records = tuple(map(_record, (table, me, choice)))
        self._check_fits(records[0], records[2])
        game, seat = self._games[0], int(me.seat)
        game["table"], game["seats"][seat], game["choices"][seat] = records
        game["hidden"]["seat"], game["hidden"]["decision"] = seat, choice.kind
        return look_at(address_of(self._games), seat, self.layout)

    def _check_fits(self, table: np.void, choice: np.void) -> None:
        """Refuse what compiled code would write to other places of the row, or behind its end."""
        setting, drawn = self.layout.setting, self.layout.drawn
        for name, own in (("players", setting.players), ("legions", self.layout.legions)):
            if table[name] != own:
                raise PaxsimError(f"{name}: found {table[name]}; allowed: {own}, as was learnt")
        if choice["drawn_count"] > drawn:
            raise PaxsimError(
                f"draft_sizes: found {choice['drawn_count']} cards in view; "
                f"allowed: at most {drawn}, as was learnt"
            )
        unknown = set(table["copy"].tolist()) - self._known
        if unknown:
            raise PaxsimError(
                f"deck: found {Card.from_code(min(unknown))}; "
                f"allowed: the kinds of deck {setting.deck.name}, as was learnt"
            )

    def option(self, action: int) -> int:
        """The option that an action is, of the decision that was read last."""
        return option_for(address_of(self._games), action, self.layout.address)


def _record(record: Any) -> np.void:
    """A record of the engine, from what a plain policy is handed or a game has."""
    return getattr(record, "_record", record)
