"""By when is a game decided? Games are dealt anew from a point on and played to their end.

A game is walked through to a point: the end of the draft, or of a round. Copies of it then go on
with the cards that are still undealt in another order (cards that players put back under the deck
stay where they are, and so do Rome's hidden ones). As far as the copies end alike, the end was
decided at that point (`paxsim.stats.decided_shares`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from paxsim.engine.loop import finish_game, progress_dtype
from paxsim.engine.records import RING, address_of
from paxsim.experiment.shares import in_units
from paxsim.failures import ask_all
from paxsim.game import Game, walk
from paxsim.lineup import Lineup, make_lineup
from paxsim.report.study import Finding
from paxsim.setting import Setting, make_setting
from paxsim.stats import decided_shares
from paxsim.studies.findings import numbers
from paxsim.text import percent

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
    outfits = game.take_seats(lineup, rotation, progress)
    arguments = (game._address, address_of(progress))
    ask_all(finish_game, arguments, game.setting, lineup, outfits, seed, progress[0])


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
