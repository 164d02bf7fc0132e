"""What the search knows of hidden cards, compared with the board's view and with the truth."""

import itertools
from collections import Counter

import pytest
from conftest import TABLE_NAMES, TABLES
from support import worlds
from support.positions import card as card_of
from support.positions import random_game

import paxsim
from paxsim.board.view import Observer
from paxsim.engine.records import RING


def counters(known):
    """Return the cards that the search has located, and those it has not, as counters."""
    kinds = range(known["kinds"])
    located, unseen = (
        Counter({int(known["card"][k]): int(known[name][k]) for k in kinds if known[name][k]})
        for name in ("located", "unseen")
    )
    return located, unseen


def real_deck(record):
    """Return the slots and the cards of the deck, from its top."""
    table = record["table"]
    slots = [(int(table["deck_top"]) + i) % RING for i in range(table["deck_left"])]
    return slots, [int(record["hidden"]["deck"][slot]) for slot in slots]


def codes(cards):
    """Return a counter of the codes of cards given as texts; unknown cards are left out."""
    return Counter(card_of(text).code for text in cards if text is not None)


def check_knowledge(game, observer, known, perfect=True):
    """Compare what the search knows of the deciding seat with the observer there and the truth."""
    record, setting = game.record, game.setting
    seat = int(record["hidden"]["seat"])
    located, unseen = counters(known)
    rules = setting.resolved()
    copies = 2 if rules["cards_added"] else 1
    assert located + unseen == Counter({k.code: copies * n for k, n in setting.deck.counts.items()})
    slots, deck = real_deck(record)
    in_deck = [int(known["deck"][slot]) for slot in slots]
    unknown_hands = 0
    for rival in set(range(setting.players)) - {seat}:
        theirs = record["seats"][rival]
        hand = Counter(theirs["hand"][: theirs["hand_count"]].tolist())
        in_hand = Counter(known["hand"][rival][: known["hand_count"][rival]].tolist())
        seen = codes(observer.hands[rival + 1])
        assert in_hand <= hand, "a card that is not there"
        assert in_hand == seen if perfect else in_hand <= seen
        unknown_hands += int(theirs["hand_count"]) - in_hand.total()
    assert all(card in (0, truth) for card, truth in zip(in_deck, deck, strict=True))
    if perfect:
        assert in_deck == [text and card_of(text).code or 0 for text in observer.deck]
        shown = [observer.rome, observer.rome_hidden, observer.deck, observer.drawn]
        shown += [*observer.displays.values(), *observer.hands.values(), *observer.legions.values()]
        assert located == codes(itertools.chain(*shown))
    hidden = 0 if record["seats"][seat]["peeked"] else rules["rome_hidden"]
    places = rules["cards_removed"] + hidden + unknown_hands + in_deck.count(0)
    assert known["places"] == places
    out = len(setting.deck.cards) - rules["cards_added"] if copies == 2 else 0
    assert known["out"] == out == unseen.total() - places


def follow(setting, deals, perfect=True):
    """Compare at every decision of random games; return counts of what was compared."""
    counts = Counter()
    workspace = worlds.new_workspace()
    for deal in range(deals):
        observers = [Observer(seat + 1) for seat in range(setting.players)]
        for game, events in random_game(setting, 1, deal):
            for observer, event in itertools.product(observers, events):
                observer.observe(event)
            known = worlds.beliefs_of(workspace, game._address)
            check_knowledge(game, observers[game.seat - 1], known, perfect)
            counts["decisions"] += 1
            counts["own buried"] += any(known["deck"])
            counts["rivals' cards"] += any(known["hand_count"][: setting.players])
            counts["peeked"] += int(game.record["seats"][game.seat - 1]["peeked"])
            counts["view"] += game.decision == "place" and game.choice["drawn_count"] > 1
    return counts


@pytest.mark.parametrize(("players", "level"), TABLES, ids=TABLE_NAMES)
def test_the_search_knows_what_the_board_shows_to_a_seat(players, level):
    counts = follow(paxsim.make_setting(players, solo_level=level), 1 if players > 4 else 2)
    assert counts["decisions"] > 60 and counts["own buried"]
    assert bool(counts["rivals' cards"]) == bool(counts["peeked"]) == (players > 1)


VARIANTS = {
    "one legion, no Rome at the start": {"legions": 1, "rome_hidden": 0, "rome_open": 0},
    "many legions": {"legions": 12, "cards_removed": 0},
    "rich": {"starting_money": 40, "basic_income": 5, "discount_step": 1},
    "reactions": {"reactions": True, "reaction_price": 0, "reactions_before_income": True},
    "two in view": {"religion_two": 0},
    "three in view": {"religion_two": 0, "religion_three": 0},
    "never together": {"religion_two": 99, "religion_three": 99},
    "whole second copy": {"cards_removed": 0, "cards_added": 74},
    "a second copy in part, some removed": {"cards_removed": 20, "cards_added": 20},
    "one card of a second copy": {"cards_removed": 0, "cards_added": 1},
    "drafts of one": {"draft_sizes": [1] * 8},
    "large drafts": {"draft_sizes": [6] * 8},
    "large drafts, order chosen": {"draft_sizes": [6] * 8, "draft_to_bottom": "chosen"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_search_knows_what_the_board_shows_under_other_rules(variant):
    for players in (2, 5):
        assert follow(paxsim.make_setting(players, rules=VARIANTS[variant]), 1)["decisions"] > 25
    solo = paxsim.make_setting(solo_level=4, rules=VARIANTS[variant])
    counts = follow(solo, 3)
    assert counts["decisions"] > 30 and (counts["view"] or "in view" not in variant)


def test_in_a_small_deck_buried_cards_come_round_again_and_are_followed():
    """Ten cards for two: what is drafted and buried is drawn, moved and buried again."""
    kinds = [paxsim.Card(category, 1, value) for category in paxsim.CATEGORIES for value in (0, 3)]
    deck = paxsim.Deck(name="small", cards=tuple(sorted(kinds)))
    rules = {"cards_removed": 0, "rome_hidden": 1, "religion_two": 99, "religion_three": 99}
    setting = paxsim.make_setting(2, deck=deck, rules={**rules, "draft_sizes": [5, 5]})
    assert follow(setting, 60)["rivals' cards"] > 200


def test_in_the_largest_decks_a_seat_forgets_old_draws_but_is_never_wrong():
    """With 240 cards there are more places than in the ring, so draws of long ago are forgotten."""
    cards = [paxsim.Card(c, s, v) for c in paxsim.CATEGORIES for s in (1, 2) for v in range(9)]
    deck = paxsim.Deck(name="large", cards=tuple(sorted(cards[:120])))
    copy = len(deck.cards)
    for players in (2, 4):
        rules = {"cards_removed": 0, "cards_added": copy, "religion_two": 99, "religion_three": 99}
        setting = paxsim.make_setting(players, deck=deck, rules=rules)
        assert follow(setting, 1, perfect=False)["decisions"] > 200
