"""What follows from a card that is played, when the engine does all of the bookkeeping itself."""

import pytest
from support.positions import choose, lay_legion, texts
from support.situations import play

from paxsim.cards import ARMY, FLEET, WEALTH


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
