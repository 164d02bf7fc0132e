"""The first screen of the page: how often Rome wins, who wins with it, and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from paxsim.report.readback import read_table, reading
from paxsim.report.study import SUMMARY
from paxsim.report.subject import STAND_INS
from paxsim.text import brief, in_percent, number

#: How the fields are called, in the order of the rows.
FIELDS = {"weak": "weak field", "all line-ups": "all line-ups", "strong": "strong field"}
#: Rates this near to a half are about a half.
HALF, ABOUT = 0.5, 0.05
#: Strategies that win on points less often than this hardly ever do.
HARDLY = 0.05
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

    In round numbers, each with its interval in brackets.
    """
    found: dict[str, str] = {}
    for study, question, make in (
        ("rome_rate", "How often does Rome win?", _how_often),
        ("rome_rate", "Why?", _why),
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
    text = f"With {most} players in {_brief(row)} of games, "
    if row["lineups"] == 1:
        text += "in the one line-up (who sits at the table) that these strategies make"
    else:
        text += (
            f"on average over the {int(row['lineups'])} line-ups (who sits at the table) that were "
            f"drawn from all strategies; among these it goes from {_brief(row, 'lowest_lineup')} "
            f"to {_brief(row, 'highest_lineup')}"
        )
    rest = [f"with {n} players {_brief(rows.loc[n])}" for n in others]
    return f"{'; '.join([text, *rest])}."


def _why(out: Path, players: list[int]) -> str:
    """What seats that play for Rome do to it, and whether that pays."""
    most, table = _headline(read_table(out / "rome_rate", "conspirators"), players)
    rows = table.set_index("conspirators")
    rome = (
        f"with {most} players Rome wins {_brief(rows.loc[0])} if no seat plays for primus "
        f"conspiratus, {_brief(rows.loc[1])} if one does"
    )
    rome += f", {_brief(rows.loc[2])} if two do" if most > 2 else ""
    if rows.at[1, "rome_wins_low"] <= rows.at[0, "rome_wins_high"]:
        return f"Not because one player plays for it: {rome}."
    joining = _headline(read_table(out / "rome_rate", "joining"), players)[1]
    first = joining.set_index("conspirators").loc[0]
    pays = first["joined_low"] > first["tribune_high"]
    said = "and it pays to be that one" if pays else "though it does not surely pay"
    return f"Because one player who plays for it does much, {said}: {rome}."


def why_weak(out: Path, players: list[int]) -> str:
    """Why Rome wins more in the weak field than where all play against it; empty if it does not."""
    folder = out / "rome_rate"
    if not (folder / "rome_rate.csv").exists():
        return ""
    tables = (read_table(folder, name) for name in ("rome_rate", "conspirators", "alike"))
    with reading(folder / "rome_rate.csv"):
        (most, fields), (_, seats), (_, alike) = (_headline(table, players) for table in tables)
        weak = fields.set_index("field").loc["weak"]
        none = seats.set_index("conspirators").loc[0]
        rates = alike.set_index("strategy")
        named = [name for name in str(weak["members"]).split(", ") if name in rates.index]
        if weak["rome_wins_low"] <= none["rome_wins_high"] or not named or STAND_INS[0] in named:
            return ""
        said = [f"{_brief(rates.loc[name])} with {name}" for name in named]
    return (
        "The weak field does not play for Rome either, but who wins little need not keep Rome "
        f"down: with one of them at all {most} seats Rome wins {', '.join(said)}; with tribune "
        f"{_brief(none)}."
    )


def _brief(row: pd.Series, name: str = "rome_wins") -> str:
    return brief(*(float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))


def _headline(table: pd.DataFrame, players: list[int]) -> tuple[int, pd.DataFrame]:
    """The largest player count of the headlines that a table has, and its rows."""
    known = table["players"].tolist()
    most = max([n for n in players if n in known] or known[:1])
    return most, table[table["players"] == most]


def _who_matters(out: Path, players: list[int]) -> str:
    most, alike = _headline(read_table(out / "rome_rate", "alike"), players)
    rows = alike.sort_values("rome_wins", kind="stable")
    least, greatest = rows.iloc[0], rows.iloc[-1]
    return (
        f"On who plays: with one strategy at all {most} seats Rome wins from {_brief(least)} with "
        f"“{least['strategy']}” to {_brief(greatest)} with “{greatest['strategy']}”."
    )


def _by_deck(table: pd.DataFrame, players: list[int]) -> str:
    rows = _headline(table, players)[1].sort_values("rome_wins", kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    return (
        " And on the cards, whose symbols and values are not published: over all line-ups from "
        f"{_brief(low)} with the deck “{low['deck']}” to {_brief(high)} with the deck "
        f"“{high['deck']}”."
    )


def _who_wins(out: Path, players: list[int]) -> str:
    most, table = _headline(read_table(out / "rome_rate", "friends"), players)
    rows = table.sort_values("with_rome", ascending=False, kind="stable").head(3)
    named = [f"“{row['strategy']}” {_brief(row, 'with_rome')}" for _, row in rows.iterrows()]
    text = (
        "The player who holds primus conspiratus. Those who manage this most often, with "
        f"{most} players, in so many of the games they play: {', '.join(named)}."
    )
    most_points = rows.loc[rows["on_points"].idxmax()]
    if most_points["on_points"] < HARDLY:
        text += (
            " They hardly ever win on points: most often "
            f"“{most_points['strategy']}”, in {_brief(most_points, 'on_points')}."
        )
    return text


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
    now = values[values["in_force"]].iloc[0]
    return (
        f"To bring Rome to about a half: {'; or '.join(parts)}. "
        f"({int(now['players'])} players, all line-ups, deck “{now['deck']}”; with other cards "
        "another value may be needed.)"
    )


def _nearest_to_half(row: pd.Series, values: pd.DataFrame) -> str:
    """The value of a number that brings Rome to about a half, or else the two around it."""
    now = values[values["in_force"]].iloc[0]["value"]
    named = f"instead of {now} {row['meaning']} ({row['rule']})"
    best = values.loc[(values["rome_wins"] - HALF).abs().idxmin()]
    if abs(best["rome_wins"] - HALF) <= ABOUT:
        return f"{best['value']} {named}: {_brief(best)}"
    # A column with empty cells is read as broken numbers.
    ends = [f"{end:g}" if isinstance(end, float) else end for end in (row["from"], row["to"])]
    return (
        f"between {ends[0]} and {ends[1]} {named}: {_brief(row, 'at_from')} and "
        f"{_brief(row, 'at_to')}"
    )


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
    rate, low, high = (float(row[f"rome_wins{end}"]) for end in ("", "_low", "_high"))
    half = (high - low) / 2
    digits = 0 if half >= 0.0095 else 1
    sure = f"±{number(100 * half, 1)}"
    if rate + half > 1:
        sure = f"≥{in_percent(low)}"
    elif rate < half:
        sure = f"≤{in_percent(high)}"
    ends = ""
    if not pd.isna(row.get("lowest_lineup")):
        ends = f"{in_percent(row['lowest_lineup'], 0)} to {in_percent(row['highest_lineup'], 0)}"
    return {"value": in_percent(rate, digits), "sure": sure, "range": ends}
