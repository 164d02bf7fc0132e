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
    (lambda: paxsim.simulate("random", [None], 10), "players: found None"),
    (lambda: paxsim.simulate("random", [2, 2], 10), "players: found [2, 2]"),
    (lambda: paxsim.simulate("random", [], 10), "players: found []"),
    (lambda: paxsim.simulate("random", True, 10), "players: found True"),
    (lambda: paxsim.simulate("random", "23", 10), "players: found '23'"),
    (lambda: paxsim.simulate("random", {2: 3}, 10), "players: found {2: 3}"),
    (lambda: paxsim.simulate("random", {2, 3}, 10), "players: found {2, 3}"),
    (lambda: paxsim.simulate("random", 2.0, 10), "players: found 2.0"),
    (lambda: paxsim.simulate("random", np.array(2.5), 10), "players: found array(2.5)"),
    (lambda: paxsim.simulate("random", HUGE, 10), "players: found something of type int"),
    (lambda: paxsim.simulate(None, 2, 10), "policies: found None"),
    (lambda: paxsim.simulate([], 2, 10), "policies: found []"),
    (lambda: paxsim.simulate(["random", None], 2, 10), "policy: found None"),
    (lambda: paxsim.simulate(["random"] * 9), "policies: found 9; allowed: at most 8"),
    (lambda: paxsim.play(["random"] * 9), "policies: found 9; allowed: at most 8"),
    (lambda: paxsim.simulate({"random": 1}, 2, 10), "policies: found {'random': 1}"),
    (lambda: paxsim.simulate("random", 2, "10"), "games: found '10'"),
    (lambda: paxsim.simulate("random", 2, 10.5), "games: found 10.5; allowed: a whole number from"),
    (lambda: paxsim.simulate("random", 2, 1e11), "games: found 100000000000.0"),
    (lambda: paxsim.simulate("random", 2, float("nan")), "games: found nan"),
    (lambda: paxsim.simulate("random", "4"), "players: found '4'; allowed: a whole number from 1"),
    (lambda: paxsim.simulate("random", 2, True), "games: found True"),
    (lambda: paxsim.simulate("random", 2, None), "games: found None"),
    (lambda: paxsim.simulate("random", 2, 10, seed="x"), "seed: found 'x'"),
    (lambda: paxsim.simulate("random", 2, 10, seed=-1), "seed: found -1"),
    (lambda: paxsim.simulate("random", 2, 10, seed=2**63), "seed: found 9223372036854775808"),
    (lambda: paxsim.simulate("random", 2, 10, precision="1%"), "precision: found '1%'"),
    (lambda: paxsim.simulate("random", 2, 10, precision=math.nan), "precision: found nan"),
    (lambda: paxsim.simulate("random", 2, 10, precision=True), "precision: found True"),
    (lambda: paxsim.simulate("random", 2, 10, permutations="no"), "permutations: found 'no'"),
    (lambda: paxsim.simulate("random", 2, 10, jobs=0), "jobs: found 0"),
    (lambda: paxsim.simulate("random", 2, 10, jobs="all"), "jobs: found 'all'"),
    (lambda: paxsim.simulate("random", 2, 10, backend=None), "backend: 'None' is unknown"),
    (lambda: paxsim.simulate("random", 2, 10, address=5), "address: found 5"),
    (lambda: paxsim.simulate("random", 2, 10, out=5), "out: found 5"),
    (lambda: paxsim.simulate("random", 2, 10, out="a\0b"), "out: found 'a\\x00b'"),
    (lambda: paxsim.simulate("random", 2, 10, out="x" * 300), "out: cannot use 'xxx"),
    (lambda: paxsim.simulate("random", 2, 10, progress=5), "progress: found 5"),
    (lambda: paxsim.simulate("random", 2, 10, command=5), "command: found 5"),
    (lambda: paxsim.simulate("random", 2, 10, notices=()), "notices: found ()"),
    (lambda: paxsim.simulate("random", 2, 10, chunk_games=0.5), "chunk-games: found 0.5"),
    (lambda: simulation_size("random", 2, precision=[]), "precision: found []"),
    # the other questions
    (lambda: paxsim.tournament("random,first", ["2"], 10), "players: found '2'"),
    (lambda: paxsim.tournament("random,first", [1], 10), "players: found 1"),
    (lambda: paxsim.tournament(5, 2, 10), "policies: found 5"),
    (lambda: paxsim.compare("random", None), "policy: found None"),
    (lambda: paxsim.compare("random", "first", None), "field: found None"),
    (lambda: paxsim.compare("random", "first", players=[4]), "players: found [4]"),
    (lambda: paxsim.compare("random", "first", delta="1%"), "delta: found '1%'"),
    (lambda: paxsim.compare("random", "first", delta=math.nan), "delta: found nan"),
    (lambda: paxsim.compare("random", "first", sequential=1), "sequential: found 1"),
    (lambda: comparison_size("random", "first", delta=None), "delta: found None"),
    (lambda: paxsim.compare_rules("random", "rome_needs=5"), "variants: found 'rome_needs=5'"),
    (lambda: paxsim.compare_rules("random", []), "variants: found []"),
    (lambda: paxsim.compare_rules("random", None), "variants: found None"),
    (lambda: paxsim.compare_rules("random", [5]), "rules: found 5"),
    (lambda: paxsim.solo("random", [1, 1], 10), "levels: found [1, 1]"),
    (lambda: paxsim.solo("random", None, 10), "levels: found None"),
    (lambda: paxsim.solo("random", 6, 10), "levels: found 6"),
    (lambda: paxsim.solo("random", "1-5", 10), "levels: found '1-5'"),
    (lambda: paxsim.load_result(5), "run: found 5"),
    (lambda: paxsim.load_result(b"x"), "run: found b'x'"),
    (lambda: paxsim.load_result(""), "run: found ''"),
    # playing
    (lambda: paxsim.play(None), "policies: found None"),
    (lambda: paxsim.play("random,first", "2"), "players: found '2'"),
    (lambda: paxsim.play("random,first", deal=0.5), "deal: found 0.5"),
    (lambda: paxsim.play("random,first", rotation=None), "rotation: found None"),
    (lambda: paxsim.play("random,first", rotation=2), "rotation: found 2"),
    (lambda: paxsim.play_batch("random", 2, deals="1"), "deals: found '1'"),
    (lambda: paxsim.play_batch("random", 2, deals=0), "deals: found 0"),
    (lambda: paxsim.play_batch("random", 2, deals=10**12), "deals: found 1000000000000"),
    (lambda: paxsim.play_batch("random", 2, rotations=0), "rotation: found 0"),
    (lambda: paxsim.play_batch("random", 2, rotations=[]), "rotation: found []"),
    (lambda: paxsim.play_batch("random", 2, rotations="some"), "rotation: found 'some'"),
    (lambda: paxsim.play_batch("random", 2, rotations=["0"]), "rotation: found '0'"),
    (lambda: paxsim.play_batch("random", 2, first_deal=2**63), "deal: found 9223372036854775808"),
    (lambda: paxsim.Game("2"), "players: found '2'"),
    (lambda: paxsim.Game(2, seed=1.0), "seed: found 1.0"),
    (lambda: paxsim.Game(2, solo_level=1), "solo-level: found level 1 with 2 players"),
    (lambda: game().apply("0"), "option: found '0'"),
    (lambda: game().apply(True), "option: found True"),
    (lambda: game().apply(99), "option: found 99"),
    (lambda: game().result(), "result: the game asks for 'keep'"),
    (lambda: paxsim.make_setting(9), "players: found 9"),
    (lambda: paxsim.make_setting(solo_level="1"), "solo-level: found '1'"),
    (lambda: paxsim.make_setting(2, deck=None), "deck: found None"),
    (lambda: paxsim.make_setting(2, rules=np.array([1, 2])), "rules: found array([1, 2])"),
    (lambda: next(trace_game("x", first(), 0, 0, 0)), "setting: found 'x'"),
    (lambda: paxsim.make_lineup(None, 2), "policies: found None"),
    (lambda: paxsim.make_lineup("random", None), "players: found None"),
    (lambda: paxsim.make_lineup("random", 2.0), "players: found 2.0"),
    (lambda: paxsim.make_lineup("random,,first", 3), "policies: found 'random,,first'"),
    # decks and rules
    (lambda: paxsim.load_deck(5), "deck: found 5"),
    (lambda: paxsim.load_deck(["assumed"]), "deck: found ['assumed']"),
    (lambda: paxsim.load_deck("x\0.toml"), "deck: found 'x\\x00.toml'"),
    (lambda: paxsim.load_deck("x" * 300 + ".toml"), "deck: cannot use"),
    (lambda: paxsim.Deck("", (CARD,)), "deck: name: found ''"),
    (lambda: paxsim.Deck("  ", (CARD,)), "deck: name: found '  '"),
    (lambda: paxsim.Deck(5, (CARD,)), "deck: name: found 5"),
    (lambda: paxsim.Deck("x" * 101, (CARD,)), "deck: name: found 'xxx"),
    (lambda: paxsim.Deck("x", (CARD,), note=None), "deck: note: found None"),
    (lambda: paxsim.Deck("x", None), "deck x: cards: found None"),
    (lambda: paxsim.Deck("x", ()), "deck x: cards: found ()"),
    (lambda: paxsim.Deck("x", ("land/1/1",)), "deck x: 'land/1/1': found no card"),
    (lambda: paxsim.Deck("x", (("lnad", 1, 1),)), "deck x: ('lnad', 1, 1): category: 'lnad'"),
    (lambda: paxsim.Deck("x", (CARD._replace(value=1.5),)), "deck x: Card(category='land', "),
    (lambda: paxsim.load_rules(5), "rules: found 5"),
    (lambda: paxsim.load_rules(["tie=money"]), "rules: found ['tie=money']"),
    (lambda: paxsim.load_rules({1: 2}), "rules: field: '1' is unknown"),
    (lambda: paxsim.load_rules({"rome_needs": HUGE}), "rules: rome_needs: found something"),
    (lambda: paxsim.load_rules({"tie": ["money"]}), "rules: tie: \"['money']\" is unknown"),
    (lambda: paxsim.Rules(draft_sizes="2345"), "rules: draft_sizes: found '2345'"),
    (lambda: paxsim.Rules(reactions=1), "rules: reactions: found 1"),
    (lambda: paxsim.Rules().resolve("2"), "players: found '2'"),
    (lambda: paxsim.Rules().resolve(1, 9), "solo-level: found 9"),
    (
        lambda: paxsim.load_rules("religion_three=1,religion_two=5"),
        "rules: religion_three: found 1 with religion_two 5",
    ),
    (
        lambda: paxsim.Rules(religion_two=7),
        "rules: religion_three: found 6 with religion_two 7",
    ),
    # policies
    (lambda: paxsim.get_policy(5), "policy: found 5"),
    (lambda: paxsim.get_policy(""), "policy: '' is unknown"),
    (lambda: paxsim.get_policy("x\0.py"), "policy: found 'x\\x00.py'"),
    (lambda: paxsim.get_policy("x" * 300 + ".py"), "policy: cannot use"),
    (lambda: paxsim.get_policy("builder:breadth=nan"), "policy builder: parameter breadth"),
    (lambda: first().with_params(None), "policy first: params: found None"),
    (lambda: first().with_params({1: 2}), "policy first: parameter: '1' is unknown"),
    (lambda: paxsim.policy(5), "policy: found 5"),
    (lambda: paxsim.policy(len), "policy: found <built-in function len>"),
    (lambda: paxsim.policy(lambda a, b, c: 0, solo="no"), "policy <lambda>: solo: found 'no'"),
    (lambda: paxsim.policy(named("\x1b[31m")), "policy: name: found '\\x1b[31m'"),
    (lambda: paxsim.policy(named("a,b")), "policy: name: found 'a,b'"),
    (lambda: paxsim.policy(named("x" * 201)), "policy: name: found 'xxx"),
    (lambda: paxsim.helper(5), "helper: found 5"),
    (lambda: check_policy("first", deals=0), "deals: found 0"),
    (lambda: check_policy("first", deals=-3), "deals: found -3"),
    (lambda: check_policy("first", deals="x"), "deals: found 'x'"),
    (lambda: check_policy("first", seed=-1), "seed: found -1"),
    (lambda: check_policy("first", seed="x"), "seed: found 'x'"),
    (lambda: check_policy("first", patience=math.inf), "patience: found inf"),
    (lambda: check_policy("first", patience=math.nan), "patience: found nan"),
    (lambda: check_policy("first", patience=0), "patience: found 0"),
    (lambda: check_policy("first", patience=-1.5), "patience: found -1.5"),
    (lambda: check_policy("first", patience="long"), "patience: found 'long'"),
    (lambda: check_policy(None), "policy: found None"),
]


