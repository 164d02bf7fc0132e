"""The second half of a turn: play and income; primus conspiratus and senators."""

import pytest
from support.positions import (
    bare_game,
    bare_solo,
    choose,
    give_money,
    give_primus,
    lay_display,
    lay_hand,
    money_of,
    seat_of,
    texts,
)

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


def test_prices_begin_anew_every_turn():
    game = bare_game()
    lay_hand(game, 1, B, B, B)
    lay_hand(game, 2, B)
    give_money(game, 2, 0)
    choose(game, "turn", f"play {B}", f"play {B}", "stop", "turn")
    assert texts(game) == [f"play {B}", "stop"]
    choose(game, f"play {B}")
    assert money_of(game, 2) == 1  # the income of one land, nothing paid


def test_nobody_has_to_play():
    game = bare_game()
    lay_hand(game, 1, B)
    choose(game, "turn", "stop")
    assert seat_of(game, 1)["hand"] == [B] and game.seat == 2


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


def test_a_land_played_first_counts_for_a_fleet_in_the_same_turn():
    game = bare_game()
    lay_hand(game, 1, "fleet/1/1", "land/1/1")
    choose(game, "turn")
    assert texts(game) == ["play land/1/1", "stop"]
    choose(game, "play land/1/1")
    assert texts(game) == ["play fleet/1/1", "stop"]


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


def test_the_first_intrigue_takes_primus_conspiratus_at_once():
    game = bare_game()
    lay_hand(game, 1, "intrigue/1/1", A)
    choose(game, "turn", "play intrigue/1/1")
    assert (game.decision, game.seat) == ("play", 1)
    assert game.state()["primus"] == 1


@pytest.mark.parametrize(("symbols", "holder"), [(1, 1), (2, 1), (3, 2)])
def test_primus_conspiratus_moves_only_to_strictly_more_intrigue(symbols, holder):
    game = bare_game()
    lay_display(game, 1, "intrigue/2/3")
    give_primus(game, 1)
    lay_hand(game, 2, f"intrigue/{symbols}/1", A)
    choose(game, "peek", "turn", f"play intrigue/{symbols}/1")
    assert game.state()["primus"] == holder


def test_the_holder_keeps_primus_conspiratus_when_playing_more_intrigue():
    game = bare_game()
    lay_display(game, 1, "intrigue/1/1")
    give_primus(game, 1)
    lay_hand(game, 1, "intrigue/1/1", A)
    choose(game, "turn", "play intrigue/1/1")
    assert game.state()["primus"] == 1


def test_other_cards_do_not_move_primus_conspiratus():
    game = bare_game()
    lay_hand(game, 1, "senator/2/4", "land/2/4", A)
    choose(game, "turn", "play senator/2/4", "play land/2/4")
    assert game.state()["primus"] is None


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
    asked = []
    while game.decision == "react":
        asked.append((game.seat, texts(game)))
        game.apply(0)
    assert asked == [
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
    asked = []
    while game.decision == "react":
        asked.append(game.seat)
        choose(game, "pass")
    assert asked == [5, 1, 2, 3]
    assert (game.decision, game.seat) == ("turn", 5)


def test_a_reaction_costs_one_aureus_and_brings_no_income():
    game = senator_played(hands={2: [B]})
    lay_display(game, 2, B, B)
    choose(game, f"react {B}")
    assert money_of(game, 2) == 4
    assert seat_of(game, 2)["cards"]["land"] == 3


def test_whoever_cannot_pay_for_a_reaction_is_not_asked():
    game = senator_played(hands={2: [B], 3: [B]}, money={2: 0, 3: 1})
    assert game.seat == 3
    choose(game, f"react {B}")
    assert money_of(game, 3) == 0


def test_passing_a_reaction_costs_nothing():
    game = senator_played(hands={2: [B]})
    choose(game, "pass")
    assert money_of(game, 2) == 5 and seat_of(game, 2)["hand"] == [B]


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


def test_without_a_senator_nobody_reacts():
    game = bare_game(5)
    lay_hand(game, 1, A)
    lay_hand(game, 2, A)
    lay_display(game, 1, "senator/2/4")
    choose(game, "turn", f"play {A}")
    assert (game.decision, game.seat) == ("turn", 2)


@pytest.mark.parametrize(
    ("players", "decision"), [(2, "turn"), (4, "turn"), (5, "react"), (8, "react")]
)
def test_there_are_reactions_with_five_to_eight_players_only(players, decision):
    game = senator_played(players, hands={2: [A]})
    assert (game.decision, game.seat) == (decision, 2)


@pytest.mark.parametrize(("players", "reactions"), [(3, True), (6, False)])
def test_reactions_are_a_rule(players, reactions):
    game = senator_played(players, rules={"reactions": reactions}, hands={2: [A]})
    assert game.decision == ("react" if reactions else "turn")


@pytest.mark.parametrize("price", [0, 3])
def test_the_price_of_a_reaction_is_a_rule(price):
    game = senator_played(rules={"reaction_price": price}, hands={2: [A]}, money={2: 3})
    choose(game, f"react {A}")
    assert money_of(game, 2) == 3 - price


@pytest.mark.parametrize(("before", "money"), [(False, 5 + 2), (True, 5)])
def test_whether_reactions_come_before_the_income_is_a_ruling(before, money):
    game = senator_played(rules={"reactions_before_income": before}, hands={2: [A], 5: [A]})
    assert (game.decision, money_of(game, 1)) == ("react", money)
    choose(game, f"react {A}", f"react {A}")
    assert (game.decision, game.seat, money_of(game, 1)) == ("turn", 2, 5 + 2)
