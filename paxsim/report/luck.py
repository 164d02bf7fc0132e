"""Tables and sentences about luck and skill, length, and lead changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from paxsim.report import words
from paxsim.report.findings import Finding, numbers
from paxsim.stats import Moments, contrast, wilson


def luck_finding(shares: pd.DataFrame, players: int) -> Finding:
    """How the outcome splits into strategy, seat and deal, in the first field of the table.

    Parameters
    ----------
    shares : pandas.DataFrame
        Columns ``field``, ``players``, ``part``, ``share`` with ``_low`` and ``_high``.
    players : int
        The player count.
    """
    field = shares["field"].iloc[0]
    rows = shares[(shares["players"] == players) & (shares["field"] == field)].set_index("part")
    said = {part: _percent(row) for part, row in rows.iterrows()}
    deal = rows.loc[["deal_seat", "deal_strategy"], "share"].sum()
    strategy = rows.loc["strategy"]
    text = (
        f"With {players} players ({field}) strategy makes up {said['strategy']} of the variance of "
        f"the outcome and seat {said['seat']}; the deal makes up {100 * deal:.0f} %"
    )
    rest = float(rows.at["rest", "share"])
    text += (
        ", which includes who met whom where." if players == 2 else
        f", and who met whom where {100 * rest:.0f} %."
    )  # fmt: skip
    return Finding(f"luck/{players}", text, *numbers(strategy, "share"))


def _percent(row: Any) -> str:
    return words.percent(*numbers(row, "share"))


def length_finding(games: pd.DataFrame) -> Finding:
    """How long games are, and by how much they are won, with the fewest and the most players."""
    rows = games.sort_values("players")
    parts = []
    for row in (rows.iloc[0], rows.iloc[-1]):
        rounds = words.amount(row["rounds"], row["rounds_low"], row["rounds_high"])
        margin = words.amount(row["margin"], row["margin_low"], row["margin_high"])
        parts.append(
            f"with {int(row['players'])} players {rounds} rounds, and is won on points by {margin}"
        )
    return Finding("length", f"A game takes {'; '.join(parts)}.")


def lead_row(found: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Mean lead changes and how often leaders win; all deals differ, so games are the units."""
    moments = Moments.of(np.asarray(found["changes"], float)[:, None])
    changes = contrast(moments, [1.0])
    row = {"lead_changes": changes.estimate, "lead_changes_low": changes.low,
           "lead_changes_high": changes.high}  # fmt: skip
    for name in ("half", "last"):
        wins = np.asarray(found[name])
        low, high = wilson(float(wins.sum()), len(wins))
        row |= {name: float(wins.mean()), f"{name}_low": low, f"{name}_high": high}
    return row


def lead_finding(leads: pd.DataFrame, players: int) -> Finding:
    """How open a game is: lead changes, and whether the leader at half time wins."""
    row = leads[leads["players"] == players].iloc[0]
    half = numbers(row, "half")
    changes = words.amount(row["lead_changes"], row["lead_changes_low"], row["lead_changes_high"])
    text = (
        f"With {players} players the lead changes {changes} times a game, and who leads at half "
        f"time wins in {words.percent(*half)} of games."
    )
    return Finding(f"leads/{players}", text, *half)
