"""Decisions of each heuristic in a few telling situations.

Unless stated otherwise it is the last round and Rome has no hidden cards, so a category takes one
symbol more than Rome shows. A card's worth, in points, is the price of a reaction up to which it is
played.
"""

import math

import pytest
from support.decisions import (
    LAST_ROUND,
    alone,
    buy,
    chosen,
    keep,
    place,
    play,
    react,
    turn,
    with_deck,
    worth_of,
)

import paxsim

#: Rome has one symbol everywhere (two of fleets and armies would add to each other).
ROME = ["wealth/1/1", "fleet/1/1", "army/1/1", "religion/1/1", "senator/1/1", "land/1/1",
        "intrigue/1/1"]  # fmt: skip
DECK = 29  # five rounds with two players
LAND = ["land/2/3"]  # enough land: two symbols against Rome's none


def worth(policy, card, money="thrift", params=None, **cards):
    """Return what a card is worth to a heuristic; 0 if it isn't played even for nothing."""
    cards = {**LAST_ROUND, **cards}
    if chosen(policy, react(card, **cards), **{money: 0.0}, **(params or {})) == "pass":
        return 0.0
    return worth_of(policy, card, money, params, **cards)


def is_about(number):
    return pytest.approx(number, abs=1e-6)


def rounds_left(deck, players=2):
    return deck / (2.4 * players + 1)


def rome_chance(held):
    """Return Rome's estimated chance to win with this many categories."""
    return 1 / (1 + math.exp(-1.2 * (held - 4 + 0.5)))


def one_of(name):
    return f"{name}/1/1"


# --- worth of a card ------------------------------------------------------------------------

