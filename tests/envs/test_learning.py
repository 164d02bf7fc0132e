"""Environments for learners: the same games, nothing hidden, and what the libraries ask for."""

import copy
import itertools
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec

import paxsim
from paxsim.engine.loop import apply_option
from paxsim.engine.records import DECISIONS, RING
from paxsim.envs import Layout
from paxsim.envs.seatview import SeatView
from paxsim.game import Game, decisions
from paxsim.lineup import make_lineup
from paxsim.setting import make_setting

TABLES = [(1, 1), (1, 5), *((players, None) for players in range(2, 9))]


def view_of(game):
    """A game in hand, seen by seats."""
    view = SeatView.__new__(SeatView)
    view.layout, view.game = Layout(game.setting), game
    return view


# --- the same games -----------------------------------------------------------------------------


def actions_and_result(setting, lineup, seed, deal, rotation, learner=None):
    """A game that policies play, as actions; with a learner only those of its position."""
    taken = []
    for game, option in decisions(setting, lineup, seed, deal, rotation):
        if learner is None or (game.seat - 1 + rotation) % setting.players == learner:
            taken.append(view_of(game).action_of(option))
        last = game
    return taken, last


@pytest.mark.parametrize(("players", "level"), TABLES)
def test_the_batch_plays_the_games_that_are_played_alone(players, level):
    setting = make_setting(players, solo_level=level)
    lineup = make_lineup("weighted", players)
    env = paxsim.VectorEnv(3, players, seed=8, first_deal=2, solo_level=level)
    stories = {2 + k: actions_and_result(setting, lineup, 8, 2 + k, 0)[0] for k in range(6)}
    playing, at, ended = [2, 3, 4], [0, 0, 0], {}
    env.reset()
    while len(ended) < 3:
        actions = []
        for i in range(3):
            story = stories.get(playing[i])
            known = story is not None and at[i] < len(story)
            actions.append(story[at[i]] if known else int(env.masks[i].argmax()))
            at[i] += 1
        env.step(np.array(actions))
        for i in np.flatnonzero(env.done):
            if playing[i] in stories and playing[i] not in ended:
                assert at[i] == len(stories[playing[i]])
                ended[playing[i]] = (env.results[i].copy(), env.rewards[i].copy())
            playing[i], at[i] = playing[i] + 3, 0
    for deal, (record, rewards) in ended.items():
        expected = paxsim.play(lineup.specs, players, seed=8, deal=deal, solo_level=level).record
        for name in record.dtype.names:
            if name != "decisions":
                assert np.array_equal(record[name], expected[name]), name
        assert rewards.tolist() == pytest.approx(expected["shares"][:players].tolist())


def test_against_opponents_every_deal_is_played_in_all_rotations():
    players, others = 3, ["builder", "miser"]
    setting, lineup = make_setting(3), make_lineup(["tribune", *others], 3)
    env = paxsim.VectorEnv(6, players, opponents=others, seed=4)
    env.reset()
    stories = [
        actions_and_result(setting, lineup, 4, k // 3, k % 3, learner=0)[0] for k in range(6)
    ]
    assert env.seats.tolist() == [0, 2, 1, 0, 2, 1]
    at, found = [0] * 6, {}
    while len(found) < 6:
        known = [at[i] < len(stories[i]) and i not in found for i in range(6)]
        env.step(
            np.array([stories[i][at[i]] if known[i] else env.masks[i].argmax() for i in range(6)])
        )
        for i in range(6):
            at[i] += 1
            if env.done[i] and i not in found:
                assert at[i] == len(stories[i])
                found[i] = env.rewards[i].tolist()
    for k, rewards in found.items():
        expected = paxsim.play(["tribune", *others], seed=4, deal=k // 3, rotation=k % 3).shares
        by_position = [expected[(position - k % 3) % 3] for position in range(3)]
        assert rewards == pytest.approx(by_position)


def test_a_batch_of_another_size_plays_the_same_deals():
    def outcome(games):
        env = paxsim.VectorEnv(games, 2, seed=5)
        env.reset()
        found = {}
        while len(found) < 8:
            env.step(env.masks.argmax(axis=1))
            for i in np.flatnonzero(env.done):
                found.setdefault(int(env.results[i]["deal"]), env.results[i]["points"].tolist())
        return {deal: found[deal] for deal in sorted(found)[:4]}

    assert outcome(1) == outcome(8)


def test_an_observation_says_nothing_of_the_one_before():
    """In a batch it is written over the last one, alone into an empty row."""
    batch, alone = paxsim.VectorEnv(1, 2, seed=3), paxsim.env(players=2)
    batch.reset()
    alone.reset(seed=3)
    for _ in range(30):
        seen = alone.observe(alone.agent_selection)
        assert batch.observations[0].tolist() == seen["observation"].tolist()
        action = int(seen["action_mask"].argmax())
        batch.step(np.array([action]))
        alone.step(action)


def copies_of(env):
    """Copies as programs make them: of a search, of a checkpoint, for another process."""
    return copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))


