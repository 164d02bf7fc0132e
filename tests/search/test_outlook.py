"""What every option is worth: from the seat's own knowledge, repeatable, and true on average."""

import numpy as np
import pytest
from search.test_search import change_what_is_hidden
from support import imagined

import paxsim
from paxsim.game import walk
from paxsim.search.evaluation import _told, evaluate_options


def game_at(decisions, players=3, level=None, deal=0):
    """A game after so many decisions of `weighted` and `random`."""
    setting = paxsim.make_setting(players, solo_level=level)
    seated = ["weighted", "random", "weighted", "random"][:players]
    for number, game in enumerate(walk(setting, paxsim.make_lineup(seated, players), 6, deal, 0)):
        if number == decisions:
            return game.copy()
    raise AssertionError("the game was over before")


@pytest.mark.parametrize("policies", ["random", "search:opponents=weighted+random", "search"])
def test_every_option_has_a_chance_with_its_error(policies):
    game = game_at(25)
    found = evaluate_options(game, policies, rollouts=60)
    table = found.options
    assert table["option"].tolist() == list(range(len(game.options())))
    assert table["text"].tolist() == [str(option) for option in game.options()]
    assert table["win_chance"].between(0, 1).all() and (table["rollouts"] == 60).all()
    expected = np.sqrt(table["win_chance"] * (1 - table["win_chance"]) / 59)
    assert (table["error"] <= expected + 1e-9).all()  # shared wins make it smaller
    assert table["plain"][found.plain]
    assert table["win_chance"][found.plain] == pytest.approx(found.seats[game.seat - 1])
    assert len(found.seats) == 3 and 0 <= found.rome <= 1
    assert 1 - found.rome - 1e-9 <= sum(found.seats) <= 1 + 1e-9


def test_an_option_is_told_with_the_plan_that_does_best_after_it():
    game = game_at(25)
    first = list(range(len(game.options())))
    samples = np.zeros((8, 2, len(first), 4))  # worlds, plans, options, three seats and Rome
    samples[:, 0, 0, game.seat - 1] = 1.0
    samples[:4, 1, 1:, game.seat - 1] = 1.0
    told = _told(game, ["slow", "bold"], first, 0, samples).options
    assert told["plan"].tolist() == ["slow", *["bold"] * (len(first) - 1)]
    assert told["win_chance"].tolist() == [1.0, *[0.5] * (len(first) - 1)]
    assert told["error"].tolist() == pytest.approx([0.0, *[(0.25 / 7) ** 0.5] * (len(first) - 1)])


def test_the_game_stays_as_it_is_and_the_seed_says_all():
    game = game_at(30)
    before = game.record.tobytes()
    one, again, other = (evaluate_options(game, rollouts=40, seed=seed) for seed in (1, 1, 2))
    assert game.record.tobytes() == before
    assert one.options.equals(again.options) and (one.seats, one.rome) == (again.seats, again.rome)
    assert not one.options.equals(other.options)


def test_what_the_seat_can_not_know_changes_nothing():
    random, workspace = np.random.default_rng(3), imagined.new_workspace()
    for decisions in (3, 20, 33, 47):
        game = game_at(decisions)
        other = game.copy()
        known = imagined.what_is_known(workspace, game._address)
        change_what_is_hidden(other.record, known, random)
        one, two = (evaluate_options(each, rollouts=30).options for each in (game, other))
        assert one.equals(two)


def test_on_average_over_deals_the_chance_is_the_share_of_games_won():
    """Hermit alone at level 2, judged at its first decision, beside the same games played."""
    setting, deals = paxsim.make_setting(solo_level=2), 150
    told = []
    for deal in range(deals):
        game = paxsim.Game(solo_level=2, seed=8, deal=deal)
        found = evaluate_options(game, "hermit", rollouts=20, seed=deal)
        told.append(found.options["win_chance"][found.plain])
        assert found.rome == pytest.approx(1 - found.seats[0])
    played = paxsim.play_batch("hermit", solo_level=2, deals=2000, seed=9).shares[:, 0]
    error = np.hypot(np.std(told) / deals**0.5, played.std() / len(played) ** 0.5)
    assert abs(np.mean(told) - played.mean()) < 4 * error and error < 0.03
    assert setting.players == 1


def test_mistakes_are_told_in_one_line():
    game = game_at(5)
    with pytest.raises(paxsim.PaxsimError, match="rollouts: found 1; allowed"):
        evaluate_options(game, rollouts=1)
    with pytest.raises(paxsim.PaxsimError, match="'nobody' is unknown"):
        evaluate_options(game, "nobody")
    while not game.over:
        game.apply(0)
    with pytest.raises(paxsim.PaxsimError, match="found one without a decision"):
        evaluate_options(game)