SHOWN, RIVALS = ["wealth/2/3", "religion/2/3"], {1: ["wealth/1/1", "senator/1/1"]}
WORTHS = [
    # Breadth, being above Rome, spread over the symbols needed; land and arms.
    ("builder", "wealth", {}, 2.5 + 2.0),
    ("builder", "wealth", {"rome": ROME}, 2.5 + 2.0 / 2),
    ("builder", "land", {"show": LAND}, 0.3),
    ("builder", "fleet", {"show": [*LAND * 2, "fleet/2/3"]}, 0.5),
    # A row by the rounds to come, up to four; nothing extra for other categories.
    ("economist", "senator", {"show": ["senator/1/1"] * 2}, 0.5),
    ("economist", "senator", {"show": ["senator/1/1"] * 2, "deck": 10},
     0.5 * (1 + rounds_left(10))),
    ("economist", "senator", {"show": ["senator/1/1"] * 9, "deck": 100}, 0.5 * 5),
    ("economist", "wealth", {"show": ["senator/1/1"] * 2}, 1.2 + 1.5),
    # Intrigue with a margin of two over every rival; nothing for being above Rome.
    ("conspirator", "intrigue",
     {"show": ["intrigue/2/3"], "rivals": {1: ["intrigue/1/1"]}, "primus": 0}, 2.0),
    ("conspirator", "intrigue",
     {"show": ["intrigue/2/3", "intrigue/1/1"], "rivals": {1: ["intrigue/1/1"]}, "primus": 0}, 0.0),
    ("conspirator", "wealth", {}, 0.3),
    ("conspirator", "wealth", {"show": ["wealth/1/1"], "rome": ROME}, 0.0),
    # Intrigue with a margin of one.
    ("feeder", "intrigue", {}, 0.3 + 1.6),
    ("feeder", "intrigue", {"show": ["intrigue/2/3"], "primus": 0}, 0.0),
    ("feeder", "intrigue",
     {"show": ["intrigue/1/1"], "rivals": {1: ["intrigue/1/1"]}, "primus": 0}, 1.6),
    # Categories that only Rome holds; others are left to the rival above Rome.
    ("starver", "wealth", {"rome": ROME}, 1.0 + 0.5 / 2 + 6.0 / 2),
    ("starver", "wealth", {"rivals": {1: ["wealth/1/1"]}}, 1.0 + 0.5),
    ("starver", "land", {"show": LAND}, 0.4),
    # Nine symbols of each of fleets and armies are wanted, and land to allow them.
    ("admiral", "fleet/10/9", {"show": LAND * 6}, 1.2 + 9.2 * (1.5 + 1.4)),
    ("admiral", "army/10/9", {"show": LAND * 6}, 1.2 + 9.2 * (1.5 + 1.4)),
    ("admiral", "land", {"show": LAND}, 1.0),
    ("admiral", "land", {"show": [*LAND, "land/1/1"]}, 0.0),
    ("admiral", "land/2/3", {"show": [*LAND, "land/1/1", "army/2/3"]}, 2 * 1.0),
    # Wealth and religion by the rounds to come and the symbols missing for the next step.
    ("merchant", "wealth", {"show": ["wealth/1/1"] * 10, "deck": 10}, 0.5 * rounds_left(10) / 2),
    ("merchant", "wealth", {"show": ["wealth/1/1"] * 10, "deck": 40}, 0.5 * rounds_left(40) / 2),
    ("merchant", "wealth", {"show": ["wealth/1/1"]}, 0.0),
    ("augur", "religion", {"show": ["religion/1/1"] * 4, "deck": 10}, 0.5 * rounds_left(10) / 2),
    ("augur", "religion", {"show": ["religion/1/1"] * 4, "deck": 20}, 0.5 * rounds_left(20) / 2),
    ("augur", "religion", {"show": ["religion/2/3"] * 3, "deck": 10}, 0.0),
    ("augur", "wealth", {"rome": ROME}, 1.5 + 2.0 / 2 + 1.0 / 2),
    ("augur", "land", {"show": LAND}, 0.4),
    ("racer", "wealth", {"rome": ROME}, 1.5 + 4.0 / 2),
    ("racer", "land", {"show": LAND}, 0.3),
    # Intrigue without a margin, and points as they are.
    ("miser", "intrigue",
     {"show": ["intrigue/1/1"], "rivals": {1: ["intrigue/1/1"]}, "primus": 1}, 0.8),
    ("miser", "intrigue",
     {"show": ["intrigue/1/1"], "rivals": {1: ["intrigue/1/1"]}, "primus": 0}, 0.0),
    ("miser", "wealth", {"rome": ROME}, 2.0 + 2.0 / 2),
    ("miser", "fleet", {"show": [*LAND * 2, "fleet/2/3"]}, 0.8),
    ("miser", "land", {"show": LAND}, 0.4),
    # What the leader, and no other rival, lacks; arms in any case; intrigue as Rome may win.
    ("denier", "religion", {"show": SHOWN, "rivals": RIVALS}, 0.8),
    ("denier", "wealth", {"show": SHOWN, "rivals": RIVALS}, 0.0),
    ("denier", "religion",
     {"players": 4, "show": SHOWN,
      "rivals": {1: ["religion/1/1"], 2: RIVALS[1], 3: ["religion/1/1"]}}, 0.8),
    ("denier", "fleet",
     {"show": [*LAND * 2, "fleet/1/1"], "rivals": {1: ["fleet/1/1", "senator/1/1"]}}, 0.6 + 0.8),
    ("denier", "intrigue",
     {"show": ["land/1/1"], "rivals": {1: ["intrigue/1/1"]}, "primus": 1},
     1.5 + 2.0 + 3.0 * rome_chance(5)),
    # Intrigue as Rome looks strong, points as it looks weak.
    ("opportunist", "intrigue", {}, 0.3 + 5.0 * (1 - rome_chance(7)) + 3.0 * rome_chance(7)),
    ("opportunist", "fleet",
     {"show": [*map(one_of, ("wealth", "religion", "senator", "intrigue", "army")), *LAND * 2]},
     0.3 + 6.0 * (1 - rome_chance(1))),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "card", "cards", "expected"), WORTHS)
def test_worth_of_a_card(policy, card, cards, expected):
    card = card if "/" in card else one_of(card)
    assert worth(policy, card, **cards) == is_about(expected)


# --- choices --------------------------------------------------------------------------------

