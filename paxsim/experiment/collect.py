"""Collecting tallies: a chunk counts once, whoever answers for it, how often and in which order.

Sums are of whole numbers, so that the order does not matter. They are made in a tree: a worker
adds up the pieces of a chunk (`paxsim.experiment.run.play_work`), and here chunks are added up, so
that what is held in memory depends neither on the games nor on the workers.
"""

from __future__ import annotations

from collections.abc import Iterable

from paxsim import interrupts
from paxsim.experiment.cutting import Chunk
from paxsim.experiment.plan import Plan
from paxsim.experiment.tally import Tally, merge_tallies


class Collector:
    """What was played of a plan.

    Parameters
    ----------
    plan : Plan
        What is played.

    Attributes
    ----------
    tallies : list of dict
        Sums of what was counted, by bundle; None before its first chunk.
    games : int
        Games that were counted.
    missing : dict of Chunk
        Chunks that are expected and were not counted yet, in the order of the plan.
    """

    def __init__(self, plan: Plan):
        self.plan = plan
        self.tallies: list[Tally | None] = [None] * len(plan.bundles)
        self.games = 0
        self.missing: dict[Chunk, None] = {}

    def expect(self, chunks: Iterable[Chunk]) -> None:
        """Let some chunks count from now on, each for its first answer."""
        self.missing.update(dict.fromkeys(chunks))

    def add(self, chunk: Chunk, tally: Tally) -> int:
        """Count a chunk; return the games that this adds: none if it was not missing."""
        interrupts.check()  # what is on disk is found again
        if chunk not in self.missing:
            return 0
        del self.missing[chunk]
        merged = self.tallies[chunk.bundle]
        self.tallies[chunk.bundle] = tally if merged is None else merge_tallies(merged, tally)
        added = chunk.blocks * self.plan.block_games(chunk.bundle)
        self.games += added
        return added
