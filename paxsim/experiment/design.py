"""What an experiment plays: matches, in bundles that share their deals block by block."""

from __future__ import annotations

import bisect
import hashlib
import itertools
import json
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from paxsim.errors import PaxsimError, checked_bool, checked_int
from paxsim.failures import replay_command
from paxsim.lineup import Lineup
from paxsim.policies.files import package_fingerprint
from paxsim.rules import load_rules
from paxsim.setting import MAX_NUMBER, Setting
from paxsim.version import __version__

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


#: Games that a worker plays before it tallies them, about: their results stay in the processor's
#: cache. What it holds in memory does not depend on the size of chunks.
PIECE_GAMES = 12_000
#: All permutations of a line-up are played only up to this many players (5! = 120 games a block).
MAX_PERMUTED = 5


@dataclass(frozen=True)
class Facts:
    """What results say of a match, whether it was played just now or comes from a stored run.

    Attributes
    ----------
    players : int
        Seats at the table.
    solo_level : int or None
        1 to 5 in solo.
    policies : tuple of str
        Labels by position.
    deck, deck_fingerprint : str
        Which cards.
    rules : dict
        What differs from the published rules.
    rules_text, rules_fingerprint : str
        The rules in words, and what tells them from others.
    block_size : int
        Games in a block.
    """

    players: int
    solo_level: int | None
    policies: tuple[str, ...]
    deck: str
    deck_fingerprint: str
    rules: dict[str, Any]
    rules_text: str
    rules_fingerprint: str
    block_size: int


def stored_facts(described: dict[str, Any]) -> Facts:
    """The facts of a match that a manifest describes (see `Match.describe`)."""
    return Facts(
        players=described["players"],
        solo_level=described["solo_level"],
        policies=tuple(described["policies"]),
        deck=described["deck"],
        deck_fingerprint=described["deck_fingerprint"],
        rules=described["rules"],
        rules_text=load_rules(described["rules"]).describe(),
        rules_fingerprint=described["rules_fingerprint"],
        block_size=described["block_size"],
    )


@dataclass(frozen=True)
class Match:
    """One line-up in one setting; a block is one deal played in every order and rotation.

    Attributes
    ----------
    setting : Setting
        What is played.
    lineup : Lineup
        Who plays, by position.
    orders : tuple of tuple of int
        Orders of the positions that are rotated over the seats: just the given one, or all that
        are not rotations of one another.
    rotations : tuple of int
        The rotations of each order: all, or one where all would be the same game.
    """

    setting: Setting
    lineup: Lineup
    orders: tuple[tuple[int, ...], ...]
    rotations: tuple[int, ...]

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.setting.players

    @property
    def block_size(self) -> int:
        """Games in a block."""
        return len(self.orders) * len(self.rotations)

    def ordered_lineup(self, order: tuple[int, ...]) -> Lineup:
        """The line-up with its positions in another order."""
        if order == tuple(range(self.players)):
            return self.lineup  # which knows by now where its policies are
        return Lineup(tuple(self.lineup.policies[position] for position in order))

    @cached_property
    def facts(self) -> Facts:
        """What results say of it."""
        setting = self.setting
        return Facts(
            players=setting.players,
            solo_level=setting.solo_level,
            policies=tuple(self.lineup.labels),
            deck=setting.deck.name,
            deck_fingerprint=setting.deck.fingerprint,
            rules=setting.rules.changed(),
            rules_text=setting.rules.describe(),
            rules_fingerprint=setting.rules.fingerprint,
            block_size=self.block_size,
        )

    @cached_property
    def policy_fingerprints(self) -> list[str]:
        """What the policies are, by position."""
        return [policy.fingerprint for policy in self.lineup.policies]

    def describe(self) -> dict[str, Any]:
        """The match in plain values, with fingerprints of everything that shapes its games."""
        setting = self.setting
        return {
            "players": setting.players,
            "solo_level": setting.solo_level,
            "policies": self.lineup.labels,
            "policy_fingerprints": self.policy_fingerprints,
            "deck": setting.deck.name,
            "deck_fingerprint": setting.deck.fingerprint,
            "rules": setting.rules.changed(),
            "rules_fingerprint": setting.rules.fingerprint,
            "orders": [list(order) for order in self.orders],
            "block_size": self.block_size,
        }


def make_match(
    setting: Setting, lineup: Lineup, permutations: bool = False, *, every_seat: bool = False
) -> Match:
    """A match in every rotation, or in every permutation of the line-up.

    Where all rotations are the same game (`Lineup.alike`) only one is played, unless a position is
    to sit at `every_seat`.
    """
    identity = tuple(range(setting.players))
    permuted = checked_bool("permutations", permutations)
    if lineup.alike and not every_seat:
        return Match(setting, lineup, (identity,), (0,))
    if not permuted:
        return Match(setting, lineup, (identity,), identity)
    if setting.players > MAX_PERMUTED:
        raise PaxsimError(
            f"permutations: found {setting.players} players; allowed: at most {MAX_PERMUTED}"
        )
    orders = tuple((0, *rest) for rest in itertools.permutations(identity[1:]))
    return Match(setting, lineup, orders, identity)