ALONE_ABOVE = dict(show=["senator/1/1"], **LAST_ROUND)
POOR_LEGIONS = dict(legions=[["land/2/3"]], show=["senator/2/3"] * 3, money=0, deck=9, peeked=())
ARMED = ["wealth/2/3", "wealth/2/3", "wealth/1/1", "land/2/3", "land/2/3", "fleet/2/3"]
OLD_CATEGORY = dict(show=["wealth/1/1"], rome=ROME, money=9, **LAST_ROUND)
WITH_LEADER = dict(rivals={1: ["senator/1/1"]}, money=9, **ALONE_ABOVE)
#: Rows for the economist, whose row is worth ten.
ROW = {"row": 10.0}

CHOICES = {
    "builder shows a new category": (
        "builder", {}, "play senator/1/1",
        lambda: play("wealth/1/1", "senator/1/1", show=["wealth/1/1"], rome=ROME, **LAST_ROUND)),
    "builder pays 5 Aurei for a worth of 2": (
        "builder", {}, "buy legion 1", lambda: buy(["wealth/1/5"], **OLD_CATEGORY)),
    "builder doesn't pay 6 Aurei": (
        "builder", {}, "pass", lambda: buy(["wealth/1/6"], **OLD_CATEGORY)),
    "economist counts a displayed card twice": (
        "economist", ROW, "react land/1/1",
        lambda: react("land/1/1", *["wealth/1/1"] * 2, show=["land/1/1"], **LAST_ROUND)),
    "economist takes the first of equal rows": (
        "economist", ROW, "react wealth/1/1",
        lambda: react("land/1/1", *["wealth/1/1"] * 3, show=["land/1/1"], **LAST_ROUND)),
    "economist builds no row of intrigue or arms": (
        "economist", ROW, "react senator/1/1",
        lambda: react("intrigue/1/1", "fleet/1/1", "senator/1/1",
                      show=["intrigue/1/1"] * 3 + ["fleet/1/1"] * 2, **LAST_ROUND)),
    "conspirator plays intrigue although it costs the income": (
        "conspirator", {}, "play intrigue/1/1",
        lambda: play("wealth/1/1", "intrigue/1/1", **LAST_ROUND)),
    "conspirator leaves Rome a group that is worth more to it there": (
        "conspirator", {}, "pass", lambda: buy(["senator/1/0"], **LAST_ROUND)),
    "conspirator waits for a better card": (
        "conspirator", {}, "place senator/1/1 to bottom",
        lambda: place("senator/1/1", legions=[["wealth/1/3"]], deck=9, peeked=())),
    "feeder places cards below the legion that Rome takes": (
        "feeder", {}, "place senator/1/1 legion 2",
        lambda: place("senator/1/1", legions=[["wealth/1/1"], ["wealth/1/3"]], deck=9, peeked=())),
    "starver buys what only Rome needs": (
        "starver", {}, "buy legion 1", lambda: buy(["senator/1/1"], **ALONE_ABOVE)),
    "builder doesn't": ("builder", {}, "pass", lambda: buy(["senator/1/1"], **ALONE_ABOVE)),
    "starver lures Rome to a poor group": (
        "starver", {"hunger": 9.0}, "place senator/2/4 legion 2",
        lambda: place("senator/2/4", **POOR_LEGIONS)),
    "without hunger it doesn't": (
        "starver", {"hunger": 0.0}, "place senator/2/4 to bottom",
        lambda: place("senator/2/4", **POOR_LEGIONS)),
    "tribune starves Rome": (
        "tribune", {"starve": 4.0}, "buy legion 1",
        lambda: buy(["senator/1/1"], **{**ALONE_ABOVE, "show": ["senator/2/3"] * 3})),
    "admiral plays land for the fleet in its hand": (
        "admiral", {}, "play land/1/1",
        lambda: play("land/1/1", "wealth/1/1", "fleet/1/1", **LAST_ROUND)),
    "merchant prefers wealth early": (
        "merchant", {}, "react wealth/1/1",
        lambda: react("fleet/1/1", "wealth/1/1", show=ARMED, peeked=(), deck=20)),
    "merchant prefers arms late": (
        "merchant", {}, "react fleet/1/1",
        lambda: react("fleet/1/1", "wealth/1/1", show=ARMED, **LAST_ROUND)),
    "racer goes where least is missing": (
        "racer", {}, "react senator/1/1",
        lambda: react("wealth/1/1", "senator/1/1", rome=["wealth/1/1"], **LAST_ROUND)),
    "racer keeps a symbol from Rome for a price of 0.3": (
        "racer", {}, "buy legion 1", lambda: buy(["senator/1/1"], **ALONE_ABOVE)),
    "but not of 0.34, above 0.5 * 2/3": (
        "racer", {"thrift": 0.34}, "pass", lambda: buy(["senator/1/1"], **ALONE_ABOVE)),
    "miser leaves a group that is worth 2 to it": (
        "miser", {}, "pass", lambda: buy(["wealth/1/3"], **OLD_CATEGORY)),
    "denier starves Rome if the leader would win with it": (
        "denier", {"thrift": 0.35}, "buy legion 1",
        lambda: buy(["senator/1/1"], primus=1, **WITH_LEADER)),
    "denier feeds Rome otherwise": (
        "denier", {"thrift": 0.0}, "pass",
        lambda: buy(["senator/1/1"], primus=0, **WITH_LEADER)),
    "opportunist starves Rome while no one holds primus": (
        "opportunist", {}, "buy legion 1", lambda: buy(["senator/1/1"], money=9, **ALONE_ABOVE)),
    "opportunist feeds Rome while holding primus": (
        "opportunist", {"thrift": 0.0}, "pass",
        lambda: buy(["senator/1/1"], primus=0,
                    **{**ALONE_ABOVE, "show": ["senator/1/1", "intrigue/2/3"]})),
    "opportunist plays for points in solo": (
        "opportunist", {}, "play wealth/1/1",
        lambda: alone("intrigue/1/1", "wealth/1/1", display=["intrigue/1/1"], deck=0)),
    "weighted plays for primus as tuned": (
        "weighted", {}, "play intrigue/1/1",
        lambda: play("intrigue/1/1", "wealth/1/1", "senator/1/1", **LAST_ROUND)),
    "hermit shows a missing category": (
        "hermit", {}, "play senator/1/1",
        lambda: alone("wealth/1/1", "senator/1/1", display=["wealth/1/1"], rome=["wealth/1/1"],
                      deck=0)),
    # Money is worth 7.7 - 7.8 / (1 + rounds to come) to it, at the end less than nothing.
    "hermit spends its last money": (
        "hermit", {}, "buy legion 1",
        lambda: buy(["senator/1/5"], ["wealth/1/6"], show=["senator/1/1"], rome=["senator/2/3"],
                    **LAST_ROUND)),
    "hermit saves money early": (
        "hermit", {}, "pass",
        lambda: buy(["senator/1/5"], ["wealth/1/6"], show=["senator/1/1"], rome=["senator/2/3"],
                    deck=DECK, peeked=())),
    "hermit starves Rome": (
        "hermit", {"money": 1.0, "money_end": 0.0}, "buy legion 1",
        lambda: buy(["senator/1/1"], **{**ALONE_ABOVE, "show": ["senator/2/3"]})),
    "without hunger the hermit doesn't": (
        "hermit", {"money": 1.0, "money_end": 0.0, "starve": 0.0}, "pass",
        lambda: buy(["senator/1/1"], **{**ALONE_ABOVE, "show": ["senator/2/3"]})),
}  # fmt: skip


