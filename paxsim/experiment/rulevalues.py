"""What values of a rule do, one row a value: Rome's rate, the first seat's share, rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paxsim.experiment.measures import MatchMeasures, bundle_moments
from paxsim.experiment.tables import Row, group_of, size_of, spread
from paxsim.stats import DIFFERENCE, cautious_difference, contrast
from paxsim.stats.intervals import Bounds


def rule_values(
    fields: Mapping[str, Sequence[Any]], bundles: Sequence[Sequence[MatchMeasures]]
) -> list[Row]:
    """A row for each value of each rule, in the order of the values.

    Parameters
    ----------
    fields : mapping of str to sequence
        Rule fields with their values, the one in force first.
    bundles : sequence of sequence of MatchMeasures
        By field, the matches of its values on common deals.
    """
    rows = []
    for (name, values), bundle in zip(fields.items(), bundles, strict=True):
        found = [
            {
                **group_of(match),
                "rule": name,
                "value": value,
                "in_force": number == 0,
                **_levels(match),
                **_changes(bundle, number),
                **size_of(match, match.rome_example()),
            }
            for number, (value, match) in enumerate(zip(values, bundle, strict=True))
        ]
        rows += sorted(found, key=_order)
    return rows


def _order(row: Row) -> tuple[bool, Any]:
    """Numbers by size; words and switches stay where they are."""
    number = isinstance(row["value"], int) and not isinstance(row["value"], bool)
    return (not number, row["value"] if number else 0)


def _levels(match: MatchMeasures) -> Row:
    """What holds under a rule set."""
    return {
        **spread("rome_wins", match.rome_rate()),
        **spread(
            "seat1_over_fair",
            contrast(match.moments, _over_fair(match), bounds=DIFFERENCE),
        ),
        **spread("rounds", match.rounds()),
    }


def _over_fair(match: MatchMeasures) -> np.ndarray:
    """Weights of the first seat's share less what would be fair."""
    weights = np.zeros(match.layout.size)
    weights[[match.layout.seat(seat) for seat in range(match.players)]] = -1 / match.players
    weights[match.layout.seat(0)] += 1.0
    return weights


def _changes(bundle: Sequence[MatchMeasures], number: int) -> Row:
    """Differences from the rule set in force, within blocks; none for that one itself."""
    base, match = bundle[0], bundle[number]
    rome, rounds = np.zeros(match.layout.size), np.zeros(match.layout.size)
    rome[match.layout.rome] = rounds[match.layout.rounds] = 1.0
    most = max(one.seen("rounds")[1] for one in (base, match))
    asked: dict[str, tuple[np.ndarray, Bounds]] = {
        "rome_change": (rome, DIFFERENCE),
        "seat1_change": (_over_fair(match), DIFFERENCE),
        "rounds_change": (rounds, (-most, most)),
    }
    if number == 0:
        return {f"{name}{end}": np.nan for name in asked for end in ("", "_low", "_high")}
    moments = bundle_moments(bundle)
    row: Row = {}
    for name, (of_match, bounds) in asked.items():
        weights = np.zeros(moments.d)
        weights[match.span] = of_match
        weights[base.span] = -of_match
        row |= spread(name, cautious_difference(moments, weights, bounds=bounds))
    return row
