"""Tallies: what is kept of the games of a chunk; nothing is played here.

Everything is a sum of whole numbers, so tallies merge exactly: results do not depend on how the
work was cut or on who did it. A share of a win is counted in 840ths, which divide evenly among
one to eight winners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paxsim.engine.records import address_of
from paxsim.experiment.counting import (
    NO_GAME,
    add_products,
    block_dtype,
    count_blocks,
    details_dtype,
)
from paxsim.experiment.tallylayout import POINT_PARTS, SUPERBLOCKS, Layout
from paxsim.playing import Batch, positions_in

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
        one after another), for match ``m`` the entries ``m/...`` of `details_dtype`, and for all
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
    tally["products"] = np.zeros((len(x), len(x)), np.int64)
    add_products(x, tally["products"])
    return tally


def _tally_match(match: PlayedBlocks) -> tuple[np.ndarray, Tally]:
    """The vectors of a match's blocks, one a column, and the other sums."""
    players = len(match.labels)
    rotations = np.array(match.batches[0].rotations)
    seated = positions_in(rotations, players)
    vectors = np.empty((Layout(players).size, len(match.batches[0]) // len(rotations)), np.int64)
    strategies = strategy_numbers(match.labels)
    details = np.zeros(1, details_dtype)
    for name in ("win_example", "rome_example"):
        details[name] = NO_GAME
    work = np.zeros(1, block_dtype)
    count_blocks(
        address_of(details),
        address_of(work),
        np.array([address_of(batch.results) for batch in match.batches]),
        np.array([np.array(order)[seated] for order in match.orders]),
        strategies,
        match.first_block,
        match.first_game,
        vectors,
    )
    return vectors, _used_part(details[0], players, strategies.max() + 1)


def _used_part(details: np.void, players: int, strategies: int) -> Tally:
    """The sums of a match, without the room for more players than there are."""
    used = {
        "cells": (players, strategies),
        "cell_squares": (players, strategies),
        "superblocks": (SUPERBLOCKS, players + 1),
        "parts": (players, len(POINT_PARTS)),
        "primus": (players + 1,),
        "win_example": (players, players),
    }
    found = {}
    for name in details_dtype.names or ():
        room = tuple(map(slice, used.get(name, details[name].shape)))
        found[name] = details[name][room].copy()
    return found


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
