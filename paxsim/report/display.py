"""Tables as people read them: estimate and interval in one cell, rates in percent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from paxsim.experiment.pooling import MEMBER
from paxsim.text import MISSING, amount, in_percent, number, p_number

#: Rates, shown in percent; their differences too.
RATES = {
    "rome_wins", "rome_alone", "nobody_primus", "with_rome", "on_points", "win_rate", "fair_share",
    "over_fair", "success", "rome_change", "seat1_change", "last_change", "share_of_rome",
    "share", "always", "misfit", "sure_misfit", "decided",
    "half", "last", "chance_best", "lowest", "highest", "seat_change", "change",
    "a_win_rate", "difference", "tribune", "joined", "conspirator", "rome", "winner",
    "lowest_lineup", "highest_lineup", "seat1_over_fair", "at_from", "at_to", "at_near",
    "payoff", "basin", "regret", "stable_draws", "alpha_rank", "before", "after", "gain",
    "others_after", "temptation", "rome_before", "rome_after", "base_win_rate", "base_rome_wins",
    "win_change",
}  # fmt: skip
#: Columns that a meta-game has for each of its strategies: shares of the players.
SHARES = "share_"
#: Columns that every CSV has and no reader of the page needs in each row.
HIDDEN = {"seed", "version", "blocks", "example_game", "solo_level", "decisions"}
#: Columns that are left out if they say the same in every row.
SAME = {
    "deck", "rules", "lineup", "strategies", "lineups", "lineups_played", "estimated_error",
    "starts", "draws", "played", "levels",
}  # fmt: skip
NAMES = {
    "rome_wins": "Rome wins %",
    "rome_alone": "Rome alone %",
    "nobody_primus": "nobody primus %",
    "win_rate": "win rate %",
    "fair_share": "fair %",
    "over_fair": "over fair, points",
    "p_holm": "p (Holm)",
    "rome_change_p_holm": "Rome, p (Holm)",
    "seat1_change_p_holm": "seat 1, p (Holm)",
    "misfit": "misfit, points",
    "sure_misfit": "of it sure, points",
    "decided": "decided %",
    "success": "success %",
    "one_in": "about one in",
    "rome_change": "Rome, points",
    "seat1_change": "seat 1, points",
    "last_change": "last seat, points",
    "rounds_change": "rounds, change",
    "seat1_over_fair": "seat 1 over fair, points",
    "margin": "margin, points, where the players won",
    "players_won": "games the players won",
    "winner": "winner stands %",
    "always": "always right about Rome %",
    "rome": "Rome's win or defeat stands %",
    "going_on": "games that go on",
    "in_force": "in force",
    "lowest_lineup": "lowest line-up %",
    "highest_lineup": "highest line-up %",
    "tribune": "a tribune wins %",
    "joined": "if it joins %",
    "conspirator": "a conspirator wins %",
    "at_from": "Rome there %",
    "at_to": "and there %",
    "near": "about a half at",
    "at_near": "Rome there, about a half, %",
    "with_rome": "wins with Rome %",
    "on_points": "wins on points %",
    "share_of_rome": "of Rome's wins %",
    "share": "share %",
    "chance_best": "chance best %",
    "half": "leader at half wins %",
    "last": "leader before last round wins %",
    "payoff": "a seat wins %",
    "basin": "starts that lead there %",
    "regret": "gain of the best answer, points",
    "stable_draws": "redraws in which it is stable %",
    "alpha_rank": "alpha-rank %",
    "before": "wins before %",
    "after": "wins after %",
    "gain": "gain, points",
    "others_after": "others after %",
    "temptation": "gain of who breaks it, points",
    "rome_before": "Rome before %",
    "rome_after": "Rome after %",
    "base_win_rate": "wins otherwise %",
    "base_rome_wins": "Rome otherwise %",
    "win_change": "wins, points",
    "seat1_change_p": "seat 1, p",
}


@dataclass(frozen=True)
class Cell:
    """A cell of a table: what it says, what it is sorted by, and whether it is a number."""

    text: str
    sort: str
    number: bool


@dataclass(frozen=True)
class Shown:
    """A table ready for the page."""

    headings: list[str]
    numbers: list[bool]
    rows: list[list[Cell]]


def shown_table(table: pd.DataFrame) -> Shown:
    """The columns worth reading, with intervals folded into their estimates."""
    columns = _columns(table)
    rows = [[_cell(row, name) for name in columns] for row in table.to_dict("records")]
    numbers = [pd.api.types.is_numeric_dtype(table[name]) for name in columns]
    return Shown([heading(name) for name in columns], numbers, rows)


def _columns(table: pd.DataFrame) -> list[str]:
    found = []
    for name in table.columns:
        folded = name.endswith(("_low", "_high")) and name.rpartition("_")[0] in table
        constant = name in SAME and table[name].nunique(dropna=False) == 1
        constant |= name == "lineup" and _of_whole_fields(table[name])
        empty = len(table) > 0 and table[name].isna().all()
        if not (folded or constant or empty or name in HIDDEN or name.startswith("holds_")):
            found.append(name)
    # Rows that differ by their deck say so before a reader has to scroll.
    return sorted(found, key=lambda name: name != "deck")


def _of_whole_fields(lineups: pd.Series) -> bool:
    """Whether line-ups name nobody: the rows are about all line-ups of a field."""
    return all(set(str(lineup).split(", ")) == {MEMBER} for lineup in lineups)


def heading(name: str) -> str:
    """A column's heading, with its unit."""
    if name.startswith(SHARES) and name not in NAMES:
        return f"{name.removeprefix(SHARES)} %"
    said = name.replace("_", " ")
    return NAMES.get(name, f"{said} %" if _is_rate(name) else said)


def _is_rate(name: str) -> bool:
    return name in RATES or name.startswith(SHARES)


def _cell(row: dict[str, Any], name: str) -> Cell:
    value = row[name]
    if isinstance(value, bool):
        return Cell("yes" if value else "no", str(value), False)
    if not isinstance(value, (int, float)):
        return Cell("" if pd.isna(value) else str(value), str(value), False)
    if math.isnan(value):
        return Cell(MISSING, "-Infinity", True)
    unit = 100.0 if _is_rate(name) else 1.0
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        return Cell(amount(value, low, high, unit), repr(value), True)
    if name == "p" or name.endswith(("_p", "p_holm")):
        return Cell(p_number(value), repr(value), True)
    if unit == 1.0 and float(value).is_integer():
        return Cell(f"{int(value):,}", repr(value), True)
    return Cell(number(value, 2) if unit == 1.0 else in_percent(value), repr(value), True)
