"""Evaluation of options: from the seat's own knowledge, reproducible, and unbiased."""

import numpy as np
import pytest
from support import worlds

import paxsim
from paxsim.game import walk
from paxsim.search.evaluation import _evaluation, evaluate_options


def game_at(decisions, players=3, level=None, deal=0):
    """Return a game of `weighted` and `random` after some decisions."""
    setting = paxsim.make_setting(players, solo_level=level)
    seated = ["weighted", "random", "weighted", "random"][:players]
    for number, game in enumerate(walk(setting, paxsim.make_lineup(seated, players), 6, deal, 0)):
        if number == decisions:
            return game.copy()
    raise AssertionError("the game was over before")


@pytest.mark.parametrize("policies", ["random", "search:opponents=weighted+random", "search"])
def test_options_have_win_chances_with_errors(policies):
    game = game_at(25)
    evaluation = evaluate_options(game, policies, rollouts=60)
    table = evaluation.options
    assert table["option"].tolist() == list(range(len(game.options())))
    assert table["text"].tolist() == [str(option) for option in game.options()]
    assert table["win_chance"].between(0, 1).all() and (table["rollouts"] == 60).all()
    expected = np.sqrt(table["win_chance"] * (1 - table["win_chance"]) / 59)
    assert (table["error"] <= expected + 1e-9).all()  # shared wins make it smaller
    assert table["plain"][evaluation.plain]
    assert table["win_chance"][evaluation.plain] == pytest.approx(evaluation.seats[game.seat - 1])
    assert len(evaluation.seats) == 3 and 0 <= evaluation.rome <= 1
    assert 1 - evaluation.rome - 1e-9 <= sum(evaluation.seats) <= 1 + 1e-9


def test_options_are_evaluated_by_their_best_plan():
    game = game_at(25)
    first = list(range(len(game.options())))
    samples = np.zeros((8, 2, len(first), 4))  # worlds, plans, options, three seats and Rome
    samples[:, 0, 0, game.seat - 1] = 1.0
    samples[:4, 1, 1:, game.seat - 1] = 1.0
    table = _evaluation(game, ["slow", "bold"], first, 0, samples).options
    assert table["plan"].tolist() == ["slow", *["bold"] * (len(first) - 1)]
    assert table["win_chance"].tolist() == [1.0, *[0.5] * (len(first) - 1)]
    assert table["error"].tolist() == pytest.approx([0.0, *[(0.25 / 7) ** 0.5] * (len(first) - 1)])


def test_the_game_is_unchanged_and_the_seed_decides():
    game = game_at(30)
    before = game.record.tobytes()
    one, again, other = (evaluate_options(game, rollouts=40, seed=seed) for seed in (1, 1, 2))
    assert game.record.tobytes() == before
    assert one.options.equals(again.options) and (one.seats, one.rome) == (again.seats, again.rome)
    assert not one.options.equals(other.options)


def test_hidden_state_changes_nothing():
    random, workspace = np.random.default_rng(3), worlds.new_workspace()
    for decisions in (3, 20, 33, 47):
        game = game_at(decisions)
        other = game.copy()
        worlds.change_hidden_state(
            other.record, worlds.beliefs_of(workspace, game._address), random
        )
        one, two = (evaluate_options(each, rollouts=30).options for each in (game, other))
        assert one.equals(two)


def test_mean_chance_over_deals_is_the_share_of_games_won():
    """Hermit alone at level 2, evaluated at its first decision, and the same games played."""
    setting, deals = paxsim.make_setting(solo_level=2), 150
    chances = []
    for deal in range(deals):
        game = paxsim.Game(solo_level=2, seed=8, deal=deal)
        evaluation = evaluate_options(game, "hermit", rollouts=20, seed=deal)
        chances.append(evaluation.options["win_chance"][evaluation.plain])
        assert evaluation.rome == pytest.approx(1 - evaluation.seats[0])
    played = paxsim.play_batch("hermit", solo_level=2, deals=2000, seed=9).shares[:, 0]
    error = np.hypot(np.std(chances) / deals**0.5, played.std() / len(played) ** 0.5)
    assert abs(np.mean(chances) - played.mean()) < 4 * error and error < 0.03
    assert setting.players == 1


def test_bad_arguments():
    game = game_at(5)
    for arguments, word in [({"rollouts": 1}, "rollouts"), ({"policies": "nobody"}, "'nobody'")]:
        with pytest.raises(paxsim.PaxsimError, match=word):
            evaluate_options(game, **arguments)
    while not game.over:
        game.apply(0)
    with pytest.raises(paxsim.PaxsimError, match="over"):
        evaluate_options(game)
