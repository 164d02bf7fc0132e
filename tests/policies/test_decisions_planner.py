"""The planner at each kind of decision: values are given, the choice that serves them is known.

A turning point is the worth of an Aureus at which a choice tips over: it shows the whole sum.
"""

import pytest
from support import term_policies as terms
from support.positions import choose
from support.situations import (
    LAST_ROUND,
    buy,
    chosen,
    chosen_and_noted,
    display,
    keep,
    place,
    play,
    react,
    turn,
    turning_point,
)


def is_about(number):
    return pytest.approx(number, abs=1e-6)


def money_limit(game, option=None, **values):
    """The worth of an Aureus up to which the planner does what it does when money is nothing."""
    return turning_point("valued", game, "money", option, **values)


# --- keep and display -----------------------------------------------------------------------


def test_the_card_that_is_wished_for_most_is_kept():
    game = keep("land/1/1", "wealth/1/1", "senator/1/1")
    assert chosen("valued", game, wealth=2.0, land=1.0) == "keep wealth/1/1"
    assert chosen("valued", game, wealth=2.0, senator=3.0) == "keep senator/1/1"


def test_every_symbol_of_a_card_to_keep_counts():
    game = keep("wealth/1/1", "land/2/3")
    assert chosen("valued", game, wealth=1.5, land=1.0) == "keep land/2/3"


def test_symbols_that_there_is_no_room_for_count_a_fifth():
    game = keep("land/2/3", "wealth/1/1")
    assert chosen("valued", game, land=1.0, wealth=1.1, room=1.0) == "keep land/2/3"
    assert chosen("valued", game, land=1.0, wealth=1.3, room=1.0) == "keep wealth/1/1"


def test_what_a_card_of_the_category_brings_in_itself_counts_once():
    game = keep("land/2/3", "wealth/1/1")
    assert chosen("valued", game, land=1.0, extra_wealth=1.9) == "keep land/2/3"
    assert chosen("valued", game, land=1.0, extra_wealth=2.1) == "keep wealth/1/1"


def test_the_first_of_equal_cards_is_kept():
    game = keep("land/1/1", "land/1/3")
    assert chosen("valued", game, land=1.0) == "keep land/1/1"


def test_the_best_card_is_displayed_at_a_solo_start():
    game = display("land/1/1", "senator/2/3", "wealth/1/1")
    assert chosen("valued", game, land=1.0, senator=1.0) == "display senator/2/3"


# --- turn -----------------------------------------------------------------------------------


def test_a_turn_is_taken_unless_peeking_is_wished():
    assert chosen("valued", turn()) == "turn"
    assert chosen("valued", turn(), peek=1.0) == "peek"


# --- place ----------------------------------------------------------------------------------

#: What the average card of the deck is worth if wealth is worth 3 a symbol.
USUAL = 3 * 14 / 74


def test_a_card_far_better_than_the_average_goes_to_the_hand():
    """3 less the average 0.57, against 0.8 of 3 below a legion that could be bought."""
    assert chosen("valued", place("wealth/1/1"), wealth=3.0) == "place wealth/1/1 to hand"


def test_a_card_as_good_as_the_average_waits_below_a_legion_to_be_bought():
    game = place("wealth/1/1", legions=[[], ["religion/1/1"]])
    every = dict(wealth=3.0, religion=3.0, senator=3.0, land=3.0, fleet=3.0, army=3.0, intrigue=3.0)
    assert chosen("valued", game, **every) == "place wealth/1/1 legion 1"


def test_a_card_that_nobody_wants_goes_under_the_deck():
    game = place("land/1/2")
    assert chosen("valued", game, wealth=3.0, money=0.1) == "place land/1/2 to bottom"


def test_a_wish_that_there_is_no_room_for_makes_no_card_worth_waiting_for():
    """Nothing in the deck is better than what was drawn, so the first place will do."""
    game = place("land/1/2")
    assert chosen("valued", game, wealth=3.0, room=0.0, money=0.1) == "place land/1/2 to hand"


