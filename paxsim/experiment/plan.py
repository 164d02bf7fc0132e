"""What an experiment plays: matches, in bundles that share their deals block by block."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from paxsim.errors import PaxsimError, checked_int
from paxsim.lineup import Lineup
from paxsim.setting import Setting
from paxsim.simulate import MAX_NUMBER, replay_command
from paxsim.version import __version__

#: Games in a chunk, about: a few tenths of a second of work, some megabytes of results.
CHUNK_GAMES = 24_000
#: All permutations of a line-up are played only up to this many players (5! = 120 games a block).
MAX_PERMUTED = 5


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
    """

    setting: Setting
    lineup: Lineup
    orders: tuple[tuple[int, ...], ...]

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.setting.players

    @property
    def block_size(self) -> int:
        """Games in a block."""
        return len(self.orders) * self.players

    def ordered_lineup(self, order: tuple[int, ...]) -> Lineup:
        """The line-up with its positions in another order."""
        return Lineup(tuple(self.lineup.policies[position] for position in order))

    def describe(self) -> dict[str, Any]:
        """The match in plain values, with fingerprints of everything that shapes its games."""
        setting = self.setting
        return {
            "players": setting.players,
            "solo_level": setting.solo_level,
            "policies": self.lineup.labels,
            "policy_fingerprints": [policy.fingerprint for policy in self.lineup.policies],
            "deck": setting.deck.name,
            "deck_fingerprint": setting.deck.fingerprint,
            "rules": setting.rules.changed(),
            "rules_fingerprint": setting.rules.fingerprint,
            "orders": [list(order) for order in self.orders],
            "block_size": self.block_size,
        }


def make_match(setting: Setting, lineup: Lineup, permutations: bool = False) -> Match:
    """A match in every rotation, or in every permutation of the line-up."""
    identity = tuple(range(setting.players))
    if not permutations:
        return Match(setting, lineup, (identity,))
    if setting.players > MAX_PERMUTED:
        raise PaxsimError(
            f"permutations: found {setting.players} players; allowed: at most {MAX_PERMUTED}"
        )
    orders = tuple((0, *rest) for rest in itertools.permutations(identity[1:]))
    return Match(setting, lineup, orders)


@dataclass(frozen=True)
class Chunk:
    """A part of a bundle's work: some of its blocks."""

    bundle: int
    first_block: int
    blocks: int


@dataclass(frozen=True)
class Work:
    """A chunk with all that a worker needs to play it, wherever the worker is."""

    matches: tuple[Match, ...]
    first_games: tuple[int, ...]
    seed: int
    first_block: int
    blocks: int


@dataclass(frozen=True)
class Plan:
    """Everything that an experiment plays.

    Attributes
    ----------
    bundles : tuple of tuple of Match
        Matches of a bundle are played on the same deals and compared block by block.
    blocks : int
        Blocks of every bundle.
    seed : int
        Names the deals.
    chunk_games : int
        Games in a chunk, about. Results do not depend on it.
    """

    bundles: tuple[tuple[Match, ...], ...]
    blocks: int
    seed: int
    chunk_games: int = CHUNK_GAMES

    def __post_init__(self) -> None:
        checked_int("seed", self.seed, 0, MAX_NUMBER)
        checked_int("chunk-games", self.chunk_games, 1, 10_000_000)

    @property
    def matches(self) -> list[Match]:
        """All matches, in order."""
        return [match for bundle in self.bundles for match in bundle]

    @property
    def games(self) -> int:
        """Games in all."""
        return self.blocks * sum(match.block_size for match in self.matches)

    def chunk_blocks(self, bundle: int) -> int:
        """Blocks in a chunk of a bundle."""
        return max(1, self.chunk_games // sum(match.block_size for match in self.bundles[bundle]))

    def chunks(self) -> list[Chunk]:
        """The work in the order in which it is merged."""
        found = []
        for bundle in range(len(self.bundles)):
            step = self.chunk_blocks(bundle)
            for first in range(0, self.blocks, step):
                found.append(Chunk(bundle, first, min(step, self.blocks - first)))
        return found

    def work(self, chunk: Chunk) -> Work:
        """What a worker is handed for a chunk."""
        matches = self.bundles[chunk.bundle]
        before = sum(len(bundle) for bundle in self.bundles[: chunk.bundle])
        first_games = tuple(self.first_game(before + index) for index in range(len(matches)))
        return Work(matches, first_games, self.seed, chunk.first_block, chunk.blocks)

    def describe(self) -> dict[str, Any]:
        """What is played, in plain values; two plans play the same if these are equal."""
        return {
            "version": __version__,
            "seed": self.seed,
            "blocks": self.blocks,
            "games": self.games,
            "chunk_games": self.chunk_games,
            "bundles": [[match.describe() for match in bundle] for bundle in self.bundles],
        }

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of `describe`."""
        text = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def first_game(self, match: int) -> int:
        """Number of a match's first game; games are numbered through, match after match."""
        return self.blocks * sum(other.block_size for other in self.matches[:match])

    def locate_game(self, number: int) -> tuple[Match, Lineup, int, int]:
        """The match, ordered line-up, deal and rotation of a game of the run."""
        checked_int("game", number, 0, self.games - 1)
        for index, match in enumerate(self.matches):
            inside = number - self.first_game(index)
            if inside < self.blocks * match.block_size:
                deal, game = divmod(inside, match.block_size)
                order, rotation = divmod(game, match.players)
                return match, match.ordered_lineup(match.orders[order]), deal, rotation
        raise AssertionError("a game number within the plan is in one of its matches")

    def replay(self, number: int) -> str:
        """The command line that traces a game of the run."""
        match, lineup, deal, rotation = self.locate_game(number)
        return replay_command(match.setting, lineup, self.seed, deal, rotation)


def blocks_for_games(games: int, block_size: int) -> int:
    """Blocks that make at least this many games."""
    return -(-games // block_size)