def test_a_copy_of_a_batch_plays_games_of_its_own():
    env = paxsim.VectorEnv(20, 3, opponents="first", seed=1)
    env.reset()
    env.step(env.random_actions())
    others = copies_of(env)
    before = [array.copy() for array in (env.observations, env.masks, env.seats)]
    actions = env.random_actions()
    for other in others:
        assert (other.random_actions() == actions).all()
        other.step(actions)
        after = (env.observations, env.masks, env.seats)
        assert all((a == b).all() for a, b in zip(before, after, strict=True))
    env.step(actions)
    for other in others:
        assert (other.observations == env.observations).all() and other.decisions == env.decisions


def test_a_copy_of_a_game_is_a_game_of_its_own():
    game = Game(players=3, seed=4)
    for other in copies_of(game):
        other.apply(0)
        assert (game.seat, other.seat) == (1, 2)
    game.apply(0)
    assert str(game.state()) == str(other.state())


@pytest.mark.parametrize("traced", [None, "ansi"])
def test_a_copy_of_an_environment_plays_a_game_of_its_own(traced):
    table, solo = paxsim.env(players=3, render_mode=traced), paxsim.solo_env(render_mode=traced)
    table.reset(seed=1)
    solo.reset(seed=1)
    for env, seen in (
        (table, lambda env: env.observe(env.agent_selection)),
        (solo, lambda env: env._view.observe(0)),
    ):
        first = seen(env)["action_mask"].argmax()
        before = str(seen(env))
        for other in copies_of(env):
            other.step(first)
            assert str(seen(env)) == before != str(seen(other))
        env.step(first)
        assert str(seen(env)) == str(seen(other))
        assert env.render() == other.render()


def test_a_copy_of_a_parallel_environment_plays_a_game_of_its_own():
    env = paxsim.parallel_env(players=3)
    env.reset(seed=1)
    others = copies_of(env)

    def acted(env):
        actions = {agent: int(env.observe(agent)["action_mask"].argmax()) for agent in env.agents}
        return str(env.step(actions))

    before = str(env._observations())
    answers = {acted(other) for other in others}
    assert len(answers) == 1 and str(env._observations()) == before
    assert acted(env) in answers


#: Plays on with what was pickled in another process, and says what comes of it.
ELSEWHERE = """
import pickle, sys
game, table, solo, batch = pickle.load(open(sys.argv[1], "rb"))
game.apply(0)
table.step(int(table.last()[0]["action_mask"].argmax()))
seen = solo.step(int(solo._view.observe(0)["action_mask"].argmax()))[0]
batch.step(batch.random_actions())
print(game.state(), table.last()[0], seen, batch.observations.sum())
"""


def test_pickles_are_played_on_in_another_process(tmp_path, monkeypatch, capsys):
    game, batch = Game(players=3, seed=4), paxsim.VectorEnv(8, 3, seed=1)
    table, solo = paxsim.env(players=3), paxsim.solo_env()
    table.reset(seed=1)
    solo.reset(seed=1)
    batch.reset()
    file = str(tmp_path / "pickled")
    Path(file).write_bytes(pickle.dumps((game, table, solo, batch)))
    told = subprocess.run([sys.executable, "-c", ELSEWHERE, file], capture_output=True, text=True)
    monkeypatch.setattr(sys, "argv", ["", file])
    exec(ELSEWHERE, {})
    assert told.stdout == capsys.readouterr().out and told.returncode == 0, told.stderr


