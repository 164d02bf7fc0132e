"""What learners see and do: the numbers of an observation, and of an action, by name.

An observation is one row of whole numbers. It holds what lies before a seat: the public table, the
seat's own cards and what it is asked. Seats are in turn order from one's own, so that a learner
need not know where it sits. Not in it are the notes for a perfect memory that policies are handed
besides (`paxsim.engine.knowledge`): who bought which card long ago, what lies where in the deck.

An action is a number that means the same whenever it is allowed; the action mask says when. The
order of what stands here is that of `paxsim.envs.observing` and `acting`, which write it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from paxsim.board.words import roman
from paxsim.cards import CATEGORIES, Card
from paxsim.engine.records import DECISIONS, address_of
from paxsim.errors import PaxsimError, checked_int, unknown
from paxsim.io import html_table
from paxsim.setting import Setting
from paxsim.text import in_lines

#: Cards that a draw step shows at once, at most.
IN_VIEW = 3
#: Numbers by which a drawn card is shown: its symbols by category, and its value.
OF_CARD = len(CATEGORIES) + 1
#: Places of a drawn card besides the legions: the hand, and under the deck.
OTHER_PLACES = 2
#: The first actions, which do not depend on the setting.
TAKE_TURN, PEEK, PASS = range(3)
FIRST_DRAWN = 3
#: Card numbers have sixteen bits.
CODES = 1 << 16

layout_dtype = np.dtype(
    [
        ("kinds", np.int64),
        ("drawn", np.int64),  # cards that are drawn at once, at most
        ("size", np.int64),  # numbers of an observation
        ("actions", np.int64),
        ("kind_of", np.int16, CODES),  # by a card's number in the engine: which kind it is
    ],
    align=True,
)


@dataclass(frozen=True)
class Field:
    """A part of an observation.

    Attributes
    ----------
    name : str
        What it is called.
    shape : tuple of int
        Its shape.
    first : int
        Where it begins in the row.
    meaning : str
        What its numbers say.
    """

    name: str
    shape: tuple[int, ...]
    first: int
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape))


class Layout:
    """The observations and actions of a setting.

    Parameters
    ----------
    setting : Setting
        What is played.

    Attributes
    ----------
    kinds : tuple of Card
        The different cards of the deck, sorted; where a number is said to be by kind, it is in
        this order.
    fields : tuple of Field
        The parts of an observation.
    size : int
        Numbers of an observation.
    actions : int
        How many actions there are.
    """

    def __init__(self, setting: Setting):
        self.setting = setting
        rules = setting.resolved()
        self.legions: int = rules["legions"]
        self.kinds: tuple[Card, ...] = tuple(sorted(set(setting.deck.cards)))
        drafts = rules["draft_sizes"][: setting.players]
        solo = 2 + max(0, (setting.solo_level or 0) - 2)
        self.drawn = max(IN_VIEW, solo if setting.solo_level else max(drafts))
        parts = list(self._parts())
        firsts = [0, *accumulate(int(np.prod(shape)) for _, shape, _ in parts)]
        self.fields = tuple(
            Field(name, shape, first, meaning)
            for (name, shape, meaning), first in zip(parts, firsts, strict=False)
        )
        self.size = firsts[-1]
        self.first_place = FIRST_DRAWN + self.drawn
        self.first_legion = self.first_place + IN_VIEW * (OTHER_PLACES + self.legions)
        self.first_kind = self.first_legion + self.legions
        self.actions = self.first_kind + len(self.kinds)

    def _parts(self) -> Iterator[tuple[str, tuple[int, ...], str]]:
        players, categories, kinds = self.setting.players, len(CATEGORIES), len(self.kinds)
        decisions = ", ".join(DECISIONS[:-1])
        yield "decision", (len(DECISIONS) - 1,), f"1 at what is asked of the seat: {decisions}"
        yield "round", (1,), "round, from 1; 0 during the draft"
        yield "turns_left", (1,), "turns of this round that come after this one"
        yield "deck_left", (1,), "cards in the deck"
        yield "played", (1,), "cards that the active seat has played this turn"
        yield "categories_played", (categories,), "1 for the categories of these cards"
        yield "start", (players,), "1 at the seat that began this round"
        yield "active", (players,), "1 at the seat whose turn it is"
        yield "primus", (players,), "1 at the holder of primus conspiratus"
        yield "money", (players,), "Aurei by seat, at most 32,767"
        yield "hand_size", (players,), "cards in each hand"
        yield "peeked", (players,), "1 for seats that have looked at Rome's hidden cards"
        yield "symbols", (players, categories), "symbols displayed, by seat and category"
        yield "cards", (players, categories), "cards displayed, by seat and category"
        yield "rome_symbols", (categories,), "Rome's symbols face up"
        yield "rome_cards", (categories,), "Rome's cards face up"
        yield "legion_value", (self.legions,), "total value of the cards below each legion, Aurei"
        yield "legion_cards", (self.legions, kinds), "cards below each legion, by kind"
        yield "hand", (kinds,), "one's own hand, by kind"
        yield "rome_hidden", (kinds,), "Rome's hidden cards, by kind, once the seat has peeked"
        yield (
            "drawn",
            (self.drawn, OF_CARD),
            "each card in view of who draws: its symbols in the column of its category, its value",
        )
        yield "price", (1,), "what the next card costs to play, Aurei"
        yield "undrawn", (1,), "cards of this draw step still in the deck"
        yield "hand_open", (1,), "1 if this draw step may still put a card into the hand"
        yield "bottom_open", (1,), "the same for under the deck"
        yield "legion_open", (1,), "the same for below a legion"
        yield "hand_waits", (1,), "1 if the first of two cards may not go to the hand (religion)"
        yield "shown", (1,), "solo start: cards displayed so far"

    def __repr__(self) -> str:
        names = ", ".join(field.name for field in self.fields)
        return in_lines(f"Layout of {self.size} numbers and {self.actions} actions: {names}")

    def _repr_html_(self) -> str:
        rows = [(field.name, str(field.shape), field.first, field.meaning) for field in self.fields]
        said = f"Layout of {self.size} numbers and {self.actions} actions"
        return html_table(("field", "shape", "first", "meaning"), rows, said)

    def __getitem__(self, name: str) -> Field:
        if name not in self._by_name:
            raise unknown("field", name, self._by_name)
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def part(self, observations: np.ndarray, name: str) -> np.ndarray:
        """A named part of one observation or of many, shape ``(..., *shape)``."""
        field = self[name]
        # (What has a shape stays what it is: a learner may hand over tensors with gradients.)
        rows = observations if hasattr(observations, "shape") else np.asarray(observations)
        if rows.shape[-1:] != (self.size,):
            raise PaxsimError(
                f"observations: found shape {rows.shape}; "
                f"allowed: rows of {self.size} numbers, shape (..., {self.size})"
            )
        found = rows[..., field.first : field.first + field.size]
        return found.reshape(*rows.shape[:-1], *field.shape)

    @cached_property
    def record(self) -> np.ndarray:
        """What compiled code has to know of it, one record (``layout_dtype``)."""
        record = np.zeros(1, layout_dtype)
        for name in ("drawn", "size", "actions"):
            record[name] = getattr(self, name)
        record["kinds"] = len(self.kinds)
        for kind, card in enumerate(self.kinds):
            record["kind_of"][0, card.code] = kind
        return record

    @property
    def address(self) -> int:
        """Where compiled code finds `record`."""
        return address_of(self.record)

    def action_name(self, action: int) -> str:
        """An action in words."""
        action = checked_int("action", action, 0, self.actions - 1)
        if action < FIRST_DRAWN:
            return ("take a turn", "peek", "pass")[action]
        if action < self.first_place:
            return f"choose drawn card {action - FIRST_DRAWN + 1}"
        if action < self.first_legion:
            card, place = divmod(action - self.first_place, OTHER_PLACES + self.legions)
            where = f"below legion {roman(place - 1)}" if place >= OTHER_PLACES else None
            where = where or ("into the hand", "under the deck")[place]
            return f"put drawn card {card + 1} {where}"
        if action < self.first_kind:
            return f"buy legion {roman(action - self.first_legion + 1)}"
        return f"play {self.kinds[action - self.first_kind]}"
