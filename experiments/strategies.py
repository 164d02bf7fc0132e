"""Which strategy wins, by player count and seat, and who beats whom?

A tournament with 2 to 8 players lets every strategy meet every other. Then each strategy sits as
a guest in the mixed field, once at every seat, on common deals.
"""

import pandas as pd

from paxsim import charts
from paxsim.experiment.questions import simulate
from paxsim.report import fields
from paxsim.report.findings import best_strategy_finding
from paxsim.report.main import study_main
from paxsim.report.plan import PLAYERS
from paxsim.report.standings import beats_table, cycle_finding, mark_sure, weak_finding
from paxsim.report.study import MIN_BLOCKS, Study

TITLE = "Strategies"
QUESTION = "Which strategy wins, by player count and seat, and who beats whom?"


def run(study: Study) -> None:
    """The tournament, then the guests."""
    result = fields.play_tournament(study)
    standings = mark_sure(result["standings"])
    study.table("standings", "Win rate of a seat, by strategy and player count", standings,
                "sure: differs from the fair share, corrected for all rows together.")  # fmt: skip
    study.find(*(best_strategy_finding(standings, players) for players in PLAYERS))
    study.find(weak_finding(standings))
    figure, ax = charts.panels(width=8.0, height=6.4)
    charts.strategy_heatmap(charts.describe(standings, fields.caption([result])), ax=ax)
    study.chart("standings", "Strategy by player count", figure,
                "Heatmap of win rates, strategies by player count; orange with an arrow up is "
                "surely above the fair share, purple with an arrow down below it.")  # fmt: skip

    payoffs = study.table("payoffs", "Who beats whom: win rate of a seat when a rival plays too",
                          result["payoffs"])  # fmt: skip
    for players in (2, 4):
        figure, ax = charts.panels(width=7.8, height=6.6)
        charts.payoff_heatmap(charts.describe(payoffs, fields.caption([result])), players, ax=ax)
        study.chart(f"payoffs_{players}", f"Who beats whom with {players} players", figure,
                    f"Matrix of win rates with {players} players: row strategy when the column "
                    "strategy plays too.")  # fmt: skip
    beats = beats_table(payoffs)
    study.table("beats", "Who surely beats whom, with 2 players", beats)
    study.find(cycle_finding(beats, standings))

    ratings = study.table("ratings", "Ratings (Plackett-Luce, log strength)", result["ratings"])
    figure, (left, right) = charts.panels(1, 2, width=9.0, height=4.6)
    for ax, players in ((left, 2), (right, 4)):
        charts.rating_forest(ratings, players, ax=ax, caption=fields.caption([result]))
    study.chart("ratings", "Ratings with 2 and with 4 players", figure,
                "Ratings with intervals, one row a strategy, for 2 and for 4 players.")  # fmt: skip

    guests = play_guests(study)
    study.table("by_seat", "Win rate as a guest in the mixed field, by seat", guests)


def play_guests(study: Study) -> pd.DataFrame:
    """Every strategy in the place of the mixed field's first, at every seat."""
    names = fields.strategies()
    blocks = max(MIN_BLOCKS, study.games("guests") // (len(names) * sum(PLAYERS)))
    rows = []
    for players in PLAYERS:
        others = fields.mixed_lineup(players)[1:]
        for name in names:
            result = study.ask(
                f"guests-{players}-{name}",
                simulate,
                policies=[name, *others],
                players=players,
                games=blocks * players,
            )
            table = result["seat_strategies"]
            rows.append(table[table["strategy"] == name])
    return pd.concat(rows, ignore_index=True)


if __name__ == "__main__":
    study_main("strategies", TITLE, QUESTION, run, __doc__)
