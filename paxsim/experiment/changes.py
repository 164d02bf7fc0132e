"""What other rules, or other bounds to what seats may do, change: pairs on common deals."""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim.experiment.measures import MatchMeasures, change_between
from paxsim.experiment.tables import Row, group_of, make_table, spread
from paxsim.stats import Interval, holm, p_value

Tables = dict[str, pd.DataFrame]
Bundles = list[list[MatchMeasures]]


def changes_by_rules(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
    """Every rule set against the published one."""
    rows: list[Row] = []
    for bundle in bundles:
        base, variant = bundle
        layout = base.layout
        most = max(match.seen("rounds")[1] for match in bundle)
        changes = {
            "rome_change": change_between(base, variant, [layout.rome]),
            "rounds_change": change_between(base, variant, [layout.rounds], (-most, most)),
            **{
                f"seat{seat + 1}_change": change_between(base, variant, [layout.seat(seat)])
                for seat in (0, layout.players - 1)
            },
        }
        row = {**group_of(variant), **spread("rome_wins", variant.rome_rate())}
        for name, change in changes.items():
            row |= {**spread(name, change), f"{name}_p": p_value(change)}
        row |= {"rome_differs": int(variant.detail("differing")[layout.rome])}
        row |= {"games": base.games + variant.games, "blocks": base.blocks}
        rows.append({**row, "example_game": variant.rome_example()})
    return "rule_changes", {"rule_changes": make_table(rows)}


def changes_by_restrictions(question: dict[str, Any], bundles: Bundles) -> tuple[str, Tables]:
    """Every restriction against play as the rules allow it, for whom it holds.

    `question` has, for each bundle, what was forbidden and the position of the only seat that was
    restricted, or None if all were.
    """
    rows: list[Row] = []
    changes: list[Interval] = []
    asked = zip(question["without"], question["positions"], bundles, strict=True)
    for without, position, bundle in asked:
        base, variant = bundle
        layout = base.layout
        whose = base.strategies if position is None else {base.labels[position]: [position]}
        for strategy, places in whose.items():
            changes.append(change_between(base, variant, [layout.share(place) for place in places]))
            rows.append(
                {
                    **group_of(base),
                    "without": without,
                    "seats": "all" if position is None else "1",
                    "strategy": strategy,
                    "position": None if position is None else position + 1,
                    **spread("base_win_rate", base.win_rate(places)),
                    **spread("win_rate", variant.win_rate(places)),
                    **spread("win_change", changes[-1]),
                    **spread("base_rome_wins", base.rome_rate()),
                    **spread("rome_wins", variant.rome_rate()),
                    **spread("rome_change", change_between(base, variant, [layout.rome])),
                    "games": base.games + variant.games,
                    "blocks": base.blocks,
                    "example_game": variant.example(places),
                }
            )
    for row, p in zip(rows, holm([p_value(change) for change in changes]), strict=True):
        row["p_holm"] = float(p)
    table = make_table(rows)
    table["position"] = table["position"].astype("Int64")
    return "restrictions", {"restrictions": table}
