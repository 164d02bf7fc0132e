"""A field of more line-ups than one question takes: groups of them, each on deals of its own.

All line-ups of a question are tallied together, so there can't be many. A larger field is asked
about group by group, with a seed for each; blocks of different groups are then independent, and
their sums add up to those of the whole field. A block stays what it was: one deal, played by all
line-ups of a group in all rotations. Groups differ in who plays, which makes blocks differ more, so
the intervals are rather too wide than too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import TypeVar

import pandas as pd

from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.result import Result
from paxsim.experiment.rulevalues import rule_values
from paxsim.experiment.summary import Tables
from paxsim.experiment.tables import field_tables, make_table
from paxsim.experiment.tally import merge_tallies

Member = TypeVar("Member")


def equal_groups(lineups: Sequence[Member], most: int) -> list[list[Member]]:
    """Line-ups in groups of one size, in their order, of at most so many."""
    size = max(n for n in range(1, most + 1) if len(lineups) % n == 0)
    return [list(lineups[first : first + size]) for first in range(0, len(lineups), size)]


def merge_groups(results: Sequence[Result]) -> Result:
    """The answers to one question about each group of a field, as one about all of it.

    Parameters
    ----------
    results : sequence of Result
        Of `simulate_field` or `vary_rules`, with line-up groups of one size and a seed for each.
        What is said of the run is that of the first, with ``seeds``.
    """
    first = results[0]
    if len(results) == 1:
        return first
    bundles = []
    for same in zip(*(result.bundles for result in results), strict=True):
        facts = [match.facts for match in same[0]]
        tally = reduce(merge_tallies, (bundle[0].tally for bundle in same))
        bundles.append([MatchMeasures(facts, index, tally) for index in range(len(facts))])
    tables = field_tables([match for bundle in bundles for match in bundle])
    fields = first.manifest["question"].get("fields")
    if fields is None:
        tables["lineups"] = partial(_joined, results, "lineups")
    else:
        tables["rule_values"] = lambda: make_table(rule_values(fields, bundles))
    seeds = [seed for result in results for seed in seeds_of(result)]
    return Result({**first.manifest, "seeds": seeds}, bundles, Tables(tables), first.main)


def seeds_of(result: Result) -> list[int]:
    """The seeds of a result's deals: one, or one for each group."""
    return result.manifest.get("seeds") or [result.manifest["plan"]["seed"]]


def _joined(results: Sequence[Result], name: str) -> pd.DataFrame:
    return pd.concat([result[name] for result in results], ignore_index=True)
