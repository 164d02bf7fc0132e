"""What do the rulings and the main numbers of the game change, one at a time on common deals?

Where rulebooks differ or are silent a ruling was taken; here each is switched (R2, R3, R5), and
each main number of the game is moved down and up, while everything else stays. Both rule sets play
the same deals, so that the difference is known much better than either rate.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.experiment.api import ablate, compare_rules
from paxsim.experiment.estimates import change_between
from paxsim.experiment.result import DECIMALS, Result
from paxsim.experiment.tables import spread
from paxsim.report.studies import findings
from paxsim.report.studies.findings import change_in_words, named_change, numbers, side_of
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.stats import holm, max_unobserved_rate
from paxsim.stats.constants import SURE
from paxsim.text import in_percent, number, percent, points

TITLE = "Rulings and numbers"
QUESTION = "What do the rulings and the main numbers change, one at a time on common deals?"

#: Rulings where rulebooks differ or are silent, and the player count at which each is tried,
#: if it needs one.
RULINGS: dict[str, tuple[dict[str, Any], int | None]] = {
    "R2": ({"reactions_before_income": True}, 6),
    "R3": ({"rome_takes_last": False}, None),
    "R5": ({"tie": "money"}, None),
}
#: Changes that a chart shows, if fewer of them are sure.
FEWEST_DRAWN = 8
#: Characters of a line beside a chart, and beside one on a narrow page.
LABEL, NARROW_LABEL = 44, 24
#: The strategy that peeks.
PEEKER = "scout"
#: The main numbers, moved down and up from the published value.
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


def run(study: Study) -> None:
    """Play every change against the published rules."""
    variants = [{name: value} for name, values in NUMBERS.items() for value in values]
    pairs = len(variants) + len(RULINGS)
    table = study.subject.table
    blocks = max(MIN_BLOCKS, study.games("rulings") // (2 * pairs * table))
    moved = ask(study, "numbers", variants, table, blocks)
    rulings = {
        name: ask(study, name, [variant], players or table, blocks)
        for name, (variant, players) in RULINGS.items()
    }
    changes = pd.concat([named(moved), *map(named, rulings.values())], ignore_index=True)
    changes = corrected(changes)
    changes.insert(0, "meaning", changes["rules"].map(change_in_words))
    lineup = findings.sample_named(study, table)
    study.table("changes", "Changes of the rules against the published game", changes,
                f"The sample line-up: {lineup}. Rome and seats: percentage points; rounds: "
                "rounds. Each interval is for itself; p (Holm) is corrected for all changes "
                "together. Rome differs: blocks in which Rome's wins are not the "
                "same.")  # fmt: skip
    study.find(largest_changes_finding(changes, "rome_change", "Rome's rate", "numbers/rome"))
    study.find(largest_changes_finding(changes, "seat1_change", "the first seat's share of wins",
                                       "numbers/seat"))  # fmt: skip
    study.find(*ruling_findings({name: named(result) for name, result in rulings.items()}))
    peeking = study.table("peeking", f"What {PEEKER} wins when it may not peek",
                          play_peeking(study), "The same deals with and without; it sits in the "
                          f"place of the first of the sample line-up: {lineup}.")  # fmt: skip
    study.find(peeking_finding(peeking))

    caption = f"sample line-up {lineup}: {findings.caption([moved, *rulings.values()])}"
    for name, value, title, label, brief in (
        ("tornado_rome", "rome_change", "What moves Rome's rate", "change of Rome's rate",
         "change of Rome's rate"),
        ("tornado_seat", "seat1_change", "What moves the first seat",
         "change of the first seat's share of wins", "change of seat 1's wins"),
    ):  # fmt: skip
        drawn, left_out = shown_changes(changes, value)
        shown = charts.describe(in_lines(drawn), caption)
        figures = []
        for width, row, by, axis in ((8.6, 0.3, "said", label), (4.6, 0.36, "brief", brief)):
            figure, ax = charts.panels(width=width, height=1.2 + row * len(shown))
            charts.tornado(shown, value, by=by, ax=ax, title=title, label=f"{axis} (points)")
            figures.append(figure)
        study.chart(name, f"{title}{left_out}", figures[0],
                    f"Tornado chart: {label} in percentage points for each change of the rules, "
                    "largest on top; grey bars are not sure.", narrow=figures[1])  # fmt: skip

    wins = win_changes([moved, *rulings.values()])
    study.table("strategies", "Change of win rates by strategy", wins,
                "Changes within each block, which both rule sets play: the intervals use that the "
                "deals are common.")  # fmt: skip


def shown_changes(changes: pd.DataFrame, value: str) -> tuple[pd.DataFrame, str]:
    """The changes that a chart shows: the sure ones and the largest others; and what of the rest.

    Parameters
    ----------
    changes : pandas.DataFrame
        Columns `value` and its ``_p_holm``.
    value : str
        The change that is drawn.
    """
    size = changes[value].abs().round(DECIMALS)
    order = size.sort_values(ascending=False, kind="stable").index
    sure = changes[f"{value}_p_holm"] < SURE
    drawn = sure | changes.index.isin(order[:FEWEST_DRAWN])
    rest = len(changes) - int(drawn.sum())
    if not rest:
        return changes, ""
    others = "1 other change does" if rest == 1 else f"{rest} other changes do"
    return changes[drawn], f" ({others} not surely move it)"


def in_lines(changes: pd.DataFrame) -> pd.DataFrame:
    """The changes with their names for charts: ``said`` with the rule, ``brief`` without it."""
    said = [textwrap.fill(named_change(text), LABEL) for text in changes["rules"]]
    brief = [textwrap.fill(text, NARROW_LABEL) for text in changes["meaning"]]
    return changes.assign(said=said, brief=brief)


def play_peeking(study: Study) -> pd.DataFrame:
    """What peeking is worth to the strategy that lives by it."""
    players = study.subject.table
    others = findings.sample_lineup(study, players)[1:]
    found = study.ask(
        "rulings-peeking",
        ablate,
        policies=[PEEKER, *others],
        without="peek",
        positions=[1],
        games=max(MIN_BLOCKS * players, study.games("rulings") // 10),
    )
    return found["restrictions"]


def peeking_finding(table: pd.DataFrame) -> Finding:
    """What a seat loses or gains that may not peek.

    Parameters
    ----------
    table : pandas.DataFrame
        One row with ``win_change``, ``base_win_rate`` and ``win_rate`` and their intervals.
    """
    row = table.iloc[0]
    change = numbers(row, "win_change")
    side = side_of(*change[1:], 0.0)
    verdict = {1: "costs wins", 0: "is worth nothing that can be told from chance", -1: "pays"}
    text = (
        f"Peeking at Rome's hidden cards {verdict[side]}, for {PEEKER}, which peeks where those "
        f"cards may decide: without it {PEEKER} wins {percent(*numbers(row, 'win_rate'))} instead "
        f"of {percent(*numbers(row, 'base_win_rate'))} ({points(*change)})."
    )
    return Finding("peeking", text, *change, side != 0)


def ask(
    study: Study, name: str, variants: list[dict[str, Any]], players: int, blocks: int
) -> Result:
    """Changes of the rules with so many players, in the sample line-up."""
    return study.ask(
        f"rulings-{name}",
        compare_rules,
        policies=findings.sample_lineup(study, players),
        variants=variants,
        players=players,
        games=blocks * players,
    )


def named(result: Result) -> pd.DataFrame:
    """The table of changes, with the last seat under a name that fits every player count."""
    table = result["rule_changes"]
    last = f"seat{table['players'].iloc[0]}_change"
    return table.rename(columns={name: name.replace(last, "last_change") for name in table})


def corrected(changes: pd.DataFrame) -> pd.DataFrame:
    """The changes with p-values that are corrected for all of them together (Holm)."""
    found = {
        name.replace("_p", "_p_holm"): holm(changes[name])
        for name in ("rome_change_p", "seat1_change_p")
    }
    single = [name for name in changes if name.endswith("_change_p")]
    return changes.assign(**found).drop(columns=single)


def win_changes(results: Sequence[Result]) -> pd.DataFrame:
    """Change of every strategy's win rate under every changed rule set, over common deals.

    The change is taken within each block, which both rule sets play, so what the deal does to a
    strategy under either of them drops out.
    """
    rows = []
    for bundle in (bundle for result in results for bundle in result.bundles):
        base, variant = bundle
        for name, places in base.strategies.items():
            entries = [base.layout.share(place) for place in places]
            rows.append(
                {
                    "players": base.players,
                    "rules": ", ".join(f"{k}={v}" for k, v in variant.facts.rules.items()),
                    "strategy": name,
                    **spread("change", change_between(base, variant, entries)),
                    "deck": base.facts.deck,
                    "games": base.games + variant.games,
                    "blocks": base.blocks,
                }
            )
    return pd.DataFrame(rows)


# --- sentences ------------------------------------------------------------------------------


def largest_changes_finding(changes: pd.DataFrame, value: str, what: str, key: str) -> Finding:
    """Which change of the rules matters most for something, and how many matter for sure.

    Parameters
    ----------
    changes : pandas.DataFrame
        A table ``rule_changes``.
    value : str
        The column of the change, with ``_low``, ``_high`` and ``_p_holm``.
    what, key : str
        What changes, in words; and the finding's key.
    """
    sure = changes[changes[f"{value}_p_holm"] < SURE]
    if sure.empty:
        return Finding(key, f"None of the {len(changes)} changes of the rules moves {what} by "
                       "more than chance, all changes taken together.",
                       sure=False)  # fmt: skip
    size = sure.assign(size=sure[value].abs().round(DECIMALS))
    order = size.sort_values(["size", "rules"], ascending=[False, True])
    top = order.iloc[0]
    text = (
        f"In the sample line-up, {named_change(top['rules'])} moves {what} most, by "
        f"{points(*numbers(top, value))}"
    )
    if len(order) > 1:
        rest = [f"{named_change(row['rules'])}, {points(*numbers(row, value))}"
                for _, row in order.iloc[1:4].iterrows()]  # fmt: skip
        text += f"; then {'; '.join(rest)}"
    text += (
        f". {len(sure)} of {len(changes)} changes move it for sure, corrected for looking at all "
        "of them."
    )
    return Finding(key, text, *numbers(top, value))


def ruling_findings(rulings: Mapping[str, pd.DataFrame]) -> list[Finding]:
    """What each ruling changes in Rome's rate, or that it changes nothing that shows."""
    found = []
    for name, table in rulings.items():
        row = table.iloc[0]
        change = numbers(row, "rome_change")
        side = side_of(change[1], change[2], 0.0)
        said = (
            f"Ruling {name} the other way ({change_in_words(row['rules'])}: {row['rules']}; "
            f"{int(row['players'])} players)"
        )
        if row["rome_differs"] == 0:
            most = 100 * max_unobserved_rate(int(row["blocks"]))
            text = (
                f"{said} changes nothing for Rome in any of {int(row['blocks']):,} blocks: a block "
                f"in which it would is rarer than {number(most, 1 if most >= 0.1 else 2)} %."
            )
        elif side == 0:
            reach = in_percent(max(abs(change[1]), abs(change[2])))
            text = f"{said} changes Rome's rate by at most {reach} percentage points, if at all."
        else:
            text = f"{said} changes Rome's rate by {points(*change)}."
        found.append(Finding(f"ruling/{name}", text, *change, side != 0))
    return found
