"""Tallies: sums over the games of a chunk, which merge exactly in any order.

A block is counted as a vector of integers: the `SEAT_STATISTICS` of its games, and the measures of
`paxsim.measures`. Means, intervals and differences within blocks follow from the sums of
vectors and of their products (`MatchMeasures.mean`, `change_between`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numba
import numpy as np
from numba import literal_unroll, types
from numpy.typing import ArrayLike, NDArray

from paxsim.engine.jit import entry, short
from paxsim.engine.lowlevel import record_at
from paxsim.engine.records import (
    MAX_PLAYERS,
    N_CATEGORIES,
    NOBODY,
    ResultType,
    address_of,
    result_dtype,
)
from paxsim.experiment.design import Facts
from paxsim.measures import MEASURES, UNDEFINED
from paxsim.playing import Batch, positions_in

#: A whole win, in the units that shares are counted in: the smallest number that 1 to 8 divide.
WIN = 840
#: Groups of blocks for the bootstrap: a block belongs to its deal number modulo this.
SUPERBLOCKS = 200
#: Bins of the histogram of each measure; the last takes what is beyond.
BINS = 512

POINT_PARTS = ("categories", "stronger", "fleet_army", "primus", "wealthiest")

#: Statistics of a block with an entry for each position, or seat: the share of the win by position,
#: the same by seat, the share won together with Rome by position, and points by position.
SEAT_STATISTICS = ("share", "seat", "with_rome", "points")
SHARE, SEAT, WITH_ROME, POINTS = range(len(SEAT_STATISTICS))
#: Measures have one entry each, after those.
NAMES = tuple(MEASURES)
ROME, ROME_ALONE = NAMES.index("rome"), NAMES.index("rome_alone")
_FIRST = len(SEAT_STATISTICS)


@dataclass(frozen=True)
class Layout:
    """Places of the statistics of a match in its block vector."""

    players: int

    @property
    def size(self) -> int:
        """Length of the block vector."""
        return _FIRST * self.players + len(NAMES)

    @property
    def units(self) -> np.ndarray:
        """Units in a whole of each statistic, shape ``(size,)``: shares of a win have `WIN`."""
        units = np.ones(self.size, np.int64)
        units[: POINTS * self.players] = WIN
        return units

    def place(self, statistic: str, number: int = 0) -> int:
        """Return the place of a measure, or of a statistic of a position or seat by its number."""
        if statistic in MEASURES:
            return _FIRST * self.players + NAMES.index(statistic)
        return SEAT_STATISTICS.index(statistic) * self.players + number


#: Number of an example game before one is found.
NO_GAME = -1

#: Sums of a match besides its block vectors. `cells`, `cell_squares`: share of a block (and its
#: square) by seat and strategy. `superblocks`: wins by super-block and contestant, the last one
#: being Rome alone. `rome_superblocks`: games that Rome won, alone or not, by super-block.
#: `rome_held`: games in which Rome held each category. `parts`: points by position and part.
#: `primus`: games in which each position, or nobody, held primus conspiratus at the end.
#: `histograms`: games by measure and value. `win_example`: the first game won at a seat by a
#: position. `rome_example`: the first game that Rome won. The first game of the match has number 0.
details_dtype = np.dtype(
    [
        ("games", np.int64, 1),
        ("cells", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("cell_squares", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("superblocks", np.int64, (SUPERBLOCKS, MAX_PLAYERS + 1)),
        ("rome_superblocks", np.int64, SUPERBLOCKS),
        ("rome_held", np.int64, N_CATEGORIES),
        ("parts", np.int64, (MAX_PLAYERS, len(POINT_PARTS))),
        ("primus", np.int64, MAX_PLAYERS + 1),
        ("histograms", np.int64, (len(NAMES), BINS)),
        ("win_example", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("rome_example", np.int64, 1),
    ],
    align=True,
)

details_at, result_at = map(record_at, (numba.from_dtype(details_dtype), ResultType))

#: Shown to users while it is compiled.
_WHAT = "the tally (about 2 s)"
_RESULT_SIZE = result_dtype.itemsize
_VALUES = tuple(short(measure.value) for measure in MEASURES.values())
_Numbers = types.Array(types.int64, 1, "C")
_Rows = types.Array(types.int64, 2, "C")
_Cube = types.Array(types.int64, 3, "C")
#: Columns of vectors whose products are added up before the next ones: these stay in the cache.
_TILE = 256


@short
def count_seats(details, vector, cells, result, positions, strategies, number):
    """Count what every seat of a game has won, and what its points are made of."""
    players = positions.size
    for seat in range(players):
        position = positions[seat]
        share = np.int64(result.shares[seat] * WIN + 0.5)
        vector[SHARE * players + position] += share
        vector[SEAT * players + seat] += share
        vector[WITH_ROME * players + position] += share * result.rome_wins
        vector[POINTS * players + position] += result.points[seat]
        cells[seat, strategies[position]] += share
        parts = details.parts[position]
        parts[0] += result.points_categories[seat]
        parts[1] += result.points_stronger[seat]
        parts[2] += result.points_fleet_army[seat]
        parts[3] += result.points_primus[seat]
        parts[4] += result.points_wealthiest[seat]
        if share > 0 and details.win_example[seat, position] == NO_GAME:
            details.win_example[seat, position] = number


@short
def count_measures(details, vector, result, players):
    """Count the measures of a game."""
    number = 0
    for value_of in literal_unroll(_VALUES):
        value = value_of(result, players)
        if value != UNDEFINED:
            vector[_FIRST * players + number] += value
            details.histograms[number, min(value, BINS - 1)] += 1
        number += 1  # noqa: SIM113 - `literal_unroll` can't be enumerated


@short
def count_game(details, vector, cells, result, positions, strategies, number):
    """Count one game; its line-up position by seat is in `positions`."""
    players = positions.size
    count_seats(details, vector, cells, result, positions, strategies, number)
    count_measures(details, vector, result, players)
    details.games[0] += 1
    if result.rome_wins and details.rome_example[0] == NO_GAME:
        details.rome_example[0] = number
    details.primus[players if result.primus == NOBODY else positions[result.primus]] += 1
    for category in range(N_CATEGORIES):
        details.rome_held[category] += (result.rome_held >> category) & 1


@short
def end_block(details, vector, cells, superblock):
    """Add a block's sums to those of the match."""
    players, strategies = cells.shape
    for place in range(players):
        details.superblocks[superblock, place] += vector[SHARE * players + place]
        for strategy in range(strategies):
            share = cells[place, strategy]
            details.cells[place, strategy] += share
            details.cell_squares[place, strategy] += share * share
    details.superblocks[superblock, players] += WIN * vector[_FIRST * players + ROME_ALONE]
    details.rome_superblocks[superblock] += vector[_FIRST * players + ROME]


