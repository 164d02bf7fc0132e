"""Sentences about solo games."""

from __future__ import annotations

import pandas as pd

from paxsim.report import words
from paxsim.report.findings import Finding, numbers


def level_finding(levels: pd.DataFrame, level: int) -> Finding:
    """The best success at a solo level."""
    rows = levels[levels["level"] == level].sort_values("success", ascending=False)
    best = rows.iloc[0]
    found = numbers(best, "success")
    if best["success"] == 0:
        text = (
            f"At solo level {level} no strategy succeeded in {int(best['games']):,} games each: "
            f"a success rate of at most {100 * best['success_high']:.2f} %."
        )
        return Finding(f"solo/{level}", text, *found, False)
    level_with = [
        str(row["strategy"]) for _, row in rows.iterrows() if row["success_high"] >= found[1]
    ][1:]
    text = f"At solo level {level} {best['strategy']} does best: {words.percent(*found)} success"
    if level_with:
        text += f", not clearly more than {words.listing(level_with[:4])}"
        text += f" and {len(level_with) - 4} more" if len(level_with) > 4 else ""
    return Finding(f"solo/{level}", f"{text}.", *found, not level_with)


def campaign_finding(campaigns: pd.DataFrame) -> Finding:
    """The best chance of a whole campaign."""
    best = campaigns.sort_values("success", ascending=False).iloc[0]
    value, low, high = numbers(best, "success")
    if value == 0:
        text = "No strategy's chance of a whole campaign of five levels can be told from 0."
        return Finding("campaign", text, value, low, high, False)
    said = f"{100 * value:.2g} % (between {100 * low:.2g} and {100 * high:.2g} %)"
    text = f"A whole campaign of five levels succeeds at best in {said}, with {best['strategy']}."
    return Finding("campaign", text, value, low, high)
