"""What each shared wish comes to: the price, in points, up to which a card is worth playing."""

import math

import pytest
from support import term_policies as terms
from support.positions import lay_display
from support.situations import (
    LAST_ROUND,
    buy,
    chosen,
    chosen_and_noted,
    react,
    turning_point,
    worth_of,
)

from paxsim.helpers import ARMY, RELIGION, WEALTH


def worth(which, card, a=0.0, b=0.0, c=0.0, **cards):
    """The price up to which somebody with just this wish reacts with the card; 0 if never."""
    params = dict(which=which, a=a, b=b, c=c)
    game = react(card, **{**LAST_ROUND, **cards})
    if chosen("single_term", game, **params) == "pass":
        return 0.0
    return worth_of("single_term", card, "money", params, **{**LAST_ROUND, **cards})


def is_about(number):
    return pytest.approx(number, abs=1e-6)


# --- symbols needed to be above Rome --------------------------------------------------------


def need(category, **cards):
    return worth(terms.NEED, "land/1/1", a=category, **cards) - 10.0


def test_one_symbol_is_needed_where_nobody_has_any():
    assert need(WEALTH) == is_about(1)


def test_as_many_symbols_are_needed_as_rome_has_and_one_more():
    assert need(WEALTH, rome=["wealth/2/3"], show=["wealth/1/1"]) == is_about(2)


def test_none_is_needed_above_rome():
    assert need(WEALTH, rome=["wealth/1/1"], show=["wealth/2/3", "wealth/1/1"]) == is_about(-1)


def test_hidden_cards_are_expected_to_bring_rome_a_symbol():
    """Three hidden cards and the last group: 4.6 of 74 cards, of 14 symbols, are 0.87."""
    assert need(WEALTH, peeked=None) == is_about(2)


def test_rome_is_expected_to_grow_as_long_as_there_are_cards():
    rounds = 58 / 5.8
    symbols = 14 * 1.6 * (rounds + 1) / 74
    assert need(WEALTH, deck=58) == is_about(math.floor(symbols + 0.5) + 1) == is_about(4)


def test_romes_fleets_count_as_armies_in_what_is_needed():
    """Three fleets are an army as well."""
    assert need(ARMY, rome=["fleet/2/3", "fleet/1/1"]) == is_about(2)


# --- points ---------------------------------------------------------------------------------

NEW, STRONGER, ARMS = 3.0, 2.0, 0.5
POINTS = dict(which=terms.POINTS, a=NEW, b=STRONGER, c=ARMS)


def test_the_first_card_of_a_category_counts_for_the_category_and_against_rome():
    assert worth(card="wealth/1/1", **POINTS) == is_about(NEW + STRONGER)


def test_a_second_card_counts_against_rome_alone_spread_over_the_symbols_needed():
    shown = dict(show=["wealth/1/1"], rome=["wealth/2/3"])
    assert worth(card="wealth/1/1", **shown, **POINTS) == is_about(STRONGER / 2)
    assert worth(card="wealth/2/3", **shown, **POINTS) == is_about(STRONGER)


def test_a_worth_is_spread_over_any_number_of_symbols():
    rome = ["wealth/2/3"] * 4
    assert worth(card="wealth/1/1", rome=rome, **POINTS) == is_about(NEW + STRONGER / 9)


def test_a_worth_that_changes_with_the_round_is_spread_anew():
    """One symbol is needed: it is worth 2 in one round and 5 in the next, at a price of 3."""
    game = react("wealth/1/1", **LAST_ROUND)
    points = dict(which=terms.POINTS, money=3.0)
    assert chosen_and_noted("single_term", game, b=2.0, **points) == "pass"
    game.record["table"]["round"] += 1
    assert chosen_and_noted("single_term", game, b=5.0, **points) == "react wealth/1/1"


def test_a_symbol_beyond_the_need_counts_a_fifth():
    assert worth(card="wealth/2/3", **POINTS) == is_about(NEW + 1.2 * STRONGER)


def test_nothing_is_wished_where_rome_is_beaten():
    assert worth(card="wealth/1/1", show=["wealth/1/1"], **POINTS) == 0


def test_fleets_and_armies_count_in_themselves_also_above_rome():
    shown = dict(show=["land/2/3", "land/2/3", "fleet/1/1", "army/1/1"])
    assert worth(card="fleet/2/3", **shown, **POINTS) == is_about(2 * ARMS)
    assert worth(card="army/2/3", **shown, **POINTS) == is_about(2 * ARMS)


