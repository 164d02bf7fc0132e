"""How often does Rome win, by player count and by who plays, and who wins with it?

Three fields are played with 2 to 8 players: one strategy at all seats (alike), a fixed line-up of
different strategies (mixed), and the tournament's three best in turn (best). Then solo. When Rome
wins, the holder of primus conspiratus wins with it; if nobody holds it, Rome wins alone.
"""

import pandas as pd

from paxsim import charts
from paxsim.experiment.questions import simulate
from paxsim.experiment.tally import WIN
from paxsim.report import fields
from paxsim.report.findings import rome_finding
from paxsim.report.main import study_main
from paxsim.report.plan import HEADLINE_PLAYERS, PLAYERS
from paxsim.report.rome import friends_finding, friends_table, primus_finding, with_intervals
from paxsim.report.study import MIN_BLOCKS, Study

TITLE = "How often Rome wins"
QUESTION = "How often does Rome win, by player count and by who plays, and who then wins with it?"


def run(study: Study) -> None:
    """Play the fields, tabulate Rome's rate, say what it is."""
    mixed = fields.play_mixed(study)
    best = play_best(study)
    alike = play_alike(study)
    played = [*mixed.values(), *best.values(), *alike.values()]

    parts = [fields.joined(list(mixed.values()), "rome").assign(field="mixed")]
    parts.append(fields.joined(list(best.values()), "rome").assign(field="best"))
    parts += [result["rome"].assign(field=f"all {name}") for name, result in alike.items()]
    rates = with_intervals(pd.concat(parts, ignore_index=True))
    rates = study.table("rome_rate", "Rome's rate by field and player count", rates,
                        "All intervals are 95 % intervals over blocks.")  # fmt: skip
    study.find(*(rome_finding(rates, players) for players in PLAYERS))

    figure, ax = charts.panels(width=7.4, height=4.6)
    others = [f"all {name}" for name in alike]
    shown = charts.describe(rates, fields.caption(played))
    charts.rome_rate(shown, by="field", quiet=others, ax=ax)
    study.chart("rome_rate", "Rome's rate by player count", figure,
                "Lines of Rome's rate over 2 to 8 players for the mixed and the best field, with "
                "thin grey lines for each strategy alone at all seats.")  # fmt: skip

    friends = friends_table(list(mixed.values()), WIN)
    study.table("friends", "Who wins with Rome, in the mixed field", friends)
    study.find(*(friends_finding(friends, players) for players in HEADLINE_PLAYERS))
    study.find(primus_finding(rates[rates["field"] == "mixed"]))

    won = pd.concat([charts.data.how_games_were_won(r) for r in mixed.values()], ignore_index=True)
    study.table("how_won", "How games are won, in the mixed field", won)
    figure, ax = charts.panels(width=7.4, height=3.8)
    charts.how_won(charts.describe(won, fields.caption(list(mixed.values()))), ax=ax)
    study.chart("how_won", "How games are won", figure,
                "Stacked bars by player count: games won by a player with Rome, by a player on "
                "points, and by Rome alone.")  # fmt: skip

    levels = fields.play_solo(study)["levels"]
    losses = levels.assign(
        rome_wins=1 - levels["success"],
        rome_wins_low=1 - levels["success_high"],
        rome_wins_high=1 - levels["success_low"],
    )
    columns = ["strategy", "level", "rome_wins", "rome_wins_low", "rome_wins_high", "deck", "games"]
    study.table("solo", "Solo games that are lost to Rome", losses[columns])


def play_best(study: Study) -> dict:
    """The tournament's three best in turn, by player count."""
    standings = fields.play_tournament(study)["standings"]
    blocks = max(MIN_BLOCKS, study.games("best") // sum(PLAYERS))
    return {
        players: study.ask(
            f"best-{players}",
            simulate,
            policies=fields.best_lineup(standings, players),
            players=players,
            games=blocks * players,
        )
        for players in PLAYERS
    }


def play_alike(study: Study) -> dict:
    """One strategy at all seats, by strategy; random play is the yardstick."""
    names = [*fields.strategies(), fields.YARDSTICK]
    games = fields.games_asked(study.games("alike") // len(names), PLAYERS)
    return {
        name: study.ask(
            f"alike-{name}", simulate, policies=name, players=list(PLAYERS), games=games
        )
        for name in names
    }


if __name__ == "__main__":
    study_main("rome_rate", TITLE, QUESTION, run, __doc__)
