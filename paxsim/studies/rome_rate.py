"""How often does Rome win, by player count and by who plays, and who wins with it?

Three fields are played with 2 to 8 players: one strategy at all seats (alike), a fixed line-up of
different strategies (mixed), and the tournament's three best in turn (best). Then solo. When Rome
wins, the holder of primus conspiratus wins with it; if nobody holds it, Rome wins alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from paxsim import charts
from paxsim.experiment.questions import simulate
from paxsim.experiment.result import Result
from paxsim.report.budget import HEADLINE_PLAYERS
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.stats import contrast, wilson
from paxsim.stats.constants import SURE_ERRORS
from paxsim.studies import fields
from paxsim.studies.findings import numbers, side_of
from paxsim.text import percent, span

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
    study.find(*(rome_finding(rates, players) for players in fields.PLAYERS))

    figure, ax = charts.panels(width=7.4, height=4.6)
    others = [f"all {name}" for name in alike]
    shown = charts.describe(rates, fields.caption(played))
    charts.rome_rate(shown, by="field", quiet=others, ax=ax)
    study.chart("rome_rate", "Rome's rate by player count", figure,
                "Lines of Rome's rate over 2 to 8 players for the mixed and the best field, with "
                "thin grey lines for each strategy alone at all seats.")  # fmt: skip

    friends = friends_table(list(mixed.values()))
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


def play_best(study: Study) -> dict[int, Result]:
    """The tournament's three best in turn, by player count."""
    standings = fields.play_tournament(study)["standings"]
    blocks = max(MIN_BLOCKS, study.games("best") // sum(fields.PLAYERS))
    return {
        players: study.ask(
            f"best-{players}",
            simulate,
            policies=fields.best_lineup(standings, players),
            players=players,
            games=blocks * players,
        )
        for players in fields.PLAYERS
    }


def play_alike(study: Study) -> dict[str, Result]:
    """One strategy at all seats, by strategy; random play is the yardstick."""
    names = [*fields.strategies(), fields.YARDSTICK]
    games = fields.games_asked(study.games("alike") // len(names), fields.PLAYERS)
    return {
        name: study.ask(
            f"alike-{name}", simulate, policies=name, players=list(fields.PLAYERS), games=games
        )
        for name in names
    }


# --- tables ---------------------------------------------------------------------------------


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Rome's table with an interval for how often nobody holds primus conspiratus.

    Only the games are counted for this rate, so its interval takes the games of a block as fully
    dependent: as many observations as blocks. That errs to the wide side.
    """
    ends = [
        wilson(rate * blocks, blocks)
        for rate, blocks in zip(table["nobody_primus"], table["blocks"], strict=True)
    ]
    low, high = zip(*ends, strict=True)
    found = table.assign(nobody_primus_low=low, nobody_primus_high=high)
    first = ["field", "players", "lineup", "rome_wins", "rome_wins_low", "rome_wins_high"]
    first += ["rome_alone", "rome_alone_low", "rome_alone_high"]
    first += ["nobody_primus", "nobody_primus_low", "nobody_primus_high"]
    return found[[*first, *(name for name in found.columns if name not in first)]]


def friends_table(results: Sequence[Result]) -> pd.DataFrame:
    """Which share of Rome's victories each strategy wins with it.

    Parameters
    ----------
    results : sequence of Result
        Simulations.
    """
    rows = []
    for match in (match for result in results for match in result.matches):
        rome = match.rome_rate().estimate
        for name, places in match.strategies.items():
            rate = len(places) * match.with_rome(places).estimate
            # The ratio of two block means, with its error by the delta method.
            weights = np.zeros(match.layout.size)
            weights[[match.layout.with_rome(place) for place in places]] = 1.0
            share = rate / rome if rome else float("nan")
            weights[match.layout.rome] -= share if rome else 0.0
            error = contrast(match.moments, weights).se / rome if rome else float("nan")
            rows.append(
                {
                    "players": match.players,
                    "strategy": name,
                    "share_of_rome": share,
                    "share_of_rome_low": max(0.0, share - SURE_ERRORS * error),
                    "share_of_rome_high": min(1.0, share + SURE_ERRORS * error),
                    "deck": match.facts.deck,
                    "games": match.games,
                    "blocks": match.blocks,
                }
            )
    return pd.DataFrame(rows)


# --- sentences ------------------------------------------------------------------------------


def rome_finding(table: pd.DataFrame, players: int) -> Finding:
    """How often Rome wins with so many players, in the mixed field and in the others.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``field``, ``players``, ``rome_wins`` with ``_low`` and ``_high``; the fields are
        ``mixed``, ``best`` and others, each of one strategy alone.
    players : int
        The player count.
    """
    rows = table[table["players"] == players].set_index("field")
    value, low, high = numbers(rows.loc["mixed"], "rome_wins")
    text = (
        f"With {players} players Rome wins {percent(value, low, high)} of games in the mixed "
        f"field: {against_half(low, high)}."
    )
    more = []
    if "best" in rows.index:
        more.append(f"among the strongest {percent(*numbers(rows.loc['best'], 'rome_wins'))}")
    alike = rows.drop(index=["mixed", "best"], errors="ignore")["rome_wins"]
    if len(alike):
        more.append(f"with one strategy at all seats {span(alike.tolist())}")
    if more:
        text += f" It is {', and '.join(more)}."
    return Finding(f"rome/{players}", text, value, low, high, side_of(low, high, 0.5) != 0)


def against_half(low: float, high: float) -> str:
    """How a rate compares with one half."""
    return {
        1: "more than half of all games",
        -1: "less than half of all games",
        0: "not clearly more or less than half of all games",
    }[side_of(low, high, 0.5)]


def friends_finding(friends: pd.DataFrame, players: int) -> Finding:
    """Who wins most often with Rome, with so many players."""
    rows = friends[friends["players"] == players].sort_values("share_of_rome", ascending=False)
    best, second = rows.iloc[0], rows.iloc[1]
    share = numbers(best, "share_of_rome")
    sure = share[1] > second["share_of_rome_high"]
    text = (
        f"With {players} players, when Rome wins, {best['strategy']} wins with it in "
        f"{percent(*share)} of these games"
    )
    text += "." if sure else f", which can't be told from {second['strategy']}."
    return Finding(f"friends/{players}", text, *share, bool(sure))


def primus_finding(mixed: pd.DataFrame) -> Finding:
    """How often nobody holds primus conspiratus at the end, at most over the player counts."""
    row = mixed.loc[mixed["nobody_primus"].idxmax()]
    nobody = numbers(row, "nobody_primus")
    text = (
        "Nobody holds primus conspiratus at the end in "
        f"{percent(*nobody)} of games with {int(row['players'])} players, where that is most "
        "frequent in the mixed field; Rome then wins alone if it wins."
    )
    return Finding("primus", text, *nobody)
