"""How much of the outcome is strategy, seat and luck; how long and how close are games?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from paxsim import charts
from paxsim.engine.loop import finish_game, progress_dtype
from paxsim.engine.records import RING, address_of
from paxsim.experiment.run import checked_jobs
from paxsim.experiment.tally import in_units
from paxsim.failures import ask_all
from paxsim.game import Game, walk
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import play_batch
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.report.subject import YARDSTICK
from paxsim.setting import Setting, make_setting
from paxsim.stats import decided_shares, variance_shares
from paxsim.text import amount, listing, percent
from paxsim.version import __version__

#: Copies of a game that are played on from each point.
COPIES = 6
#: Rounds after which games are dealt anew; 0 is the end of the draft.
ROUNDS = range(9)
#: With fewer cards undealt there is one order of them only.
LAST_TWO = 2


def redeal_games(
    lineups: Sequence[Sequence[str]], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Shares of the win in copies dealt anew after the draft and after each round.

    Every deal is played by one line-up in one rotation, turn about.

    Returns
    -------
    dict of str to numpy.ndarray
        ``shares``, in units: shape (deals, points, copies, players). ``undealt``: cards that
        could be dealt anew, shape (deals, points).
    """
    setting = make_setting(len(lineups[0]), **how_played)
    seated = [make_lineup(list(lineup), setting.players) for lineup in lineups]
    found = [
        redealt_deal(setting, seated[deal % len(seated)], seed, deal,
                     deal // len(seated) % setting.players)
        for deal in range(deals)
    ]  # fmt: skip
    return {
        "shares": np.stack([shares for shares, _ in found]),
        "undealt": np.stack([undealt for _, undealt in found]),
    }


def redealt_deal(
    setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the win of one deal, shape (points, copies, players), in units; and the cards that
    are still undealt, shape (points,).
    """
    rng = np.random.default_rng([seed, deal])
    shares = np.zeros((len(ROUNDS), COPIES, setting.players), np.int64)
    undealt = np.zeros(len(ROUNDS), np.int64)
    end_of_deck, reached = -1, 0
    for game in walk(setting, lineup, seed, deal, rotation):
        table = game.record["table"]
        if end_of_deck < 0:  # what players put under the deck comes behind this
            end_of_deck = int(table["deck_top"]) + int(table["deck_left"])
        while not game.over and reached < min(len(ROUNDS), int(table["round"])):
            undealt[reached] = max(0, end_of_deck - int(table["deck_top"]))
            for copy in range(COPIES):
                other = game.copy()
                shuffle_undealt(other, end_of_deck, rng)
                finish(other, lineup, seed, deal, rotation)
                shares[reached, copy] = shares_of(other)
            reached += 1
    shares[reached:] = shares_of(game)  # over by then: every copy is this game
    return shares, undealt


def shuffle_undealt(game: Game, end_of_deck: int, rng: np.random.Generator) -> None:
    """Put the cards that nobody has seen yet into another order."""
    top = int(game.record["table"]["deck_top"])
    places = np.arange(top, end_of_deck) % RING
    deck = game.record["hidden"]["deck"]
    deck[places] = deck[rng.permutation(places)]


def finish(game: Game, lineup: Lineup, seed: int, deal: int, rotation: int) -> None:
    """Play a copied game to its end with its line-up."""
    progress = np.zeros(1, progress_dtype)
    progress["deal"] = deal
    contexts = game.take_seats(lineup, rotation, progress)
    arguments = (game._address, address_of(progress))
    ask_all(finish_game, arguments, game.setting, lineup, contexts, seed, progress[0])


def shares_of(game: Game) -> np.ndarray:
    """Shares of the win by seat at the end of a game, in units (`in_units`)."""
    return in_units(game.result()["shares"][: game.setting.players])


def decided_table(
    shares: np.ndarray, undealt: np.ndarray, before: tuple[float, float, float]
) -> pd.DataFrame:
    """How much is decided at each point: columns point, undealt, decided with its interval.

    Points from which on no card can come otherwise are left out: copies are the same game there,
    which says nothing about how open it is.

    Parameters
    ----------
    shares, undealt : numpy.ndarray
        From `redeal_games`.
    before : tuple of float
        What strategies and seats decide before a card is dealt, with the ends of its interval.
    """
    points = ["before the deal", "after the draft", *(f"after round {k}" for k in ROUNDS[1:])]
    found = [before, *decided_shares(shares)]
    most = [LAST_TWO, *undealt.max(axis=0).tolist()]
    mean = [math.nan, *undealt.mean(axis=0).tolist()]
    rows = [
        {"point": point, "undealt": cards, "decided": value, "decided_low": low,
         "decided_high": high}
        for point, cards, left, (value, low, high) in zip(points, mean, most, found, strict=True)
        if left >= LAST_TWO
    ]  # fmt: skip
    return pd.DataFrame(rows)


def decided_finding(table: pd.DataFrame, players: int) -> Finding:
    """How much is decided before the deal and after the draft, and the round that decides half.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``players``, ``point``, ``decided`` with ``_low`` and ``_high``, in order.
    players : int
        The player count.
    """
    rows = table[table["players"] == players].reset_index(drop=True)
    before, draft = numbers(rows.iloc[0], "decided"), numbers(rows.iloc[1], "decided")
    text = (
        f"With {players} players {percent(*before)} of who wins is decided by strategies and seats "
        f"before a card is dealt, and {percent(*draft)} after the draft"
    )
    most = rows.index[rows["decided"] > 0.5]
    last = rows.iloc[-1]
    if len(most) and most[0] > 1:
        half = rows.iloc[most[0]]
        text += f"; {half['point']} it is more than half: {percent(*numbers(half, 'decided'))}"
    elif not len(most):
        text += f"; {last['point']} it is still less than half"
    if len(most) and most[0] < len(rows) - 1 > 1:
        said = percent(*numbers(last, "decided"))
        text += f"; {last['point']}, the last one that leaves cards undealt, {said}"
    cells = {
        "decided before a card is dealt": percent(*before),
        "after the draft": percent(*draft),
        "at the last point with cards undealt": (
            f"{percent(*numbers(last, 'decided'))} ({last['point']})"
        ),
    }
    return Finding(f"redealt/{players}", f"{text}.", *draft, cells=cells)


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

    mixed = list(findings.play_mixed(study).values())
    games = study.table(
        "games", "Length and margins, all line-ups", findings.joined(mixed, "games")
    )
    study.find(length_finding(games))
    for name, title in (("rounds", "Rounds of a game"), ("winner_points", "Points of the winner"),
                        ("margins", "Margin of the winner")):  # fmt: skip
        table = pd.concat([charts.data.histogram_table(r, name) for r in mixed], ignore_index=True)
        caption = findings.caption(mixed)
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
        mixed = findings.mixed_lineups(study, players)
        beginners = [[*lineup[:-1], YARDSTICK] for lineup in mixed]
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
    rows = [(part, *numbers) for part, numbers in variance_shares(squares).items()]
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
            lineups=findings.mixed_lineups(study, players), deals=deals, seed=study.options.seed,
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
