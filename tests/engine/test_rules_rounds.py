"""The end of a round: Rome's group, the start player, the refill, and the end of the game."""

import pytest
from support.positions import (
    bare_game,
    bare_solo,
    choose,
    give_primus,
    lay_deck,
    lay_hand,
    lay_legion,
    peek_round,
    rome_cards,
    texts,
)

import paxsim

# --- Rome takes a group ---------------------------------------------------------------------


def test_the_group_with_the_highest_total_value_goes_to_rome():
    game = bare_game()
    lay_deck(game, *["senator/1/1"] * 9)
    lay_legion(game, 1, "land/1/4")
    lay_legion(game, 2, "wealth/1/2", "wealth/2/3")
    lay_legion(game, 3, "intrigue/2/1", "religion/1/1")
    peek_round(game)
    assert rome_cards(game) == {"wealth": 2}
    assert game.state()["rome_symbols"]["wealth"] == 3
    assert game.state()["legions"][0] == ["land/1/4"]
    assert game.state()["legions"][2] == ["intrigue/2/1", "religion/1/1"]


@pytest.mark.parametrize(
    ("groups", "taken"),
    [
        ({}, {}),
        ({2: ["land/1/0"]}, {"land": 1}),  # also without value
        ({1: ["fleet/2/4"] * 3 + ["army/2/4"] * 2}, {"fleet": 3, "army": 2}),  # without limit
        # Of equal groups, that of the lowest legion.
        ({1: ["land/1/1"], 2: ["wealth/1/2"] * 2, 3: ["religion/2/4"]}, {"wealth": 2}),
    ],
)
def test_group_that_rome_takes(groups, taken):
    game = bare_game()
    lay_deck(game, *["senator/1/1"] * 9)
    for legion, cards in groups.items():
        lay_legion(game, legion, *cards)
    peek_round(game)
    assert rome_cards(game) == taken and game.state()["round"] == 2


def test_rome_takes_after_the_turn_of_the_last_seat_and_not_before():
    game = bare_game(3)
    lay_deck(game, *["senator/1/1"] * 9)
    lay_legion(game, 1, "land/1/4")
    choose(game, "peek", "peek")
    assert rome_cards(game) == {}
    choose(game, "peek")
    assert rome_cards(game) == {"land": 1}


# --- the next round -------------------------------------------------------------------------


def seats_of_a_round(game):
    """Let all seats peek for a round; return the seats that had a turn."""
    number, seats = game.state()["round"], []
    while not game.over and game.state()["round"] == number:
        seats.append(game.seat)
        choose(game, "peek")
    return seats


def test_the_holder_of_primus_conspiratus_starts_the_next_round():
    game = bare_game(4)
    lay_deck(game, *["senator/1/1"] * 30)
    give_primus(game, 3)
    assert seats_of_a_round(game) == [1, 2, 3, 4]
    assert game.state()["start"] == 3
    assert seats_of_a_round(game) == [3, 4, 1, 2]


def test_without_a_holder_of_primus_conspiratus_the_start_player_stays():
    game = bare_game(3)
    lay_deck(game, *["senator/1/1"] * 30)
    game.record["table"]["start"] = 1  # seat 2 has started this round, and it is seat 1's turn
    game.record["table"]["turns_left"] = 0
    assert seats_of_a_round(game) == [1]
    assert seats_of_a_round(game) == [2, 3, 1]


def test_primus_conspiratus_won_in_a_round_does_not_change_the_order_of_that_round():
    game = bare_game(3)
    lay_deck(game, *["senator/1/1"] * 30)
    lay_hand(game, 2, "intrigue/1/1")
    choose(game, "peek", "turn")
    while game.seat == 2:
        options = texts(game)
        wish = "play intrigue/1/1"
        choose(game, wish if wish in options else options[-1])
    assert (game.seat, game.state()["primus"]) == (3, 2)
    choose(game, "peek")
    assert (game.seat, game.state()["start"]) == (2, 2)


