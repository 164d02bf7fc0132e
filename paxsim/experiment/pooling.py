"""A field of many line-ups as one match: what is asked is about the field, not about one line-up.

The line-ups of a field play the same deals. A block of the pooled match is one deal, played by all
line-ups in all rotations, so what the deal does to all of them at once counts as one observation
and not as many. Sums stay sums of whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paxsim.experiment.plan import Facts
from paxsim.experiment.tally import Tally, merge_tallies
from paxsim.experiment.tallylayout import Layout

#: What results call a seat that is played by each strategy of a field in turn.
MEMBER = "any member"
#: Sums over blocks that can't be had from those of the line-ups.
_OF_STRATEGIES = ("cells", "cell_squares")


def pooled_facts(bundle: Sequence[Facts], lineups: int) -> list[Facts]:
    """The matches of a bundle with each run of `lineups` of them taken for one."""
    return [
        replace(
            first,
            policies=(MEMBER,) * first.players,
            block_size=lineups * first.block_size,
        )
        for first in bundle[::lineups]
    ]


def pooled_tally(bundle: Sequence[Facts], tally: Tally, lineups: int) -> Tally:
    """The tally of a bundle with each run of `lineups` matches taken for one.

    Parameters
    ----------
    bundle : sequence of Facts
        Its matches, all with the same number of players: the line-ups under one rule set, then
        the same line-ups under the next.
    tally : dict
        What was played.
    lineups : int
        Line-ups of the field.
    """
    size = Layout(bundle[0].players).size
    sets = len(bundle) // lineups
    shape = (sets, lineups, size)
    found: Tally = {
        "blocks": tally["blocks"],
        "sums": tally["sums"].reshape(shape).sum(axis=1).ravel(),
        "products": tally["products"]
        .reshape(*shape, *shape)
        .sum(axis=(1, 4))
        .reshape(sets * size, sets * size),
    }
    for number in range(sets):
        merged: Tally = {}
        for match in range(number * lineups, (number + 1) * lineups):
            details = _details(tally, match)
            merged = merge_tallies(merged, details) if merged else details
        found |= {f"{number}/{name}": array for name, array in merged.items()}
    return found


def _details(tally: Tally, match: int) -> Tally:
    """The sums of one match besides its block vectors, as far as they can be pooled."""
    names = (name.partition("/") for name in tally)
    return {
        detail: tally[f"{match}/{detail}"]
        for number, slash, detail in names
        if slash and number == str(match) and detail not in _OF_STRATEGIES
    }
