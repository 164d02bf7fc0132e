"""The first screen of the page: how often Rome wins, who wins with it, and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from paxsim.report.readback import read_table, reading
from paxsim.report.study import SUMMARY
from paxsim.text import in_percent, listing, number

#: How the fields are called, in the order of the rows.
FIELDS = {"weak": "weak field", "all line-ups": "all line-ups", "strong": "strong field"}
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


def short_answers(out: Path, players: list[int]) -> dict[str, str]:
    """What somebody can say after one minute, by question; what no study has asked is not there.

    In round numbers: how sure they are stands in the tables.
    """
    found: dict[str, str] = {}
    for study, question, make in (
        ("rome_rate", "How often does Rome win?", _how_often),
        ("rome_rate", "What does it depend on?", _who_matters),
        ("rome_rate", "Who wins with it?", _who_wins),
        ("dose_response", "Which number to change?", _which_number),
    ):
        if (out / study / SUMMARY).exists():
            with reading(out / study / SUMMARY):
                found[question] = make(out, players)
    decks = out / "decks"
    if (decks / "rome.csv").exists() and "What does it depend on?" in found:
        with reading(decks / "rome.csv"):
            found["What does it depend on?"] += _by_deck(read_table(decks, "rome"), players)
    return found


def _how_often(out: Path, players: list[int]) -> str:
    table = read_table(out / "rome_rate", "rome_rate")
    rows = table[table["field"] == "all line-ups"].set_index("players")
    *others, most = [n for n in players if n in rows.index] or [int(rows.index[0])]
    row = rows.loc[most]
    text = (
        f"With {most} players in {_round(row['rome_wins'])} % of games on average over all "
        f"line-ups, and from {_round(row['lowest_lineup'])} to {_round(row['highest_lineup'])} % "
        "by who plays"
    )
    rest = [f"with {n} in {_round(rows.at[n, 'rome_wins'])} %" for n in others]
    return f"{'; '.join([text, *rest])}."


def _headline(table: pd.DataFrame, players: list[int]) -> tuple[int, pd.DataFrame]:
    """The largest player count of the headlines that a table has, and its rows."""
    known = table["players"].tolist()
    most = max([n for n in players if n in known] or known[:1])
    return most, table[table["players"] == most]


def _who_matters(out: Path, players: list[int]) -> str:
    most, table = _headline(read_table(out / "rome_rate", "conspirators"), players)
    rows = table.set_index("conspirators")["rome_wins"]
    text = (
        f"On who plays: with {most} players Rome wins {_round(rows[0])} % if no seat plays for "
        f"primus conspiratus, and {_round(rows[1])} % if one does"
    )
    return f"{text}; {_round(rows[2])} % if two do." if most > 2 else f"{text}."


def _by_deck(table: pd.DataFrame, players: list[int]) -> str:
    rows = _headline(table, players)[1].sort_values("rome_wins", kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    return (
        f" And on the cards: over all line-ups from {_round(low['rome_wins'])} % (deck "
        f"{low['deck']}) to {_round(high['rome_wins'])} % (deck {high['deck']})."
    )


def _who_wins(out: Path, players: list[int]) -> str:
    most, table = _headline(read_table(out / "rome_rate", "friends"), players)
    rows = table.sort_values("with_rome", ascending=False, kind="stable").head(3)
    named = [
        f"{row['strategy']} ({_round(row['with_rome'])} % of its games)"
        for _, row in rows.iterrows()
    ]
    return f"Who holds primus conspiratus; with {most} players most often {listing(named)}."


def _which_number(out: Path, players: list[int]) -> str:
    crossings = read_table(out / "dose_response", "crossings")
    values = read_table(out / "dose_response", "values")
    crossing = crossings[crossings["crosses"]]
    if crossing.empty:
        return "None that was tried brings Rome to a half by itself."
    reach = (crossing["highest"] - crossing["lowest"]).sort_values(ascending=False, kind="stable")
    parts = [
        _nearest_to_half(row, values[values["rule"] == row["rule"]])
        for _, row in crossing.loc[reach.index].iterrows()
    ]
    count = int(values["players"].iloc[0])
    return f"{'; or '.join(parts)}. ({count} players, all line-ups.)"


def _nearest_to_half(row: pd.Series, values: pd.DataFrame) -> str:
    """The value of a number that brings Rome nearest to a half, and what it is now."""
    best = values.loc[(values["rome_wins"] - 0.5).abs().idxmin()]
    now = values[values["in_force"]].iloc[0]
    return (
        f"{best['value']} {row['meaning']} ({row['rule']}) instead of {now['value']}: Rome wins "
        f"{_round(best['rome_wins'])} % instead of {_round(now['rome_wins'])} %"
    )


def _round(rate: float) -> str:
    """A rate in whole percent; only all is 100, and only none is 0."""
    if 0 < rate < 1:
        return str(min(99, max(1, round(100 * rate))))
    return in_percent(rate, 0)


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
        ends = f"{in_percent(lowest, 0)} to {in_percent(row['highest_lineup'], 0)}"
    return {"value": number(rate, digits), "sure": sure, "range": ends}