def test_four_symbols_of_fleets_are_wished_however_few_are_needed():
    shown = dict(show=["land/2/3", "land/2/3", "land/2/3"])
    assert worth(card="fleet/2/3", **shown, **POINTS) == is_about(NEW + 2 * (STRONGER + ARMS))
    assert worth(card="fleet/5/3", **shown, **POINTS) == is_about(NEW + 4.2 * (STRONGER + ARMS))


# --- within reach, rows ---------------------------------------------------------------------


@pytest.mark.parametrize(("rome", "expected"), [((), 1.5), (("wealth/1/1",), 1.5)])
def test_a_category_within_two_symbols_is_within_reach(rome, expected):
    assert worth(terms.REACH, "wealth/1/1", a=1.5, b=2.0, rome=rome) == is_about(expected)


def test_a_category_beyond_two_symbols_is_out_of_reach():
    assert worth(terms.REACH, "wealth/1/1", a=1.5, b=2.0, rome=["wealth/2/3"]) == 0


def test_what_rome_has_lost_is_not_within_reach_again():
    assert worth(terms.REACH, "wealth/1/1", a=1.5, b=2.0, show=["wealth/1/1"]) == 0


@pytest.mark.parametrize("cards", [1, 3])
def test_a_row_pays_by_its_cards_not_its_symbols(cards):
    assert worth(terms.ROW, "religion/1/1", a=0.4, show=["religion/2/3"] * cards) == is_about(
        0.4 * cards
    )


def test_a_row_of_intrigue_pays_nothing():
    assert worth(terms.ROW, "intrigue/1/1", a=0.4, show=["intrigue/1/1"] * 3) == 0


# --- wresting categories from Rome ----------------------------------------------------------


def test_a_category_that_nobody_takes_is_wrested_spread_over_the_symbols_needed():
    assert worth(terms.WREST, "wealth/1/1", a=6.0, rome=["wealth/2/3"]) == is_about(6 / 3)
    assert worth(terms.WREST, "wealth/2/3", a=6.0, rome=["wealth/2/3"]) == is_about(2 * 6 / 3)


def test_a_category_that_a_rival_holds_above_rome_is_left_to_the_rival():
    assert worth(terms.WREST, "wealth/1/1", a=6.0, rivals={1: ["wealth/1/1"]}) == 0


def test_a_seat_behind_a_rival_leaves_half_to_the_one_that_is_nearer():
    cards = dict(rome=["wealth/2/3"], rivals={1: ["wealth/1/1"]})
    assert worth(terms.WREST, "wealth/1/1", a=6.0, **cards) == is_about(6 / 2 / 3)


def test_a_seat_far_behind_a_rival_leaves_nearly_all_to_it():
    """Further behind than any deck of the package lets a seat fall; a deck of a user's may."""
    rome, rival = ["wealth/31/1"] * 2, ["wealth/31/1", "wealth/5/1"]
    found = worth(terms.WREST, "wealth/1/1", a=6.0, rome=rome, rivals={1: rival})
    assert found == is_about(6 / (1 + 36) / 63)


def test_a_seat_ahead_of_its_rivals_does_it_alone():
    cards = dict(rome=["wealth/2/3"], show=["wealth/1/1"])
    assert worth(terms.WREST, "wealth/1/1", a=6.0, **cards) == is_about(6 / 2)


def test_a_seat_barely_above_rome_wrests_alone_but_not_beside_a_rival_who_is_so_too():
    """Rome is expected to end with 0.87: one symbol is above it, and two are needed to be sure."""
    cards = dict(peeked=None, show=["wealth/1/1"])
    assert worth(terms.WREST, "wealth/1/1", a=6.0, **cards) == is_about(6)
    cards["rivals"] = {1: ["wealth/1/1"]}
    assert worth(terms.WREST, "wealth/1/1", a=6.0, **cards) == 0


# --- land, steps, foresight -----------------------------------------------------------------


def test_three_symbols_of_land_are_wished_before_any_fleet():
    assert worth(terms.LIMIT, "land/2/3", a=0.5, show=["land/1/1"]) == is_about(2 * 0.5)
    assert worth(terms.LIMIT, "land/2/3", a=0.5, show=["land/2/3"]) == is_about(1.2 * 0.5)
    assert worth(terms.LIMIT, "land/2/3", a=0.5, show=["land/2/3", "land/1/1"]) == 0


