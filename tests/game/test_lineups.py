"""Line-ups and settings: cached, shared and read-only."""

import pickle

import numpy as np
import pytest

import paxsim
from paxsim.policies.policy import make_policy

LINEUP = "builder:breadth=0.8,random"


def last(table, me, choice):
    """Choose the last option."""
    return choice.count - 1


def test_lineup_of_built_in_policies_is_cached():
    assert paxsim.make_lineup(LINEUP, 2) is paxsim.make_lineup(LINEUP.split(","), 2)
    assert paxsim.make_lineup("builder,random", 2) is not paxsim.make_lineup(LINEUP, 2)
    assert paxsim.make_lineup("random", 3).policies == paxsim.make_lineup("random", 4).policies[:3]


def test_cached_lineup_is_read_only():
    lineup = paxsim.make_lineup(LINEUP, 2)
    with pytest.raises(TypeError):
        lineup.policies[0].params["breadth"] = 5.0
    for numbers in (lineup.addresses, lineup.contexts().params):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 0


def test_policy_of_a_cached_lineup_can_be_used():
    policy = paxsim.make_lineup(LINEUP, 2).policies[0]
    again = paxsim.play_batch([policy, "random"], deals=20, seed=3)
    assert again.lineup.labels == ["builder:breadth=0.8", "random"]
    expected = paxsim.play_batch(LINEUP, deals=20, seed=3)
    assert again.results.tobytes() == expected.results.tobytes()
    assert policy.with_params({"breadth": 2.0}).params["breadth"] == 2.0


def test_lineup_of_other_policies_is_not_cached():
    guest = make_policy(last, solo=True)
    first, second = (paxsim.make_lineup([guest, "random"], 2) for _ in range(2))
    assert first is not second and first == second


def test_pickled_lineup_has_no_addresses():
    lineup = paxsim.play_batch(LINEUP, deals=1).lineup
    copy = pickle.loads(pickle.dumps(lineup))
    assert list(vars(copy)) == ["policies"]
    assert copy == lineup
    assert np.array_equal(copy.contexts().params, lineup.contexts().params)


def test_equal_settings_are_cached():
    def setting(name="mine", needs=4):
        deck = paxsim.Deck(name=name, cards=paxsim.load_deck().cards)
        return paxsim.make_setting(3, deck=deck, rules={"rome_needs": needs})

    assert setting() is setting()
    other = setting(name="another")  # the same cards, and so the same fingerprint
    assert (other.deck.name, setting().deck.name) == ("another", "mine")
    assert setting(needs=5).rules.rome_needs == 5
    assert setting(needs=5).new_game().tobytes() != setting().new_game().tobytes()


def test_new_game_of_a_cached_setting_is_a_copy():
    setting = paxsim.make_setting(3)
    untouched = setting.new_game().tobytes()
    setting.new_game()[:] = 77
    assert setting.new_game().tobytes() == untouched
