"""Where candidates are measured: the setting, the seats they take, their company, and the goal.

Everybody who is measured on the same deals meets the same company in the same seats there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from paxsim.experiment.plan import Plan, make_match
from paxsim.experiment.run import warm
from paxsim.experiment.shares import in_units
from paxsim.lineup import Lineup
from paxsim.playing import Batch, play_deals
from paxsim.policies.policy import Policy
from paxsim.setting import Setting
from paxsim.tuning.field import TUNED, Field

#: What is noted of a block, in this order, each 0 to 1: the goal's figure, the win rate of a tuned
#: seat, that of a rival's seat, how often Rome won, and a tuned seat's win rate on points.
NOTED = ("figure", "seat", "rival", "rome", "points")
_FIGURE, _SEAT, _RIVAL, _ROME, _POINTS = range(len(NOTED))


@dataclass(frozen=True)
class Goal:
    """What candidates are to be good at; more is better.

    Attributes
    ----------
    name : str
        What users call it.
    figure : str
        The measured rate, in words.
    noted : int
        The noted rate (of `NOTED`) that it is made from.
    against : bool
        Whether the figure is what that rate leaves of all games.
    """

    name: str
    figure: str
    noted: int
    against: bool = False


GOALS = {
    goal.name: goal
    for goal in (
        Goal("wins", "win rate of a tuned seat", _SEAT),
        Goal("points", "win rate of a tuned seat on points, so while Rome loses", _POINTS),
        Goal("rome-loses", "games that Rome loses", _ROME, against=True),
        Goal("solo", "success in solo, mean over the levels", _SEAT),
    )
}
SOLO = "solo"


class Sitting(NamedTuple):
    """Some deals with one seating."""

    first_deal: int
    deals: int
    seating: tuple[int, ...]


@dataclass(frozen=True)
class Arena:
    """Where candidates are measured.

    Attributes
    ----------
    goal : Goal
        What counts.
    settings : tuple of Setting
        What is played on every deal: one setting, or the levels of solo.
    coalition : int
        Seats that a candidate takes.
    field : Field
        Who takes the others.
    seed : int
        Names the deals, and the draws of seats and rivals.
    """

    goal: Goal
    settings: tuple[Setting, ...]
    coalition: int
    field: Field
    seed: int

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.settings[0].players

    @property
    def block_games(self) -> int:
        """Games in a block: a deal in every rotation, or at every level of solo."""
        return self.players * len(self.settings)

    @property
    def scale(self) -> np.ndarray:
        """Units in a whole of every rate, shape ``(5,)``; shares of a win are whole in them."""
        rivals = max(self.field.seats, 1)
        seats = {_SEAT: self.coalition, _RIVAL: rivals, _ROME: 1, _POINTS: self.coalition}
        seats[_FIGURE] = seats[self.goal.noted]
        return in_units([self.block_games * seats[i] for i in range(len(NOTED))])

    def draw_sittings(self, first_deal: int, deals: int) -> list[Sitting]:
        """Seats and company of some deals, drawn for every deal on its own."""
        rng = np.random.default_rng([self.seed, first_deal])
        sittings = []
        for seating, count in self.field.draw_seatings(self.coalition, deals, rng).items():
            sittings.append(Sitting(first_deal, count, seating))
            first_deal += count
        return sittings

    def measure(self, candidate: Policy, sittings: list[Sitting]) -> np.ndarray:
        """The noted rates by deal, shape ``(deals, 5)``, in units of ``1 / scale``."""
        return np.concatenate([self._play(candidate, sitting) for sitting in sittings])

    def figure(self, noted: np.ndarray) -> float:
        """The goal's figure over all deals."""
        return int(noted[:, _FIGURE].sum()) / (len(noted) * int(self.scale[_FIGURE]))

    def _play(self, candidate: Policy, sitting: Sitting) -> np.ndarray:
        lineup = self._lineup(candidate, sitting.seating)
        rotations = tuple(range(self.players))
        noted = np.zeros((sitting.deals, len(NOTED)), np.int64)
        tuned = np.array(sitting.seating) == TUNED
        for setting in self.settings:
            batch = play_deals(
                setting, lineup, self.seed, sitting.first_deal, sitting.deals, rotations
            )
            noted += _noted_by_deal(batch, tuned)
        noted[:, _FIGURE] = noted[:, self.goal.noted]
        if self.goal.against:
            noted[:, _FIGURE] = self.scale[_FIGURE] - noted[:, _FIGURE]
        return noted

    def _lineup(self, candidate: Policy, seating: tuple[int, ...]) -> Lineup:
        rivals = self.field.policies
        return Lineup(tuple(candidate if i == TUNED else rivals[i] for i in seating))

    def prepare(self, candidate: Policy) -> None:
        """Compile all that plays, once and here; refuse what can't be played again."""
        for policy in self.field.policies:
            _ = policy.compiled
        (sitting,) = self.draw_sittings(0, 1)
        match = make_match(self.settings[0], self._lineup(candidate, sitting.seating))
        warm(Plan(((match,),), (1,), self.seed))

    def describe(self) -> dict[str, Any]:
        """What is measured, in plain values."""
        setting = self.settings[0]
        return {
            "goal": self.goal.name,
            "players": self.players,
            "levels": [setting.solo_level for setting in self.settings],
            "coalition": self.coalition,
            "field": self.field.describe(),
            "deck": setting.deck.name,
            "deck_fingerprint": setting.deck.fingerprint,
            "rules": setting.rules.changed(),
            "seed": self.seed,
        }

    def __str__(self) -> str:
        if self.goal.name == SOLO:
            return f"solo levels {', '.join(str(s.solo_level) for s in self.settings)}"
        seats = f"{self.coalition} seat{'s' if self.coalition > 1 else ''}"
        return f"{self.players} players: {seats} against {self.field}"


def _noted_by_deal(batch: Batch, tuned: np.ndarray) -> np.ndarray:
    """The noted rates but the figure, summed over the games of every deal, shape ``(deals, 5)``.

    Parameters
    ----------
    batch : Batch
        Deals in all rotations.
    tuned : numpy.ndarray, shape (players,), bool
        Which positions of the line-up are tuned.
    """
    shares = in_units(batch.shares)
    of_tuned = np.where(tuned[batch.positions], shares, 0).sum(axis=1)
    noted = np.zeros((len(batch), len(NOTED)), np.int64)
    noted[:, _SEAT] = of_tuned
    noted[:, _RIVAL] = shares.sum(axis=1) - of_tuned
    noted[:, _ROME] = in_units(batch.rome_wins)
    noted[:, _POINTS] = np.where(batch.rome_wins, 0, of_tuned)
    return noted.reshape(-1, len(batch.rotations), len(NOTED)).sum(axis=1)