@pytest.mark.parametrize("case", CHOICES)
def test_choice_in_a_telling_situation(case):
    policy, params, expected, situation = CHOICES[case]
    assert chosen(policy, situation(), **params) == expected


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ("builder", "fleet"), ("economist", "wealth"), ("conspirator", "intrigue"),
        ("feeder", "intrigue"), ("starver", "fleet"), ("tribune", "land"), ("admiral", "fleet"),
        ("merchant", "wealth"), ("augur", "religion"), ("racer", "fleet"), ("miser", "fleet"),
        ("denier", "intrigue"), ("opportunist", "intrigue"), ("weighted", "intrigue"),
        ("defender", "senator"), ("loner", "senator"), ("answerer", "intrigue"), ("scout", "fleet"),
        ("hermit", "wealth"),
    ],
)  # fmt: skip
def test_card_kept_in_the_draft(policy, kept):
    """Of one card of each category; a fleet counts as a category and in itself."""
    cards = [
        f"{name}/1/2" for name in ("wealth", "religion", "senator", "land", "intrigue", "fleet")
    ]
    assert chosen(policy, keep(*cards, deck=40)) == f"keep {kept}/1/2"


# --- tribune --------------------------------------------------------------------------------


def focus_of(card, **cards):
    """Return what a card is worth to the tribune because it claims the category."""
    cards = {"players": 4, **cards}
    without = worth("tribune", card, params={"focus": 0.0}, **cards)
    return worth("tribune", card, **cards) - without