def test_what_rome_should_have_goes_to_the_group_it_takes():
    """0.6 of a symbol for Rome against half of an average card: it tips where these are equal."""
    game = place("land/1/1", legions=[["senator/1/1"], ["senator/1/3"]])
    fed = "place land/1/1 legion 2"
    found = turning_point("valued", game, "wealth", fed, rome_land=1.0, money=1.0)
    assert found == is_about(0.6 / (0.5 * 14 / 74))


def test_even_a_card_of_no_value_is_put_where_rome_takes_it():
    game = place("land/1/0", legions=[["senator/1/1"], ["senator/1/3"]])
    values = dict(rome_land=1.0, wealth=1.0, money=1.0)
    assert chosen("valued", game, **values) == "place land/1/0 legion 2"


def test_what_rome_should_have_is_added_to_what_it_already_gets():
    """The group is as welcome to Rome as the card; that it gets the group anyway takes nothing."""
    game = place("land/1/1", legions=[["senator/1/1"], ["land/1/3"]])
    values = dict(rome_land=1.0, wealth=1.0, money=1.0)
    assert chosen("valued", game, **values) == "place land/1/1 legion 2"


@pytest.mark.parametrize(("money", "where"), [(0, "legion 2"), (5, "to bottom")])
def test_rome_is_not_fed_with_a_group_that_one_will_buy_oneself(money, where):
    """The group costs 4 Aurei of half a point each, and its wealth is worth three."""
    game = place("land/1/1", legions=[["senator/1/1"], ["wealth/1/3"]], money=money)
    found = chosen("valued", game, rome_land=1.0, wealth=3.0, money=0.5)
    assert found == f"place land/1/1 {where}"


def test_what_rome_should_not_have_goes_elsewhere():
    game = place("land/1/1", legions=[["senator/1/1"], ["senator/1/3"]])
    assert "legion 2" not in chosen("valued", game, rome_land=-1.0, money=1.0)


def test_rome_is_lured_away_from_a_group_that_helps_it():
    game = place("senator/2/4", legions=[["land/2/3"]], money=0)
    assert chosen("valued", game, rome_land=-1.0, wealth=1.0) == "place senator/2/4 legion 2"


def test_a_card_that_only_makes_a_tie_does_not_lure_rome_away():
    game = place("senator/1/3", legions=[["land/2/3"]], money=0)
    assert chosen("valued", game, rome_land=-1.0, wealth=1.0) == "place senator/1/3 to bottom"


def test_what_lies_in_the_group_rome_is_lured_to_counts_as_well():
    game = place("senator/2/4", legions=[["land/2/3"], ["land/1/1"]], money=0)
    assert chosen("valued", game, rome_land=-1.0, wealth=1.0) == "place senator/2/4 legion 3"


def test_a_wanted_card_that_cannot_be_kept_is_rather_given_away_than_helping_rome():
    """Somebody else may buy it, 0.15 of its worth; or Rome takes it, 0.6 of what that is worth."""
    game = place("land/1/1", then=["wealth/1/4"], legions=[["senator/2/6"]], money=0)
    choose(game, "place land/1/1 to hand")
    values = dict(wealth=3.0)
    assert chosen("valued", game, rome_wealth=-1.0, **values) == "place wealth/1/4 legion 2"
    found = turning_point("valued", game, "rome_wealth", None, -2.0, 0.0, **values)
    assert found == is_about(-0.15 * 3 / 0.6)


def test_a_wanted_card_that_cannot_be_kept_goes_to_a_group_worth_buying():
    game = place(
        "land/1/1", then=["wealth/1/1"], legions=[["senator/2/4"], ["wealth/1/2"], ["land/1/1"]]
    )
    choose(game, "place land/1/1 to hand")
    assert chosen("valued", game, wealth=3.0, money=1.0) == "place wealth/1/1 legion 2"


def test_a_group_that_is_too_dear_is_not_counted_on():
    game = place(
        "land/1/1", then=["wealth/1/1"], legions=[[], ["wealth/2/4"], ["senator/1/6"]], money=4
    )
    choose(game, "place land/1/1 to hand")
    assert chosen("valued", game, wealth=3.0, money=0.1) == "place wealth/1/1 legion 1"


