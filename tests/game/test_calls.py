"""Wrong calls of the public API, except experiments: each is refused in one line."""

import math

import numpy as np
import pytest

import paxsim
import paxsim.envs
from paxsim.testing import check_policy
from paxsim.trace import trace_game

HUGE = 10**5000  # Python refuses to write it down
CARD = paxsim.Card("land", 1, 1)


def game():
    return paxsim.Game(2)


def first():
    return paxsim.get_policy("first")


def named(name):
    def function(table, me, choice):
        return 0

    function.__name__ = name
    return function


#: Calls, and how the message begins, with the value that it contains.
WRONG = [
    # playing
    (lambda: paxsim.play(None), "policies … None"),
    (lambda: paxsim.play("random,first", "2"), "players … '2'"),
    (lambda: paxsim.play("random,first", deal=0.5), "deal … 0.5"),
    (lambda: paxsim.play("random,first", rotation=None), "rotation … None"),
    (lambda: paxsim.play("random,first", rotation=2), "rotation … 2"),
    (lambda: paxsim.play_batch("random", 2, deals="1"), "deals … '1'"),
    (lambda: paxsim.play_batch("random", 2, deals=0), "deals … 0"),
    (lambda: paxsim.play_batch("random", 2, deals=10**12), "deals … 1000000000000"),
    (lambda: paxsim.play_batch("random", 2, rotations=0), "rotation … 0"),
    (lambda: paxsim.play_batch("random", 2, rotations=[]), "rotation … []"),
    (lambda: paxsim.play_batch("random", 2, rotations="some"), "rotation … 'some'"),
    (lambda: paxsim.play_batch("random", 2, rotations=["0"]), "rotation … '0'"),
    (lambda: paxsim.play_batch("random", 2, first_deal=2**63), "deal … 9223372036854775808"),
    (lambda: paxsim.Game("2"), "players … '2'"),
    (lambda: paxsim.Game(2, seed=1.0), "seed … 1.0"),
    (lambda: paxsim.Game(2, solo_level=1), "solo-level … level 1 with 2 players"),
    (lambda: game().apply("0"), "option … '0'"),
    (lambda: game().apply(True), "option … True"),
    (lambda: game().apply(99), "option … 99"),
    (lambda: game().result(), "the game is not over"),
    (lambda: paxsim.make_setting(9), "players … 9"),
    (lambda: paxsim.make_setting(solo_level="1"), "solo-level … '1'"),
    (lambda: paxsim.make_setting(2, deck=None), "deck … None"),
    (lambda: paxsim.make_setting(2, rules=np.array([1, 2])), "rules … array([1, 2])"),
    (lambda: next(trace_game("x", first(), 0, 0, 0)), "setting … 'x'"),
    (lambda: paxsim.make_lineup(None, 2), "policies … None"),
    (lambda: paxsim.make_lineup("random", None), "players … None"),
    (lambda: paxsim.make_lineup("random", 2.0), "players … 2.0"),
    (lambda: paxsim.make_lineup("random,,first", 3), "policies … 'random,,first'"),
    (lambda: paxsim.host_game(seats=-1), "seats … -1"),
    (lambda: paxsim.replay(paxsim.play("random,first"), 2), "number … 2"),
    (lambda: paxsim.replay(paxsim.play("random,first")).save(3), "path … 3"),
    (lambda: paxsim.envs.ObservationEncoder(3), "setting … 3"),
    # decks and rules
    (lambda: paxsim.load_deck(5), "deck … 5"),
    (lambda: paxsim.load_deck(["assumed"]), "deck … ['assumed']"),
    (lambda: paxsim.load_deck("x\0.toml"), "deck … 'x\\x00.toml'"),
    (lambda: paxsim.load_deck("x" * 300 + ".toml"), "deck: can't use"),
    (lambda: paxsim.Deck("", (CARD,)), "deck: name … ''"),
    (lambda: paxsim.Deck("  ", (CARD,)), "deck: name … '  '"),
    (lambda: paxsim.Deck(5, (CARD,)), "deck: name … 5"),
    (lambda: paxsim.Deck("x" * 101, (CARD,)), "deck: name … 'xxx"),
    (lambda: paxsim.Deck("x", (CARD,), note=None), "deck x: note … None"),
    (lambda: paxsim.Deck("x", None), "deck x: cards … None"),
    (lambda: paxsim.Deck("x", ()), "deck x: cards … ()"),
    (lambda: paxsim.Deck("x", ("land/1/1",)), "deck x: 'land/1/1'"),
    (
        lambda: paxsim.Deck("x", (("lnad", 1, 1),)),
        "deck x: ('lnad', 1, 1): unknown category 'lnad'",
    ),
    (lambda: paxsim.Deck("x", (CARD._replace(value=1.5),)), "deck x: Card(category='land', "),
    (lambda: paxsim.load_rules(5), "rules … 5"),
    (lambda: paxsim.load_rules(["tie=money"]), "rules … ['tie=money']"),
    (lambda: paxsim.load_rules({1: 2}), "rules: unknown field '1'"),
    (lambda: paxsim.load_rules({"rome_needs": HUGE}), "rules: rome_needs … a value"),
    (lambda: paxsim.load_rules({"tie": ["money"]}), "rules: unknown tie \"['money']\""),
    (lambda: paxsim.Rules(draft_sizes="2345"), "rules: draft_sizes … '2345'"),
    (lambda: paxsim.Rules(reactions=1), "rules: reactions … 1"),
    (lambda: paxsim.Rules().resolve("2"), "players … '2'"),
    (lambda: paxsim.Rules().resolve(1, 9), "solo-level … 9"),
    (
        lambda: paxsim.load_rules("religion_three=1,religion_two=5"),
        "rules: religion_three … religion_two",
    ),
    (
        lambda: paxsim.Rules(religion_two=7),
        "rules: religion_three … religion_two",
    ),
    # policies
    (lambda: paxsim.get_policy(5), "policy … 5"),
    (lambda: paxsim.get_policy(""), "unknown policy ''"),
    (lambda: paxsim.get_policy("x\0.py"), "policy … 'x\\x00.py'"),
    (lambda: paxsim.get_policy("x" * 300 + ".py"), "policy: can't use"),
    (lambda: paxsim.get_policy("builder:breadth=nan"), "parameter breadth of policy builder"),
    (lambda: first().with_params(None), "policy first: params … None"),
    (lambda: first().with_params({1: 2}), "policy first: unknown parameter '1'"),
    (lambda: paxsim.policy(5), "policy … 5"),
    (lambda: paxsim.policy(len), "policy … <built-in function len>"),
    (lambda: paxsim.policy(lambda a, b, c: 0, solo="no"), "policy <lambda>: solo … 'no'"),
    (lambda: paxsim.policy(named("\x1b[31m")), "policy: name … '\\x1b[31m'"),
    (lambda: paxsim.policy(named("a,b")), "policy: name … 'a,b'"),
    (lambda: paxsim.policy(named("x" * 201)), "policy: name … 'xxx"),
    (lambda: paxsim.helper(5), "helper … 5"),
    (lambda: check_policy("first", deals=0), "deals … 0"),
    (lambda: check_policy("first", deals=-3), "deals … -3"),
    (lambda: check_policy("first", deals="x"), "deals … 'x'"),
    (lambda: check_policy("first", seed=-1), "seed … -1"),
    (lambda: check_policy("first", seed="x"), "seed … 'x'"),
    (lambda: check_policy("first", patience=math.inf), "patience … inf"),
    (lambda: check_policy("first", patience=math.nan), "patience … nan"),
    (lambda: check_policy("first", patience=0), "patience … 0"),
    (lambda: check_policy("first", patience=-1.5), "patience … -1.5"),
    (lambda: check_policy("first", patience="long"), "patience … 'long'"),
    (lambda: check_policy(None), "policy … None"),
]


@pytest.mark.parametrize(("call", "begin"), WRONG, ids=[begin for _, begin in WRONG])
def test_wrong_call_is_refused_in_one_line(call, begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(paxsim.PaxsimError) as error:
        call()
    field, _, value = begin.partition(" … ")
    assert str(error.value).startswith(field) and value in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 1000
    assert not list(tmp_path.iterdir())
