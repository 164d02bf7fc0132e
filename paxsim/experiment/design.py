"""Design of an experiment: matches, in bundles that share their deals block by block."""

from __future__ import annotations

import bisect
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from paxsim.errors import PaxsimError, checked_bool, checked_int
from paxsim.lineup import Lineup
from paxsim.policies.files import package_fingerprint
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS
from paxsim.setting import MAX_NUMBER, Setting
from paxsim.version import __version__

#: Games in a chunk, roughly: a few tenths of a second of work with compiled heuristics.
CHUNK_GAMES = 24_000
MAX_CHUNK_GAMES = 10_000_000
#: Upper limit for the chunks of a run; a longer run has larger ones.
MOST_CHUNKS = 100_000
#: With a stopping rule: games before the first look, and each next look in percent of the last.
FIRST_LOOK, LOOK_GROWTH = 12_000, 110
#: Chunks between two looks, at least, so that several workers have something to do.
CHUNKS_BETWEEN_LOOKS = 8
#: Games that a worker plays before it tallies them: their results stay in the processor's cache,
#: and memory does not depend on the size of chunks.
PIECE_GAMES = 12_000
#: All permutations of a line-up are played only up to this many players (5! = 120 games a block).
MAX_PERMUTED = 5


@dataclass(frozen=True)
class Chunk:
    """A range of blocks of a bundle."""

    bundle: int
    first_block: int
    blocks: int

    @property
    def end(self) -> int:
        """Number of the block after the last."""
        return self.first_block + self.blocks

    def cut(self, step: int) -> list[Chunk]:
        """Return the range in parts of `step` blocks."""
        return [
            Chunk(self.bundle, first, min(step, self.end - first))
            for first in range(self.first_block, self.end, step)
        ]

    def without(self, parts: Iterable[Chunk]) -> list[Chunk]:
        """Return what disjoint parts of the range, in ascending order, leave of it."""
        gaps, first = [], self.first_block
        for part in parts:
            gaps.append(Chunk(self.bundle, first, part.first_block - first))
            first = part.end
        gaps.append(Chunk(self.bundle, first, self.end - first))
        return [gap for gap in gaps if gap.blocks]