@pytest.mark.parametrize(
    ("claimed", "cards"),
    [
        (["religion", "senator"], {"show": ["religion/2/3", "senator/2/3"]}),
        (["intrigue", "religion", "senator", "wealth"],
         {"players": 2, "show": ["religion/2/3", "senator/2/3", "wealth/2/3", "intrigue/2/3"]}),
        (["land", "senator"],  # a rival shows more religion
         {"show": ["religion/2/3", "senator/2/3"],
          "rivals": {2: ["religion/2/3", "religion/1/1"]}}),
    ],
)  # fmt: skip
def test_tribune_claims_what_it_shows_most_of(claimed, cards):
    """Two categories of four players, four of two."""
    peaceful = ("intrigue", "land", "religion", "senator", "wealth")
    assert [name for name in peaceful if focus_of(one_of(name), **cards) > 1] == claimed


@pytest.mark.parametrize(
    ("situation", "choice", "show", "hand"),
    [
        # By seat order seat 2 of four begins with fleets and land, seat 1 with wealth and senators.
        (react, "react land/1/1", [], "wealth religion senator land intrigue"),
        (play, "play senator/1/1", [], "religion senator land intrigue"),
        # Fleets need land besides.
        (react, "react religion/2/3", ["land/1/1"], "religion/2/3 fleet"),
        # Cards in the hand count half: three symbols against land's 0.9 by seat order, and one.
        (react, "react religion/2/3", ["senator/1/1"], "religion/2/3 wealth land"),
        (react, "react land/1/1", ["senator/1/1"], "religion land"),
    ],
)
def test_tribune_begins_with_its_own_categories(situation, choice, show, hand):
    cards = [name if "/" in name else one_of(name) for name in hand.split()]
    game = situation(*cards, players=4, show=show, **LAST_ROUND)
    assert chosen("tribune", game, focus=9.0 if show else 2.5) == choice


def test_tribune_wants_two_symbols_more_than_it_needs():
    assert focus_of("fleet/1/1", show=["land/1/1"]) == is_about(2.5)
    assert focus_of("land/2/3", show=["land/1/1"]) == is_about(2 * 2.5)
    assert focus_of("land/2/3", show=["land/2/3"]) == is_about(1.2 * 2.5)


# --- weighted, defender, loner, answerer, hermit: each weight counts for its feature ----------


def nothing_of(policy, **others):
    """Return parameters of a policy that give no feature a value."""
    names = set(paxsim.get_policy(policy).params) - {"money", "contest", "usual", "peek"}
    return {**dict.fromkeys(names, 0.0), **others}


NOTHING = {
    "weighted": nothing_of("weighted"),
    "defender": nothing_of("defender", contest=1.0),
    "loner": nothing_of("loner"),
    "answerer": nothing_of("answerer", doubt=0.5),
    "hermit": nothing_of("hermit"),
}
FIGHTERS = ("defender", "loner", "answerer")

