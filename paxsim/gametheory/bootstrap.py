"""Bootstrap over blocks: the same game measured again and again, for how sure everything is.

All multisets are played on the same deals. So groups of blocks (by deal number) are drawn, each
draw the same groups for every multiset: what hangs together, seats of a game and multisets by their
deals, stays together, and differences between multisets are as sure as common deals make them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.errors import PaxsimError
from paxsim.gametheory.fill import fill
from paxsim.gametheory.symmetric import Floats, SymmetricGame
from paxsim.stats.constants import LEVEL, RESAMPLING_SEED

#: Draws of the bootstrap. What is searched for anew in each (mixed states, basins) takes a while.
DRAWS = 200


@dataclass(frozen=True, eq=False)
class Played:
    """What was played, in groups of blocks.

    Attributes
    ----------
    players : int
        Seats at the table.
    rows : ndarray of int, shape (played,)
        Which multisets were played, as rows of `multisets`.
    wins : ndarray, shape (groups, played, strategies)
        Wins of a seat of each strategy, summed over the games of a group.
    rome : ndarray, shape (groups, played)
        Games that Rome won.
    games : ndarray, shape (groups, played)
        Games; a group without any in some multiset counts nowhere.
    """

    players: int
    rows: NDArray[np.intp]
    wins: Floats
    rome: Floats
    games: Floats

    def __post_init__(self) -> None:
        if self.wins.shape[:2] != self.games.shape or self.rome.shape != self.games.shape:
            raise PaxsimError(
                f"game: wins of shape {self.wins.shape} for games of shape {self.games.shape}"
            )

    @property
    def used(self) -> np.ndarray:
        """Groups that hold games of every multiset."""
        return np.flatnonzero((self.games > 0).all(axis=1))


def measured(played: Played) -> SymmetricGame:
    """The game as all games together say it is."""
    everything = np.ones((1, len(played.games)))
    return _tables(played, everything).draw(0)


def drawn(played: Played, draws: int = DRAWS, seed: int = RESAMPLING_SEED) -> SymmetricGame:
    """The game in each draw of the bootstrap: payoffs (draws, multisets, strategies)."""
    used = played.used
    if len(used) < 2:
        raise PaxsimError(f"game: found {len(used)} groups of blocks; allowed: two or more")
    rng = np.random.default_rng(seed)
    counts = np.zeros((draws, len(played.games)))
    counts[:, used] = rng.multinomial(len(used), np.full(len(used), 1 / len(used)), size=draws)
    return _tables(played, counts)


def _tables(played: Played, counts: Floats) -> SymmetricGame:
    """Tables in which each group counts so many times, counts of shape (tables, groups)."""
    groups, rows, strategies = played.wins.shape
    games = counts @ played.games
    wins = (counts @ played.wins.reshape(groups, -1)).reshape(-1, rows, strategies)
    rome = (counts @ played.rome) / games
    whole = fill(played.players, played.rows, wins / games[..., None], rome)
    return SymmetricGame(played.players, whole.payoffs, whole.rome)


def interval(draws: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The middle part of the draws (percentile interval); NaN without any."""
    found = draws[np.isfinite(draws)]
    if not len(found):
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)