def blocks_for_games(games: int, block_size: int) -> int:
    """Return the number of blocks that make at least this many games."""
    return -(-games // block_size)


@dataclass(frozen=True)
class Facts:
    """Plain description of a `Match`, as kept in results and stored runs."""

    players: int
    solo_level: int | None
    policies: tuple[str, ...]  # labels by position
    policy_fingerprints: tuple[str, ...]
    deck: str
    deck_fingerprint: str
    rules: dict[str, Any]  # those that differ from the published ones
    rules_text: str
    rules_fingerprint: str
    orders: tuple[tuple[int, ...], ...]
    rotations: tuple[int, ...]

    @property
    def block_size(self) -> int:
        """Games in a block."""
        return len(self.orders) * len(self.rotations)


def facts_of(plan: dict[str, Any]) -> list[list[Facts]]:
    """Return the matches of a plan as a manifest has it, by bundle, checked."""

    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else value

    return [
        [_facts_of({key: frozen(value) for key, value in match.items()}) for match in bundle]
        for bundle in plan["bundles"]
    ]


def _facts_of(match: dict[str, Any]) -> Facts:
    """Return a match as a manifest has it; raise if types or sizes are wrong."""
    facts = Facts(**match)
    seats = tuple(range(checked_int("players", facts.players, 1, MAX_PLAYERS)))
    texts = (facts.deck, facts.deck_fingerprint, facts.rules_text, facts.rules_fingerprint)
    lists = (facts.policies, facts.policy_fingerprints)
    if not (
        all(isinstance(text, str) for text in (*texts, *lists[0], *lists[1]))
        and all(isinstance(names, tuple) and len(names) == len(seats) for names in lists)
        and isinstance(facts.rules, dict)
        and facts.solo_level in (None, *SOLO_LEVELS)
        # As texts, because True and 1.0 are equal to 1.
        and str(facts.rotations) in (str(seats), "(0,)")
        and facts.orders
        and all(str(tuple(sorted(order))) == str(seats) for order in facts.orders)
    ):
        raise PaxsimError("a match has values that paxsim never writes")
    return facts


def check_described(manifest: dict[str, Any]) -> None:
    """Raise if the plan in a manifest is not like `Plan.description`."""
    plan = manifest["plan"]
    bundles = facts_of(plan)
    checked_int("seed", plan["seed"], 0, MAX_NUMBER)
    checked_int("groups", plan["groups"], 1, len(bundles))
    games = 0
    for count, bundle in zip(plan["blocks"], bundles, strict=True):
        checked_int("blocks", count, 1, MAX_NUMBER)
        games += count * sum(facts.block_size for facts in bundle)
    checked_int("games", plan["games"], games, games)
    texts = (plan["version"], manifest["question"]["kind"], manifest["command"])
    if not games or not all(isinstance(text, str) for text in texts):
        raise PaxsimError("it has no games, or its version, question or command is not text")


@dataclass(frozen=True)
class Match:
    """One line-up in one setting; a block is one deal played in every order and rotation.

    `orders` are those of the positions: the given one, or all that are not rotations of one
    another. `rotations` of each order are all, or one where all would be the same game.
    """

    setting: Setting
    lineup: Lineup
    orders: tuple[tuple[int, ...], ...]
    rotations: tuple[int, ...]

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.setting.players

    @property
    def block_size(self) -> int:
        """Games in a block."""
        return len(self.orders) * len(self.rotations)

    def ordered_lineup(self, order: tuple[int, ...]) -> Lineup:
        """Return the line-up with its positions in another order."""
        if order == tuple(range(self.players)):
            return self.lineup  # whose policies are compiled by now
        return Lineup(tuple(self.lineup.policies[position] for position in order))

    @cached_property
    def facts(self) -> Facts:
        """Plain description of the match."""
        setting = self.setting
        return Facts(
            players=setting.players,
            solo_level=setting.solo_level,
            policies=tuple(self.lineup.labels),
            policy_fingerprints=tuple(policy.fingerprint for policy in self.lineup.policies),
            deck=setting.deck.name,
            deck_fingerprint=setting.deck.fingerprint,
            rules=setting.rules.changed(),
            rules_text=setting.rules.describe(),
            rules_fingerprint=setting.rules.fingerprint,
            orders=self.orders,
            rotations=self.rotations,
        )


def make_match(
    setting: Setting, lineup: Lineup, permutations: bool = False, *, every_seat: bool = False
) -> Match:
    """Make a match in every rotation, or in every permutation of the line-up.

    If all rotations are the same game (`Lineup.symmetric`) only one is played, unless a position
    sits at `every_seat`.
    """
    identity = tuple(range(setting.players))
    permuted = checked_bool("permutations", permutations)
    if lineup.symmetric and not every_seat:
        return Match(setting, lineup, (identity,), (0,))
    if not permuted:
        return Match(setting, lineup, (identity,), identity)
    if setting.players > MAX_PERMUTED:
        raise PaxsimError(
            f"permutations need at most {MAX_PERMUTED} players, got {setting.players}"
        )
    orders = tuple((0, *rest) for rest in itertools.permutations(identity[1:]))
    return Match(setting, lineup, orders, identity)


@dataclass(frozen=True)
class Work:
    """A chunk with everything that a worker in another process needs to play it."""

    matches: tuple[Match, ...]
    seed: int
    first_block: int
    blocks: int
    policy_fingerprints: tuple[tuple[str, ...], ...]
    sources: str

    def pieces(self) -> list[Work]:
        """Return the work in pieces of about `PIECE_GAMES` games."""
        step = max(1, PIECE_GAMES // sum(match.block_size for match in self.matches))
        return [
            replace(self, first_block=part.first_block, blocks=part.blocks)
            for part in Chunk(0, self.first_block, self.blocks).cut(step)
        ]

    def check_code(self) -> None:
        """Check that this worker has the package and the policies of the run."""
        if self.sources != package_fingerprint():
            raise PaxsimError("a worker has other sources of paxsim than the run")
        for match, expected in zip(self.matches, self.policy_fingerprints, strict=True):
            for policy, fingerprint in zip(match.lineup.policies, expected, strict=True):
                if (policy.function, fingerprint) not in _checked_policies:
                    if policy.fingerprint != fingerprint:
                        raise PaxsimError(f"policy {policy.label} has changed since the run began")
                    _checked_policies.add((policy.function, fingerprint))


#: Policies that `Work.check_code` has seen; a look at one takes some milliseconds.
_checked_policies: set[tuple[Callable, str]] = set()


class PlannedGame(NamedTuple):
    """A game of a run, as `paxsim trace` takes it."""

    match: Match
    lineup: Lineup
    seed: int
    deal: int
    rotation: int


@dataclass(frozen=True)
class Plan:
    """Everything that an experiment plays.

    Matches of a bundle are played on the same deals and compared block by block. Bundle ``i``
    belongs to group ``i % groups`` of line-ups, whose deals have the seed plus this number.
    """

    bundles: tuple[tuple[Match, ...], ...]
    blocks: tuple[int, ...]
    seed: int
    groups: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", checked_int("seed", self.seed, 0, MAX_NUMBER))

    @cached_property
    def matches(self) -> list[Match]:
        """All matches, in order."""
        return [match for bundle in self.bundles for match in bundle]

    @cached_property
    def first_games(self) -> list[int]:
        """Number of each match's first game, and of all games at the end."""
        sizes = [
            blocks * match.block_size
            for bundle, blocks in zip(self.bundles, self.blocks, strict=True)
            for match in bundle
        ]
        return list(itertools.accumulate(sizes, initial=0))

    @property
    def games(self) -> int:
        """Games of all matches."""
        return self.first_games[-1]

    def block_games(self, bundle: int) -> int:
        """Return the games in a block of a bundle, over its matches."""
        return sum(match.block_size for match in self.bundles[bundle])

    def waves(self, looks: bool) -> list[list[Chunk]]:
        """Return the blocks of every bundle, in waves if a rule looks at the results in between.

        Waves end at numbers of blocks that depend on nothing but the plan. So what the rule sees,
        and when the run stops, depends neither on the workers nor on the size of chunks.
        """
        if not looks:
            return [[Chunk(i, 0, blocks) for i, blocks in enumerate(self.blocks)]]
        blocks = self.blocks[0]
        ends = [0, min(blocks, blocks_for_games(FIRST_LOOK, self.block_games(0)))]
        while ends[-1] < blocks:
            ends.append(min(blocks, -(-ends[-1] * LOOK_GROWTH // 100)))
        return [[Chunk(0, a, b - a)] for a, b in itertools.pairwise(ends)]

    def chunk_blocks(self, span: Chunk, chunk_games: int, looks: bool) -> int:
        """Return the blocks of a chunk in a part of a wave."""
        games = max(chunk_games, -(-self.games // MOST_CHUNKS))
        step = max(1, games // self.block_games(span.bundle))
        return min(step, -(-span.blocks // CHUNKS_BETWEEN_LOOKS)) if looks else step

    def seed_of(self, bundle: int) -> int:
        """Return the seed of a bundle's deals."""
        return (self.seed + bundle % self.groups) % (MAX_NUMBER + 1)

    def work(self, chunk: Chunk) -> Work:
        """Return what a worker needs to play a chunk."""
        matches = self.bundles[chunk.bundle]
        return Work(
            matches,
            self.seed_of(chunk.bundle),
            chunk.first_block,
            chunk.blocks,
            tuple(match.facts.policy_fingerprints for match in matches),
            package_fingerprint(),
        )

    @cached_property
    def description(self) -> dict[str, Any]:
        """The plan in plain values; two plans play the same games if these are equal."""
        return {
            "version": __version__,
            "sources": package_fingerprint(),
            "seed": self.seed,
            "groups": self.groups,
            "games": self.games,
            "blocks": list(self.blocks),
            "bundles": [[asdict(match.facts) for match in bundle] for bundle in self.bundles],
        }

    def locate_game(self, number: int) -> PlannedGame:
        """Return the match, ordered line-up, seed, deal and rotation of a game of the run."""
        number = checked_int("game", number, 0, self.games - 1)
        index = bisect.bisect_right(self.first_games, number) - 1
        match = self.matches[index]
        deal, game = divmod(number - self.first_games[index], match.block_size)
        order, turn = divmod(game, len(match.rotations))
        bundle = [i for i, bundle in enumerate(self.bundles) for _ in bundle][index]
        lineup = match.ordered_lineup(match.orders[order])
        return PlannedGame(match, lineup, self.seed_of(bundle), deal, match.rotations[turn])


def fingerprint_of(described: dict[str, Any]) -> str:
    """Return 16 hexadecimal digits of a digest of plain values."""
    text = json.dumps(described, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def without_length(description: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a plan without its number of games."""
    return {key: value for key, value in description.items() if key not in ("games", "blocks")}


def plan_for_games(
    bundles: Sequence[tuple[Match, ...]], games: Sequence[int], seed: int, groups: int = 1
) -> Plan:
    """Return a plan that plays at least this many games of each bundle."""
    blocks = tuple(
        blocks_for_games(wanted, sum(match.block_size for match in bundle))
        for bundle, wanted in zip(bundles, games, strict=True)
    )
    return Plan(tuple(bundles), blocks, seed, groups)
