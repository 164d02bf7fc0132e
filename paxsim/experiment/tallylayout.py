"""What a tally holds, and where: the units, the bins, and the vector of a block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: A whole win, in the units that shares are counted in: the least number that 1 to 8 divide.
WIN = 840
#: Super-blocks, for the bootstrap of ratings: a block belongs to its deal number modulo this.
SUPERBLOCKS = 200
#: Bins of the histograms of rounds, points and margins; the last takes what is beyond.
ROUND_BINS, POINT_BINS, MARGIN_BINS = 64, 96, 64

POINT_PARTS = ("categories", "stronger", "fleet_army", "primus", "wealthiest")


@dataclass(frozen=True)
class Layout:
    """Where the statistics of a match stand in its block vector.

    The vector has, summed over the games of a block: the share of the win by position, the same by
    seat, the share won together with Rome by position, points by position, then how often Rome won,
    how often Rome won alone, rounds, the winner's margin, and games the players won.
    """

    players: int

    @property
    def size(self) -> int:
        """Length of the block vector."""
        return 4 * self.players + 5

    @property
    def units(self) -> np.ndarray:
        """Units in a whole of each statistic, shape ``(size,)``: shares of a win have `WIN`."""
        units = np.ones(self.size, np.int64)
        units[: 3 * self.players] = WIN
        return units

    def share(self, position: int) -> int:
        """Share of the win of a line-up position, in 840ths."""
        return position

    def seat(self, seat: int) -> int:
        """Share of the win of a seat, in 840ths."""
        return self.players + seat

    def with_rome(self, position: int) -> int:
        """Share won as Rome's friend by a line-up position, in 840ths."""
        return 2 * self.players + position

    def points(self, position: int) -> int:
        """Points of a line-up position."""
        return 3 * self.players + position

    @property
    def rome(self) -> int:
        """Games that Rome won."""
        return 4 * self.players

    @property
    def rome_alone(self) -> int:
        """Games that Rome won and no player with it."""
        return 4 * self.players + 1

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return 4 * self.players + 2

    @property
    def margin(self) -> int:
        """Points between the best seat and the next, where the players won."""
        return 4 * self.players + 3

    @property
    def players_won(self) -> int:
        """Games that the players won."""
        return 4 * self.players + 4
