"""Parameters as points: which are tuned, how far they may go, and where to start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paxsim.errors import PaxsimError, checked_list, unknown
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, SEARCH, find_policy

#: A step of a parameter, as a part of its value, or (a value near 0) of the typical value.
_STEP, _STEP_NEAR_ZERO = 0.4, 0.1
#: How many steps a parameter may move at most: beyond, numbers mean nothing any more.
_FARTHEST = 1000.0
#: Scattered points: a parameter is left out (0) with this chance, and otherwise up to so many
#: times its value, or that part of it.
_LEFT_OUT, _FACTOR = 0.25, 4.0
#: A policy of the catalogue lends its values if it shares this part of the tuned parameters' names.
_SHARED = 0.5
#: Digits of a tuned parameter: more would be noise, and nobody could paste them.
_DIGITS = 4


@dataclass(frozen=True)
class Space:
    """The tuned parameters of a policy.

    Attributes
    ----------
    base : Policy
        The policy, with all parameters as they are where tuning starts.
    names : tuple of str
        The tuned parameters.
    """

    base: Policy
    names: tuple[str, ...]

    @property
    def start(self) -> np.ndarray:
        """The tuned parameters as they are at the start, shape ``(d,)``."""
        return np.array([self.base.params[name] for name in self.names])

    def steps_from(self, point: np.ndarray) -> np.ndarray:
        """How far it makes sense to move each parameter at first, shape ``(d,)``.

        Points may differ in scale, so steps that suit one would leave another behind at once.
        """
        sizes = np.abs(point)
        typical = float(np.median(sizes[sizes > 0])) if sizes.any() else 1.0
        return np.maximum(_STEP * sizes, _STEP_NEAR_ZERO * typical)

    @property
    def signed(self) -> np.ndarray:
        """Which parameters may be negative, shape ``(d,)``, bool: see `Policy.signed`."""
        return np.array([name in self.base.signed for name in self.names])

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest values, shape ``(d, 2)``."""
        far = _FARTHEST * self.steps_from(self.start)
        low = np.where(self.signed, self.start - far, 0.0)
        return np.stack([np.minimum(low, self.start), self.start + far], axis=1)

    def policy_at(self, values: np.ndarray) -> Policy:
        """The policy with these values of the tuned parameters."""
        return self.base.with_params(dict(zip(self.names, values.tolist(), strict=True)))

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """Values with as many digits as are worth writing down."""
        return np.array([float(f"{value:.{_DIGITS}g}") for value in values])

    def incumbents(self) -> list[np.ndarray]:
        """Points that somebody has found good: the start, the defaults, and what others lend.

        Policies of the catalogue call the same wish by the same name, so a policy that shares
        enough names lends its values. A wish that it does not know is worth nothing to it.
        """
        low, high = self.bounds.T
        points = [self.start, np.array([self.base.defaults[name] for name in self.names])]
        for lender in map(find_policy, HEURISTICS):
            if sum(name in lender.params for name in self.names) >= _SHARED * len(self.names):
                values = [lender.params.get(name, 0.0) for name in self.names]
                points.append(np.clip(values, low, high))
        return _different(points)

    def scattered(self, count: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Points all over the space: some parameters left out, the others larger or smaller."""
        sizes = np.maximum(np.abs(self.start), self.steps_from(self.start))
        shape = (count, len(self.names))
        points = sizes * _FACTOR ** rng.uniform(-1.0, 1.0, shape)
        points *= np.where(self.signed & (rng.random(shape) < 0.5), -1.0, 1.0)
        points[rng.random(shape) < _LEFT_OUT] = 0.0
        low, high = self.bounds.T
        return list(np.clip(points, low, high))


def make_space(policy: str | Policy, params: str | Sequence[str] | None) -> Space:
    """The space of some parameters of a policy, or of all of them.

    Parameters
    ----------
    policy : str or Policy
        With the values where tuning starts.
    params : str or sequence of str, optional
        Names, in a text separated by commas.
    """
    base = find_policy(policy)
    if not base.params or base.name == SEARCH:
        raise PaxsimError(f"policy {base.name}: has no parameters to tune; allowed: one that has")
    if params is None:
        return Space(base, tuple(base.params))
    names = _names(params)
    for name in names:
        if not isinstance(name, str) or name not in base.params:
            raise unknown(f"params: policy {base.name}: parameter", name, base.params)
    if len(set(names)) < len(names):
        raise PaxsimError(f"params: found {','.join(names)}; allowed: every parameter once")
    return Space(base, tuple(names))


def _names(params: Any) -> list[Any]:
    if isinstance(params, str):
        return [name.strip() for name in params.split(",")]
    return checked_list("params", params, "names of parameters")


def _different(points: list[np.ndarray]) -> list[np.ndarray]:
    """The points without repetitions, in order."""
    return list({tuple(point.tolist()): point for point in points}.values())
