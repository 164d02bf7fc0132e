"""Tallies: what is kept of the games of a chunk; nothing is played here.

Everything is a sum of whole numbers, so tallies merge exactly: results do not depend on how the
work was cut or on who did it. A share of a win is counted in 840ths, which divide evenly among
one to eight winners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paxsim.engine.records import N_CATEGORIES, NOBODY
from paxsim.playing import Batch, positions_in

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


#: Sums by name, whole numbers; see `tally_blocks` for what there is.
Tally = dict[str, np.ndarray]


@dataclass(frozen=True)
class PlayedBlocks:
    """The games of some blocks of a match.

    Attributes
    ----------
    labels : sequence of str
        The policies by position.
    orders : sequence of sequence of int
        Orders of the positions.
    batches : sequence of Batch
        The games of each order: every block in all rotations.
    first_block : int
        Number of the first block.
    first_game : int
        Number of the match's first game, of block 0.
    """

    labels: Sequence[str]
    orders: Sequence[Sequence[int]]
    batches: Sequence[Batch]
    first_block: int
    first_game: int


def tally_blocks(matches: Sequence[PlayedBlocks]) -> Tally:
    """Reduce the games of some blocks of a bundle, the same blocks of each of its matches.

    Returns
    -------
    dict of str to numpy.ndarray
        ``blocks``, ``sums`` and ``products`` of the bundle's block vectors (its matches' vectors
        one after another), and for match ``m`` the entries ``m/...`` of `_empty_details`.
    """
    vectors = []
    tally: Tally = {}
    for index, match in enumerate(matches):
        vector, details = _tally_match(match)
        vectors.append(vector)
        tally |= {f"{index}/{name}": array for name, array in details.items()}
    x = np.concatenate(vectors, axis=1)
    tally["blocks"] = np.array([len(x)], np.int64)
    tally["sums"] = x.sum(axis=0)
    # Not `x.T @ x`: floating-point products start threads of their own in every worker.
    tally["products"] = np.einsum("bi,bj->ij", x, x)
    return tally


def _tally_match(match: PlayedBlocks) -> tuple[np.ndarray, Tally]:
    """The vectors of a match's blocks, and the other sums."""
    players = len(match.labels)
    blocks = len(match.batches[0]) // players
    layout = Layout(players)
    vector = np.zeros((blocks, layout.size), np.int64)
    cells = np.zeros((blocks, players, players), np.int64)
    strategy = strategy_numbers(match.labels)
    details = _empty_details(players, strategy.max() + 1)
    block_size = players * len(match.orders)
    for number, (order, batch) in enumerate(zip(match.orders, match.batches, strict=True)):
        games = _Games(batch, np.array(order))
        _add_to_vector(vector, games, layout)
        _add_to_cells(cells, games)
        # Numbers of the games of this order, by block and rotation.
        numbers = match.first_game + (match.first_block + np.arange(blocks)) * block_size
        numbers = (numbers[:, None] + number * players + np.arange(players)).ravel()
        _add_details(details, games, numbers)
    by_strategy = cells @ (strategy[:, None] == np.arange(strategy.max() + 1)).astype(np.int64)
    details["superblocks"] += _superblocks(vector, layout, match.first_block)
    details["cells"] += by_strategy.sum(axis=0)
    details["cell_squares"] += (by_strategy**2).sum(axis=0)
    return vector, details


def strategy_numbers(labels: Sequence[str]) -> np.ndarray:
    """Which strategy plays each position, numbered by first appearance, shape ``(players,)``."""
    names = list(dict.fromkeys(labels))
    return np.array([names.index(label) for label in labels])


