"""What do the rulings and the main numbers of the game change, one at a time on common deals?

Where rulebooks differ or are silent a ruling was taken; here each is switched (R2, R3, R5), and
each main number of the game is moved down and up, while everything else stays. Both rule sets play
the same deals, so that the difference is known much better than either rate.
"""

import pandas as pd

from paxsim import charts
from paxsim.experiment.questions import compare_rules
from paxsim.report import fields
from paxsim.report.findings import largest_changes_finding
from paxsim.report.main import study_main
from paxsim.report.rulings import ruling_findings, win_changes
from paxsim.report.study import MIN_BLOCKS, Study

TITLE = "Rulings and numbers"
QUESTION = "What do the rulings and the main numbers change, one at a time on common deals?"

#: Rulings where rulebooks differ or are silent, and the player count at which each is tried.
RULINGS = {
    "R2": ({"reactions_before_income": True}, 6),
    "R3": ({"rome_takes_last": False}, 4),
    "R5": ({"tie": "money"}, 4),
}
#: The main numbers, moved down and up from the published value; played with 4 players.
PLAYERS = 4
NUMBERS = {
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
    blocks = max(MIN_BLOCKS, study.games("rulings") // (2 * pairs * PLAYERS))
    numbers = ask(study, "numbers", variants, PLAYERS, blocks)
    rulings = {
        name: ask(study, name, [variant], players, blocks)
        for name, (variant, players) in RULINGS.items()
    }
    changes = pd.concat([named(numbers), *map(named, rulings.values())], ignore_index=True)
    study.table("changes", "Changes of the rules against the published game", changes,
                "Rome and seats: percentage points; rounds: rounds.")  # fmt: skip
    study.find(largest_changes_finding(changes, "rome_change", "Rome's rate", "numbers/rome"))
    study.find(largest_changes_finding(changes, "seat1_change", "the first seat's share of wins",
                                       "numbers/seat"))  # fmt: skip
    study.find(*ruling_findings({name: named(result) for name, result in rulings.items()}))

    caption = fields.caption([numbers, *rulings.values()])
    shown = charts.describe(changes, caption)
    figure, ax = charts.panels(width=7.6, height=6.6)
    charts.tornado(shown, "rome_change", ax=ax, title="What moves Rome's rate")
    study.chart("tornado_rome", "What moves Rome's rate", figure,
                "Tornado chart: change of Rome's rate in percentage points for each change of the "
                "rules, largest on top; grey bars are not sure.")  # fmt: skip
    figure, ax = charts.panels(width=7.6, height=6.6)
    charts.tornado(shown, "seat1_change", ax=ax, title="What moves the first seat",
                   label="change of the first seat's share of wins (points)")  # fmt: skip
    study.chart("tornado_seat", "What moves the first seat", figure,
                "Tornado chart: change of the first seat's share of wins for each change of the "
                "rules; grey bars are not sure.")  # fmt: skip

    wins = win_changes([numbers, *rulings.values()])
    study.table("strategies", "Change of win rates by strategy", wins,
                "These intervals do not use that the deals are common: they are wide.")  # fmt: skip


def ask(study: Study, name: str, variants: list, players: int, blocks: int):
    """Changes of the rules with so many players, in the mixed field."""
    return study.ask(
        f"rulings-{name}",
        compare_rules,
        policies=fields.mixed_lineup(players),
        variants=variants,
        players=players,
        games=blocks * players,
    )


def named(result) -> pd.DataFrame:
    """The table of changes, with the last seat under a name that fits every player count."""
    table = result["rule_changes"]
    last = f"seat{table['players'].iloc[0]}_change"
    return table.rename(columns={name: name.replace(last, "last_change") for name in table})


if __name__ == "__main__":
    study_main("rulings", TITLE, QUESTION, run, __doc__)
