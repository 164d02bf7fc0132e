"""How the work of a plan is cut into chunks: a part that a worker plays and a run keeps."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from dataclasses import dataclass

#: Games in a chunk, about: a few tenths of a second of work.
CHUNK_GAMES = 24_000
MAX_CHUNK_GAMES = 10_000_000
#: Chunks of a run, about, at most: each is a task for the workers and may be a file on disk. Those
#: of a longer run are larger.
MOST_CHUNKS = 100_000
#: With a stopping rule: games before the first look, and where the next look is, in percent of the
#: last. More looks would save few games.
FIRST_LOOK, LOOK_GROWTH = 12_000, 110
#: Chunks between two looks, at least, so that several workers have something to do.
SHARE = 8
#: The last chunks of a longer run are cut into parts, so that no worker waits long for the last.
LAST_CHUNKS, PARTS = 4, 4


@dataclass(frozen=True)
class Chunk:
    """A part of a bundle's work: some of its blocks."""

    bundle: int
    first_block: int
    blocks: int


def cut_into_chunks(
    blocks: Sequence[int],
    block_games: Sequence[int],
    chunk_games: int,
    looks: bool = False,
    earlier: Sequence[Sequence[int]] = (),
) -> list[list[Chunk]]:
    """The work of a plan in the order in which it is merged, in waves.

    Parameters
    ----------
    blocks, block_games : sequence of int
        Blocks of each bundle, and games in a block of it.
    chunk_games : int
        Games in a chunk, about; more in a run that would have more than `MOST_CHUNKS`.
    looks : bool
        Whether somebody looks at the results between waves. Then waves end at numbers of
        blocks that depend on nothing but the plan, so that what is seen there, and when the
        run stops, depends neither on the workers nor on the size of chunks.
    earlier : sequence of sequence of int
        The blocks of each bundle that the run had before it was extended, each time. What was cut
        then stays cut as it was.
    """
    waves: list[list[Chunk]] = []
    before: Sequence[int] = [0] * len(blocks)
    for now in (*earlier, blocks):
        done = [chunk for wave in waves for chunk in wave]
        games_in_all = sum(map(operator.mul, now, block_games))
        size = max(chunk_games, -(-games_in_all // MOST_CHUNKS))
        steps = [max(1, size // games) for games in block_games]
        if looks:
            waves = _cut_between_looks(done, before[0], now[0], block_games[0], steps[0])
        else:
            cuts = (cut(i, before[i], now[i], step) for i, step in enumerate(steps))
            waves = [[*done, *_last_in_parts(list(itertools.chain.from_iterable(cuts)), steps)]]
        before = now
    return waves


def _cut_between_looks(
    done: list[Chunk], before: int, blocks: int, block_games: int, step: int
) -> list[list[Chunk]]:
    """The only bundle in waves, of which the first `before` blocks have been cut."""
    waves = []
    for first, last in itertools.pairwise([0, *_looks(blocks, block_games)]):
        smaller = min(step, blocks_for_games(last - first, SHARE))
        kept = [chunk for chunk in done if first <= chunk.first_block < last]
        waves.append(kept + cut(0, max(first, before), last, smaller))
    return waves


def _last_in_parts(chunks: list[Chunk], steps: Sequence[int]) -> list[Chunk]:
    """Chunks of which the last are smaller, if there are many; `steps`: blocks of a chunk."""
    if len(chunks) <= 2 * LAST_CHUNKS:
        return chunks
    parts = (
        cut(last.bundle, last.first_block, last.first_block + last.blocks,
            -(-steps[last.bundle] // PARTS))
        for last in chunks[-LAST_CHUNKS:]
    )  # fmt: skip
    return [*chunks[:-LAST_CHUNKS], *itertools.chain.from_iterable(parts)]


def cut(bundle: int, first: int, end: int, step: int) -> list[Chunk]:
    """The blocks from `first` up to `end`, `step` at a time."""
    return [Chunk(bundle, at, min(step, end - at)) for at in range(first, end, step)]


def _looks(blocks: int, block_games: int) -> list[int]:
    """Numbers of blocks at which results are looked at; each some tenth beyond the last."""
    ends = [min(blocks, blocks_for_games(FIRST_LOOK, block_games))]
    while ends[-1] < blocks:
        ends.append(min(blocks, -(-ends[-1] * LOOK_GROWTH // 100)))
    return ends


def blocks_for_games(games: int, block_size: int) -> int:
    """Blocks that make at least this many games."""
    return -(-games // block_size)
