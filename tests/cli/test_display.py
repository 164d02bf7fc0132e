"""Results and charts as Python, notebooks and editors show them."""

import os
import pickle
import subprocess
import sys
import textwrap

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import paxsim
from paxsim import charts
from paxsim.experiment.result import Tables, as_csv

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
        "ablate": paxsim.ablate("builder,first", "peek,buy", **few),
        "solo": paxsim.solo("hermit", (1, 2), **few),
        "metagame": paxsim.metagame("builder,first,random", 2, games=80, jobs=1),
    }


def test_repr_answers_the_question_in_lines_that_fit(results):
    for kind, result in results.items():
        text = repr(result)
        assert max(map(len, text.splitlines())) <= 100 and str(result) == text, kind
        assert "games in" in " ".join(text.split()), kind
    parts = {"simulate": "Rome wins", "compare": "difference", "compare_rules": "rome_needs=5",
             "ablate": "peek", "solo": "success %", "metagame": "Rome wins %"}  # fmt: skip
    for kind, part in parts.items():
        assert part in " ".join(repr(results[kind]).split()), kind


def test_result_is_a_mapping_of_tables(results):
    result = results["simulate"]
    assert list(result) == list(result.tables) and "seats" in result and "nope" not in result
    assert len(result) == len(list(result)) > 1
    lines = dict(line.split(None, 1) for line in repr(result.tables).splitlines())
    assert lines["rome"].startswith("1 row, ") and " rows, " in lines["strategies"]
    with pytest.raises(paxsim.PaxsimError, match="unknown table 'nope'.*choose from strategies,"):
        result["nope"]


def test_result_equals_its_copy_and_its_stored_run(results, tmp_path):
    result = results["simulate"]
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result and copy.tables == result.tables
    copy.tables["rome"] = copy["rome"].head(0)
    assert copy != result and result.tables != {} and result != results["tournament"]
    played = paxsim.simulate("first", 2, games=20, seed=1, jobs=1, out=tmp_path / "run")
    assert paxsim.load_result(tmp_path / "run") == played


def test_tables_are_made_when_they_are_needed():
    made = []

    def make():
        made.append("seats")
        return pd.DataFrame({"seat": [1]})

    tables = Tables({"seats": make, "rome": pd.DataFrame()})
    assert list(tables) == ["seats", "rome"] and "seats" in tables and not made
    assert tables["seats"] is tables["seats"] and made == ["seats"]


def test_csv_has_plain_numbers():
    table = pd.DataFrame({"n": [-1, 2], "x": [-0.5, None], "t": ["-1", "b"], "b": [True, False]})
    assert as_csv(table) == "n,x,t,b\n-1,-0.5,-1,True\n2,,b,False\n"


def test_mistake_in_a_notebook_is_shown_by_the_users_own_lines():
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.play("nobody,random")
    *lines, message = error.value._render_traceback_()
    assert message == f"PaxsimError: {error.value}"
    assert len(lines) == 1 and lines[0].endswith(': paxsim.play("nobody,random")')


# --- charts -------------------------------------------------------------------------------------


def test_every_chart_of_a_result_can_be_drawn(results):
    for kind, result in results.items():
        assert result.plot().get_title(loc="left"), kind
        assert result.plot.names and max(map(len, repr(result.plot).splitlines())) <= 100, kind
        for name in result.plot.names:
            _, axes = plt.subplots()
            assert getattr(result.plot, name)(ax=axes) is axes
            plt.close("all")
        offered = [name for name in dir(result.plot) if not name.startswith("__")]
        assert offered == sorted(result.plot.names), kind
    title = results["simulate"].plot("seats").get_title(loc="left")
    assert title == results["simulate"].plot.seats().get_title(loc="left")
    plt.close("all")


@pytest.mark.parametrize(
    ("kind", "name"),
    [("solo", "seats"), ("simulate", "payoffs"), ("compare", "levels"), ("metagame", "payoffs"),
     ("tournament", "states")],
)  # fmt: skip
def test_chart_without_data_is_refused(results, kind, name):
    plt.close("all")
    plots = results[kind].plot
    assert name not in plots.names
    with pytest.raises(paxsim.PaxsimError, match=name) as error:
        getattr(plots, name)()
    assert "\n" not in str(error.value) and plt.get_fignums() == []


def test_unknown_chart_is_an_attribute_error_with_a_suggestion(results):
    with pytest.raises(AttributeError, match=r"did you mean 'seats'\?\); choose from strategies, "):
        _ = results["simulate"].plot.seat


def test_first_chart_keeps_the_backend_and_style_of_a_notebook(tmp_path):
    backend = (
        "import matplotlib\nfrom matplotlib.backends.backend_agg import *\n"
        "matplotlib.interactive(True)\n"
    )
    (tmp_path / "inline_like.py").write_text(backend)
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
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "MPLBACKEND": "module://inline_like", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("title", ["$x_{$", "$\\frac$ 100 $", "\\$ ^_{}"])
def test_dollars_in_chart_titles_are_no_formulas(title, results, tmp_path):
    """Also in a figure of the user, which is drawn in another style."""
    own = plt.figure(figsize=(2, 2)).add_subplot()
    table = results["simulate"]["rome"].assign(deck=[title])
    charts.forest(table, "rome_wins", by="deck", label="x", title=title, ax=own)
    own.figure.canvas.draw()
    charts.save(own.figure, tmp_path / "saved")
    assert title in own.get_title(loc="left") + own.get_title()
    assert [label.get_text() for label in own.get_yticklabels()] == [title]
    plt.close("all")