def test_gymnasium_makes_the_solo_environment_by_its_name():
    made = gymnasium.make("paxsim.envs.gymnasium:paxsim/Solo-v0", level=2)
    assert made.spec.id == "paxsim/Solo-v0" and made.unwrapped.setting.solo_level == 2
    assert repr(made.unwrapped) == "SoloEnv, level 2, deck assumed"


@pytest.mark.parametrize("make", [paxsim.env, paxsim.parallel_env, paxsim.solo_env])
def test_options_of_a_reset_are_checked(make):
    made = make()
    for options, said in (
        ({"deals": 3}, "unknown option 'deals' (did you mean 'deal'?); choose from deal"),
        (3, 'options: found 3; allowed: {"deal": k}'),
    ):
        with pytest.raises(paxsim.PaxsimError) as error:
            made.reset(seed=1, options=options)
        assert str(error.value) == said


def test_what_a_solo_learner_does_wrong_is_one_line():
    solo = paxsim.solo_env()
    with pytest.raises(
        paxsim.PaxsimError, match=r"^action: no game is .* allowed: after reset\(\)$"
    ):
        solo.step(0)
    solo.reset(seed=1)
    for found in ("x", None, 0.5):
        with pytest.raises(paxsim.PaxsimError, match="^action: found .*; allowed: a whole number$"):
            solo.step(found)
    assert solo.step(np.array(10**6))[4] == {"illegal": True}
    with pytest.raises(paxsim.PaxsimError, match="no game is being played"):
        solo.step(0)


def test_no_actions_are_drawn_before_the_games_begin():
    with pytest.raises(paxsim.PaxsimError, match=r"not begun; allowed: after reset\(\)$"):
        paxsim.VectorEnv(2, 2).random_actions()


def test_random_actions_are_allowed_and_all_of_them_come():
    env = paxsim.VectorEnv(500, 4, seed=1)
    env.reset()
    seen = np.zeros(env.layout.actions, bool)
    for _ in range(300):
        actions = env.random_actions()
        assert env.masks[np.arange(500), actions].all()
        seen[actions] = True
        env.step(actions)
    never = [env.layout.action_name(a) for a in np.flatnonzero(~seen)]
    # Three cards in view take six religion symbols, which is rare.
    assert all("drawn card 3" in name for name in never), never
    assert env.decisions == 150_000


def test_equal_cards_are_one_action_and_all_are_equally_likely():
    env = paxsim.VectorEnv(400, 2, seed=1)
    env.reset()
    twice = 0
    for _ in range(60):
        for _ in range(3):
            actions = env.random_actions()
        hands = env.layout.part(env.observations, "hand")
        playing = env.masks[:, env.layout.first_kind :] * (hands > 1)
        rows = np.flatnonzero(playing.any(axis=1) & (env.masks.sum(axis=1) == 2))
        if len(rows):  # a kind that is held twice, or to pass
            draws = np.array([env.random_actions()[rows] for _ in range(60)])
            passed = (draws == 2).mean()
            assert abs(passed - 0.5) < 4.5 * 0.5 / np.sqrt(draws.size), passed
            twice += len(rows)
        env.step(actions)
    assert twice > 30


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0], r"actions: found shape \(1,\)"),
        ([0.5, 1.0], "actions: found shape .* of float64"),
        ([-1, -1], "actions: found -1 in game 0; allowed there: 3, 4"),
        ([3, 99_999], "actions: found 99999 in game 1; allowed there: 3, 4"),
        ([3, 0], "actions: found 0 in game 1"),
    ],
)
def test_actions_that_are_not_allowed_are_one_line_and_change_nothing(actions, words):
    env = paxsim.VectorEnv(2, 2, seed=3)
    with pytest.raises(paxsim.PaxsimError, match=r"allowed: after reset|found shape"):
        env.step(np.array(actions))
    env.reset()
    before = env.observations.copy()
    with pytest.raises(paxsim.PaxsimError, match=words):
        env.step(np.array(actions))
    env.step(np.array([3, 3]))
    assert not np.array_equal(env.observations, before)
    assert env.decisions == 2


