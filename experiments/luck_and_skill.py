"""How much of the outcome is deal, seat and strategy; how long, how close, how open are games?

Every deal is played in all rotations, so that over a block each strategy sits once at every seat:
the variance of the share of the win then splits into seat, strategy and deal (the method is told
in `paxsim.report.variance`). Lead changes come from games scored after every round, as if they
ended there (see `paxsim.report.leads`).
"""

import pandas as pd

from paxsim import charts
from paxsim.report import fields
from paxsim.report.leads import walk_games
from paxsim.report.luck import lead_finding, lead_row, length_finding, luck_finding
from paxsim.report.main import study_main
from paxsim.report.plan import HEADLINE_PLAYERS, PLAYERS
from paxsim.report.study import MIN_BLOCKS, Study
from paxsim.report.variance import PARTS, squares, variance_shares
from paxsim.version import __version__

TITLE = "Luck and skill"
QUESTION = "How much of the outcome is deal, seat and strategy; how long, close and open are games?"


def run(study: Study) -> None:
    """Split the variance, then look at length, margins and lead changes."""
    shares = play_squares(study)
    study.table("variance", "Shares of the variance of the outcome", shares,
                "With 2 players the deal's shares include the rest, which can't be told "
                "apart.")  # fmt: skip
    study.find(*(luck_finding(shares, players) for players in HEADLINE_PLAYERS))
    deals = shares.drop_duplicates(["field", "players"])
    caption = (
        f"{deals['games'].sum():,} games in {deals['blocks'].sum():,} blocks, seed "
        f"{study.options.seed}, deck assumed, published rules, paxsim {__version__}"
    )
    figure, axes = charts.panels(2, 1, width=7.4, height=7.4)
    for ax, (name, rows) in zip(axes, shares.groupby("field", sort=False), strict=True):
        wide = rows.pivot(index="players", columns="part", values="share").reset_index()
        wide["label"] = wide["players"].map("{} players".format)
        charts.stacked_shares(wide, PARTS, label="share of the variance of the outcome (%)",
                              title=f"What decides: {name}", ax=ax, caption=caption)  # fmt: skip
    axes[0].get_legend().remove()
    study.chart("variance", "What decides a game", figure,
                "Stacked bars by player count: shares of the variance of the outcome due to "
                "strategy, seat, deal and the rest, for two fields.")  # fmt: skip

    mixed = list(fields.play_mixed(study).values())
    games = study.table("games", "Length and margins, mixed field", fields.joined(mixed, "games"))
    study.find(length_finding(games))
    for name, title in (("rounds", "Rounds of a game"), ("winner_points", "Points of the winner"),
                        ("margins", "Margin of the winner")):  # fmt: skip
        table = pd.concat([charts.data.histogram_table(r, name) for r in mixed], ignore_index=True)
        figure, ax = charts.panels(width=7.0, height=3.8)
        charts.distribution(charts.describe(table, fields.caption(mixed)), name, ax=ax)
        study.chart(name, title, figure, f"Distribution: {title.lower()}, a line a player count.")
        study.table(name, f"{title}: distribution", table.assign(deck="assumed"))

    leads = play_leads(study)
    study.table("leads", "Lead changes, mixed field", leads,
                "The leader is the seat that would win if the game were scored after the "
                "round.")  # fmt: skip
    study.find(*(lead_finding(leads, players) for players in HEADLINE_PLAYERS))


def play_squares(study: Study) -> pd.DataFrame:
    """Shares of the variance for the mixed field, and with one beginner who plays at random."""
    deals = max(4 * MIN_BLOCKS, study.games("variance") // (2 * sum(PLAYERS)))
    tables = []
    for players in PLAYERS:
        mixed = fields.mixed_lineup(players)
        lineups = {"mixed field": mixed, "one plays at random": [*mixed[:-1], fields.YARDSTICK]}
        for number, (name, lineup) in enumerate(lineups.items()):
            found = study.compute(
                f"variance-{players}-{number}", deals * players, squares, policies=lineup,
                deals=deals, seed=study.options.seed, jobs=study.options.jobs,
            )["shares"]  # fmt: skip
            tables.append(variance_shares(found).assign(
                field=name, players=players, deck="assumed", games=deals * players,
                blocks=deals))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    first = ["field", "players", "part"]
    table = table[[*first, *(name for name in table if name not in first)]]
    return table.sort_values("field", kind="stable", ignore_index=True)


def play_leads(study: Study) -> pd.DataFrame:
    """Lead changes by player count."""
    deals = max(2 * MIN_BLOCKS, study.games("leads") // len(PLAYERS))
    rows = []
    for players in PLAYERS:
        found = study.compute(
            f"leads-{players}", deals, walk_games, policies=fields.mixed_lineup(players),
            deals=deals, seed=study.options.seed,
        )  # fmt: skip
        rows.append({"players": players, **lead_row(found), "deck": "assumed", "games": deals})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    study_main("luck_and_skill", TITLE, QUESTION, run, __doc__)
