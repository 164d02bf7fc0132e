"""`@heuristic`: what a policy takes over from its idea, and when the idea is called."""

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


def ask(policy, game):
    """Return a policy's option and its memory after the decision.

    It is interpreted: to compile these three, each with a planner, takes ten seconds.
    """
    me = game.record["seats"][game.seat - 1]
    me["params"] = policy.param_vector()
    return int(plain.asked(policy, game.record["table"], me, game.choice)), me["memory"]


def first_turn():
    game = paxsim.Game(2, seed=3)
    while game.decision == "keep":
        game.apply(0)
    return game


def test_heuristic_has_name_docstring_parameters_and_file_of_its_idea():
    function = money_minded.function
    assert (money_minded.name, money_minded.idea) == ("money_minded", "Look at money alone.")
    assert "More words" in inspect.getdoc(function)
    assert money_minded.params == {"thrift": 0.7}
    assert list(inspect.signature(function).parameters) == ["table", "me", "choice", "thrift"]
    assert Path(inspect.getfile(function)) == Path(__file__)
    assert inspect.getsource(function).startswith("@heuristic\ndef money_minded")
    assert (money_minded.solo, nosy_heuristic.solo) == (True, False)
    assert paxsim.get_policy("builder").origin == "paxsim.policies.heuristics"


def test_values_are_set_in_the_draft_and_once_in_every_turn():
    assert ask(money_minded, paxsim.Game(2, seed=3))[1][MONEY_VALUE] == 0.0
    game = first_turn()
    option, memory = ask(money_minded, game)
    assert (memory[MONEY_VALUE], memory[UPDATED]) == (0.7, 2.0)
    memory[MONEY_VALUE] = 5.0  # it would be overwritten if values were set again
    game.apply(option)
    assert ask(money_minded, game)[1][MONEY_VALUE] == 5.0


def test_every_turn_begins_without_values():
    assert ask(wavering, paxsim.Game(2, seed=3))[1][CARD_VALUE + 5] == 1.0
    assert np.all(ask(wavering, first_turn())[1][: ROME_VALUE + N_CATEGORIES] == 0.0)


@pytest.mark.parametrize("size", [1e12, -1e12])
@pytest.mark.parametrize("name", HEURISTICS)
def test_extreme_parameters_lead_to_an_option(name, size):
    policy = paxsim.get_policy(name)
    extreme = policy.with_params(dict.fromkeys(policy.params, size))
    assert len(paxsim.play_batch(extreme, 3, deals=20)) == 20


def test_infinite_value_of_peeking_comes_first():
    game = first_turn()
    names = [str(option) for option in game.options()]
    assert names[ask(nosy_heuristic, game.copy())[0]] == "peek"
    assert names[ask(money_minded, game.copy())[0]] != "peek"
