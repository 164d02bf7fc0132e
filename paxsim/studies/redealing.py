"""By when is a game decided? Games are dealt anew from a point on and played to their end.

A game is walked through to a point: the end of the draft, or of a round. Copies of it then go on
with the cards that are still undealt in another order (cards that players put back under the deck
stay where they are, and so do Rome's hidden ones). As far as the copies end alike, the end was
decided at that point (`paxsim.stats.decided_shares`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from paxsim.engine.loop import finish_game, progress_dtype
from paxsim.engine.records import RING, address_of
from paxsim.experiment.layout import WIN
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


def redeal_games(
    policies: Sequence[str], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Shares of the win in copies dealt anew after the draft and after each round.

    Every deal is played in one rotation, turn about.

    Returns
    -------
    dict of str to numpy.ndarray
        ``shares``, in 840ths: shape (deals, points, copies, players).
    """
    setting = make_setting(len(policies), **how_played)
    lineup = make_lineup(list(policies), setting.players)
    found = [redealt_deal(setting, lineup, seed, deal) for deal in range(deals)]
    return {"shares": np.stack(found)}


def redealt_deal(setting: Setting, lineup: Lineup, seed: int, deal: int) -> np.ndarray:
    """Shares of the win of one deal, shape (points, copies, players), in 840ths."""
    rotation = deal % setting.players
    rng = np.random.default_rng([seed, deal])
    shares = np.zeros((len(ROUNDS), COPIES, setting.players), np.int64)
    end_of_deck, reached = -1, 0
    for game in walk(setting, lineup, seed, deal, rotation):
        table = game.record["table"]
        if end_of_deck < 0:  # what players put under the deck comes behind this
            end_of_deck = int(table["deck_top"]) + int(table["deck_left"])
        while not game.over and reached < min(len(ROUNDS), int(table["round"])):
            for copy in range(COPIES):
                other = game.copy()
                shuffle_undealt(other, end_of_deck, rng)
                finish(other, lineup, seed, deal, rotation)
                shares[reached, copy] = shares_of(other)
            reached += 1
    shares[reached:] = shares_of(game)  # over by then: every copy is this game
    return shares


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
    """Shares of the win by seat at the end of a game, in 840ths."""
    return np.rint(game.result()["shares"][: game.setting.players] * WIN).astype(np.int64)


def decided_table(shares: np.ndarray, before: tuple[float, float, float]) -> pd.DataFrame:
    """How much is decided at each point: columns point, round, decided with its interval.

    Parameters
    ----------
    shares : numpy.ndarray
        From `redeal_games`.
    before : tuple of float
        What strategies and seats decide before a card is dealt, with the ends of its interval.
    """
    points = ["before the deal", "after the draft", *(f"after round {k}" for k in ROUNDS[1:])]
    found = [before, *decided_shares(shares)]
    rows = [
        {"point": point, "decided": value, "decided_low": low, "decided_high": high}
        for point, (value, low, high) in zip(points, found, strict=True)
    ]
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
    if len(most) and most[0] > 1:
        half = rows.iloc[most[0]]
        text += f"; {half['point']} it is more than half: {percent(*numbers(half, 'decided'))}"
    elif not len(most):
        text += f"; {rows['point'].iloc[-1]} it is still less than half"
    return Finding(f"redealt/{players}", f"{text}.", *draft)
