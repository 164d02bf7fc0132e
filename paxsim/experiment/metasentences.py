"""A meta-game in sentences, made from its tables: for the terminal and for the report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim.gametheory.states import CYCLE, PURE
from paxsim.text import in_percent, percent, points

#: A basin below this share of the starts is not worth a word.
NO_BASIN = 0.005
_NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}


def numeral(count: int) -> str:
    """A number of seats as a word."""
    return _NUMERALS[count]


def summary(states: pd.DataFrame, coalitions: pd.DataFrame) -> list[str]:
    """What came out, the answer first.

    Parameters
    ----------
    states, coalitions : pandas.DataFrame
        The tables of a meta-game.
    """
    said = [where_players_end(states)]
    for _, state in reached(states).iterrows():
        if state["kind"] != CYCLE:
            said.append(f"{how_firm(state)} {who_gains(state, coalitions)}")
    return [*said, *_how_known(states.iloc[0])]


def reached(states: pd.DataFrame) -> pd.DataFrame:
    """States that the dynamics lead to, the largest basin first."""
    found = states[states["basin"] >= NO_BASIN]
    return found.sort_values("basin", ascending=False, kind="stable")


def where_players_end(states: pd.DataFrame) -> str:
    """Where the dynamics lead, and how often Rome wins there."""
    found = reached(states)
    if found.empty:
        return "Players who answer each other do not settle anywhere within the steps looked at."
    first = found.iloc[0]
    if len(found) == 1 and first["basin"] > 1 - NO_BASIN:
        return f"Starting anywhere, players {ending(first)}; there Rome wins {_rome(first)}."
    ways = [
        f"{ending(state)} ({_share(state['basin'])} of starts; Rome wins {_rome(state)})"
        for _, state in found.iterrows()
    ]
    rest = 1 - found["basin"].sum()
    more = f" From {_share(rest)} of starts they had not settled." if rest >= NO_BASIN else ""
    start = "It depends on where they start: players" if len(found) > 1 else "Players"
    return f"{start} {'; or '.join(ways)}.{more}"


def ending(state: Any) -> str:
    """``end with weighted at all seats``, or with a mixture, or go round in a cycle."""
    if state["kind"] == CYCLE:
        return f"go round in a {state['state']}"
    return f"end {place(state)}"


def place(state: Any) -> str:
    """``with weighted at all seats``, or ``in the mixture ...``."""
    if state["kind"] == PURE:
        return f"with {state['state']} at all seats"
    return f"in the mixture {state['state']}"


def how_firm(state: Any) -> str:
    """Whether somebody gains by leaving a state alone, and how sure that is."""
    where = place(state)
    sure = f"(so in {_share(state['stable_draws'])} of {state['draws']} redraws of the blocks)"
    if state["stable"]:
        return f"Nobody gains by leaving alone {_from(where)} {sure}."
    gain = points(state["regret"], state["regret_low"], state["regret_high"])
    return f"Who leaves alone {_from(where)} gains up to {gain}."


def _from(where: str) -> str:
    return f"once all play {where[5:-13]}" if where.startswith("with ") else f"when {where}"


def who_gains(state: Any, coalitions: pd.DataFrame) -> str:
    """What two or more seats surely gain by leaving a state together, the best coalition first."""
    here = coalitions[(coalitions["state"] == state["state"]) & (coalitions["seats"] > 1)]
    sure = here[here["gain_low"] > 0].sort_values("gain", ascending=False, kind="stable")
    if sure.empty:
        return f"No {two_to(int(state['players']))} seats surely gain by leaving together."
    return coalition_sentence(sure.iloc[0])


def two_to(players: int) -> str:
    """``two``, or ``two to four``: how many seats a coalition can have."""
    return "two" if players == 2 else f"two to {numeral(players)}"


def coalition_sentence(row: Any) -> str:
    """What a coalition gains, what it does to Rome, and whether it holds together."""
    who = f"{numeral(int(row['seats'])).capitalize()} who play {row['strategy']} together"
    change = points(row["gain"], row["gain_low"], row["gain_high"])
    verb = "gain" if row["gain_low"] > 0 else "lose" if row["gain_high"] < 0 else "get"
    each = f"{_plain(row['after'])} of the games each instead of {_plain(row['before'])} ({change})"
    others = "" if pd.isna(row["others_after"]) else (
        f", the others {_plain(row['others_after'])}")  # fmt: skip
    rome = f"Rome then wins {_rome(row, 'rome_after')} instead of {_plain(row['rome_before'])}"
    said = f"{who} {verb}: they win {each}{others}; {rome}"
    if row["seats"] > 1 and row["temptation_low"] > 0:
        more = points(row["temptation"], row["temptation_low"], row["temptation_high"])
        return f"{said}; but one of them gains another {more} by breaking it."
    return f"{said}."


def best_fighters(coalitions: pd.DataFrame, state: str, seats: int) -> Any | None:
    """The coalition of so many seats that leaves Rome the least; None without any."""
    here = coalitions[(coalitions["state"] == state) & (coalitions["seats"] == seats)]
    return None if here.empty else here.loc[here["rome_after"].idxmin()]


def _how_known(row: Any) -> list[str]:
    """What was not played, if anything."""
    if row["lineups_played"] == row["lineups"]:
        return []
    error = row["estimated_error"]
    known = "too few were played to tell how well"
    if not pd.isna(error):
        known = f"to {in_percent(error)} percentage points (root mean square, line-ups left out)"
    return [
        f"Of {row['lineups']:,} line-ups {row['lineups_played']:,} were played; the others are "
        f"estimated from these, {known}."
    ]


def _rome(row: Any, name: str = "rome_wins") -> str:
    return percent(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _plain(rate: float) -> str:
    return f"{in_percent(rate)} %"


def _share(share: float) -> str:
    return f"{in_percent(share, 0)} %"
