"""Traces: one game as JSON Lines, all that is needed to replay it on a table.

The engine's event log says what happened between two decisions; this module puts it into words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from paxsim.cards import CATEGORIES, Card
from paxsim.engine import events
from paxsim.engine.records import NOBODY, TO_BOTTOM, TO_HAND, log_dtype
from paxsim.game import Game, walk
from paxsim.lineup import Lineup
from paxsim.setting import Setting, check_numbers

VERSION = 1


def trace_game(
    setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int
) -> Iterator[dict[str, Any]]:
    """Play one game and yield its events in the trace format.

    Parameters
    ----------
    setting, lineup
        See `paxsim.make_setting` and `paxsim.make_lineup`.
    seed, deal, rotation : int
        Which game.
    """
    seed, deal, rotation = check_numbers(setting, seed, deal, rotation)
    log = np.zeros(1, log_dtype)
    log[0]["on"] = 1
    teller = _Teller(setting, lineup, seed, deal, rotation)
    for game in walk(setting, lineup, seed, deal, rotation, log):
        yield from teller.tell(log[0])
        if game.over:
            yield _score_event(game)


def trace_lines(
    setting: Setting, lineup: Lineup, seed: int, first_deal: int, games: int, rotation: int
) -> Iterator[str]:
    """Traces of several deals, one JSON text a line."""
    for deal in range(first_deal, first_deal + games):
        for event in trace_game(setting, lineup, seed, deal, rotation):
            yield json.dumps(event)


class _Teller:
    """Turns the numbers of the event log into the events of a trace."""

    def __init__(self, setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int):
        self.setting = setting
        self.lineup = lineup
        self.seed, self.deal, self.rotation = seed, deal, rotation
        self.draft: dict[str, Any] | None = None
        # Primus conspiratus may move while a solo draft goes on; it is told after the draft.
        self.held_back: list[dict[str, Any]] = []

    def tell(self, log: np.void) -> Iterator[dict[str, Any]]:
        """The events in the log, which is emptied."""
        words = iter(log["words"][: log["used"]].tolist())
        log["used"] = 0
        for code in words:
            numbers = (next(words), next(words), next(words))
            yield from _TELLERS[code](self, numbers, words)

    def setup(self, _numbers, words):
        setting = self.setting
        removed, hidden, opened, deck = (_cards(words) for _ in range(4))
        yield {
            "event": "setup",
            "version": VERSION,
            "players": setting.players,
            "solo_level": setting.solo_level,
            "seed": self.seed,
            "game": {"deal": self.deal, "rotation": self.rotation},
            "policies": self.lineup.at_seats(self.rotation),
            "deck_name": setting.deck.name,
            "deck_fingerprint": setting.deck.fingerprint,
            "rules": setting.rules.changed_for(setting.players),
            "legions": setting.resolved()["legions"],
            "removed": removed,
            "rome_hidden": hidden,
            "rome_open": opened,
            "deck": deck,
        }

    def drawn(self, numbers, words):
        self.draft = {"event": "draft", "seat": numbers[0] + 1, "drawn": _cards(words)}
        yield from ()

    def shown(self, numbers, _words):
        self.draft.setdefault("displayed", []).append(_card(numbers[1]))
        yield from ()

    def kept(self, numbers, words):
        yield {**self.draft, "kept": _card(numbers[1]), "bottom": _cards(words)}
        yield from self.held_back
        self.draft, self.held_back = None, []

    def refill(self, numbers, words):
        cards = [[next(words) + 1, _card(next(words))] for _ in range(numbers[0])]
        yield {"event": "refill", "cards": cards}

    def round(self, numbers, _words):
        yield {"event": "round", "round": numbers[0], "start": numbers[1] + 1}

    def peek(self, numbers, words):
        yield {
            "event": "peek",
            "seat": numbers[0] + 1,
            "seen": _cards(words),
            "money": numbers[1],
        }

    def reveal(self, numbers, words):
        yield {"event": "reveal", "seat": numbers[0] + 1, "cards": _cards(words)}

    def place(self, numbers, _words):
        seat, card, place = numbers
        event = {"event": "place", "seat": seat + 1, "card": _card(card)}
        if place == TO_HAND:
            yield {**event, "to": "hand"}
        elif place == TO_BOTTOM:
            yield {**event, "to": "bottom"}
        else:
            yield {**event, "to": "legion", "legion": place + 1}

    def compensation(self, numbers, _words):
        yield _money_event("compensation", numbers)

    def income(self, numbers, _words):
        yield _money_event("income", numbers)

    def buy(self, numbers, words):
        seat, legion, price = numbers
        money = next(words)
        yield {
            "event": "buy",
            "seat": seat + 1,
            "legion": legion + 1,
            "cards": _cards(words),
            "price": price,
            "money": money,
        }

    def play(self, numbers, words):
        yield _card_event("play", numbers, words)

    def react(self, numbers, words):
        yield _card_event("react", numbers, words)

    def primus(self, numbers, _words):
        seat, holder = numbers[:2]
        event = {
            "event": "primus",
            "seat": seat + 1,
            "from": None if holder == NOBODY else holder + 1,
        }
        if self.draft is None:
            yield event
        else:
            self.held_back.append(event)

    def rome_takes(self, numbers, words):
        yield {
            "event": "rome_takes",
            "legion": numbers[0] + 1,
            "cards": _cards(words),
            "value": numbers[1],
        }

    def end(self, numbers, _words):
        rounds, deck_left, empty = numbers
        yield {"event": "end", "rounds": rounds, "deck_left": deck_left, "empty_legions": empty}


_TELLERS = {
    events.SETUP: _Teller.setup,
    events.DRAWN: _Teller.drawn,
    events.SHOWN: _Teller.shown,
    events.KEPT: _Teller.kept,
    events.REFILL: _Teller.refill,
    events.ROUND: _Teller.round,
    events.PEEKED: _Teller.peek,
    events.REVEAL: _Teller.reveal,
    events.PLACED: _Teller.place,
    events.COMPENSATION: _Teller.compensation,
    events.BOUGHT: _Teller.buy,
    events.PLAYED: _Teller.play,
    events.PRIMUS: _Teller.primus,
    events.INCOME: _Teller.income,
    events.REACTED: _Teller.react,
    events.ROME_TAKES: _Teller.rome_takes,
    events.END: _Teller.end,
}


def _card(code: int) -> str:
    return str(Card.from_code(code))


def _cards(words: Iterator[int]) -> list[str]:
    """A list of cards, which the log holds as its length and the cards."""
    return [_card(next(words)) for _ in range(next(words))]


def _money_event(name: str, numbers: tuple[int, int, int]) -> dict[str, Any]:
    seat, aurei, money = numbers
    return {"event": name, "seat": seat + 1, "aurei": aurei, "money": money}


def _card_event(name: str, numbers: tuple[int, int, int], words: Iterator[int]) -> dict[str, Any]:
    seat, card, price = numbers
    return {
        "event": name,
        "seat": seat + 1,
        "card": _card(card),
        "price": price,
        "money": next(words),
    }


def _symbols(numbers: np.ndarray) -> dict[str, int]:
    return {category: int(numbers[i]) for i, category in enumerate(CATEGORIES)}


def _score_event(game: Game) -> dict[str, Any]:
    """The last line of a trace."""
    result = game.result()
    seats = range(game.setting.players)
    shares = result["shares"][: len(seats)].tolist()
    event = {
        "event": "score",
        "rome": _symbols(result["rome_symbols"]),
        "players": [_player_score(game, result, seat) for seat in seats],
        "primus": int(result["primus"]) + 1 or None,
        "rome_categories": int(result["rome_categories"]),
        "rome_wins": bool(result["rome_wins"]),
        "winners": [seat + 1 for seat in seats if shares[seat] > 0],
        "shares": shares,
    }
    if game.setting.solo_level:
        event["solo_won"] = not event["rome_wins"]
    return event


def _player_score(game: Game, result: np.void, seat: int) -> dict[str, Any]:
    parts = ("categories", "stronger", "fleet_army", "primus", "wealthiest")
    points = {part: int(result[f"points_{part}"][seat]) for part in parts}
    return {
        "seat": seat + 1,
        "symbols": _symbols(result["symbols"][seat]),
        "money": int(result["money"][seat]),
        "hand": game.state()["seats"][seat]["hand"],
        "points": {**points, "total": int(result["points"][seat])},
    }