def test_what_a_learner_wrote_over_its_arrays_is_of_no_consequence():
    env, alike = paxsim.VectorEnv(4, 3, seed=1), paxsim.VectorEnv(4, 3, seed=1)
    env.reset(), alike.reset()
    for _ in range(20):
        actions = env.random_actions()
        for array, number in ((env.observations, -1), (env.masks, 1), (env.seats, 1 << 50)):
            array[:] = number
        env.step(actions)
        alike.step(actions)
        for name in ("observations", "masks", "seats", "rewards", "done"):
            assert np.array_equal(getattr(env, name), getattr(alike, name)), name


def test_what_can_not_be_a_batch_is_said():
    for wrong, words in [
        ({"games": 0}, "games: found 0"),
        ({"games": 2, "players": 3, "opponents": "a,b,c"}, "opponents: found 3"),
        ({"games": 2, "players": 1, "solo_level": 1, "opponents": "random"}, "found some in solo"),
        ({"games": 2, "players": 2, "opponents": "search:rollouts=2"}, "opponents: |unknown"),
    ]:
        with pytest.raises(paxsim.PaxsimError, match=words):
            paxsim.VectorEnv(**wrong)


# --- observations -------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "level"), TABLES)
def test_every_field_says_what_lies_on_the_table(players, level):
    asked = fields_checked(make_setting(players, solo_level=level))
    expected = {"keep", "place", "buy", "play"} | ({"turn"} if players > 1 else set())
    expected |= {"react"} if players > 4 else set()
    assert expected <= asked


def test_every_field_says_what_lies_on_the_largest_table_and_on_the_smallest():
    """Fields are copied with room for all seats and legions: whoever has fewer must not see it."""
    values = itertools.product(paxsim.CATEGORIES, range(1, 7), range(1, 4))
    many = paxsim.Deck("many", [paxsim.Card(*card) for card in itertools.islice(values, 120)])
    few = paxsim.Deck("few", [paxsim.Card("land", 1, 1)] * 30)
    largest = make_setting(8, deck=many, rules={"legions": 12, "draft_sizes": [12] * 8})
    smallest = make_setting(2, deck=few, rules={"legions": 1, "draft_sizes": [1, 1]})
    assert (len(Layout(largest).kinds), len(Layout(smallest).kinds)) == (120, 1)
    for setting in (largest, smallest):
        assert {"place", "play"} <= fields_checked(setting)


def test_more_money_than_there_is_room_for_is_the_most_that_there_is_room_for():
    env = paxsim.VectorEnv(1, 2, rules={"starting_money": 10_000, "basic_income": 10_000})
    env.reset()
    seen = [0]
    for _ in range(200):
        env.step(env.random_actions())
        if env.done[0]:
            break
        seen += env.layout.part(env.observations[0], "money").tolist()
    assert min(seen) >= 0 and max(seen) == 32_767


