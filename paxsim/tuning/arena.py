"""Where candidates are measured: the setting, the seats they take, their company, and the goal."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from paxsim.errors import PaxsimError, is_number, safe_repr
from paxsim.experiment.design import Plan, make_match
from paxsim.experiment.run import warm
from paxsim.experiment.tally import in_units
from paxsim.lineup import Lineup, as_specs
from paxsim.playing import Batch, LineupLike, play_deals
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.setting import Setting
from paxsim.text import in_percent, significant

FieldLike = LineupLike | Mapping[str, float]
#: Stands for a tuned seat in a seating, beside the numbers of the field's policies.
TUNED = -1


@dataclass(frozen=True)
class Field:
    """The company that candidates are measured in.

    Attributes
    ----------
    policies : tuple of Policy
        Who may play.
    weights : tuple of float
        How often each does, in a mixture; empty for a line-up, in which each plays one seat.
    seats : int
        Seats to fill.
    """

    policies: tuple[Policy, ...]
    weights: tuple[float, ...]
    seats: int

    def draw_seatings(
        self, coalition: int, deals: int, rng: np.random.Generator
    ) -> dict[tuple[int, ...], int]:
        """Seatings drawn for every deal on its own, with the number of deals of each.

        A seating names the policies of the field by their numbers and tuned seats by `TUNED`. All
        rotations of it are played, so of these it is the first in order.
        """
        if self.weights:
            rivals = rng.choice(len(self.policies), (deals, self.seats), p=self.weights)
        else:
            rivals = np.tile(np.arange(self.seats), (deals, 1))
        seats = np.concatenate([np.full((deals, coalition), TUNED), rivals], axis=1)
        seats = self._alike()[rng.permuted(seats, axis=1)]
        found = Counter(_first_rotation(tuple(row)) for row in seats.tolist())
        return dict(sorted(found.items()))

    def _alike(self) -> np.ndarray:
        """For each number of a policy the first that means the same one; `TUNED` at the end."""
        first: dict[str, int] = {}
        numbers = [first.setdefault(p.spec, number) for number, p in enumerate(self.policies)]
        return np.array([*numbers, TUNED])

    def describe(self) -> list[list[Any]]:
        """Policies with their fingerprints and weights, in plain values."""
        weights = self.weights or (None,) * len(self.policies)
        return [
            [policy.spec, policy.fingerprint, weight]
            for policy, weight in zip(self.policies, weights, strict=True)
        ]

    def __str__(self) -> str:
        if self.weights:
            pairs = zip(self.weights, self.policies, strict=True)
            parts = (f"{significant(100 * weight, 3)} % {policy.label}" for weight, policy in pairs)
            return f"a mixture of {', '.join(parts)}"
        counts = Counter(policy.label for policy in self.policies)
        return ", ".join(name if n == 1 else f"{n} {name}" for name, n in counts.items())


def make_field(field: FieldLike, seats: int) -> Field:
    """Find the policies of a field.

    Parameters
    ----------
    field : str, Policy, sequence or mapping
        One policy for all seats, as many as seats, or a mixture: weights by policy, from which
        every rival is drawn on its own.
    seats : int
        Seats to fill.
    """
    if seats == 0:
        return Field((), (), 0)
    if isinstance(field, Mapping):
        return _mixture(field, seats)
    specs = as_specs(field, "field")
    if len(specs) == 1:
        specs *= seats
    if len(specs) != seats:
        raise PaxsimError(
            f"field: found {len(specs)} policies for {seats} seats; allowed: {seats}, one, "
            "or a mixture"
        )
    return Field(tuple(map(get_policy, specs)), (), seats)


def _mixture(field: Mapping[str, float], seats: int) -> Field:
    weights = list(field.values())
    if not all(is_number(weight) and weight >= 0 for weight in weights) or not sum(weights) > 0:
        raise PaxsimError(
            f"field: found {safe_repr(dict(field))}; allowed: weights of 0 or more, not all 0"
        )
    total = float(sum(weights))
    return Field(
        tuple(map(get_policy, field)), tuple(float(weight) / total for weight in weights), seats
    )


def parse_field(text: str) -> FieldLike:
    """``"weighted"``, ``"weighted,tribune"``, or a mixture: ``"0.7*weighted,0.3*tribune"``."""
    if "*" not in text:
        return text
    mixture: dict[str, float] = {}
    for part in text.split(","):
        weight, _, spec = part.partition("*")
        try:
            number = float(weight)
        except ValueError:
            number = -1.0
        if number < 0 or not spec.strip() or spec.strip() in mixture:
            raise PaxsimError(
                f"field: found {safe_repr(part)}; allowed in a mixture: WEIGHT*POLICY, each policy once"
            )
        mixture[spec.strip()] = number
    return mixture


def _first_rotation(seating: tuple[int, ...]) -> tuple[int, ...]:
    return min(seating[shift:] + seating[:shift] for shift in range(len(seating)))


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


@dataclass(frozen=True)
class Standing:
    """How far a tuning is.

    Attributes
    ----------
    games : int
        Games played so far, by this call.
    expected : int
        About how many it will be in all.
    said : str
        What is being done, in a few words.
    """

    games: int
    expected: int
    said: str


Progress = Callable[[Standing], None]


class Crew:
    """Has policies measured by several threads, and tells how far it is.

    Attributes
    ----------
    said : str
        What is being done, for those who are told.
    """

    def __init__(self, arena: Arena, jobs: int, progress: Progress | None, expected: int):
        self.said = ""
        self._arena = arena
        self._jobs = jobs
        self._progress = progress
        self._games = 0
        self._expected = expected
        self._best = ""

    def skip(self, candidates: int, deals: int) -> None:
        """Count what was measured before, and need not be measured again."""
        self._games += candidates * deals * self._arena.block_games

    def measure(self, policies: Sequence[Policy], first_deal: int, deals: int) -> list[np.ndarray]:
        """What `Arena.measure` notes of each policy, all on the same deals."""
        sittings = self._arena.draw_sittings(first_deal, deals)
        work = functools.partial(self._arena.measure, sittings=sittings)
        workers = Parallel(n_jobs=self._jobs, prefer="threads", return_as="generator")
        found = []
        for noted in workers(delayed(work)(policy) for policy in policies):
            found.append(noted)
            self._games += deals * self._arena.block_games
            if self._progress is not None:
                self._progress(Standing(self._games, self._expected, self.said + self._best))
        return found

    def figures(self, policies: Sequence[Policy], first_deal: int, deals: int) -> list[float]:
        """The goal's figure of each policy, all on the same deals."""
        found = [self._arena.figure(noted) for noted in self.measure(policies, first_deal, deals)]
        self._best = f", best {in_percent(max(found))} %"
        return found
