"""Observations and masks: every feature equals the game's state, nothing hidden leaks."""

import itertools

import numpy as np
import pytest
from support.environments import view_of

import paxsim
from paxsim.engine.loop import apply_option
from paxsim.engine.records import DECISIONS, RING
from paxsim.envs import Layout
from paxsim.game import Game
from paxsim.setting import make_setting

ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]


def option_names(game):
    """Return the options of a decision in the words of `Layout.action_name`."""
    names = set()
    for index, option in enumerate(game.options()):
        if option.action in ("turn", "peek"):
            names.add({"turn": "take a turn", "peek": "peek"}[option.action])
        elif option.action in ("stop", "pass"):
            names.add("pass")
        elif option.action in ("keep", "display") or not game.table["round"]:
            names.add(f"choose drawn card {index + 1}")
        elif option.action == "buy":
            names.add(f"buy legion {ROMAN[option.to - 1]}")
        elif option.action == "place":
            where = {"hand": "into the hand", "bottom": "under the deck"}.get(option.to)
            where = where or f"below legion {ROMAN[option.to - 1]}"
            names.add(f"put drawn card {index // int(game.choice['places']) + 1} {where}")
        else:
            names.add(f"play {option.card}")
    return names


def check_decision(game, layout):
    """Compare what every seat observes with the state of the game."""
    me, n, kinds = game.seat - 1, game.setting.players, layout.kinds
    view = view_of(game)
    observed = view.observe(me)
    part = {f.name: layout.part(observed["observation"], f.name) for f in layout.features}
    table, seat, choice = game.table, game.me, game.choice
    order = [(me + i) % n for i in range(n)]
    expected = {name: [table[name]] for name in ("round", "turns_left", "deck_left", "played")}
    expected |= {name: table[name][order] for name in ("money", "hand_size", "peeked")}
    expected |= {name: table[name][order][:, :7] for name in ("symbols", "cards")}
    for name in ("start", "active", "primus"):
        expected[name] = [int(table[name] == other) for other in order]
    expected["decision"] = [int(game.decision == d) for d in DECISIONS[:-1]]
    expected["categories_played"] = [int(table["categories_played"]) >> c & 1 for c in range(7)]
    expected |= {name: table[name][:7] for name in ("rome_symbols", "rome_cards")}
    state = game.state()
    count = lambda cards: [cards.count(str(kind)) for kind in kinds]  # noqa: E731
    expected["legion_cards"] = [count(cards) for cards in state["legions"]]
    expected["legion_value"] = table["legion_value"][: layout.legions]
    expected["hand"] = count(state["seats"][me]["hand"])
    expected["rome_hidden"] = count(state["rome_hidden"] if seat["peeked"] else [])
    expected["drawn"] = np.zeros_like(part["drawn"])
    for i, code in enumerate(choice["drawn"][: choice["drawn_count"]]):
        card = paxsim.Card.from_code(int(code))
        expected["drawn"][i, paxsim.CATEGORIES.index(card.category)] = card.symbols
        expected["drawn"][i, 7] = card.value
    for name in (
        *("price", "undrawn", "hand_open", "bottom_open", "legion_open", "hand_waits", "shown"),
    ):
        expected[name] = [choice[name]]
    assert part.keys() == expected.keys()
    for name, values in expected.items():
        assert np.array_equal(part[name], values), name
    mask = observed["action_mask"]
    names = {layout.action_name(action) for action in np.flatnonzero(mask)}
    assert len(names) == mask.sum() and names == option_names(game)
    for other in order[1:]:
        observed = view.observe(other)
        assert not observed["action_mask"].any()
        assert not layout.part(observed["observation"], "drawn").any()


def check_game(setting):
    """Play a game and check every decision; return the decisions that were met."""
    rng, layout = np.random.default_rng(3), Layout(setting)
    game, met = Game.of_setting(setting, 7, 1, 0), set()
    while not game.over:
        check_decision(game, layout)
        met.add(game.decision)
        game.apply(int(rng.integers(game.choice["count"])))
    return met


@pytest.mark.parametrize(("players", "level"), [(1, 1), (1, 5), (2, None), (4, None), (8, None)])
def test_every_feature_equals_the_state(players, level):
    expected = {"keep", "place", "buy", "play"} | ({"turn"} if players > 1 else set())
    expected |= {"react"} if players > 4 else set()
    assert expected <= check_game(make_setting(players, solo_level=level))


def test_every_feature_equals_the_state_on_the_largest_and_smallest_table():
    """Features are copied with room for all seats and legions, which must not show."""
    values = itertools.product(paxsim.CATEGORIES, range(1, 7), range(1, 4))
    many = paxsim.Deck("many", [paxsim.Card(*card) for card in itertools.islice(values, 120)])
    few = paxsim.Deck("few", [paxsim.Card("land", 1, 1)] * 30)
    rules = {"legions": 12, "draft_sizes": [12] * 8, "draft_to_bottom": "chosen"}
    largest = make_setting(8, deck=many, rules=rules)
    smallest = make_setting(2, deck=few, rules={"legions": 1, "draft_sizes": [1, 1]})
    assert (len(Layout(largest).kinds), len(Layout(smallest).kinds)) == (120, 1)
    for setting in (largest, smallest):
        assert {"place", "play"} <= check_game(setting)


