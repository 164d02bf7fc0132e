"""`@heuristic` makes a policy out of an idea: what it keeps of it, and when it asks for values."""

import inspect
import math
from pathlib import Path

import numpy as np
import pytest
from support import plain

import paxsim
from paxsim.engine.records import N_CATEGORIES
from paxsim.policies.planner import heuristic
from paxsim.policies.registry import HEURISTICS
from paxsim.policies.utility import (
    CARD_VALUE,
    MONEY_VALUE,
    PEEK_VALUE,
    ROME_VALUE,
    UPDATED,
    add_card_value,
    value_money,
)


@heuristic
def money_minded(table, me, thrift=0.7):
    """Look at money alone.

    More words about it.
    """
    value_money(me, thrift * table.round)


@heuristic(solo=False)
def nosy_heuristic(table, me, often=1.0):
    """Peek at Rome's cards in every turn."""
    if often > 0.0:
        me.memory[PEEK_VALUE] = math.inf


@heuristic
def wavering(table, me, worth=1.0):
    """Value land (5) in the draft, and nothing afterwards."""
    if table.round == 0:
        add_card_value(me, 5, worth)


def asked(policy, game):
    """The policy's answer at the decision at hand; its notes are written into the game.

    In plain Python: to compile these three, each with a planner in it, takes ten seconds.
    """
    seat = game.seat - 1
    me = game.record["seats"][seat]
    me["params"] = policy.param_vector()
    answer = plain.asked(policy, game.record["table"], me, game.record["choices"][seat])
    return int(answer), me["memory"]


def test_name_docstring_parameters_and_file_are_those_of_the_idea():
    assert money_minded.name == "money_minded"
    assert money_minded.idea == "Look at money alone."
    assert "More words" in inspect.getdoc(money_minded.function)
    assert money_minded.params == {"thrift": 0.7}
    assert list(inspect.signature(money_minded.function).parameters) == [
        "table", "me", "choice", "thrift",
    ]  # fmt: skip
    assert Path(inspect.getfile(money_minded.function)) == Path(__file__)
    assert inspect.getsource(money_minded.function).startswith("@heuristic\ndef money_minded")
    assert (money_minded.solo, nosy_heuristic.solo) == (True, False)


def test_a_built_in_heuristic_is_filed_under_its_own_module():
    assert paxsim.get_policy("builder").origin == "paxsim.policies.heuristics"


def test_wishes_are_made_at_the_draft_and_once_in_every_turn():
    game = paxsim.Game(2, seed=3)
    assert asked(money_minded, game)[1][MONEY_VALUE] == 0.0
    while game.decision == "keep":
        game.apply(0)
    option, notes = asked(money_minded, game)
    assert (notes[MONEY_VALUE], notes[UPDATED]) == (0.7, 2.0)
    notes[MONEY_VALUE] = 5.0  # a mark: it would go away if values were made again
    game.apply(option)
    assert asked(money_minded, game)[1][MONEY_VALUE] == 5.0


def test_every_turn_begins_with_no_wishes():
    game = paxsim.Game(2, seed=3)
    assert asked(wavering, game)[1][CARD_VALUE + 5] == 1.0
    while game.decision == "keep":
        game.apply(0)
    notes = asked(wavering, game)[1]
    assert np.all(notes[: ROME_VALUE + N_CATEGORIES] == 0.0)


@pytest.mark.parametrize("size", [1e12, -1e12])
def test_wishes_beyond_all_measure_still_lead_to_an_option(size):
    for name in HEURISTICS:
        policy = paxsim.get_policy(name)
        absurd = policy.with_params(dict.fromkeys(policy.params, size))
        assert len(paxsim.play_batch(absurd, 3, deals=20)) == 20


def test_a_wish_to_peek_comes_before_everything_else():
    game = paxsim.Game(2, seed=3)
    while game.decision == "keep":
        game.apply(0)
    names = [str(option) for option in game.options()]
    assert names[asked(nosy_heuristic, game.copy())[0]] == "peek"
    assert names[asked(money_minded, game.copy())[0]] != "peek"
