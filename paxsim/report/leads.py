"""Who leads after each round: games walked through decision by decision.

The *leader* after a round is the seat that would win if the game were scored there and then, with
Rome's hidden cards turned up; nobody leads where that win would be shared or Rome's alone. A
*lead change* is a round after which another seat leads than led before (rounds without a leader
do not count).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paxsim.game import Game, walk
from paxsim.lineup import Lineup, make_lineup
from paxsim.setting import Setting, make_setting

NOBODY = -1


def walk_games(policies: Sequence[str], deals: int, seed: int) -> dict[str, np.ndarray]:
    """Lead changes of every deal in one rotation each, turn about.

    Returns
    -------
    dict of str to numpy.ndarray, shape (deals,)
        ``changes``; ``half``: whether the leader at half time won; ``last``: whether the leader
        before the last round did. A game without a leader then counts as not.
    """
    setting = make_setting(len(policies))
    lineup = make_lineup(list(policies), setting.players)
    found = [leaders(setting, lineup, seed, deal, deal % setting.players) for deal in range(deals)]
    return {
        "changes": np.array([lead_changes(leads) for leads in found]),
        "half": np.array([_wins(leads, (len(leads) - 1) // 2) for leads in found]),
        "last": np.array([_wins(leads, len(leads) - 2) for leads in found]),
    }


def leaders(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> list[int]:
    """The leader after each round of a game; the last one is the winner."""
    found: list[int] = []
    for game in walk(setting, lineup, seed, deal, rotation):
        if not game.over and int(game.record["table"]["round"]) > len(found) + 1:
            found.append(leader(game))
    return [*found, leader(game)]


def leader(game: Game) -> int:
    """The seat, from 0, that would win if the game were scored now; `NOBODY` if none alone."""
    result = game.score()
    shares = result["shares"][: game.setting.players]
    best = int(np.argmax(shares))
    return best if shares[best] == 1.0 else NOBODY


def lead_changes(leads: Sequence[int]) -> int:
    """How often the lead passed to another seat."""
    held = [seat for seat in leads if seat != NOBODY]
    return sum(a != b for a, b in zip(held, held[1:], strict=False))


def _wins(leads: Sequence[int], after: int) -> bool:
    """Whether the leader after a round (counted from 0) won in the end."""
    return len(leads) > 1 and leads[after] != NOBODY and leads[after] == leads[-1]