class _Games:
    """The games of a batch, with seats translated to line-up positions."""

    def __init__(self, batch: Batch, order: np.ndarray):
        self.players = batch.setting.players
        self.results = batch.results
        #: Position by rotation and seat; games are ordered by deal, then rotation.
        rotations = batch.results["rotation"][: self.players]
        self.table = order[positions_in(rotations, self.players)]
        self.positions = np.tile(self.table, (len(batch) // self.players, 1))
        self.shares = np.rint(batch.shares * WIN).astype(np.int64)
        self.rome = batch.rome_wins
        self.points = self.results["points"][:, : self.players].astype(np.int64)

    def by_position(self, by_seat: np.ndarray) -> np.ndarray:
        """Numbers by game and seat, rearranged by game and position."""
        n = self.players
        rotations = np.arange(n)[:, None]
        return by_seat.reshape(-1, n, n)[:, rotations, self.table.argsort(axis=1)].reshape(-1, n)

    def sum_by_position(self, field: str) -> np.ndarray:
        """The sum of a field of the results over all games, shape ``(players,)``."""
        n = self.players
        by_seat = self.results[field].reshape(-1, n, self.results[field].shape[1])[:, :, :n]
        sums = by_seat.sum(axis=0, dtype=np.int64)
        return np.bincount(self.table.ravel(), sums.ravel(), n).astype(np.int64)

    @cached_property
    def shares_by_position(self) -> np.ndarray:
        """Shares of the win by game and position, in 840ths."""
        return self.by_position(self.shares)

    @cached_property
    def margins(self) -> np.ndarray:
        """Points between the best and the second seat; solo has none."""
        if self.players == 1:
            return np.zeros(len(self.results), np.int64)
        points = np.sort(self.points, axis=1)
        return points[:, -1] - points[:, -2]


def _add_to_vector(vector: np.ndarray, games: _Games, layout: Layout) -> None:
    """Add a batch's games to the vectors of their blocks; games are ordered by block."""
    n = layout.players
    blocks = len(vector)
    shares = games.shares_by_position
    points = games.by_position(games.points)
    players_won = ~games.rome
    columns = np.concatenate(
        [
            shares,
            games.shares,
            shares * games.rome[:, None],
            points,
            games.rome[:, None],
            (games.rome & (games.results["winners"] == 0))[:, None],
            games.results["rounds"][:, None],
            (games.margins * players_won)[:, None],
            players_won[:, None],
        ],
        axis=1,
        dtype=np.int64,
    )
    vector += columns.reshape(blocks, -1, 4 * n + 5).sum(axis=1)


def _add_to_cells(cells: np.ndarray, games: _Games) -> None:
    """Add the shares of a batch's games to the cells (block, seat, position)."""
    n = games.players
    # By block, rotation and seat; each meets a cell of its own, so plain indexing adds each share.
    cells[:, np.arange(n), games.table] += games.shares.reshape(-1, n, n)


def _empty_details(players: int, strategies: int) -> Tally:
    """The other sums of a match, all zero.

    ``cells``, ``cell_squares``: share of a block (and its square) by seat and strategy.
    ``superblocks``: wins by super-block and contestant, the last one being Rome alone.
    ``rome_held``: games in which Rome held each category. ``parts``: points by position and part.
    ``primus``: games in which each position, or nobody, held primus conspiratus at the end.
    ``rounds``, ``winner_points``, ``margins``: histograms. ``decisions``: all decisions.
    ``win_example``: the first game won at a seat by a position. ``rome_example``: the first game
    that Rome won, and that it won alone. Of both, -1 is none.
    """
    zeros = lambda *shape: np.zeros(shape, np.int64)  # noqa: E731
    return {
        "games": zeros(1),
        "decisions": zeros(1),
        "cells": zeros(players, strategies),
        "cell_squares": zeros(players, strategies),
        "superblocks": zeros(SUPERBLOCKS, players + 1),
        "rome_held": zeros(N_CATEGORIES),
        "parts": zeros(players, len(POINT_PARTS)),
        "primus": zeros(players + 1),
        "rounds": zeros(ROUND_BINS),
        "winner_points": zeros(POINT_BINS),
        "margins": zeros(MARGIN_BINS),
        "win_example": np.full((players, players), -1, np.int64),
        "rome_example": np.full(2, -1, np.int64),
    }


def _add_details(details: Tally, games: _Games, numbers: np.ndarray) -> None:
    """Add a batch's games to the other sums of a match."""
    n = games.players
    results = games.results
    details["games"] += len(results)
    details["decisions"] += int(results["decisions"].sum())
    # Games by set of categories, then by category: there are few sets.
    sets = np.bincount(results["rome_held"], minlength=1 << N_CATEGORIES)
    details["rome_held"] += (np.arange(len(sets))[:, None] >> np.arange(N_CATEGORIES) & 1).T @ sets
    for index, part in enumerate(POINT_PARTS):
        details["parts"][:, index] += games.sum_by_position(f"points_{part}")
    holder = results["primus"].astype(np.int64)
    seat = np.maximum(holder, 0)
    place = np.where(holder == NOBODY, n, games.positions[np.arange(len(results)), seat])
    details["primus"] += np.bincount(place, minlength=n + 1)
    won = ~games.rome
    best = games.points.max(axis=1)
    details["rounds"] += _histogram(results["rounds"], ROUND_BINS)
    details["winner_points"] += _histogram(best[won], POINT_BINS)
    details["margins"] += _histogram(games.margins[won], MARGIN_BINS)
    _note_examples(details, games, numbers)


def _superblocks(vector: np.ndarray, layout: Layout, first_block: int) -> np.ndarray:
    """Wins by super-block and contestant, of the vectors of some blocks."""
    places = [layout.share(position) for position in range(layout.players)]
    wins = np.column_stack([vector[:, places], WIN * vector[:, layout.rome_alone]])
    # In front stand as many empty blocks as it takes to begin with super-block 0.
    before = first_block % SUPERBLOCKS
    after = -(before + len(wins)) % SUPERBLOCKS
    padded = np.pad(wins, ((before, after), (0, 0)))
    return padded.reshape(-1, SUPERBLOCKS, wins.shape[1]).sum(axis=0)


def _histogram(values: np.ndarray, bins: int) -> np.ndarray:
    return np.bincount(np.minimum(values, bins - 1), minlength=bins)


def _note_examples(details: Tally, games: _Games, numbers: np.ndarray) -> None:
    """Remember the first game, by number, with each outcome."""
    n = games.players
    cell = np.arange(n) * n + games.positions
    found = np.full(n * n, -1, np.int64)
    game, seat = np.nonzero(games.shares)
    # Backwards, so that the first game of a cell is the last to be written, and stays.
    found[cell[game, seat][::-1]] = numbers[game][::-1]
    alone = games.rome & (games.results["winners"] == 0)
    rome = [numbers[won].min(initial=_NEVER) for won in (games.rome, alone)]
    details["win_example"] = _first(details["win_example"], found.reshape(n, n))
    details["rome_example"] = _first(
        details["rome_example"], np.array([-1 if number == _NEVER else number for number in rome])
    )


_NEVER = np.iinfo(np.int64).max


def _first(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smaller of two game numbers, of which -1 is none."""
    return np.where(np.minimum(a, b) < 0, np.maximum(a, b), np.minimum(a, b))


def wins_by_superblock(tally: Tally, match: int) -> np.ndarray:
    """Wins of a match by super-block and contestant (positions, then Rome alone), in games."""
    return tally[f"{match}/superblocks"] / WIN


def merge_tallies(first: Tally, second: Tally) -> Tally:
    """The tally of the games of both; nothing is lost and the order does not matter."""
    return {
        name: _first(array, second[name]) if name.endswith("example") else array + second[name]
        for name, array in first.items()
    }
