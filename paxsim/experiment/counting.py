"""Counting games, compiled: result records are walked through once, and become sums.

Workers spend their time playing; what is counted of a game must take next to nothing beside that,
and must not hold Python's lock, which other threads wait for.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from paxsim.engine.jit import entry, short
from paxsim.engine.loop import record_at
from paxsim.engine.records import MAX_PLAYERS, N_CATEGORIES, NOBODY, ResultType, result_dtype
from paxsim.experiment.tallylayout import (
    MARGIN_BINS,
    POINT_BINS,
    POINT_PARTS,
    ROUND_BINS,
    SUPERBLOCKS,
    WIN,
)

#: No game: what an example is before one is found.
NO_GAME = -1

#: The sums of a match besides its vectors. `cells`, `cell_squares`: share of a block (and its
#: square) by seat and strategy. `superblocks`: wins by super-block and contestant, the last one
#: being Rome alone. `rome_superblocks`: games that Rome won, alone or not, by super-block.
#: `rome_held`: games in which Rome held each category. `parts`: points by position and part.
#: `primus`: games in which each position, or nobody, held primus conspiratus at the end. `rounds`,
#: `winner_points`, `margins`: histograms. `decisions`: all decisions. `win_example`: the first game
#: won at a seat by a position. `rome_example`: the first game that Rome won, and that it won alone.
details_dtype = np.dtype(
    [
        ("games", np.int64, 1),
        ("decisions", np.int64, 1),
        ("cells", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("cell_squares", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("superblocks", np.int64, (SUPERBLOCKS, MAX_PLAYERS + 1)),
        ("rome_superblocks", np.int64, SUPERBLOCKS),
        ("rome_held", np.int64, N_CATEGORIES),
        ("parts", np.int64, (MAX_PLAYERS, len(POINT_PARTS))),
        ("primus", np.int64, MAX_PLAYERS + 1),
        ("rounds", np.int64, ROUND_BINS),
        ("winner_points", np.int64, POINT_BINS),
        ("margins", np.int64, MARGIN_BINS),
        ("win_example", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
        ("rome_example", np.int64, 2),
    ],
    align=True,
)

#: What is added up of the games of one block: its vector (see `Layout`), and its cells.
block_dtype = np.dtype(
    [
        ("shares", np.int64, MAX_PLAYERS),
        ("seats", np.int64, MAX_PLAYERS),
        ("with_rome", np.int64, MAX_PLAYERS),
        ("points", np.int64, MAX_PLAYERS),
        ("rome", np.int64),
        ("rome_alone", np.int64),
        ("rounds", np.int64),
        ("margin", np.int64),
        ("players_won", np.int64),
        ("cells", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),
    ],
    align=True,
)

details_at, block_at, result_at = map(
    record_at, (*map(numba.from_dtype, (details_dtype, block_dtype)), ResultType)
)

#: What users are told when it is compiled.
_WHAT = "the tally (about 2 s)"
_RESULT_SIZE = result_dtype.itemsize
_Numbers = types.Array(types.int64, 1, "C")
_Rows = types.Array(types.int64, 2, "C")
#: Columns of vectors whose products are added up before the next ones: these stay in the cache.
_TILE = 256


@short
def begin_block(block, players, strategies):
    """Nothing was played of a block."""
    for place in range(players):
        block.shares[place] = 0
        block.seats[place] = 0
        block.with_rome[place] = 0
        block.points[place] = 0
        for strategy in range(strategies):
            block.cells[place, strategy] = 0
    block.rome = 0
    block.rome_alone = 0
    block.rounds = 0
    block.margin = 0
    block.players_won = 0


@short
def count_seats(details, block, result, positions, strategies, number):
    """Count what every seat of a game has won, and what its points are made of."""
    for seat in range(positions.size):
        position = positions[seat]
        share = np.int64(result.shares[seat] * WIN + 0.5)
        block.shares[position] += share
        block.seats[seat] += share
        block.with_rome[position] += share * result.rome_wins
        block.points[position] += result.points[seat]
        block.cells[seat, strategies[position]] += share
        parts = details.parts[position]
        parts[0] += result.points_categories[seat]
        parts[1] += result.points_stronger[seat]
        parts[2] += result.points_fleet_army[seat]
        parts[3] += result.points_primus[seat]
        parts[4] += result.points_wealthiest[seat]
        if share > 0 and details.win_example[seat, position] == NO_GAME:
            details.win_example[seat, position] = number


@short
def bin_of(number, bins):
    """The bin of a histogram that a number is counted in."""
    return min(max(number, 0), bins - 1)


@short
def count_outcome(details, block, result, players, number):
    """Count who won a game, and by how much."""
    if result.rome_wins:
        block.rome += 1
        if details.rome_example[0] == NO_GAME:
            details.rome_example[0] = number
        if result.winners == 0:
            block.rome_alone += 1
            if details.rome_example[1] == NO_GAME:
                details.rome_example[1] = number
        return
    best = result.points[0]
    second = best  # of a seat alone: there is no margin
    if players > 1:
        second = min(best, result.points[1])
        best = max(best, result.points[1])
    for seat in range(2, players):
        points = result.points[seat]
        second = max(second, min(best, points))
        best = max(best, points)
    block.players_won += 1
    block.margin += best - second
    details.winner_points[bin_of(best, POINT_BINS)] += 1
    details.margins[bin_of(best - second, MARGIN_BINS)] += 1


@short
def count_game(details, block, result, positions, strategies, number):
    """Count one game; its line-up position by seat is in `positions`."""
    players = positions.size
    count_seats(details, block, result, positions, strategies, number)
    count_outcome(details, block, result, players, number)
    block.rounds += result.rounds
    details.games[0] += 1
    details.decisions[0] += result.decisions
    details.rounds[bin_of(result.rounds, ROUND_BINS)] += 1
    details.primus[players if result.primus == NOBODY else positions[result.primus]] += 1
    for category in range(N_CATEGORIES):
        details.rome_held[category] += (result.rome_held >> category) & 1


@short
def end_block(details, block, players, strategies, superblock):
    """Add a block's sums to those of the match."""
    for place in range(players):
        details.superblocks[superblock, place] += block.shares[place]
        for strategy in range(strategies):
            share = block.cells[place, strategy]
            details.cells[place, strategy] += share
            details.cell_squares[place, strategy] += share * share
    details.superblocks[superblock, players] += WIN * block.rome_alone
    details.rome_superblocks[superblock] += block.rome


