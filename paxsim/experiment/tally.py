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

#: Above every number of a game, and below every number of points with a minus.
_NEVER = np.iinfo(np.int64).max

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
        The games of each order: every block in all rotations of the match.
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
        one after another), for match ``m`` the entries ``m/...`` of `_empty_details`, and for all
        but the first ``m/differing``: the blocks whose vector differs from the first match's, entry
        by entry.
    """
    vectors = []
    tally: Tally = {}
    for index, match in enumerate(matches):
        vector, details = _tally_match(match)
        vectors.append(vector)
        if index and vector.shape == vectors[0].shape:
            details["differing"] = _differing(matches[0], vectors[0], match, vector)
        tally |= {f"{index}/{name}": array for name, array in details.items()}
    x = vectors[0] if len(vectors) == 1 else np.concatenate(vectors)
    tally["blocks"] = np.array([x.shape[1]], np.int64)
    tally["sums"] = x.sum(axis=1)
    tally["products"] = _products(x)
    return tally


def _products(rows: np.ndarray) -> np.ndarray:
    """The sum of products of each row with each, which is the same both ways round."""
    # Not `rows @ rows.T`: floating-point products start threads of their own in every worker.
    products = np.zeros((len(rows), len(rows)), np.int64)
    for i, row in enumerate(rows):
        products[i, i:] = products[i:, i] = np.einsum("b,jb->j", row, rows[i:])
    return products


def _tally_match(match: PlayedBlocks) -> tuple[np.ndarray, Tally]:
    """The vectors of a match's blocks, one a column, and the other sums."""
    players = len(match.labels)
    rotations = len(match.batches[0].rotations)
    blocks = len(match.batches[0]) // rotations
    layout = Layout(players)
    vector = np.zeros((layout.size, blocks), np.int64)
    strategy = strategy_numbers(match.labels)
    strategies = strategy.max() + 1
    cells = np.zeros((players, strategies, blocks), np.int64)
    details = _empty_details(players, strategies)
    block_size = rotations * len(match.orders)
    for number, (order, batch) in enumerate(zip(match.orders, match.batches, strict=True)):
        games = _Games(batch, np.array(order))
        _add_to_vector(vector, games, layout)
        _add_to_cells(cells, games, strategy)
        # Numbers of the games of this order, by rotation and block.
        numbers = match.first_game + (match.first_block + np.arange(blocks)) * block_size
        numbers = numbers + number * rotations + np.arange(rotations)[:, None]
        _add_details(details, games, numbers)
    wins, rome = _superblocks(vector, layout, match.first_block)
    details["superblocks"] += wins
    details["rome_superblocks"] += rome
    details["cells"] += cells.sum(axis=2)
    details["cell_squares"] += (cells**2).sum(axis=2)
    return vector, details


def _differing(
    first: PlayedBlocks, of_first: np.ndarray, second: PlayedBlocks, of_second: np.ndarray
) -> np.ndarray:
    """Blocks whose means differ between two matches, by entry of the vector."""
    sizes = [len(match.orders) * len(match.batches[0].rotations) for match in (first, second)]
    return np.count_nonzero(of_first * sizes[1] != of_second * sizes[0], axis=1)


def strategy_numbers(labels: Sequence[str]) -> np.ndarray:
    """Which strategy plays each position, numbered by first appearance, shape ``(players,)``."""
    names = list(dict.fromkeys(labels))
    return np.array([names.index(label) for label in labels])


class _Games:
    """The games of a batch, in arrays by rotation and block, or by rotation, seat and block.

    Blocks come last, so that whatever is done to one number is done to a long row of them.
    """

    def __init__(self, batch: Batch, order: np.ndarray):
        self.players, self.rotations = batch.setting.players, len(batch.rotations)
        self.results = batch.results
        #: Position by rotation and seat; games are ordered by deal, then rotation.
        rotations = batch.results["rotation"][: self.rotations]
        self.table = order[positions_in(rotations, self.players)]
        self.shares = np.rint(self.by_seat("shares", np.float64) * WIN).astype(np.int64)
        self.points = self.by_seat("points")
        self.rome = self.by_game("rome_wins").astype(bool)
        self.rome_alone = self.rome & (self.by_game("winners") == 0)
        self.rounds = self.by_game("rounds")

    def by_game(self, field: str) -> np.ndarray:
        """A number of each game, shape ``(rotations, blocks)``."""
        return self.results[field].reshape(-1, self.rotations).T.astype(np.int64, order="C")

    def by_seat(self, field: str, dtype: type = np.int64) -> np.ndarray:
        """Numbers of each seat, shape ``(rotations, seats, blocks)``."""
        n = self.players
        numbers = self.results[field][:, :n].reshape(-1, self.rotations, n)
        return numbers.transpose(1, 2, 0).astype(dtype, order="C")

    def add_by_position(self, sums: np.ndarray, by_seat: np.ndarray) -> None:
        """Add numbers of seats to `sums` of a block, shape ``(positions, blocks)``."""
        for positions, numbers in zip(self.table, by_seat, strict=True):
            for position, row in zip(positions, numbers, strict=True):
                sums[position] += row

    def sum_by_position(self, field: str) -> np.ndarray:
        """The sum of a field of the results over all games, shape ``(positions,)``."""
        sums = np.zeros((self.players, 1), np.int64)
        self.add_by_position(sums, self.by_seat(field).sum(axis=2, keepdims=True))
        return sums[:, 0]

    @cached_property
    def two_best(self) -> tuple[np.ndarray, np.ndarray]:
        """Points of the best and of the second seat, each ``(rotations, blocks)``."""
        best = self.points[:, 0]
        second = np.full_like(best, -_NEVER)
        for points in self.points[:, 1:].swapaxes(0, 1):
            second = np.maximum(second, np.minimum(best, points))
            best = np.maximum(best, points)
        return best, second

    @cached_property
    def margins(self) -> np.ndarray:
        """Points between the best and the second seat, as `by_game`; solo has none."""
        best, second = self.two_best
        return best - second if self.players > 1 else np.zeros_like(best)