SHARED_WEIGHTS = [
    ({"stronger": 3.0}, "wealth", {"rome": ROME}, 3.0 / 2),
    ({"arms": 3.0}, "fleet", {"show": ["land/1/1"]}, 3.0),
    ({"limit": 3.0}, "land", {}, 3.0),
    ({"row": 3.0}, "wealth", {"show": ["wealth/1/1"] * 2, "deck": DECK}, 3.0 * 2 * 5),
    ({"senator": 3.0}, "senator", {"deck": DECK}, 3.0 * 5),
    ({"discount": 3.0}, "wealth", {"deck": DECK}, 3.0 * 5 / 3),
    ({"foresight": 3.0}, "religion", {"deck": DECK}, 3.0 * 5 / 3),
]
WREST_WEIGHTS = [({"new": 2.0}, "wealth", {}, 2.0), ({"wrest": 3.0}, "wealth", {"rome": ROME}, 1.5)]
FIGHTING_WEIGHTS = [
    ({"wrest": 3.0}, "wealth", {"rome": ROME, "rivals": {1: ["wealth/2/3"]}}, 0.0),
    ({"wrest": 3.0}, "wealth", {"rome": ROME, "rivals": {1: ["wealth/1/1"]}}, 3.0 / 2 / 2),
    ({"wrest": 3.0, "spare": 1.0}, "wealth/2/3", {"rome": ROME}, 2 * 3.0 / 2),
    ({"hold": 3.0, "spare": 2.0}, "wealth", {"show": ["wealth/1/1"]}, 3.0),
    ({"hold": 3.0, "spare": 2.0}, "wealth", {"show": ["wealth/2/3"] * 2}, 0.0),
    ({"hold": 3.0, "spare": 2.0}, "wealth", {"rivals": {1: ["wealth/1/1"]}}, 0.0),
]
OWN_WEIGHTS = [
    ("weighted", {"within_reach": 3.0}, "wealth", {"rome": ROME}, 3.0),
    ("weighted", {"within_reach": 3.0}, "wealth", {"rome": ROME * 2}, 0.0),
    ("weighted", {"primus": 3.0}, "intrigue", {}, 3.0),
    ("weighted", {"primus": 3.0, "margin": 1.0}, "intrigue/2/3", {}, 6.0),
    ("weighted", {"primus_rome": 3.0}, "intrigue", {}, 3.0 * rome_chance(7)),
    ("weighted", {"primus_rome": 3.0, "outlook_shift": -4.0}, "intrigue", {}, 3.0 * rome_chance(3)),
    ("weighted", {"new": 2.0, "points_rome": -0.5}, "wealth", {}, 2.0 * (1 - rome_chance(7) / 2)),
    ("weighted", {"new": 2.0, "points_rome": -9.0}, "wealth", {}, 2.0 * 0.05),
    ("weighted", {"arms": 2.0, "points_rome": -9.0}, "fleet", {"show": ["land/1/1"]}, 2.0 * 0.05),
    ("weighted", {"limit": 2.0, "points_rome": -9.0}, "land", {}, 2.0 * 0.05),
    ("weighted", {"wrest": 2.0, "points_rome": -9.0}, "wealth", {}, 2.0 * 0.05),
    *(("defender", {"primus": 3.0, "margin": 1.0}, "intrigue",
       {"show": show, "rivals": {1: ["intrigue/2/3"]}, "primus": primus}, expected)
      for show, primus, expected in ((["intrigue/1/1"], 1, 3.0), (["intrigue/2/3"], 1, 3.0),
                                     (["intrigue/2/3"] * 2, 0, 0.0))),
    # Fleets and armies are contested less than everything else.
    *(("defender", {"wrest": 3.0, "contest": 0.25}, name, {"show": ["land/1/1"], "rome": ROME},
       expected)
      for name, expected in (("fleet", 0.25 * 3 / 2), ("army", 0.25 * 3 / 2), ("wealth", 3 / 2),
                             ("land", 3.0))),
    ("hermit", {"new": 0.4, "urgency": 28.0}, "intrigue", {}, 0.4 + 28.0),
    ("hermit", {"new": 0.4, "urgency": 28.0}, "intrigue", {"deck": DECK}, 0.4 + 28.0 / 6),
]  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "weights", "card", "cards", "expected"),
    [
        *((policy, *row) for policy in NOTHING for row in SHARED_WEIGHTS),
        *((policy, *row) for policy in ("weighted", *FIGHTERS) for row in WREST_WEIGHTS),
        *((policy, *row) for policy in FIGHTERS for row in FIGHTING_WEIGHTS),
        *OWN_WEIGHTS,
    ],
)
def test_each_weight_counts_for_its_feature(policy, weights, card, cards, expected):
    card = card if "/" in card else one_of(card)
    weights = {**NOTHING[policy], **weights}
    assert worth(policy, card, "money", weights, **cards) == is_about(expected)


