"""The planner at each kind of decision: values are given, the choice that serves them is known.

A limit is the value of an Aureus up to which something is done: it shows the whole sum.
"""

import pytest
from support import term_policies as terms
from support.decisions import (
    LAST_ROUND,
    buy,
    chosen,
    chosen_and_noted,
    display,
    keep,
    place,
    play,
    react,
    turn,
    turning_point,
)
from support.positions import choose


def is_about(number):
    return pytest.approx(number, abs=1e-6)


def after(choice, game):
    """Return the game after a choice."""
    choose(game, choice)
    return game


#: Values of the planner, and the option that it chooses; situations are made by functions.
CHOICES = [
    # Keep and display: every symbol counts, those beyond the wanted ones a fifth.
    (dict(wealth=2.0, land=1.0), "keep wealth/1/1",
     lambda: keep("land/1/1", "wealth/1/1", "senator/1/1")),
    (dict(wealth=2.0, senator=3.0), "keep senator/1/1",
     lambda: keep("land/1/1", "wealth/1/1", "senator/1/1")),
    (dict(wealth=1.5, land=1.0), "keep land/2/3", lambda: keep("wealth/1/1", "land/2/3")),
    (dict(land=1.0, wealth=1.1, room=1.0), "keep land/2/3",
     lambda: keep("land/2/3", "wealth/1/1")),
    (dict(land=1.0, wealth=1.3, room=1.0), "keep wealth/1/1",
     lambda: keep("land/2/3", "wealth/1/1")),
    # The value of a card counts once.
    (dict(land=1.0, extra_wealth=1.9), "keep land/2/3", lambda: keep("land/2/3", "wealth/1/1")),
    (dict(land=1.0, extra_wealth=2.1), "keep wealth/1/1", lambda: keep("land/2/3", "wealth/1/1")),
    # The first of equal cards.
    (dict(land=1.0), "keep land/1/1", lambda: keep("land/1/1", "land/1/3")),
    (dict(land=1.0, senator=1.0), "display senator/2/3",
     lambda: display("land/1/1", "senator/2/3", "wealth/1/1")),
    ({}, "turn", turn),
    (dict(peek=1.0), "peek", turn),
    # Place: to the hand what is far better than the average; what is as good waits to be bought.
    (dict(wealth=3.0), "place wealth/1/1 to hand", lambda: place("wealth/1/1")),
    (dict.fromkeys(("wealth", "religion", "senator", "land", "fleet", "army", "intrigue"), 3.0),
     "place wealth/1/1 legion 1", lambda: place("wealth/1/1", legions=[[], ["religion/1/1"]])),
    (dict(wealth=3.0, money=0.1), "place land/1/2 to bottom", lambda: place("land/1/2")),
    # Nothing in the deck is better, so the first place is good enough.
    (dict(wealth=3.0, room=0.0, money=0.1), "place land/1/2 to hand", lambda: place("land/1/2")),
    # What Rome should have goes to the group it takes, unless one buys that group oneself.
    (dict(rome_land=1.0, wealth=1.0, money=1.0), "place land/1/0 legion 2",
     lambda: place("land/1/0", legions=[["senator/1/1"], ["senator/1/3"]])),
    (dict(rome_land=1.0, wealth=1.0, money=1.0), "place land/1/1 legion 2",
     lambda: place("land/1/1", legions=[["senator/1/1"], ["land/1/3"]])),
    (dict(rome_land=1.0, wealth=3.0, money=0.5), "place land/1/1 legion 2",
     lambda: place("land/1/1", legions=[["senator/1/1"], ["wealth/1/3"]], money=0)),
    (dict(rome_land=1.0, wealth=3.0, money=0.5), "place land/1/1 to bottom",
     lambda: place("land/1/1", legions=[["senator/1/1"], ["wealth/1/3"]], money=5)),
    # A more valuable card lures Rome away from a group that helps it; a tie doesn't.
    (dict(rome_land=-1.0, wealth=1.0), "place senator/2/4 legion 2",
     lambda: place("senator/2/4", legions=[["land/2/3"]], money=0)),
    (dict(rome_land=-1.0, wealth=1.0), "place senator/1/3 to bottom",
     lambda: place("senator/1/3", legions=[["land/2/3"]], money=0)),
    (dict(rome_land=-1.0, wealth=1.0), "place senator/2/4 legion 3",
     lambda: place("senator/2/4", legions=[["land/2/3"], ["land/1/1"]], money=0)),
    # A wanted card that can't be kept: given away rather than to Rome, or to a group worth buying.
    (dict(rome_wealth=-1.0, wealth=3.0), "place wealth/1/4 legion 2",
     lambda: after("place land/1/1 to hand",
                   place("land/1/1", then=["wealth/1/4"], legions=[["senator/2/6"]], money=0))),
    (dict(wealth=3.0, money=1.0), "place wealth/1/1 legion 2",
     lambda: after("place land/1/1 to hand",
                   place("land/1/1", then=["wealth/1/1"],
                         legions=[["senator/2/4"], ["wealth/1/2"], ["land/1/1"]]))),
    (dict(wealth=3.0, money=0.1), "place wealth/1/1 legion 1",  # the others are too expensive
     lambda: after("place land/1/1 to hand",
                   place("land/1/1", then=["wealth/1/1"], money=4,
                         legions=[[], ["wealth/2/4"], ["senator/1/6"]]))),
    (dict(religion=3.0, money=1.2), "place religion/1/1 legion 1",  # affordable with the discount
     lambda: after("place land/1/1 to hand",
                   place("land/1/1", then=["religion/1/1"], money=2,
                         legions=[["religion/1/2"], ["senator/1/6"]],
                         show=["wealth/2/3", "wealth/1/1"]))),
    # Of several cards the best goes to the hand, which can wait while another one is as good.
    (dict(wealth=3.0, land=1.0), "place wealth/1/1 to hand",
     lambda: place("land/1/1", "wealth/1/1", "senator/1/1", money=0)),
    (dict(wealth=3.0), "place senator/1/1 to bottom",
     lambda: place("wealth/1/1", "wealth/1/1", "senator/1/1", money=0)),
    # Buy what brings more for its price, and nothing for nothing.
    (dict(wealth=3.0, money=0.9), "buy legion 2", lambda: buy(["wealth/1/1"], ["wealth/2/4"])),
    (dict(wealth=3.0, money=1.1), "buy legion 1", lambda: buy(["wealth/1/1"], ["wealth/2/4"])),
    ({}, "pass", lambda: buy(["wealth/1/0"])),
    # Play what brings most; land for a fleet only if that allows one that wasn't allowed.
    (dict(land=1.0, wealth=3.0, religion=2.0), "play wealth/1/1",
     lambda: play("land/1/1", "wealth/1/1", "religion/1/1")),
    ({}, "stop", lambda: play("wealth/1/1")),
    (dict(fleet=2.0), "stop", lambda: play("land/1/1", "fleet/2/3")),
    (dict(fleet=2.0, money=0.1), "play fleet/1/1",
     lambda: play("land/1/1", "fleet/1/1", show=["land/1/1", "land/1/1"])),
    (dict(fleet=2.0, money=3.0), "stop", lambda: play("land/1/1", "fleet/1/1", show=["land/2/3"])),
    (dict(fleet=2.0, money=1.0), "play fleet/1/1",
     lambda: play("land/1/1", "fleet/1/1", "fleet/4/3", show=["land/1/1"])),
    # React with the best card; a free reaction is taken for any value.
    (dict(land=1.0, wealth=2.0), "react wealth/1/1", lambda: react("land/1/1", "wealth/1/1")),
    (dict(wealth=0.1, money=60.0), "react wealth/1/1", lambda: react("wealth/1/1", price=0)),
    (dict(money=60.0), "pass", lambda: react("wealth/1/1", price=0)),
]  # fmt: skip


