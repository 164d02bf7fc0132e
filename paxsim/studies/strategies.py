"""Which strategy wins, by player count and seat, and who beats whom?

A tournament with 2 to 8 players lets every strategy meet every other. Then each strategy sits as
a guest in the mixed field, once at every seat, on common deals.
"""

from __future__ import annotations

import math

import pandas as pd

from paxsim import charts
from paxsim.experiment.questions import simulate
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.stats import holm
from paxsim.stats.constants import SURE, SURE_ERRORS
from paxsim.studies import fields
from paxsim.studies.findings import numbers
from paxsim.text import listing, percent

TITLE = "Strategies"
QUESTION = "Which strategy wins, by player count and seat, and who beats whom?"


def run(study: Study) -> None:
    """The tournament, then the guests."""
    result = fields.play_tournament(study)
    standings = mark_sure(result["standings"])
    study.table("standings", "Win rate of a seat, by strategy and player count", standings,
                "sure: differs from the fair share, corrected for all rows together.")  # fmt: skip
    study.find(*(best_strategy_finding(standings, players) for players in fields.PLAYERS))
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
    blocks = max(MIN_BLOCKS, study.games("guests") // (len(names) * sum(fields.PLAYERS)))
    rows = []
    for players in fields.PLAYERS:
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


# --- tables ---------------------------------------------------------------------------------


def mark_sure(standings: pd.DataFrame) -> pd.DataFrame:
    """Standings with ``p_holm`` and ``sure``: does the win rate differ from the fair share?

    The p-values are corrected for all rows together (Holm).
    """
    error = (standings["win_rate_high"] - standings["win_rate_low"]) / (2 * SURE_ERRORS)
    distance = (standings["win_rate"] - standings["fair_share"]).abs()
    p = [
        math.erfc(d / e / math.sqrt(2)) if e > 0 else float(d == 0)
        for d, e in zip(distance, error, strict=True)
    ]
    corrected = holm(p)
    return standings.assign(p_holm=corrected, sure=[bool(x < SURE) for x in corrected])


def beats_table(payoffs: pd.DataFrame, players: int = 2) -> pd.DataFrame:
    """Pairs in which one strategy surely beats the other, with two players.

    Sure means that the two win rates' intervals do not touch, which is stricter than need be.
    """
    rows = payoffs[payoffs["players"] == players].set_index(["strategy", "against"])
    found = []
    for (name, rival), row in rows.iterrows():
        other = rows.loc[(rival, name)]
        if row["win_rate_low"] > other["win_rate_high"]:
            found.append(
                {
                    "strategy": name,
                    "beats": rival,
                    **{f"win_rate{end}": row[f"win_rate{end}"] for end in ("", "_low", "_high")},
                    "games": row["games"],
                }
            )
    columns = ["strategy", "beats", "win_rate", "win_rate_low", "win_rate_high", "games"]
    return pd.DataFrame(found, columns=columns)


# --- sentences ------------------------------------------------------------------------------


def best_strategy_finding(standings: pd.DataFrame, players: int) -> Finding:
    """Which strategy wins most with so many players, and whether its lead is sure.

    Parameters
    ----------
    standings : pandas.DataFrame
        A tournament's table ``standings``.
    players : int
        The player count.
    """
    rows = standings[standings["players"] == players].sort_values("win_rate", ascending=False)
    best, second = rows.iloc[0], rows.iloc[1]
    value, low, high = numbers(best, "win_rate")
    rate = percent(value, low, high)
    fair = f"{100 * best['fair_share']:.1f} %"
    key = f"best/{players}"
    if low > second["win_rate_high"]:
        text = (
            f"With {players} players {best['strategy']} wins most: {rate} of its games where "
            f"{fair} would be fair, ahead of {second['strategy']} "
            f"({percent(*numbers(second, 'win_rate'))})."
        )
        return Finding(key, text, value, low, high)
    level = [str(row["strategy"]) for _, row in rows.iterrows() if row["win_rate_high"] >= low][1:]
    text = (
        f"With {players} players {best['strategy']} is in front with {rate} of its games "
        f"(fair: {fair}), but it can't be told from {listing(level)}."
    )
    return Finding(key, text, value, low, high, False)


def weak_finding(standings: pd.DataFrame) -> Finding:
    """Strategies that are surely below the fair share with every player count."""
    below = standings["sure"] & (standings["win_rate"] < standings["fair_share"])
    counts = standings["players"].nunique()
    always = below.groupby(standings["strategy"]).sum() == counts
    names = sorted(always[always].index)
    if not names:
        text = "No strategy is surely below the fair share with every player count."
        return Finding("weak", text, sure=False)
    verb = "are" if len(names) > 1 else "is"
    text = f"{listing(names)} {verb} surely below the fair share with every player count."
    return Finding("weak", text)


def cycle_finding(beats: pd.DataFrame, standings: pd.DataFrame) -> Finding:
    """Whether the strongest with two players beats all others, or somebody beats it."""
    rows = standings[standings["players"] == 2].sort_values("win_rate", ascending=False)
    best = rows["strategy"].iloc[0]
    beaten = beats[beats["strategy"] == best]["beats"].tolist()
    by = beats[beats["beats"] == best]["strategy"].tolist()
    text = f"With 2 players {best} surely beats {len(beaten)} of {len(rows) - 1} others"
    text += f" and is surely beaten by {listing(by)}." if by else " and is beaten by none."
    return Finding("beats", text)
