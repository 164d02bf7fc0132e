"""The second half of a turn: play and income; primus conspiratus and senators."""

import pytest
from support.decisions import play
from support.positions import (
    bare_game,
    bare_solo,
    choose,
    give_money,
    give_primus,
    lay_display,
    lay_hand,
    lay_legion,
    money_of,
    seat_of,
    texts,
)

from paxsim.cards import ARMY, FLEET, WEALTH

A, B, C = "wealth/1/1", "land/1/2", "religion/2/3"

# --- play -----------------------------------------------------------------------------------


def test_the_nth_card_of_a_turn_costs_one_aureus_less_than_n():
    game = bare_game()
    lay_hand(game, 1, *[B] * 5)
    give_money(game, 1, 6)
    choose(game, "turn")
    left = []
    for _ in range(4):
        choose(game, f"play {B}")
        left.append(money_of(game, 1))
    # The fourth card leaves nothing, so the turn ends by itself with the income of four lands.
    assert left == [6, 5, 3, 0 + 4]
    assert seat_of(game, 1)["hand"] == [B] and game.seat == 2


def test_cards_are_paid_out_of_money_held_before_the_income():
    game = bare_game()
    lay_display(game, 1, *[B] * 6)
    lay_hand(game, 1, B, B)
    give_money(game, 1, 0)
    choose(game, "turn", f"play {B}")
    assert seat_of(game, 1)["hand"] == [B]  # the second would have cost 1 of the 7 to come
    assert money_of(game, 1) == 7


@pytest.mark.parametrize("military", ["fleet", "army"])
@pytest.mark.parametrize(
    ("display", "symbols", "allowed"),
    [
        ([], 1, False),
        (["land/1/1"], 1, True),
        (["land/1/1"], 2, False),
        (["intrigue/2/3"], 2, True),
        (["land/1/1", "intrigue/1/1"], 2, False),  # the larger one, not the sum
        (["land/1/1", "intrigue/2/3"], 2, True),
        (["land/2/3", "land/1/1", "intrigue/1/1"], 3, True),
        (["senator/2/4", "wealth/2/4", "religion/2/4"], 1, False),
    ],
)
def test_fleets_and_armies_may_not_exceed_the_larger_of_land_and_intrigue(
    military, display, symbols, allowed
):
    game = bare_game()
    lay_display(game, 1, *display)
    lay_hand(game, 1, f"{military}/{symbols}/4", A)
    choose(game, "turn")
    assert (f"play {military}/{symbols}/4" in texts(game)) == allowed
    assert f"play {A}" in texts(game)


@pytest.mark.parametrize(("military", "other"), [("fleet", "army"), ("army", "fleet")])
def test_symbols_already_displayed_count_towards_the_limit_of_their_own_category(military, other):
    game = bare_game()
    lay_display(game, 1, "land/2/3", f"{military}/1/1")
    lay_hand(game, 1, f"{military}/2/3", f"{military}/1/2", f"{other}/2/4")
    choose(game, "turn")
    assert texts(game) == [f"play {military}/1/2", f"play {other}/2/4", "stop"]


def test_a_start_display_over_the_limit_hinders_fleets_and_armies_only():
    start = ["army/2/4", "army/1/1", "fleet/1/1"]
    hand = ["army/1/1", "fleet/1/2", "land/2/3", "wealth/1/1"]
    game = bare_solo(3, display=start, hand=hand, money=50)
    while game.decision == "buy":
        choose(game, "pass")
    playable = texts(game)
    assert "play wealth/1/1" in playable and "play land/2/3" in playable
    assert "play army/1/1" not in playable and "play fleet/1/2" not in playable
    choose(game, "play land/2/3")
    assert "play fleet/1/2" in texts(game)  # 2 fleets of 2
    assert "play army/1/1" not in texts(game)  # 4 armies of 2


# --- income ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("display", "played", "income"),
    [
        ([], ["wealth/2/4"], 1),  # cards, not symbols
        (["wealth/2/4", "wealth/2/4"], ["wealth/1/1"], 3),
        (["religion/1/1"] * 4, ["wealth/1/1"], 1),  # only categories just extended
        (["religion/1/1"] * 4 + ["land/1/1"], ["wealth/1/1", "land/1/1"], 2),
        ([], ["land/1/1", "land/1/2"], 2),
        (["senator/1/1"], ["senator/1/1"], 3),  # 2 cards, and 1 for the senator
        ([], ["senator/1/1", "senator/1/2"], 3),  # 1 more however many senators
        (["senator/1/1"] * 3, ["wealth/1/1"], 1),  # none was played this turn
        (["wealth/1/1"] * 4, ["wealth/1/1", "senator/1/1"], 6),
        (["intrigue/1/1"] * 4, ["intrigue/1/1"], 0),
        (["wealth/1/1"] * 4, ["wealth/1/1", "senator/1/1", "intrigue/1/1"], 0),
        (["wealth/1/1"] * 4, ["intrigue/1/1", "wealth/1/1"], 0),  # in any order
        (["intrigue/1/1"] * 4, ["wealth/1/1"], 1),
    ],
)
def test_income_counts_the_cards_of_the_largest_category_just_extended(display, played, income):
    game = bare_game()
    lay_display(game, 1, *display)
    lay_hand(game, 1, *played, "religion/1/1")
    give_money(game, 1, 10)
    choose(game, "turn", *(f"play {name}" for name in played), "stop")
    price = sum(range(len(played)))
    assert money_of(game, 1) == 10 - price + income


