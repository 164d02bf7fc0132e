"""Terms of the utility: what a card is worth, in points, to a policy with a single term."""

import math

import pytest
from support import term_policies as terms
from support.decisions import (
    LAST_ROUND,
    buy,
    chosen,
    chosen_and_noted,
    react,
    turning_point,
    worth_of,
)
from support.positions import lay_display

from paxsim.helpers import ARMY, RELIGION, WEALTH


def worth(which, card, a=0.0, b=0.0, c=0.0, **cards):
    """Return the price up to which a policy with this term reacts with a card; 0 if never."""
    params = dict(which=which, a=a, b=b, c=c)
    game = react(card, **{**LAST_ROUND, **cards})
    if chosen("single_term", game, **params) == "pass":
        return 0.0
    return worth_of("single_term", card, "money", params, **{**LAST_ROUND, **cards})


def is_about(number):
    return pytest.approx(number, abs=1e-6)


# --- symbols needed to be above Rome --------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "cards", "needed"),
    [
        (WEALTH, {}, 1),
        (WEALTH, {"rome": ["wealth/2/3"], "show": ["wealth/1/1"]}, 2),
        (WEALTH, {"rome": ["wealth/1/1"], "show": ["wealth/2/3", "wealth/1/1"]}, -1),
        # Three hidden cards and the last group: 4.6 of 74 cards, of 14 symbols, are 0.87.
        (WEALTH, {"peeked": None}, 2),
        # 1.6 cards in each of 11 rounds.
        (WEALTH, {"deck": 58}, math.floor(14 * 1.6 * 11 / 74 + 0.5) + 1),
        (ARMY, {"rome": ["fleet/2/3", "fleet/1/1"]}, 2),  # three fleets are an army as well
    ],
)
def test_symbols_needed_to_end_above_rome(category, cards, needed):
    assert worth(terms.NEED, "land/1/1", a=category, **cards) == is_about(10 + needed)


# --- worth of a card ------------------------------------------------------------------------

NEW, STRONGER, ARMS = 3.0, 2.0, 0.5
POINTS = dict(which=terms.POINTS, a=NEW, b=STRONGER, c=ARMS)
REACH = dict(which=terms.REACH, a=1.5, b=2.0)
ROW = dict(which=terms.ROW, a=0.4)
WREST = dict(which=terms.WREST, a=6.0)
LIMIT = dict(which=terms.LIMIT, a=0.5)
STEP = dict(which=terms.STEP, a=6.0, b=WEALTH, c=3)
FORESIGHT = dict(which=terms.FORESIGHT, a=6.0)
PRIMUS = dict(which=terms.PRIMUS, a=2.0)
MARGIN = dict(which=terms.PRIMUS, a=2.0, b=2.0)
LAND = ["land/2/3", "land/2/3"]
ONE_INTRIGUE = {"show": ["intrigue/1/1"], "rivals": {1: ["intrigue/1/1"]}}

