"""How much of the outcome is strategy, seat and luck; how long, how close, how open are games?

Every deal is played in all rotations, so that over a block each strategy sits once at every seat:
the variance of the share of the win then splits into strategy, seat and luck of the cards (the
method is told in `paxsim.stats.variance`). By when the cards have decided is found by dealing anew
from a point on (`paxsim.studies.redealing`).

Lead changes come from games walked through decision by decision. The *leader* after a round is the
seat that would win if the game were scored there and then, with Rome's hidden cards turned up;
nobody leads where that win would be shared or Rome's alone. A *lead change* is a round after which
another seat leads than led before (rounds without a leader do not count).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from paxsim import charts
from paxsim.experiment.layout import WIN
from paxsim.experiment.run import checked_jobs
from paxsim.game import Game, walk
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import play_batch
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.setting import Setting, make_setting
from paxsim.stats import Moments, contrast, variance_shares, wilson
from paxsim.studies import fields
from paxsim.studies.findings import numbers
from paxsim.studies.redealing import COPIES, ROUNDS, decided_finding, decided_table, redeal_games
from paxsim.text import amount, percent
from paxsim.version import __version__

TITLE = "Luck and skill"
QUESTION = (
    "How much of the outcome is strategy, seat and luck of the cards, by when is it decided, and "
    "how long, close and open are games?"
)

#: What the variance splits into, from left to right in the chart.
PARTS = {
    "strategy": "strategy",
    "seat": "seat",
    "seat_strategy": "seat with strategy",
    "luck": "luck of the cards",
}
#: What the histograms count.
COUNTED = {"rounds": "rounds", "winner_points": "points", "margins": "margin, points"}
#: Deals a worker plays at a time.
CHUNK_DEALS = 500
NOBODY = -1


def run(study: Study) -> None:
    """Split the variance, then look at length, margins and lead changes."""
    shares = play_squares(study)
    study.table("variance", "Shares of the variance of the outcome", shares,
                "A part that is not there comes out a little above or below 0 by chance; nothing "
                "is cut off.")  # fmt: skip
    study.find(*(luck_finding(shares, players) for players in study.subject.headline_players))
    deals = shares.drop_duplicates(["field", "players"])
    caption = (
        f"{deals['games'].sum():,} games in {deals['blocks'].sum():,} blocks, seed "
        f"{study.options.seed}, deck {study.subject.deck.name}, "
        f"{study.subject.rules.describe()} rules, paxsim {__version__}"
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
                "strategy, seat and luck of the cards, for two fields.")  # fmt: skip

    decided = play_redealt(study, shares)
    study.table("decided", "By when a game is decided, mixed field", decided,
                "Decided: as far as copies of a game end alike that are dealt anew from there on; "
                f"{COPIES} copies of every deal from every point.")  # fmt: skip
    headline = study.subject.headline_players
    study.find(*(decided_finding(decided, players) for players in headline))
    figure, axes = charts.panels(1, len(headline), width=9.4, height=4.0, sharey=True,
                                 squeeze=False)  # fmt: skip
    for ax, players in zip(axes.flat, headline, strict=True):
        rows = decided[decided["players"] == players]
        footer = (
            f"{decided['games'].sum():,} games on {decided['deals'].iloc[0]:,} deals each, "
            f"seed {study.options.seed}, deck {study.subject.deck.name}, "
            f"{study.subject.rules.describe()} rules, paxsim {__version__}"
        )
        charts.forest(rows, "decided", by="point", label="decided (%)", reference=0.5,
                      title=f"{players} players", ax=ax, caption=footer)  # fmt: skip
    study.chart("decided", "By when a game is decided", figure,
                "How much of the outcome is decided before the deal, after the draft and after "
                "each round, with intervals, one panel a player count.")  # fmt: skip

    mixed = list(fields.play_mixed(study).values())
    games = study.table("games", "Length and margins, mixed field", fields.joined(mixed, "games"))
    study.find(length_finding(games))
    for name, title in (("rounds", "Rounds of a game"), ("winner_points", "Points of the winner"),
                        ("margins", "Margin of the winner")):  # fmt: skip
        table = pd.concat([charts.data.histogram_table(r, name) for r in mixed], ignore_index=True)
        counts = study.subject.players
        figure, axes = charts.panels(-(-len(counts) // 4), min(4, len(counts)), width=9.2,
                                     height=0.6 + 1.9 * -(-len(counts) // 4), squeeze=False,
                                     sharex=True)  # fmt: skip
        for ax, players in zip(axes.flat, counts, strict=False):
            charts.distribution(charts.describe(table, fields.caption(mixed)), name,
                                players=players, ax=ax)  # fmt: skip
            ax.set_xlabel(COUNTED[name])
            ax.tick_params(labelbottom=True)
        for ax in axes[:, 1:].flat:
            ax.set_ylabel("")
        for ax in list(axes.flat)[len(counts) :]:
            ax.set_axis_off()
        study.chart(name, title, figure,
                    f"Distribution: {title.lower()}, a small panel a player count.")  # fmt: skip
        # The chart calls every quantity "value"; a table says what it counts.
        named = table.rename(columns={"value": COUNTED[name]})
        study.table(name, f"{title}: distribution", named.assign(deck=study.subject.deck.name))

    leads = play_leads(study)
    study.table("leads", "Lead changes, mixed field", leads,
                "The leader is the seat that would win if the game were scored after the "
                "round.")  # fmt: skip
    study.find(*(lead_finding(leads, players) for players in study.subject.headline_players))


def play_squares(study: Study) -> pd.DataFrame:
    """Shares of the variance for the mixed field, and with one beginner who plays at random."""
    deals = max(4 * MIN_BLOCKS, study.games("variance") // (2 * sum(study.subject.players)))
    tables = []
    for players in study.subject.players:
        mixed = fields.mixed_lineup(study, players)
        lineups = {"mixed field": mixed, "one plays at random": [*mixed[:-1], fields.YARDSTICK]}
        for number, (name, lineup) in enumerate(lineups.items()):
            found = study.compute(
                f"variance-{players}-{number}", deals * players, squares, policies=lineup,
                deals=deals, seed=study.options.seed, setting=study.subject.setting,
                how={"jobs": study.options.jobs},
            )["shares"]  # fmt: skip
            tables.append(variance_table(found).assign(
                field=name, players=players, deck=study.subject.deck.name, games=deals * players,
                blocks=deals))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    first = ["field", "players", "part"]
    table = table[[*first, *(name for name in table if name not in first)]]
    return table.sort_values("field", kind="stable", ignore_index=True)


def squares(
    policies: Sequence[str], deals: int, seed: int, setting: dict[str, Any], jobs: int | None
) -> dict[str, np.ndarray]:
    """Shares of the win by deal, seat and strategy, in 840ths.

    Returns
    -------
    dict of str to numpy.ndarray
        ``shares``: shape (deals, players, players).
    """
    players = len(policies)
    firsts = range(0, deals, CHUNK_DEALS)
    workers = Parallel(n_jobs=checked_jobs(jobs), prefer="threads")
    parts = workers(
        delayed(_square)(list(policies), first, min(CHUNK_DEALS, deals - first), seed, setting)
        for first in firsts
    )
    found = np.concatenate(parts)
    assert found.shape == (deals, players, players)
    return {"shares": found}


def _square(
    policies: list[str], first: int, deals: int, seed: int, setting: dict[str, Any]
) -> np.ndarray:
    """Shares by deal, seat and position: seat s of rotation r is played by s + r."""
    players = len(policies)
    batch = play_batch(policies, deals=deals, first_deal=first, rotations="all", seed=seed,
                       **setting)  # fmt: skip
    shares = np.rint(batch.shares * WIN).astype(np.int64).reshape(deals, players, players)
    positions = batch.positions.reshape(deals, players, players)
    square = np.zeros((deals, players, players), np.int64)
    deal = np.arange(deals)[:, None, None]
    square[deal, np.arange(players)[None, None, :], positions] = shares
    return square


def variance_table(square: np.ndarray) -> pd.DataFrame:
    """Shares of the variance with intervals: columns part, share, share_low, share_high."""
    rows = [(part, *numbers) for part, numbers in variance_shares(square).items()]
    return pd.DataFrame(rows, columns=["part", "share", "share_low", "share_high"])


def play_redealt(study: Study, shares: pd.DataFrame) -> pd.DataFrame:
    """How much is decided at each point of a game, by player count."""
    counts = study.subject.headline_players
    deals = max(4 * MIN_BLOCKS, study.games("redealt") // len(counts))
    tables = []
    for players in counts:
        games = deals * COPIES * len(ROUNDS)
        found = study.compute(
            f"redealt-{players}", games, redeal_games,
            policies=fields.mixed_lineup(study, players), deals=deals, seed=study.options.seed,
            how_played=study.subject.setting,
        )["shares"]  # fmt: skip
        table = decided_table(found, before_the_deal(shares, players))
        tables.append(table.assign(players=players, deck=study.subject.deck.name, deals=deals,
                                   games=deals * COPIES))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    return table[["players", *(name for name in table if name != "players")]]


def before_the_deal(shares: pd.DataFrame, players: int) -> tuple[float, float, float]:
    """What is no luck in the mixed field, with the ends of its interval."""
    rows = shares[(shares["players"] == players) & (shares["field"] == shares["field"].iloc[0])]
    value, low, high = numbers(rows.set_index("part").loc["luck"], "share")
    return 1 - value, 1 - high, 1 - low


# --- who leads ------------------------------------------------------------------------------


def play_leads(study: Study) -> pd.DataFrame:
    """Lead changes by player count."""
    deals = max(2 * MIN_BLOCKS, study.games("leads") // len(study.subject.players))
    rows = []
    for players in study.subject.players:
        found = study.compute(
            f"leads-{players}", deals, walk_games, policies=fields.mixed_lineup(study, players),
            deals=deals, seed=study.options.seed, how_played=study.subject.setting,
        )  # fmt: skip
        rows.append(
            {"players": players, **lead_row(found), "deck": study.subject.deck.name, "games": deals}
        )
    return pd.DataFrame(rows)


def walk_games(
    policies: Sequence[str], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Lead changes of every deal in one rotation each, turn about.

    Returns
    -------
    dict of str to numpy.ndarray, shape (deals,)
        ``changes``; ``half``: whether the leader at half time won; ``last``: whether the leader
        before the last round did. A game without a leader then counts as not.
    """
    setting = make_setting(len(policies), **how_played)
    lineup = make_lineup(list(policies), setting.players)
    found = [leaders(setting, lineup, seed, deal, deal % setting.players) for deal in range(deals)]
    return {
        "changes": np.array([lead_changes(leads) for leads in found]),
        "half": np.array([_wins(leads, (len(leads) - 1) // 2) for leads in found]),
        "last": np.array([_wins(leads, len(leads) - 2) for leads in found]),
    }


def leaders(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> list[int]:
    """The leader after each round of a game; the last one is the winner."""
    found: list[int] = []
    for game in walk(setting, lineup, seed, deal, rotation):
        if not game.over and int(game.record["table"]["round"]) > len(found) + 1:
            found.append(leader(game))
    return [*found, leader(game)]


def leader(game: Game) -> int:
    """The seat, from 0, that would win if the game were scored now; `NOBODY` if none alone."""
    result = game.score()
    shares = result["shares"][: game.setting.players]
    best = int(np.argmax(shares))
    return best if shares[best] == 1.0 else NOBODY


def lead_changes(leads: Sequence[int]) -> int:
    """How often the lead passed to another seat."""
    held = [seat for seat in leads if seat != NOBODY]
    return sum(a != b for a, b in zip(held, held[1:], strict=False))


def _wins(leads: Sequence[int], after: int) -> bool:
    """Whether the leader after a round (counted from 0) won in the end."""
    return len(leads) > 1 and leads[after] != NOBODY and leads[after] == leads[-1]


def lead_row(found: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Mean lead changes and how often leaders win; all deals differ, so games are the units."""
    moments = Moments.of(np.asarray(found["changes"], float)[:, None])
    changes = contrast(moments, [1.0])
    row = {"lead_changes": changes.estimate, "lead_changes_low": changes.low,
           "lead_changes_high": changes.high}  # fmt: skip
    for name in ("half", "last"):
        wins = np.asarray(found[name])
        low, high = wilson(float(wins.sum()), len(wins))
        row |= {name: float(wins.mean()), f"{name}_low": low, f"{name}_high": high}
    return row


# --- sentences ------------------------------------------------------------------------------


def luck_finding(shares: pd.DataFrame, players: int) -> Finding:
    """How the outcome splits into strategy, seat and luck, in the first field of the table.

    Parameters
    ----------
    shares : pandas.DataFrame
        Columns ``field``, ``players``, ``part``, ``share`` with ``_low`` and ``_high``.
    players : int
        The player count.
    """
    field = shares["field"].iloc[0]
    rows = shares[(shares["players"] == players) & (shares["field"] == field)].set_index("part")
    said = {part: _percent(row) for part, row in rows.iterrows()}
    text = (
        f"With {players} players ({field}) strategy makes up {said['strategy']} of the variance of "
        f"who wins, seat {said['seat']}, and the luck of the cards {said['luck']}."
    )
    return Finding(f"luck/{players}", text, *numbers(rows.loc["luck"], "share"))


def _percent(row: Any) -> str:
    return percent(*numbers(row, "share"))


def length_finding(games: pd.DataFrame) -> Finding:
    """How long games are, and by how much they are won, with the fewest and the most players."""
    rows = games.sort_values("players", kind="stable")
    parts = []
    for row in (rows.iloc[0], rows.iloc[-1]):
        rounds = amount(row["rounds"], row["rounds_low"], row["rounds_high"])
        margin = amount(row["margin"], row["margin_low"], row["margin_high"])
        parts.append(
            f"with {int(row['players'])} players {rounds} rounds, and is won on points by {margin}"
        )
    return Finding("length", f"A game takes {'; '.join(parts)}.")


def lead_finding(leads: pd.DataFrame, players: int) -> Finding:
    """How open a game is: lead changes, and whether the leader at half time wins."""
    row = leads[leads["players"] == players].iloc[0]
    half = numbers(row, "half")
    changes = amount(row["lead_changes"], row["lead_changes_low"], row["lead_changes_high"])
    text = (
        f"With {players} players the lead changes {changes} times a game, and who leads at half "
        f"time wins in {percent(*half)} of games."
    )
    return Finding(f"leads/{players}", text, *half)