def fields_checked(setting):
    """Play a game and compare what seats see with the table; return which decisions were met."""
    layout = Layout(setting)
    n, kinds = setting.players, layout.kinds
    dice = np.random.default_rng(3)
    game = Game.of_setting(setting, 7, 1, 0)
    view = view_of(game)
    asked = set()
    while not game.over:
        me = game.seat - 1
        row = view.observe(me)["observation"]
        part = {field.name: layout.part(row, field.name) for field in layout.fields}
        table, seat, choice = game.table, game.me, game.choice
        order = [(me + i) % n for i in range(n)]
        asked.add(game.decision)
        assert part["decision"].tolist() == [int(game.decision == d) for d in DECISIONS[:-1]]
        for name in ("round", "turns_left", "deck_left", "played"):
            assert part[name] == table[name]
        for name in ("money", "hand_size", "peeked"):
            assert part[name].tolist() == table[name][order].tolist()
        for name in ("symbols", "cards"):
            assert part[name].tolist() == table[name][order][:, :7].tolist()
        for name in ("start", "active", "primus"):
            assert part[name].tolist() == [int(table[name] == other) for other in order]
        played = [int(table["categories_played"]) >> c & 1 for c in range(7)]
        assert part["categories_played"].tolist() == played
        for name in ("rome_symbols", "rome_cards"):
            assert part[name].tolist() == table[name][:7].tolist()
        state = game.state()
        legions = [[cards.count(str(kind)) for kind in kinds] for cards in state["legions"]]
        assert part["legion_cards"].tolist() == legions
        assert part["legion_value"].tolist() == table["legion_value"][: layout.legions].tolist()
        hand = state["seats"][me]["hand"]
        assert part["hand"].tolist() == [hand.count(str(kind)) for kind in kinds]
        hidden = state["rome_hidden"] if seat["peeked"] else []
        assert part["rome_hidden"].tolist() == [hidden.count(str(kind)) for kind in kinds]
        drawn = [paxsim.Card.from_code(int(c)) for c in choice["drawn"][: choice["drawn_count"]]]
        shown = np.zeros_like(part["drawn"])
        for i, card in enumerate(drawn):
            shown[i, paxsim.CATEGORIES.index(card.category)] = card.symbols
            shown[i, 7] = card.value
        assert part["drawn"].tolist() == shown.tolist()
        for name in ("price", "undrawn", "hand_open", "bottom_open", "legion_open", "hand_waits",
                     "shown"):  # fmt: skip
            assert part[name] == choice[name]
        mask = view.observe(me)["action_mask"]
        named = {layout.action_name(action) for action in np.flatnonzero(mask)}
        assert len(named) == mask.sum() and named == set(in_words(game))
        for other in order[1:]:
            seen = view.observe(other)
            assert not seen["action_mask"].any()
            assert not layout.part(seen["observation"], "drawn").any()
        game.apply(int(dice.integers(choice["count"])))
    assert layout.fields[-1].first + layout.fields[-1].size == layout.size
    return asked


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"players": 3}, "players: found 3; allowed: 2, as was learnt"),
        ({"rules": "legions=12"}, "legions: found 12; allowed: 3, as was learnt"),
        ({"rules": "legions=1"}, "legions: found 1; allowed: 3, as was learnt"),
        (
            {"rules": "draft_sizes=12,12"},
            "draft_sizes: found 12 cards in view; allowed: at most 3, as was learnt",
        ),
        (
            {"deck": paxsim.Deck("own", [paxsim.Card("land", 7, 9)] * 40)},
            "deck: found land/7/9; allowed: the kinds of deck assumed, as was learnt",
        ),
    ],
)
def test_a_reader_refuses_a_table_that_has_more_than_it_has_room_for(other, words):
    reader = paxsim.envs.ObservationEncoder(make_setting(2))
    game = Game(**{"players": 2, "seed": 1, **other})
    with pytest.raises(paxsim.PaxsimError) as caught:
        reader.read(game.table, game.me, game.choice)
    assert str(caught.value) == words


def test_a_reader_reads_what_the_seat_sees_also_with_other_rules():
    """Those that change nothing of what observations and actions mean."""
    reader = paxsim.envs.ObservationEncoder(make_setting(2))
    fewer = paxsim.Deck("fewer", paxsim.load_deck().cards[::2])
    for other in ({}, {"rules": "rome_needs=5,draft_sizes=1,2,cards_removed=2", "deck": fewer}):
        game = Game(2, seed=1, **other)
        seen = SeatView.__new__(SeatView)
        seen.layout, seen.game = reader.layout, game
        while not game.over:
            observation, mask = reader.read(game.table, game.me, game.choice)
            expected = seen.observe(game.seat - 1)
            assert np.array_equal(observation, expected["observation"])
            assert np.array_equal(mask, expected["action_mask"])
            game.apply(reader.option(int(mask.argmax())))


def in_words(game):
    """The options of a decision as `Layout.action_name` says them."""
    roman = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
    for index, option in enumerate(game.options()):
        if option.action in ("turn", "peek"):
            yield {"turn": "take a turn", "peek": "peek"}[option.action]
        elif option.action in ("stop", "pass"):
            yield "pass"
        elif option.action in ("keep", "display"):
            yield f"choose drawn card {index + 1}"
        elif option.action == "buy":
            yield f"buy legion {roman[option.to - 1]}"
        elif option.action == "place":
            where = {"hand": "into the hand", "bottom": "under the deck"}.get(option.to)
            where = where or f"below legion {roman[option.to - 1]}"
            yield f"put drawn card {index // int(game.choice['places']) + 1} {where}"
        else:
            yield f"play {option.card}"


