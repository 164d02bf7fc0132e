"""Who measures candidates: several threads, on common deals, telling how far they are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed

from paxsim.policies.policy import Policy
from paxsim.text import in_percent
from paxsim.tuning.arena import Arena


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
