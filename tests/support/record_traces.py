"""Record traces: ``python tests/record_traces.py`` writes recorded_traces.json.

A trace is exact to the byte, so however it is made, the same game gives the same bytes. Those
recorded here were made decision by decision, each line from a dictionary by `json.dumps`. Run this
only where games or the trace format are meant to change, and say why in the commit.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import paxsim
from paxsim.engine.records import BUY, KEEP, category_of
from paxsim.policies.policy import make_policy
from paxsim.trace import trace_lines

RECORD = Path(__file__).parent.with_name("recorded_traces.json")
SEED = 40_906
LINEUPS = (
    ("random",) * 8,
    ("builder", "random", "weighted:money=0.25", "tribune", "hermit", "augur", "first", "racer"),
    ("conspirator", "denier", "feeder", "starver", "admiral", "merchant", "miser", "opportunist"),
)
#: Rule sets that let every kind of event come up, and every kind of list be empty or long.
VARIANTS = (
    {"reactions": True, "reaction_price": 0, "starting_money": 30},
    {"reactions": True, "reactions_before_income": True, "tie": "money"},
    {"religion_two": 0, "religion_three": 3, "discount_step": 1, "bonus_step": 1},
    {"religion_two": 0, "religion_three": 0, "legions": 1, "rome_hidden": 0, "rome_open": 0},
    {"legions": 12, "rome_hidden": 1, "rome_open": 5, "cards_removed": 3, "rome_takes_last": False},
    {"draft_sizes": [1, 1, 2, 6, 2, 2, 2, 2], "empty_deck_income": 7, "points_primus": 0},
)
#: A name that JSON has to write in another way.
ODD_DECK = paxsim.Deck(
    name='Κύκλος "seven\\eight"',
    cards=tuple(
        paxsim.Card(category, symbols, value)
        for category in ("wealth", "fleet", "army", "religion", "senator", "land", "intrigue")
        for symbols, value in ((1, 0), (1, 3), (2, 4), (3, 12), (1, 3), (31, 255))
        for _ in range(2)
    ),
)


def too_high(table, me, choice):
    """Wait for the fourth round, then choose what there is not."""
    return choice.count if table.round > 3 and choice.kind == BUY else 0


def raising(table, me, choice):
    """Raise an error as soon as another card is played."""
    if table.played > 0:
        raise ValueError("no idea")
    return 0


def at_once(table, me, choice):
    """Fail at the very first decision."""
    return -1


def fussy(table, me, choice):
    """Fail when the draft shows two cards of one category, which takes a few games."""
    alike = choice.kind == KEEP and category_of(choice.drawn[0]) == category_of(choice.drawn[1])
    return choice.count if alike else 0


@dataclass(frozen=True)
class Case:
    """The traces of some deals of one line-up in one rotation."""

    about: str
    policies: tuple
    deals: int
    players: int = 1
    level: int | None = None
    rotation: int = 0
    deck: str | paxsim.Deck = "assumed"
    rules: dict = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The lines, up to the failure of a policy if there is one."""
        setting = paxsim.make_setting(
            self.players, solo_level=self.level, deck=self.deck, rules=self.rules
        )
        lineup = paxsim.make_lineup(list(self.policies), self.players)
        try:
            yield from trace_lines(setting, lineup, SEED, 5, self.deals, self.rotation)
        except paxsim.PolicyError as error:
            yield str(error).split(" at the decision")[0].split(" in line")[0]


def every_table():
    """Every number of players and every solo level, with several line-ups."""
    for number, names in enumerate(LINEUPS):
        for players in range(2, 9):
            about = f"{players} players, line-up {number}"
            yield Case(about, names[:players], 4, players, rotation=number % players)
    for level in range(1, 6):
        for name in ("random", "hermit", "first"):
            yield Case(f"solo level {level}, {name}", (name,), 4, level=level)


def other_cards_and_rules():
    """Other decks and rule sets."""
    for number, rules in enumerate(VARIANTS):
        for players in (1, 2, 4, 6):
            names = LINEUPS[number % 2][:players]
            about = f"variant {number}, {players} players"
            yield Case(about, names, 2, players, rules=rules, rotation=players - 1)
    for deck in ("double", "unrelated", ODD_DECK):
        for players in (1, 3, 8):
            name = deck if isinstance(deck, str) else "odd"
            yield Case(f"deck {name}, {players} players", ("random",), 2, players, deck=deck)


def failing():
    """Line-ups with a policy that fails."""
    for function in (too_high, raising, at_once, fussy):
        guest = make_policy(function, solo=True)
        about = f"{function.__name__} fails"
        yield Case(f"{about}, 3 players", ("builder", guest, "random"), 25, 3, rotation=2)
        yield Case(f"{about}, solo", (guest,), 25, level=4)


def cases():
    """All of them."""
    return (*every_table(), *other_cards_and_rules(), *failing())


def digest_of(case):
    """How many lines there are, and a digest of them."""
    lines = list(case.lines())
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return [len(lines), digest]


def record():
    """Write down the digests of all traces."""
    content = {case.about: digest_of(case) for case in cases()}
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{len(content)} traces in {RECORD.name}")


if __name__ == "__main__":
    record()
