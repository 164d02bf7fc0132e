"""CMA-ES over the parameters of a policy, from several starting points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from cmaes import CMA

from paxsim.errors import PaxsimError, checked_list, unknown
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, SEARCH, get_policy
from paxsim.tuning.arena import Arena
from paxsim.tuning.record import TuningRecord

#: Initial step of a parameter as a share of its value; near 0, of the median value.
_STEP, _STEP_NEAR_ZERO = 0.4, 0.1
#: Bounds of a parameter, in initial steps.
_MAX_STEPS = 1000.0
#: Random points: probability that a parameter is 0, and largest factor otherwise.
_ZERO, _FACTOR = 0.25, 4.0
#: A catalogue policy is a starting point if it has this share of the tuned parameters' names.
_SHARED = 0.5
#: Significant digits of the result; more would be noise.
_DIGITS = 4
#: Limits that keep the deals of generations and restarts apart.
MAX_GENERATIONS, MAX_RESTARTS = 100_000, 1000
#: Initial standard deviation of CMA-ES, in steps.
_SIGMA = 0.6
#: Screening: number of random points, number kept for the second round, and its deals as a
#: multiple of the first round's.
_RANDOM_POINTS, _KEPT, _MORE_DEALS = 240, 12, 8
#: First deals of each purpose; every purpose has its own, and those of generations begin at 0.
FOR_SCREENING, FOR_SCREENING_AGAIN, FOR_CHOOSING, FOR_HELD_OUT = (i << 58 for i in (1, 2, 3, 4))

#: Function that returns the scores of policies, given the first deal and the number of deals.
Evaluate = Callable[[Sequence[Policy], int, int], list[float]]


@dataclass(frozen=True)
class SearchSpace:
    """Tuned parameters of a policy."""

    base: Policy  # with its initial parameters
    names: tuple[str, ...]  # of the tuned parameters

    @property
    def start(self) -> np.ndarray:
        """Initial values, shape ``(d,)``."""
        return np.array([self.base.params[name] for name in self.names])

    def steps_from(self, point: np.ndarray) -> np.ndarray:
        """Return suitable initial steps at a point, shape ``(d,)``; points may differ in scale."""
        sizes = np.abs(point)
        typical = float(np.median(sizes[sizes > 0])) if sizes.any() else 1.0
        return np.maximum(_STEP * sizes, _STEP_NEAR_ZERO * typical)

    @property
    def signed(self) -> np.ndarray:
        """Mask of the parameters that may be negative, shape ``(d,)``: see `Policy.signed`."""
        return np.array([name in self.base.signed for name in self.names])

    @property
    def bounds(self) -> np.ndarray:
        """Lower and upper bounds, shape ``(d, 2)``."""
        far = _MAX_STEPS * self.steps_from(self.start)
        low = np.where(self.signed, self.start - far, 0.0)
        return np.stack([np.minimum(low, self.start), self.start + far], axis=1)

    def clip(self, point: np.ndarray) -> np.ndarray:
        """Return the nearest point within the bounds."""
        return np.clip(point, *self.bounds.T)

    def policy_at(self, point: np.ndarray) -> Policy:
        """Return the policy with these values of the tuned parameters."""
        return self.base.with_params(dict(zip(self.names, point.tolist(), strict=True)))

    def known_points(self) -> list[np.ndarray]:
        """Return the start, the defaults, and the values of similar catalogue policies.

        Policies of the catalogue use the same name for the same utility weight. A weight that a
        policy does not have counts as 0.
        """
        points = [self.start, np.array([self.base.defaults[name] for name in self.names])]
        for policy in map(get_policy, HEURISTICS):
            if sum(name in policy.params for name in self.names) >= _SHARED * len(self.names):
                values = [policy.params.get(name, 0.0) for name in self.names]
                points.append(self.clip(np.array(values)))
        return list({tuple(point.tolist()): point for point in points}.values())

    def random_points(self, count: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Draw points from the whole space; some of their parameters are 0."""
        sizes = np.maximum(np.abs(self.start), self.steps_from(self.start))
        shape = (count, len(self.names))
        points = sizes * _FACTOR ** rng.uniform(-1.0, 1.0, shape)
        points *= np.where(self.signed & (rng.random(shape) < 0.5), -1.0, 1.0)
        points[rng.random(shape) < _ZERO] = 0.0
        return list(self.clip(points))