def _add_to_vector(vector: np.ndarray, games: _Games, layout: Layout) -> None:
    """Add a batch's games to the vectors of their blocks."""
    n = layout.players
    players_won = ~games.rome
    games.add_by_position(vector[layout.share(0) :][:n], games.shares)
    vector[layout.seat(0) :][:n] += games.shares.sum(axis=0)
    games.add_by_position(vector[layout.with_rome(0) :][:n], games.shares * games.rome[:, None])
    games.add_by_position(vector[layout.points(0) :][:n], games.points)
    vector[layout.rome] += games.rome.sum(axis=0)
    vector[layout.rome_alone] += games.rome_alone.sum(axis=0)
    vector[layout.rounds] += games.rounds.sum(axis=0)
    vector[layout.margin] += (games.margins * players_won).sum(axis=0)
    vector[layout.players_won] += players_won.sum(axis=0)


def _add_to_cells(cells: np.ndarray, games: _Games, strategy: np.ndarray) -> None:
    """Add the shares of a batch's games to the cells (seat, strategy, block)."""
    for positions, shares in zip(games.table, games.shares, strict=True):
        for seat, position in enumerate(positions):
            cells[seat, strategy[position]] += shares[seat]


def _empty_details(players: int, strategies: int) -> Tally:
    """The other sums of a match, all zero.

    ``cells``, ``cell_squares``: share of a block (and its square) by seat and strategy.
    ``superblocks``: wins by super-block and contestant, the last one being Rome alone.
    ``rome_superblocks``: games that Rome won, alone or not, by super-block.
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
        "rome_superblocks": zeros(SUPERBLOCKS),
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
    holder = games.by_game("primus")
    rotations = np.arange(games.rotations)[:, None]
    place = np.where(holder == NOBODY, n, games.table[rotations, np.maximum(holder, 0)])
    details["primus"] += np.bincount(place.ravel(), minlength=n + 1)
    won = ~games.rome
    best, _ = games.two_best
    details["rounds"] += _histogram(games.rounds.ravel(), ROUND_BINS)
    details["winner_points"] += _histogram(best[won], POINT_BINS)
    details["margins"] += _histogram(games.margins[won], MARGIN_BINS)
    _note_examples(details, games, numbers)


def _superblocks(
    vector: np.ndarray, layout: Layout, first_block: int
) -> tuple[np.ndarray, np.ndarray]:
    """Wins by super-block and contestant, and Rome's by super-block, of some blocks' vectors."""
    places = [layout.share(position) for position in range(layout.players)]
    rows = np.vstack([vector[places], WIN * vector[layout.rome_alone], vector[layout.rome]])
    # In front stand as many empty blocks as it takes to begin with super-block 0.
    before = first_block % SUPERBLOCKS
    after = -(before + rows.shape[1]) % SUPERBLOCKS
    padded = np.pad(rows, ((0, 0), (before, after)))
    sums = padded.reshape(len(rows), -1, SUPERBLOCKS).sum(axis=1)
    return sums[:-1].T, sums[-1]


def _histogram(values: np.ndarray, bins: int) -> np.ndarray:
    return np.bincount(np.minimum(values, bins - 1), minlength=bins)


def _note_examples(details: Tally, games: _Games, numbers: np.ndarray) -> None:
    """Remember the first game, by number, with each outcome."""
    n = games.players
    # The lowest number of a win by rotation and seat. A position sits at a seat in one rotation.
    first = np.where(games.shares > 0, numbers[:, None], _NEVER).min(axis=2)
    found = np.full((n, n), _NEVER)
    found[np.arange(n), games.table] = first
    rome = [numbers[won].min(initial=_NEVER) for won in (games.rome, games.rome_alone)]
    for name, lowest in (("win_example", found), ("rome_example", np.array(rome))):
        details[name] = _first(details[name], np.where(lowest == _NEVER, -1, lowest))


def _first(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smaller of two game numbers, of which -1 is none."""
    return np.where(np.minimum(a, b) < 0, np.maximum(a, b), np.minimum(a, b))


def renumber_examples(tally: Tally, added: Sequence[int]) -> Tally:
    """The tally of a bundle whose example games have other numbers, by so much for each match."""
    found = dict(tally)
    for match, shift in enumerate(added):
        for name in (f"{match}/win_example", f"{match}/rome_example"):
            found[name] = np.where(tally[name] < 0, tally[name], tally[name] + shift)
    return found


def merge_tallies(first: Tally, second: Tally) -> Tally:
    """The tally of the games of both; nothing is lost and the order does not matter."""
    return {
        name: _first(array, second[name]) if name.endswith("example") else array + second[name]
        for name, array in first.items()
    }