@pytest.mark.parametrize(("call", "begin"), WRONG, ids=[begin for _, begin in WRONG])
def test_a_wrong_call_is_one_line_that_names_the_field(call, begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(paxsim.PaxsimError) as error:
        call()
    message = str(error.value)
    assert message.startswith(begin)
    assert "\n" not in message and len(message) < 1000
    assert not list(tmp_path.iterdir())


#: Wrong calls of charts and results; each is handed a result of `simulate`.
WRONG_CHARTS = [
    (lambda r: charts.seat_bars(None), "source: found None"),
    (lambda r: charts.seat_bars(5, ax=plt.figure().add_subplot()), "source: found 5"),
    (lambda r: charts.seat_bars(r, players=9), "players: found 9"),
    (lambda r: charts.seat_bars(r, players="2"), "players: found '2'"),
    (lambda r: charts.seat_bars(r, lineup="nobody"), "lineup: found 'nobody'"),
    (lambda r: charts.seat_bars(r["seats"].head(0)), "source: found a table without rows"),
    (lambda r: charts.seat_bars(pd.DataFrame({"players": [2]})), "source: has no"),
    (lambda r: charts.seat_bars(r, ax="axes"), "ax: found 'axes'"),
    (lambda r: charts.seat_bars(r, caption=5), "caption: found 5"),
    (
        lambda r: r.plot.seats(player=2),
        "argument of the chart seat_bars: 'player' is unknown (did you mean 'players'?); allowed: ",
    ),
    (lambda r: r.plot(colour=3), "argument of the chart forest: 'colour' is unknown; allowed: "),
    (lambda r: r.plot("seat"), "plot: 'seat' is unknown (did you mean 'seats'?); allowed: "),
    (lambda r: r.plot(3), "plot: '3' is unknown; allowed: "),
    (lambda r: r.plot("payoffs"), "plot: found no data for payoffs in a result of simulate"),
    (lambda r: charts.payoff_heatmap(r), "table: 'payoffs' is unknown"),
    (lambda r: charts.tornado(r), "table: 'rule_changes' is unknown"),
    (lambda r: charts.rating_forest({}), "source: found {}"),
    (lambda r: charts.distribution(r, "wins"), "name: 'wins' is unknown"),
    (lambda r: charts.how_won([1]), "source: found [1]"),
    (lambda r: charts.stacked_shares(r["rome"], None), "source: does not fit"),
    (lambda r: charts.forest(r["rome"], "x", by="deck", label=""), "source: has no 'x'"),
    (lambda r: charts.forest(None, "x", by="deck", label=""), "source: does not fit"),
    (lambda r: charts.by_players(r, "rome_wins", by="x", label=""), "source: has no 'x'"),
    (lambda r: charts.save(None, Path("chart")), "figure: found None"),
    (lambda r: charts.save(plt.figure(), 5), "stem: found 5"),
    (lambda r: charts.save(plt.figure(), Path("no/such/chart")), "stem: cannot write"),
    (lambda r: r["wins"], "table: 'wins' is unknown"),
    (lambda r: r[5], "table: '5' is unknown"),
    (lambda r: r.to_csv(5), "csv: found 5"),
    (lambda r: r.to_csv("/dev/null/x"), "csv: cannot write"),
    (lambda r: r.to_json("/dev/null/x"), "path: cannot write"),
    (lambda r: r.to_parquet("a\0b"), "parquet: found 'a\\x00b'"),
]


@pytest.mark.parametrize(
    ("call", "begin"), WRONG_CHARTS, ids=[f"{i} {w[1]}" for i, w in enumerate(WRONG_CHARTS)]
)
def test_a_wrong_call_of_a_chart_is_one_line_too(call, begin, result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    with pytest.raises(paxsim.PaxsimError) as error:
        call(result)
    assert str(error.value).startswith(begin)
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
    expected = f"{said}: {name} is not installed; allowed: pip install {wanted}\n"
    assert done.stdout == expected, done.stderr