@entry(
    types.void(types.int64, _Numbers, _Cube, _Numbers, types.int64, _Rows, _Numbers, _Rows), _WHAT
)
def count_blocks(
    details_address, batches, positions, strategies, first_block, vectors, vector, cells
):
    """Count the games of some blocks of a match, whose vectors become the columns of `vectors`.

    `batches` are the addresses of the results of each order, by block, then rotation. `positions`
    is by order, rotation and seat, `strategies` by position. `vector` and `cells` are room for the
    vector of one block, and for its shares by seat and strategy.
    """
    details = details_at(details_address)
    orders, rotations, players = positions.shape
    number = first_block * orders * rotations
    for column in range(vectors.shape[1]):
        vector[:] = 0
        cells[:, :] = 0
        for order in range(orders):
            for rotation in range(rotations):
                place = batches[order] + (column * rotations + rotation) * _RESULT_SIZE
                seated = positions[order, rotation]
                count_game(details, vector, cells, result_at(place), seated, strategies, number)
                number += 1
        end_block(details, vector, cells, (first_block + column) % SUPERBLOCKS)
        for entry_number in range(vector.size):
            vectors[entry_number, column] = vector[entry_number]


@entry(types.void(_Rows, _Rows), _WHAT)
def add_products(rows, products):
    """Add the products of all pairs of rows to a symmetric matrix."""
    count, columns = rows.shape
    for first in range(0, columns, _TILE):
        for i in range(count):
            # As contiguous arrays, so that the compiler vectorizes the sum.
            row = rows[i, first : first + _TILE]
            for j in range(i, count):
                other = rows[j, first : first + _TILE]
                total = 0
                for place in range(row.size):
                    total += row[place] * other[place]
                products[i, j] += total
    for i in range(count):
        for j in range(i):
            products[i, j] = products[j, i]


