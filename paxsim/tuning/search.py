"""The search: CMA-ES from several starting points, with common deals within a generation.

Candidates of a generation play the same deals, in the same company and seats, and the next
generation gets fresh ones, so that nobody wins by luck twice. All that chance decides hangs on the
seed, the restart and the generation, so a search whose losses are known goes on as if it had never
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from cmaes import CMA

from paxsim.policies.policy import Policy
from paxsim.tuning.arena import Arena
from paxsim.tuning.record import TuningRecord
from paxsim.tuning.space import Space

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