WORTHS = [
    # The first card of a category counts for the category and against Rome, further ones against
    # Rome alone, spread over the symbols needed; symbols beyond the need count a fifth.
    (POINTS, "wealth/1/1", {}, NEW + STRONGER),
    (POINTS, "wealth/1/1", {"show": ["wealth/1/1"], "rome": ["wealth/2/3"]}, STRONGER / 2),
    (POINTS, "wealth/2/3", {"show": ["wealth/1/1"], "rome": ["wealth/2/3"]}, STRONGER),
    (POINTS, "wealth/1/1", {"rome": ["wealth/2/3"] * 4}, NEW + STRONGER / 9),
    (POINTS, "wealth/2/3", {}, NEW + 1.2 * STRONGER),
    (POINTS, "wealth/1/1", {"show": ["wealth/1/1"]}, 0.0),
    # Fleets and armies count in themselves, and four symbols of them are wanted in any case.
    (POINTS, "fleet/2/3", {"show": [*LAND, "fleet/1/1", "army/1/1"]}, 2 * ARMS),
    (POINTS, "army/2/3", {"show": [*LAND, "fleet/1/1", "army/1/1"]}, 2 * ARMS),
    (POINTS, "fleet/2/3", {"show": [*LAND, "land/2/3"]}, NEW + 2 * (STRONGER + ARMS)),
    (POINTS, "fleet/5/3", {"show": [*LAND, "land/2/3"]}, NEW + 4.2 * (STRONGER + ARMS)),
    # Within reach are categories where at most two symbols are needed.
    (REACH, "wealth/1/1", {}, 1.5),
    (REACH, "wealth/1/1", {"rome": ["wealth/1/1"]}, 1.5),
    (REACH, "wealth/1/1", {"rome": ["wealth/2/3"]}, 0.0),
    (REACH, "wealth/1/1", {"show": ["wealth/1/1"]}, 0.0),
    # A row pays by its cards, not its symbols; intrigue pays nothing.
    (ROW, "religion/1/1", {"show": ["religion/2/3"]}, 0.4),
    (ROW, "religion/1/1", {"show": ["religion/2/3"] * 3}, 3 * 0.4),
    (ROW, "intrigue/1/1", {"show": ["intrigue/1/1"] * 3}, 0.0),
    # A category that only Rome holds is taken, spread over the symbols needed. A category held by
    # a rival is left to the rival, and a seat behind a rival leaves a part to it.
    (WREST, "wealth/1/1", {"rome": ["wealth/2/3"]}, 6 / 3),
    (WREST, "wealth/2/3", {"rome": ["wealth/2/3"]}, 2 * 6 / 3),
    (WREST, "wealth/1/1", {"rivals": {1: ["wealth/1/1"]}}, 0.0),
    (WREST, "wealth/1/1", {"rome": ["wealth/2/3"], "rivals": {1: ["wealth/1/1"]}}, 6 / 2 / 3),
    (WREST, "wealth/1/1",  # further behind than any deck of the package allows
     {"rome": ["wealth/31/1"] * 2, "rivals": {1: ["wealth/31/1", "wealth/5/1"]}}, 6 / 37 / 63),
    (WREST, "wealth/1/1", {"rome": ["wealth/2/3"], "show": ["wealth/1/1"]}, 6 / 2),
    # Rome is expected to end with 0.87: a seat with one symbol needs another one to be sure.
    (WREST, "wealth/1/1", {"peeked": None, "show": ["wealth/1/1"]}, 6.0),
    (WREST, "wealth/1/1",
     {"peeked": None, "show": ["wealth/1/1"], "rivals": {1: ["wealth/1/1"]}}, 0.0),
    # Three more symbols of land than of the longer row of arms.
    (LIMIT, "land/2/3", {"show": ["land/1/1"]}, 2 * 0.5),
    (LIMIT, "land/2/3", {"show": ["land/2/3"]}, 1.2 * 0.5),
    (LIMIT, "land/2/3", {"show": ["land/2/3", "land/1/1"]}, 0.0),
    (LIMIT, "land/2/3", {"show": ["land/2/3", "land/1/1", "fleet/1/1"]}, 1.2 * 0.5),
    (LIMIT, "land/2/3", {"show": ["land/2/3", "land/1/1", "army/1/1"]}, 1.2 * 0.5),
    # A step is spread over the symbols, not cards, missing for the next multiple.
    (STEP, "wealth/1/1", {}, 6 / 3),
    (STEP, "wealth/1/1", {"show": ["wealth/1/1"]}, 6 / 2),
    (STEP, "wealth/1/1", {"show": ["wealth/2/3"]}, 6.0),
    (STEP, "wealth/2/3", {"show": ["wealth/2/3"]}, 6 * 1.2),
    (STEP, "wealth/1/1", {"show": ["wealth/1/1"] * 3}, 6 / 3),
    ({**STEP, "b": RELIGION, "c": 4}, "religion/1/1", {}, 6 / 4),
    # Religion is wanted for two cards together, then for three.
    *((FORESIGHT, "religion/1/1", {"show": ["religion/1/1"] * symbols}, expected)
      for symbols, expected in ((0, 2.0), (2, 6.0), (3, 2.0), (4, 3.0), (6, 0.0), (7, 0.0))),
    # Primus conspiratus: more than every rival, a tie is enough for the holder; and a margin.
    (PRIMUS, "intrigue/1/1", {}, 2.0),
    (PRIMUS, "intrigue/2/3", {}, 2.0 * 1.2),
    (PRIMUS, "intrigue/1/1", {**ONE_INTRIGUE, "primus": 0}, 0.0),
    (PRIMUS, "intrigue/1/1", {**ONE_INTRIGUE, "primus": 1}, 2.0),
    (MARGIN, "intrigue/1/1", {"show": ["intrigue/1/1"], "primus": 0}, 2.0),
    (MARGIN, "intrigue/1/1", {"show": ["intrigue/2/3"], "primus": 0}, 0.0),
    *((PRIMUS, "intrigue/6/9",
       {"players": 4, "primus": strongest,
        "rivals": {1: ["intrigue/1/1"], 2: ["intrigue/1/1"], 3: ["intrigue/1/1"],
                   strongest: ["intrigue/2/3", "intrigue/2/3"]}}, 2.0 * 5.2)
      for strongest in (1, 2, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("term", "card", "cards", "expected"), WORTHS)
def test_worth_of_a_card(term, card, cards, expected):
    assert worth(card=card, **term, **cards) == is_about(expected)


def test_value_that_changes_with_the_round_is_spread_anew():
    """One symbol is needed: it is worth 2 in one round and 5 in the next, at a price of 3."""
    game = react("wealth/1/1", **LAST_ROUND)
    points = dict(which=terms.POINTS, money=3.0)
    assert chosen_and_noted("single_term", game, b=2.0, **points) == "pass"
    game.record["table"]["round"] += 1
    assert chosen_and_noted("single_term", game, b=5.0, **points) == "react wealth/1/1"


# --- symbols for Rome -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rome", "mine", "rival", "group", "expected"),
    [
        # A symbol for Rome counts most where Rome and the best player, maybe a rival, are close.
        (0, 0, 0, ["wealth/1/1"], 3 / 1.5),
        (0, 1, 0, ["wealth/1/1"], 3 / 1.5),
        (1, 0, 0, ["wealth/1/1"], 3 / 2.5),
        (0, 2, 0, ["wealth/1/1"], 3 / 2.5),
        (3, 1, 0, ["wealth/1/1"], 3 / 3.5),
        (0, 0, 2, ["wealth/1/1"], 3 / 2.5),
        # Every symbol of the group counts.
        (0, 0, 0, ["wealth/2/1", "senator/1/0"], 3 * 3 / 1.5),
    ],
)
def test_price_for_keeping_a_group_from_rome(rome, mine, rival, group, expected):
    one = ["wealth/1/1"]
    game = buy(group, rome=one * rome, show=one * mine, rivals={1: one * rival}, money=9,
               **LAST_ROUND)  # fmt: skip
    price = turning_point("single_term", game, "money", "buy legion 1", which=terms.FEED, a=-3.0)
    assert price == is_about(expected)


def test_policy_that_feeds_rome_does_not_buy_what_rome_takes():
    game = buy(["wealth/1/1"], **LAST_ROUND)
    assert chosen("single_term", game, which=terms.FEED, a=3.0) == "pass"


# --- Rome's chance, points, the leader ------------------------------------------------------


def rome_chance(held, needed=4):
    return 1 / (1 + math.exp(-1.2 * (held - needed + 0.5)))


SINGLE = ["wealth/1/1", "religion/1/1", "senator/1/1", "land/1/1", "intrigue/1/1"]


@pytest.mark.parametrize(
    ("optimism", "cards", "expected"),
    [
        *((0.0, {"show": SINGLE[:above]}, rome_chance(7 - above)) for above in (0, 2, 3, 5)),
        (-5.0, {}, rome_chance(7 - 5)),
        (0.0, {"rules": {"rome_needs": 7}}, rome_chance(7, needed=7)),
    ],
)
def test_chance_of_rome_to_win(optimism, cards, expected):
    assert worth(terms.ROME_CHANCE, "land/1/1", a=optimism, **cards) == is_about(expected)


def test_chance_of_rome_changes_when_categories_change_hands():
    game = react("land/1/1", **LAST_ROUND)
    chosen_and_noted("single_term", game, which=terms.ROME_CHANCE)
    lay_display(game, 2, "wealth/1/1", "religion/1/1", "senator/1/1")
    game.record["table"]["round"] += 1
    result = turning_point("single_term", game, "money", "react land/1/1", which=terms.ROME_CHANCE)
    assert result == is_about(rome_chance(4))


PRICES = {"points_category": 2, "points_stronger": 7, "points_fleet_army": 1, "points_primus": 20}
RIVAL = ["wealth/1/1", "religion/1/1", "fleet/2/3", "fleet/1/1", "army/2/3"]


@pytest.mark.parametrize(
    ("seat", "cards", "expected"),
    [
        # Four categories, three above Rome; three fleets, and two armies with one from the fleets.
        (0, {"rivals": {1: RIVAL}, "rome": ["religion/1/1"]}, 4 * 2 + 3 * 7 + 6 * 1),
        (0, {"rivals": {1: RIVAL}, "rome": ["religion/1/1"], "primus": 0}, 4 * 2 + 3 * 7 + 6 * 1),
        (0, {"rivals": {1: RIVAL}, "rome": ["religion/1/1"], "primus": 1}, 35 + 20),
        # Three fleets of Rome are an army too, which this army doesn't beat.
        (0, {"rivals": {1: ["army/1/1"]}, "rome": ["fleet/2/3", "fleet/1/1"]}, 2 + 1),
        (1, {"show": ["wealth/1/1"], "primus": 0}, 2 + 7 + 20),  # one's own
    ],
)
def test_points_now_without_those_for_money(seat, cards, expected):
    result = worth(terms.POINTS_NOW, "land/1/1", a=seat, rules=PRICES, **cards)
    assert result == is_about(expected)


@pytest.mark.parametrize(
    ("cards", "leader"),
    [
        ({"rivals": {1: ["wealth/1/1"], 2: ["land/1/1", "army/1/1"], 3: ["army/1/1"]}}, 4),
        ({"show": ["wealth/1/1"], "rivals": {3: ["senator/1/1"]}}, 1),  # never the own seat, 2
        ({}, 3),  # in a tie the next one clockwise
        ({"rivals": {2: ["wealth/1/1"], 3: ["land/1/1"]}}, 4),
        ({"rivals": {1: ["wealth/1/1"], 3: ["land/1/1"]}, "primus": 3}, 1),
    ],
)
def test_leader_is_the_rival_with_most_points(cards, leader):
    assert round(worth(terms.LEADER, "land/1/1", players=4, **cards)) == leader
