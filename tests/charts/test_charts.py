"""Charts: what they draw, their labels and footer, and the files they are saved as."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from paxsim import charts, compare_rules, metagame, simulate, solo, tournament
from paxsim.analysis import analyse_games
from paxsim.charts.plots import histogram_table
from paxsim.charts.style import COLOURS, STYLE, enlarge_text, footer_of
from paxsim.errors import PaxsimError

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def played():
    return simulate("random,first", players=2, games=200, seed=3)


@pytest.fixture(scope="module")
def results(played):
    """One result for each kind of experiment."""
    return {
        "simulate": played,
        "tournament": tournament("random,first", players=[2, 3], games=120, seed=3),
        "rules": compare_rules(
            "random,first", [{"rome_needs": 3}, {"rome_needs": 5}, {"tie": "money"}], 2, 60, 3
        ),
        "solo": solo("random", levels=[1, 2], games=60, seed=3),
        "metagame": metagame("random,first", players=3, games=240, seed=3),
    }


DRAWN = {
    "rome_rate": ("simulate", lambda r, ax: charts.rome_rate(r, ax=ax)),
    "seat_bars": ("simulate", lambda r, ax: charts.seat_bars(r, ax=ax)),
    "rounds": ("simulate", lambda r, ax: charts.distribution(r, "rounds", ax=ax)),
    "winner_points": ("simulate", lambda r, ax: charts.distribution(r, "winner_points", ax=ax)),
    "margin": ("simulate", lambda r, ax: charts.distribution(r, "margin", ax=ax)),
    "heatmap": ("tournament", lambda r, ax: charts.strategy_heatmap(r, ax=ax)),
    "payoffs": ("tournament", lambda r, ax: charts.payoff_heatmap(r, 2, ax=ax)),
    "ratings": ("tournament", lambda r, ax: charts.rating_forest(r, 3, ax=ax)),
    "flow": ("metagame", lambda r, ax: charts.state_flow(r, ax=ax)),
    "tornado": ("rules", lambda r, ax: charts.tornado(r, ax=ax)),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_returns_its_axes_with_title_labels_and_footer(name, results):
    kind, draw = DRAWN[name]
    ax = charts.panels()[1]
    assert draw(results[kind], ax) is ax
    assert ax.get_title(loc="left") and ax.get_xlabel()
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert ax.get_ylabel() or any(any(c.isalpha() for c in row) for row in rows)
    footer = " ".join(footer_of(ax.figure).split())
    for word in (f"{results[kind].games:,} games", "blocks", "seed 3", "deck assumed", "paxsim"):
        assert word in footer


def test_without_axes_a_chart_makes_a_figure_in_its_own_style(played):
    before = matplotlib.rcParams["font.size"]
    ax = charts.seat_bars(played)
    assert isinstance(ax, Axes) and footer_of(ax.figure)
    assert matplotlib.rcParams["font.size"] == before != STYLE["axes.titlesize"]
    plt.close(ax.figure)


def test_a_solo_heatmap_and_a_forest_draw_tables(results):
    levels = results["solo"]["levels"]
    figure, (left, right) = charts.panels(1, 2)
    charts.strategy_heatmap(levels, value="success", columns="level", fair=None, ax=left)
    charts.forest(levels, "success", by="level", label="success (%)", ax=right)
    assert left.get_xlabel() == "solo level"
    assert "games" in footer_of(figure)


def test_bars_show_the_table_and_count_every_game_once(played):
    ax = charts.seat_bars(played["seats"], ax=charts.panels()[1])
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx((100 * played["seats"]["over_fair"]).tolist())
    assert footer_of(ax.figure).startswith("200 games, 100 blocks, ")


@pytest.mark.parametrize(
    ("lines", "half", "names"),
    [
        ({"a": {0: 0.1, 1: 0.99}, "b": {0: 0.3, 1: 1.0}}, True, [("b", 0), ("a", 0)]),
        ({"a": {1: 0.5, 2: 0.9}, "b": {1: 0.51, 2: 0.6, 3: 0.3}}, False, [("b", 1), ("a", 1)]),
    ],
    ids=["ends together", "one line is longer"],
)
def test_lines_are_named_where_they_are_apart(lines, half, names):
    rows = [{"g": name, "x": x, "y": y, "y_low": y - 0.01, "y_high": y + 0.01}
            for name, line in lines.items() for x, y in line.items()]  # fmt: skip
    ax = charts.dose_curves(pd.DataFrame(rows), "x", "y", by="g", axis="x", label="y", half=half,
                            ax=charts.panels()[1])  # fmt: skip
    assert [(text.get_text(), text.xy[0]) for text in ax.texts] == names


def test_a_logarithmic_axis_shows_what_never_happened_as_an_arrow():
    table = pd.DataFrame({"s": ["a", "b"], "v": [0.01, 0.0], "v_low": [0.005, 0.0],
                          "v_high": [0.02, 0.001]})  # fmt: skip
    ax = charts.forest(table, "v", by="s", label="v", log=True, ax=charts.panels()[1])
    assert ax.get_xscale() == "log"
    ax.figure.canvas.draw()
    assert not any("$" in label.get_text() for label in ax.get_xticklabels(which="both"))
    assert [line.get_marker() for line in ax.lines if len(line.get_xdata()) == 1] == ["o", "<"]
    assert min(float(line.get_xdata()[0]) for line in ax.lines) > 0


def test_a_share_that_never_occurs_is_not_in_the_legend():
    table = pd.DataFrame({"label": ["x"], "a": [1.0], "b": [0.0]})
    ax = charts.stacked_shares(table, {"a": "yes", "b": "never"}, ax=charts.panels()[1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["yes"]


def test_in_a_tornado_every_change_has_a_row(results):
    ax = charts.tornado(results["rules"], ax=charts.panels()[1])
    names = {text.get_text() for text in ax.get_yticklabels()}
    assert names == {"rome_needs = 3", "rome_needs = 5", "tie = money"}


def test_text_too_small_for_the_page_is_enlarged(played):
    figure, ax = charts.panels(width=4.0)
    charts.seat_bars(played, ax=ax, caption="a long footer " * 20)
    lines = footer_of(figure).count("\n")
    enlarge_text(figure, 288)
    sizes = {text.get_fontsize() for text in figure.findobj(Text)}
    assert min(sizes) == 9.0 and max(sizes) == STYLE["axes.titlesize"]
    assert footer_of(figure).count("\n") > lines


@pytest.mark.parametrize("name", ["rounds", "winner_points", "margin"])
def test_a_histogram_shows_shares_of_all_its_games(played, name):
    table = histogram_table(played, name)
    assert table["share"].sum() == pytest.approx(1.0)
    assert table["value"].is_unique


def standings(rate, low, high):
    row = {"players": 4, "strategy": "a", "win_rate": rate, "win_rate_low": low,
           "win_rate_high": high, "fair_share": 0.25}  # fmt: skip
    return pd.DataFrame([row])


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (standings(0.30, 0.28, 0.32), "30.0 ▲\n±2.0"),
        (standings(0.20, 0.18, 0.22), "20.0 ▼\n±2.0"),
        (standings(0.26, 0.24, 0.28), "26.0\n±2.0"),
    ],
    ids=["above", "below", "unsure"],
)
def test_a_heatmap_is_grey_where_not_significant(table, text):
    ax = charts.strategy_heatmap(table, ax=charts.panels()[1])
    assert [cell.get_text() for cell in ax.texts] == [text]
    red, green, blue, _ = ax.patches[0].get_facecolor()
    assert (red == green == blue) == ("▲" not in text and "▼" not in text)


def test_saving_twice_gives_the_same_bytes(played, tmp_path):
    for name in ("one", "two"):
        figure, ax = charts.panels()
        charts.seat_bars(played, ax=ax)
        charts.save(figure, tmp_path / name)
    for suffix in (".png", ".svg"):
        first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("one", "two"))
        assert first == second
    svg = first.decode()
    assert ">seat</text>" in svg and len(svg) < 20_000 and "<dc:date>" not in svg


def test_neighbouring_colours_differ_in_grey():
    def grey(colour):
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    assert all(abs(grey(a) - grey(b)) > 25 for a, b in zip(COLOURS, COLOURS[1:], strict=False))


def test_the_command_line_does_not_import_matplotlib():
    code = "import sys, paxsim.cli, paxsim.experiment; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_costs_of_mistakes_have_a_row_for_each_kind():
    habits = analyse_games(["random", "first"], games=4, rollouts=4, jobs=1)
    ax = charts.mistake_costs(habits, ax=charts.panels()[1])
    assert len(ax.get_yticklabels()) == len(habits.table) and "4 games" in footer_of(ax.figure)


def test_names_inside_an_svg_do_not_depend_on_the_last_bit(tmp_path):
    """Clips and markers are named by their order, and every name that is used is defined."""

    def drawn(shift):
        figure = Figure(figsize=(3, 2))
        ax = figure.add_axes((0.1 + shift, 0.1, 0.8, 0.8))
        ax.plot([1, 2, 3], [3, 1, 2], marker="o")
        ax.bar([1, 2], [1, 2], hatch="///")
        return charts.save(figure, tmp_path / f"chart{shift > 0}")[1].read_text("utf-8")

    plain, shifted = drawn(0.0), drawn(2e-16)
    assert plain == shifted
    used = set(re.findall(r'url\(#(.*?)\)|href="#(.*?)"', plain))
    assert len(used) > 3
    assert {a or b for a, b in used} <= set(re.findall(r'\bid="(.*?)"', plain))


WRONG = {
    "at least one row": lambda r: charts.seat_bars(r["seats"].head(0)),
    "None": lambda r: charts.seat_bars(None),
    "players must be one of 2, got 9": lambda r: charts.seat_bars(r, players=9),
    "'nobody'": lambda r: charts.seat_bars(r, lineup="nobody"),
    "seat_bars can't draw": lambda r: charts.seat_bars(pd.DataFrame({"players": [2]})),
    "ax must": lambda r: charts.seat_bars(r, ax="axes"),
    "caption must": lambda r: charts.seat_bars(r, caption=5),
    "did you mean 'players'?": lambda r: r.plot.seats(player=2),
    "'colour'": lambda r: r.plot(colour=3),
    "did you mean 'seats'?": lambda r: r.plot("seat"),
    "no data to plot payoffs": lambda r: r.plot("payoffs"),
    "unknown table 'rule_changes'": lambda r: charts.tornado(r),
    "unknown measure 'wins'": lambda r: charts.distribution(r, "wins"),
    "has no 'x'": lambda r: charts.forest(r["rome"], "x", by="deck", label=""),
    "figure must": lambda r: charts.save(None, Path("chart")),
    "stem": lambda r: charts.save(plt.figure(), Path("no/such/chart")),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_call_is_refused_in_one_line_and_leaves_nothing(
    message, played, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    with pytest.raises(PaxsimError) as error:
        WRONG[message](played)
    assert message in str(error.value)
    assert "\n" not in str(error.value) and not list(tmp_path.iterdir())
    assert len(plt.get_fignums()) == (message == "stem")
    plt.close("all")