@pytest.mark.parametrize(("deck", "money"), [(0, 3.0 - 2.0), (DECK, 3.0 - 2.0 / 6)])
def test_weighted_changes_the_value_of_money_towards_the_end(deck, money):
    game = react("wealth/1/1", **{**LAST_ROUND, "deck": deck})
    weights = {**NOTHING["weighted"], "money": 3.0, "money_end": -2.0}
    assert chosen("weighted", game, **{**weights, "new": money - 0.001}) == "pass"
    assert chosen("weighted", game, **{**weights, "new": money + 0.001}) == "react wealth/1/1"


def test_weighted_feeds_rome_with_primus_and_starves_it_without():
    cards = dict(show=["intrigue/1/1"], money=9, **LAST_ROUND)
    weights = {**NOTHING["weighted"], "feed": 3.0, "starve": 3.0, "new": 1.0, "money": 0.5}
    mine, theirs = (buy(["senator/1/1"], primus=primus, **cards) for primus in (0, 1))
    assert chosen("weighted", mine, **weights) == "pass"
    assert chosen("weighted", theirs, **weights) == "buy legion 1"
    assert chosen("weighted", theirs, **{**weights, "starve": 0.0, "new": 0.4}) == "pass"


def test_weighted_does_not_give_up_points_for_rome_in_solo():
    """With others Rome's chance makes a new category worth a tenth; the Aureus costs one."""
    weights = {**NOTHING["weighted"], "new": 2.0, "points_rome": -9.0, "money": 1.0}
    assert chosen("weighted", play("wealth/1/1", **LAST_ROUND), **weights) == "stop"
    assert chosen("weighted", alone("wealth/1/1", deck=0), **weights) == "play wealth/1/1"


@pytest.mark.parametrize(
    ("name", "contest", "expected"),
    [("fleet", 1.0, "buy legion 1"), ("fleet", 0.0, "pass"), ("army", 0.0, "pass"),
     ("senator", 0.0, "buy legion 1")],
)  # fmt: skip
def test_defender_rather_lets_rome_take_fleets_and_armies(name, contest, expected):
    weights = {**NOTHING["defender"], "money": 1.0, "starve": 9.0, "contest": contest}
    assert chosen("defender", buy([one_of(name)], **LAST_ROUND), **weights) == expected


@pytest.mark.parametrize(("feature", "card"), [("new", "wealth/1/1"), ("arms", "fleet/1/1")])
@pytest.mark.parametrize("beaten_in", [0, 3, 5])
def test_points_count_more_to_defender_as_rome_looks_beaten(feature, card, beaten_in):
    rivals = ["senator/2/3", "land/2/3", "religion/2/3", "intrigue/2/3", "army/2/3"][:beaten_in]
    held = 7 - len({"land", *(name.partition("/")[0] for name in rivals)})
    weights = {**NOTHING["defender"], feature: 3.0, "beaten": 2.0}
    result = worth("defender", card, "money", weights, show=["land/1/1"], rivals={1: rivals})
    assert result == is_about(3.0 * (1 + 2.0 * (1 - rome_chance(held))))


def test_loner_leaves_the_lead_in_intrigue_to_the_others():
    cards = {"show": ["intrigue/2/3"], "rivals": {1: ["intrigue/2/3"]}, "rome": ROME, "primus": 1}
    weights = {"money_end": 0.0, "hold": 0.0}
    assert worth("loner", "intrigue/1/1", "money", weights, **cards) < 0.01


