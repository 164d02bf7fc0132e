"""Wrong calls of the public API: each is one line that names a field, and none is accepted."""

import json
import math
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import paxsim
from paxsim import charts
from paxsim.experiment import comparison_size, simulation_size
from paxsim.testing import check_policy
from paxsim.trace import trace_game

HUGE = 10**5000  # Python refuses to write it down
CARD = paxsim.Card("land", 1, 1)


@pytest.fixture(scope="module")
def result():
    return paxsim.simulate("random,first", games=40)


def game():
    return paxsim.Game(2)


def first():
    return paxsim.get_policy("first")


def named(name):
    def function(table, me, choice):
        return 0

    function.__name__ = name
    return function


#: What is called, and how the message begins.
WRONG = [
    # simulate
    (lambda: paxsim.simulate("random", [None], 10), "players … None"),
    (lambda: paxsim.simulate("random", [2, 2], 10), "players … [2, 2]"),
    (lambda: paxsim.simulate("random", [], 10), "players … []"),
    (lambda: paxsim.simulate("random", True, 10), "players … True"),
    (lambda: paxsim.simulate("random", "23", 10), "players … '23'"),
    (lambda: paxsim.simulate("random", {2: 3}, 10), "players … {2: 3}"),
    (lambda: paxsim.simulate("random", {2, 3}, 10), "players … {2, 3}"),
    (lambda: paxsim.simulate("random", 2.0, 10), "players … 2.0"),
    (lambda: paxsim.simulate("random", np.array(2.5), 10), "players … array(2.5)"),
    (lambda: paxsim.simulate("random", HUGE, 10), "players … a value of type int"),
    (lambda: paxsim.simulate(None, 2, 10), "policies … None"),
    (lambda: paxsim.simulate([], 2, 10), "policies … []"),
    (lambda: paxsim.simulate(["random", None], 2, 10), "policy … None"),
    (lambda: paxsim.simulate(["random"] * 9), "policies … 9"),
    (lambda: paxsim.play(["random"] * 9), "policies … 9"),
    (lambda: paxsim.simulate({"random": 1}, 2, 10), "policies … {'random': 1}"),
    (lambda: paxsim.simulate("random", 2, "10"), "games … '10'"),
    (lambda: paxsim.simulate("random", 2, 10.5), "games … 10.5"),
    (lambda: paxsim.simulate("random", 2, 1e11), "games … 100000000000.0"),
    (lambda: paxsim.simulate("random", 2, float("nan")), "games … nan"),
    (lambda: paxsim.simulate("random", "4"), "players … '4'"),
    (lambda: paxsim.simulate("random", 2, True), "games … True"),
    (lambda: paxsim.simulate("random", 2, None), "games … None"),
    (lambda: paxsim.simulate("random", 2, 10, seed="x"), "seed … 'x'"),
    (lambda: paxsim.simulate("random", 2, 10, seed=-1), "seed … -1"),
    (lambda: paxsim.simulate("random", 2, 10, seed=2**63), "seed … 9223372036854775808"),
    (lambda: paxsim.simulate("random", 2, 10, precision="1%"), "precision … '1%'"),
    (lambda: paxsim.simulate("random", 2, 10, precision=math.nan), "precision … nan"),
    (lambda: paxsim.simulate("random", 2, 10, precision=True), "precision … True"),
    (lambda: paxsim.simulate("random", 2, 10, permutations="no"), "permutations … 'no'"),
    (lambda: paxsim.simulate("random", 2, 10, jobs=0), "jobs … 0"),
    (lambda: paxsim.simulate("random", 2, 10, jobs="all"), "jobs … 'all'"),
    (lambda: paxsim.simulate("random", 2, 10, backend=None), "unknown backend 'None'"),
    (lambda: paxsim.simulate("random", 2, 10, address=5), "address … 5"),
    (lambda: paxsim.simulate("random", 2, 10, out=5), "out … 5"),
    (lambda: paxsim.simulate("random", 2, 10, out="a\0b"), "out … 'a\\x00b'"),
    (lambda: paxsim.simulate("random", 2, 10, out="x" * 300), "out: can't use 'xxx"),
    (lambda: paxsim.simulate("random", 2, 10, progress=5), "progress … 5"),
    (lambda: paxsim.simulate("random", 2, 10, command=5), "command … 5"),
    (lambda: paxsim.simulate("random", 2, 10, notices=()), "notices … ()"),
    (lambda: paxsim.simulate("random", 2, 10, chunk_games=0.5), "chunk-games … 0.5"),
    (lambda: simulation_size("random", 2, precision=[]), "precision … []"),
    # the other questions
    (lambda: paxsim.tournament("random,first", ["2"], 10), "players … '2'"),
    (lambda: paxsim.tournament("random,first", [1], 10), "players … 1"),
    (lambda: paxsim.tournament(5, 2, 10), "policies … 5"),
    (lambda: paxsim.compare("random", None), "policy … None"),
    (lambda: paxsim.compare("random", "first", None), "field … None"),
    (lambda: paxsim.compare("random", "first", players=[4]), "players … [4]"),
    (lambda: paxsim.compare("random", "first", delta="1%"), "delta … '1%'"),
    (lambda: paxsim.compare("random", "first", delta=math.nan), "delta … nan"),
    (lambda: paxsim.compare("random", "first", sequential=1), "sequential … 1"),
    (lambda: comparison_size("random", "first", delta=None), "delta … None"),
    (lambda: paxsim.compare_rules("random", "rome_needs=5"), "variants … 'rome_needs=5'"),
    (lambda: paxsim.compare_rules("random", []), "variants … []"),
    (lambda: paxsim.compare_rules("random", None), "variants … None"),
    (lambda: paxsim.compare_rules("random", [5]), "rules … 5"),
    (lambda: paxsim.solo("random", [1, 1], 10), "levels … [1, 1]"),
    (lambda: paxsim.solo("random", None, 10), "levels … None"),
    (lambda: paxsim.solo("random", 6, 10), "levels … 6"),
    (lambda: paxsim.solo("random", "1-5", 10), "levels … '1-5'"),
    (lambda: paxsim.load_result(5), "run … 5"),
    (lambda: paxsim.load_result(b"x"), "run … b'x'"),
    (lambda: paxsim.load_result(""), "run … ''"),
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
    (lambda: game().result(), "result: the game asks for 'keep'"),
    (lambda: paxsim.make_setting(9), "players … 9"),
    (lambda: paxsim.make_setting(solo_level="1"), "solo-level … '1'"),
    (lambda: paxsim.make_setting(2, deck=None), "deck … None"),
    (lambda: paxsim.make_setting(2, rules=np.array([1, 2])), "rules … array([1, 2])"),
    (lambda: next(trace_game("x", first(), 0, 0, 0)), "setting … 'x'"),
    (lambda: paxsim.make_lineup(None, 2), "policies … None"),
    (lambda: paxsim.make_lineup("random", None), "players … None"),
    (lambda: paxsim.make_lineup("random", 2.0), "players … 2.0"),
    (lambda: paxsim.make_lineup("random,,first", 3), "policies … 'random,,first'"),
    # decks and rules
    (lambda: paxsim.load_deck(5), "deck … 5"),
    (lambda: paxsim.load_deck(["assumed"]), "deck … ['assumed']"),
    (lambda: paxsim.load_deck("x\0.toml"), "deck … 'x\\x00.toml'"),
    (lambda: paxsim.load_deck("x" * 300 + ".toml"), "deck: can't use"),
    (lambda: paxsim.Deck("", (CARD,)), "deck: name … ''"),
    (lambda: paxsim.Deck("  ", (CARD,)), "deck: name … '  '"),
    (lambda: paxsim.Deck(5, (CARD,)), "deck: name … 5"),
    (lambda: paxsim.Deck("x" * 101, (CARD,)), "deck: name … 'xxx"),
    (lambda: paxsim.Deck("x", (CARD,), note=None), "deck: note … None"),
    (lambda: paxsim.Deck("x", None), "deck x: cards … None"),
    (lambda: paxsim.Deck("x", ()), "deck x: cards … ()"),
    (lambda: paxsim.Deck("x", ("land/1/1",)), "deck x: 'land/1/1' … no card"),
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
        "rules: religion_three: found 1 with religion_two 5",
    ),
    (
        lambda: paxsim.Rules(religion_two=7),
        "rules: religion_three: found 6 with religion_two 7",
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
def test_a_wrong_call_is_one_line_that_names_the_field(call, begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(paxsim.PaxsimError) as error:
        call()
    message = str(error.value)
    field, _, value = begin.partition(" … ")
    assert message.startswith(field) and value in message
    assert "\n" not in message and len(message) < 1000
    assert not list(tmp_path.iterdir())


#: Wrong calls of charts and results; each is handed a result of `simulate`.
WRONG_CHARTS = [
    (lambda r: charts.seat_bars(None), "source … None"),
    (lambda r: charts.seat_bars(5, ax=plt.figure().add_subplot()), "source … 5"),
    (lambda r: charts.seat_bars(r, players=9), "players … 9"),
    (lambda r: charts.seat_bars(r, players="2"), "players … '2'"),
    (lambda r: charts.seat_bars(r, lineup="nobody"), "lineup … 'nobody'"),
    (lambda r: charts.seat_bars(r["seats"].head(0)), "source … a table without rows"),
    (lambda r: charts.seat_bars(pd.DataFrame({"players": [2]})), "source: has no"),
    (lambda r: charts.seat_bars(r, ax="axes"), "ax … 'axes'"),
    (lambda r: charts.seat_bars(r, caption=5), "caption … 5"),
    (
        lambda r: r.plot.seats(player=2),
        "chart seat_bars: unknown argument 'player' (did you mean 'players'?); choose from ",
    ),
    (lambda r: r.plot(colour=3), "chart forest: unknown argument 'colour'; choose from "),
    (lambda r: r.plot("seat"), "unknown plot 'seat' (did you mean 'seats'?); choose from "),
    (lambda r: r.plot(3), "unknown plot '3'; choose from "),
    (lambda r: r.plot("payoffs"), "plot … no data for payoffs in a result of simulate"),
    (lambda r: charts.payoff_heatmap(r), "unknown table 'payoffs'"),
    (lambda r: charts.tornado(r), "unknown table 'rule_changes'"),
    (lambda r: charts.rating_forest({}), "source … {}"),
    (lambda r: charts.distribution(r, "wins"), "unknown name 'wins'"),
    (lambda r: charts.stacked_shares(r["rome"], None), "source: does not fit"),
    (lambda r: charts.forest(r["rome"], "x", by="deck", label=""), "source: has no 'x'"),
    (lambda r: charts.forest(None, "x", by="deck", label=""), "source: does not fit"),
    (lambda r: charts.by_players(r, "rome_wins", by="x", label=""), "source: has no 'x'"),
    (lambda r: charts.save(None, Path("chart")), "figure … None"),
    (lambda r: charts.save(plt.figure(), 5), "stem … 5"),
    (lambda r: charts.save(plt.figure(), Path("no/such/chart")), "stem: cannot write"),
    (lambda r: r["wins"], "unknown table 'wins'"),
    (lambda r: r[5], "unknown table '5'"),
    (lambda r: r.to_csv(5), "csv … 5"),
    (lambda r: r.to_csv("/dev/null/x"), "csv: cannot write"),
    (lambda r: r.to_json("/dev/null/x"), "path: cannot write"),
    (lambda r: r.to_parquet("a\0b"), "parquet … 'a\\x00b'"),
]


@pytest.mark.parametrize(
    ("call", "begin"), WRONG_CHARTS, ids=[f"{i} {w[1]}" for i, w in enumerate(WRONG_CHARTS)]
)
def test_a_wrong_call_of_a_chart_is_one_line_too(call, begin, result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    with pytest.raises(paxsim.PaxsimError) as error:
        call(result)
    field, _, value = begin.partition(" … ")
    assert str(error.value).startswith(field) and value in str(error.value)
    assert not list(tmp_path.iterdir())
    plt.close("all")


def test_a_chart_that_cannot_be_drawn_leaves_no_figure_behind(result):
    plt.close("all")
    with pytest.raises(paxsim.PaxsimError):
        charts.seat_bars(result, players=9)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    "name", ["simulate", "tournament", "compare", "compare_rules", "ablate", "solo"]
)
def test_a_mistyped_option_is_a_mistake_in_the_call_itself(name):
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'job'"):
        getattr(paxsim, name)("random", job=1)


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint64, np.int32])
def test_numpys_whole_numbers_are_as_good_as_pythons(kind, tmp_path):
    n = kind
    wanted = paxsim.simulate("random,first", 2, 40, 3, out=tmp_path / "python", jobs=1)
    found = paxsim.simulate("random,first", n(2), n(40), n(3), out=tmp_path / "numpy", jobs=n(1))
    assert json.loads(found.to_json())["tables"] == json.loads(wanted.to_json())["tables"]
    assert paxsim.simulate("random", np.array([2, 3], n), n(12)).games == 24
    assert paxsim.solo("random", n(1), n(10)).games == 10
    assert paxsim.simulate("random", 2, 1e1).games == 10
    assert paxsim.compare("random", "first", players=n(2), games=n(40), chunk_games=n(8)).games
    assert paxsim.tournament("random,first", (n(2),), n(40))["standings"]["games"].tolist()
    rules = [{"rome_needs": n(5), "draft_sizes": np.array([2, 3], n)}]
    assert paxsim.compare_rules("random", rules, n(2), n(10)).to_json()
    named = dict(seed=n(3), deal=n(5), rotation=n(1))
    result = paxsim.play("random,first", n(2), **named)
    assert str(result) == str(paxsim.play("random,first", 2, seed=3, deal=5, rotation=1))
    batch = paxsim.play_batch("random", n(2), deals=n(2), first_deal=n(1), rotations=[n(0), n(1)])
    assert batch.rotations == (0, 1) and len(batch) == 4
    game = paxsim.Game(n(2), **named)
    game.apply(n(0))
    assert paxsim.Game(solo_level=n(2)).setting.solo_level == 2
    assert paxsim.Deck("x", (paxsim.Card("land", n(1), n(2)),)).cards == (("land", 1, 2),)
    assert check_policy("first", deals=n(1), seed=n(1))[0].games == 1
    lines = trace_game(paxsim.make_setting(n(2)), paxsim.make_lineup("random", n(2)), **named)
    assert json.dumps(list(lines))