@pytest.mark.parametrize("hand", [[], ["land/1/1"]])
def test_a_turn_without_a_card_played_pays_two(hand):
    game = bare_game()
    lay_hand(game, 1, *hand)
    choose(game, "turn", *["stop"] * len(hand))
    assert money_of(game, 1) == 7


def test_the_incomes_are_rules():
    game = bare_game(rules={"basic_income": 4, "senator_income": 3})
    lay_hand(game, 2, "senator/1/1")
    choose(game, "turn", "turn", "play senator/1/1")
    assert money_of(game, 1) == 5 + 4
    assert money_of(game, 2) == 5 + 1 + 3


# --- primus conspiratus ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "card", "holder"),
    [
        ([], "intrigue/1/1", 2),
        ([], "senator/2/4", None),
        (["intrigue/2/3"], "intrigue/1/1", 1),
        (["intrigue/2/3"], "intrigue/2/1", 1),
        (["intrigue/2/3"], "intrigue/3/1", 2),
    ],
)
def test_primus_conspiratus_moves_at_once_and_only_to_strictly_more_intrigue(shown, card, holder):
    game = bare_game()
    lay_display(game, 1, *shown)
    give_primus(game, 1 if shown else None)
    lay_hand(game, 2, card, A)
    choose(game, "peek", "turn", f"play {card}")
    assert (game.decision, game.seat, game.state()["primus"]) == ("play", 2, holder)


# --- senators with five to eight players ----------------------------------------------------


def senator_played(players=5, rules=None, senators=1, hands=None, money=None):
    """Seat 1 plays senators and stops; the other seats have hands and money as given."""
    game = bare_game(players, rules=rules)
    lay_hand(game, 1, *["senator/1/1"] * senators, "religion/1/1")
    for seat, hand in (hands or {}).items():
        lay_hand(game, seat, *hand)
    for seat, aurei in (money or {}).items():
        give_money(game, seat, aurei)
    choose(game, "turn", *["play senator/1/1"] * senators, "stop")
    return game


def test_after_a_senator_the_others_may_play_one_card_each_in_clockwise_order():
    game = senator_played(hands={2: [A, A], 4: [B], 5: [C]})
    decisions = []
    while game.decision == "react":
        decisions.append((game.seat, texts(game)))
        game.apply(0)
    assert decisions == [
        (2, [f"react {A}", f"react {A}", "pass"]),
        (4, [f"react {B}", "pass"]),
        (5, [f"react {C}", "pass"]),
    ]
    assert (game.decision, game.seat) == ("turn", 2)
    assert [len(seat["hand"]) for seat in game.state()["seats"]] == [1, 1, 0, 0, 0]


def test_the_order_of_reactions_begins_left_of_the_active_seat():
    game = bare_game(5)
    for seat in range(1, 6):
        lay_hand(game, seat, A)
    lay_hand(game, 4, "senator/1/1")
    choose(game, "peek", "peek", "peek", "turn", "play senator/1/1")
    decisions = []
    while game.decision == "react":
        decisions.append(game.seat)
        choose(game, "pass")
    assert decisions == [5, 1, 2, 3]
    assert (game.decision, game.seat) == ("turn", 5)


def test_a_reaction_costs_one_aureus_and_brings_no_income():
    game = senator_played(hands={2: [B]})
    lay_display(game, 2, B, B)
    choose(game, f"react {B}")
    assert money_of(game, 2) == 4
    assert seat_of(game, 2)["cards"]["land"] == 3


def test_a_seat_that_cannot_pay_for_a_reaction_is_not_asked():
    game = senator_played(hands={2: [B], 3: [B]}, money={2: 0, 3: 1})
    assert game.seat == 3
    choose(game, f"react {B}")
    assert money_of(game, 3) == 0


def test_the_limits_hold_for_reactions():
    game = senator_played(hands={2: ["fleet/1/1", "army/1/1"], 3: ["army/1/1", "land/1/1"]})
    assert game.seat == 3  # seat 2 has nothing that it may play
    assert texts(game) == ["react land/1/1", "pass"]