def exchange_hidden_cards(game, viewer, dice):
    """Deal anew what a seat has not seen: deck, hands of others, Rome's cards, those set aside."""
    record, table = game.record, game.table
    hidden = record["hidden"]
    ring = [(table["deck_top"] + i) % RING for i in range(table["deck_left"])]
    places = [(hidden["deck"], i) for i in ring]
    places += [(hidden["removed"], i) for i in range(hidden["removed_count"])]
    if not record["seats"][viewer]["peeked"]:
        places += [(hidden["rome_hidden"], i) for i in range(table["rules"]["rome_hidden"])]
    for other in range(game.setting.players):
        if other != viewer:
            seat = record["seats"][other]
            places += [(seat["hand"], i) for i in range(seat["hand_count"])]
            choice = record["choices"][other]
            places += [(choice["drawn"], i) for i in range(choice["drawn_count"])]
            for name in ("params", "memory", "stream", "rome_peeked", "rome_hidden", "buried"):
                seat[name] = dice.integers(1, 50, seat[name].shape)
    hidden["stream"] = dice.integers(1, 1 << 60, 4)
    cards = [array[i] for array, i in places]
    for (array, i), card in zip(places, dice.permutation(cards), strict=True):
        array[i] = card
    return len(cards)


@pytest.mark.parametrize("players", [2, 4, 7])
def test_no_byte_of_an_observation_depends_on_hidden_cards(players):
    dice = np.random.default_rng(players)
    setting = make_setting(players)
    game = Game.of_setting(setting, 5, 2, 0)
    looked = 0
    while not game.over:
        for viewer in dice.permutation(players)[:2]:
            other = game.copy()
            assert exchange_hidden_cards(other, viewer, dice) > 0
            before, after = (view_of(g).observe(viewer) for g in (game, other))
            assert all(before[key].tobytes() == after[key].tobytes() for key in before)
            looked += 1
        count = int(game.choice["count"])
        apply_option(game._address, int(dice.integers(count)))
    assert looked > 100


# --- PettingZoo and Gymnasium -------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 9))
def test_pettingzoo_finds_nothing_wrong(players):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Observations with masks are dictionaries, in all of PettingZoo's own card games too.
        for message in ("Observation space for each agent probably", "Observation is not a NumPy"):
            warnings.filterwarnings("ignore", message=message)
        api_test(paxsim.env(players=players), num_cycles=300)
        seed_test(lambda: paxsim.env(players=players), num_cycles=60)


@pytest.mark.parametrize("players", range(2, 9))
def test_pettingzoo_finds_nothing_wrong_where_all_act_at_once(players):
    def made(**how):
        return paxsim.parallel_env(players, **how)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(made(), num_cycles=60)
        parallel_seed_test(made, num_cycles=30)
        max_cycles_test(
            SimpleNamespace(parallel_env=made, env=lambda **how: parallel_to_aec(made(**how)))
        )


def test_a_parallel_game_is_the_same_game_and_who_does_not_decide_waits():
    table, alone = paxsim.parallel_env(3), paxsim.env(3)
    observations, _ = table.reset(seed=6, options={"deal": 1})
    alone.reset(seed=6, options={"deal": 1})
    while table.agents:
        deciding = alone.agent_selection
        seen = {agent: alone.observe(agent) for agent in table.agents}
        for agent, found in observations.items():
            assert np.array_equal(found["observation"], seen[agent]["observation"])
            assert found["action_mask"].tolist() == [
                *seen[agent]["action_mask"],
                agent != deciding,
            ]
        actions = {
            agent: int(found["action_mask"].argmax()) for agent, found in observations.items()
        }
        alone.step(actions[deciding])
        observations, rewards, ended, truncated, _ = table.step(actions)
    assert rewards == alone.unwrapped.rewards and sum(rewards.values()) in (0, pytest.approx(1))
    assert all(ended.values()) and not any(truncated.values())
    assert table.step({}) == ({}, {}, {}, {}, {})


def test_who_does_not_decide_can_do_nothing_else():
    table = paxsim.parallel_env(2)
    table.reset(seed=1)
    with pytest.raises(
        paxsim.PaxsimError, match=r"action of seat_2: found 3; allowed now: 62|wait"
    ):
        table.step({"seat_1": 3, "seat_2": 3})
    with pytest.raises(paxsim.PaxsimError, match="action of seat_2: found None; allowed now: "):
        table.step({"seat_1": 3})


