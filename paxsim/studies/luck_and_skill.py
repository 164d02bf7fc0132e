"""How much of the outcome is strategy, seat and luck; how long and how close are games?

Every deal is played in all rotations, so that over a block each strategy sits once at every seat:
the variance of the share of the win then splits into strategy, seat and luck of the cards (the
method is told in `paxsim.stats.variance`). By when the cards have decided is found by dealing anew
from a point on (`paxsim.studies.redealing`). All line-ups of the tournament play, each on deals of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from paxsim import charts
from paxsim.experiment.run import checked_jobs
from paxsim.experiment.shares import in_units
from paxsim.playing import play_batch
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.stats import pooled_variance_shares
from paxsim.studies import fields
from paxsim.studies.findings import numbers
from paxsim.studies.redealing import COPIES, ROUNDS, decided_finding, decided_table, redeal_games
from paxsim.text import amount, listing, percent
from paxsim.version import __version__

TITLE = "Luck and skill"
QUESTION = (
    "How much of the outcome is strategy, seat and luck of the cards, by when is it decided, and "
    "how long and close are games?"
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


def run(study: Study) -> None:
    """Split the variance, then look at length and margins."""
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
    wide, narrow = (_variance_bars(shares, caption, width) for width in (7.4, 4.4))
    small = small_parts(shares)
    note = f" (too little to be seen: {listing(small)})" if small else ""
    study.chart("variance", f"What decides a game{note}", wide,
                "Stacked bars by player count: shares of the variance of the outcome due to "
                "strategy, seat and luck of the cards, for two fields.",
                narrow=narrow)  # fmt: skip

    decided = play_redealt(study, shares)
    study.table("decided", "By when a game is decided, all line-ups", decided,
                "Decided: as far as copies of a game end alike that are dealt anew from there on. "
                "(When it is decided asks another question: who would win if the game were scored "
                "there.) "
                f"{COPIES} copies of every deal from every point. undealt: cards that nobody has "
                "had in hand yet, on average. After the last point there are none: from then on "
                "only cards come up that players put under the deck, in an order that is "
                "fixed.")  # fmt: skip
    headline = study.subject.headline_players
    study.find(*(decided_finding(decided, players) for players in headline))
    footer = (
        f"{decided['games'].sum():,} games of all line-ups in turn, {decided['deals'].iloc[-1]:,} "
        f"deals dealt anew, seed {study.options.seed}, deck {study.subject.deck.name}, "
        f"{study.subject.rules.describe()} rules, paxsim {__version__}"
    )
    figures = []
    for rows, columns, width in ((1, len(headline), 9.4), (len(headline), 1, 4.4)):
        figure, axes = charts.panels(rows, columns, width=width, height=0.8 + 3.2 * rows,
                                     sharex=True, squeeze=False)  # fmt: skip
        for ax, players in zip(axes.flat, headline, strict=True):
            charts.forest(decided[decided["players"] == players], "decided", by="point",
                          label="decided (%)", reference=0.5, title=f"{players} players", ax=ax,
                          limits=charts.ALL_RATES, caption=footer)  # fmt: skip
            ax.tick_params(labelbottom=True)
        figures.append(figure)
    study.chart("decided", "By when a game is decided", figures[0],
                "How much of the outcome is decided before the deal, after the draft and after "
                "each round that leaves cards undealt, with intervals, one panel a player count.",
                narrow=figures[1])  # fmt: skip

    mixed = list(fields.play_mixed(study).values())
    games = study.table("games", "Length and margins, all line-ups", fields.joined(mixed, "games"))
    study.find(length_finding(games))
    for name, title in (("rounds", "Rounds of a game"), ("winner_points", "Points of the winner"),
                        ("margins", "Margin of the winner")):  # fmt: skip
        table = pd.concat([charts.data.histogram_table(r, name) for r in mixed], ignore_index=True)
        caption = fields.caption(mixed)
        if name != "rounds":
            title = f"{title}, where the players won"
            caption = f"{games['players_won'].sum():,} games that the players won, of {caption}"
        shown = charts.describe(table, caption)
        wide, narrow = (_distributions(shown, name, study.subject.players, columns, width)
                        for columns, width in ((4, 9.2), (2, 4.6)))  # fmt: skip
        study.chart(name, title, wide,
                    f"Distribution: {title.lower()}, a small panel a player count.",
                    narrow=narrow)  # fmt: skip
        # The chart calls every quantity "value"; a table says what it counts.
        named = table.rename(columns={"value": COUNTED[name]})
        study.table(name, f"{title}: distribution", named.assign(deck=study.subject.deck.name))


def _variance_bars(shares: pd.DataFrame, caption: str, width: float) -> Any:
    """What decides, a panel a field and a bar a player count."""
    figure, axes = charts.panels(2, 1, width=width, height=7.4)
    for ax, (name, rows) in zip(axes, shares.groupby("field", sort=False), strict=True):
        wide = rows.pivot(index="players", columns="part", values="share").reset_index()
        wide["label"] = wide["players"].map("{} players".format)
        charts.stacked_shares(wide, PARTS, label="share of the variance of the outcome (%)",
                              title=f"What decides: {name}", ax=ax, caption=caption)  # fmt: skip
    axes[0].get_legend().remove()
    return figure


def small_parts(shares: pd.DataFrame) -> list[str]:
    """The parts of the variance that are nowhere large enough for a chart to show."""
    most = shares.groupby("part")["share"].max()
    return [said for part, said in PARTS.items() if most[part] < charts.LEAST_SHOWN]


def _distributions(
    table: pd.DataFrame, name: str, counts: Sequence[int], columns: int, width: float
) -> Any:
    """A small panel a player count."""
    rows = -(-len(counts) // columns)
    figure, axes = charts.panels(rows, min(columns, len(counts)), width=width,
                                 height=0.6 + 1.9 * rows, squeeze=False, sharex=True)  # fmt: skip
    for ax, players in zip(axes.flat, counts, strict=False):
        charts.distribution(table, name, players=players, ax=ax)
        ax.set_xlabel(COUNTED[name])
        ax.tick_params(labelbottom=True)
    for ax in axes[:, 1:].flat:
        ax.set_ylabel("")
    for ax in list(axes.flat)[len(counts) :]:
        ax.set_axis_off()
    return figure


def play_squares(study: Study) -> pd.DataFrame:
    """Shares of the variance over all line-ups, and with one beginner who plays at random."""
    tables = []
    for players in study.subject.players:
        mixed = fields.mixed_lineups(study, players)
        beginners = [[*lineup[:-1], fields.YARDSTICK] for lineup in mixed]
        wanted = study.games("variance") // (2 * sum(study.subject.players) * len(mixed))
        deals = max(2, -(-4 * MIN_BLOCKS // len(mixed)), wanted)
        blocks = deals * len(mixed)
        for number, (name, lineups) in enumerate(
            {"all line-ups": mixed, "one plays at random": beginners}.items()
        ):
            found = study.compute(
                f"variance-{players}-{number}", blocks * players, squares, lineups=lineups,
                deals=deals, seed=study.options.seed, setting=study.subject.setting,
                how={"jobs": study.options.jobs},
            )["shares"]  # fmt: skip
            tables.append(variance_table(found).assign(
                field=name, players=players, deck=study.subject.deck.name, games=blocks * players,
                blocks=blocks))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    first = ["field", "players", "part"]
    table = table[[*first, *(name for name in table if name not in first)]]
    return table.sort_values("field", kind="stable", ignore_index=True)


def squares(
    lineups: Sequence[Sequence[str]],
    deals: int,
    seed: int,
    setting: dict[str, Any],
    jobs: int | None,
) -> dict[str, np.ndarray]:
    """Shares of the win by line-up, deal, seat and strategy, in units; no deal is played twice.

    Returns
    -------
    dict of str to numpy.ndarray
        ``shares``: shape (lineups, deals, players, players).
    """
    parts = Parallel(n_jobs=checked_jobs(jobs), prefer="threads")(
        delayed(_square)(list(lineup), number * deals, deals, seed, setting)
        for number, lineup in enumerate(lineups)
    )
    return {"shares": np.stack(parts)}


def _square(
    policies: list[str], first: int, deals: int, seed: int, setting: dict[str, Any]
) -> np.ndarray:
    """Shares by deal, seat and position: seat s of rotation r is played by s + r."""
    players = len(policies)
    batch = play_batch(policies, deals=deals, first_deal=first, rotations="all", seed=seed,
                       **setting)  # fmt: skip
    shares = in_units(batch.shares).reshape(deals, players, players)
    positions = batch.positions.reshape(deals, players, players)
    square = np.zeros((deals, players, players), np.int64)
    deal = np.arange(deals)[:, None, None]
    square[deal, np.arange(players)[None, None, :], positions] = shares
    return square


def variance_table(squares: np.ndarray) -> pd.DataFrame:
    """Shares of the variance with intervals: columns part, share, share_low, share_high."""
    rows = [(part, *numbers) for part, numbers in pooled_variance_shares(squares).items()]
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
            lineups=fields.mixed_lineups(study, players), deals=deals, seed=study.options.seed,
            how_played=study.subject.setting,
        )  # fmt: skip
        table = decided_table(found["shares"], found["undealt"], before_the_deal(shares, players))
        table = table.assign(players=players, deck=study.subject.deck.name, deals=deals,
                             games=deals * COPIES)  # fmt: skip
        table.loc[table.index[0], ["deals", "games"]] = behind(shares, players)
        tables.append(table)
    table = pd.concat(tables, ignore_index=True)
    return table[["players", *(name for name in table if name != "players")]]


def behind(shares: pd.DataFrame, players: int) -> list[int]:
    """Deals and games behind what is decided before the deal."""
    row = shares[(shares["players"] == players) & (shares["field"] == shares["field"].iloc[0])]
    return [int(row["blocks"].iloc[0]), int(row["games"].iloc[0])]


def before_the_deal(shares: pd.DataFrame, players: int) -> tuple[float, float, float]:
    """What is no luck over all line-ups, with the ends of its interval."""
    rows = shares[(shares["players"] == players) & (shares["field"] == shares["field"].iloc[0])]
    value, low, high = numbers(rows.set_index("part").loc["luck"], "share")
    return 1 - value, 1 - high, 1 - low


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
    cells = {PARTS[part]: said[part] for part in ("strategy", "seat", "luck")}
    return Finding(f"luck/{players}", text, *numbers(rows.loc["luck"], "share"), cells=cells)


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
            f"with {int(row['players'])} players {rounds} rounds; where Rome does not win "
            f"({int(row['players_won']):,} of {int(row['games']):,} games) the winner is {margin} "
            "points ahead"
        )
    return Finding("length", f"A game takes {'; '.join(parts)}.")
