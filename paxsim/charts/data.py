"""What charts draw: a table out of a result, in the form that the chart needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from paxsim.errors import PaxsimError, safe_repr, unknown
from paxsim.experiment.result import DECIMALS

#: The key of ``DataFrame.attrs`` that holds the footer of charts made from the table.
CAPTION = "caption"
#: The columns that say of which match a row is.
MATCH = ("players", "solo_level", "lineup", "deck", "rules", "seed")

#: Histograms by name: the tally's entry, and how the axis is called.
HISTOGRAMS = {
    "rounds": "rounds of a game",
    "winner_points": "points of the winner, where the players won",
    "margins": "points between winner and next, where the players won",
}


def describe(table: pd.DataFrame, caption: str) -> pd.DataFrame:
    """The table with a footer for the charts made from it."""
    table = table.copy()
    table.attrs[CAPTION] = caption
    return table


def caption_of(source: Any) -> str:
    """Games, blocks, seed, deck, rules and version, as far as the source knows them."""
    caption = getattr(source, CAPTION, None)
    if isinstance(caption, str):
        return caption
    if isinstance(source, pd.DataFrame):
        return str(source.attrs.get(CAPTION) or _caption_from_columns(source))
    return ""


def _caption_from_columns(table: pd.DataFrame) -> str:
    words = []
    played = table
    if "lineup" in table:  # the rows of a line-up, one a seat or strategy, are of the same games
        played = table.drop_duplicates([name for name in MATCH if name in table])
    if "games" in table:
        words.append(f"{int(played['games'].sum()):,} games")
    if "blocks" in table:
        words.append(f"{int(played['blocks'].sum()):,} blocks")
    for name, many in (("seed", "seeds"), ("deck", "decks"), ("rules", "rule sets"),
                       ("version", "versions")):  # fmt: skip
        if name in table:
            values = [str(value) for value in dict.fromkeys(table[name])]
            words.append(
                f"{name} {', '.join(values)}" if len(values) < 4 else f"{len(values)} {many}"
            )
    return ", ".join(words)


def table_of(source: Any, name: str) -> pd.DataFrame:
    """The table to draw: the source itself, or the one of that name of a result.

    It has as many decimals as files have, so that a chart is the same on every machine.
    """
    table = source if isinstance(source, pd.DataFrame) else checked_result(source)[name]
    return table.round(DECIMALS)


def checked_result(source: Any) -> Any:
    """The source if it is a result."""
    if not hasattr(source, "tables") or not hasattr(source, "matches"):
        raise PaxsimError(
            f"source: found {safe_repr(source)}; allowed: a result, or one of its tables"
        )
    return source


def only(table: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows with these values; None and missing columns do not restrict."""
    for column, value in wanted.items():
        if value is not None and column in table:
            rows = table[table[column] == value]
            if rows.empty:
                known = list(dict.fromkeys(table[column].astype(str)))
                raise PaxsimError(
                    f"{column}: found {safe_repr(value)}; allowed: {', '.join(known)}"
                )
            table = rows
    return table


def one_value(table: pd.DataFrame, column: str, chosen: Any) -> Any:
    """The chosen value of a column, or its only one, or its first."""
    if chosen is not None or column not in table:
        return chosen
    if table.empty:
        raise PaxsimError("source: found a table without rows; allowed: at least one")
    return table[column].iloc[0]


def how_games_were_won(source: Any) -> pd.DataFrame:
    """Shares of games won with Rome, on points, and by Rome alone: a row a match."""
    if isinstance(source, pd.DataFrame):
        return source
    rome = table_of(source, "rome")
    label = rome["players"].astype(str) + " players"
    if rome["lineup"].nunique() > rome["players"].nunique():
        label = label + ": " + rome["lineup"]
    return pd.DataFrame(
        {
            "label": label,
            "players": rome["players"],
            "with_rome": rome["rome_wins"] - rome["rome_alone"],
            "on_points": 1.0 - rome["rome_wins"],
            "rome_alone": rome["rome_alone"],
        }
    )


def histogram_table(source: Any, name: str) -> pd.DataFrame:
    """Shares of games by value of a histogram: columns players, value, share."""
    if name not in HISTOGRAMS:
        raise unknown("name", name, HISTOGRAMS)
    if isinstance(source, pd.DataFrame):
        return source
    pooled: dict[int, Any] = {}
    for match in checked_result(source).matches:
        pooled[match.players] = pooled.get(match.players, 0) + match.detail(name)
    rows = []
    for players, counts in pooled.items():
        total = counts.sum()
        for value in np.flatnonzero(counts):
            share = counts[value] / total
            rows.append({"players": players, "value": int(value), "share": float(share)})
    return pd.DataFrame(rows, columns=["players", "value", "share"])
