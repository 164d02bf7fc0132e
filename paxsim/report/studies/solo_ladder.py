"""How far does each strategy get alone: success by solo level, and over a whole campaign?

A campaign is the five levels in order, each dealt anew: its chance is the product of the levels'.
"""

from __future__ import annotations

import pandas as pd

from paxsim import charts
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers
from paxsim.report.study import Finding, Study
from paxsim.report.subject import Subject
from paxsim.rules import SOLO_LEVELS
from paxsim.text import listing, percent

TITLE = "Solo"
QUESTION = "How often does each strategy succeed at each solo level, and in a whole campaign?"


def unfit(subject: Subject) -> str:
    """Why there is nothing to ask: nobody plays alone."""
    return "" if subject.solo_strategies else "None of the strategies is for solo games."


def run(study: Study) -> None:
    """Play every level with every strategy."""
    result = findings.play_solo(study)
    alike = alike_note(result["levels"])
    levels = study.table("levels", "Success by level and strategy", result["levels"], alike)
    study.find(*(level_finding(levels, level) for level in SOLO_LEVELS))
    figures = []
    many = levels["strategy"].nunique()
    for width, row in ((7.0, 0.3), (4.6, 0.33)):
        figure, ax = charts.panels(width=width, height=1.1 + row * many)
        charts.strategy_heatmap(charts.describe(levels, findings.caption([result])),
                                value="success",
                                columns="level", fair=None, ax=ax,
                                title="Success in solo (%)")  # fmt: skip
        figures.append(figure)
    study.chart("levels", f"Success by level and strategy. {alike}".rstrip(". "), figures[0],
                "Heatmap of success rates, strategies by solo level; lighter is more.",
                narrow=figures[1])  # fmt: skip

    campaigns = result["campaigns"].sort_values("success", ascending=False, kind="stable")
    campaigns.insert(2, "one_in", [one_in(chance) for chance in campaigns["success"]])
    study.table("campaigns", "Chance of a whole campaign", campaigns,
                "About one in so many campaigns succeeds; – where none does that could be told "
                "from 0.")  # fmt: skip
    study.find(campaign_finding(campaigns))
    figures = []
    for width, label in ((6.6, "chance of winning all five levels in a row (%, logarithmic)"),
                         (4.4, "chance of all five levels (%, logarithmic)")):  # fmt: skip
        figure, ax = charts.panels(width=width, height=1.1 + 0.22 * many)
        charts.forest(charts.describe(campaigns, findings.caption([result])), "success",
                      by="strategy", label=label, ax=ax, log=True,
                      title="A whole campaign")  # fmt: skip
        figures.append(figure)
    study.chart("campaigns", "Chance of a whole campaign", figures[0],
                "Chance of a whole campaign with its interval, one row a strategy.",
                narrow=figures[1])  # fmt: skip


def one_in(chance: float) -> float:
    """In how many tries something happens once, in two figures that count; nan if it never does."""
    return float(f"{1 / chance:.2g}") if chance > 0 else float("nan")


# --- sentences ------------------------------------------------------------------------------


def alike_note(levels: pd.DataFrame) -> str:
    """Which strategies do the same alone at every level, so that nobody takes it for a mistake."""
    rates = levels.pivot(index="strategy", columns="level", values="success")
    same = [list(rows.index) for _, rows in rates.groupby(rates.columns.tolist()) if len(rows) > 1]
    said = "; ".join(listing(names) for names in same)
    return f"At every level just the same alone: {said}." if same else ""


def level_finding(levels: pd.DataFrame, level: int) -> Finding:
    """The best success at a solo level."""
    rows = levels[levels["level"] == level].sort_values("success", ascending=False, kind="stable")
    best = rows.iloc[0]
    found = numbers(best, "success")
    if best["success"] == 0:
        text = (
            f"At solo level {level} no strategy succeeded in {int(best['games']):,} games each: "
            f"{percent(*found)}."
        )
        cells = {"does best": "none succeeds", "success": percent(*found)}
        return Finding(f"solo/{level}", text, *found, False, cells)
    level_with = [
        str(row["strategy"]) for _, row in rows.iterrows() if row["success_high"] >= found[1]
    ][1:]
    text = f"At solo level {level} {best['strategy']} does best: {percent(*found)} success"
    cells = {"does best": str(best["strategy"]), "success": percent(*found)}
    if level_with:
        text += f", not clearly more than {listing(level_with[:4])}"
        text += f" and {len(level_with) - 4} more" if len(level_with) > 4 else ""
        cells["not clearly more than"] = listing(level_with)
    return Finding(f"solo/{level}", f"{text}.", *found, not level_with, cells)


def campaign_finding(campaigns: pd.DataFrame) -> Finding:
    """The best chance of a whole campaign."""
    best = campaigns.sort_values("success", ascending=False, kind="stable").iloc[0]
    value, low, high = numbers(best, "success")
    if value == 0:
        text = "No strategy's chance of a whole campaign of five levels can be told from 0."
        return Finding("campaign", text, value, low, high, False)
    text = (
        f"A whole campaign of five levels succeeds at best in {percent(value, low, high)}, about 1 "
        f"in {int(one_in(value)):,}, with {best['strategy']}."
    )
    return Finding("campaign", text, value, low, high)