def test_primus_conspiratus_moves_at_once_during_reactions():
    game = senator_played(hands={2: ["intrigue/1/1"], 3: ["intrigue/1/1"], 4: ["intrigue/2/3"]})
    holders = []
    while game.decision == "react":
        game.apply(0)
        holders.append(game.state()["primus"])
    assert holders == [2, 2, 4]


def test_reactions_come_once_a_turn_however_many_senators_were_played():
    game = senator_played(senators=2, hands={2: [A, A]})
    choose(game, f"react {A}")
    assert (game.decision, game.seat) == ("turn", 2)


def test_a_senator_played_as_a_reaction_triggers_nothing():
    game = senator_played(hands={2: ["senator/1/1"], 3: [A, A]})
    choose(game, "react senator/1/1", f"react {A}")
    assert (game.decision, game.seat) == ("turn", 2)
    assert money_of(game, 2) == 4


@pytest.mark.parametrize(
    ("players", "rules", "decision"),
    [
        (2, {}, "turn"),
        (4, {}, "turn"),
        (5, {}, "react"),
        (8, {}, "react"),
        (3, {"reactions": True}, "react"),
        (6, {"reactions": False}, "turn"),
    ],
)
def test_there_are_reactions_with_five_to_eight_players_or_by_rule(players, rules, decision):
    game = senator_played(players, rules=rules, hands={2: [A]})
    assert (game.decision, game.seat) == (decision, 2)


@pytest.mark.parametrize("price", [0, 3])
def test_the_price_of_a_reaction_is_a_rule(price):
    game = senator_played(rules={"reaction_price": price}, hands={2: [A]}, money={2: 3})
    choose(game, f"react {A}")
    assert money_of(game, 2) == 3 - price


@pytest.mark.parametrize(("before", "money"), [(False, 5 + 2), (True, 5)])
def test_a_rule_puts_reactions_before_or_after_the_income(before, money):
    game = senator_played(rules={"reactions_before_income": before}, hands={2: [A], 5: [A]})
    assert (game.decision, money_of(game, 1)) == ("react", money)
    choose(game, f"react {A}", f"react {A}")
    assert (game.decision, game.seat, money_of(game, 1)) == ("turn", 2, 5 + 2)


# --- what a played card changes -------------------------------------------------------------


@pytest.mark.parametrize(("step", "price"), [(1, 2), (2, 4), (3, 4), (4, 5)])
def test_wealth_that_is_played_gives_the_discount_of_the_rule_set(step, price):
    """Three symbols are played; the group of 5 costs less in the next round."""
    rules = {"discount_step": step}
    game = play("wealth/2/3", "wealth/1/1", money=1, rules=rules)
    choose(game, "play wealth/2/3", "play wealth/1/1")
    while game.decision != "turn" or game.seat != 2:
        choose(game, "stop")
    choose(game, "peek")
    lay_legion(game, 1, "army/2/5")
    for money, offered in ((price, True), (price - 1, False)):
        later = game.copy()
        later.record["seats"][0]["money"] = money
        later.record["table"]["deck_left"] = 0
        choose(later, "turn")
        assert ("buy legion 1" in texts(later)) == offered, f"{money} Aurei"


def test_land_and_intrigue_that_are_played_allow_the_larger_of_both_and_not_their_sum():
    game = play("land/1/1", "intrigue/1/1", "fleet/2/3", "fleet/1/1", "army/1/1", money=9)
    assert "play fleet/1/1" not in texts(game)
    choose(game, "play land/1/1", "play intrigue/1/1")
    assert "play fleet/1/1" in texts(game) and "play fleet/2/3" not in texts(game)
    choose(game, "play fleet/1/1")
    assert texts(game) == ["play army/1/1", "stop"], "two fleets would be beyond the limit"


def test_fleets_that_are_played_give_an_army_and_armies_a_fleet():
    hand = ("fleet/2/3", "fleet/1/1", "army/2/3", "army/1/1")
    game = play(*hand, show=["land/2/3", "land/2/3"], money=9)
    choose(game, "play fleet/2/3", "play fleet/1/1")
    assert game.score()["symbols"][0, [FLEET, ARMY]].tolist() == [3, 1]
    choose(game, "play army/2/3", "play army/1/1")
    assert game.score()["symbols"][0, [FLEET, ARMY]].tolist() == [4, 4]


def test_a_card_that_is_played_does_not_make_a_stronger_rival_forgotten():
    """The rival is above Rome in wealth, whatever others play after it."""
    rivals = {1: ["wealth/2/3", "wealth/1/1"]}
    game = play("wealth/1/1", rivals=rivals, rome=["wealth/2/3"])
    choose(game, "play wealth/1/1")
    assert not game.score()["rome_held"] >> WEALTH & 1
