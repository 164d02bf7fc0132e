"""Decisions judged: what every option promised, and what the chosen one cost.

The best of many options looks better than it is: of many estimates the highest one is high by luck
as well. So an option that looks better than the chosen one is played out once more beside it, in
fresh worlds, and only these say by how much; their error is that of a difference in common worlds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from paxsim.analysis.retrace import Decision
from paxsim.search.samples import Models
from paxsim.stats import benjamini_hochberg
from paxsim.stats.constants import SURE

#: Fresh worlds in which an option that looks better is compared, for each first one.
CONFIRMING = 5
#: A few worlds that happen to agree prove nothing, so one that disagrees is taken for granted.
DISAGREEMENT = 1.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Verdict:
    """What a decision looked like from the seat that took it.

    Attributes
    ----------
    decision : Decision
        Which one.
    chances, errors : numpy.ndarray, shape (options,)
        Mean share of the win after each different option, and its standard error.
    rollouts : int
        Worlds behind these.
    better : int or None
        The option that looked best, if it is not the one that was chosen.
    cost, cost_error : float
        By how much `better` is better, from fresh worlds, and the standard error of that. Below 0
        where it was not, after all.
    p : float
        Chance of such a cost, or a larger one, if `better` were no better.
    """

    decision: Decision
    chances: np.ndarray
    errors: np.ndarray
    rollouts: int
    better: int | None = None
    cost: float = 0.0
    cost_error: float = 0.0
    p: float = 1.0

    def text_of(self, option: int) -> str:
        """An option in words."""
        return str(self.decision.game.options()[option])


def judge(decision: Decision, models: Models, rollouts: int, seed: int) -> Verdict:
    """Play a decision's options out.

    Parameters
    ----------
    decision : Decision
        Which one.
    models : Models
        Who plays on.
    rollouts : int
        Worlds for all options; `CONFIRMING` times as many for the one that looks better.
    seed : int
        Names the random numbers, with the decision's number.
    """
    options, own = decision.options, decision.seat - 1
    if len(options) == 1:  # equal cards: nothing was decided
        return Verdict(decision, np.array([math.nan]), np.array([math.nan]), 0)
    first = models.sample(decision.game, options, rollouts, [seed, decision.number, 0])[..., own]
    chances, errors = first.mean(axis=0), first.std(axis=0, ddof=1) / math.sqrt(rollouts)
    chosen, best = options.index(decision.chosen), int(chances.argmax())
    if chances[best] <= chances[chosen]:
        return Verdict(decision, chances, errors, rollouts)
    pair, worlds = [decision.chosen, options[best]], CONFIRMING * rollouts
    fresh = models.sample(decision.game, pair, worlds, [seed, decision.number, 1])[..., own]
    cost, error = paired_cost(fresh[:, 1] - fresh[:, 0])
    p = float(ndtr(-cost / error))
    return Verdict(decision, chances, errors, rollouts, options[best], cost, error, p)


def paired_cost(differences: np.ndarray) -> tuple[float, float]:
    """Mean of differences between two options in common worlds, and its standard error."""
    n, cost = len(differences), float(differences.mean())
    spread = float(((differences - cost) ** 2).sum()) + DISAGREEMENT
    return cost, math.sqrt(spread / (n - 1) / n)


def marked(verdicts: Sequence[Verdict]) -> np.ndarray:
    """Which decisions of a game cost something beyond doubt, shape (decisions,).

    Of those that are marked about 5 % at most are marked by chance (Benjamini & Hochberg), however
    many decisions a game has.
    """
    if not verdicts:
        return np.zeros(0, bool)
    sure = benjamini_hochberg([verdict.p for verdict in verdicts]) < SURE
    return sure & np.array([verdict.cost > 0 for verdict in verdicts])


def in_threads(
    function: Callable[[Any], Any], items: Sequence[Any], jobs: int, progress: Progress | None
) -> list[Any]:
    """Call a function for every item on threads; results in the order of the items.

    Parameters
    ----------
    function : callable
        Should leave the interpreter lock free.
    items : sequence
        What it is called with.
    jobs : int
        Threads.
    progress : callable, optional
        Told how many are done, of how many.
    """
    found: list[Any] = [None] * len(items)
    pool = ThreadPoolExecutor(jobs)
    try:
        tasks = {pool.submit(function, item): place for place, item in enumerate(items)}
        for done, task in enumerate(as_completed(tasks), start=1):
            found[tasks[task]] = task.result()
            if progress is not None:
                progress(done, len(items))
    finally:
        pool.shutdown(cancel_futures=True)
    return found
