"""Study of the numbers of the rules and the rulings, one change at a time on common deals.

First every number is moved over its whole sensible range, in all line-ups of the tournament. Then
each ruling is reversed where rulebooks differ or are silent (R2, R3, R5 to R8), and each main
number is moved down and up, in the sample line-up.
"""

from __future__ import annotations

import math
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.experiment.estimates import change_between
from paxsim.experiment.paired import GROUP_LINEUPS_BY_RULES, ablate, compare_rules, vary_rules
from paxsim.experiment.result import DECIMALS, Result
from paxsim.experiment.tables import spread
from paxsim.report.study import (
    MIN_BLOCKS,
    Finding,
    Runs,
    Section,
    caption,
    estimate_of,
    rate_of,
    sign_against,
    with_ends,
)
from paxsim.stats import holm, max_unobserved_rate
from paxsim.stats.constants import SURE
from paxsim.text import amount, in_percent, listing, number, points

TITLE = "Numbers and rulings"
QUESTION = "Which number of the rules brings Rome to a half, and what do the rulings change?"

#: Sensible range of every number that could be printed differently.
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
#: Main numbers, moved down and up from the published value.
NUMBERS: dict[str, tuple[Any, ...]] = {
    "starting_money": (3, 7),
    "rome_needs": (3, 5),
    "rome_hidden": (0, 6),
    "rome_open": (3,),
    "cards_removed": (10, 20),
    "legions": (4, 6),
    "basic_income": (1, 3),
    "peek_income": (1, 3),
    "senator_income": (0, 2),
    "religion_two": (2, 4),
    "discount_step": (2, 4),
    "bonus_step": (2, 4),
    "points_category": (1, 3),
    "points_stronger": (2, 4),
    "points_fleet_army": (0, 2),
    "points_primus": (0, 3),
    "points_wealthiest": (0, 8),
    "reactions": (True,),
}
#: Rulings where rulebooks differ or are silent, with the player count that a ruling needs, if any.
RULINGS: dict[str, tuple[dict[str, Any], int | None]] = {
    "R2": ({"reactions_before_income": True}, 6),
    "R3": ({"rome_takes_last": False}, None),
    "R5": ({"tie": "money"}, None),
    "R6": ({"rome_wins_zero_ties": False}, None),
    "R7": ({"religion_last_two": "one_by_one"}, None),
    "R8": ({"draft_to_bottom": "chosen"}, None),
}
#: What each number of the rules counts, in words that follow the number.
COUNTED = {
    "starting_money": "Aurei at the start",
    "rome_hidden": "hidden cards of Rome at the start",
    "rome_open": "open cards of Rome at the start",
    "cards_removed": "cards removed unseen",
    "legions": "legions",
    "basic_income": "Aurei for a turn without a card",
    "peek_income": "Aurei for peeking",
    "senator_income": "extra Aurei after a senator",
    "religion_two": "religion symbols to draw two cards",
    "discount_step": "wealth symbols for 1 Aureus off",
    "bonus_step": "fleets for a bonus army, and the reverse",
    "rome_needs": "categories that Rome needs to win",
    "points_category": "points for a displayed category",
    "points_stronger": "points for a category stronger than Rome",
    "points_fleet_army": "points for a fleet or army symbol",
    "points_primus": "points for primus conspiratus",
    "points_wealthiest": "points for the most money",
}
SINGULAR = {"Aurei": "Aureus", "points": "point", "categories": "category", "legions": "legion"}
#: Other changes in words.
CHANGES = {
    "reactions=True": "others react to a senator",
    "reactions_before_income=True": "reactions come before the income",
    "rome_takes_last=False": "Rome takes no group after the last round",
    "tie=money": "the richer player wins ties on points",
    "rome_wins_zero_ties=False": "a category without symbols is nobody's",
    "religion_last_two=one_by_one": "religion has no effect on the last two cards",
    "draft_to_bottom=chosen": "each player chooses the order of draft cards under the deck",
}
HALF = 0.5
#: Numbers with a curve for seat 1 and for length; the table has all.
STRONGEST = 8
#: Changes that a chart shows if fewer of them are significant.
FEWEST_DRAWN = 8
#: Characters per line above a panel, and beside a chart.
PANEL_LINE, LABEL_LINE = 23, 24
#: The strategy that peeks.
PEEKER = "scout"


def run(runs: Runs) -> Section:
    """Play the range of every number, then every single change."""
    section = Section("rules", TITLE, QUESTION)
    report_ranges(section, runs)
    report_changes(section, runs)
    return section