def test_samples_without_a_mask_are_allowed():
    table = paxsim.env(players=4)
    table.reset(seed=2)
    for agent in table.agent_iter(max_iter=40):
        table.step(table.action_space(agent).sample())
    solo = paxsim.solo_env(3)
    solo.reset(seed=2)
    for _ in range(10):
        assert "illegal" not in solo.step(solo.action_space.sample())[4]


def test_a_row_of_few_actions_leaves_its_neighbours_alone():
    few = paxsim.make_setting(2, rules={"legions": 1})
    env = paxsim.VectorEnv(5, 2, seed=1, rules={"legions": 1})
    env.reset()
    lone = [Game.of_setting(few, 1, deal, 0) for deal in range(5)]
    for _ in range(30):
        actions = env.random_actions()
        for i, game in enumerate(lone):
            seen = view_of(game).observe(game.seat - 1)
            assert np.array_equal(env.observations[i], seen["observation"])
            assert np.array_equal(env.masks[i], seen["action_mask"])
            view_of(game).act(int(actions[i]))
        env.step(actions)


@pytest.mark.parametrize("level", [1, 3, 5])
def test_gymnasium_finds_nothing_wrong(level):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*was modified|.*spec")
        check_env(paxsim.solo_env(level), skip_render_check=True)


def chooser(deal):
    """Picks allowed actions by chance, the same ones for the same deal and observations."""
    chance = np.random.default_rng(deal)
    return lambda observation: int(chance.choice(np.flatnonzero(observation["action_mask"])))


def play_by_chance(table, deal):
    table.reset(seed=6, options={"deal": deal})
    total, choose = dict.fromkeys(table.possible_agents, 0.0), chooser(deal)
    for agent in table.agent_iter():
        observation, reward, ended, truncated, _ = table.last()
        total[agent] += reward
        table.step(None if ended or truncated else choose(observation))
    return total


def test_rewards_are_the_shares_of_the_same_deal():
    table = paxsim.env(players=3)
    winners = set()
    for deal in range(12):
        total = play_by_chance(table, deal)
        game, choose = paxsim.Game(3, seed=6, deal=deal), chooser(deal)
        view = view_of(game)
        while not game.over:
            view.act(choose(view.observe(game.seat - 1)))
        assert list(total.values()) == game.result()["shares"][:3].tolist()
        winners.add(tuple(total.values()))
    assert len(winners - {(0.0, 0.0, 0.0)}) > 1  # or it would not matter whose share it is


@pytest.mark.parametrize("most", range(1, 7))  # one of them ends with a turn of its seat
def test_a_game_that_is_cut_short_is_truncated_for_all(most):
    table = paxsim.env(players=3, max_cycles=most)
    table.reset(seed=1)
    counts, cut = dict.fromkeys(table.possible_agents, 0), False
    for agent in table.agent_iter():
        observation, _, ended, truncated, _ = table.last()
        assert not ended
        if truncated and not cut:
            assert counts[agent] == most  # it would have decided once more
        cut |= truncated
        counts[agent] += not truncated
        table.step(None if truncated else int(observation["action_mask"].argmax()))
    assert cut and max(counts.values()) == most


def test_the_board_shows_the_table_in_words_and_the_game_as_a_page():
    table = paxsim.env(players=2, render_mode="ansi")
    table.reset(seed=3)
    while table.unwrapped.game.decision != "buy":
        table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
    said = table.render()
    assert "Round 1" in said and "Legions: " in said and "(you)" in said
    hands = [line for line in said.splitlines() if "hand:" in line and "(you)" not in line]
    assert len(hands) == 1 and "/" not in hands[0].split("hand:")[1]
    page = paxsim.env(players=2, render_mode="html")
    page.reset(seed=3)
    with pytest.raises(paxsim.PaxsimError, match="whole games"):
        page.render()
    play_by_chance(page, 0)
    assert page.render().startswith("<!DOCTYPE html>")


