"""A game step by step: list the options, apply one, copy the game and continue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paxsim.cards import CATEGORIES, DEFAULT_DECK, Card, Deck
from paxsim.engine.loop import (
    NO_SUCH_OPTION,
    apply_option,
    ask_policy,
    progress_dtype,
    score_game,
    start_game,
    take_seats,
)
from paxsim.engine.records import (
    BUY,
    DECISIONS,
    DISPLAY,
    KEEP,
    OVER,
    PLACE,
    PLAY,
    RING,
    TO_BOTTOM,
    TO_HAND,
    TURN,
    Fields,
    address_of,
    game_dtype,
    result_dtype,
)
from paxsim.engine.rng import seat_keys
from paxsim.errors import PaxsimError, checked_int
from paxsim.io import html_table
from paxsim.lineup import Lineup, PolicyContexts
from paxsim.playing import ask_all
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER, Setting, check_numbers, make_setting
from paxsim.text import in_lines

GAME_OVER = "the game is already over"


class Option(NamedTuple):
    """Legal option of a decision.

    Attributes
    ----------
    action : str
        ``display``, ``keep``, ``turn``, ``peek``, ``place``, ``buy``, ``play``, ``react``,
        ``stop`` or ``pass``.
    card : Card or None
        The card concerned.
    to : str or int or None
        ``"hand"``, ``"bottom"``, or a legion from 1.

    Examples
    --------
    >>> import paxsim
    >>> print(paxsim.Option("place", paxsim.Card("land", 1, 2), 3))
    place land/1/2 legion 3
    """

    action: str
    card: Card | None = None
    to: str | int | None = None

    def __str__(self) -> str:
        words = [self.action]
        if self.card is not None:
            words.append(str(self.card))
        if isinstance(self.to, int):
            words.append(f"legion {self.to}")
        elif self.to is not None:
            words.append(f"to {self.to}")
        return " ".join(words)


#: Options of a decision that a notebook shows.
_SHOWN = 12


class Game:
    """Game that stops at every decision.

    Parameters
    ----------
    players : int, optional
        1 (solo) to 8 (default: 4).
    seed, deal, rotation : int
        Determine the deal and the random streams of the seats.
    solo_level, deck, rules
        See `paxsim.make_setting`.

    Examples
    --------
    >>> import paxsim
    >>> game = paxsim.Game(players=2, seed=3)
    >>> game.decision, game.seat, len(game.options())
    ('keep', 1, 2)
    >>> other = game.copy()
    >>> while not game.over:
    ...     game.apply(0)
    >>> other.decision
    'keep'
    """

    _contexts: PolicyContexts | None = None

    def __init__(
        self,
        players: int | None = None,
        *,
        seed: int = 0,
        deal: int = 0,
        rotation: int = 0,
        solo_level: int | None = None,
        deck: str | Path | Deck = DEFAULT_DECK,
        rules: str | Path | dict[str, Any] | Rules | None = None,
    ):
        setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
        numbers = check_numbers(setting, seed, deal, rotation)
        self._begin(setting, *numbers)

    def __repr__(self) -> str:
        return in_lines(self._summary())

    def _summary(self) -> str:
        where = f"players {self.setting.players}, deck {self.setting.deck.name}"
        options = self.choice["count"]
        state = f"seat {self.seat} decides {self.decision!r}, {options} options"
        return f"Game, {where}, round {self.table['round']}: {'over' if self.over else state}"

    def _repr_html_(self) -> str:
        table = self.table
        rows = [
            (f"seat {seat + 1}", table["money"][seat], table["hand_size"][seat],
             *_by_category(table["symbols"][seat]).values())
            for seat in range(self.setting.players)
        ]  # fmt: skip
        rows.append(("Rome", "", "", *_by_category(table["rome_symbols"]).values()))
        options = self.options()
        listed = "; ".join(f"{index} {option}" for index, option in enumerate(options[:_SHOWN]))
        more = f"; and {len(options) - _SHOWN} more" if len(options) > _SHOWN else ""
        caption = f"{self._summary()}{f': {listed}{more}' if options else ''}."
        return html_table(("player", "money", "hand", *CATEGORIES), rows, caption)

    def _begin(self, setting: Setting, seed: int, deal: int, rotation: int) -> None:
        self.setting = setting
        self._hold(setting.new_game())
        start_game(self._address, seat_keys(seed), seed, deal, rotation)

    def _hold(self, game: np.ndarray) -> None:
        self._bytes = game  # NumPy copies bytes thirty times as fast as a record
        self._address = address_of(self._bytes)

    @classmethod
    def of_setting(cls, setting: Setting, seed: int, deal: int, rotation: int) -> Game:
        """Start a game of a checked setting with checked numbers."""
        game = cls.__new__(cls)
        game._begin(setting, seed, deal, rotation)
        return game

    @property
    def record(self) -> np.void:
        """Record of the game (``paxsim.engine.records.game_dtype``)."""
        return self._bytes.view(game_dtype)[0]

    @property
    def over(self) -> bool:
        """True at the end of the game."""
        return bool(self.record["hidden"]["decision"] == OVER)

    @property
    def decision(self) -> str:
        """Kind of the current decision, ``"over"`` at the end."""
        return DECISIONS[self.record["hidden"]["decision"]]

    @property
    def seat(self) -> int:
        """Seat that decides, from 1."""
        return int(self.record["hidden"]["seat"]) + 1

    def _fields(self, name: str) -> np.ndarray:
        """Return one of the game's records, or those of all seats, as `Fields`."""
        records = self._bytes.view(game_dtype)[name]
        return records.view(np.dtype((Fields, records.dtype))).reshape(-1)

    @property
    def table(self) -> Fields:
        """Public table that every policy receives: ``table.round``, ``table["round"]``."""
        return self._fields("table")[0]

    @property
    def me(self) -> Fields:
        """Record of the deciding seat that its policy receives."""
        return self._fields("seats")[self.seat - 1]

    @property
    def choice(self) -> Fields:
        """Choice record that the deciding seat's policy receives."""
        return self._fields("choices")[self.seat - 1]

    def options(self) -> list[Option]:
        """Return the legal options in the order of their indices; empty at the end.

        Examples
        --------
        >>> import paxsim
        >>> [str(option) for option in paxsim.Game(2, seed=3).options()]
        ['keep land/2/3', 'keep army/1/1']
        """
        if self.over:
            return []
        return [self._option(index) for index in range(self.choice["count"])]

    def _option(self, index: int) -> Option:
        kind, choice = int(self.choice["kind"]), self.choice
        name = DECISIONS[kind]
        if kind in (DISPLAY, KEEP):
            return Option(name, _card(choice["drawn"][index]))
        if kind == TURN:
            return Option(("turn", "peek")[index])
        if kind == PLACE:
            card, place = divmod(index, int(choice["places"]))
            to = _place_name(int(choice["options"][place]))
            return Option(name, _card(choice["drawn"][card]), to)
        if index == choice["count"] - 1:
            return Option("stop" if kind == PLAY else "pass")
        chosen = int(choice["options"][index])
        if kind == BUY:
            return Option(name, to=chosen + 1)
        return Option(name, _card(self.record["seats"][self.seat - 1]["hand"][chosen]))

    def apply(self, option: int | Option) -> None:
        """Apply an option, given by itself or its index, and continue to the next decision.

        Parameters
        ----------
        option : int or Option
            One of `options`, or its index.

        Raises
        ------
        PaxsimError
            If there is no such option.
        """
        if type(option) is not int:  # the most common type is the fastest
            option = self._index_of(option)
        try:
            done = apply_option(self._address, option)
        except OverflowError:
            done = NO_SUCH_OPTION
        if done == NO_SUCH_OPTION:
            if self.over:
                raise PaxsimError(GAME_OVER)
            checked_int("option", option, 0, int(self.choice["count"]) - 1)

    def _index_of(self, option: Any) -> int:
        """Return the index of an option of the current decision."""
        if not isinstance(option, Option):
            most = MAX_NUMBER if self.over else int(self.choice["count"]) - 1
            return checked_int("option", option, 0, most)
        options = self.options()
        if option not in options:
            if not options:
                raise PaxsimError(GAME_OVER)
            raise PaxsimError(f"option must be one of {', '.join(map(str, options))}, got {option}")
        return options.index(option)

    def take_seats(self, lineup: Lineup, rotation: int, progress: np.ndarray) -> PolicyContexts:
        """Seat the policies of a line-up and return their contexts; see `walk`."""
        self._contexts = lineup.contexts()  # must live as long as the game
        seats = (lineup.addresses, self._contexts.params, rotation)
        take_seats(self._address, *seats, address_of(progress))
        return self._contexts

    def copy(self) -> Game:
        """Return an independent copy."""
        other = type(self).__new__(type(self))
        other.setting = self.setting
        other._hold(self._bytes.copy())
        other._contexts = self._contexts
        return other

    def __copy__(self) -> Game:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but addresses, which are different in a copy."""
        return {k: v for k, v in vars(self).items() if k not in ("_address", "_contexts")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._hold(self._bytes)

    def result(self) -> Fields:
        """Return the result record of a finished game: ``result.shares``, ``result["shares"]``.

        Raises
        ------
        PaxsimError
            If the game is not over.

        Examples
        --------
        >>> import paxsim
        >>> game = paxsim.Game(2, seed=3)
        >>> while not game.over:
        ...     game.apply(0)
        >>> game.result().points[:2].tolist()
        [25, 24]
        """
        if not self.over:
            raise PaxsimError(f"the game is not over: seat {self.seat} decides {self.decision!r}")
        return self.score()

    def score(self) -> Fields:
        """Return the result record as if the game ended now."""
        results = np.zeros(1, result_dtype)
        score_game(self._address, address_of(results))
        return results.view(np.dtype((Fields, result_dtype)))[0]

    def state(self) -> dict[str, Any]:
        """Return everything on and off the table in words, hidden cards included."""
        table, hidden = self.record["table"], self.record["hidden"]
        legions = range(self.setting.resolved()["legions"])
        deck = [hidden["deck"][(table["deck_top"] + i) % RING] for i in range(table["deck_left"])]
        hidden_count = self.setting.resolved()["rome_hidden"]
        return {
            "players": self.setting.players,
            "round": int(table["round"]),
            "start": int(table["start"]) + 1,
            "primus": int(table["primus"]) + 1 or None,
            "deck": _names(deck),
            "legions": [
                _names(table["legion_cards"][i][: table["legion_size"][i]]) for i in legions
            ],
            "rome_hidden": _names(hidden["rome_hidden"][:hidden_count]),
            "rome_cards": _by_category(table["rome_cards"]),
            "rome_symbols": _by_category(table["rome_symbols"]),
            "seats": [self._seat_state(seat) for seat in range(self.setting.players)],
        }

    def _seat_state(self, seat: int) -> dict[str, Any]:
        me, table = self.record["seats"][seat], self.record["table"]
        return {
            "money": int(me["money"]),
            "hand": _names(me["hand"][: me["hand_count"]]),
            "cards": _by_category(table["cards"][seat]),
            "symbols": _by_category(table["symbols"][seat]),
            "peeked": bool(me["peeked"]),
        }


def walk(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> Iterator[Game]:
    """Play a game with a line-up, stopping before the first decision and after every decision.

    The same object is yielded each time, one decision further.
    """
    game, ask = _seated(setting, lineup, seed, deal, rotation)
    yield game
    while not game.over:
        game.apply(ask())
        yield game


def decisions(
    setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int
) -> Iterator[tuple[Game, int]]:
    """Play a game with a line-up; yield it before each decision with the option chosen then."""
    game, ask = _seated(setting, lineup, seed, deal, rotation)
    while not game.over:
        option = ask()
        yield game, option
        game.apply(option)


def _seated(
    setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int
) -> tuple[Game, Callable[[], int]]:
    """Return a game with its line-up seated, and a function that asks the deciding policy."""
    seed, deal, rotation = check_numbers(setting, seed, deal, rotation)
    game = Game.of_setting(setting, seed, deal, rotation)
    progress = np.zeros(1, progress_dtype)
    progress["deal"] = deal
    contexts = game.take_seats(lineup, rotation, progress)
    arguments = (game._address, address_of(progress))

    def ask() -> int:
        return ask_all(ask_policy, arguments, setting, lineup, contexts, seed, progress[0])

    return game, ask


def _card(code: Any) -> Card:
    return Card.from_code(int(code))


def _names(codes: Any) -> list[str]:
    return [str(_card(code)) for code in codes]


def _by_category(numbers: np.ndarray) -> dict[str, int]:
    return {category: int(numbers[i]) for i, category in enumerate(CATEGORIES)}


def _place_name(place: int) -> str | int:
    return {TO_HAND: "hand", TO_BOTTOM: "bottom"}.get(place, place + 1)
