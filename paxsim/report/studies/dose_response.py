"""Which number of the rules brings Rome to a half? Each one over its whole sensible range.

Every number is moved alone, from low to high, while everything else stays. All values of a number
play the same deals in the same line-ups, so differences are known much better than either rate. All
line-ups of the tournament play, in groups with deals of their own.
"""

from __future__ import annotations

import math
import shlex
import textwrap
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.experiment.api import GROUP_LINEUPS_BY_RULES, vary_rules
from paxsim.experiment.result import Result
from paxsim.report.studies import findings
from paxsim.report.studies.findings import counted, numbers, side_of
from paxsim.report.study import Finding, Study
from paxsim.text import amount, listing, percent

TITLE = "Which number brings Rome to a half"
QUESTION = "Which number of the rules brings Rome to a half, over the whole range of each?"

#: The sensible range of every number that could be printed otherwise.
RANGES: dict[str, tuple[int, ...]] = {
    "rome_needs": (2, 3, 4, 5, 6, 7),
    "rome_hidden": (0, 1, 3, 5, 8, 12),
    "rome_open": (0, 2, 4, 6),
    "starting_money": (0, 2, 5, 8, 12, 20),
    "basic_income": (0, 1, 2, 3, 5),
    "senator_income": (0, 1, 2, 4),
    "peek_income": (0, 2, 4, 6),
    "legions": (2, 3, 5, 7, 9, 12),
    "cards_removed": (0, 10, 20, 30, 40),
    "religion_two": (1, 2, 3, 4, 6),
    "discount_step": (1, 2, 3, 5, 8),
    "bonus_step": (1, 2, 3, 5, 8),
}
HALF = 0.5
#: So many numbers have a curve for what else they move; the table has all.
STRONGEST = 8
#: Characters of a line above a panel.
TITLE_LINE = 23


def run(study: Study) -> None:
    """Play every value of every number, then say where Rome crosses a half."""
    players = study.subject.table
    lineups = findings.mixed_lineups(study, players)
    sets = sum(map(len, RANGES.values()))
    result = findings.ask_groups(
        study,
        "values",
        vary_rules,
        lineups,
        GROUP_LINEUPS_BY_RULES,
        study.games("values") // (sets * players * len(lineups)),
        players=players,
        values=RANGES,
    )
    table = study.table("values", "Rome, seat 1 and length by the value of each number",
                        with_meaning(result["rule_values"].drop(columns=["lineup", "rules"])),
                        f"{players} players, all {len(lineups)} line-ups of the tournament. "
                        "Changes are against the value in force, on common deals. To play one "
                        f"number again: {command_of(study, players, result)}")  # fmt: skip
    crossings = study.table("crossings", "Where Rome wins half of the games",
                            with_meaning(crossing_table(table)))  # fmt: skip
    study.find(half_finding(crossings, players), reach_finding(table, crossings))
    study.find(other_finding(table, "seat1_over_fair", "seat 1's share of wins over fair",
                             "percentage points", 100.0),
               other_finding(table, "rounds", "the length of a game", "rounds", 1.0))  # fmt: skip
    draw(study, table, findings.caption([result]))


def command_of(study: Study, players: int, result: Result) -> str:
    """The command that gives the figures of the first number once more."""
    rule, values = next(iter(RANGES.items()))
    subject = study.subject
    words = ["paxsim", "compare-rules", f"{rule}={','.join(map(str, values))}"]
    words += ["--players", str(players), "--games", str(result.matches[0].games)]
    words += ["--seed", str(study.options.seed), *subject.words_of_setting]
    words += ["--strategies", ",".join(subject.strategies)] if subject.policies else []
    return shlex.join(words)


def draw(study: Study, table: pd.DataFrame, caption: str) -> None:
    """Small multiples, a panel a number, the strongest first; one chart each for three measures."""
    for name, value, label, unit, limits, reference, title in (
        ("rome", "rome_wins", "Rome wins (%)", 100.0, (-3, 103), 50.0, "Rome's rate"),
        ("seat1", "seat1_over_fair", "seat 1 over fair (points)", 100.0, None, 0.0,
         "The first seat's share of wins over fair"),
        ("rounds", "rounds", "rounds", 1.0, None, None, "The length of a game"),
    ):  # fmt: skip
        reach = table.groupby("rule", sort=False)[value].agg(lambda c: c.max() - c.min())
        order = reach.sort_values(ascending=False, kind="stable").index
        if limits is None:
            order = order[:STRONGEST]
            shown = table[table["rule"].isin(order)]
            low, high = unit * shown[f"{value}_low"].min(), unit * shown[f"{value}_high"].max()
            limits = (low - 0.05 * (high - low), high + 0.05 * (high - low))
        look: dict[str, Any] = {
            "unit": unit,
            "limits": limits,
            "reference": reference,
            "label": label,
        }
        figure = _multiples(table, order, value, 4, 9.4, caption, **look)
        narrow = _multiples(table, order, value, 2, 4.6, caption, **look)
        many = "each number" if len(order) == table["rule"].nunique() else (
            f"the {len(order)} numbers that move it most")  # fmt: skip
        study.chart(name, f"{title} over the range of {many} (diamond: the value in force)", figure,
                    f"{title}: a small curve with intervals for each number of the rules, the "
                    "ones that move it most first; a diamond marks the value in force.",
                    narrow=narrow)  # fmt: skip


def titled(rule: str) -> str:
    """What a number counts, and its name where that is another word."""
    return rule if counted(rule) == rule else f"{counted(rule)} ({rule})"


