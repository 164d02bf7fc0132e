"""The setup of a game: the table of the rules, the draft, and the solo start."""

import json
from collections import Counter

import pytest
from conftest import deck_counts
from support.positions import choose, deck_of, rome_cards, seat_of, texts

import paxsim
from paxsim.engine.records import choice_dtype, table_dtype
from paxsim.trace import TracedGame, trace_lines

# players: removed, added, legions, Rome's open cards, drafted by seat
SETUP = {
    2: (20, 0, 3, 0, [2, 3]),
    3: (10, 0, 4, 0, [2, 3, 4]),
    4: (0, 0, 5, 0, [2, 3, 4, 5]),
    5: (0, 15, 6, 3, [2, 3, 4, 5, 5]),
    6: (0, 30, 7, 3, [2, 3, 4, 5, 5, 5]),
    7: (0, 45, 8, 3, [2, 3, 4, 5, 5, 5, 5]),
    8: (0, 60, 9, 3, [2, 3, 4, 5, 5, 5, 5, 5]),
}
SOLO = {1: (2, 0), 2: (2, 0), 3: (3, 1), 4: (4, 2), 5: (5, 3)}  # level: drawn, displayed


def setup_event(players, level=None, seed=3, deck="assumed", rules=None):
    setting = paxsim.make_setting(players, solo_level=level, deck=deck, rules=rules)
    lineup = paxsim.make_lineup("first", players)
    return json.loads(next(trace_lines(setting, lineup, seed, 0, 1, 0)))


def drafted(game):
    """Play the draft, keeping the first card each time; return the game."""
    while game.decision in ("display", "keep"):
        game.apply(0)
    return game


@pytest.mark.parametrize("players", SETUP)
def test_every_row_of_the_setup_table(players):
    removed, added, legions, rome_open, drafts = SETUP[players]
    game = paxsim.Game(players, seed=3)
    left = 74 - removed + added - 3 - rome_open
    for seat, size in enumerate(drafts, start=1):
        assert (game.decision, game.seat, len(game.options())) == ("keep", seat, size)
        assert len(game.state()["deck"]) == left - size
        game.apply(size - 1)
        left -= 1
    state = game.state()
    assert len(state["deck"]) == left - legions
    assert [len(cards) for cards in state["legions"]] == [1] * legions
    assert len(state["rome_hidden"]) == 3
    assert sum(state["rome_cards"].values()) == rome_open
    assert [seat["money"] for seat in state["seats"]] == [5] * players
    assert [len(seat["hand"]) for seat in state["seats"]] == [1] * players
    assert (state["round"], state["start"], state["primus"]) == (1, 1, None)
    assert (game.decision, game.seat) == ("turn", 1)


@pytest.mark.parametrize("level", SOLO)
def test_the_solo_row_of_the_setup_table(level):
    drawn, displayed = SOLO[level]
    game = paxsim.Game(solo_level=level, seed=3)
    assert len(game.options()) == drawn
    assert len(game.state()["deck"]) == 74 - 30 - 3 - drawn
    for number in range(displayed):
        assert game.decision == "display" and len(game.options()) == drawn - number
        game.apply(0)
    assert game.decision == "keep" and len(game.options()) == 2
    game.apply(0)
    state = game.state()
    # One card went back under the deck, three lie out, one is drawn by the first turn.
    assert len(state["deck"]) == 74 - 30 - 3 - displayed - 1 - 3 - 1
    assert [len(cards) for cards in state["legions"]] == [1, 1, 1]
    assert len(state["rome_hidden"]) == 3 and rome_cards(game) == {}
    assert sum(state["seats"][0]["cards"].values()) == displayed
    assert state["seats"][0]["money"] == 5 and len(state["seats"][0]["hand"]) == 1


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_with_one_to_four_players_one_copy_is_dealt_less_the_removed_cards(players):
    event = setup_event(players, 1 if players == 1 else None)
    dealt = Counter(event["removed"] + event["rome_hidden"] + event["rome_open"] + event["deck"])
    assert dealt == deck_counts(paxsim.load_deck())
    assert len(event["removed"]) == {1: 30, 2: 20, 3: 10, 4: 0}[players]


@pytest.mark.parametrize("players", [5, 6, 7, 8])
def test_with_five_to_eight_players_cards_of_a_second_copy_are_added(players):
    event = setup_event(players)
    dealt = Counter(event["rome_hidden"] + event["rome_open"] + event["deck"])
    copy = deck_counts(paxsim.load_deck())
    assert event["removed"] == []
    assert (dealt - copy).total() == 15 * (players - 4)
    assert all(copy[name] <= dealt[name] <= 2 * copy[name] for name in dealt | copy)


def test_other_deals_remove_and_add_other_cards():
    assert len({tuple(sorted(setup_event(2, seed=seed)["removed"])) for seed in range(5)}) > 1
    assert len({tuple(sorted(setup_event(5, seed=seed)["deck"])) for seed in range(5)}) > 1


