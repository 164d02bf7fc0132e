"""Tables and sentences about strategies: what is sure, and who beats whom."""

from __future__ import annotations

import math

import pandas as pd

from paxsim.report import words
from paxsim.report.findings import SURE, Finding
from paxsim.stats import holm


def mark_sure(standings: pd.DataFrame) -> pd.DataFrame:
    """Standings with ``p_holm`` and ``sure``: does the win rate differ from the fair share?

    The p-values are corrected for all rows together (Holm).
    """
    error = (standings["win_rate_high"] - standings["win_rate_low"]) / (2 * 1.96)
    distance = (standings["win_rate"] - standings["fair_share"]).abs()
    p = [
        math.erfc(d / e / math.sqrt(2)) if e > 0 else float(d == 0)
        for d, e in zip(distance, error, strict=True)
    ]
    corrected = holm(p)
    return standings.assign(p_holm=corrected, sure=[bool(x < SURE) for x in corrected])


def weak_finding(standings: pd.DataFrame) -> Finding:
    """Strategies that are surely below the fair share with every player count."""
    below = standings["sure"] & (standings["win_rate"] < standings["fair_share"])
    counts = standings["players"].nunique()
    always = below.groupby(standings["strategy"]).sum() == counts
    names = sorted(always[always].index)
    if not names:
        text = "No strategy is surely below the fair share with every player count."
        return Finding("weak", text, sure=False)
    verb = "are" if len(names) > 1 else "is"
    text = f"{words.listing(names)} {verb} surely below the fair share with every player count."
    return Finding("weak", text)


def beats_table(payoffs: pd.DataFrame, players: int = 2) -> pd.DataFrame:
    """Pairs in which one strategy surely beats the other, with two players.

    Sure means that the two win rates' intervals do not touch, which is stricter than need be.
    """
    rows = payoffs[payoffs["players"] == players].set_index(["strategy", "against"])
    found = []
    for (name, rival), row in rows.iterrows():
        other = rows.loc[(rival, name)]
        if row["win_rate_low"] > other["win_rate_high"]:
            found.append(
                {
                    "strategy": name,
                    "beats": rival,
                    **{f"win_rate{end}": row[f"win_rate{end}"] for end in ("", "_low", "_high")},
                    "games": row["games"],
                }
            )
    columns = ["strategy", "beats", "win_rate", "win_rate_low", "win_rate_high", "games"]
    return pd.DataFrame(found, columns=columns)


def cycle_finding(beats: pd.DataFrame, standings: pd.DataFrame) -> Finding:
    """Whether the strongest with two players beats all others, or somebody beats it."""
    rows = standings[standings["players"] == 2].sort_values("win_rate", ascending=False)
    best = rows["strategy"].iloc[0]
    beaten = beats[beats["strategy"] == best]["beats"].tolist()
    by = beats[beats["beats"] == best]["strategy"].tolist()
    text = f"With 2 players {best} surely beats {len(beaten)} of {len(rows) - 1} others"
    text += f" and is surely beaten by {words.listing(by)}." if by else " and is beaten by none."
    return Finding("beats", text)