def test_money_beyond_16_bits_is_clipped():
    env = paxsim.VectorEnv(1, 2, rules={"starting_money": 10_000, "basic_income": 10_000})
    env.reset()
    amounts = [0]
    for _ in range(200):
        env.step(env.random_actions())
        if env.done[0]:
            break
        amounts += env.layout.part(env.observations[0], "money").tolist()
    assert min(amounts) >= 0 and max(amounts) == 32_767


def shuffle_hidden_cards(game, viewer, rng):
    """Shuffle the cards a seat has not seen; overwrite the other seats' private data."""
    record, table = game.record, game.table
    hidden = record["hidden"]
    ring = [(table["deck_top"] + i) % RING for i in range(table["deck_left"])]
    places = [(hidden["deck"], i) for i in ring]
    places += [(hidden["removed"], i) for i in range(hidden["removed_count"])]
    if not record["seats"][viewer]["peeked"]:
        places += [(hidden["rome_hidden"], i) for i in range(table["rules"]["rome_hidden"])]
    for other in set(range(game.setting.players)) - {viewer}:
        seat, choice = record["seats"][other], record["choices"][other]
        places += [(seat["hand"], i) for i in range(seat["hand_count"])]
        places += [(choice["drawn"], i) for i in range(choice["drawn_count"])]
        for name in ("params", "memory", "stream", "rome_peeked", "rome_hidden", "buried"):
            seat[name] = rng.integers(1, 50, seat[name].shape)
    hidden["stream"] = rng.integers(1, 1 << 60, 4)
    cards = [array[i] for array, i in places]
    for (array, i), card in zip(places, rng.permutation(cards), strict=True):
        array[i] = card
    return len(cards)


@pytest.mark.parametrize("players", [2, 7])
def test_no_byte_of_an_observation_depends_on_hidden_cards(players):
    rng = np.random.default_rng(players)
    game, checked = Game.of_setting(make_setting(players), 5, 2, 0), 0
    while not game.over:
        for viewer in rng.permutation(players)[:2]:
            other = game.copy()
            assert shuffle_hidden_cards(other, viewer, rng) > 0
            before, after = (view_of(g).observe(viewer) for g in (game, other))
            assert all(before[key].tobytes() == after[key].tobytes() for key in before)
            checked += 1
        apply_option(game._address, int(rng.integers(int(game.choice["count"]))))
    assert checked > 80


# --- encoder and layout -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"players": 3}, "players must be 2"),
        ({"rules": "legions=12"}, "legions must be 3"),
        ({"rules": "draft_sizes=12,12"}, "draft_sizes"),
        ({"deck": paxsim.Deck("own", [paxsim.Card("land", 7, 9)] * 40)}, "deck: land/7/9"),
    ],
)
def test_encoder_refuses_games_that_do_not_fit(other, field):
    encoder = paxsim.envs.ObservationEncoder(make_setting(2))
    game = Game(**{"players": 2, "seed": 1, **other})
    with pytest.raises(paxsim.PaxsimError, match=field):
        encoder.encode(game.table, game.me, game.choice)


def test_encoder_equals_the_environment_also_with_other_rules_that_fit():
    encoder = paxsim.envs.ObservationEncoder(make_setting(2))
    fewer = paxsim.Deck("fewer", paxsim.load_deck().cards[::2])
    for other in ({}, {"rules": "rome_needs=5,draft_sizes=1,2,cards_removed=2", "deck": fewer}):
        game = Game(2, seed=1, **other)
        view = view_of(game)
        view.layout = encoder.layout
        while not game.over:
            observation, mask = encoder.encode(game.table, game.me, game.choice)
            expected = view.observe(game.seat - 1)
            assert np.array_equal(observation, expected["observation"])
            assert np.array_equal(mask, expected["action_mask"])
            game.apply(encoder.option(int(mask.argmax())))


class Tensor(np.ndarray):
    """Stand-in for the tensors of a learning library."""


def test_layout_selects_features_and_keeps_the_array_type():
    layout = paxsim.VectorEnv(1, players=3).layout
    assert max(map(len, repr(layout).splitlines())) <= 100
    assert "<td>hand</td><td>(28,)</td>" in layout._repr_html_()
    assert layout.features[-1].first + layout.features[-1].size == layout.size
    assert layout.part([0] * layout.size, "hand").shape == (28,)
    assert type(layout.part(np.zeros((2, layout.size)).view(Tensor), "hand")) is Tensor


@pytest.mark.parametrize(
    "call",
    [
        lambda layout: layout["hnd"],
        lambda layout: layout.part(np.zeros((2, 3)), "hand"),
        lambda layout: layout.part(3, "hand"),
        lambda layout: layout.action_name(layout.actions),
        lambda layout: layout.action_name(-1),
        lambda layout: layout.action_name("pass"),
    ],
)
def test_layout_refuses_unknown_features_shapes_and_actions(call):
    with pytest.raises(paxsim.PaxsimError):
        call(Layout(make_setting(2)))