def test_mistakes_are_one_line():
    for wrong, words in [
        ({"players": 1}, "paxsim.solo_env for solo"),
        ({"players": 9}, "players must be between 2 and 8, got 9"),
        ({"players": None}, "players must be an integer between 2 and 8, got None"),
        ({"players": 2, "render_mode": "human"}, "unknown render_mode 'human'"),
        ({"players": 2, "max_cycles": 0}, "max_cycles: found 0"),
    ]:
        with pytest.raises(paxsim.PaxsimError, match=words):
            paxsim.env(**wrong)
    table = paxsim.env(players=2)
    table.reset(seed=1)
    with pytest.raises(paxsim.PaxsimError, match="action: found 0; allowed now: 3, 4"):
        table.step(0)


def test_an_illegal_action_loses_a_solo_game():
    solo = paxsim.solo_env(2)
    solo.reset(seed=1)
    assert solo.step(0)[1:] == (0.0, True, False, {"illegal": True})


def test_what_is_asked_of_no_game_is_refused_or_warned_of():
    with pytest.raises(paxsim.PaxsimError, match="level: found None; allowed: a whole number"):
        paxsim.solo_env(level=None)
    with pytest.raises(paxsim.PaxsimError, match=r"actions: no game has been dealt; allowed: aft"):
        paxsim.parallel_env(players=2).step({})
    for env in (paxsim.env(players=2), paxsim.solo_env()):
        env.reset(seed=1)
        with pytest.warns(UserWarning, match="render_mode: found none, so that nothing is shown"):
            assert env.render() is None
    with pytest.raises(paxsim.PaxsimError, match=r"render: no game has been dealt; allowed: after"):
        paxsim.solo_env(render_mode="ansi").render()


def test_the_layout_shows_its_fields_and_knows_no_others():
    layout = paxsim.VectorEnv(1, players=3).layout
    said = f"Layout of {layout.size} numbers and {layout.actions} actions: decision, round, "
    assert repr(layout).startswith(said) and max(map(len, repr(layout).splitlines())) <= 100
    assert "<td>hand</td><td>(28,)</td>" in layout._repr_html_()
    for wrong, words in [
        (lambda: layout["hnd"], r"unknown field 'hnd' \(did you mean 'hand'\?\); choose from dec"),
        (
            lambda: layout.part(np.zeros((2, 3)), "hand"),
            r"observations: found shape \(2, 3\); allo",
        ),
        (lambda: layout.part(3, "hand"), r"observations: found shape \(\); allowed: rows of"),
        (lambda: layout.action_name(layout.actions), "action: found .*; allowed: a whole number"),
        (lambda: layout.action_name(-1), "action must be between 0 and "),
        (lambda: layout.action_name("pass"), "action: found 'pass'; allowed: a whole number"),
    ]:
        with pytest.raises(paxsim.PaxsimError, match=words):
            wrong()
    assert layout.part([0] * layout.size, "hand").shape == (28,)


def test_a_batch_can_be_dealt_anew_from_another_seed():
    batch, other = paxsim.VectorEnv(16, players=3, seed=1), paxsim.VectorEnv(16, players=3, seed=2)
    batch.reset()
    batch.step(batch.random_actions())
    for env, seed in ((batch, 2), (other, None)):
        env.reset(seed)
        for _ in range(300):
            env.step(env.random_actions())
    for name in ("observations", "masks", "results", "seats"):
        assert np.array_equal(getattr(batch, name), getattr(other, name)), name
    with pytest.raises(paxsim.PaxsimError, match="seed: found -1"):
        batch.reset(-1)


def test_what_a_learner_writes_to_the_masks_is_not_said_to_be_allowed():
    batch = paxsim.VectorEnv(2, players=3, seed=1)
    _, masks = batch.reset()
    may = ", ".join(map(str, np.flatnonzero(masks[0])))
    masks[:] = 1
    with pytest.raises(paxsim.PaxsimError, match=f"found 0 in game 0; allowed there: {may}$"):
        batch.step(np.zeros(2, int))


class Tensor(np.ndarray):
    """What a learner's own library makes of observations."""


def test_a_part_of_a_tensor_is_a_tensor():
    layout = paxsim.VectorEnv(2, 2).layout
    rows = np.zeros((2, layout.size)).view(Tensor)
    assert type(layout.part(rows, "hand")) is Tensor