def _multiples(
    table: pd.DataFrame, order: pd.Index, value: str, columns: int, width: float, caption: str,
    label: str, **look: Any,
) -> Any:  # fmt: skip
    """A panel a number; only the first of a row says what the vertical axis is."""
    rows = math.ceil(len(order) / columns)
    figure, axes = charts.panels(rows, columns, width=width, height=0.6 + 1.9 * rows,
                                 squeeze=False)  # fmt: skip
    for place, (ax, rule) in enumerate(zip(axes.flat, order, strict=False)):
        charts.rule_curve(table[table["rule"] == rule], value, ax=ax, caption=caption,
                          label="" if place % columns else label,
                          title=textwrap.fill(titled(str(rule)), TITLE_LINE),
                          **look)  # fmt: skip
    for ax in list(axes.flat)[len(order) :]:
        ax.set_axis_off()
    return figure


# --- tables ---------------------------------------------------------------------------------


def with_meaning(table: pd.DataFrame) -> pd.DataFrame:
    """A table of rules with what each of them counts, beside its name."""
    found = table.copy()
    found.insert(found.columns.get_loc("rule") + 1, "meaning", found["rule"].map(counted))
    return found


def crossing_table(table: pd.DataFrame) -> pd.DataFrame:
    """Between which two neighbouring values of each number Rome's rate crosses a half.

    Parameters
    ----------
    table : pandas.DataFrame
        A table ``rule_values``: rows of a rule in the order of its values.

    Returns
    -------
    pandas.DataFrame
        A row a rule: the value in force, Rome's lowest and highest rate, and, where it crosses
        surely, the two values with Rome's rates there, and one between them, if there is one, at
        which it can't be told from a half.
    """
    rows = []
    for rule, found in table.groupby("rule", sort=False):
        found = found.reset_index(drop=True)
        sides = [
            side_of(low, high, HALF)
            for low, high in zip(found["rome_wins_low"], found["rome_wins_high"], strict=True)
        ]
        row = {
            "rule": rule,
            "in_force": found.loc[found["in_force"], "value"].iloc[0],
            "lowest": found["rome_wins"].min(),
            "highest": found["rome_wins"].max(),
        }
        known = [place for place, side in enumerate(sides) if side]
        pairs = [(a, b) for a, b in zip(known, known[1:], strict=False) if sides[a] != sides[b]]
        for a, b in pairs[:1]:
            near = [("near", place) for place in range(min(a, b) + 1, max(a, b))][:1]
            for name, place in (("from", a), ("to", b), *near):
                row[name] = str(found.at[place, "value"])
                row |= {f"at_{name}{end}": found.at[place, f"rome_wins{end}"]
                        for end in ("", "_low", "_high")}  # fmt: skip
        rows.append({**row, "crosses": bool(pairs), "deck": found["deck"].iloc[0],
                     "games": found["games"].sum()})  # fmt: skip
    return pd.DataFrame(rows)


# --- sentences ------------------------------------------------------------------------------


def half_finding(crossings: pd.DataFrame, players: int) -> Finding:
    """Which number brings Rome to a half, and between which values."""
    found = crossings[crossings["crosses"]]
    if found.empty:
        text = (
            f"With {players} players no number of the rules that was tried brings Rome to a half "
            "by itself."
        )
        return Finding("half", text, sure=False)
    order = found.reindex(
        (found["highest"] - found["lowest"]).sort_values(ascending=False, kind="stable").index
    )
    parts = [
        f"{_where(row)} {counted(row['rule'])} ({row['rule']}; the game has {row['in_force']})"
        for _, row in order.iterrows()
    ]
    text = f"With {players} players, over all line-ups, Rome's rate {'; or '.join(parts)}."
    return Finding("half", text, *numbers(order.iloc[0], "at_to"))


def _where(row: pd.Series) -> str:
    """At which value Rome's rate is about a half, or else between which."""
    if not pd.isna(row.get("near")):
        return f"is about a half, {percent(*numbers(row, 'at_near'))}, with {row['near']}"
    return (
        f"crosses a half between {row['from']} ({percent(*numbers(row, 'at_from'))}) and "
        f"{row['to']} ({percent(*numbers(row, 'at_to'))})"
    )


def reach_finding(table: pd.DataFrame, crossings: pd.DataFrame) -> Finding:
    """How far the numbers go that do not bring Rome to a half."""
    rest = crossings[~crossings["crosses"]]
    if rest.empty:
        return Finding("reach", "Every number that was tried brings Rome to a half somewhere.")
    names = listing(f"{counted(rule)} ({rule})" for rule in rest["rule"])
    of_rest = table[table["rule"].isin(rest["rule"])].reset_index(drop=True)
    ends = [of_rest.loc[place] for place in (of_rest["rome_wins"].idxmin(),
                                             of_rest["rome_wins"].idxmax())]  # fmt: skip
    least, most = (f"{percent(*numbers(row, 'rome_wins'))} ({row['rule']}={row['value']})"
                   for row in ends)  # fmt: skip
    text = (
        f"None of the others surely crosses a half; over their range Rome wins from {least} to "
        f"{most}: {names}."
    )
    return Finding("reach", text)


def other_finding(table: pd.DataFrame, value: str, what: str, unit: str, factor: float) -> Finding:
    """Which number moves something else most, over its range."""
    reach = table.groupby("rule", sort=False)[value].agg(lambda c: c.max() - c.min())
    rule = reach.idxmax()
    rows = table[table["rule"] == rule].sort_values(value, kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    sure = low[f"{value}_high"] < high[f"{value}_low"]
    if not sure:
        text = f"No number surely moves {what} over its range."
        return Finding(f"other/{value}", text, sure=False)
    ends = [f"{amount(*numbers(row, value), factor)} at {row['value']}" for row in (low, high)]
    text = (
        f"Of all numbers, {counted(rule)} ({rule}) move {what} most, from {ends[0]} to {ends[1]} "
        f"({unit})."
    )
    return Finding(f"other/{value}", text)