def test_the_draft_keeps_one_card_and_puts_the_others_under_the_deck_in_the_order_drawn():
    game = paxsim.Game(4, seed=8)
    for seat in range(1, 5):
        drawn = [str(option.card) for option in game.options()]
        game.apply(1)
        card = drawn.pop(1)
        assert seat_of(game, seat)["hand"] == [card]
        if seat < 4:
            assert game.state()["deck"][-len(drawn) :] == drawn


def test_by_the_other_ruling_a_seat_chooses_the_order_of_the_cards_under_the_deck():
    game = TracedGame(paxsim.make_setting(4, rules={"draft_to_bottom": "chosen"}), [], 8, 0, 0)
    game.apply(0)
    assert game.seat == 2  # one card was left of seat 1's two: nothing to choose
    drawn = [option.card for option in game.options()]
    choose(game, f"keep {drawn[1]}")
    assert texts(game) == [f"place {card} to bottom" for card in (drawn[0], drawn[2])]
    assert (game.decision, game.seat, game.table.round) == ("place", 2, 0)
    assert [event["event"] for event in game.events] == ["setup", "draft"]
    choose(game, f"place {drawn[2]} to bottom")
    order = [str(drawn[2]), str(drawn[0])]
    assert game.state()["deck"][-2:] == game.events[-1]["bottom"] == order
    assert (game.decision, game.seat) == ("keep", 3)


def test_after_the_draft_one_card_from_the_top_lies_below_every_legion():
    game = paxsim.Game(2, seed=5)
    game.apply(0)
    drawn = [str(option.card) for option in game.options()]
    deck = game.state()["deck"] + drawn[:2]
    choose(game, f"keep {drawn[2]}")
    assert game.state()["legions"] == [[deck[0]], [deck[1]], [deck[2]]]
    assert game.state()["deck"] == deck[3:]


def test_a_draft_of_one_card_is_no_decision():
    game = paxsim.Game(2, rules={"draft_sizes": [1, 1]})
    assert game.decision == "turn"
    assert [len(seat["hand"]) for seat in game.state()["seats"]] == [1, 1]


def test_hands_and_face_down_cards_are_nowhere_on_the_public_table():
    secret = {"hand", "buried", "rome_hidden", "rome_peeked", "deck", "removed", "stream"}
    assert secret.isdisjoint(table_dtype.names)
    assert secret.isdisjoint(choice_dtype.names)


def test_the_solo_start_display_is_free_and_knows_no_limit():
    game = paxsim.Game(solo_level=5, deck=deck_of(*["army/2/4"] * 60))
    for _ in range(3):
        choose(game, "display army/2/4")
    assert seat_of(game, 1)["symbols"]["army"] == 6
    assert seat_of(game, 1)["money"] == 5


def test_the_solo_player_chooses_which_drawn_card_to_display_keep_and_put_back():
    game = paxsim.Game(solo_level=3, seed=2)
    drawn = [str(option.card) for option in game.options()]
    game.apply(2)
    assert texts(game) == [f"keep {name}" for name in drawn[:2]]
    game.apply(1)
    me = seat_of(game, 1)
    assert me["hand"] == [drawn[1]]
    assert me["cards"] == {**dict.fromkeys(me["cards"], 0), drawn[2].split("/")[0]: 1}
    assert game.state()["deck"][-1] == drawn[0]


def test_an_intrigue_in_the_solo_start_display_takes_primus_conspiratus():
    game = paxsim.Game(solo_level=3, deck=deck_of(*["intrigue/1/1"] * 60))
    assert game.state()["primus"] is None
    game.apply(0)
    assert game.state()["primus"] == 1


@pytest.mark.parametrize(
    ("field", "value", "seen"),
    [
        ("starting_money", 9, lambda state: state["seats"][0]["money"] == 9),
        ("rome_hidden", 5, lambda state: len(state["rome_hidden"]) == 5),
        ("rome_open", 2, lambda state: sum(state["rome_cards"].values()) == 2),
        ("legions", 7, lambda state: [len(cards) for cards in state["legions"]] == [1] * 7),
        ("cards_removed", 40, lambda state: len(state["deck"]) == 74 - 40 - 3 - 3 - 4),
        ("cards_added", 9, lambda state: len(state["deck"]) == 74 + 9 - 10 - 3 - 3 - 4),
    ],
)
def test_a_rule_set_changes_the_setup(field, value, seen):
    assert not seen(drafted(paxsim.Game(3)).state())
    assert seen(drafted(paxsim.Game(3, rules={field: value})).state())


def test_a_rule_set_changes_the_draft_sizes():
    game = paxsim.Game(3, rules={"draft_sizes": [6, 4, 2]})
    sizes = []
    while game.decision == "keep":
        sizes.append(len(game.options()))
        game.apply(0)
    assert sizes == [6, 4, 2]


def test_a_rule_field_that_depends_on_the_players_holds_for_all_once_it_is_given():
    for players in (2, 5):
        game = drafted(paxsim.Game(players, rules={"rome_open": 1, "legions": 4}))
        assert sum(rome_cards(game).values()) == 1
        assert len(game.state()["legions"]) == 4
