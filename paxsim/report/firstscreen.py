"""The first screen of the page: how often Rome wins, who wins with it, and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from paxsim.report.tablefiles import read_table, reading
from paxsim.text import number

#: How the fields are called, in the order of the rows.
FIELDS = {"weak": "weak field", "mixed": "all line-ups", "strong": "strong field"}
#: Seats that play for primus conspiratus, in words.
SEATS = ("no seat", "one seat", "two seats", "three seats", "four seats")


def rome_table(out: Path, players: list[int]) -> dict[str, Any] | None:
    """Rome's rate by who plays, a row a situation and a column a player count.

    None as long as the study of Rome's rate has not run.
    """
    folder = out / "rome_rate"
    if not (folder / "rome_rate.csv").exists():
        return None
    fields, seats = read_table(folder, "rome_rate"), read_table(folder, "conspirators")
    with reading(folder / "rome_rate.csv"):
        shown = [n for n in players if (fields["players"] == n).any()]
        rows = [*_by_seats(seats, shown), *_by_field(fields, shown)]
        games = int(fields["games"].sum() + seats["games"].sum())
    return {"players": shown, "rows": rows, "games": f"{games:,}"}


def _by_seats(table: pd.DataFrame, players: list[int]) -> list[dict[str, Any]]:
    """With no, one, two ... seats that play for primus conspiratus."""
    rows = []
    for seats in range(max(players) + 1):
        cells = []
        for count in players:
            found = table[(table["players"] == count) & (table["conspirators"] == seats)]
            cells.append(_cell(found.iloc[0]) if len(found) else None)
        many = SEATS[seats] if seats < len(SEATS) else f"{seats} seats"
        verb = "do" if seats > 1 else "does"
        who = f"{many} {verb}" if seats else "no seat plays for primus conspiratus"
        rows.append({"who": who, "members": "", "cells": cells, "group": "seats"})
    return rows


def _by_field(table: pd.DataFrame, players: list[int]) -> list[dict[str, Any]]:
    """In the weak and the strong field, and over all line-ups."""
    rows = []
    for field, said in FIELDS.items():
        found = table[table["field"] == field].set_index("players")
        cells = [_cell(found.loc[count]) if count in found.index else None for count in players]
        rows.append(
            {"who": said, "members": found["members"].iloc[0], "cells": cells, "group": "fields"}
        )
    return rows


def _cell(row: Any) -> dict[str, str]:
    """Rome's rate in percent, half its interval, and the range over line-ups where there is one.

    At the ends of the scale the interval's other end stands for the half.
    """
    rate, low, high = (100 * row[f"rome_wins{end}"] for end in ("", "_low", "_high"))
    half = (high - low) / 2
    digits = 0 if half >= 0.95 else 1
    sure = f"±{number(half, 1)}"
    if rate + half > 100:
        sure = f"≥{number(low, 1)}"
    elif rate < half:
        sure = f"≤{number(high, 1)}"
    lowest = row.get("lowest_lineup")
    ends = ""
    if lowest is not None and not pd.isna(lowest):
        ends = f"{100 * lowest:.0f} to {100 * row['highest_lineup']:.0f}"
    return {"value": number(rate, digits), "sure": sure, "range": ends}