@pytest.mark.parametrize("policy", FIGHTERS)
def test_policies_against_rome_buy_what_it_would_take_with_their_last_money(policy):
    weights = {**NOTHING[policy], "money": 1.0}
    game = buy(["senator/1/1"], show=["senator/2/3"], **LAST_ROUND)
    assert chosen(policy, game, **{**weights, "starve": 9.0}) == "buy legion 1"
    assert chosen(policy, game, **weights) == "pass"
    weights |= {"new": 2.0, "money_end": -1.0}
    late, early = (buy(["wealth/1/4"], deck=deck, peeked=()) for deck in (0, DECK))
    assert chosen(policy, late, **weights) == "buy legion 1"
    assert chosen(policy, early, **weights) == "pass"


# --- answerer -------------------------------------------------------------------------------

SCHEMERS = ["intrigue/2/3", "intrigue/2/3"]
BUILDERS = ["wealth/2/3", "senator/2/3", "intrigue/1/1"]


@pytest.mark.parametrize(
    ("rivals", "doubt", "answer"),
    [
        ([SCHEMERS, SCHEMERS, SCHEMERS], 0.5, "intrigue/1/1"),
        ([SCHEMERS, SCHEMERS, BUILDERS], 0.5, "intrigue/1/1"),
        ([SCHEMERS, BUILDERS, BUILDERS], 0.5, "wealth/1/1"),
        ([BUILDERS, BUILDERS, BUILDERS], 0.5, "wealth/1/1"),
        ([[], [], []], -0.3, "intrigue/1/1"),  # rivals who show nothing are presumed to conspire
        ([[], [], []], 0.3, "wealth/1/1"),
    ],
)
def test_answerer_conspires_if_most_rivals_do(rivals, doubt, answer):
    weights = {**NOTHING["answerer"], "new": 2.0, "intrigue": 5.0, "lead": 9.0, "money": 0.1}
    game = play("intrigue/1/1", "wealth/1/1", players=4, show=["intrigue/1/1"],
                rivals=dict(enumerate(rivals, start=1)), **LAST_ROUND)  # fmt: skip
    assert chosen("answerer", game, **{**weights, "doubt": doubt}) == f"play {answer}"


@pytest.mark.parametrize(
    ("rival", "primus", "expected"),
    [(SCHEMERS, 0, "pass"), (SCHEMERS, 1, "buy legion 1"), (BUILDERS, 0, "buy legion 1")],
)
def test_answerer_feeds_rome_only_with_primus_among_conspirators(rival, primus, expected):
    weights = {**NOTHING["answerer"], "new": 0.4, "aside": 1.0, "feed": 9.0, "money": 0.1}
    game = buy(["senator/1/1"], rivals={1: rival}, primus=primus, **LAST_ROUND)
    assert chosen("answerer", game, **weights) == expected


# --- peeking --------------------------------------------------------------------------------

#: Rome has nothing, and I have one symbol in five categories: hidden cards may decide.
CLOSE = ["wealth/1/1", "religion/1/1", "senator/1/1", "land/1/1", "intrigue/1/1"]


@pytest.mark.parametrize(
    ("peeks", "situation"),
    [
        (True, {}),
        (False, {"show": CLOSE[:3]}),  # Rome holds four categories for sure
        (False, {"rome": ["wealth/2/3", "religion/2/3", "senator/2/3", "land/2/3"]}),
        (False, {"show": [f"{card.split('/')[0]}/2/3" for card in CLOSE for _ in (1, 2)]}),
        (False, {"peeked": ()}),  # it has peeked already
        (False, {"deck": 0}),  # too late
        (True, {"peeked": (), "rules": {"peek_income": 9}}),  # for the money
        (False, {"rules": {"peek_income": 0, "basic_income": 9}}),
    ],
)
def test_defender_peeks_if_hidden_cards_may_decide_or_it_pays(peeks, situation):
    cards = {"show": CLOSE, "peeked": None, "deck": 6, **situation}
    deck = cards.pop("deck")
    weights = {**NOTHING["defender"], "new": 1.0, "money": 1.0, "peek": 5.0}
    assert (chosen("defender", with_deck(turn(**cards), deck), **weights) == "peek") == peeks