@dataclass(frozen=True)
class Work:
    """A chunk with all that a worker needs to play it, wherever the worker is."""

    matches: tuple[Match, ...]
    first_games: tuple[int, ...]
    seed: int
    first_block: int
    blocks: int
    policy_fingerprints: tuple[list[str], ...]
    sources: str

    def pieces(self) -> list[Work]:
        """The same work cut into what a worker holds in memory at a time."""
        block_games = sum(match.block_size for match in self.matches)
        step = max(1, PIECE_GAMES // block_games)
        return [
            replace(self, first_block=part.first_block, blocks=part.blocks)
            for part in cut(0, self.first_block, self.first_block + self.blocks, step)
        ]

    def check_code(self) -> None:
        """A worker elsewhere may find another policy in a file, or have another engine."""
        if self.sources != package_fingerprint():
            raise PaxsimError("engine: a worker has another one; allowed: the same sources")
        for match, expected in zip(self.matches, self.policy_fingerprints, strict=True):
            for policy, fingerprint in zip(match.lineup.policies, expected, strict=True):
                if (policy.function, fingerprint) not in _known_here:
                    if policy.fingerprint != fingerprint:
                        raise PaxsimError(f"policy {policy.label}: has changed since the run began")
                    _known_here.add((policy.function, fingerprint))


#: Policies that were found to be what a run expects; to look at one takes some milliseconds.
_known_here: set[tuple[Callable, str]] = set()


@dataclass(frozen=True)
class Plan:
    """Everything that an experiment plays.

    Attributes
    ----------
    bundles : tuple of tuple of Match
        Matches of a bundle are played on the same deals and compared block by block.
    blocks : tuple of int
        Blocks of each bundle.
    seed : int
        Names the deals.
    chunk_games : int
        Games in a chunk, about. Results do not depend on it.
    earlier : tuple of tuple of int
        The blocks that a stored run had before it was extended, each time. Nor on these.
    """

    bundles: tuple[tuple[Match, ...], ...]
    blocks: tuple[int, ...]
    seed: int
    chunk_games: int = CHUNK_GAMES
    earlier: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        seed = checked_int("seed", self.seed, 0, MAX_NUMBER)
        chunk_games = checked_int("chunk-games", self.chunk_games, 1, MAX_CHUNK_GAMES)
        object.__setattr__(self, "seed", seed)
        object.__setattr__(self, "chunk_games", chunk_games)

    @cached_property
    def matches(self) -> list[Match]:
        """All matches, in order."""
        return [match for bundle in self.bundles for match in bundle]

    @cached_property
    def first_games(self) -> list[int]:
        """Number of each match's first game, then of all games; numbered match after match."""
        sizes = [
            blocks * match.block_size
            for bundle, blocks in zip(self.bundles, self.blocks, strict=True)
            for match in bundle
        ]
        return list(itertools.accumulate(sizes, initial=0))

    @property
    def games(self) -> int:
        """Games in all."""
        return self.first_games[-1]

    def block_games(self, bundle: int) -> int:
        """Games in a block of a bundle, over its matches."""
        return sum(match.block_size for match in self.bundles[bundle])

    def chunks(self, looks: bool = False) -> list[list[Chunk]]:
        """The work in the order in which it is merged, in waves; see `cut_into_chunks`."""
        block_games = [self.block_games(bundle) for bundle in range(len(self.bundles))]
        return cut_into_chunks(self.blocks, block_games, self.chunk_games, looks, self.earlier)

    def work(self, chunk: Chunk) -> Work:
        """What a worker is handed for a chunk."""
        matches = self.bundles[chunk.bundle]
        return Work(
            matches,
            tuple(self.first_games_of(chunk.bundle)),
            self.seed,
            chunk.first_block,
            chunk.blocks,
            tuple(match.policy_fingerprints for match in matches),
            package_fingerprint(),
        )

    @cached_property
    def _matches_before(self) -> list[int]:
        return list(itertools.accumulate((len(bundle) for bundle in self.bundles), initial=0))

    def describe(self) -> dict[str, Any]:
        """What is played, in plain values; two plans play the same if these are equal."""
        return {
            "version": __version__,
            "sources": package_fingerprint(),
            "seed": self.seed,
            "games": self.games,
            "blocks": list(self.blocks),
            "bundles": [[match.describe() for match in bundle] for bundle in self.bundles],
        }

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of `describe`."""
        return fingerprint_of(self.describe())

    @cached_property
    def root(self) -> str:
        """What tells its games from those of other plans, however many it plays of them."""
        return root_of(self.describe())

    def first_games_of(self, bundle: int) -> list[int]:
        """Number of the first game of each match of a bundle."""
        before = self._matches_before[bundle]
        return self.first_games[before : before + len(self.bundles[bundle])]

    def locate_game(self, number: int) -> tuple[Match, Lineup, int, int]:
        """The match, ordered line-up, deal and rotation of a game of the run."""
        number = checked_int("game", number, 0, self.games - 1)
        index = bisect.bisect_right(self.first_games, number) - 1
        match = self.matches[index]
        deal, game = divmod(number - self.first_games[index], match.block_size)
        order, turn = divmod(game, len(match.rotations))
        rotation = match.rotations[turn]
        return match, match.ordered_lineup(match.orders[order]), deal, rotation

    def replay(self, number: int) -> str:
        """The command line that traces a game of the run."""
        match, lineup, deal, rotation = self.locate_game(number)
        return replay_command(match.setting, lineup, self.seed, deal, rotation)


def fingerprint_of(described: dict[str, Any]) -> str:
    """Sixteen hexadecimal digits that depend on everything in some plain values."""
    text = json.dumps(described, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def root_of(described: dict[str, Any]) -> str:
    """The fingerprint of a plan that `Plan.describe` has described, but for its length."""
    return fingerprint_of({k: v for k, v in described.items() if k not in ("games", "blocks")})


def plan_for_games(
    bundles: Sequence[tuple[Match, ...]], games: Sequence[int], seed: int, chunk_games: int
) -> Plan:
    """A plan that plays so many games, or a few more, of each bundle."""
    blocks = tuple(
        blocks_for_games(wanted, sum(match.block_size for match in bundle))
        for bundle, wanted in zip(bundles, games, strict=True)
    )
    return Plan(tuple(bundles), blocks, seed, chunk_games)
