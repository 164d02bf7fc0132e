"""The first half of a turn: peek, or draw and buy."""

from itertools import permutations

import pytest
from support.positions import (
    bare_game,
    choose,
    give_money,
    lay_deck,
    lay_display,
    lay_legion,
    lay_rome,
    money_of,
    seat_of,
    texts,
)

import paxsim

A, B, C, D = "wealth/1/1", "land/1/2", "religion/2/3", "senator/2/4"

# --- peek -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "money"), [({}, 7), ({"peek_income": 6}, 11)])
def test_peeking_pays_and_is_the_whole_turn(rules, money):
    game = bare_game(rules=rules)
    lay_deck(game, A, B, C)
    lay_legion(game, 1, D)
    assert texts(game) == ["turn", "peek"]
    choose(game, "peek")
    assert money_of(game, 1) == money
    assert (game.decision, game.seat) == ("turn", 2)
    assert game.state()["deck"] == [A, B, C] and game.state()["legions"][0] == [D]


def test_peeking_shows_romes_hidden_cards_to_that_seat_alone():
    game = bare_game()
    lay_rome(game, hidden=["army/2/4", "army/1/2", "land/1/1"])
    choose(game, "peek")
    peeked = [seat["rome_hidden"].tolist()[:7] for seat in game.record["seats"][:2]]
    assert peeked == [[0, 0, 3, 0, 0, 1, 0], [0] * 7]
    assert [seat["peeked"] for seat in game.state()["seats"]] == [True, False]


def test_there_is_no_peeking_in_solo():
    game = paxsim.Game(solo_level=1, seed=4)
    while not game.over:
        assert game.decision != "turn" and "peek" not in texts(game)
        game.apply(0)


# --- draw -----------------------------------------------------------------------------------


def places(name, *targets):
    return [f"place {name} {target}" for target in targets]


LEGIONS = ("legion 1", "legion 2", "legion 3")


@pytest.mark.parametrize("order", list(permutations(["to hand", "to bottom", "legion 2"])))
def test_of_three_drawn_cards_one_each_goes_to_hand_legion_and_bottom_in_any_order(order):
    game = bare_game()
    lay_deck(game, A, B, C, D)
    choose(game, "turn")
    assert texts(game) == places(A, "to hand", "to bottom", *LEGIONS)
    choose(game, f"place {A} {order[0]}")
    if len(game.options()) > 1 and game.decision == "place":
        assert all(B in text for text in texts(game))  # the next card is drawn only now
        choose(game, f"place {B} {order[1]}")
    if game.decision == "place":  # where but one place is left there is nothing to decide
        choose(game, f"place {C} {order[2]}")
    where = dict(zip(order, (A, B, C), strict=True))
    state = game.state()
    assert state["seats"][0]["hand"] == [where["to hand"]]
    assert state["legions"] == [[], [where["legion 2"]], []]
    assert state["deck"] == [D, where["to bottom"]]


@pytest.mark.parametrize("taken", ["to hand", "to bottom", "legion 3"])
def test_a_place_that_has_its_card_is_closed_for_the_rest_of_the_draw(taken):
    game = bare_game()
    lay_deck(game, A, B, C)
    choose(game, "turn", f"place {A} {taken}")
    closed = LEGIONS if taken.startswith("legion") else (taken,)
    left = [place for place in ("to hand", "to bottom", *LEGIONS) if place not in closed]
    assert texts(game) == places(B, *left)


@pytest.mark.parametrize("symbols", [3, 4, 5])
def test_three_religion_symbols_draw_two_cards_together_none_of_which_may_go_to_the_hand(symbols):
    game = bare_game()
    lay_display(game, 1, "religion/2/3", *["religion/1/1"] * (symbols - 2))
    lay_deck(game, A, B, C, D)
    choose(game, "turn")
    assert texts(game) == places(A, "to bottom", *LEGIONS) + places(B, "to bottom", *LEGIONS)
    choose(game, f"place {B} legion 1")
    assert texts(game) == places(A, "to hand", "to bottom") + places(C, "to hand", "to bottom")
    choose(game, f"place {C} to hand")
    assert seat_of(game, 1)["hand"] == [C]
    assert game.state()["deck"] == [D, A]
    assert game.state()["legions"][0] == [B]


def test_of_two_cards_drawn_together_the_first_may_go_under_the_deck():
    game = bare_game()
    lay_display(game, 1, "religion/2/3", "religion/1/1")
    lay_deck(game, A, B, C, D)
    choose(game, "turn", f"place {A} to bottom")
    assert texts(game) == places(B, "to hand", *LEGIONS) + places(C, "to hand", *LEGIONS)


@pytest.mark.parametrize("cards", [3, 4])
def test_six_religion_symbols_draw_three_cards_together(cards):
    game = bare_game()
    lay_display(game, 1, *["religion/2/3"] * cards)
    lay_deck(game, A, B, C, D)
    choose(game, "turn")
    everywhere = ("to hand", "to bottom", *LEGIONS)
    assert texts(game) == places(A, *everywhere) + places(B, *everywhere) + places(C, *everywhere)
    choose(game, f"place {C} to hand")
    assert texts(game) == places(A, "to bottom", *LEGIONS) + places(B, "to bottom", *LEGIONS)
    choose(game, f"place {A} to bottom", f"place {B} legion 3")
    assert seat_of(game, 1)["hand"] == [C]
    assert game.state()["deck"] == [D, A]
    assert game.state()["legions"][2] == [B]


