"""Record how the heuristics play: ``python tests/record_play.py`` writes recorded_play.json.

A heuristic may be made faster, or its source moved, without a single decision changing. What they
decide shows in how their games end, so a digest of a hundred thousand results is kept beside the
tests. Run this only where play is meant to change, and say why in the commit. The policy `random`
is left out, so that its random stream may change; the heuristics draw no random numbers.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import paxsim

RECORD = Path(__file__).parent.with_name("recorded_play.json")

HEURISTICS = (
    "builder", "economist", "conspirator", "feeder", "starver", "tribune", "admiral", "merchant",
    "augur", "racer", "miser", "denier", "opportunist", "weighted", "hermit",
)  # fmt: skip
#: Heuristics that came later: they have games of their own, so that those of the others stay.
NEWCOMERS = ("defender", "loner", "answerer", "scout")
#: Built-in policies whose play is not recorded.
LEFT_OUT = ("random", "first", "search")
#: Those that make sense alone against Rome.
ALONE = tuple(name for name in HEURISTICS if name not in ("conspirator", "feeder", "denier"))
COUNTS = (2, 3, 4, 6)
DECKS = ("assumed", "double", "unrelated")
#: Rule sets in which other thresholds, prices and reactions come up than in the published game.
VARIANTS = (
    {"reactions": True, "reaction_price": 2},
    {"reactions": True, "reactions_before_income": True, "reaction_price": 0},
    {"religion_two": 1, "religion_three": 2, "discount_step": 2, "bonus_step": 2},
    {"legions": 2, "rome_takes_last": False, "starting_money": 9},
    {"points_category": 1, "points_stronger": 5, "points_primus": 4, "tie": "money"},
    {"rome_needs": 3, "rome_open": 4, "rome_hidden": 1, "senator_income": 3, "basic_income": 1},
)
SEED = 2207


@dataclass(frozen=True)
class Case:
    """Some games of one line-up: `deals` deals, each in the rotations named."""

    group: str
    policies: tuple[str, ...]
    deals: int
    players: int | None = None
    level: int | None = None
    rotations: str | tuple[int, ...] = (0,)
    deck: str = "assumed"
    rules: dict = field(default_factory=dict)

    @property
    def name(self):
        """Everything that names the games, as one line."""
        seats = f"solo level {self.level}" if self.level else f"{self.players} players"
        rules = json.dumps(self.rules) if self.rules else "published rules"
        rotations = self.rotations if self.rotations == "all" else "first"
        return (
            f"{','.join(self.policies)}: {seats}, deck {self.deck}, {rules}, "
            f"{self.deals} deals of seed {SEED}, {rotations} rotation"
        )

    def results(self):
        """The result records."""
        return paxsim.play_batch(
            list(self.policies),
            self.players,
            deals=self.deals,
            rotations=self.rotations,
            seed=SEED,
            solo_level=self.level,
            deck=self.deck,
            rules=self.rules,
        ).results


def alike():
    """Each heuristic at all seats; rotations of such a line-up are one and the same game."""
    for name in HEURISTICS:
        for players in COUNTS:
            for deck in DECKS:
                yield Case(name, (name,), 250, players, deck=deck)


def mixed():
    """Line-ups of different heuristics, each meeting others at every seat."""
    deals = {2: 60, 3: 40, 4: 30, 6: 20}
    for players in COUNTS:
        for number, stride in enumerate((1, 2, 4)):
            for first in range(len(HEURISTICS)):
                chosen = [
                    HEURISTICS[(first + stride * k) % len(HEURISTICS)] for k in range(players)
                ]
                deck = DECKS[(first + number) % len(DECKS)]
                yield Case(
                    f"mixed-{players}", tuple(chosen), deals[players], players,
                    rotations="all", deck=deck,
                )  # fmt: skip


def variants():
    """The same under other rules."""
    deals = {2: 36, 3: 24, 4: 18, 6: 12}
    for number, rules in enumerate(VARIANTS):
        for players in COUNTS:
            for first in range(0, len(HEURISTICS), 3):
                chosen = [
                    HEURISTICS[(first + number + 7 * k) % len(HEURISTICS)] for k in range(players)
                ]
                yield Case(
                    "variants", tuple(chosen), deals[players], players,
                    rotations="all", deck=DECKS[(first + number) % len(DECKS)], rules=rules,
                )  # fmt: skip


def alone():
    """The solo levels, most of all by the solo specialist."""
    for level in range(1, 6):
        for name in ALONE:
            yield Case("alone", (name,), 1300 if name == "hermit" else 250, level=level)
        yield Case("alone", ("hermit",), 300, level=level, deck="double")
        yield Case("alone", ("hermit",), 300, level=level, deck="unrelated")
        for rules in VARIANTS[2:]:
            yield Case("alone", ("hermit",), 100, level=level, rules=rules)


def newcomers():
    """Each newcomer with its like, alone, and among others under all rule sets."""
    for number, name in enumerate(NEWCOMERS):
        for players in COUNTS:
            for deck in DECKS:
                yield Case(name, (name,), 100, players, deck=deck)
            for turn, rules in enumerate(({}, *VARIANTS)):
                chosen = [HEURISTICS[(number + turn + 4 * k) % len(HEURISTICS)] for k in range(3)]
                seats = (name, *chosen, name, name)[:players]
                yield Case(name, seats, 20, players, rotations="all", rules=rules)
        for level in range(1, 6):
            yield Case(name, (name,), 100, level=level)


CASES = (*alike(), *mixed(), *variants(), *alone(), *newcomers())


def digest_of(results, fields):
    """A digest of these fields of result records, whatever their order and width in the record."""
    seen = hashlib.sha256()
    for name in fields:
        kind = "<f8" if results[name].dtype.kind == "f" else "<i8"
        seen.update(name.encode())
        seen.update(np.ascontiguousarray(results[name].astype(kind)).tobytes())
    return seen.hexdigest()


def record():
    """Play everything and write down the digests."""
    fields, games, digests = None, 0, {}
    for case in CASES:
        results = case.results()
        fields = fields or sorted(results.dtype.names)
        digests[case.name] = digest_of(results, fields)
        games += len(results)
    content = {"fields": fields, "games": games, "digests": digests}
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{games:,} games of {len(CASES)} line-ups in {RECORD.name}")


if __name__ == "__main__":
    record()