def warm_counting() -> None:
    """Compile, or load, the functions that count games."""
    for entry_point in (count_blocks, add_products):
        entry_point.compiled()  # type: ignore[attr-defined]


#: Sums by name, all of them integers; see `tally_blocks`.
Tally = dict[str, np.ndarray]


@dataclass(frozen=True)
class PlayedBlocks:
    """The games of some blocks of a match; each order has a batch of all blocks and rotations."""

    labels: Sequence[str]
    orders: Sequence[Sequence[int]]
    batches: Sequence[Batch]
    first_block: int


def tally_blocks(matches: Sequence[PlayedBlocks]) -> Tally:
    """Tally some blocks of a bundle, the same blocks of each of its matches.

    The tally has ``blocks``, ``sums`` and ``products`` of the bundle's block vectors (its matches'
    vectors one after another), for match ``m`` the entries ``m/...`` of `details_dtype`, and for
    all but the first ``m/differing``: the blocks whose vector differs from the first match's, entry
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
    tally["products"] = np.zeros((len(x), len(x)), np.int64)
    add_products(x, tally["products"])
    return tally


def _tally_match(match: PlayedBlocks) -> tuple[np.ndarray, Tally]:
    """Return the vectors of a match's blocks, one per column, and the other sums."""
    players = len(match.labels)
    rotations = np.array(match.batches[0].rotations)
    seated = positions_in(rotations, players)
    vectors = np.empty((Layout(players).size, len(match.batches[0]) // len(rotations)), np.int64)
    names = list(dict.fromkeys(match.labels))
    details = np.zeros(1, details_dtype)
    for name in ("win_example", "rome_example"):
        details[name] = NO_GAME
    count_blocks(
        address_of(details),
        np.array([address_of(batch.results) for batch in match.batches]),
        np.array([np.array(order)[seated] for order in match.orders]),
        np.array([names.index(label) for label in match.labels]),
        match.first_block,
        vectors,
        np.zeros(len(vectors), np.int64),
        np.zeros((players, len(names)), np.int64),
    )
    return vectors, _used_part(details[0], players, len(names))


def _used_part(details: np.void, players: int, strategies: int) -> Tally:
    """Return the sums of a match, without the room for more players."""
    return {
        name: details[name][tuple(map(slice, shape))].copy()
        for name, shape in _used_shapes(players, strategies).items()
    }


def _used_shapes(players: int, strategies: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the sums of a match."""
    used = {
        "cells": (players, strategies),
        "cell_squares": (players, strategies),
        "superblocks": (SUPERBLOCKS, players + 1),
        "parts": (players, len(POINT_PARTS)),
        "primus": (players + 1,),
        "win_example": (players, players),
    }
    return {name: used.get(name, details_dtype[name].shape) for name in details_dtype.names or ()}


def tally_shapes(bundle: Sequence[Facts]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a bundle's tally, in its order."""
    shapes: dict[str, tuple[int, ...]] = {}
    sizes = [Layout(facts.players).size for facts in bundle]
    for index, (facts, size) in enumerate(zip(bundle, sizes, strict=True)):
        for name, shape in _used_shapes(facts.players, len(set(facts.policies))).items():
            shapes[f"{index}/{name}"] = shape
        if index and size == sizes[0]:
            shapes[f"{index}/differing"] = (size,)
    total = sum(sizes)
    return shapes | {"blocks": (1,), "sums": (total,), "products": (total, total)}


def _differing(
    first: PlayedBlocks, of_first: np.ndarray, second: PlayedBlocks, of_second: np.ndarray
) -> np.ndarray:
    """Count the blocks whose means differ between two matches, by entry of the vector."""
    sizes = [len(match.orders) * len(match.batches[0].rotations) for match in (first, second)]
    return np.count_nonzero(of_first * sizes[1] != of_second * sizes[0], axis=1)


def _first(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the smaller of two game numbers, of which -1 is none."""
    return np.where(np.minimum(a, b) < 0, np.maximum(a, b), np.minimum(a, b))


def renumber_examples(tally: Tally, added: Sequence[int]) -> Tally:
    """Return a bundle's tally with a number added to its example games, for each match."""
    renumbered = dict(tally)
    for match, shift in enumerate(added):
        for name in (f"{match}/win_example", f"{match}/rome_example"):
            renumbered[name] = np.where(tally[name] < 0, tally[name], tally[name] + shift)
    return renumbered


def merge_tallies(first: Tally, second: Tally) -> Tally:
    """Return the tally of the games of both; it is exact and does not depend on the order."""
    return {
        name: _first(array, second[name]) if name.endswith("example") else array + second[name]
        for name, array in first.items()
    }


def in_units(wins: ArrayLike) -> NDArray[np.int64]:
    """Return wins in units of 1/840, which makes rounded sums of shares exact again."""
    return np.rint(WIN * np.asarray(wins)).astype(np.int64)


def in_wins(units: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return sums of shares as numbers of wins."""
    return units / WIN


#: Label of a seat that all strategies of several line-ups play in turn.
MEMBER = "any member"
#: Sums over blocks that don't follow from those of the line-ups.
_OF_STRATEGIES = ("cells", "cell_squares")


def pooled_facts(bundle: Sequence[Facts], lineups: int) -> list[Facts]:
    """Return the matches of a bundle with every `lineups` of them taken for one."""
    return [
        replace(
            first,
            policies=(MEMBER,) * first.players,
            policy_fingerprints=(),
            orders=lineups * first.orders,
        )
        for first in bundle[::lineups]
    ]


def pooled_tally(bundle: Sequence[Facts], tally: Tally, lineups: int) -> Tally:
    """Return the tally of a bundle with every `lineups` matches taken for one.

    Its matches have the same number of players: all line-ups under one rule set, then under the
    next.
    """
    size = Layout(bundle[0].players).size
    sets = len(bundle) // lineups
    shape = (sets, lineups, size)
    pooled: Tally = {
        "blocks": tally["blocks"],
        "sums": tally["sums"].reshape(shape).sum(axis=1).ravel(),
        "products": tally["products"]
        .reshape(*shape, *shape)
        .sum(axis=(1, 4))
        .reshape(sets * size, sets * size),
    }
    for number in range(sets):
        matches = range(number * lineups, (number + 1) * lineups)
        merged = functools.reduce(merge_tallies, (_details(tally, match) for match in matches))
        pooled |= {f"{number}/{name}": array for name, array in merged.items()}
    return pooled


def _details(tally: Tally, match: int) -> Tally:
    """Return the sums of one match besides its block vectors, as far as they can be pooled."""
    names = ((name, *name.split("/")) for name in tally if "/" in name)
    return {
        detail: tally[name]
        for name, number, detail in names
        if number == str(match) and detail not in _OF_STRATEGIES
    }
