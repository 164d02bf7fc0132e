"""Rule sets: every number and ruling in the game, as data.

The defaults are the published game. The engine receives a rule set resolved for one player count
(`Rules.resolve`) and has no other copy of any number.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from paxsim.cards import read_toml
from paxsim.errors import (
    PaxsimError,
    checked_bool,
    checked_int,
    checked_list,
    checked_path,
    safe_repr,
    unknown,
)
from paxsim.io import html_table
from paxsim.text import in_lines

MAX_PLAYERS = 8
MAX_LEGIONS = 12
MAX_DRAFT = 12
MAX_ROME_START = 16
SOLO_LEVELS = (1, 2, 3, 4, 5)
#: Cards displayed at the start of a solo game, by level; of the others drawn, one is kept and one
#: goes under the deck.
SOLO_DISPLAYED = (0, 0, 1, 2, 3)
#: Cards of a draw step: one to the hand, one below a legion, one under the deck.
CARDS_DRAWN = 3

_ANY = 10_000  # an upper bound for amounts that have no natural one


class Span(NamedTuple):
    """Range of integers that a rule field allows."""

    low: int
    high: int


#: Allowed values by field; a field with a `None` default depends on the number of players.
SPANS = {
    "starting_money": Span(0, _ANY),
    "rome_hidden": Span(0, MAX_ROME_START),
    "rome_open": Span(0, MAX_ROME_START),
    "cards_removed": Span(0, 240),
    "cards_added": Span(0, 240),
    "legions": Span(1, MAX_LEGIONS),
    "draft_sizes": Span(1, MAX_DRAFT),
    "basic_income": Span(0, _ANY),
    "peek_income": Span(0, _ANY),
    "empty_deck_income": Span(0, _ANY),
    "senator_income": Span(0, _ANY),
    "religion_two": Span(0, _ANY),
    "religion_three": Span(0, _ANY),
    "discount_step": Span(1, _ANY),
    "bonus_step": Span(1, _ANY),
    "rome_needs": Span(0, 8),
    "points_category": Span(0, 1000),
    "points_stronger": Span(0, 1000),
    "points_fleet_army": Span(0, 1000),
    "points_primus": Span(0, 1000),
    "points_wealthiest": Span(0, 1000),
    "solo_needs": Span(0, 8),
    "reaction_price": Span(0, _ANY),
}
_BOOLS = ("reactions", "reactions_before_income", "rome_takes_last", "rome_wins_zero_ties")
#: Fields that are words: the published one, and the other ruling.
WORDS = {
    "tie": ("shared", "money"),
    "religion_last_two": ("together", "one_by_one"),
    "draft_to_bottom": ("drawn", "chosen"),
}
#: Fields that are lists: the smallest and the largest number of entries.
LIST_LENGTHS = {
    "draft_sizes": Span(1, MAX_PLAYERS),
    "solo_needs": Span(len(SOLO_LEVELS), len(SOLO_LEVELS)),
}

_CARDS_REMOVED = {1: 30, 2: 20, 3: 10}
_CARDS_ADDED = {5: 15, 6: 30, 7: 45, 8: 60}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Rule set. Fields that are ``None`` take the published value for the number of players.

    Attributes
    ----------
    starting_money, basic_income, peek_income, empty_deck_income, senator_income : int
        Aurei at the start; for a turn without a card; for peeking; for a draw step with an empty
        deck; on top of the income when a senator was played.
    rome_hidden, rome_open : int
        Rome's cards at the start, face down and face up (open: 0, with 5-8 players 3).
    cards_removed, cards_added : int
        Cards set aside unseen (30, 20, 10 for 1, 2, 3 players); random cards of a second copy
        (15, 30, 45, 60 for 5-8 players).
    legions : int
        Players + 1; solo 3.
    draft_sizes : tuple of int
        Cards drawn at the draft, by seat (a solo draft follows its level instead).
    religion_two, religion_three : int
        Religion symbols that let a seat draw two, or three, cards together; no fewer for three.
    discount_step, bonus_step : int
        Wealth symbols for 1 Aureus off; fleets for a bonus army and the reverse.
    rome_needs : int
        Categories that Rome must hold to win.
    points_category, points_stronger, points_fleet_army, points_primus, points_wealthiest : int
        Points for a category displayed, a category stronger than Rome, a fleet or army symbol,
        primus conspiratus, the largest sum of money.
    solo_needs : tuple of int
        Categories in which a solo player must exceed Rome, by level.
    reactions : bool
        Whether a senator lets the other seats play a card (true with 5-8 players).
    reaction_price : int
        Aurei for such a card.
    reactions_before_income : bool
        Whether reactions come before the active seat's income.
    rome_takes_last : bool
        Whether Rome takes a group after the last round too.
    tie : str
        ``"shared"``, or ``"money"`` to break ties on points by money first.
    rome_wins_zero_ties : bool
        Whether Rome holds a category in which neither it nor any player has a symbol.
    religion_last_two : str
        ``"together"``, or ``"one_by_one"`` if religion has no effect on a draw of the last two
        cards.
    draft_to_bottom : str
        Order in which the rest of a draft goes under the deck: ``"drawn"``, or ``"chosen"`` by the
        seat.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.Rules(rome_needs=5, tie="money").describe()
    'rome_needs=5,tie=money'
    """

    starting_money: int = 5
    rome_hidden: int = 3
    rome_open: int | None = None
    cards_removed: int | None = None
    cards_added: int | None = None
    legions: int | None = None
    draft_sizes: tuple[int, ...] = (2, 3, 4, 5, 5, 5, 5, 5)
    basic_income: int = 2
    peek_income: int = 2
    empty_deck_income: int = 2
    senator_income: int = 1
    religion_two: int = 3
    religion_three: int = 6
    discount_step: int = 3
    bonus_step: int = 3
    rome_needs: int = 4
    points_category: int = 2
    points_stronger: int = 3
    points_fleet_army: int = 1
    points_primus: int = 1
    points_wealthiest: int = 4
    solo_needs: tuple[int, ...] = (3, 4, 5, 6, 7)
    reaction_price: int = 1
    reactions: bool | None = None
    reactions_before_income: bool = False
    rome_takes_last: bool = True
    tie: str = "shared"
    rome_wins_zero_ties: bool = True
    religion_last_two: str = "together"
    draft_to_bottom: str = "drawn"

    def __post_init__(self) -> None:
        for name in field_names():
            value = getattr(self, name)
            if value is not None or name not in PLAYER_DEPENDENT:
                object.__setattr__(self, name, _checked(name, value))
        if self.religion_three < self.religion_two:
            raise PaxsimError(
                f"rules: religion_three ({self.religion_three}) must not be less than "
                f"religion_two ({self.religion_two})"
            )

    def __repr__(self) -> str:
        changes = ", ".join(f"{name}={value!r}" for name, value in self.changed().items())
        return in_lines(f"Rules({changes})", len("Rules("))

    def _repr_html_(self) -> str:
        changed = self.changed()
        rows = [
            (name, shown_value(getattr(self, name)), shown_value(_PUBLISHED[name]))
            for name in changed or field_names()
        ]
        caption = "Rules: the published game."
        if changed:
            caption = f"Rules: {len(changed)} of {len(_FIELDS)} differ from the published game."
        return html_table(("rule", "value", "published"), rows, caption)

    def changed(self) -> dict[str, Any]:
        """Return the fields that differ from the published game, with lists for tuples."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in _FIELDS
            if getattr(self, field.name) != field.default
        }

    def with_changes(self, other: Rules) -> Rules:
        """Return this rule set with the changes of another one."""
        return Rules(**{**self.changed(), **other.changed()})

    def resolve(self, players: int, solo_level: int | None = None) -> dict[str, Any]:
        """Return every field with its value for a number of players (1 is solo).

        `solo_needs` becomes the number of the level, and `solo_displayed` is added.

        Examples
        --------
        >>> import paxsim
        >>> paxsim.Rules(rome_needs=5).resolve(6)["legions"]
        7
        """
        players = checked_int("players", players, 1, MAX_PLAYERS)
        if solo_level is not None:
            solo_level = checked_int("solo-level", solo_level, SOLO_LEVELS[0], SOLO_LEVELS[-1])
        values = {name: getattr(self, name) for name in field_names()}
        for name in PLAYER_DEPENDENT:
            if values[name] is None:
                values[name] = _published(name, players)
        level = (solo_level or 1) - 1
        values["solo_needs"] = self.solo_needs[level]
        values["solo_displayed"] = SOLO_DISPLAYED[level] if players == 1 else 0
        return values

    def changed_for(self, players: int) -> dict[str, Any]:
        """Return `changed` without values that are the published ones for this player count."""
        return {
            name: value
            for name, value in self.changed().items()
            if name not in PLAYER_DEPENDENT or value != _published(name, players)
        }

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on the changes."""
        text = json.dumps(self.changed(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __hash__(self) -> int:
        return int(self.fingerprint, 16)

    def describe(self) -> str:
        """Return ``"published"``, or the changes as ``field=value`` pairs."""
        changes = self.changed()
        return ",".join(f"{k}={_to_text(v)}" for k, v in changes.items()) or "published"

    def to_toml(self) -> str:
        """Return the changed fields as TOML that `load_rules` reads."""
        lines = [f"{name} = {json.dumps(value)}" for name, value in self.changed().items()]
        return "".join(f"{line}\n" for line in lines)


_FIELDS = fields(Rules)
_PUBLISHED = {field.name: field.default for field in _FIELDS}


@cache
def field_names() -> tuple[str, ...]:
    """Return the names of all rule fields."""
    return tuple(field.name for field in _FIELDS)


#: Fields whose published value depends on the number of players.
PLAYER_DEPENDENT = tuple(field.name for field in _FIELDS if field.default is None)


def load_rules(source: str | Path | dict[str, Any] | Rules | None = None) -> Rules:
    """Load a rule set.

    Parameters
    ----------
    source : str, pathlib.Path, dict, Rules or None
        A path that ends in ``.toml``, text such as ``"rome_needs=5,draft_sizes=3,3,3,tie=money"``,
        a dictionary of fields, or None for the published game.

    Returns
    -------
    Rules

    Raises
    ------
    PaxsimError
        If a field does not exist or its value is not allowed.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.load_rules("rome_needs=5,tie=money")
    Rules(rome_needs=5, tie='money')
    """
    if isinstance(source, Rules):
        return source
    if isinstance(source, dict):
        return rules_from_fields(source)
    if source is None:
        return _published_rules()
    if not isinstance(source, (str, Path)):
        raise PaxsimError(
            "rules must be FILE.toml, field=value pairs, a dictionary or Rules, "
            f"got {safe_repr(source)}"
        )
    text = str(source)
    if text in ("", "published"):
        return _published_rules()
    if text.endswith(".toml") and "=" not in text:
        return rules_from_fields(read_toml("rules", checked_path("rules", text)), f"rules {text}")
    return rules_from_fields(_parse_pairs(text))


@cache
def _published_rules() -> Rules:
    """Return the published rules; cached, because every game needs them."""
    return Rules()


def rules_from_fields(values: Any, where: str = "rules") -> Rules:
    """Return the rules with some fields, as files have them; a name of another file is refused."""
    if not isinstance(values, dict):
        raise PaxsimError(f"{where} must be a dictionary of fields, got {safe_repr(values)}")
    for name in values:
        if name not in field_names():
            raise unknown(f"{where}: field", name, field_names())
    return Rules(**values)


def _parse_pairs(text: str) -> dict[str, Any]:
    """Return typed values from text such as ``"rome_needs=5,draft_sizes=2,2,2,tie=money"``."""
    texts: dict[str, list[str]] = {}
    name = ""
    for part in text.split(","):
        before, equals, after = (piece.strip() for piece in part.partition("="))
        if equals and before not in field_names():
            raise unknown("rules: field", before, field_names())
        if equals and before in texts:
            raise PaxsimError(f"rules: {before} is given twice")
        if equals:
            name = before
            texts[name] = [after]
        elif name in LIST_LENGTHS:
            texts[name].append(before)
        else:
            raise PaxsimError(
                "rules must be FILE.toml or field=value pairs separated by ',', "
                f"got {safe_repr(part)}"
            )
    return {name: _parse_value(name, parts) for name, parts in texts.items()}


def _parse_value(name: str, parts: list[str]) -> Any:
    """Return text as the type of a field; wrong text stays text, for the check."""
    if name in LIST_LENGTHS:
        return [_parse_number(part.strip("[] ")) for part in parts]
    if parts[0].lower() in ("true", "false"):
        return parts[0].lower() == "true"
    return _parse_number(parts[0])


def _parse_number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def _checked(name: str, value: Any) -> Any:
    """Return the value of a field if it is allowed."""
    label = f"rules: {name}"
    if name in WORDS:
        if not isinstance(value, str) or value not in WORDS[name]:
            raise unknown(label, value, WORDS[name])
        return value
    if name in _BOOLS:
        return checked_bool(label, value)
    if name in LIST_LENGTHS:
        return _checked_list(name, value)
    return checked_int(label, value, *SPANS[name])


def _checked_list(name: str, value: Any) -> tuple[int, ...]:
    low, high = LIST_LENGTHS[name]
    length = str(low) if low == high else f"{low} to {high}"
    numbers = checked_list(f"rules: {name}", value, f"a list of {length} numbers")
    if not low <= len(numbers) <= high:
        raise PaxsimError(
            f"rules: {name} must be a list of {length} numbers, got {safe_repr(value)}"
        )
    return tuple(checked_int(f"rules: {name}", number, *SPANS[name]) for number in numbers)


def _published(name: str, players: int) -> Any:
    """Return the published value of a field that depends on the number of players."""
    two_copies = players > 4
    return {
        "rome_open": 3 if two_copies else 0,
        "cards_removed": _CARDS_REMOVED.get(players, 0),
        "cards_added": _CARDS_ADDED.get(players, 0),
        "legions": 3 if players == 1 else players + 1,
        "reactions": two_copies,
    }[name]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def shown_value(value: Any) -> str:
    """Return the value of a field as text."""
    return "by the number of players" if value is None else _to_text(_plain(value))


def _to_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