@pytest.mark.parametrize(("values", "option", "situation"), CHOICES)
def test_option_that_serves_the_values_best(values, option, situation):
    assert chosen("valued", situation(), **values) == option


def test_card_that_rome_should_not_have_goes_elsewhere():
    game = place("land/1/1", legions=[["senator/1/1"], ["senator/1/3"]])
    assert "legion 2" not in chosen("valued", game, rome_land=-1.0, money=1.0)


def test_symbol_for_rome_counts_three_fifths_against_half_of_an_average_card():
    game = place("land/1/1", legions=[["senator/1/1"], ["senator/1/3"]])
    limit = turning_point("valued", game, "wealth", "place land/1/1 legion 2", rome_land=1.0,
                          money=1.0)  # fmt: skip
    assert limit == is_about(0.6 / (0.5 * 14 / 74))


def test_gift_to_others_counts_fifteen_percent_of_a_card():
    game = place("land/1/1", then=["wealth/1/4"], legions=[["senator/2/6"]], money=0)
    choose(game, "place land/1/1 to hand")
    limit = turning_point("valued", game, "rome_wealth", None, -2.0, 0.0, wealth=3.0)
    assert limit == is_about(-0.15 * 3 / 0.6)


FLEET = dict(fleet=2.0)
#: Values, an option, and the value of an Aureus up to which it is chosen.
LIMITS = [
    # A group: its cards for its price, discount included; unwanted cards count nothing.
    (dict(wealth=3.0), "buy legion 1", 3 / 2, lambda: buy(["wealth/1/2"])),
    (dict(wealth=3.0), "buy legion 1", 3 / 1,
     lambda: buy(["wealth/1/2"], show=["wealth/2/3", "wealth/1/1"])),
    (dict(wealth=3.0, senator=-5.0), "buy legion 1", 3 / 2,
     lambda: buy(["wealth/1/1", "senator/1/1"])),
    # Keeping a group from Rome counts only if Rome would take it.
    (dict(wealth=3.0, rome_wealth=-1.0), "buy legion 1", 4 / 2,
     lambda: buy(["wealth/1/2"], ["senator/1/1"])),
    (dict(wealth=3.0, rome_wealth=-1.0), "buy legion 1", 3 / 2,
     lambda: buy(["wealth/1/2"], ["senator/1/3"])),
    # Ten cards at 1.6 a turn with one turn left: 0.16 of the card's value.
    (dict(wealth=3.0), "buy legion 1", 0.16 * 3,
     lambda: buy(["wealth/1/1"], hand=["senator/1/1"] * 9, **LAST_ROUND)),
    (dict(wealth=3.0), "buy legion 1", 3,
     lambda: buy(["wealth/1/1"], hand=["senator/1/1"] * 9, deck=58)),
    # A fleet beyond the limit counts two fifths; the hand's land, or wanted intrigue, may allow it.
    (FLEET, "buy legion 1", 0.4 * 2, lambda: buy(["fleet/1/1"])),
    (FLEET, "buy legion 1", 2, lambda: buy(["fleet/1/1"], show=["land/1/1"])),
    (FLEET, "buy legion 1", 2, lambda: buy(["fleet/1/1"], hand=["land/1/1"])),
    (FLEET, "buy legion 1", 4, lambda: buy(["fleet/2/1"], show=["land/1/1"], hand=["land/1/1"])),
    (FLEET, "buy legion 1", 0.4 * 2, lambda: buy(["fleet/1/1"], hand=["intrigue/1/1"])),
    (dict(intrigue=0.1, **FLEET), "buy legion 1", 2,
     lambda: buy(["fleet/1/1"], hand=["intrigue/1/1"])),
    (dict(intrigue=0.1, **FLEET), "buy legion 1", 0.4 * 4,
     lambda: buy(["fleet/2/1"], hand=["intrigue/1/1", "land/1/1"])),
    # A first card has an income of 1 where playing nothing has one of 2.
    (dict(wealth=3.0), "play wealth/1/1", 3, lambda: play("wealth/1/1")),
    (dict(intrigue=3.0), "play intrigue/1/1", 3 / 2, lambda: play("intrigue/1/1")),
    # The second card costs an Aureus, and here lengthens no row.
    (dict(land=3.0), "play land/1/1", 3,
     lambda: after("play wealth/1/1", play("wealth/1/1", "land/1/1"))),
    (dict(intrigue=3.0), "play intrigue/1/1", 3 / (1 + 2),
     lambda: after("play wealth/1/1", play("wealth/1/1", "intrigue/1/1", show=["wealth/1/1"]))),
    # Land or intrigue for the best fleet that it allows: four fifths, less the income lost.
    (FLEET, "play land/1/1", 0.8 * 2, lambda: play("land/1/1", "fleet/1/1")),
    (FLEET, "play intrigue/1/1", 0.8 * 2 / 2, lambda: play("intrigue/1/1", "fleet/1/1")),
    (dict(fleet=2.0, army=3.0), "play land/2/2", 0.8 * 4,
     lambda: play("land/2/2", "fleet/1/1", "fleet/2/3", "army/1/1")),
    # A reaction costs its price and has no income.
    (dict(wealth=3.0), "react wealth/1/1", 3 / 1, lambda: react("wealth/1/1", price=1)),
    (dict(wealth=3.0), "react wealth/1/1", 3 / 3, lambda: react("wealth/1/1", price=3)),
    (dict(wealth=3.0), "react wealth/1/1", 3,
     lambda: react("wealth/1/1", show=["wealth/1/1"] * 3)),
    # From here on the card is unwanted, and played for its income only above the limit.
    (dict(wealth=-1.0), "stop", 1 / (4 - 2), lambda: play("wealth/1/1", show=["wealth/1/1"] * 3)),
    (dict(senator=-1.0), "stop", 1 / (3 - 2), lambda: play("senator/1/1", show=["senator/1/1"])),
    # Only rows of cards played in this turn pay: land lengthens the row that counts from 1 to 3.
    (dict(land=-1.0), "stop", 1 / (3 - 1 - 1),
     lambda: after("play wealth/1/1",
                   play("wealth/1/1", "land/1/1",
                        show=["religion/1/1"] * 4 + ["land/1/1"] * 2))),
]  # fmt: skip