def test_the_discount_makes_a_group_worth_counting_on():
    """With three symbols of wealth the group of 3 costs the 2 Aurei that are left."""
    shown = ["wealth/2/3", "wealth/1/1"]
    game = place(
        "land/1/1", then=["religion/1/1"], legions=[["religion/1/2"], ["senator/1/6"]],
        show=shown, money=2,
    )  # fmt: skip
    choose(game, "place land/1/1 to hand")
    assert chosen("valued", game, religion=3.0, money=1.2) == "place religion/1/1 legion 1"


def test_of_several_cards_in_view_the_best_goes_to_the_hand():
    game = place("land/1/1", "wealth/1/1", "senator/1/1", money=0)
    assert chosen("valued", game, wealth=3.0, land=1.0) == "place wealth/1/1 to hand"


def test_as_long_as_another_card_in_view_is_as_good_the_hand_can_wait():
    game = place("wealth/1/1", "wealth/1/1", "senator/1/1", money=0)
    assert chosen("valued", game, wealth=3.0) == "place senator/1/1 to bottom"


# --- buy ------------------------------------------------------------------------------------


def test_a_group_is_bought_as_long_as_it_is_worth_its_price():
    assert money_limit(buy(["wealth/1/2"]), "buy legion 1", wealth=3.0) == is_about(3 / 2)


def test_the_discount_counts_in_the_price():
    game = buy(["wealth/1/2"], show=["wealth/2/3", "wealth/1/1"])
    assert money_limit(game, "buy legion 1", wealth=3.0) == is_about(3 / 1)


def test_cards_that_are_not_wanted_do_not_spoil_a_group():
    game = buy(["wealth/1/1", "senator/1/1"])
    assert money_limit(game, "buy legion 1", wealth=3.0, senator=-5.0) == is_about(3 / 2)


def test_keeping_a_group_from_rome_counts_if_rome_would_take_it():
    game = buy(["wealth/1/2"], ["senator/1/1"])
    assert money_limit(game, "buy legion 1", wealth=3.0, rome_wealth=-1.0) == is_about(4 / 2)


def test_keeping_a_group_from_rome_counts_nothing_if_rome_takes_another():
    game = buy(["wealth/1/2"], ["senator/1/3"])
    assert money_limit(game, "buy legion 1", wealth=3.0, rome_wealth=-1.0) == is_about(3 / 2)


def test_of_two_groups_the_one_that_brings_more_for_its_price_is_bought():
    game = buy(["wealth/1/1"], ["wealth/2/4"])
    assert chosen("valued", game, wealth=3.0, money=0.9) == "buy legion 2"
    assert chosen("valued", game, wealth=3.0, money=1.1) == "buy legion 1"


def test_nothing_is_bought_for_nothing():
    assert chosen("valued", buy(["wealth/1/0"])) == "pass"


def test_cards_that_cannot_be_played_in_time_are_worth_less():
    """Ten cards at 1.6 a turn with one turn left: 0.16 of the card's worth."""
    game = buy(["wealth/1/1"], hand=["senator/1/1"] * 9, **LAST_ROUND)
    assert money_limit(game, "buy legion 1", wealth=3.0) == is_about(0.16 * 3)


def test_with_many_rounds_left_a_full_hand_is_no_matter():
    game = buy(["wealth/1/1"], hand=["senator/1/1"] * 9, deck=58)
    assert money_limit(game, "buy legion 1", wealth=3.0) == is_about(3)


FLEET = dict(fleet=2.0)


def test_a_fleet_that_no_land_allows_is_worth_less():
    assert money_limit(buy(["fleet/1/1"]), "buy legion 1", **FLEET) == is_about(0.4 * 2)


@pytest.mark.parametrize("where", ["show", "hand"])
def test_a_fleet_that_land_on_the_table_or_in_hand_allows_is_worth_all(where):
    game = buy(["fleet/1/1"], **{where: ["land/1/1"]})
    assert money_limit(game, "buy legion 1", **FLEET) == is_about(2)


def test_land_in_hand_adds_to_land_on_the_table():
    game = buy(["fleet/2/1"], show=["land/1/1"], hand=["land/1/1"])
    assert money_limit(game, "buy legion 1", **FLEET) == is_about(4)


