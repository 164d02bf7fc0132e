"""Study of solo games: success by level, and over a whole campaign.

A campaign is the five levels in order, each with new deals: its chance is the product of theirs.
"""

from __future__ import annotations

import math

import pandas as pd

from paxsim import charts
from paxsim.report.study import Finding, Runs, Section, caption, estimate_of
from paxsim.rules import SOLO_LEVELS
from paxsim.text import listing, percent

TITLE = "Solo"
QUESTION = "How often does each strategy succeed at each solo level, and in a whole campaign?"
#: A chance is called "one in so many" if the ends of its interval differ by a smaller factor.
KNOWN_FACTOR = 10


def run(runs: Runs) -> Section:
    """Play every level with every strategy."""
    section = Section("solo_ladder", TITLE, QUESTION)
    if not runs.subject.solo_strategies:
        section.left_out = "None of the strategies is for solo games."
        return section
    result, footer = runs.solo, caption([runs.solo])
    note = same_note(result["levels"])
    levels = section.table("levels", "Success by level and strategy", result["levels"], note)
    section.find(*(level_finding(levels, level) for level in SOLO_LEVELS))
    many = levels["strategy"].nunique()
    figure, ax = charts.panels(width=4.6, height=1.1 + 0.33 * many)
    charts.strategy_heatmap(levels, value="success", columns="level", fair=None, ax=ax,
                            title="Success in solo (%)", caption=footer)  # fmt: skip
    section.chart("levels", "Success by level and strategy", figure,
                  "Heatmap of success, strategies by solo level; lighter is more.")  # fmt: skip

    campaigns = result["campaigns"].sort_values("success", ascending=False, kind="stable")
    ends = (estimate_of(row, "success") for row in campaigns.to_dict("records"))
    campaigns.insert(2, "one_in", [one_in(*each) for each in ends])
    section.table("campaigns", "Chance of a whole campaign", campaigns,
                  "one in: campaigns per success; – with too few games to know it.")  # fmt: skip
    section.find(campaign_finding(campaigns))
    figure, ax = charts.panels(width=4.4, height=1.1 + 0.22 * many)
    charts.forest(campaigns, "success", by="strategy", ax=ax, log=True, caption=footer,
                  label="chance of all five levels (%, logarithmic)",
                  title="A whole campaign")  # fmt: skip
    section.chart("campaigns", "Chance of a whole campaign", figure,
                  "Chance of a campaign with its interval, one row per strategy.")  # fmt: skip
    return section


def one_in(chance: float, low: float, high: float) -> float:
    """Return the reciprocal of a chance with two significant figures; nan if hardly known."""
    return float(f"{1 / chance:.2g}") if high < KNOWN_FACTOR * low else float("nan")


def same_note(levels: pd.DataFrame) -> str:
    """Return which strategies play identically alone, so that no reader suspects a mistake."""
    rates = levels.pivot(index="strategy", columns="level", values="success")
    same = [list(rows.index) for _, rows in rates.groupby(rates.columns.tolist()) if len(rows) > 1]
    return f"Identical at every level: {'; '.join(map(listing, same))}." if same else ""


def level_finding(levels: pd.DataFrame, level: int) -> Finding:
    """Return the best success at a solo level."""
    rows = levels[levels["level"] == level].sort_values("success", ascending=False, kind="stable")
    best = rows.iloc[0]
    estimate = estimate_of(best, "success")
    key = f"solo/{level}"
    if best["success"] == 0:
        text = (
            f"At solo level {level} no strategy succeeded in {int(best['games']):,} games each: "
            f"{percent(*estimate)}."
        )
        cells = {"best strategy": "none succeeds", "success": percent(*estimate)}
        return Finding(key, text, *estimate, False, cells)
    rivals = rows.loc[rows["success_high"] >= estimate[1], "strategy"].astype(str).tolist()[1:]
    text = f"At solo level {level} {best['strategy']} does best: {percent(*estimate)} success"
    cells = {"best strategy": str(best["strategy"]), "success": percent(*estimate)}
    if rivals:
        text += f", not clearly more than {listing(rivals[:4])}"
        text += f" and {len(rivals) - 4} more" if len(rivals) > 4 else ""
        cells["not clearly more than"] = listing(rivals)
    return Finding(key, f"{text}.", *estimate, not rivals, cells)


def campaign_finding(campaigns: pd.DataFrame) -> Finding:
    """Return the best chance of a whole campaign."""
    best = campaigns.sort_values("success", ascending=False, kind="stable").iloc[0]
    estimate = estimate_of(best, "success")
    if estimate[0] == 0:
        text = "No strategy's chance of a whole campaign of five levels differs clearly from 0."
        return Finding("campaign", text, *estimate, False)
    about = one_in(*estimate)
    about_one_in = "" if math.isnan(about) else f", about 1 in {int(about):,}"
    text = (
        f"A whole campaign of five levels succeeds at best in {percent(*estimate)}{about_one_in}, "
        f"with {best['strategy']}."
    )
    return Finding("campaign", text, *estimate)
