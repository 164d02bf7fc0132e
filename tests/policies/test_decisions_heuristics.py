"""What each heuristic does in a few telling situations, and why.

Where not said otherwise it is the last round and Rome's hidden cards are known to be none, so that
a category takes one symbol more than Rome shows. Worths are in points: the price of a reaction up
to which a card is played.
"""

import math

import pytest
from support.situations import (
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


def worth(policy, card, money="thrift", params=None, **cards):
    """What a card is worth to a heuristic; 0 if it would not be played for nothing."""
    cards = {**LAST_ROUND, **cards}
    if chosen(policy, react(card, **cards), **{money: 0.0}, **(params or {})) == "pass":
        return 0.0
    return worth_of(policy, card, money, params, **cards)


def is_about(number):
    return pytest.approx(number, abs=1e-6)


def rounds_left(deck, players=2):
    return deck / (2.4 * players + 1)


def outlook(held):
    return 1 / (1 + math.exp(-1.2 * (held - 4 + 0.5)))


#: Rome has one symbol everywhere (two of fleets and armies would add to each other).
ROME = ["wealth/1/1", "fleet/1/1", "army/1/1", "religion/1/1", "senator/1/1", "land/1/1",
        "intrigue/1/1"]  # fmt: skip

# --- builder --------------------------------------------------------------------------------


def test_builder_shows_a_new_category_rather_than_growing_an_old_one():
    game = play("wealth/1/1", "senator/1/1", show=["wealth/1/1"], rome=ROME, **LAST_ROUND)
    assert chosen("builder", game) == "play senator/1/1"


def test_builder_values_breadth_and_ending_above_rome():
    assert worth("builder", "wealth/1/1") == is_about(2.5 + 2.0)
    assert worth("builder", "wealth/1/1", rome=ROME) == is_about(2.5 + 2.0 / 2)


def test_builder_values_land_a_little_for_what_it_allows():
    shown = ["land/2/3"]
    assert worth("builder", "land/1/1", show=shown) == is_about(0.3)


def test_builder_values_arms_in_themselves():
    shown = ["land/2/3", "land/2/3", "fleet/2/3"]
    assert worth("builder", "fleet/1/1", show=shown) == is_about(0.5)


def test_builder_pays_for_a_card_what_its_thrift_allows():
    """Worth 2 to it; 6 Aurei at 0.35 are too many, 5 are not."""
    shown = ["wealth/1/1"]
    dear = buy(["wealth/1/6"], show=shown, rome=ROME, money=9, **LAST_ROUND)
    fair = buy(["wealth/1/5"], show=shown, rome=ROME, money=9, **LAST_ROUND)
    assert (chosen("builder", dear), chosen("builder", fair)) == ("pass", "buy legion 1")


# --- economist ------------------------------------------------------------------------------

ROW = {"row": 10.0}


def economists_row(*hand, **cards):
    """The category that the economist adds to, of the cards in its hand."""
    return chosen("economist", react(*hand, **{**LAST_ROUND, **cards}), **ROW).split()[1]


def test_economist_counts_a_card_on_the_table_twice_a_card_in_hand_once():
    two, three = ["land/1/1"] + ["wealth/1/1"] * 2, ["land/1/1"] + ["wealth/1/1"] * 3
    assert economists_row(*two, show=["land/1/1"]) == "land/1/1", "3 against 2"
    assert economists_row(*three, show=["land/1/1"]) == "wealth/1/1", "alike, so the first"


def test_economist_counts_every_card_of_its_hand():
    hand = ["land/1/1", "religion/1/1", "religion/1/1", "religion/1/1"]
    assert economists_row(*hand, show=["land/1/1"]) == "religion/1/1"


def test_economist_builds_no_row_of_intrigue_or_arms():
    shown = ["intrigue/1/1"] * 3 + ["fleet/1/1"] * 2
    assert economists_row("intrigue/1/1", "fleet/1/1", "senator/1/1", show=shown) == "senator/1/1"


def test_economist_values_its_row_by_the_rounds_to_come_up_to_four():
    shown = ["senator/1/1"] * 2
    assert worth("economist", "senator/1/1", show=shown) == is_about(0.5)
    assert worth("economist", "senator/1/1", show=shown, deck=10) == is_about(
        0.5 * (1 + rounds_left(10))
    )
    rich = ["senator/1/1"] * 9
    assert worth("economist", "senator/1/1", show=rich, deck=100) == is_about(0.5 * 5)


def test_economist_does_not_value_what_is_not_its_row():
    shown = ["senator/1/1"] * 2
    assert worth("economist", "wealth/1/1", show=shown) == is_about(1.2 + 1.5)


# --- conspirator ----------------------------------------------------------------------------


def test_conspirator_plays_intrigue_although_it_costs_the_income():
    game = play("wealth/1/1", "intrigue/1/1", **LAST_ROUND)
    assert chosen("conspirator", game) == "play intrigue/1/1"


def test_conspirator_wants_a_margin_of_two_over_every_rival():
    shown, rivals = ["intrigue/2/3"], {1: ["intrigue/1/1"]}
    assert worth("conspirator", "intrigue/1/1", show=shown, rivals=rivals, primus=0) == is_about(2)
    shown = ["intrigue/2/3", "intrigue/1/1"]
    assert worth("conspirator", "intrigue/1/1", show=shown, rivals=rivals, primus=0) == 0


def test_conspirator_does_not_care_to_be_above_rome():
    assert worth("conspirator", "wealth/1/1") == is_about(0.3)
    assert worth("conspirator", "wealth/1/1", show=["wealth/1/1"], rome=ROME) == 0


def test_conspirator_leaves_rome_the_group_that_helps_it():
    """The senator is new, worth 0.3; that Rome gets a symbol where it is close is worth 0.33."""
    game = buy(["senator/1/0"], **LAST_ROUND)
    assert chosen("conspirator", game) == "pass"


# --- feeder ---------------------------------------------------------------------------------


def test_feeder_piles_up_below_the_legion_that_rome_takes():
    game = place(
        "senator/1/1", legions=[["wealth/1/1"], ["wealth/1/3"]], **LAST_ROUND | {"deck": 9}
    )
    assert chosen("feeder", game) == "place senator/1/1 legion 2"


def test_feeder_takes_the_lead_in_intrigue_with_a_margin_of_one():
    shown = ["intrigue/1/1"]
    assert worth("feeder", "intrigue/1/1") == is_about(0.3 + 1.6)
    assert worth("feeder", "intrigue/2/3", show=shown, primus=0) == 0
    assert worth("feeder", "intrigue/1/1", show=shown, rivals={1: shown}, primus=0) == is_about(1.6)


def test_feeder_feeds_where_the_conspirator_would_rather_wait_for_a_better_card():
    """1.5 and 0.5 for a symbol of senators, 2/3 of it as nobody has any, 0.6 of that below the
    legion; against half of what an average card is better, about 0.2."""
    game = place("senator/1/1", legions=[["wealth/1/3"]], deck=9, peeked=())
    assert chosen("feeder", game) == "place senator/1/1 legion 1"
    assert chosen("conspirator", game) == "place senator/1/1 to bottom"


# --- starver --------------------------------------------------------------------------------


def test_starver_buys_what_rome_would_take_and_nobody_needs():
    """It is above Rome in senators; the group is worth nothing but to Rome."""
    shown = ["senator/1/1"]
    game = buy(["senator/1/1"], show=shown, **LAST_ROUND)
    assert chosen("starver", game) == "buy legion 1"
    assert chosen("builder", game) == "pass"


def test_starver_wrests_a_category_from_rome_that_nobody_takes():
    assert worth("starver", "wealth/1/1", rome=ROME) == is_about(1.0 + 0.5 / 2 + 6.0 / 2)


def test_starver_leaves_a_category_to_the_rival_who_is_above_rome():
    rivals = {1: ["wealth/1/1"]}
    assert worth("starver", "wealth/1/1", rivals=rivals) == is_about(1.0 + 0.5)


def test_starver_lures_rome_to_a_poor_group():
    shown = ["senator/2/3", "senator/2/3", "senator/2/3"]
    cards = dict(legions=[["land/2/3"]], show=shown, money=0, deck=9, peeked=())
    game = place("senator/2/4", **cards)
    assert chosen("starver", game, hunger=9.0) == "place senator/2/4 legion 2"
    assert chosen("starver", game, hunger=0.0) == "place senator/2/4 to bottom"


def test_starver_values_land_for_the_arms_it_allows():
    shown = ["land/2/3"]
    assert worth("starver", "land/1/1", show=shown) == is_about(0.4)


# --- tribune --------------------------------------------------------------------------------


def claimed(*hand, **cards):
    """The categories of these cards that the tribune at seat 2 of 4 puts its focus on."""
    names = [card.split("/")[0] for card in hand]
    cards = {"players": 4, **LAST_ROUND, **cards}
    found = {}
    for name in names:
        usual = worth("tribune", f"{name}/1/1", params={"focus": 0.0}, **cards)
        found[name] = worth("tribune", f"{name}/1/1", **cards) - usual
    return sorted(name for name in names if found[name] > 1)


PEACEFUL = [f"{name}/1/1" for name in ("wealth", "religion", "senator", "land", "intrigue")]


def test_tribune_begins_with_the_categories_that_are_its_own_by_the_seating():
    """Categories are numbered; at seat 2 of four these are fleets and land."""
    game = react(*PEACEFUL, players=4, **LAST_ROUND)
    assert chosen("tribune", game) == "react land/1/1"
    shown = ["land/1/1"]
    fleet = worth("tribune", "fleet/1/1", players=4, show=shown)
    assert fleet == is_about(0.4 + 0.6 + 0.4 + 2.5)


def test_tribune_is_slower_to_claim_arms_which_need_land_besides():
    game = react("religion/2/3", "fleet/1/1", players=4, show=["land/1/1"], **LAST_ROUND)
    assert chosen("tribune", game, focus=9.0) == "react religion/2/3"


def test_tribune_at_another_seat_begins_with_other_categories():
    """Seat 1 of four: wealth and senators."""
    game = play(*PEACEFUL[1:], players=4, **LAST_ROUND)
    assert chosen("tribune", game) == "play senator/1/1"


def test_tribune_claims_two_categories_of_four_players_four_of_two():
    assert claimed(*PEACEFUL, show=["religion/2/3", "senator/2/3"]) == ["religion", "senator"]
    shown = ["religion/2/3", "senator/2/3", "wealth/2/3", "intrigue/2/3"]
    assert claimed(*PEACEFUL, players=2, show=shown) == [
        "intrigue", "religion", "senator", "wealth",
    ]  # fmt: skip


def test_tribune_gives_up_what_a_rival_shows_more_of():
    shown = ["religion/2/3", "senator/2/3"]
    rivals = {2: ["religion/2/3", "religion/1/1"]}
    assert claimed(*PEACEFUL, show=shown, rivals=rivals) == ["land", "senator"]


def test_tribune_counts_half_of_what_it_holds_in_hand():
    """Two symbols of wealth in hand, and three, against land's 0.9 by the seating."""
    cards = dict(players=4, **LAST_ROUND)
    two = react("religion/2/3", "wealth/1/1", "land/1/1", show=["senator/1/1"], **cards)
    assert chosen("tribune", two, focus=9.0) == "react religion/2/3"
    one = react("religion/1/1", "land/1/1", show=["senator/1/1"], **cards)
    assert chosen("tribune", one, focus=9.0) == "react land/1/1"


def test_tribune_wants_two_symbols_more_than_it_needs():
    cards = dict(players=4, show=["land/1/1"], **LAST_ROUND)
    usual = worth("tribune", "land/2/3", params={"focus": 0.0}, **cards)
    assert worth("tribune", "land/2/3", **cards) - usual == is_about(2 * 2.5)
    cards["show"] = ["land/2/3"]
    usual = worth("tribune", "land/2/3", params={"focus": 0.0}, **cards)
    assert worth("tribune", "land/2/3", **cards) - usual == is_about(1.2 * 2.5)


def test_tribune_starves_rome():
    shown = ["senator/2/3"] * 3
    game = buy(["senator/1/1"], show=shown, **LAST_ROUND)
    assert chosen("tribune", game, starve=4.0) == "buy legion 1"
    assert chosen("tribune", game, starve=0.0, focus=0.0) == "pass"


# --- admiral --------------------------------------------------------------------------------


def test_admiral_plays_land_for_the_fleet_in_its_hand():
    game = play("land/1/1", "wealth/1/1", "fleet/1/1", **LAST_ROUND)
    assert chosen("admiral", game) == "play land/1/1"


def test_admiral_wants_up_to_nine_symbols_of_each():
    shown = ["land/2/3"] * 6
    for arms in ("fleet", "army"):
        expected = 1.2 + 9.2 * (1.5 + 1.4)
        assert worth("admiral", f"{arms}/10/9", show=shown) == is_about(expected)


def test_admiral_values_land_by_what_it_allows():
    assert worth("admiral", "land/1/1", show=["land/2/3"]) == is_about(1.0)
    assert worth("admiral", "land/1/1", show=["land/2/3", "land/1/1"]) == 0
    shown = ["land/2/3", "land/1/1", "army/2/3"]
    assert worth("admiral", "land/2/3", show=shown) == is_about(2 * 1.0)


# --- merchant -------------------------------------------------------------------------------


def test_merchant_values_wealth_by_the_rounds_to_come():
    shown = ["wealth/1/1"] * 10
    for deck in (10, 40):
        found = worth("merchant", "wealth/1/1", show=shown, deck=deck)
        assert found == is_about(0.5 * rounds_left(deck) / 2)


def test_merchant_wants_no_discount_in_the_last_round():
    assert worth("merchant", "wealth/1/1", show=["wealth/1/1"]) == 0


def test_merchant_prefers_wealth_early_and_arms_late():
    shown = ["wealth/2/3", "wealth/2/3", "wealth/1/1", "land/2/3", "land/2/3", "fleet/2/3"]
    early = react("fleet/1/1", "wealth/1/1", show=shown, peeked=(), deck=20)
    late = react("fleet/1/1", "wealth/1/1", show=shown, **LAST_ROUND)
    assert chosen("merchant", early) == "react wealth/1/1"
    assert chosen("merchant", late) == "react fleet/1/1"


# --- augur ----------------------------------------------------------------------------------


def test_augur_values_religion_by_the_rounds_to_come_and_the_symbols_missing():
    shown = ["religion/1/1"] * 4 + ["wealth/1/1"]
    for deck in (10, 20):
        found = worth("augur", "religion/1/1", show=shown, deck=deck)
        assert found == is_about(0.5 * rounds_left(deck) / 2)


def test_augur_wants_no_foresight_beyond_three_cards():
    assert worth("augur", "religion/1/1", show=["religion/2/3"] * 3, deck=10) == 0


def test_augur_wrests_a_little():
    assert worth("augur", "wealth/1/1", rome=ROME) == is_about(1.5 + 2.0 / 2 + 1.0 / 2)
    shown = ["land/2/3"]
    assert worth("augur", "land/1/1", show=shown) == is_about(0.4)


# --- racer ----------------------------------------------------------------------------------


def test_racer_goes_where_least_is_missing():
    game = react("wealth/1/1", "senator/1/1", rome=["wealth/1/1"], **LAST_ROUND)
    assert chosen("racer", game) == "react senator/1/1"


def test_racer_values_being_above_rome_twice_as_much_as_others():
    assert worth("racer", "wealth/1/1", rome=ROME) == is_about(1.5 + 4.0 / 2)
    assert worth("racer", "land/1/1", show=["land/2/3"]) == is_about(0.3)


def test_racer_would_rather_not_let_rome_grow():
    """Half a point a symbol, two thirds of it where Rome is close: 0.33 against a price of 0.3."""
    game = buy(["senator/1/1"], show=["senator/1/1"], **LAST_ROUND)
    assert chosen("racer", game) == "buy legion 1"
    assert chosen("racer", game, thrift=0.34) == "pass"


# --- miser ----------------------------------------------------------------------------------


def test_miser_leaves_a_group_that_a_builder_pays_for():
    cards = dict(show=["wealth/1/1"], rome=ROME, money=9, **LAST_ROUND)
    game = buy(["wealth/1/3"], **cards)
    assert (chosen("miser", game), chosen("builder", game)) == ("pass", "buy legion 1")


def test_miser_takes_the_lead_in_intrigue_without_a_margin():
    shown = ["intrigue/1/1"]
    assert worth("miser", "intrigue/1/1", show=shown, rivals={1: shown}, primus=1) == is_about(0.8)
    assert worth("miser", "intrigue/1/1", show=shown, rivals={1: shown}, primus=0) == 0


def test_miser_values_points_as_they_are():
    assert worth("miser", "wealth/1/1", rome=ROME) == is_about(2.0 + 2.0 / 2)
    shown = ["land/2/3", "land/2/3", "fleet/2/3"]
    assert worth("miser", "fleet/1/1", show=shown) == is_about(0.8)
    assert worth("miser", "land/1/1", show=["land/2/3"]) == is_about(0.4)


# --- denier ---------------------------------------------------------------------------------

LEADER = {1: ["wealth/1/1", "senator/1/1"]}


def test_denier_takes_what_the_leader_does_not_show_yet():
    shown = ["wealth/2/3", "religion/2/3"]
    assert worth("denier", "religion/1/1", show=shown, rivals=LEADER) == is_about(0.8)
    assert worth("denier", "wealth/1/1", show=shown, rivals=LEADER) == 0


def test_denier_looks_at_the_leader_and_at_no_other_rival():
    shown = ["wealth/2/3", "religion/2/3"]
    rivals = {1: ["religion/1/1"], 2: ["wealth/1/1", "senator/1/1"], 3: ["religion/1/1"]}
    cards = dict(players=4, show=shown, rivals=rivals)
    assert worth("denier", "religion/1/1", **cards) == is_about(0.8)
    assert worth("denier", "wealth/1/1", **cards) == 0


def test_denier_denies_arms_in_any_case():
    shown = ["land/2/3", "land/2/3", "fleet/1/1"]
    rivals = {1: ["fleet/1/1", "senator/1/1"]}
    assert worth("denier", "fleet/1/1", show=shown, rivals=rivals) == is_about(0.6 + 0.8)


def test_denier_competes_for_primus_as_far_as_rome_is_likely_to_win():
    shown = ["land/1/1"]
    rivals = {1: ["intrigue/1/1"]}
    found = worth("denier", "intrigue/1/1", show=shown, rivals=rivals, primus=1)
    assert found == is_about(1.5 + 2.0 + 3.0 * outlook(5))


def test_denier_starves_rome_only_if_the_leader_would_win_with_it():
    shown = ["senator/1/1"]
    cards = dict(show=shown, rivals={1: ["senator/1/1"]}, money=9, **LAST_ROUND)
    group = ["senator/1/1"]
    assert chosen("denier", buy(group, primus=1, **cards), thrift=0.35) == "buy legion 1"
    assert chosen("denier", buy(group, primus=0, **cards), thrift=0.0) == "pass"


# --- opportunist ----------------------------------------------------------------------------


def test_opportunist_wants_primus_if_rome_looks_strong():
    found = worth("opportunist", "intrigue/1/1")
    points = 2.0 * (1 - outlook(7)) + 0.3 + 3.0 * (1 - outlook(7))
    assert found == is_about(points + 3.0 * outlook(7))


def test_opportunist_wants_points_if_rome_looks_weak():
    weak = 1 - outlook(1)
    shown = ["wealth/1/1", "religion/1/1", "senator/1/1", "land/2/3", "land/2/3", "intrigue/1/1",
             "army/1/1"]  # fmt: skip
    found = worth("opportunist", "fleet/1/1", show=shown)
    assert found == is_about(2.0 * weak + 0.3 + 3.0 * weak + 1.0 * weak)


def test_opportunist_leaves_rome_its_group_while_holding_primus_and_else_does_not():
    cards = dict(show=["senator/1/1"], money=9, **LAST_ROUND)
    assert chosen("opportunist", buy(["senator/1/1"], **cards)) == "buy legion 1"
    cards["show"] = ["senator/1/1", "intrigue/2/3"]
    assert chosen("opportunist", buy(["senator/1/1"], primus=0, **cards), thrift=0.0) == "pass"
    assert chosen("opportunist", buy(["senator/1/1"], primus=1, **cards)) == "buy legion 1"


def test_opportunist_plays_for_points_when_alone():
    game = alone("intrigue/1/1", "wealth/1/1", display=["intrigue/1/1"], deck=0)
    assert chosen("opportunist", game) == "play wealth/1/1"


# --- weighted -------------------------------------------------------------------------------

#: Every weight of the parametric policy at nothing.
NOTHING = dict.fromkeys(
    ["new", "stronger", "within_reach", "arms", "limit", "wrest", "row", "senator", "discount",
     "foresight", "primus", "primus_rome", "margin", "outlook_shift", "points_rome", "feed",
     "starve", "money_end"], 0.0,
)  # fmt: skip


def weighed(card, cards=None, **weights):
    return worth("weighted", card, "money", {**NOTHING, **weights}, **(cards or {}))


DECK = 29  # five rounds with two players


@pytest.mark.parametrize(
    ("weights", "card", "cards", "expected"),
    [
        ({"new": 2.0}, "wealth/1/1", {}, 2.0),
        ({"stronger": 3.0}, "wealth/1/1", {"rome": ROME}, 3.0 / 2),
        ({"within_reach": 3.0}, "wealth/1/1", {"rome": ROME}, 3.0),
        ({"within_reach": 3.0}, "wealth/1/1", {"rome": ROME * 2}, 0.0),
        ({"arms": 3.0}, "fleet/1/1", {"show": ["land/1/1"]}, 3.0),
        ({"limit": 3.0}, "land/1/1", {}, 3.0),
        ({"wrest": 3.0}, "wealth/1/1", {"rome": ROME}, 3.0 / 2),
        ({"row": 3.0}, "wealth/1/1", {"show": ["wealth/1/1"] * 2, "deck": DECK}, 3.0 * 2 * 5),
        ({"senator": 3.0}, "senator/1/1", {"deck": DECK}, 3.0 * 5),
        ({"discount": 3.0}, "wealth/1/1", {"deck": DECK}, 3.0 * 5 / 3),
        ({"foresight": 3.0}, "religion/1/1", {"deck": DECK}, 3.0 * 5 / 3),
        ({"primus": 3.0}, "intrigue/1/1", {}, 3.0),
        ({"primus": 3.0, "margin": 1.0}, "intrigue/2/3", {}, 6.0),
        ({"primus_rome": 3.0}, "intrigue/1/1", {}, 3.0 * outlook(7)),
        ({"primus_rome": 3.0, "outlook_shift": -4.0}, "intrigue/1/1", {}, 3.0 * outlook(3)),
        ({"new": 2.0, "points_rome": -0.5}, "wealth/1/1", {}, 2.0 * (1 - 0.5 * outlook(7))),
        ({"new": 2.0, "points_rome": -9.0}, "wealth/1/1", {}, 2.0 * 0.05),
        ({"arms": 2.0, "points_rome": -9.0}, "fleet/1/1", {"show": ["land/1/1"]}, 2.0 * 0.05),
        ({"limit": 2.0, "points_rome": -9.0}, "land/1/1", {}, 2.0 * 0.05),
        ({"wrest": 2.0, "points_rome": -9.0}, "wealth/1/1", {}, 2.0 * 0.05),
    ],
)  # fmt: skip
def test_weighted_makes_of_each_feature_what_its_weight_says(weights, card, cards, expected):
    assert weighed(card, cards, **weights) == is_about(expected)


@pytest.mark.parametrize(("deck", "worth_of_money"), [(0, 3.0 - 2.0), (DECK, 3.0 - 2.0 / 6)])
def test_weighted_changes_the_worth_of_money_towards_the_end(deck, worth_of_money):
    """A card worth as much as an Aureus is not reacted with, one worth a little more is."""
    game = react("wealth/1/1", **{**LAST_ROUND, "deck": deck})
    weights = {**NOTHING, "money": 3.0, "money_end": -2.0}
    below, above = worth_of_money - 0.001, worth_of_money + 0.001
    assert chosen("weighted", game, **{**weights, "new": below}) == "pass"
    assert chosen("weighted", game, **{**weights, "new": above}) == "react wealth/1/1"


def test_weighted_feeds_rome_with_primus_and_starves_it_without():
    cards = dict(show=["intrigue/1/1"], money=9, **LAST_ROUND)
    weights = {**NOTHING, "feed": 3.0, "starve": 3.0, "new": 1.0, "money": 0.5}
    group = ["senator/1/1"]
    assert chosen("weighted", buy(group, primus=0, **cards), **weights) == "pass"
    assert chosen("weighted", buy(group, primus=1, **cards), **weights) == "buy legion 1"
    idle = {**weights, "starve": 0.0, "new": 0.4}
    assert chosen("weighted", buy(group, primus=1, **cards), **idle) == "pass"


def test_weighted_does_not_give_up_points_for_rome_when_alone():
    """With others Rome's prospects make a new category worth a tenth; the Aureus costs one."""
    weights = {**NOTHING, "new": 2.0, "points_rome": -9.0, "money": 1.0}
    assert chosen("weighted", play("wealth/1/1", **LAST_ROUND), **weights) == "stop"
    assert chosen("weighted", alone("wealth/1/1", deck=0), **weights) == "play wealth/1/1"


def test_weighted_holds_primus_as_tuned():
    game = play("intrigue/1/1", "wealth/1/1", "senator/1/1", **LAST_ROUND)
    assert chosen("weighted", game) == "play intrigue/1/1"


# --- defender, loner -------------------------------------------------------------------------

FIGHT = ["new", "stronger", "arms", "limit", "wrest", "hold", "spare", "row", "senator",
         "discount", "foresight", "starve", "money_end"]  # fmt: skip
FIGHT_NOTHING = {
    "defender": {
        **dict.fromkeys([*FIGHT, "within_reach", "primus", "margin", "beaten"], 0.0),
        "contest": 1.0,
    },
    "loner": dict.fromkeys(FIGHT, 0.0),
    "answerer": {
        **dict.fromkeys([*FIGHT, "within_reach", "primus", "margin"], 0.0),
        **dict.fromkeys(["aside", "intrigue", "lead"], 0.0),
        "doubt": 0.5,
    },
}


@pytest.mark.parametrize("policy", FIGHT_NOTHING)
@pytest.mark.parametrize(
    ("weights", "card", "cards", "expected"),
    [
        ({"new": 3.0}, "wealth/1/1", {}, 3.0),
        ({"stronger": 3.0}, "wealth/1/1", {"rome": ROME}, 3.0 / 2),
        ({"arms": 3.0}, "fleet/1/1", {"show": ["land/1/1"]}, 3.0),
        ({"limit": 3.0}, "land/1/1", {}, 3.0),
        ({"wrest": 3.0}, "wealth/1/1", {"rome": ROME}, 3.0 / 2),
        ({"wrest": 3.0}, "wealth/1/1", {"rome": ROME, "rivals": {1: ["wealth/2/3"]}}, 0.0),
        ({"wrest": 3.0}, "wealth/1/1", {"rome": ROME, "rivals": {1: ["wealth/1/1"]}}, 3.0 / 2 / 2),
        ({"wrest": 3.0, "spare": 1.0}, "wealth/2/3", {"rome": ROME}, 2 * 3.0 / 2),
        ({"hold": 3.0, "spare": 2.0}, "wealth/1/1", {"show": ["wealth/1/1"]}, 3.0),
        ({"hold": 3.0, "spare": 2.0}, "wealth/1/1", {"show": ["wealth/2/3"] * 2}, 0.0),
        ({"hold": 3.0, "spare": 2.0}, "wealth/1/1", {"rivals": {1: ["wealth/1/1"]}}, 0.0),
        ({"row": 3.0}, "wealth/1/1", {"show": ["wealth/1/1"] * 2, "deck": DECK}, 3.0 * 2 * 5),
        ({"senator": 3.0}, "senator/1/1", {"deck": DECK}, 3.0 * 5),
        ({"discount": 3.0}, "wealth/1/1", {"deck": DECK}, 3.0 * 5 / 3),
        ({"foresight": 3.0}, "religion/1/1", {"deck": DECK}, 3.0 * 5 / 3),
    ],
)
def test_those_who_fight_rome_make_of_each_feature_what_its_weight_says(
    policy, weights, card, cards, expected
):
    found = worth(policy, card, "money", {**FIGHT_NOTHING[policy], **weights}, **cards)
    assert found == is_about(expected)


def test_defender_collects_intrigue_until_its_lead_is_wide_enough():
    nothing = {**FIGHT_NOTHING["defender"], "primus": 3.0, "margin": 1.0}
    rivals = {1: ["intrigue/2/3"]}
    for shown, expected in (("1/1", 3.0), ("2/3", 3.0)):
        cards = {"show": [f"intrigue/{shown}"], "rivals": rivals, "primus": 1}
        assert worth("defender", "intrigue/1/1", "money", nothing, **cards) == is_about(expected)
    far = {"show": ["intrigue/2/3", "intrigue/2/3"], "rivals": rivals, "primus": 0}
    assert worth("defender", "intrigue/1/1", "money", nothing, **far) == 0


def test_defender_contests_fleets_and_armies_less_than_all_else():
    weights = {**FIGHT_NOTHING["defender"], "wrest": 3.0, "contest": 0.25}
    cards = {"show": ["land/1/1"], "rome": ROME}
    for card, expected in (("fleet", 0.25), ("army", 0.25), ("wealth", 1.0), ("land", 1.0)):
        need = 1 if card == "land" else 2
        found = worth("defender", f"{card}/1/1", "money", weights, **cards)
        assert found == is_about(expected * 3.0 / need)


def test_defender_lets_rome_take_fleets_and_armies_rather_than_all_else():
    nothing = {**FIGHT_NOTHING["defender"], "money": 1.0, "starve": 9.0}
    for taken, contest, expected in (
        ("fleet", 1.0, "buy legion 1"), ("fleet", 0.0, "pass"), ("army", 0.0, "pass"),
        ("senator", 0.0, "buy legion 1"),
    ):  # fmt: skip
        game = buy([f"{taken}/1/1"], **LAST_ROUND)
        found = chosen("defender", game, **{**nothing, "contest": contest})
        assert found == expected, (taken, contest)


@pytest.mark.parametrize(
    ("weights", "card", "worth_then"),
    [({"new": 3.0}, "wealth/1/1", 3.0), ({"arms": 3.0}, "fleet/1/1", 3.0)],
)
def test_points_count_more_to_defender_the_more_rome_looks_beaten(weights, card, worth_then):
    weights = {**FIGHT_NOTHING["defender"], **weights, "beaten": 2.0}
    rivals = ["senator/2/3", "land/2/3", "religion/2/3", "intrigue/2/3", "army/2/3"]
    for beaten_in in (0, 3, 5):
        cards = {"show": ["land/1/1"], "rivals": {1: rivals[:beaten_in]}}
        held = 7 - len({"land", *(name.partition("/")[0] for name in rivals[:beaten_in])})
        expected = worth_then * (1 + 2.0 * (1 - outlook(held)))
        assert worth("defender", card, "money", weights, **cards) == is_about(expected), beaten_in


def test_loner_leaves_the_lead_in_intrigue_to_the_others():
    cards = {"show": ["intrigue/2/3"], "rivals": {1: ["intrigue/2/3"]}, "rome": ROME, "primus": 1}
    weights = {"money_end": 0.0, "hold": 0.0}
    assert worth("loner", "intrigue/1/1", "money", weights, **cards) < 0.01


@pytest.mark.parametrize("policy", FIGHT_NOTHING)
def test_those_who_fight_rome_buy_what_it_would_take(policy):
    game = buy(["senator/1/1"], show=["senator/2/3"], **LAST_ROUND)
    nothing = {**FIGHT_NOTHING[policy], "money": 1.0}
    assert chosen(policy, game, **{**nothing, "starve": 9.0}) == "buy legion 1"
    assert chosen(policy, game, **nothing) == "pass"


@pytest.mark.parametrize("policy", FIGHT_NOTHING)
def test_those_who_fight_rome_spend_their_last_money(policy):
    """The worth of an Aureus falls towards the end, where it buys nothing any more."""
    weights = {**FIGHT_NOTHING[policy], "new": 2.0, "money": 1.0, "money_end": -1.0}
    late, early = ({"deck": 0, "peeked": ()}, {"deck": DECK, "peeked": ()})
    assert chosen(policy, buy(["wealth/1/4"], **late), **weights) == "buy legion 1"
    assert chosen(policy, buy(["wealth/1/4"], **early), **weights) == "pass"


# --- answerer -------------------------------------------------------------------------------

SCHEMERS = ["intrigue/2/3", "intrigue/2/3"]
BUILDERS = ["wealth/2/3", "senator/2/3", "intrigue/1/1"]


@pytest.mark.parametrize(
    ("rivals", "answer"),
    [
        ({1: SCHEMERS, 2: SCHEMERS, 3: SCHEMERS}, "intrigue/1/1"),
        ({1: SCHEMERS, 2: SCHEMERS, 3: BUILDERS}, "intrigue/1/1"),
        ({1: SCHEMERS, 2: BUILDERS, 3: BUILDERS}, "wealth/1/1"),
        ({1: BUILDERS, 2: BUILDERS, 3: BUILDERS}, "wealth/1/1"),
    ],
)
def test_answerer_conspires_if_most_rivals_do(rivals, answer):
    weights = {**FIGHT_NOTHING["answerer"], "new": 2.0, "intrigue": 5.0, "lead": 9.0, "money": 0.1}
    game = play("intrigue/1/1", "wealth/1/1", players=4, rivals=rivals, show=["intrigue/1/1"],
                **LAST_ROUND)  # fmt: skip
    assert chosen("answerer", game, **weights) == f"play {answer}"


@pytest.mark.parametrize(("doubt", "answer"), [(-0.3, "intrigue/1/1"), (0.3, "wealth/1/1")])
def test_answerer_takes_rivals_who_show_nothing_for_what_it_presumes(doubt, answer):
    weights = {**FIGHT_NOTHING["answerer"], "new": 2.0, "intrigue": 5.0, "lead": 9.0, "money": 0.1}
    game = play("intrigue/1/1", "wealth/1/1", players=4, show=["intrigue/1/1"], **LAST_ROUND)
    assert chosen("answerer", game, **{**weights, "doubt": doubt}) == f"play {answer}"


def test_answerer_feeds_rome_only_with_primus_in_hand_among_conspirators():
    weights = {**FIGHT_NOTHING["answerer"], "new": 0.4, "aside": 1.0, "feed": 9.0, "money": 0.1}
    group, rivals = ["senator/1/1"], {1: SCHEMERS}
    assert (
        chosen("answerer", buy(group, rivals=rivals, primus=0, **LAST_ROUND), **weights) == "pass"
    )
    for cards in ({"rivals": rivals, "primus": 1}, {"rivals": {1: BUILDERS}, "primus": 0}):
        game = buy(group, **cards, **LAST_ROUND)
        assert chosen("answerer", game, **weights) == "buy legion 1"


# --- peeking --------------------------------------------------------------------------------

#: Rome has nothing, and I have one symbol in five categories: what is hidden may decide.
CLOSE = ["wealth/1/1", "religion/1/1", "senator/1/1", "land/1/1", "intrigue/1/1"]


def peeks(rules=None, **situation):
    """Whether a defender peeks to whom that knowledge is worth 5, and a new category 1."""
    cards = {"show": CLOSE, "peeked": None, **situation}
    deck = cards.pop("deck", 6)
    game = with_deck(turn(rules=rules, **cards), deck)
    weights = {**FIGHT_NOTHING["defender"], "new": 1.0, "money": 1.0, "peek": 5.0}
    return chosen("defender", game, **weights) == "peek"


def test_peeking_is_worth_a_turn_if_the_hidden_cards_may_decide():
    assert peeks()
    assert not peeks(show=CLOSE[:3])  # Rome holds four categories for sure
    assert not peeks(rome=["wealth/2/3", "religion/2/3", "senator/2/3", "land/2/3"])
    assert not peeks(show=[f"{card.split('/')[0]}/2/3" for card in CLOSE for _ in (1, 2)])


def test_nobody_peeks_twice_nor_where_knowledge_comes_too_late():
    assert not peeks(peeked=())
    assert not peeks(deck=0)


def test_what_peeking_pays_counts_as_well():
    assert peeks(peeked=(), rules={"peek_income": 9})
    assert not peeks(rules={"peek_income": 0, "basic_income": 9})


# --- hermit ---------------------------------------------------------------------------------

HERMIT_NOTHING = dict.fromkeys(
    ["new", "urgency", "stronger", "arms", "limit", "row", "senator", "discount", "foresight",
     "starve", "money_end"], 0.0,
)  # fmt: skip


def test_hermit_grows_more_urgent_about_missing_categories_towards_the_end():
    nothing = {**HERMIT_NOTHING, "new": 0.4, "urgency": 28.0}
    for deck in (0, DECK):
        urgent = 0.4 + 28.0 / (1 + rounds_left(deck))
        found = worth("hermit", "intrigue/1/1", "money", nothing, deck=deck)
        assert found == is_about(urgent)


def test_hermit_shows_what_is_missing_rather_than_growing_a_row():
    game = alone("wealth/1/1", "senator/1/1", display=["wealth/1/1"], rome=["wealth/1/1"], deck=0)
    assert chosen("hermit", game) == "play senator/1/1"


@pytest.mark.parametrize(
    ("weights", "card", "cards", "expected"),
    [
        ({"stronger": 3.0}, "wealth/1/1", {"rome": ROME}, 3.0 / 2),
        ({"arms": 3.0}, "fleet/1/1", {"show": ["land/1/1"]}, 3.0),
        ({"limit": 3.0}, "land/1/1", {}, 3.0),
        ({"row": 3.0}, "wealth/1/1", {"show": ["wealth/1/1"] * 2, "deck": DECK}, 3.0 * 2 * 5),
        ({"senator": 3.0}, "senator/1/1", {"deck": DECK}, 3.0 * 5),
        ({"discount": 3.0}, "wealth/1/1", {"deck": DECK}, 3.0 * 5 / 3),
        ({"foresight": 3.0}, "religion/1/1", {"deck": DECK}, 3.0 * 5 / 3),
    ],
)
def test_hermit_makes_of_each_feature_what_its_weight_says(weights, card, cards, expected):
    assert worth("hermit", card, "money", {**HERMIT_NOTHING, **weights}, **cards) == is_about(
        expected
    )


def test_hermit_spends_its_last_money():
    """Money is worth 7.7 - 7.8 / (1 + rounds to come): at the end less than nothing."""
    shown = ["senator/1/1"]
    late = buy(["senator/1/5"], ["wealth/1/6"], show=shown, rome=["senator/2/3"], **LAST_ROUND)
    early = buy(["senator/1/5"], ["wealth/1/6"], show=shown, rome=["senator/2/3"], deck=DECK,
                peeked=())  # fmt: skip
    assert chosen("hermit", late) == "buy legion 1"
    assert chosen("hermit", early) == "pass"


def test_hermit_starves_rome():
    group, shown = ["senator/1/1"], ["senator/2/3"]
    game = buy(group, show=shown, **LAST_ROUND)
    nothing = {"money": 1.0, "money_end": 0.0}
    assert chosen("hermit", game, **nothing) == "buy legion 1"
    assert chosen("hermit", game, starve=0.0, **nothing) == "pass"


# --- all of them ----------------------------------------------------------------------------


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
def test_the_card_kept_in_the_draft(policy, kept):
    """Of one card of each category; a fleet counts as a category and in itself."""
    cards = ["wealth/1/2", "religion/1/2", "senator/1/2", "land/1/2", "intrigue/1/2", "fleet/1/2"]
    assert chosen(policy, keep(*cards, deck=40)) == f"keep {kept}/1/2"