@pytest.mark.parametrize("arms", ["fleet", "army"])
def test_land_keeps_three_ahead_of_the_longer_row_of_arms(arms):
    shown = ["land/2/3", "land/1/1", f"{arms}/1/1"]
    assert worth(terms.LIMIT, "land/2/3", a=0.5, show=shown) == is_about(1.2 * 0.5)


@pytest.mark.parametrize(
    ("symbols", "card", "expected"),
    [
        (0, "wealth/1/1", 6 / 3),
        (1, "wealth/1/1", 6 / 2),
        (2, "wealth/1/1", 6),
        (2, "wealth/2/3", 6 * 1.2),
        (3, "wealth/1/1", 6 / 3),
    ],
)
def test_a_step_is_spread_over_the_symbols_missing(symbols, card, expected):
    shown = ["wealth/1/1"] * symbols
    assert worth(terms.STEP, card, a=6.0, b=WEALTH, c=3, show=shown) == is_about(expected)


@pytest.mark.parametrize(
    ("symbols", "expected"), [(0, 2.0), (2, 6.0), (3, 2.0), (4, 3.0), (6, 0), (7, 0)]
)
def test_religion_is_wished_up_to_two_cards_then_up_to_three_then_no_more(symbols, expected):
    shown = ["religion/1/1"] * symbols
    assert worth(terms.FORESIGHT, "religion/1/1", a=6.0, show=shown) == is_about(expected)


def test_a_step_counts_symbols_and_not_cards():
    assert worth(terms.STEP, "wealth/1/1", a=6.0, c=3, show=["wealth/2/3"]) == is_about(6)


def test_a_step_can_be_of_any_category():
    assert worth(terms.STEP, "religion/1/1", a=6.0, b=RELIGION, c=4) == is_about(6 / 4)


# --- primus conspiratus ---------------------------------------------------------------------


def primus(card="intrigue/1/1", margin=0.0, **cards):
    return worth(terms.PRIMUS, card, a=2.0, b=margin, **cards)


def test_one_symbol_takes_primus_from_a_table_without_intrigue():
    assert primus() == is_about(2.0)
    assert primus("intrigue/2/3") == is_about(2.0 * 1.2)


def test_the_holder_needs_no_symbol_more_where_rivals_have_no_more():
    rivals = {1: ["intrigue/1/1"]}
    assert primus(show=["intrigue/1/1"], rivals=rivals, primus=0) == 0


def test_a_rival_with_as_many_symbols_keeps_it_so_one_more_is_needed():
    rivals = {1: ["intrigue/1/1"]}
    assert primus(show=["intrigue/1/1"], rivals=rivals, primus=1) == is_about(2.0)


def test_a_margin_is_wished_even_by_the_holder():
    assert primus(margin=2.0, show=["intrigue/1/1"], primus=0) == is_about(2.0)
    assert primus(margin=2.0, show=["intrigue/2/3"], primus=0) == 0


def test_the_strongest_of_several_rivals_counts():
    for strongest in (1, 2, 3):
        rivals = {1: ["intrigue/1/1"], 2: ["intrigue/1/1"], 3: ["intrigue/1/1"]}
        rivals[strongest] = ["intrigue/2/3", "intrigue/2/3"]
        cards = dict(players=4, rivals=rivals, primus=strongest)
        assert primus("intrigue/6/9", **cards) == is_about(2.0 * 5.2)


# --- what Rome may have ---------------------------------------------------------------------


def hunger(rome=(), show=(), rivals=None, group=("wealth/1/1",)):
    """The price of an Aureus up to which somebody who starves Rome buys what it would take."""
    game = buy(group, rome=rome, show=show, rivals=rivals, money=9, **LAST_ROUND)
    return turning_point("single_term", game, "money", "buy legion 1", which=terms.FEED, a=-3.0)


@pytest.mark.parametrize(
    ("rome", "mine", "weight"),
    [(0, 0, 1 / 1.5), (0, 1, 1 / 1.5), (1, 0, 1 / 2.5), (0, 2, 1 / 2.5), (3, 1, 1 / 3.5)],
)
def test_a_symbol_for_rome_counts_most_where_rome_and_the_best_player_are_close(rome, mine, weight):
    shown = ["wealth/1/1"] * mine
    assert hunger(rome=["wealth/1/1"] * rome, show=shown) == is_about(3 * weight)


def test_the_best_player_may_be_a_rival():
    assert hunger(rivals={1: ["wealth/2/3"]}) == is_about(3 / 2.5)


