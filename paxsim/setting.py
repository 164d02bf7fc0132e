"""Setting: player count, solo level, deck and rule set, checked together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.cards import CATEGORIES, DEFAULT_DECK, Deck, load_deck
from paxsim.engine.records import MAX_CARDS, game_dtype, rules_record
from paxsim.errors import PaxsimError, checked_int, one_line, safe_repr
from paxsim.io import html_table
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules, load_rules, shown_value
from paxsim.text import in_lines, quantity

#: Seeds and deal numbers are 63-bit.
MAX_NUMBER = 2**63 - 1
#: Players if neither a number, a solo level nor a line-up is given.
DEFAULT_PLAYERS = 4


@dataclass(frozen=True)
class Setting:
    """Game to play: everything except the policies. Build it with `make_setting`.

    Attributes
    ----------
    players : int
        1 to 8; 1 is solo.
    solo_level : int or None
        1 to 5 in solo, else None.
    deck : Deck
        One copy of the cards.
    rules : Rules
        The rule set.

    Examples
    --------
    >>> import paxsim
    >>> setting = paxsim.make_setting(3, rules="rome_needs=5")
    >>> setting.players, setting.deck.name, setting.rules.changed()
    (3, 'assumed', {'rome_needs': 5})
    """

    players: int
    solo_level: int | None
    deck: Deck
    rules: Rules

    def __repr__(self) -> str:
        level = "" if self.solo_level is None else f", solo level {self.solo_level}"
        return in_lines(f"Setting: players {self.players}{level}, {self.deck!r}, {self.rules!r}")

    def _repr_html_(self) -> str:
        level = [] if self.solo_level is None else [("solo level", self.solo_level)]
        changed = [(name, shown_value(value)) for name, value in self.rules.changed().items()]
        rows = [("players", self.players), *level, ("deck", one_line(repr(self.deck))), *changed]
        others = "All other rules are" if changed else "The rules are"
        return html_table(("setting", "value"), rows, f"{others} those of the published game.")

    def resolved(self) -> dict[str, Any]:
        """Return the value of every rule."""
        return self.rules.resolve(self.players, self.solo_level)

    def new_game(self) -> np.ndarray:
        """Return an undealt game as bytes, which are quick to copy; view it as ``game_dtype``."""
        return self._undealt.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without the cached game, which is ten times as large."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _undealt(self) -> np.ndarray:
        games = np.zeros(1, game_dtype)
        table = games[0]["table"]
        table["players"] = self.players
        table["solo_level"] = self.solo_level or 0
        table["rules"] = rules_record(self.rules, self.players, self.solo_level)
        table["legions"] = table["rules"]["legions"]
        for number, category in enumerate(CATEGORIES):
            cards = self.deck.of_category(category)
            table["copy_cards"][number] = len(cards)
            table["copy_symbols"][number] = sum(card.symbols for card in cards)
        table["copy"][: len(self.deck.cards)] = [card.code for card in self.deck.cards]
        table["copy_count"] = len(self.deck.cards)
        return games.view(np.uint8)


def make_setting(
    players: int | None = None,
    *,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
) -> Setting:
    """Check a player count, solo level, deck and rule set, and that they fit together.

    Parameters
    ----------
    players : int, optional
        1 (solo) to 8. May be left out when `solo_level` is given.
    solo_level : int, optional
        1 to 5, for solo only; a solo game without a level is of level 1.
    deck, rules
        See `paxsim.load_deck` and `paxsim.load_rules`.

    Returns
    -------
    Setting
        The setting that `paxsim.Game` and all experiments play.

    Raises
    ------
    PaxsimError
        If an argument is invalid, or the deck has too few cards for the rules.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.make_setting(3, rules="rome_needs=5").resolved()["rome_needs"]
    5
    """
    if players is None:
        players = 1 if solo_level is not None else DEFAULT_PLAYERS
    players = checked_int("players", players, 1, MAX_PLAYERS)
    if solo_level is not None:
        solo_level = checked_int("solo-level", solo_level, SOLO_LEVELS[0], SOLO_LEVELS[-1])
        if players != 1:
            raise PaxsimError(
                f"solo-level is for 1 player, got level {solo_level} with {players} players"
            )
    elif players == 1:
        solo_level = SOLO_LEVELS[0]
    return _checked_setting(players, solo_level, load_deck(deck), load_rules(rules))


def players_meant(policies: int, solo_level: int | None, people: int = 0) -> int | None:
    """Return the player count that a number of policies implies, or None.

    A single policy plays at every seat that `people` leave free, so it implies nothing.
    """
    if policies < 2 or solo_level is not None:
        return None
    if policies + people > MAX_PLAYERS:
        reason = f" with {quantity(people, 'human seat')}" if people else ""
        raise PaxsimError(
            f"policies: at most {max(MAX_PLAYERS - people, 0)}{reason}, got {policies}"
        )
    return policies + people


@lru_cache(maxsize=64)
def _checked_setting(players: int, solo_level: int | None, deck: Deck, rules: Rules) -> Setting:
    """Return a cached setting: to make one takes longer than a game."""
    setting = Setting(players, solo_level, deck, rules)
    _check_enough_cards(setting)
    return setting


def check_setting(setting: Any) -> None:
    """Check that an argument is a setting."""
    if not isinstance(setting, Setting):
        raise PaxsimError(f"setting must be a Setting from make_setting, got {safe_repr(setting)}")


def check_numbers(setting: Setting, seed: int, deal: int, rotation: int) -> tuple[int, int, int]:
    """Return the numbers that identify a game of a setting, as Python integers."""
    check_setting(setting)
    return (
        checked_int("seed", seed, 0, MAX_NUMBER),
        checked_int("deal", deal, 0, MAX_NUMBER),
        checked_int("rotation", rotation, 0, setting.players - 1),
    )


def _check_enough_cards(setting: Setting) -> None:
    """Raise if there are too few cards for the draft and a card below every legion."""
    values = setting.resolved()
    copy = len(setting.deck.cards)
    where = f"with {quantity(setting.players, 'player')}"
    if values["cards_added"] > copy:
        raise PaxsimError(
            f"rules: cards_added must be at most {copy}, the cards in deck {setting.deck.name}, "
            f"got {values['cards_added']}"
        )
    drafts = list(values["draft_sizes"])
    if setting.players == 1:
        drafts = [values["solo_displayed"] + 2]
    if len(drafts) < setting.players:
        raise PaxsimError(
            f"rules: draft_sizes needs {setting.players} numbers {where}, got {len(drafts)}"
        )
    cards = copy + values["cards_added"] - values["cards_removed"]
    cards -= values["rome_hidden"] + values["rome_open"]
    needed = 0
    for seat in range(setting.players):
        needed = max(needed, seat + drafts[seat])
    needed = max(needed, setting.players + values["solo_displayed"] + values["legions"])
    if cards < needed:
        raise PaxsimError(
            f"deck {setting.deck.name} leaves {max(cards, 0)} cards for the draft and the legions; "
            f"at least {needed} are needed {where} "
            "(see draft_sizes, legions, cards_removed, cards_added, rome_hidden)"
        )
    assert cards <= MAX_CARDS
