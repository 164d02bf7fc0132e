"""Evaluation of candidates: goal, settings, seats, opponents and deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from paxsim.engine.threads import end_games
from paxsim.errors import PaxsimError, is_number, safe_repr
from paxsim.experiment.design import make_match
from paxsim.experiment.progress import STORED
from paxsim.experiment.run import refuse_unrepeatable
from paxsim.experiment.tally import in_units
from paxsim.lineup import Lineup, as_specs
from paxsim.playing import LineupLike, play_deals
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.setting import Setting
from paxsim.text import in_percent, quantity, significant

OpponentsLike = LineupLike | Mapping[str, float]
#: Function of the number of games done, the number expected, and a short text.
Progress = Callable[[int, int | None, str], None]
#: Marks a candidate's seat in a seating, beside the indices of the opponents' policies.
CANDIDATE = -1


@dataclass(frozen=True)
class Opponents:
    """Policies at the seats that the candidate does not take: one for each, or a mixture."""

    policies: tuple[Policy, ...]
    weights: tuple[float, ...]  # probabilities in a mixture, empty for a line-up
    seats: int

    def draw_seatings(
        self, coalition: int, deals: int, rng: np.random.Generator
    ) -> dict[tuple[int, ...], int]:
        """Draw a seating for every deal; return the number of deals of each seating.

        A seating holds indices of the opponents' policies, and `CANDIDATE`. As every deal is played
        in all rotations, only the lexicographically first rotation of a seating is used.
        """
        if self.weights:
            rivals = rng.choice(len(self.policies), (deals, self.seats), p=self.weights)
        else:
            rivals = np.tile(np.arange(self.seats), (deals, 1))
        seats = np.concatenate([np.full((deals, coalition), CANDIDATE), rivals], axis=1)
        # Equal policies get the same number; the last item is for the index -1.
        first: dict[str, int] = {}
        numbers = [first.setdefault(p.spec, index) for index, p in enumerate(self.policies)]
        seats = np.array([*numbers, CANDIDATE])[rng.permuted(seats, axis=1)]
        shifts = range(seats.shape[1])
        counts = Counter(min((*row[i:], *row[:i]) for i in shifts) for row in seats.tolist())
        return dict(sorted(counts.items()))

    def describe(self) -> list[list[Any]]:
        """Return spec, fingerprint and weight of every policy."""
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


def make_opponents(opponents: OpponentsLike, seats: int) -> Opponents:
    """Return the opponents for some seats: see `paxsim.tune`."""
    if isinstance(opponents, Mapping):
        weights = list(opponents.values())
        if not all(is_number(weight) and weight >= 0 for weight in weights) or not sum(weights) > 0:
            raise PaxsimError(
                "opponents: weights must not be negative and not all 0, "
                f"got {safe_repr(dict(opponents))}"
            )
        total = float(sum(weights))
        shares = tuple(float(weight) / total for weight in weights)
        return Opponents(tuple(map(get_policy, opponents)), shares, seats)
    specs = as_specs(opponents, "opponents")
    if len(specs) == 1:
        specs *= seats
    if len(specs) != seats:
        raise PaxsimError(
            f"opponents must be one policy, {seats} policies (one per seat) or a mixture, "
            f"got {len(specs)} policies"
        )
    return Opponents(tuple(map(get_policy, specs)), (), seats)


def parse_opponents(text: str) -> OpponentsLike:
    """Parse ``"weighted"``, ``"weighted,tribune"`` or ``"0.7*weighted,0.3*tribune"``."""
    if "*" not in text:
        return text
    mixture: dict[str, float] = {}
    for part in text.split(","):
        weight, _, spec = (word.strip() for word in part.partition("*"))
        try:
            number = float(weight)
        except ValueError:
            number = -1.0
        if number < 0 or not spec or spec in mixture:
            raise PaxsimError(
                "opponents: a mixture is WEIGHT*POLICY,... with each policy once, "
                f"got {safe_repr(part)}"
            )
        mixture[spec] = number
    return mixture


#: Measures of a deal, each from 0 to 1: score for the goal, win rate of a candidate's seat, win
#: rate of an opponent's seat, Rome's wins, and a candidate's win rate on points.
MEASURES = ("score", "win_rate", "rival_win_rate", "rome_wins", "won_on_points")
_SCORE, _SEAT, _RIVAL, _ROME, _POINTS = range(len(MEASURES))


@dataclass(frozen=True)
class Goal:
    """Objective of tuning; a higher score is better."""

    name: str
    description: str
    measure: int  # index (in `MEASURES`) of the measure that the score is made from
    inverted: bool = False  # True if the score is 1 minus that measure


GOALS = {
    goal.name: goal
    for goal in (
        Goal("wins", "win rate of a tuned seat", _SEAT),
        Goal("points", "win rate of a tuned seat on points, that is while Rome loses", _POINTS),
        Goal("rome-loses", "share of games that Rome loses", _ROME, inverted=True),
        Goal("solo", "success in solo, mean over the levels", _SEAT),
    )
}
SOLO = "solo"


@dataclass(frozen=True)
class SeatedDeals:
    """Consecutive deals with the same seating."""

    first_deal: int
    deals: int
    seating: tuple[int, ...]


@dataclass(frozen=True)
class Arena:
    """Conditions under which candidates are evaluated."""

    goal: Goal
    settings: tuple[Setting, ...]  # in which every deal is played: one, or the levels of solo
    coalition: int  # number of the candidate's seats
    opponents: Opponents
    seed: int  # of deals, seatings and mixtures

    @property
    def players(self) -> int:
        """Number of players."""
        return self.settings[0].players

    @property
    def block_games(self) -> int:
        """Games in a block: a deal in every rotation, or at every level of solo."""
        return self.players * len(self.settings)

    @property
    def scale(self) -> np.ndarray:
        """Units that make up 1 of every measure, shape ``(5,)``; shares are integers in them."""
        rivals = max(self.opponents.seats, 1)
        seats = {_SEAT: self.coalition, _RIVAL: rivals, _ROME: 1, _POINTS: self.coalition}
        seats[_SCORE] = seats[self.goal.measure]
        return in_units([self.block_games * seats[i] for i in range(len(MEASURES))])

    def draw_deals(self, first_deal: int, deals: int) -> list[SeatedDeals]:
        """Draw seats and opponents of consecutive deals."""
        rng = np.random.default_rng([self.seed, first_deal])
        seated = []
        for seating, count in self.opponents.draw_seatings(self.coalition, deals, rng).items():
            seated.append(SeatedDeals(first_deal, count, seating))
            first_deal += count
        return seated

    def measure(self, candidate: Policy, deals: list[SeatedDeals]) -> np.ndarray:
        """Return `MEASURES` by deal, shape ``(deals, 5)``, in units of ``1 / scale``."""
        return np.concatenate([self._measure(candidate, part) for part in deals])

    def score(self, measures: np.ndarray) -> float:
        """Return the mean score over all deals."""
        return int(measures[:, _SCORE].sum()) / (len(measures) * int(self.scale[_SCORE]))

    def _measure(self, candidate: Policy, part: SeatedDeals) -> np.ndarray:
        lineup, rotations = self._lineup(candidate, part), tuple(range(self.players))
        tuned = np.array(part.seating) == CANDIDATE
        measures = np.zeros((part.deals, len(MEASURES)), np.int64)
        for setting in self.settings:
            batch = play_deals(setting, lineup, self.seed, part.first_deal, part.deals, rotations)
            shares = in_units(batch.shares)
            of_tuned = np.where(tuned[batch.positions], shares, 0).sum(axis=1)
            games = np.zeros((len(batch), len(MEASURES)), np.int64)
            games[:, _SEAT] = of_tuned
            games[:, _RIVAL] = shares.sum(axis=1) - of_tuned
            games[:, _ROME] = in_units(batch.rome_wins)
            games[:, _POINTS] = np.where(batch.rome_wins, 0, of_tuned)
            measures += games.reshape(part.deals, len(rotations), -1).sum(axis=1)
        measures[:, _SCORE] = measures[:, self.goal.measure]
        if self.goal.inverted:
            measures[:, _SCORE] = self.scale[_SCORE] - measures[:, _SCORE]
        return measures

    def _lineup(self, candidate: Policy, part: SeatedDeals) -> Lineup:
        rivals = self.opponents.policies
        return Lineup(tuple(candidate if i == CANDIDATE else rivals[i] for i in part.seating))

    def warm(self, candidate: Policy) -> None:
        """Compile all policies; raise an error if a user's policy does not play reproducibly."""
        for policy in self.opponents.policies:
            _ = policy.compiled
        (part,) = self.draw_deals(0, 1)
        self._measure(candidate, part)
        refuse_unrepeatable(make_match(self.settings[0], self._lineup(candidate, part)), self.seed)

    def describe(self) -> dict[str, Any]:
        """Return everything that scores depend on, as plain values."""
        setting = self.settings[0]
        return {
            "goal": self.goal.name,
            "players": self.players,
            "levels": [setting.solo_level for setting in self.settings],
            "coalition": self.coalition,
            "opponents": self.opponents.describe(),
            "deck": setting.deck.name,
            "deck_fingerprint": setting.deck.fingerprint,
            "rules": setting.rules.changed(),
            "seed": self.seed,
        }

    def __str__(self) -> str:
        if self.goal.name == SOLO:
            return f"solo levels {', '.join(str(s.solo_level) for s in self.settings)}"
        seats = quantity(self.coalition, "seat")
        return f"{self.players} players: {seats} against {self.opponents}"