def make_space(policy: str | Policy, params: str | Sequence[str] | None) -> SearchSpace:
    """Return the search space of some parameters of a policy: see `paxsim.tune`."""
    base = get_policy(policy)
    if not base.params or base.name == SEARCH:
        raise PaxsimError(f"policy {base.name} has no parameters to tune")
    if params is None:
        return SearchSpace(base, tuple(base.params))
    words = [name.strip() for name in params.split(",")] if isinstance(params, str) else params
    names = checked_list("params", words, "names of parameters")
    for name in names:
        if not isinstance(name, str) or name not in base.params:
            raise unknown(f"parameter of {base.name}", name, base.params)
    if len(set(names)) < len(names):
        raise PaxsimError(f"params: each parameter may be named once, got {','.join(names)}")
    return SearchSpace(base, tuple(names))


def population_size(parameters: int) -> int:
    """Return the number of candidates of a generation."""
    return CMA(mean=np.zeros(parameters), sigma=_SIGMA).population_size


def screening_size(space: SearchSpace) -> int:
    """Return the size of the screening, in evaluations on a generation's deals."""
    return _RANDOM_POINTS + _MORE_DEALS * (_KEPT + len(space.known_points()))


@dataclass(frozen=True)
class Search:
    """Search for the best parameters."""

    space: SearchSpace
    arena: Arena
    deals: int  # per candidate and generation
    evaluate: Evaluate

    def starting_points(self, count: int) -> list[np.ndarray]:
        """Return the best of the known and of random points, in two rounds of screening."""
        rng = np.random.default_rng([self.arena.seed, _RANDOM_POINTS])
        random = self.space.random_points(_RANDOM_POINTS, rng)
        points = self.space.known_points() + self._best(random, FOR_SCREENING, self.deals, _KEPT)
        best = self._best(points, FOR_SCREENING_AGAIN, _MORE_DEALS * self.deals, count)
        return [best[i % len(best)] for i in range(count)]

    def _best(
        self, points: list[np.ndarray], first_deal: int, deals: int, count: int
    ) -> list[np.ndarray]:
        policies = [self.space.policy_at(point) for point in points]
        scores = self.evaluate(policies, first_deal, deals)
        order = np.argsort([-score for score in scores], kind="stable")
        return [points[i] for i in order[:count]]

    def run(
        self, restart: int, start: np.ndarray, generations: int, record: TuningRecord
    ) -> Policy:
        """Run CMA-ES from a starting point; return the policy at the mean of its distribution.

        The record holds the scores of earlier calls, and new ones are added to it.
        """
        steps = self.space.steps_from(start)
        optimizer = CMA(
            mean=np.zeros(len(start)),
            sigma=_SIGMA,
            bounds=(self.space.bounds - start[:, None]) / steps[:, None],
            seed=int(np.random.SeedSequence([self.arena.seed, restart]).generate_state(1)[0]),
        )
        for generation in range(generations):
            points = [optimizer.ask() for _ in range(optimizer.population_size)]
            scores = record.scores(restart, generation)
            if scores is None:
                places = [self.space.clip(start + steps * x) for x in points]
                candidates = [self.space.policy_at(place) for place in places]
                number = restart * MAX_GENERATIONS + generation
                scores = self.evaluate(candidates, number * self.deals, self.deals)
                record.add(restart, generation, scores)
            optimizer.tell(list(zip(points, (-score for score in scores), strict=True)))
        middle = self.space.clip(start + steps * optimizer.mean)
        return self.space.policy_at(np.array([float(f"{x:.{_DIGITS}g}") for x in middle]))
