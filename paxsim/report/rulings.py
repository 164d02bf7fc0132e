"""Tables and sentences about changes of the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from paxsim.experiment.results import Result
from paxsim.report import words
from paxsim.report.findings import Finding, numbers


def ruling_findings(rulings: Mapping[str, pd.DataFrame]) -> list[Finding]:
    """What each ruling changes in Rome's rate, or that it changes nothing that shows."""
    found = []
    for name, table in rulings.items():
        row = table.iloc[0]
        change = numbers(row, "rome_change")
        side = words.side_of(change[1], change[2], 0.0)
        said = f"Ruling {name} the other way ({row['rules']}, {int(row['players'])} players)"
        if side == 0:
            reach = 100 * max(abs(change[1]), abs(change[2]))
            text = (
                f"{said} changes Rome's rate by at most {reach:.1f} percentage points, if at all."
            )
        else:
            text = f"{said} changes Rome's rate by {words.points(*change)}."
        found.append(Finding(f"ruling/{name}", text, *change, side != 0))
    return found


def win_changes(results: Sequence[Result]) -> pd.DataFrame:
    """Change of every strategy's win rate under every changed rule set."""
    rows = []
    for base, variant in (bundle for result in results for bundle in result.bundles):
        for name, places in base.strategies.items():
            before, after = base.win_rate(places), variant.win_rate(places)
            change = after.estimate - before.estimate
            half = 1.96 * math.hypot(before.se, after.se)
            rows.append(
                {
                    "players": base.players,
                    "rules": ", ".join(f"{k}={v}" for k, v in variant.info["rules"].items()),
                    "strategy": name,
                    "change": change,
                    "change_low": change - half,
                    "change_high": change + half,
                    "deck": base.info["deck"],
                    "games": base.games + variant.games,
                    "blocks": base.blocks,
                }
            )
    return pd.DataFrame(rows)