def test_every_empty_legion_gets_one_card_from_the_top_in_legion_order():
    game = bare_game()
    lay_deck(game, "land/1/1", "land/1/2", "land/1/3")
    lay_legion(game, 2, "senator/1/1")
    lay_legion(game, 3, "senator/2/4")
    peek_round(game)
    assert game.state()["legions"] == [["land/1/1"], ["senator/1/1"], ["land/1/2"]]
    assert game.state()["deck"] == ["land/1/3"]


# --- the end --------------------------------------------------------------------------------


def test_the_game_ends_without_a_partial_refill_when_the_deck_is_too_short():
    game = bare_game()
    lay_deck(game, "land/1/1")
    lay_legion(game, 3, "senator/2/4")
    lay_legion(game, 1, "wealth/1/1")
    peek_round(game)
    assert game.over
    assert game.state()["deck"] == ["land/1/1"]
    assert game.state()["legions"] == [["wealth/1/1"], [], []]
    result = game.result()
    assert (result["rounds"], result["deck_left"], result["empty_legions"]) == (1, 1, 2)


def test_the_game_continues_when_the_deck_is_just_enough_for_the_refill():
    game = bare_game()
    lay_deck(game, "land/1/1", "land/1/2", "land/1/3")
    peek_round(game)
    assert not game.over
    assert game.state()["legions"] == [["land/1/1"], ["land/1/2"], ["land/1/3"]]
    assert game.state()["deck"] == []


def test_a_round_in_which_the_deck_runs_out_is_played_to_its_end_and_rome_takes_a_group():
    game = bare_game(3, rules={"empty_deck_income": 2})
    lay_deck(game, "land/1/1")
    for legion in range(1, 5):
        lay_legion(game, legion, "senator/2/4", "senator/2/4")
    choose(game, "turn", "place land/1/1 to hand", "stop")
    assert game.state()["deck"] == []
    choose(game, "turn")  # seat 2: 2 Aurei for the empty deck, nothing to buy or play, 2 Aurei
    assert [seat["money"] for seat in game.state()["seats"]] == [7, 9, 5]
    choose(game, "peek")
    assert game.over
    assert rome_cards(game) == {"senator": 2}
    assert game.state()["legions"].count([]) == 1


@pytest.mark.parametrize(
    ("takes_last", "deck", "taken"), [(True, [], 1), (False, [], 0), (False, ["land/1/1"], 1)]
)
def test_a_rule_lets_rome_take_after_the_round_in_which_the_deck_is_empty(takes_last, deck, taken):
    game = bare_game(rules={"rome_takes_last": takes_last})
    lay_deck(game, *deck)
    lay_legion(game, 1, "land/1/4")
    peek_round(game)
    assert game.over and rome_cards(game) == ({"land": 1} if taken else {})


def test_a_finished_game_takes_no_more_options():
    game = bare_game()
    peek_round(game)
    assert game.over and game.options() == [] and game.decision == "over"
    with pytest.raises(paxsim.PaxsimError, match="already over"):
        game.apply(0)


# --- solo -----------------------------------------------------------------------------------


def test_in_solo_each_turn_is_a_round():
    game = paxsim.Game(solo_level=1, seed=6)
    rounds = []
    while not game.over:
        before = game.state()
        game.apply(0)
        after = game.state()
        if after["round"] != before["round"] and before["round"]:
            rounds.append(after["round"])
            # A group has gone to Rome in between.
            assert sum(after["rome_cards"].values()) > sum(before["rome_cards"].values())
    assert rounds == list(range(2, game.result()["rounds"] + 1))


def test_rome_takes_a_group_at_the_end_of_a_solo_turn():
    game = bare_solo(hand=["senator/1/1"], money=0)
    while not game.over:
        game.apply(len(game.options()) - 1)
    assert rome_cards(game) == {"wealth": 1}
