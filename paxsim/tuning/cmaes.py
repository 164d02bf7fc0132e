"""The search: CMA-ES from several starting points, with common deals within a generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cmaes import CMA

from paxsim.errors import PaxsimError, checked_list, unknown
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, SEARCH, get_policy
from paxsim.tuning.arena import Arena
from paxsim.tuning.record import TuningRecord

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
        for lender in map(get_policy, HEURISTICS):
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
    base = get_policy(policy)
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
    return checked_list("params", params, "a list of parameter names")


def _different(points: list[np.ndarray]) -> list[np.ndarray]:
    """The points without repetitions, in order."""
    return list({tuple(point.tolist()): point for point in points}.values())


#: Generations and restarts at most; what deals each gets depends on nothing else.
MAX_GENERATIONS, MAX_RESTARTS = 100_000, 1000
#: Step size at first, in the space's steps.
_SIGMA = 0.6
#: Points that are looked at before the search starts, and those that are looked at once more, on
#: so many times the deals.
_SCATTERED, _LOOKED_AT_AGAIN, _MORE_DEALS = 240, 12, 8
#: What the deals of a seed are used for. Deals of one purpose are never those of another.
_FOR_GENERATIONS = 0
FOR_SCREENING, FOR_SCREENING_AGAIN, FOR_CHOOSING, FOR_HELD_OUT = (
    kind << 58 for kind in (1, 2, 3, 4)
)

#: Measures policies on the deals from a number on, so many of them; figures in their order.
Measure = Callable[[Sequence[Policy], int, int], list[float]]


def population_size(parameters: int) -> int:
    """Candidates of a generation, by the number of parameters."""
    return CMA(mean=np.zeros(parameters), sigma=_SIGMA).population_size


def screened_points(space: Space) -> int:
    """Points that are looked at for a start, those looked at longer counting more."""
    return _SCATTERED + _MORE_DEALS * (_LOOKED_AT_AGAIN + len(space.incumbents()))


@dataclass(frozen=True)
class Search:
    """A search for good parameters.

    Attributes
    ----------
    space : Space
        What is searched.
    arena : Arena
        Where candidates are measured.
    deals : int
        Deals for each candidate and generation.
    measure : callable
        Has candidates measured, whoever does it.
    """

    space: Space
    arena: Arena
    deals: int
    measure: Measure

    def starting_points(self, count: int) -> list[np.ndarray]:
        """Where to start: the best of the incumbents and of points all over the space."""
        rng = np.random.default_rng([self.arena.seed, _SCATTERED])
        incumbents = self.space.incumbents()
        scattered = self._best(
            self.space.scattered(_SCATTERED, rng), FOR_SCREENING, self.deals, _LOOKED_AT_AGAIN
        )
        points = incumbents + scattered
        best = self._best(points, FOR_SCREENING_AGAIN, _MORE_DEALS * self.deals, count)
        return [best[i % len(best)] for i in range(count)]

    def _best(
        self, points: list[np.ndarray], first_deal: int, deals: int, count: int
    ) -> list[np.ndarray]:
        policies = [self.space.policy_at(point) for point in points]
        figures = self.measure(policies, first_deal, deals)
        order = np.argsort([-figure for figure in figures], kind="stable")
        return [points[i] for i in order[:count]]

    def run(
        self, restart: int, start: np.ndarray, generations: int, record: TuningRecord
    ) -> Policy:
        """Search from a starting point, and return the policy in the middle of what was found.

        Parameters
        ----------
        restart : int
            Its number, from 0.
        start : numpy.ndarray, shape (d,)
            Values of the tuned parameters.
        generations : int
            How long to search.
        record : TuningRecord
            What was measured so far, and where the rest is noted.
        """
        steps = self.space.steps_from(start)
        optimiser = CMA(
            mean=np.zeros(len(start)),
            sigma=_SIGMA,
            bounds=(self.space.bounds - start[:, None]) / steps[:, None],
            seed=int(np.random.SeedSequence([self.arena.seed, restart]).generate_state(1)[0]),
        )
        for generation in range(generations):
            points = [optimiser.ask() for _ in range(optimiser.population_size)]
            figures = record.figures(restart, generation, len(points))
            if figures is None:
                first_deal = (restart * MAX_GENERATIONS + generation) * self.deals
                candidates = [self._policy_at(start, x) for x in points]
                figures = self.measure(candidates, _FOR_GENERATIONS + first_deal, self.deals)
                record.note(restart, generation, figures)
            optimiser.tell(list(zip(points, (-figure for figure in figures), strict=True)))
        middle = start + steps * optimiser.mean
        low, high = self.space.bounds.T
        return self.space.policy_at(self.space.rounded(np.clip(middle, low, high)))

    def _policy_at(self, start: np.ndarray, x: np.ndarray) -> Policy:
        low, high = self.space.bounds.T
        return self.space.policy_at(np.clip(start + self.space.steps_from(start) * x, low, high))