def test_intrigue_in_hand_allows_a_fleet_if_it_is_to_be_played_at_all():
    game = buy(["fleet/1/1"], hand=["intrigue/1/1"])
    assert money_limit(game, "buy legion 1", **FLEET) == is_about(0.4 * 2)
    assert money_limit(game, "buy legion 1", intrigue=0.1, **FLEET) == is_about(2)


def test_land_and_intrigue_are_not_added_up():
    game = buy(["fleet/2/1"], hand=["intrigue/1/1", "land/1/1"])
    assert money_limit(game, "buy legion 1", intrigue=0.1, **FLEET) == is_about(0.4 * 4)


# --- play -----------------------------------------------------------------------------------


def test_a_card_is_played_for_more_than_the_income_it_costs():
    """A first card brings 1 where playing nothing brings 2."""
    assert money_limit(play("wealth/1/1"), "play wealth/1/1", wealth=3.0) == is_about(3)


def test_a_long_row_pays_for_a_card_that_is_not_wanted():
    game = play("wealth/1/1", show=["wealth/1/1"] * 3)
    found = turning_point("valued", game, "money", "stop", wealth=-1.0)
    assert found == is_about(1 / (4 - 2))


def test_a_senator_brings_one_more():
    game = play("senator/1/1", show=["senator/1/1"])
    found = turning_point("valued", game, "money", "stop", senator=-1.0)
    assert found == is_about(1 / (3 - 2))


def test_intrigue_costs_the_whole_income():
    game = play("intrigue/1/1")
    assert money_limit(game, "play intrigue/1/1", intrigue=3.0) == is_about(3 / 2)


def test_the_second_card_of_a_turn_costs_an_aureus_and_may_lengthen_no_row():
    game = play("wealth/1/1", "land/1/1")
    choose(game, "play wealth/1/1")
    assert money_limit(game, "play land/1/1", land=3.0) == is_about(3)


def test_only_the_rows_of_cards_played_in_this_turn_are_paid_for():
    """The four of religion rest: land lengthens the row that counts from 1 to 3, for an Aureus."""
    shown = ["religion/1/1"] * 4 + ["land/1/1"] * 2
    game = play("wealth/1/1", "land/1/1", show=shown)
    choose(game, "play wealth/1/1")
    found = turning_point("valued", game, "money", "stop", land=-1.0)
    assert found == is_about(1 / (3 - 1 - 1))


def test_intrigue_after_a_card_costs_its_price_and_the_income_of_the_turn():
    game = play("wealth/1/1", "intrigue/1/1", show=["wealth/1/1"])
    choose(game, "play wealth/1/1")
    assert money_limit(game, "play intrigue/1/1", intrigue=3.0) == is_about(3 / (1 + 2))


def test_the_card_that_brings_most_is_played_first():
    game = play("land/1/1", "wealth/1/1", "religion/1/1")
    assert chosen("valued", game, land=1.0, wealth=3.0, religion=2.0) == "play wealth/1/1"


def test_nothing_is_played_that_brings_nothing():
    assert chosen("valued", play("wealth/1/1"), money=0.0) == "stop"


@pytest.mark.parametrize(("opens", "income"), [("land/1/1", 1), ("intrigue/1/1", 2)])
def test_land_or_intrigue_is_played_for_the_fleet_that_it_allows(opens, income):
    """Four fifths of the fleet's worth, less the income lost."""
    game = play(opens, "fleet/1/1")
    assert money_limit(game, f"play {opens}", **FLEET) == is_about(0.8 * 2 / income)


def test_the_best_of_the_fleets_that_it_allows_counts_and_not_their_sum():
    game = play("land/2/2", "fleet/1/1", "fleet/2/3", "army/1/1")
    found = money_limit(game, "play land/2/2", fleet=2.0, army=3.0)
    assert found == is_about(0.8 * 4)


def test_land_that_allows_too_little_is_not_played_for_a_fleet():
    assert chosen("valued", play("land/1/1", "fleet/2/3"), **FLEET) == "stop"


