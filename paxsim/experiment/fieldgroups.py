"""A field of more line-ups than one question takes: groups of them, each on deals of its own.

All line-ups of a question are tallied together, so there can't be many. A larger field is asked
about group by group, with a seed for each; blocks of different groups are then independent, and
their sums add up to those of the whole field. A block stays what it was: one deal, played by all
line-ups of a group in all rotations. Groups differ in who plays, which makes blocks differ more, so
the intervals are rather too wide than too narrow.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from paxsim.errors import PaxsimError
from paxsim.experiment.estimates import MatchMeasures
from paxsim.experiment.result import Result, Tables
from paxsim.experiment.tables import field_tables, make_table, rule_values
from paxsim.experiment.tally import merge_tallies
from paxsim.setting import MAX_NUMBER

#: Line-ups of a group, at most; and where many rule sets are tried with each.
TOGETHER, FEW_TOGETHER = 15, 3
#: The folder of a group's stored run, with its number and how many there are.
_FOLDER = re.compile(r"group-(\d+)-of-(\d+)")

Member = TypeVar("Member")


def equal_groups(lineups: Sequence[Member], most: int) -> list[list[Member]]:
    """Line-ups in groups of one size, in their order, of at most so many."""
    size = max(n for n in range(1, most + 1) if len(lineups) % n == 0)
    return [list(lineups[first : first + size]) for first in range(0, len(lineups), size)]


def group_arguments(
    lineups: Sequence[Member], most: int, *, players: int, deals: int, seed: int
) -> list[dict[str, Any]]:
    """What a question about a field is asked of each of its groups: who plays, and which deals.

    Every group plays so many deals of its own: group k has the seed and k more.
    """
    return [
        {
            "lineups": group,
            "players": players,
            "games": deals * players * len(group),
            "seed": (seed + number) % (MAX_NUMBER + 1),
        }
        for number, group in enumerate(equal_groups(lineups, most))
    ]


def group_folders(out: Path, groups: int) -> list[Path]:
    """Where the groups of a field are stored, in a folder that holds nothing else."""
    names = [f"group-{number + 1}-of-{groups}" for number in range(groups)]
    others = sorted(set(os.listdir(out)) - set(names)) if out.is_dir() else []
    if others:
        raise PaxsimError(
            f"out: {out} holds other files ({', '.join(others[:3])}); allowed: a new or empty "
            f"folder, or one with the {groups} groups of this run"
        )
    return [out / name for name in names]


def stored_groups(path: Path) -> list[Path]:
    """The groups that are stored in a folder, in order; none if it is no such folder."""
    names = os.listdir(path) if path.is_dir() else []
    found = sorted((int(match[1]), int(match[2]), name)
                   for name in names if (match := _FOLDER.fullmatch(name)))  # fmt: skip
    if found and [number for number, _, _ in found] != list(range(1, found[0][1] + 1)):
        raise PaxsimError(
            f"run: {path} has {len(found)} of {found[0][1]} groups of line-ups; allowed: all; the "
            "command that made it goes on"
        )
    return [path / name for _, _, name in found]


def merge_groups(results: Sequence[Result]) -> Result:
    """The answers to one question about each group of a field, as one about all of it.

    Parameters
    ----------
    results : sequence of Result
        Of `simulate_field` or `vary_rules`, with line-up groups of one size and a seed for each.
        What is said of the run is that of the first, with ``seeds`` and ``lineups`` of all.
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
    lineups = [lineup for result in results for lineup in lineups_of(result)]
    manifest = {**first.manifest, "seeds": seeds, "lineups": lineups}
    return Result(manifest, bundles, Tables(tables), first.main)


def seeds_of(result: Result) -> list[int]:
    """The seeds of a result's deals: one, or one for each group."""
    return result.manifest.get("seeds") or [result.manifest["plan"]["seed"]]


def lineups_of(result: Result) -> list[list[str]]:
    """The line-ups of a field, of all its groups."""
    first = result.manifest["plan"]["bundles"][0][: result.manifest["question"]["lineups"]]
    return result.manifest.get("lineups") or [match["policies"] for match in first]


def _joined(results: Sequence[Result], name: str) -> pd.DataFrame:
    return pd.concat([result[name] for result in results], ignore_index=True)