@short
def write_vector(block, players, vectors, column):
    """Write a block's vector into a column, in the order of `Layout`."""
    for place in range(players):
        vectors[place, column] = block.shares[place]
        vectors[players + place, column] = block.seats[place]
        vectors[2 * players + place, column] = block.with_rome[place]
        vectors[3 * players + place, column] = block.points[place]
    vectors[4 * players, column] = block.rome
    vectors[4 * players + 1, column] = block.rome_alone
    vectors[4 * players + 2, column] = block.rounds
    vectors[4 * players + 3, column] = block.margin
    vectors[4 * players + 4, column] = block.players_won


@entry(
    types.void(
        types.int64,
        types.int64,
        _Numbers,
        types.Array(types.int64, 3, "C"),
        _Numbers,
        types.int64,
        types.int64,
        _Rows,
    ),
    _WHAT,
)
def count_blocks(
    details_address, block_address, batches, positions, strategies, first_block, first_game, vectors
):
    """Count the games of some blocks of a match, which are those of the columns of `vectors`.

    Parameters
    ----------
    details_address, block_address : int
        A record of `details_dtype` that is added to, and one of `block_dtype` to work in.
    batches : numpy.ndarray
        Addresses of the result records by order; each has them by block, then rotation.
    positions : numpy.ndarray
        Line-up position by order, rotation and seat.
    strategies : numpy.ndarray
        Number of the strategy by position.
    first_block, first_game : int
        Numbers of the first block, and of the match's first game, of block 0.
    vectors : numpy.ndarray
        Takes the blocks' vectors, shape ``(size, blocks)``.
    """
    details = details_at(details_address)
    block = block_at(block_address)
    orders, rotations, players = positions.shape
    count = 0
    for position in range(players):
        count = max(count, strategies[position] + 1)
    number = first_game + first_block * orders * rotations
    for column in range(vectors.shape[1]):
        begin_block(block, players, count)
        for order in range(orders):
            for rotation in range(rotations):
                place = batches[order] + (column * rotations + rotation) * _RESULT_SIZE
                seated = positions[order, rotation]
                count_game(details, block, result_at(place), seated, strategies, number)
                number += 1
        end_block(details, block, players, count, (first_block + column) % SUPERBLOCKS)
        write_vector(block, players, vectors, column)


@entry(types.void(_Rows, _Rows), _WHAT)
def add_products(rows, products):
    """Add up the products of each row with each, which are the same both ways round."""
    count, columns = rows.shape
    for first in range(0, columns, _TILE):
        for i in range(count):
            # As arrays of their own, of which the compiler sees that they lie in one piece.
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
    """Compile, or load, what counts games."""
    for entry_point in (count_blocks, add_products):
        entry_point.compiled()  # type: ignore[attr-defined]