# --- numbers over their range ---------------------------------------------------------------


def report_ranges(section: Section, runs: Runs) -> None:
    """Play every value of every number, and find where Rome crosses a half."""
    players = runs.subject.table
    lineups = runs.lineups(players)
    deals = runs.games("values") // (sum(map(len, RANGES.values())) * players * len(lineups))
    result = runs.ask_groups("values", vary_rules, lineups, deals, players=players,
                             most=GROUP_LINEUPS_BY_RULES, values=RANGES)  # fmt: skip
    table = section.table(
        "values",
        "Rome, seat 1 and length by the value of each number",
        with_meaning(result["rule_values"].drop(columns=["lineup", "rules"])),
        f"{players} players, all {len(lineups)} line-ups of the tournament. Changes are against "
        "the value in force, on common deals. To play one number again: "
        f"{values_command(runs, players, result)}",
    )
    crossings = section.table(
        "crossings", "Where Rome wins half of the games", with_meaning(crossing_table(table))
    )
    section.find(
        half_finding(crossings, players),
        reach_finding(table, crossings),
        strongest_finding(table, "seat1_over_fair", "seat 1's share of wins over fair",
                          "percentage points", 100.0),
        strongest_finding(table, "rounds", "the length of a game", "rounds", 1.0),
    )  # fmt: skip
    draw_curves(section, table, caption([result]))


def values_command(runs: Runs, players: int, result: Result) -> str:
    """Return the command that repeats the figures of the first number."""
    rule, values = next(iter(RANGES.items()))
    words = ["paxsim", "compare-rules", f"{rule}={','.join(map(str, values))}"]
    words += ["--players", str(players), "--games", str(result.matches[0].games)]
    words += ["--seed", str(runs.seed), *runs.subject.setting_options]
    words += ["--strategies", ",".join(runs.subject.strategies)] if runs.subject.specs else []
    return shlex.join(words)


def draw_curves(section: Section, table: pd.DataFrame, footer: str) -> None:
    """Draw a panel per number, the strongest first, for Rome, seat 1 and length."""
    for name, value, label, unit, limits, reference, title in (
        ("rome", "rome_wins", "Rome wins (%)", 100.0, (-3, 103), 50.0, "Rome's rate"),
        ("seat1", "seat1_over_fair", "seat 1 over fair (points)", 100.0, None, 0.0,
         "The first seat's share of wins over fair"),
        ("length", "rounds", "rounds", 1.0, None, None, "The length of a game"),
    ):  # fmt: skip
        reach = table.groupby("rule", sort=False)[value].agg(lambda c: c.max() - c.min())
        order = reach.sort_values(ascending=False, kind="stable").index
        if limits is None:
            order = order[:STRONGEST]
            shown = table[table["rule"].isin(order)]
            low, high = unit * shown[f"{value}_low"].min(), unit * shown[f"{value}_high"].max()
            limits = (low - 0.05 * (high - low), high + 0.05 * (high - low))
        rows = math.ceil(len(order) / 2)
        figure, axes = charts.panels(rows, 2, width=4.6, height=0.6 + 1.9 * rows, squeeze=False)
        for place, (ax, rule) in enumerate(zip(axes.flat, order, strict=False)):
            charts.rule_curve(
                table[table["rule"] == rule], value, ax=ax, caption=footer, unit=unit,
                limits=limits, reference=reference, label="" if place % 2 else label,
                title=textwrap.fill(f"{counted(rule)} ({rule})", PANEL_LINE),
            )  # fmt: skip
        for ax in list(axes.flat)[len(order) :]:
            ax.set_axis_off()
        which = "each number" if len(order) == table["rule"].nunique() else (
            f"the {len(order)} numbers that move it most")  # fmt: skip
        section.chart(
            name, f"{title} over the range of {which} (diamond: the value in force)", figure,
            f"{title}: a small curve with intervals for each number of the rules, the ones that "
            "move it most first; a diamond marks the value in force.",
        )  # fmt: skip


