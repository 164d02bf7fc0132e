"""A setting: player count, solo level, deck and rule set, checked together.

The same setting makes the record that the engine plays on and the words with which results say
what they were made with.
"""

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
from paxsim.text import in_lines

#: Seeds and deal numbers are 63-bit.
MAX_NUMBER = 2**63 - 1
#: Players where nothing says how many.
DEFAULT_PLAYERS = 4


@dataclass(frozen=True)
class Setting:
    """What is played, apart from who plays it. Build it with `make_setting`.

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
        """Every rule field with the value in force."""
        return self.rules.resolve(self.players, self.solo_level)

    def new_game(self) -> np.ndarray:
        """An undealt game as bytes, which are copied quickly; ``view(game_dtype)`` shows it."""
        return self._undealt.copy()

    def __getstate__(self) -> dict[str, Any]:
        """What a worker elsewhere is sent: not the undealt game, ten times as much."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _undealt(self) -> np.ndarray:
        """The bytes of an undealt game."""
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
    """
    if players is None:
        players = 1 if solo_level is not None else DEFAULT_PLAYERS
    players = checked_int("players", players, 1, MAX_PLAYERS)
    if solo_level is not None:
        solo_level = checked_int("solo-level", solo_level, SOLO_LEVELS[0], SOLO_LEVELS[-1])
        if players != 1:
            raise PaxsimError(
                f"solo-level: found level {solo_level} with {players} players; allowed: 1 player"
            )
    elif players == 1:
        solo_level = SOLO_LEVELS[0]
    return _checked_setting(players, solo_level, load_deck(deck), load_rules(rules))


def players_meant(policies: int, solo_level: int | None, people: int = 0) -> int | None:
    """How many play where only the number of policies is said; None if nothing follows from it.

    A single policy plays at every seat that people leave free, so it does not say how many there
    are.
    """
    if policies < 2 or solo_level is not None:
        return None
    if policies + people > MAX_PLAYERS:
        beside = f" beside {people} seat{'s' if people > 1 else ''} of people" if people else ""
        raise PaxsimError(
            f"policies: found {policies}; allowed{beside}: at most {max(MAX_PLAYERS - people, 0)}"
        )
    return policies + people


@lru_cache(maxsize=64)
def _checked_setting(players: int, solo_level: int | None, deck: Deck, rules: Rules) -> Setting:
    """The same setting whenever it is asked for: to make one takes longer than a game."""
    setting = Setting(players, solo_level, deck, rules)
    _check_enough_cards(setting)
    return setting


def check_numbers(setting: Setting, seed: int, deal: int, rotation: int) -> tuple[int, int, int]:
    """The numbers that name a game of a setting, besides its line-up; as Python's own numbers."""
    if not isinstance(setting, Setting):
        raise PaxsimError(
            f"setting: found {safe_repr(setting)}; allowed: what make_setting returns"
        )
    return (
        checked_int("seed", seed, 0, MAX_NUMBER),
        checked_int("deal", deal, 0, MAX_NUMBER),
        checked_int("rotation", rotation, 0, setting.players - 1),
    )


def _check_enough_cards(setting: Setting) -> None:
    """The draft and the first card below every legion must be possible."""
    values = setting.resolved()
    copy = len(setting.deck.cards)
    where = f"with {setting.players} player{'s' if setting.players > 1 else ''}"
    if values["cards_added"] > copy:
        raise PaxsimError(
            f"rules: cards_added: found {values['cards_added']}; allowed: at most the {copy} cards "
            f"of a second copy of deck {setting.deck.name}"
        )
    drafts = list(values["draft_sizes"])
    if setting.players == 1:
        drafts = [values["solo_displayed"] + 2]
    if len(drafts) < setting.players:
        raise PaxsimError(
            f"rules: draft_sizes: found {len(drafts)} numbers; allowed {where}: {setting.players}"
        )
    cards = copy + values["cards_added"] - values["cards_removed"]
    cards -= values["rome_hidden"] + values["rome_open"]
    needed = 0
    for seat in range(setting.players):
        needed = max(needed, seat + drafts[seat])
    needed = max(needed, setting.players + values["solo_displayed"] + values["legions"])
    if cards < needed:
        raise PaxsimError(
            f"deck {setting.deck.name}: found {max(cards, 0)} cards for the draft and the legions "
            f"{where}; allowed: at least {needed} "
            "(see draft_sizes, legions, cards_removed, cards_added, rome_hidden)"
        )
    assert cards <= MAX_CARDS