@pytest.mark.parametrize(("values", "option", "limit", "situation"), LIMITS)
def test_limit_of_the_value_of_money(values, option, limit, situation):
    assert turning_point("valued", situation(), "money", option, **values) == is_about(limit)


# --- values are set once a turn -------------------------------------------------------------


def test_values_hold_for_a_whole_turn_and_are_set_anew_in_the_next():
    game = play("wealth/1/1", "land/1/1")
    assert chosen_and_noted("valued", game, wealth=3.0) == "play wealth/1/1"
    assert chosen_and_noted("valued", game, land=3.0) == "play wealth/1/1"
    game.record["table"]["round"] += 1
    assert chosen_and_noted("valued", game, land=3.0) == "play land/1/1"


@pytest.mark.parametrize(
    ("situation", "option"),
    [
        (lambda: keep("wealth/1/1", "land/1/1"), "keep land/1/1"),
        (lambda: display("land/1/1", "senator/2/3", "wealth/1/1"), "display land/1/1"),
    ],
)
def test_values_are_set_anew_at_every_decision_of_the_draft(situation, option):
    game = situation()
    chosen_and_noted("valued", game, wealth=3.0)
    assert chosen_and_noted("valued", game, land=3.0) == option


OLD = dict(wealth=3.0, fleet=3.0, intrigue=3.0, land=3.0, extra_land=3.0, rome_wealth=-9.0,
           rome_land=-9.0, money=0.0, peek=1.0)  # fmt: skip


@pytest.mark.parametrize(
    ("situation", "option"),
    [
        (lambda: play("wealth/1/1"), "stop"),
        (lambda: play("intrigue/1/1"), "stop"),
        (lambda: play("land/1/1"), "stop"),
        (lambda: play("fleet/1/1", show=["land/1/1"]), "stop"),
        (lambda: buy(["wealth/1/1"]), "pass"),
        (lambda: buy(["land/1/1"]), "pass"),
        (turn, "turn"),
    ],
)
def test_values_of_the_last_turn_are_gone(situation, option):
    """A policy that values religion alone in this round acts on nothing else."""
    game = situation()
    chosen_and_noted("valued", game, **OLD)
    game.record["table"]["round"] += 1
    assert chosen_and_noted("single_term", game, which=terms.FORESIGHT, a=1.0) == option