def with_meaning(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of rules with what each of them counts, beside its name."""
    table = table.copy()
    table.insert(table.columns.get_loc("rule") + 1, "meaning", table["rule"].map(counted))
    return table


def crossing_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return between which neighbouring values of each number Rome's rate crosses a half.

    If it crosses significantly, a row has the two values with Rome's rates there, and a value
    between them, if any, at which the rate does not differ significantly from a half.
    """
    rows = []
    for rule, values in table.groupby("rule", sort=False):
        values = values.reset_index(drop=True)
        ends = zip(values["rome_wins_low"], values["rome_wins_high"], strict=True)
        signs = [sign_against(low, high, HALF) for low, high in ends]
        row = {
            "rule": rule,
            "in_force": values.loc[values["in_force"], "value"].iloc[0],
            "lowest": values["rome_wins"].min(),
            "highest": values["rome_wins"].max(),
        }
        clear = [place for place, sign in enumerate(signs) if sign]
        pairs = [(a, b) for a, b in zip(clear, clear[1:], strict=False) if signs[a] != signs[b]]
        for a, b in pairs[:1]:
            near = [("near", place) for place in range(min(a, b) + 1, max(a, b))][:1]
            for name, place in (("from", a), ("to", b), *near):
                row[name] = str(values.at[place, "value"])
                rates = estimate_of(values.loc[place], "rome_wins")
                row |= dict(zip(with_ends(f"at_{name}"), rates, strict=True))
        rows.append({**row, "crosses": bool(pairs), "deck": values["deck"].iloc[0],
                     "games": values["games"].sum()})  # fmt: skip
    return pd.DataFrame(rows)


def half_finding(crossings: pd.DataFrame, players: int) -> Finding:
    """Return which number brings Rome to a half, and between which values."""
    rows = crossings[crossings["crosses"]]
    if rows.empty:
        text = f"With {players} players no single number that was tried brings Rome to a half."
        return Finding("half", text, sure=False)
    reach = (rows["highest"] - rows["lowest"]).sort_values(ascending=False, kind="stable")
    order = rows.loc[reach.index]
    parts = [
        f"{_crossing(row)} {counted(row['rule'])} ({row['rule']}; in force: {row['in_force']})"
        for _, row in order.iterrows()
    ]
    text = f"With {players} players, over all line-ups, Rome's rate {'; or '.join(parts)}."
    return Finding("half", text, *estimate_of(order.iloc[0], "at_to"))


def _crossing(row: pd.Series) -> str:
    if not pd.isna(row.get("near")):
        return f"is about a half, {rate_of(row, 'at_near')}, with {row['near']}"
    return (
        f"crosses a half between {row['from']} ({rate_of(row, 'at_from')}) and "
        f"{row['to']} ({rate_of(row, 'at_to')})"
    )


def reach_finding(table: pd.DataFrame, crossings: pd.DataFrame) -> Finding:
    """Return how far the numbers go that do not bring Rome to a half."""
    rest = crossings[~crossings["crosses"]]
    if rest.empty:
        return Finding("reach", "Every number that was tried brings Rome to a half somewhere.")
    names = listing(f"{counted(rule)} ({rule})" for rule in rest["rule"])
    rows = table[table["rule"].isin(rest["rule"])].reset_index(drop=True)
    ends = [rows.loc[place] for place in (rows["rome_wins"].idxmin(), rows["rome_wins"].idxmax())]
    least, most = (f"{rate_of(row, 'rome_wins')} ({row['rule']}={row['value']})" for row in ends)
    text = (
        f"None of the others significantly crosses a half; over their range Rome wins from {least} "
        f"to {most}: {names}."
    )
    return Finding("reach", text)


def strongest_finding(
    table: pd.DataFrame, value: str, what: str, unit: str, factor: float
) -> Finding:
    """Return which number moves something most, over its range."""
    reach = table.groupby("rule", sort=False)[value].agg(lambda c: c.max() - c.min())
    rule = reach.idxmax()
    rows = table[table["rule"] == rule].sort_values(value, kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    if low[f"{value}_high"] >= high[f"{value}_low"]:
        text = f"No number significantly moves {what} over its range."
        return Finding(f"strongest/{value}", text, sure=False)
    ends = [f"{amount(*estimate_of(row, value), factor)} at {row['value']}" for row in (low, high)]
    text = (
        f"Of all numbers, {counted(rule)} ({rule}) move {what} most, from {ends[0]} to {ends[1]} "
        f"({unit})."
    )
    return Finding(f"strongest/{value}", text)


# --- single changes -------------------------------------------------------------------------


def report_changes(section: Section, runs: Runs) -> None:
    """Play every single change against the rules of the report."""
    variants = [{name: value} for name, values in NUMBERS.items() for value in values]
    players = runs.subject.table
    pairs = len(variants) + len(RULINGS)
    blocks = max(MIN_BLOCKS, runs.games("changes") // (2 * pairs * players))
    moved = play_changes(runs, "numbers", variants, players, blocks)
    reversed_rulings = {
        name: play_changes(runs, name, [variant], needed or players, blocks)
        for name, (variant, needed) in RULINGS.items()
    }
    results = [moved, *reversed_rulings.values()]
    changes = corrected(pd.concat(map(change_table, results), ignore_index=True))
    changes.insert(0, "meaning", changes["rules"].map(in_words))
    lineup = ", ".join(runs.sample_labels(players))
    changes = section.table(
        "changes",
        "Changes to the rules against the published game",
        changes,
        f"The sample line-up: {lineup}. Rome and seats: percentage points; rounds: rounds. Each "
        "interval is for itself; p (Holm) is corrected for all changes together. Rome differs: "
        "blocks in which Rome's wins are not the same.",
    )
    section.find(
        largest_changes_finding(changes, "rome_change", "Rome's rate", "numbers/rome"),
        largest_changes_finding(changes, "seat1_change", "the first seat's share of wins",
                                "numbers/seat"),
        *ruling_findings({name: change_table(r) for name, r in reversed_rulings.items()}),
    )  # fmt: skip
    peeking = section.table(
        "peeking",
        f"Win rate of {PEEKER} without peeking",
        play_peeking(runs),
        "The same deals with and without; it replaces the first of the sample line-up.",
    )
    section.find(peeking_finding(peeking))
    footer = f"sample line-up {lineup}: {caption(results)}"
    draw_tornado(section, changes, "rome_change", "Rome's rate", footer)
    draw_tornado(section, changes, "seat1_change", "seat 1's share of wins", footer)
    section.table(
        "strategies",
        "Change of win rates by strategy",
        win_changes(results),
        "Changes within each block, which both rule sets play.",
    )


def play_changes(
    runs: Runs, name: str, variants: list[dict[str, Any]], players: int, blocks: int
) -> Result:
    """Play changes to the rules for a player count, in the sample line-up."""
    return runs.ask(f"changes-{name}", compare_rules, policies=runs.sample_lineup(players),
                    variants=variants, players=players, games=blocks * players)  # fmt: skip


def play_peeking(runs: Runs) -> pd.DataFrame:
    """Measure the worth of peeking to the strategy that depends on it."""
    players = runs.subject.table
    result = runs.ask(
        "changes-peeking",
        ablate,
        policies=[PEEKER, *runs.sample_lineup(players)[1:]],
        without="peek",
        positions=[1],
        games=max(MIN_BLOCKS * players, runs.games("changes") // 10),
    )
    return result["restrictions"]


def change_table(result: Result) -> pd.DataFrame:
    """Return the table of changes, with the same name of the last seat for any player count."""
    table = result["rule_changes"]
    last = f"seat{table['players'].iloc[0]}_change"
    return table.rename(columns={name: name.replace(last, "last_change") for name in table})


def corrected(changes: pd.DataFrame) -> pd.DataFrame:
    """Return the changes with p-values corrected for all of them together (Holm)."""
    p_values = {f"{name}_p_holm": holm(changes[f"{name}_p"])
                for name in ("rome_change", "seat1_change")}  # fmt: skip
    single = [name for name in changes if name.endswith("_change_p")]
    return changes.assign(**p_values).drop(columns=single)


def win_changes(results: Sequence[Result]) -> pd.DataFrame:
    """Return the change of every strategy's win rate under every changed rule set.

    Differences are taken within each block, which both rule sets play, so that the effect of the
    deal cancels.
    """
    rows = []
    for base, variant in (bundle for result in results for bundle in result.bundles):
        for name, places in base.strategies.items():
            rows.append(
                {
                    "players": base.players,
                    "rules": ", ".join(f"{k}={v}" for k, v in variant.facts.rules.items()),
                    "strategy": name,
                    **spread("change", change_between(base, variant, "share", places)),
                    "deck": base.facts.deck,
                    "games": base.games + variant.games,
                    "blocks": base.blocks,
                }
            )
    return pd.DataFrame(rows)


def draw_tornado(
    section: Section, changes: pd.DataFrame, value: str, what: str, footer: str
) -> None:
    """Draw the changes that move something, the largest on top."""
    shown, note = shown_changes(changes, value)
    shown = shown.assign(label=[textwrap.fill(text, LABEL_LINE) for text in shown["meaning"]])
    figure, ax = charts.panels(width=4.6, height=1.2 + 0.36 * len(shown))
    title = f"What moves {what}"
    charts.tornado(shown, value, by="label", ax=ax, title=title, caption=footer,
                   label=f"change of {what} (points)")  # fmt: skip
    section.chart(
        f"tornado_{value.partition('_')[0]}", f"{title}{note}", figure,
        f"Tornado chart: change of {what} in percentage points for each change of the rules, "
        "largest on top; grey bars are not significant.",
    )  # fmt: skip


def shown_changes(changes: pd.DataFrame, value: str) -> tuple[pd.DataFrame, str]:
    """Return the changes that a chart shows, and a note on the others.

    Shown are the significant changes and the largest others.
    """
    order = changes[value].abs().round(DECIMALS).sort_values(ascending=False, kind="stable").index
    sure = changes[f"{value}_p_holm"] < SURE
    shown = sure | changes.index.isin(order[:FEWEST_DRAWN])
    rest = len(changes) - int(shown.sum())
    if not rest:
        return changes, ""
    others = "1 other change does" if rest == 1 else f"{rest} other changes do"
    return changes[shown], f" ({others} not significantly move it)"


def largest_changes_finding(changes: pd.DataFrame, value: str, what: str, key: str) -> Finding:
    """Return which changes to the rules move something most, and how many are significant."""
    sure = changes[changes[f"{value}_p_holm"] < SURE]
    if sure.empty:
        text = f"None of the {len(changes)} changes to the rules significantly moves {what}."
        return Finding(key, text, sure=False)
    size = sure.assign(size=sure[value].abs().round(DECIMALS))
    order = size.sort_values(["size", "rules"], ascending=[False, True])
    parts = [f"{in_words(row['rules'])} ({row['rules']}): {points(*estimate_of(row, value))}"
             for _, row in order.iloc[:4].iterrows()]  # fmt: skip
    text = (
        f"In the sample line-up, these changes move {what} most: {'; '.join(parts)}. {len(sure)} "
        f"of {len(changes)} changes are significant, corrected for testing all of them."
    )
    return Finding(key, text, *estimate_of(order.iloc[0], value))


def ruling_findings(rulings: Mapping[str, pd.DataFrame]) -> list[Finding]:
    """Return what each ruling changes in Rome's rate."""
    findings = []
    for name, table in rulings.items():
        row = table.iloc[0]
        change = estimate_of(row, "rome_change")
        sign = sign_against(*change[1:], 0.0)
        text = (
            f"Ruling {name} reversed ({in_words(row['rules'])}: {row['rules']}; "
            f"{int(row['players'])} players)"
        )
        if row["rome_differs"] == 0:
            most = 100 * max_unobserved_rate(int(row["blocks"]))
            text += (
                f" changes nothing for Rome in any of {int(row['blocks']):,} blocks: a block in "
                f"which it does is rarer than {number(most, 1 if most >= 0.1 else 2)}%."
            )
        elif sign == 0:
            reach = in_percent(max(abs(change[1]), abs(change[2])))
            text += f" changes Rome's rate by at most {reach} percentage points, if at all."
        else:
            text += f" changes Rome's rate by {points(*change)}."
        findings.append(Finding(f"ruling/{name}", text, *change, sign != 0))
    return findings


def peeking_finding(table: pd.DataFrame) -> Finding:
    """Return what a seat loses or gains if it may not peek."""
    row = table.iloc[0]
    change = estimate_of(row, "win_change")
    sign = sign_against(*change[1:], 0.0)
    verdict = {1: "costs wins", 0: "neither clearly pays nor costs wins", -1: "pays"}[sign]
    text = (
        f"Peeking at Rome's hidden cards {verdict} for {PEEKER}, which peeks where those cards may "
        f"decide: without it {PEEKER} wins {rate_of(row, 'win_rate')} instead of "
        f"{rate_of(row, 'base_win_rate')} ({points(*change)})."
    )
    return Finding("peeking", text, *change, sign != 0)


# --- rules in words -------------------------------------------------------------------------


def counted(field: str) -> str:
    """Return what a number of the rules counts; its name if there are no words for it."""
    return COUNTED.get(field, field)


def in_words(change: str) -> str:
    """Return a change like ``rome_needs=5`` in words: ``5 categories that Rome needs to win``."""
    field, _, value = change.partition("=")
    value = {"true": "True", "false": "False"}.get(value, value)
    if f"{field}={value}" in CHANGES:
        return CHANGES[f"{field}={value}"]
    if field not in COUNTED:
        return f"{field} = {value}"
    what, space, rest = COUNTED[field].partition(" ")
    return f"{value} {SINGULAR.get(what, what) if value == '1' else what}{space}{rest}"
