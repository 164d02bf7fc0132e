"""Who plays the seats that are not tuned: a line-up, or a mixture to draw from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paxsim.errors import PaxsimError, is_number
from paxsim.lineup import as_specs
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.quoting import told
from paxsim.text import significant

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
    return Field(tuple(map(find_policy, specs)), (), seats)


def _mixture(field: Mapping[str, float], seats: int) -> Field:
    weights = list(field.values())
    if not all(is_number(weight) and weight >= 0 for weight in weights) or not sum(weights) > 0:
        raise PaxsimError(
            f"field: found {told(dict(field))}; allowed: weights of 0 or more, not all 0"
        )
    total = float(sum(weights))
    return Field(
        tuple(map(find_policy, field)), tuple(float(weight) / total for weight in weights), seats
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
                f"field: found {told(part)}; allowed in a mixture: WEIGHT*POLICY, each policy once"
            )
        mixture[spec.strip()] = number
    return mixture


def _first_rotation(seating: tuple[int, ...]) -> tuple[int, ...]:
    return min(seating[shift:] + seating[:shift] for shift in range(len(seating)))
