"""Traces: every event of games as JSON Lines.

Compiled code logs what happens (`paxsim.engine.events`); this module has the text for each word of
that log.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.cards import CATEGORIES, DEFAULT_DECK, Card, Deck
from paxsim.engine import events
from paxsim.engine.loop import DEAL, play_logged, progress_dtype, step_logged, take_seats
from paxsim.engine.records import (
    LARGEST_STEP,
    LOG_SIZE,
    NOBODY,
    TO_BOTTOM,
    TO_HAND,
    address_of,
    log_dtype,
    result_dtype,
)
from paxsim.engine.rng import seat_keys
from paxsim.engine.steps import ONLY
from paxsim.errors import PaxsimError, checked_int
from paxsim.game import GAME_OVER, Game, Option
from paxsim.lineup import Lineup
from paxsim.playing import LineupLike, PolicyError, ask_all, prepare
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER, Setting, check_numbers

VERSION = 1

#: Words of the log after which it is converted to text: about eight games of four players.
FULL = LOG_SIZE - LARGEST_STEP
#: Number of cached texts; a thousand games of one line-up need about two thousand.
_MAX_TEXTS = 100_000


def trace_game(
    setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int
) -> Iterator[dict[str, Any]]:
    """Play one game and yield its events.

    Parameters
    ----------
    setting, lineup
        See `paxsim.make_setting` and `paxsim.make_lineup`.
    seed, deal, rotation : int
        Numbers of the game.

    Yields
    ------
    dict
        An event, from ``setup`` to ``score``.

    Raises
    ------
    PolicyError
        If a policy fails, after the last event before that.

    Examples
    --------
    >>> import paxsim
    >>> setting, lineup = paxsim.make_setting(2), paxsim.make_lineup("random,first", 2)
    >>> [event["event"] for event in paxsim.trace.trace_game(setting, lineup, 1, 0, 0)][:3]
    ['setup', 'draft', 'draft']
    """
    return map(json.loads, trace_lines(setting, lineup, seed, deal, 1, rotation))


def trace_games(
    policies: LineupLike,
    players: int | None = None,
    *,
    games: int = 1,
    seed: int = 0,
    deal: int = 0,
    rotation: int = 0,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
) -> Iterator[dict[str, Any]]:
    """Play consecutive deals and yield every event, hidden cards included.

    Parameters
    ----------
    policies, players, seed, rotation, solo_level, deck, rules
        See `paxsim.play`.
    games : int
        Number of deals.
    deal : int
        Number of the first deal.

    Yields
    ------
    dict
        An event; each game has events from ``setup`` to ``score``.

    Raises
    ------
    PolicyError
        If a policy fails, after the last event before that.

    Examples
    --------
    >>> import paxsim
    >>> events = list(paxsim.trace_games("random,first", games=2, seed=1))
    >>> [event["game"]["deal"] for event in events if event["event"] == "setup"]
    [0, 1]
    """
    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    games = checked_int("games", games, 1, MAX_NUMBER)
    checked_int("deal", deal, 0, MAX_NUMBER - games)
    return map(json.loads, trace_lines(setting, lineup, seed, deal, games, rotation))


def trace_lines(
    setting: Setting, lineup: Lineup, seed: int, first_deal: int, games: int, rotation: int
) -> Iterator[str]:
    """Yield traces of several deals, line by line."""
    for text in trace_texts(setting, lineup, seed, first_deal, games, rotation):
        yield from text.splitlines()


def trace_texts(
    setting: Setting, lineup: Lineup, seed: int, first_deal: int, games: int, rotation: int
) -> Iterator[str]:
    """Yield traces of several deals in pieces of whole lines.

    A `PolicyError` is raised after the last line before it.
    """
    seed, first_deal, rotation = check_numbers(setting, seed, first_deal, rotation)
    writer = _Writer(setting, lineup.at_seats(rotation), seed, first_deal, rotation)
    for words in _logged(setting, lineup, seed, first_deal, games, rotation):
        text = writer.write(words)
        if text:  # empty if no line is complete yet
            yield text


def _logged(
    setting: Setting, lineup: Lineup, seed: int, first_deal: int, games: int, rotation: int
) -> Iterator[list[int]]:
    """Play deals and yield the log whenever it is full, and at the end."""
    game, result = setting.new_game(), np.zeros(1, result_dtype)
    log, progress = np.zeros(1, log_dtype), np.zeros(1, progress_dtype)
    log[0]["full"] = FULL
    progress[0]["deal"] = first_deal - 1
    contexts = lineup.contexts()
    seats = (lineup.addresses, contexts.params, rotation)
    take_seats(address_of(game), *seats, address_of(progress))
    arguments = (
        *map(address_of, (game, log, result, progress)),
        seat_keys(seed),
        seed,
        first_deal + games - 1,
    )
    failure: PolicyError | None = None
    more = True
    while more:
        try:
            more = ask_all(play_logged, arguments, setting, lineup, contexts, seed, progress[0])
        except PolicyError as error:
            failure, more = error, False
        yield _words(log)
    if failure is not None:
        raise failure


class TracedGame(Game):
    """Game that stops at every decision and has a trace of what has happened so far.

    Parameters
    ----------
    setting : Setting
        What is played.
    policies : list of str
        Names of the players in the trace, in seat order.
    seed, deal, rotation : int
        Numbers of the game.

    Attributes
    ----------
    events : list of dict
        The trace up to the current decision. A draft is added once its seat has decided.
    """

    def __init__(self, setting: Setting, policies: list[str], seed: int, deal: int, rotation: int):
        seed, deal, rotation = check_numbers(setting, seed, deal, rotation)
        self.setting = setting
        self.events: list[dict[str, Any]] = []
        self._writer = _Writer(setting, policies, seed, deal, rotation)
        self._numbers = (seat_keys(seed), seed, deal, rotation)
        self._hold(setting.new_game())
        self._step(DEAL)

    def apply(self, option: int | Option) -> None:
        """Apply an option, given by itself or its index, and continue to the next decision."""
        if self.over:
            raise PaxsimError(GAME_OVER)
        if isinstance(option, Option):
            option = self._index_of(option)
        self._step(checked_int("option", option, 0, int(self.choice["count"]) - 1))

    def copy(self) -> TracedGame:
        """Return an independent copy."""
        other = super().copy()
        assert isinstance(other, TracedGame)
        other.events = list(self.events)
        other._writer = copy.copy(self._writer)
        other._numbers = self._numbers
        return other

    def _step(self, option: int) -> None:
        """Deal, or apply an option, and record what happens up to the next decision."""
        log, result = np.zeros(1, log_dtype), np.zeros(1, result_dtype)
        log[0]["full"] = FULL
        places = (self._address, address_of(log), address_of(result), *self._numbers)
        options = 1
        while options == 1:
            options = step_logged(*places, option)
            option = ONLY
            self.events += map(json.loads, self._writer.write(_words(log)).splitlines())


def _words(log: np.ndarray) -> list[int]:
    """Return the words of a log."""
    return log[0]["words"][: log[0]["used"]].tolist()


class _Writer:
    """Converter of the log of consecutive deals to text."""

    def __init__(self, setting: Setting, policies: list[str], seed: int, deal: int, rotation: int):
        self._deal = deal
        self._before_deal = _start(
            event="setup",
            version=VERSION,
            players=setting.players,
            solo_level=setting.solo_level,
            seed=seed,
        )
        self._after_deal = _more(
            policies=policies,
            deck_name=setting.deck.name,
            deck_fingerprint=setting.deck.fingerprint,
            rules=setting.rules.changed_for(setting.players),
            legions=setting.resolved()["legions"],
        )
        self._rotation = rotation
        #: The incomplete line at the end of the log.
        self._rest = ""

    def write(self, words: list[int]) -> str:
        """Return the text of the log up to its last complete line."""
        if len(_texts) > _MAX_TEXTS:
            _texts.clear()
        first, *deals = "".join(map(_texts.__getitem__, words)).split(_SETUP)
        parts = [self._rest, first]
        for deal in deals:
            parts += (self._setup(), deal)
        text, _, self._rest = "".join(parts).rpartition("\n")
        return text and f"{text}\n"

    def _setup(self) -> str:
        """Return the start of the next deal."""
        game = {"deal": self._deal, "rotation": self._rotation}
        self._deal += 1
        return f'{self._before_deal}{_more(game=game)}{self._after_deal}, "removed": ['


def _start(**fields: Any) -> str:
    """Return the start of a JSON object with some fields."""
    return json.dumps(fields)[:-1]


def _more(**fields: Any) -> str:
    """Return more fields of a JSON object."""
    return f", {json.dumps(fields)[1:-1]}"


def _event(event: str, seat: int, **fields: Any) -> str:
    """Return the start of an event of a seat, which the log counts from 0."""
    return _start(event=event, seat=seat + 1, **fields)


def _listed(place: int, text: str) -> str:
    """Return an item of a list; only the first one has place 0 in the log."""
    return f", {text}" if place else text


def _name(card: int) -> str:
    return f'"{Card.from_code(card)}"'


def _destination(place: int) -> dict[str, Any]:
    """Return the fields that say where a drawn card went."""
    if place == TO_HAND:
        return {"to": "hand"}
    if place == TO_BOTTOM:
        return {"to": "bottom"}
    return {"to": "legion", "legion": place + 1}


#: Placeholder for the start of a deal, which depends on more than the word in the log.
_SETUP = "\0"
_POINTS = ("categories", "stronger", "fleet_army", "primus", "wealthiest", "total")

#: Text of a word of the log, by its code, from its place (a seat, a legion or a place in a list),
#: its card and its number.
_WORDS: dict[int, Callable[[int, int, int], str]] = {
    events.SETUP: lambda *_: _SETUP,
    events.ROME_HIDDEN: lambda *_: '], "rome_hidden": [',
    events.ROME_OPEN: lambda *_: '], "rome_open": [',
    events.DECK: lambda *_: '], "deck": [',
    events.DRAFT: lambda seat, *_: f'{_event("draft", seat)}, "drawn": [',
    events.SHOWN: lambda place, card, _: (
        f", {_name(card)}" if place else f', "displayed": [{_name(card)}'
    ),
    events.KEPT: lambda shown, card, _: (
        f'{"]" if shown else ""}, "kept": {_name(card)}, "bottom": ['
    ),
    events.REFILL: lambda *_: '{"event": "refill", "cards": [',
    events.REFILLED: lambda place, card, legion: _listed(place, f"[{legion + 1}, {_name(card)}]"),
    events.ROUND: lambda start, _, number: (
        json.dumps({"event": "round", "round": number, "start": start + 1}) + "\n"
    ),
    events.PEEK: lambda seat, *_: f'{_event("peek", seat)}, "seen": [',
    events.REVEAL: lambda seat, *_: f'{_event("reveal", seat)}, "cards": [',
    events.PLACE: lambda seat, card, place: (
        _event("place", seat, card=str(Card.from_code(card)), **_destination(place)) + "}\n"
    ),
    events.COMPENSATION: lambda seat, _, aurei: _event("compensation", seat, aurei=aurei),
    events.INCOME: lambda seat, _, aurei: _event("income", seat, aurei=aurei),
    events.BUY: lambda seat, _, legion: f'{_event("buy", seat, legion=legion + 1)}, "cards": [',
    events.PLAY: lambda seat, card, price: _event(
        "play", seat, card=str(Card.from_code(card)), price=price
    ),
    events.REACT: lambda seat, card, price: _event(
        "react", seat, card=str(Card.from_code(card)), price=price
    ),
    events.PRIMUS: lambda seat, _, holder: (
        _event("primus", seat, **{"from": None if holder == NOBODY else holder + 1}) + "}\n"
    ),
    events.ROME_TAKES: lambda legion, *_: (
        f'{_start(event="rome_takes", legion=legion + 1)}, "cards": ['
    ),
    events.END: lambda empty, deck_left, rounds: (
        _start(event="end", rounds=rounds, deck_left=deck_left, empty_legions=empty) + "}\n"
    ),
    events.CARD: lambda place, card, _: _listed(place, _name(card)),
    events.LIST_END: lambda *_: "]",
    events.EVENT_END: lambda *_: "]}\n",
    events.PRICE: lambda _place, _card, price: f'], "price": {price}',
    events.MONEY: lambda _place, _card, money: f', "money": {money}}}\n',
    events.VALUE: lambda _place, _card, value: f'], "value": {value}}}\n',
    events.SCORE: lambda *_: '{"event": "score", "rome": {',
    events.SYMBOLS: lambda category, _, symbols: _listed(
        category, f'"{CATEGORIES[category]}": {symbols}'
    ),
    events.SEATS: lambda *_: '}, "players": [',
    events.SEAT: lambda seat, *_: _listed(seat, f'{_start(seat=seat + 1)}, "symbols": {{'),
    events.HAND: lambda _place, _card, money: f'}}, "money": {money}, "hand": [',
    events.POINTS: lambda part, _, points: (
        ("" if part else '], "points": {') + _listed(part, f'"{_POINTS[part]}": {points}')
    ),
    events.SEAT_END: lambda *_: "}}",
    events.OUTCOME: lambda primus, categories, rome_wins: (
        "]"
        + _more(primus=primus or None, rome_categories=categories, rome_wins=bool(rome_wins))
        + ', "winners": ['
    ),
    events.WINNER: lambda place, _, seat: _listed(place, str(seat + 1)),
    events.SHARES: lambda *_: '], "shares": [',
    events.SHARE: lambda place, _, winners: _listed(place, str(1 / winners if winners else 0.0)),
    events.SCORED: lambda solo, _, won: "]" + (_more(solo_won=bool(won)) if solo else "") + "}\n",
}


class _Texts(dict[int, str]):
    """Cache of the texts of words of the log."""

    def __missing__(self, word: int) -> str:
        place = word >> events.PLACE_SHIFT & 0xFF
        card = word >> events.CARD_SHIFT & 0xFFFF
        text = _WORDS[word & 0xFF](place, card, word >> events.NUMBER_SHIFT)
        self[word] = text
        return text


_texts = _Texts()
