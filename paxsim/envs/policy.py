"""Learned policies: encoding the three records of a policy as an observation."""

from __future__ import annotations

from typing import Any

import numpy as np

from paxsim.cards import Card
from paxsim.engine.records import address_of, game_dtype
from paxsim.envs.encoding import encode
from paxsim.envs.spaces import Layout
from paxsim.errors import PaxsimError
from paxsim.setting import Setting


class ObservationEncoder:
    """Encoder of the records that an interpreted policy receives.

    Parameters
    ----------
    setting : Setting
        The setting that the policy was trained in.

    Examples
    --------
    >>> import paxsim
    >>> encoder = paxsim.envs.ObservationEncoder(paxsim.make_setting(2))
    >>> @paxsim.policy(compiled=False)
    ... def lowest(table, me, choice):
    ...     observation, mask = encoder.encode(table, me, choice)
    ...     return encoder.option(int(mask.argmax()))
    >>> paxsim.play([lowest, "random"], seed=1).rounds > 0
    True
    """

    def __init__(self, setting: Setting):
        self.layout = Layout(setting)
        self._games = setting.new_game().view(game_dtype)
        self._options = np.full(self.layout.actions, -1)
        self._known = {0, *(card.code for card in self.layout.kinds)}

    def encode(self, table: Any, me: Any, choice: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the observation, shape ``(layout.size,)``, and mask, ``(layout.actions,)``."""
        # The records of the engine behind the arguments of a policy.
        records = tuple(getattr(one, "_record", one) for one in (table, me, choice))
        self._check_fits(records[0], records[2])
        game, seat = self._games[0], int(me.seat)
        game["table"], game["seats"][seat], game["choices"][seat] = records
        game["hidden"]["seat"], game["hidden"]["decision"] = seat, choice.kind
        observation, mask, self._options = encode(address_of(self._games), seat, self.layout)
        return observation, mask

    def _check_fits(self, table: np.void, choice: np.void) -> None:
        """Raise an error if compiled code would write outside the features' places."""
        setting, drawn = self.layout.setting, self.layout.drawn
        for name, expected in (("players", setting.players), ("legions", self.layout.legions)):
            if table[name] != expected:
                raise PaxsimError(f"{name} must be {expected}, as in training, got {table[name]}")
        if choice["drawn_count"] > drawn:
            raise PaxsimError(
                f"draft_sizes: at most {drawn} cards can be in view, as in training, "
                f"got {choice['drawn_count']}"
            )
        foreign = set(table["copy"].tolist()) - self._known
        if foreign:
            raise PaxsimError(
                f"deck: {Card.from_code(min(foreign))} is not in deck {setting.deck.name}, "
                "which was used in training"
            )

    def option(self, action: int) -> int:
        """Return the option of an action in the decision encoded last, -1 if there is none."""
        return int(self._options[action]) if 0 <= action < self.layout.actions else -1
