"""How often does Rome win with none, one, two ... conspirators among tribunes?"""

from __future__ import annotations

import pandas as pd

from paxsim.experiment.questions import simulate
from paxsim.experiment.result import Result
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.studies.findings import numbers
from paxsim.studies.joining import CONSPIRATOR, TRIBUNE
from paxsim.text import listing, percent

#: How many seats play for primus conspiratus, as headings.
SEATS = ("no seat plays for primus conspiratus", "one seat does", "two do", "three do", "four do",
         "five do", "six do", "seven do", "eight do")  # fmt: skip


def play_conspiracies(study: Study) -> dict[int, dict[int, Result]]:
    """0 to n conspirators among tribunes, by player count and number of conspirators."""
    counts = study.subject.players
    blocks = max(MIN_BLOCKS, study.games("conspiracy") // sum(n * (n + 1) for n in counts))
    return {
        players: {
            number: study.ask(
                f"conspiracy-{players}-{number}",
                simulate,
                policies=[CONSPIRATOR] * number + [TRIBUNE] * (players - number),
                players=players,
                games=blocks * players,
            )
            for number in range(players + 1)
        }
        for players in counts
    }


def who_stands_for_what(study: Study) -> str:
    """What the two strategies stand for, and that they may be no strategies of the user's."""
    said = (
        f"{CONSPIRATOR} plays for primus conspiratus and Rome's victory, {TRIBUNE} for points; "
        "they stand for players of these two kinds."
    )
    named = {policy.name for policy in study.subject.found.values()}
    lacking = [name for name in (CONSPIRATOR, TRIBUNE) if name not in named]
    if lacking:
        said += f" Not among the strategies of this report: {listing(lacking)}."
    return said


def conspiracy_finding(table: pd.DataFrame, players: int) -> Finding:
    """Rome's rate with so many players, from no conspirator to all.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``players``, ``conspirators``, ``rome_wins`` with ``_low`` and ``_high``.
    players : int
        The player count.
    """
    rows = table[table["players"] == players].sort_values("conspirators", kind="stable")
    none, one = rows.iloc[0], rows.iloc[1]
    text = (
        f"With {players} players Rome wins {percent(*numbers(none, 'rome_wins'))} of games if no "
        f"seat plays for primus conspiratus, and {percent(*numbers(one, 'rome_wins'))} if one does"
    )
    for _, row in rows.iloc[2:].iterrows():
        text += f"; {percent(*numbers(row, 'rome_wins'))} if {SEATS[int(row['conspirators'])]}"
    text += "."
    cells = {
        f"{SEATS[int(row['conspirators'])]}": percent(*numbers(row, "rome_wins"))
        for _, row in rows.iterrows()
    }
    return Finding(f"conspiracy/{players}", text, *numbers(one, "rome_wins"), cells=cells)