def test_two_religion_symbols_or_those_of_another_seat_show_one_card_at_a_time():
    game = bare_game()
    lay_display(game, 1, "religion/2/3")
    lay_display(game, 2, *["religion/2/3"] * 3)
    lay_deck(game, A, B, C, D)
    choose(game, "turn")
    assert texts(game) == places(A, "to hand", "to bottom", *LEGIONS)


def test_the_numbers_of_religion_symbols_are_rules():
    game = bare_game(rules={"religion_two": 1, "religion_three": 2})
    lay_display(game, 1, "religion/1/1")
    lay_display(game, 2, "religion/2/3")
    lay_deck(game, *[A] * 3, *[B] * 3)
    choose(game, "turn")
    assert len(game.options()) == 2 * 4
    while game.seat == 1:
        game.apply(0)
    choose(game, "turn")
    assert len(game.options()) == 3 * 5


def test_with_two_cards_left_one_goes_to_the_hand_and_one_below_a_legion():
    game = bare_game()
    lay_deck(game, A, B)
    choose(game, "turn")
    assert texts(game) == places(A, "to hand", *LEGIONS)
    choose(game, f"place {A} to hand")
    assert texts(game) == places(B, *LEGIONS)
    choose(game, f"place {B} legion 2")
    assert game.state()["deck"] == []
    assert seat_of(game, 1)["hand"] == [A] and game.state()["legions"][1] == [B]


@pytest.mark.parametrize("religion", [2, 3])
def test_religion_shows_both_of_the_last_two_cards(religion):
    game = bare_game()
    lay_display(game, 1, *["religion/2/3"] * religion)
    lay_deck(game, A, B)
    choose(game, "turn")
    assert texts(game) == places(A, "to hand", *LEGIONS) + places(B, "to hand", *LEGIONS)
    choose(game, f"place {B} to hand", f"place {A} legion 1")
    assert seat_of(game, 1)["hand"] == [B] and game.state()["legions"][0] == [A]


@pytest.mark.parametrize("religion", [0, 2, 3])
def test_by_the_other_ruling_religion_has_no_effect_on_the_last_two_cards(religion):
    game = bare_game(rules={"religion_last_two": "one_by_one"})
    for seat in (1, 2):
        lay_display(game, seat, *["religion/2/3"] * religion)
    lay_deck(game, A, B, C, C, D)
    choose(game, "turn")
    assert len(game.options()) == {0: 5, 2: 2 * 4, 3: 3 * 5}[religion]  # three cards: as ever
    while game.seat == 1:
        game.apply(0)
    lay_deck(game, A, B)
    choose(game, "turn")
    assert texts(game) == places(A, "to hand", *LEGIONS)
    choose(game, f"place {A} legion 2")  # what is left for the second card is the hand
    assert seat_of(game, 2)["hand"] == [B] and game.state()["legions"][1] == [A]


@pytest.mark.parametrize("religion", [0, 2, 3])
@pytest.mark.parametrize("place", ["to hand", "legion 3"])
def test_the_last_card_goes_to_the_hand_or_below_a_legion(religion, place):
    game = bare_game()
    lay_display(game, 1, *["religion/2/3"] * religion)
    lay_deck(game, A)
    choose(game, "turn")
    assert texts(game) == places(A, "to hand", *LEGIONS)
    choose(game, f"place {A} {place}")
    assert game.state()["deck"] == []
    assert game.decision in ("buy", "play")
    assert (seat_of(game, 1)["hand"] == [A]) == (place == "to hand")


def test_an_empty_deck_pays_two_aurei_and_the_turn_goes_on():
    game = bare_game(rules={"empty_deck_income": 2})
    lay_legion(game, 1, "land/2/7")
    choose(game, "turn")
    assert money_of(game, 1) == 7
    assert texts(game) == ["buy legion 1", "pass"]
    choose(game, "buy legion 1", "play land/2/7")
    assert money_of(game, 1) == 1  # 7 paid, 1 income


# --- buy ------------------------------------------------------------------------------------


def test_a_purchase_takes_all_cards_below_one_legion_for_the_sum_of_their_values():
    game = bare_game()
    lay_legion(game, 2, B, D)
    lay_legion(game, 3, A)
    give_money(game, 1, 6)
    choose(game, "turn", "buy legion 2")  # then nothing can be bought any more
    assert game.decision == "play"
    assert seat_of(game, 1)["hand"] == [B, D]
    assert money_of(game, 1) == 0
    assert game.state()["legions"] == [[], [], [A]]


def test_only_groups_that_the_seat_can_pay_for_are_for_sale():
    game = bare_game()
    lay_legion(game, 1, D, D)  # 8
    lay_legion(game, 3, A, D)  # 5
    choose(game, "turn")
    assert texts(game) == ["buy legion 3", "pass"]


@pytest.mark.parametrize(
    ("symbols", "price"), [(0, 4), (2, 4), (3, 3), (5, 3), (6, 2), (9, 1), (12, 0), (20, 0)]
)
def test_every_three_wealth_symbols_take_one_aureus_off_but_never_below_nothing(symbols, price):
    game = bare_game()
    lay_display(game, 1, *["wealth/1/1"] * symbols)
    lay_legion(game, 1, D)
    give_money(game, 1, price)
    choose(game, "turn", "buy legion 1")
    assert money_of(game, 1) == 0
    if price:
        poorer = bare_game()
        lay_display(poorer, 1, *["wealth/1/1"] * symbols)
        lay_legion(poorer, 1, D)
        give_money(poorer, 1, price - 1)
        choose(poorer, "turn")
        assert poorer.seat == 2  # nothing to buy, nothing to play
