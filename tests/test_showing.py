"""What Python shows of objects, as text, in notebooks and as charts."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import paxsim
from paxsim.experiment.summary import Tables

ROOT = Path(__file__).parent.parent
LONG = "weighted:new=0.123456:stronger=0.123456:arms=0.123456:limit=0.123456:row=0.123456"


@pytest.fixture(scope="module")
def results():
    few = dict(games=40, jobs=1)
    return {
        "simulate": paxsim.simulate(f"builder,first,{LONG}", **few),
        "several": paxsim.simulate("first", players=(2, 3), **few),
        "tournament": paxsim.tournament("builder,first,random", 2, **few),
        "compare": paxsim.compare("builder", LONG, players=2, **few),
        "compare_rules": paxsim.compare_rules("first", ["rome_needs=5"], 2, **few),
        "restrict": paxsim.restrict("builder,first", "peek,buy", **few),
        "solo": paxsim.solo("hermit", (1, 2), **few),
    }


def fits(text):
    return all(len(line) <= 100 for line in text.splitlines())


def test_results_answer_their_question_in_lines_that_fit(results):
    said = {kind: repr(result) for kind, result in results.items()}
    for kind, text in said.items():
        assert fits(text), kind
        assert "40 games" in text or "games in" in text, kind
        assert str(results[kind]) == text
    assert "Rome wins" in " ".join(said["simulate"].split()) and "win rate %" in said["simulate"]
    assert "difference" in said["compare"] and "rome_needs=5" in said["compare_rules"]
    assert "peek" in said["restrict"] and "success %" in said["solo"]
    assert len(said["simulate"].splitlines()) < 10


def test_notebooks_show_the_same_few_columns(results):
    for result in results.values():
        html = result._repr_html_()
        assert html.count("<th>") <= 7 and "<table" in html and result.caption[:12] in html


def test_a_result_lists_its_tables(results):
    result = results["simulate"]
    assert list(result) == list(result.tables) and "seats" in result and "nope" not in result
    shown = repr(result.tables)
    assert fits(shown) and all(name in shown for name in result)
    with pytest.raises(paxsim.PaxsimError, match="table: 'nope' is unknown.*allowed: strategies,"):
        result["nope"]


def test_other_objects_say_what_they_are_in_a_line():
    deck = paxsim.load_deck("assumed")
    assert repr(deck) == "Deck 'assumed': 74 cards of 28 kinds [9386bfd4cdf4]"
    assert "<td>land</td><td>2</td><td>4</td>" in deck._repr_html_()
    assert repr(paxsim.Rules()) == "Rules()"
    house = paxsim.Rules(rome_needs=5, tie="money")
    assert repr(house) == "Rules(rome_needs=5, tie='money')"
    assert eval(repr(house), {"Rules": paxsim.Rules}) == house
    assert repr(paxsim.find_policy("builder:thrift=0.5")).startswith("Policy builder:thrift=0.5: ")
    for spec in (LONG, "search:rollouts=2", f"restricted:without=peek:policy={LONG}"):
        assert fits(repr(paxsim.find_policy(spec))) and "\n" not in repr(paxsim.find_policy(spec))


def test_games_say_who_won():
    game = paxsim.play([LONG, "first"], seed=1)
    assert repr(game) == str(game) and fits(repr(game)) and "seat 2  first" in repr(game)
    batch = paxsim.play_batch([LONG, "first"], deals=20, rotations="all")
    shown = " ".join(repr(batch).split())
    assert fits(repr(batch)) and shown.startswith("40 games, deck assumed, seed 0; wins: ")
    first = 100 * batch.shares[batch.positions == 1].mean()
    assert f"first {first:.1f} %" in shown and "Rome wins" in shown


# --- charts -------------------------------------------------------------------------------------


def test_the_chart_that_fits_the_question_is_drawn(results):
    for kind, result in results.items():
        axes = result.plot()
        assert axes.get_title(loc="left"), kind
        assert result.plot.names and fits(repr(result.plot)), kind
        plt.close("all")


def test_every_chart_that_is_named_can_be_drawn_into_a_figure_of_one_s_own(results):
    for result in results.values():
        for name in result.plot.names:
            _, own = plt.subplots()
            assert getattr(result.plot, name)(ax=own) is own
            plt.close("all")


def test_a_chart_without_data_is_refused_in_one_line(results):
    plt.close("all")
    for kind, name in (("solo", "seats"), ("simulate", "payoffs"), ("compare", "levels")):
        plots = results[kind].plot
        assert name not in plots.names
        with pytest.raises(paxsim.PaxsimError, match=f"plot: found no data for {name} in a result"):
            getattr(plots, name)()
    assert plt.get_fignums() == []


def test_a_chart_that_there_is_not_is_told_with_those_that_there_are(results):
    said = r"plot: 'seat' is unknown \(did you mean 'seats'\?\); allowed: strategies, "
    with pytest.raises(AttributeError, match=said):
        _ = results["simulate"].plot.seat


def test_tables_are_counted_in_words(results):
    lines = dict(line.split(None, 1) for line in repr(results["simulate"].tables).splitlines())
    assert lines["rome"].startswith("1 row, ") and " rows, " in lines["strategies"]


INLINE = """
import matplotlib
from matplotlib.backends.backend_agg import *
matplotlib.interactive(True)
"""


def test_the_first_chart_of_a_notebook_leaves_its_backend_as_it_found_it(tmp_path):
    """A notebook's backend says when it is loaded that figures are to be shown from then on."""
    (tmp_path / "inline_like.py").write_text(INLINE)
    code = """
    import matplotlib, pandas
    from paxsim import charts
    from paxsim.charts.style import STYLE
    before = dict(matplotlib.rcParams.copy())
    table = pandas.DataFrame({"name": ["a"], "x": [1], "x_low": [0], "x_high": [2]})
    charts.forest(table, "x", by="name", label="x")
    assert "inline_like" in matplotlib.get_backend()
    assert matplotlib.is_interactive()
    for name in STYLE:
        assert matplotlib.rcParams[name] == before[name], name
    """
    environment = {**os.environ, "MPLBACKEND": "module://inline_like", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# --- for editors --------------------------------------------------------------------------------


def test_names_are_offered_and_there():
    names = dir(paxsim)
    for name in ("simulate", "compare", "tournament", "solo", "restrict", "tune", "testing"):
        assert name in names and getattr(paxsim, name) is not None
    assert all(getattr(paxsim, name) is not None for name in names)


USER = '''
from typing import Any

import paxsim


@paxsim.policy
def thrifty(table: Any, me: Any, choice: Any, top: float = 3.0) -> int:
    """Buy nothing."""
    return int(choice.count) - 1


result = paxsim.simulate([thrifty, "random"], games=100, rules={"rome_needs": 5})
rate: float = result["strategies"]["win_rate"][0]
names: list[str] = list(result)
axes = result.plot.seats()
game = paxsim.play("builder,random", seed=1)
points: list[int] = game.points
reveal_type(paxsim.compare)
checks = paxsim.testing.check_policy("first", deals=1)
problem: str | None = checks[0].problem
deck: paxsim.Deck = paxsim.load_deck("assumed")
wrong: int = paxsim.play("random", 2).winners
'''


def test_a_user_s_file_passes_a_strict_type_checker(tmp_path):
    """With the package taken as an installed one is: its types count, its lines are not judged."""
    assert (ROOT / "paxsim/py.typed").exists()
    (tmp_path / "mine.py").write_text(USER)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
         "--cache-dir", ROOT / ".mypy_cache" / "user", "mine.py"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT)},
    )  # fmt: skip
    *lines, _ = done.stdout.splitlines()
    assert len(lines) == 2, done.stdout + done.stderr
    assert "Revealed type" in lines[0] and "Result" in lines[0], "no question is Any"
    assert "mine.py:23" in lines[1] and "list[int]" in lines[1], "and mistakes are found"


def test_a_table_that_nobody_looks_at_is_not_made():
    made = []

    def make():
        made.append("seats")
        return pd.DataFrame({"seat": [1]})

    tables = Tables({"seats": make, "rome": pd.DataFrame()})
    assert list(tables) == ["seats", "rome"] and "seats" in tables and not made
    assert tables["seats"] is tables["seats"] and made == ["seats"]