def test_numpys_truth_and_fractions_are_as_good_too():
    result = paxsim.simulate("random", 2, 8, permutations=np.True_)
    assert result.games == 8 and result.to_json()
    found = paxsim.compare("random", "first", players=2, games=8, delta=np.float32(0.25))
    assert json.loads(found.to_json())["manifest"]["question"]["delta"] == 0.25
    assert paxsim.Rules(reactions=np.False_).changed() == {"reactions": False}


def test_a_deck_is_what_its_cards_are_in_whatever_order_and_type():
    cards = [("land", 1, 1), paxsim.Card("army", np.int8(2), 3)]
    deck = paxsim.Deck("mine", cards)
    assert deck == paxsim.Deck("mine", tuple(reversed(deck.cards)))
    assert all(type(card) is paxsim.Card for card in deck.cards)


MISSING = """
import sys
sys.modules[{name!r}] = None
import paxsim
try:
    {statement}
except paxsim.PaxsimError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("name", "statement", "said", "wanted"),
    [
        ("pandas", "paxsim.simulate", "simulate", "paxsim"),
        ("scipy", "from paxsim import tournament", "tournament", "paxsim"),
        ("matplotlib", "from paxsim import charts", "charts", "paxsim"),
        ("cmaes", "from paxsim import tune", "tune", "'paxsim[tune]'"),
    ],
)
def test_what_an_installation_lacks_is_named_with_what_brings_it(name, statement, said, wanted):
    script = MISSING.format(name=name, statement=statement)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    expected = f"{said} needs {name}, which is not installed: pip install {wanted}\n"
    assert done.stdout == expected, done.stderr