class Evaluator:
    """Evaluator of many policies in threads, with progress reports."""

    def __init__(self, arena: Arena, jobs: int, progress: Progress | None, expected: int):
        self.stage = ""  # the current one, in words
        self._arena, self._jobs = arena, jobs
        self._progress, self._games, self._expected, self._best = progress, 0, expected, ""

    def skip(self, candidates: int, deals: int) -> None:
        """Count games of candidates that were measured in an earlier call."""
        self._games += candidates * deals * self._arena.block_games
        if self._progress is not None and candidates:
            self._progress(self._games, self._expected, STORED)

    def measure(self, policies: Sequence[Policy], first_deal: int, deals: int) -> list[np.ndarray]:
        """Return `Arena.measure` of each policy, all on the same deals."""
        seated = self._arena.draw_deals(first_deal, deals)
        workers = Parallel(n_jobs=self._jobs, prefer="threads", return_as="generator")
        work = delayed(self._arena.measure)
        results = []
        try:
            for measures in workers(work(policy, seated) for policy in policies):
                results.append(measures)
                self._games += deals * self._arena.block_games
                if self._progress is not None:
                    self._progress(self._games, self._expected, self.stage + self._best)
        except KeyboardInterrupt:
            end_games()
            raise
        return results

    def scores(self, policies: Sequence[Policy], first_deal: int, deals: int) -> list[float]:
        """Return the score of each policy, all on the same deals."""
        measures = self.measure(policies, first_deal, deals)
        scores = [self._arena.score(one) for one in measures]
        self._best = f", best {in_percent(max(scores))}%"
        return scores