def test_land_is_not_played_for_a_fleet_that_is_allowed_already():
    game = play("land/1/1", "fleet/1/1", show=["land/1/1", "land/1/1"])
    assert chosen("valued", game, fleet=2.0, money=0.1) == "play fleet/1/1"
    dear = play("land/1/1", "fleet/1/1", show=["land/2/3"])
    assert chosen("valued", dear, fleet=2.0, money=3.0) == "stop"


def test_land_is_not_played_for_an_allowed_fleet_beside_one_that_it_cannot_allow():
    """The second land keeps the income, the fleet costs an Aureus of it and is worth two."""
    game = play("land/1/1", "fleet/1/1", "fleet/4/3", show=["land/1/1"])
    assert chosen("valued", game, fleet=2.0, money=1.0) == "play fleet/1/1"


# --- react ----------------------------------------------------------------------------------


@pytest.mark.parametrize("price", [1, 2, 3])
def test_the_price_of_a_reaction_is_weighed(price):
    game = react("wealth/1/1", price=price)
    assert money_limit(game, "react wealth/1/1", wealth=3.0) == is_about(3 / price)


def test_a_reaction_that_costs_nothing_is_taken_for_what_it_brings():
    game = react("wealth/1/1", price=0)
    assert chosen("valued", game, wealth=0.1, money=60.0) == "react wealth/1/1"
    assert chosen("valued", game, wealth=0.0, money=60.0) == "pass"


def test_no_income_is_counted_on_in_a_reaction():
    game = react("wealth/1/1", show=["wealth/1/1"] * 3)
    assert money_limit(game, "react wealth/1/1", wealth=3.0) == is_about(3)


def test_the_best_card_is_the_one_to_react_with():
    game = react("land/1/1", "wealth/1/1")
    assert chosen("valued", game, land=1.0, wealth=2.0) == "react wealth/1/1"


# --- values are made once a turn ------------------------------------------------------------


def test_wishes_hold_for_a_whole_turn():
    game = play("wealth/1/1", "land/1/1")
    assert chosen_and_noted("valued", game, wealth=3.0) == "play wealth/1/1"
    assert chosen_and_noted("valued", game, land=3.0) == "play wealth/1/1"


def test_wishes_are_made_anew_in_the_next_round():
    game = play("wealth/1/1", "land/1/1")
    chosen_and_noted("valued", game, wealth=3.0)
    game.record["table"]["round"] += 1
    assert chosen_and_noted("valued", game, land=3.0) == "play land/1/1"


def test_wishes_are_made_anew_at_every_decision_of_the_draft():
    game = keep("wealth/1/1", "land/1/1")
    chosen_and_noted("valued", game, wealth=3.0)
    assert chosen_and_noted("valued", game, land=3.0) == "keep land/1/1"
    game = display("land/1/1", "senator/2/3", "wealth/1/1")
    chosen_and_noted("valued", game, wealth=3.0)
    assert chosen_and_noted("valued", game, land=3.0) == "display land/1/1"


OLD = dict(wealth=3.0, fleet=3.0, intrigue=3.0, land=3.0, extra_land=3.0, rome_wealth=-9.0,
           rome_land=-9.0, money=0.0, peek=1.0)  # fmt: skip


@pytest.mark.parametrize(
    ("situation", "forgotten"),
    [
        (lambda: play("wealth/1/1"), "stop"),
        (lambda: play("intrigue/1/1"), "stop"),
        (lambda: play("land/1/1"), "stop"),
        (lambda: play("fleet/1/1", show=["land/1/1"]), "stop"),
        (lambda: buy(["wealth/1/1"]), "pass"),
        (lambda: buy(["land/1/1"]), "pass"),
        (lambda: turn(), "turn"),
    ],
)
def test_old_wishes_are_forgotten_when_new_ones_are_made(situation, forgotten):
    """Whoever values for religion alone in this round does not get what the last round wished."""
    game = situation()
    chosen_and_noted("valued", game, **OLD)
    game.record["table"]["round"] += 1
    assert chosen_and_noted("single_term", game, which=terms.FORESIGHT, a=1.0) == forgotten
