"""Observation and action spaces: the meaning of every number that a learner sees and chooses.

An observation is one row of integers with what a seat sees: the public table, its own cards and the
current decision. Seats are in turn order from the observing seat, so that a learner need not know
where it sits. The notes that policies are given for a perfect memory (`paxsim.engine.knowledge`),
such as who bought which card, are not part of it.

An action is a number that always means the same; the action mask says when it is allowed. The order
of features and actions here is the one that `paxsim.envs.encoding` writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paxsim.board.words import roman
from paxsim.cards import CATEGORIES, Card
from paxsim.engine.records import DECISIONS
from paxsim.errors import PaxsimError, checked_int, unknown
from paxsim.io import html_table
from paxsim.setting import Setting, check_setting
from paxsim.text import in_lines

#: Most cards that a draw step shows at once.
IN_VIEW = 3
#: Numbers per drawn card: its symbols by category, and its value.
CARD_WIDTH = len(CATEGORIES) + 1
#: Destinations of a drawn card besides the legions: hand and bottom of the deck.
OTHER_PLACES = 2
#: The first actions, which do not depend on the setting.
TAKE_TURN, PEEK, PASS = range(3)
FIRST_DRAWN = 3
#: Card codes have 16 bits.
CODES = 1 << 16

layout_dtype = np.dtype(
    [
        ("kinds", np.int64),
        ("drawn", np.int64),  # most cards drawn at once
        ("size", np.int64),  # numbers in an observation
        ("actions", np.int64),
        ("kind_of", np.int16, CODES),  # kind by card code
    ],
    align=True,
)


@dataclass(frozen=True)
class Feature:
    """Named part of an observation.

    Attributes
    ----------
    name : str
        Name of the feature.
    shape : tuple of int
        Shape of its values.
    first : int
        Index of its first value in the observation.
    meaning : str
        Description of its values.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.VectorEnv(1, players=2).layout["peeked"].meaning
    "1 for seats that have looked at Rome's hidden cards"
    """

    name: str
    shape: tuple[int, ...]
    first: int
    meaning: str

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))


class Layout:
    """Observation and action layout of a setting.

    Parameters
    ----------
    setting : Setting
        Players, deck and rules.

    Attributes
    ----------
    kinds : tuple of Card
        The different cards of the deck, sorted. Counts "by kind" are in this order.
    features : tuple of Feature
        The parts of an observation.
    size : int
        Numbers in an observation.
    actions : int
        Number of actions.

    Examples
    --------
    >>> import paxsim
    >>> layout = paxsim.VectorEnv(1, players=4).layout
    >>> layout.size, layout.actions
    (360, 62)
    """

    def __init__(self, setting: Setting):
        check_setting(setting)
        self.setting = setting
        rules = setting.resolved()
        self.legions: int = rules["legions"]
        self.kinds: tuple[Card, ...] = tuple(sorted(set(setting.deck.cards)))
        drafts = rules["draft_sizes"][: setting.players]
        solo = 2 + max(0, (setting.solo_level or 0) - 2)
        self.drawn = max(IN_VIEW, solo if setting.solo_level else max(drafts))
        features: list[Feature] = []
        self.size = 0
        for name, shape, meaning in self._parts():
            features.append(Feature(name, shape, self.size, meaning))
            self.size += features[-1].size
        self.features = tuple(features)
        self.first_place = FIRST_DRAWN + self.drawn
        self.first_legion = self.first_place + IN_VIEW * (OTHER_PLACES + self.legions)
        self.first_kind = self.first_legion + self.legions
        self.actions = self.first_kind + len(self.kinds)

    def _parts(self) -> Iterator[tuple[str, tuple[int, ...], str]]:
        players, categories, kinds = self.setting.players, len(CATEGORIES), len(self.kinds)
        decisions = ", ".join(DECISIONS[:-1])
        yield "decision", (len(DECISIONS) - 1,), f"1 at the current decision: {decisions}"
        yield "round", (1,), "round, from 1; 0 during the draft"
        yield "turns_left", (1,), "turns left in this round after the current one"
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
        yield "rome_symbols", (categories,), "Rome's face-up symbols"
        yield "rome_cards", (categories,), "Rome's face-up cards"
        yield "legion_value", (self.legions,), "total value of the cards below each legion, Aurei"
        yield "legion_cards", (self.legions, kinds), "cards below each legion, by kind"
        yield "hand", (kinds,), "own hand, by kind"
        yield "rome_hidden", (kinds,), "Rome's hidden cards, by kind, once the seat has peeked"
        yield (
            "drawn",
            (self.drawn, CARD_WIDTH),
            "each drawn card in view: its symbols in the column of its category, and its value",
        )
        yield "price", (1,), "price of playing the next card, Aurei"
        yield "undrawn", (1,), "cards of this draw step still in the deck"
        yield "hand_open", (1,), "1 if a card of this draw step may still go to the hand"
        yield "bottom_open", (1,), "1 if one may still go under the deck"
        yield "legion_open", (1,), "1 if one may still go below a legion"
        yield "hand_waits", (1,), "1 if the first of two cards may not go to the hand (religion)"
        yield "shown", (1,), "solo start: cards displayed so far"

    def __repr__(self) -> str:
        names = ", ".join(feature.name for feature in self.features)
        return in_lines(f"Layout of {self.size} numbers and {self.actions} actions: {names}")

    def _repr_html_(self) -> str:
        rows = [(part.name, str(part.shape), part.first, part.meaning) for part in self.features]
        caption = f"Layout of {self.size} numbers and {self.actions} actions"
        return html_table(("feature", "shape", "first", "meaning"), rows, caption)

    def __getitem__(self, name: str) -> Feature:
        for feature in self.features:
            if feature.name == name:
                return feature
        raise unknown("feature", name, [feature.name for feature in self.features])

    def part(self, observations: np.ndarray, name: str) -> np.ndarray:
        """Return a feature of one observation or of many.

        Parameters
        ----------
        observations : array_like, shape (..., size)
            Observations; arrays of other libraries, such as tensors, keep their type.
        name : str
            Name of the feature.

        Returns
        -------
        array, shape (..., *feature shape)

        Examples
        --------
        >>> import paxsim
        >>> env = paxsim.VectorEnv(64, players=3, seed=1)
        >>> observations, masks = env.reset()
        >>> env.layout.part(observations, "symbols").shape
        (64, 3, 7)
        """
        feature = self[name]
        rows = observations if hasattr(observations, "shape") else np.asarray(observations)
        if rows.shape[-1:] != (self.size,):
            raise PaxsimError(
                f"observations must have shape (..., {self.size}), got {tuple(rows.shape)}"
            )
        values = rows[..., feature.first : feature.first + feature.size]
        return values.reshape(*rows.shape[:-1], *feature.shape)

    @cached_property
    def record(self) -> np.ndarray:
        """The layout for compiled code, one record of ``layout_dtype``."""
        record = np.zeros(1, layout_dtype)
        for name in ("drawn", "size", "actions"):
            record[name] = getattr(self, name)
        record["kinds"] = len(self.kinds)
        for kind, card in enumerate(self.kinds):
            record["kind_of"][0, card.code] = kind
        return record

    def action_name(self, action: int) -> str:
        """Describe an action in words.

        Examples
        --------
        >>> import paxsim
        >>> paxsim.VectorEnv(1, players=2).layout.action_name(1)
        'peek'
        """
        action = checked_int("action", action, 0, self.actions - 1)
        if action < FIRST_DRAWN:
            return ("take a turn", "peek", "pass")[action]
        if action < self.first_place:
            return f"choose drawn card {action - FIRST_DRAWN + 1}"
        if action < self.first_legion:
            card, place = divmod(action - self.first_place, OTHER_PLACES + self.legions)
            legions = [f"below legion {roman(legion)}" for legion in range(1, self.legions + 1)]
            where = ["into the hand", "under the deck", *legions][place]
            return f"put drawn card {card + 1} {where}"
        if action < self.first_kind:
            return f"buy legion {roman(action - self.first_legion + 1)}"
        return f"play {self.kinds[action - self.first_kind]}"
