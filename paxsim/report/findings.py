"""Findings: sentences made from tables, each with its number and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from paxsim.report import words

SURE = 0.05


@dataclass(frozen=True)
class Finding:
    """A sentence and the numbers that it was made from.

    Attributes
    ----------
    key : str
        What it is about, e.g. ``rome/2``.
    text : str
        The sentence.
    estimate, low, high : float or None
        The number that it is about and its interval, as in the table.
    sure : bool
        Whether the sentence claims something that the interval supports.
    """

    key: str
    text: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    sure: bool = True


def numbers(row: Any, name: str) -> tuple[float, float, float]:
    """A row's estimate with the ends of its interval."""
    return float(row[name]), float(row[f"{name}_low"]), float(row[f"{name}_high"])


def rome_finding(table: pd.DataFrame, players: int) -> Finding:
    """How often Rome wins with so many players, in the mixed field and in the others.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``field``, ``players``, ``rome_wins`` with ``_low`` and ``_high``; the fields are
        ``mixed``, ``best`` and others, each of one strategy alone.
    players : int
        The player count.
    """
    rows = table[table["players"] == players].set_index("field")
    value, low, high = numbers(rows.loc["mixed"], "rome_wins")
    text = (
        f"With {players} players Rome wins {words.percent(value, low, high)} of games in the mixed "
        f"field: {words.against_half(low, high)}."
    )
    more = []
    if "best" in rows.index:
        more.append(f"among the strongest {words.percent(*numbers(rows.loc['best'], 'rome_wins'))}")
    alike = rows.drop(index=["mixed", "best"], errors="ignore")["rome_wins"]
    if len(alike):
        more.append(f"with one strategy at all seats {words.span(alike.tolist())}")
    if more:
        text += f" It is {', and '.join(more)}."
    return Finding(f"rome/{players}", text, value, low, high, words.side_of(low, high, 0.5) != 0)


def seat_finding(seats: pd.DataFrame, players: int) -> Finding:
    """Which seat is favoured with so many players, and which is not.

    Parameters
    ----------
    seats : pandas.DataFrame
        A result's table ``seats``.
    players : int
        The player count.
    """
    rows = seats[seats["players"] == players].sort_values("over_fair", ascending=False)
    best, worst = rows.iloc[0], rows.iloc[-1]
    value, low, high = numbers(best, "over_fair")
    key = f"seat/{players}"
    if best["p_holm"] >= SURE and worst["p_holm"] >= SURE:
        widest = max(rows["over_fair_high"].max(), -rows["over_fair_low"].min())
        text = (
            f"With {players} players no seat is clearly favoured; none can be further than "
            f"{100 * widest:.1f} percentage points from its fair share."
        )
        return Finding(key, text, value, low, high, False)
    fair = f"{100 * best['fair_share']:.1f} %"
    parts = []
    if best["p_holm"] < SURE:
        rate = words.percent(*numbers(best, "win_rate"))
        parts.append(f"seat {int(best['seat'])} is favoured with {rate} of wins")
    if worst["p_holm"] < SURE:
        rate = words.percent(*numbers(worst, "win_rate"))
        parts.append(f"seat {int(worst['seat'])} has least with {rate}")
    return Finding(
        key,
        f"With {players} players {', and '.join(parts)}; {fair} would be fair.",
        value,
        low,
        high,
    )


def best_strategy_finding(standings: pd.DataFrame, players: int) -> Finding:
    """Which strategy wins most with so many players, and whether its lead is sure.

    Parameters
    ----------
    standings : pandas.DataFrame
        A tournament's table ``standings``.
    players : int
        The player count.
    """
    rows = standings[standings["players"] == players].sort_values("win_rate", ascending=False)
    best, second = rows.iloc[0], rows.iloc[1]
    value, low, high = numbers(best, "win_rate")
    rate = words.percent(value, low, high)
    fair = f"{100 * best['fair_share']:.1f} %"
    key = f"best/{players}"
    if low > second["win_rate_high"]:
        text = (
            f"With {players} players {best['strategy']} wins most: {rate} of its games where "
            f"{fair} would be fair, ahead of {second['strategy']} "
            f"({words.percent(*numbers(second, 'win_rate'))})."
        )
        return Finding(key, text, value, low, high)
    level = [str(row["strategy"]) for _, row in rows.iterrows() if row["win_rate_high"] >= low][1:]
    text = (
        f"With {players} players {best['strategy']} is in front with {rate} of its games "
        f"(fair: {fair}), but it can't be told from {words.listing(level)}."
    )
    return Finding(key, text, value, low, high, False)


def change_finding(key: str, text: str, change: tuple[float, float, float]) -> Finding:
    """A sentence about a change on common deals; `text` has places {by} and {verdict}.

    ``{by}`` becomes the change with its uncertainty, ``{verdict}`` whether it is sure.
    """
    side = words.side_of(change[1], change[2], 0.0)
    verdict = {1: "more", -1: "less", 0: "no clear change"}[side]
    said = text.format(by=words.points(*change), verdict=verdict)
    return Finding(key, said, *change, side != 0)


def largest_changes_finding(changes: pd.DataFrame, value: str, what: str, key: str) -> Finding:
    """Which change of the rules matters most for something, and which do not show at all.

    Parameters
    ----------
    changes : pandas.DataFrame
        A table ``rule_changes``.
    value : str
        The column of the change, with ``_low`` and ``_high``.
    what, key : str
        What changes, in words; and the finding's key.
    """
    side = [
        words.side_of(low, high, 0.0)
        for low, high in zip(changes[f"{value}_low"], changes[f"{value}_high"], strict=True)
    ]
    sure = changes[[s != 0 for s in side]]
    if sure.empty:
        return Finding(key, f"None of the {len(changes)} changes of the rules moves {what} by "
                       "more than its uncertainty.", sure=False)  # fmt: skip
    order = sure.reindex(sure[value].abs().sort_values(ascending=False).index)
    top = order.iloc[0]
    text = f"{top['rules']} moves {what} most, by {words.points(*numbers(top, value))}"
    if len(order) > 1:
        rest = [f"{row['rules']} ({words.points(*numbers(row, value))})"
                for _, row in order.iloc[1:4].iterrows()]  # fmt: skip
        text += f"; then {words.listing(rest)}"
    text += f". {len(sure)} of {len(changes)} changes move it by more than their uncertainty."
    return Finding(key, text, *numbers(top, value))
