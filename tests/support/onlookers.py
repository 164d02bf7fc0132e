"""What every seat can be sure of, the slow and obvious way: somebody sits there and looks on.

A game is played step by step with its log. Each onlooker sees what a player at that seat sees,
keeps the deck as a list of cards known or not, and forgets nothing. Of cards that a rival draws
together an onlooker loses sight.
"""

from collections import Counter

import numpy as np

from paxsim.engine import events
from paxsim.engine.loop import play_logged, progress_dtype, take_seats
from paxsim.engine.records import (
    TO_BOTTOM,
    TO_HAND,
    address_of,
    game_dtype,
    log_dtype,
    result_dtype,
)
from paxsim.engine.rng import seat_keys

UNKNOWN = None


class Onlooker:
    """One seat's eyes and memory."""

    def __init__(self, seat, players):
        self.seat = seat
        self.deck = []
        self.hand = Counter()
        self.rivals = {rival: Counter() for rival in range(players) if rival != seat}
        self.view = Counter()
        self.followed = UNKNOWN  # the card that somebody has drawn alone
        self.peeked = Counter()

    def located(self, on_table):
        """All cards that this seat can place."""
        known = Counter(card for card in self.deck if card is not UNKNOWN)
        return sum(self.rivals.values(), on_table + self.hand + self.view + self.peeked + known)


class Table:
    """A table with an onlooker at every seat; it is told what happens, word by word."""

    def __init__(self, players):
        self.onlookers = [Onlooker(seat, players) for seat in range(players)]
        self.on_table = Counter()  # displays, legions, Rome's open cards
        self.in_view = 0

    def tell(self, words):
        """Let something happen: the words of one step."""
        groups = []
        for word in words:
            code, place = word & 0xFF, word >> events.PLACE_SHIFT & 0xFF
            card, number = word >> events.CARD_SHIFT & 0xFFFF, word >> events.NUMBER_SHIFT
            if code == events.CARD:
                groups[-1][-1].append(card)
            else:
                groups.append((code, place, card, number, []))
        for code, place, card, number, cards in groups:
            happens = HAPPENINGS.get(code)
            if happens:
                happens(self, place, card, number, cards)

    def _open(self, cards):
        self.on_table.update(cards)

    def rome_open(self, _place, _card, _number, cards):
        self._open(cards)

    def deck(self, _place, _card, _number, cards):
        for one in self.onlookers:
            one.deck = [UNKNOWN] * len(cards)

    def draft(self, seat, _card, _number, cards):
        self.drafting = seat
        for one in self.onlookers:
            del one.deck[: len(cards)]
        self.onlookers[seat].view.update(cards)

    def shown(self, _place, card, _number, _cards):
        self.onlookers[self.drafting].view[card] -= 1
        self._open([card])

    def kept(self, _place, card, _number, others):
        me = self.onlookers[self.drafting]
        me.hand[card] += 1
        me.view.clear()
        for one in self.onlookers:
            one.deck += others if one is me else [UNKNOWN] * len(others)

    def refilled(self, _place, card, _legion, _cards):
        for one in self.onlookers:
            del one.deck[0]
        self._open([card])

    def peek(self, seat, _card, _number, cards):
        self.onlookers[seat].peeked = Counter(cards)

    def reveal(self, seat, _card, _number, cards):
        alone = self.in_view == 0 and len(cards) == 1
        for one in self.onlookers:
            one.followed = one.deck[0] if alone else UNKNOWN
            del one.deck[: len(cards)]
        self.onlookers[seat].view.update(cards)
        self.in_view += len(cards)

    def place(self, seat, card, to, _cards):
        me = self.onlookers[seat]
        me.view[card] -= 1
        self.in_view -= 1
        if to == TO_HAND:
            me.hand[card] += 1
        elif to == TO_BOTTOM:
            for one in self.onlookers:
                one.deck.append(card if one is me else one.followed)
        else:
            self._open([card])
        if to == TO_HAND:
            for one in self.onlookers:
                if one is not me and one.followed is not UNKNOWN:
                    one.rivals[seat][one.followed] += 1

    def buy(self, seat, _card, _legion, cards):
        self.on_table.subtract(cards)
        for one in self.onlookers:
            (one.hand if one.seat == seat else one.rivals[seat]).update(cards)

    def play(self, seat, card, _price, _cards):
        self._open([card])
        for one in self.onlookers:
            if one.seat == seat:
                one.hand[card] -= 1
            elif one.rivals[seat][card]:
                one.rivals[seat][card] -= 1


HAPPENINGS = {
    events.ROME_OPEN: Table.rome_open,
    events.DECK: Table.deck,
    events.DRAFT: Table.draft,
    events.SHOWN: Table.shown,
    events.KEPT: Table.kept,
    events.REFILLED: Table.refilled,
    events.PEEK: Table.peek,
    events.REVEAL: Table.reveal,
    events.PLACE: Table.place,
    events.BUY: Table.buy,
    events.PLAY: Table.play,
    events.REACT: Table.play,
}


def look_on(setting, lineup, seed, deal, rotation=0):
    """Play a game; yield record, onlookers and address at each decision after an event."""
    game, result = setting.new_game(), np.zeros(1, result_dtype)
    log, progress = np.zeros(1, log_dtype), np.zeros(1, progress_dtype)
    log[0]["full"] = 1  # so that the engine stops after everything that happens
    progress[0]["deal"] = deal - 1
    places = [address_of(part) for part in (game, log, result, progress)]
    take_seats(places[0], lineup.addresses(), lineup.contexts().params, rotation, places[3])
    record = game.view(game_dtype)[0]
    table = Table(setting.players)
    while play_logged(*places, seat_keys(seed), seed, deal):
        table.tell(log[0]["words"][: log[0]["used"]].tolist())
        if record["choices"][record["hidden"]["seat"]]["count"]:
            yield record, table, places[0]