def test_every_symbol_of_the_group_counts():
    assert hunger(group=["wealth/2/1", "senator/1/0"]) == is_about(3 * 3 / 1.5)


def test_who_feeds_rome_does_not_buy_what_it_takes():
    game = buy(["wealth/1/1"], **LAST_ROUND)
    assert chosen("single_term", game, which=terms.FEED, a=3.0) == "pass"


# --- how things stand -----------------------------------------------------------------------


@pytest.mark.parametrize("above", [0, 2, 3, 5])
def test_the_outlook_for_rome_falls_with_every_category_that_a_player_holds(above):
    shown = ["wealth/1/1", "religion/1/1", "senator/1/1", "land/1/1", "intrigue/1/1"][:above]
    expected = 1 / (1 + math.exp(-1.2 * (7 - above - 4 + 0.5)))
    assert worth(terms.ROME_CHANCE, "land/1/1", show=shown) == is_about(expected)


def test_optimism_adds_categories_to_the_outlook():
    expected = 1 / (1 + math.exp(-1.2 * (7 - 4 + 0.5 - 5.0)))
    assert worth(terms.ROME_CHANCE, "land/1/1", a=-5.0) == is_about(expected)


def test_the_outlook_knows_how_many_categories_rome_needs():
    expected = 1 / (1 + math.exp(-1.2 * (7 - 7 + 0.5)))
    found = worth(terms.ROME_CHANCE, "land/1/1", rules={"rome_needs": 7})
    assert found == is_about(expected)


def test_the_outlook_is_judged_anew_when_categories_change_hands():
    game = react("land/1/1", **LAST_ROUND)
    chosen_and_noted("single_term", game, which=terms.ROME_CHANCE)
    lay_display(game, 2, "wealth/1/1", "religion/1/1", "senator/1/1")
    game.record["table"]["round"] += 1
    found = turning_point("single_term", game, "money", "react land/1/1", which=terms.ROME_CHANCE)
    assert found == is_about(1 / (1 + math.exp(-1.2 * (7 - 3 - 4 + 0.5))))


PRICES = {
    "points_category": 2,
    "points_stronger": 7,
    "points_fleet_army": 1,
    "points_primus": 20,
}
RIVAL = ["wealth/1/1", "religion/1/1", "fleet/2/3", "fleet/1/1", "army/2/3"]


def points_of(seat, **cards):
    return worth(terms.POINTS_NOW, "land/1/1", a=seat, rules=PRICES, **cards)


def test_points_as_things_stand_are_categories_what_beats_rome_and_arms_with_their_bonus():
    """Four categories, three above Rome; three fleets, and two armies with one from the fleets."""
    cards = dict(rivals={1: RIVAL}, rome=["religion/1/1"])
    assert points_of(0, **cards) == is_about(4 * 2 + 3 * 7 + 6 * 1)


def test_romes_fleets_count_as_armies_in_what_beats_rome():
    """An army is a category and a symbol, but three fleets of Rome's are an army too."""
    cards = dict(rivals={1: ["army/1/1"]}, rome=["fleet/2/3", "fleet/1/1"])
    assert points_of(0, **cards) == is_about(2 + 1)


def test_primus_conspiratus_is_worth_its_points():
    cards = dict(rivals={1: RIVAL}, rome=["religion/1/1"])
    assert points_of(0, primus=1, **cards) == is_about(4 * 2 + 3 * 7 + 6 * 1 + 20)
    assert points_of(0, primus=0, **cards) == is_about(4 * 2 + 3 * 7 + 6 * 1)


def test_ones_own_points_are_counted_alike():
    assert points_of(1, show=["wealth/1/1"], primus=0) == is_about(2 + 7 + 20)


def leader(**cards):
    """The seat that leads, from 1; I sit at seat 2."""
    return round(worth(terms.LEADER, "land/1/1", players=4, **cards))


def test_the_leader_is_the_rival_with_most_points():
    assert leader(rivals={1: ["wealth/1/1"], 2: ["land/1/1", "army/1/1"], 3: ["army/1/1"]}) == 4


def test_the_leader_is_never_oneself():
    assert leader(show=["wealth/1/1"], rivals={3: ["senator/1/1"]}) == 1


def test_in_a_tie_the_next_seat_clockwise_leads():
    assert leader() == 3
    assert leader(rivals={2: ["wealth/1/1"], 3: ["land/1/1"]}) == 4


def test_primus_conspiratus_decides_who_leads():
    assert leader(rivals={1: ["wealth/1/1"], 3: ["land/1/1"]}, primus=3) == 1
