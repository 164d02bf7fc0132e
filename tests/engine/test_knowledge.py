"""What a seat knows, compared with onlookers who follow every card at every decision."""

from collections import Counter

import pytest
from conftest import TABLE_NAMES, TABLES
from support import worlds
from support.onlookers import UNKNOWN, look_on

import paxsim
from paxsim.engine.records import PLACE, RING


def told(known):
    """What the search has worked out, as plain counters."""
    kinds = range(known["kinds"])
    located, unseen = (
        Counter({int(known["card"][k]): int(known[name][k]) for k in kinds if known[name][k]})
        for name in ("located", "unseen")
    )
    return located, unseen


def real_deck(record):
    """The deck from its top."""
    table = record["table"]
    slots = [(int(table["deck_top"]) + i) % RING for i in range(table["deck_left"])]
    return slots, [int(record["hidden"]["deck"][slot]) for slot in slots]


def check_knowledge(setting, record, table, known, perfect=True):
    """Compare what the deciding seat knows with the onlooker there, and with the truth."""
    seat = int(record["hidden"]["seat"])
    me = table.onlookers[seat]
    located, unseen = told(known)
    copies = 2 if setting.resolved()["cards_added"] else 1
    assert located + unseen == Counter({k.code: copies * n for k, n in setting.deck.counts.items()})
    slots, deck = real_deck(record)
    said = [int(known["deck"][slot]) or UNKNOWN for slot in slots]
    unknown_hands = 0
    for rival, cards in me.rivals.items():
        theirs = record["seats"][rival]
        hand = Counter(theirs["hand"][: theirs["hand_count"]].tolist())
        in_hand = Counter(known["hand"][rival][: known["hand_count"][rival]].tolist())
        assert in_hand <= hand, "a card that is not there"
        assert in_hand == +cards if perfect else in_hand <= cards
        unknown_hands += int(theirs["hand_count"]) - in_hand.total()
    assert all(card in (UNKNOWN, truth) for card, truth in zip(said, deck, strict=True))
    if perfect:
        assert said == me.deck
        assert located == +me.located(table.on_table)
    hidden = 0 if record["seats"][seat]["peeked"] else setting.resolved()["rome_hidden"]
    places = setting.resolved()["cards_removed"] + hidden + unknown_hands + said.count(UNKNOWN)
    assert known["places"] == places
    out = len(setting.deck.cards) - setting.resolved()["cards_added"] if copies == 2 else 0
    assert known["out"] == out == unseen.total() - places
    return said


def follow(setting, lineup, deals, seed=1, perfect=True):
    """Compare at every decision of some games; return what was met, to be sure that it was."""
    met = Counter()
    workspace = worlds.new_workspace()
    for deal in range(deals):
        for record, table, address in look_on(setting, lineup, seed, deal, deal % setting.players):
            known = worlds.beliefs_of(workspace, address)
            said = check_knowledge(setting, record, table, known, perfect)
            seat = int(record["hidden"]["seat"])
            met["decisions"] += 1
            met["own buried"] += any(said)
            met["rivals' cards"] += any(known["hand_count"][: setting.players])
            met["peeked"] += int(record["seats"][seat]["peeked"])
            choice = record["choices"][seat]
            met["view"] += choice["kind"] == PLACE and choice["drawn_count"] > 1
    return met


def lineup_of(names, players):
    """Policies one after another round the table."""
    return paxsim.make_lineup([names[i % len(names)] for i in range(players)], players)


LINEUPS = [("random",), ("weighted", "tribune", "augur", "economist"), ("hermit", "random")]


@pytest.mark.parametrize(("players", "level"), TABLES, ids=TABLE_NAMES)
def test_a_seat_knows_what_an_onlooker_there_knows(players, level):
    setting = paxsim.make_setting(players, solo_level=level)
    met = Counter()
    for names in LINEUPS:
        met += follow(setting, lineup_of(names, players), 1 if players > 4 else 3)
    assert met["decisions"] > 200 and met["own buried"] and met["view"]
    assert bool(met["rivals' cards"]) == bool(met["peeked"]) == (players > 1)


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
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seat_knows_what_an_onlooker_there_knows_under_other_rules(variant):
    for players in (2, 3, 6):
        setting = paxsim.make_setting(players, rules=VARIANTS[variant])
        for names in LINEUPS[:2]:
            assert follow(setting, lineup_of(names, players), 1)["decisions"] > 25
    solo = paxsim.make_setting(solo_level=4, rules=VARIANTS[variant])
    assert follow(solo, lineup_of(["random"], 1), 3)["decisions"] > 30


def test_in_a_small_deck_buried_cards_come_round_again_and_are_followed():
    """Ten cards for two: what is drafted and buried is drawn, moved and buried again."""
    kinds = [paxsim.Card(category, 1, value) for category in paxsim.CATEGORIES for value in (0, 3)]
    deck = paxsim.Deck(name="small", cards=tuple(sorted(kinds)))
    rules = {"cards_removed": 0, "rome_hidden": 1, "religion_two": 99, "religion_three": 99}
    setting = paxsim.make_setting(2, deck=deck, rules={**rules, "draft_sizes": [5, 5]})
    met = Counter()
    for names in LINEUPS:
        met += follow(setting, lineup_of(names, 2), 40)
    assert met["rivals' cards"] > 500


def test_of_the_largest_decks_a_seat_forgets_old_draws_but_is_never_wrong():
    """Places of a deck of 240 cards outnumber the ring: draws of long ago are lost sight of."""
    cards = [paxsim.Card(c, s, v) for c in paxsim.CATEGORIES for s in (1, 2) for v in range(9)]
    deck = paxsim.Deck(name="large", cards=tuple(sorted(cards[:120])))
    copy = len(deck.cards)
    for players in (2, 8):
        rules = {"cards_removed": 0, "cards_added": copy, "religion_two": 99, "religion_three": 99}
        setting = paxsim.make_setting(players, deck=deck, rules=rules)
        met = follow(setting, lineup_of(LINEUPS[0], players), 2, perfect=False)
        assert met["decisions"] > 200
