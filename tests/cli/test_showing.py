"""What Python shows of objects, as text, in notebooks and as charts."""

import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import paxsim
from paxsim.experiment.result import Tables

ROOT = Path(__file__).parent.parent.parent
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


def fits(text):
    return all(len(line) <= 100 for line in text.splitlines())


def test_results_answer_their_question_in_lines_that_fit(results):
    said = {kind: repr(result) for kind, result in results.items()}
    for kind, text in said.items():
        assert fits(text), kind
        assert "40 games" in text or "games in" in " ".join(text.split()), kind
        assert str(results[kind]) == text
    assert "Rome wins" in " ".join(said["simulate"].split()) and "win rate %" in said["simulate"]
    assert "difference" in said["compare"] and "rome_needs=5" in said["compare_rules"]
    assert "peek" in said["ablate"] and "success %" in said["solo"]
    assert "Rome wins %" in said["metagame"] and len(said["metagame"].splitlines()) == 6
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
    with pytest.raises(paxsim.PaxsimError, match="unknown table 'nope'.*allowed: strategies,"):
        result["nope"]


def test_other_objects_say_what_they_are_in_a_line():
    deck = paxsim.load_deck("assumed")
    assert repr(deck) == "Deck 'assumed': 74 cards of 28 kinds [9386bfd4cdf4]"
    wealth = "<tr><td>wealth</td><td>2</td><td>4</td><td>2</td><td>2</td><td>10</td><td>14</td>"
    assert wealth in deck._repr_html_() and "<th>2/4</th>" in deck._repr_html_()
    assert repr(paxsim.Rules()) == "Rules()"
    house = paxsim.Rules(rome_needs=5, tie="money")
    assert repr(house) == "Rules(rome_needs=5, tie='money')"
    assert eval(repr(house), {"Rules": paxsim.Rules}) == house
    assert repr(paxsim.get_policy("builder:thrift=0.5")).startswith("Policy builder:thrift=0.5: ")
    for spec in (LONG, "search:rollouts=2", f"restricted:without=peek:policy={LONG}"):
        assert fits(repr(paxsim.get_policy(spec))) and "\n" not in repr(paxsim.get_policy(spec))
    assert repr(paxsim.make_lineup("builder:thrift=0.5,first", 2)) == (
        "Lineup of 2: builder:thrift=0.5, first"
    )
    assert repr(paxsim.make_setting(3)) == (
        "Setting: players 3, Deck 'assumed': 74 cards of 28 kinds [9386bfd4cdf4], Rules()"
    )
    assert "solo level 2" in repr(paxsim.make_setting(solo_level=2))
    game = paxsim.Game(players=2, seed=3)
    assert repr(game) == (
        "Game, players 2, deck assumed, round 0: seat 1 decides 'keep', 2 options"
    )
    while not game.over:
        game.apply(0)
    assert repr(game).endswith(": over")
    assert repr(paxsim.VectorEnv(2000, players=3)).startswith("VectorEnv of 2,000 games with 3 ")


def test_many_changes_of_the_rules_are_told_in_lines_that_fit_and_can_be_read_back():
    house = paxsim.Rules(
        starting_money=7, cards_removed=0, cards_added=3, legions=4, draft_sizes=(3,) * 8,
        rome_needs=5, points_category=3, points_stronger=4, points_primus=5, tie="money",
    )  # fmt: skip
    setting = paxsim.make_setting(3, rules=house)
    lineup = paxsim.make_lineup([LONG, "first"], 2)
    assert fits(repr(house)) and fits(repr(setting)) and fits(repr(lineup))
    assert len(repr(house).splitlines()) == 2
    assert eval(repr(house), {"Rules": paxsim.Rules}) == house


def test_notebooks_show_rules_and_policies_as_tables():
    house = paxsim.Rules(rome_needs=5, legions=4, draft_sizes=[2, 2])._repr_html_()
    assert "<td>rome_needs</td><td>5</td><td>4</td>" in house
    assert "<td>legions</td><td>4</td><td>by the number of players</td>" in house
    assert "<td>draft_sizes</td><td>2,2</td><td>2,3,4,5,5,5,5,5</td>" in house
    assert house.count("<tr>") == 4 and "3 of 27 differ from the published game" in house
    published = paxsim.Rules()._repr_html_()
    assert published.count("<tr>") == 28 and "<td>tie</td><td>shared</td>" in published
    builder = paxsim.get_policy("builder:thrift=0.5")
    assert "<td>thrift</td><td>0.5</td><td>" in builder._repr_html_()
    assert "(solo, 2-8 players): Show a card of all seven" in builder._repr_html_()
    assert "<table>" not in paxsim.get_policy("random")._repr_html_(), "it has no parameters"
    for spec in ("search:rollouts=2", f"restricted:without=peek:policy={LONG}"):
        assert "<td>" in paxsim.get_policy(spec)._repr_html_()


def test_notebooks_show_games_settings_and_lineups_as_tables():
    setting = paxsim.make_setting(3, rules="rome_needs=5")._repr_html_()
    assert "<td>players</td><td>3</td>" in setting and "<td>rome_needs</td><td>5</td>" in setting
    assert "<td>deck</td><td>Deck &#x27;assumed&#x27;: 74 cards" in setting
    assert setting.endswith("<p>All other rules are those of the published game.</p>")
    solo = paxsim.make_setting(solo_level=2)._repr_html_()
    assert "<td>solo level</td><td>2</td>" in solo and "<p>The rules are those" in solo
    lineup = paxsim.make_lineup([LONG, "first"], 2)
    assert f"<td>1</td><td>{LONG}</td><td>" in lineup._repr_html_()
    assert "<td>2</td><td>first</td><td>solo, 2-8 players</td><td>" in lineup._repr_html_()
    assert lineup.at_seats(1)[0] == "first", "each rotation moves all a seat down"
    game = paxsim.Game(players=2, seed=3)
    first, second = game.options()
    assert f"2 options: 0 {first}; 1 {second}.</p>" in game._repr_html_()
    assert game._repr_html_().count("<tr>") == 4 and "<th>intrigue</th>" in game._repr_html_()
    large = paxsim.Game(players=8, seed=3)
    while len(large.options()) < 20:
        large.apply(0)
    assert f"; 11 {large.options()[11]}; and 8 more.</p>" in large._repr_html_()
    while not game.over:
        game.apply(0)
    state = game.state()
    rows = [(f"seat {i}", seat["money"], len(seat["hand"]), *seat["symbols"].values())
            for i, seat in enumerate(state["seats"], 1)]  # fmt: skip
    for row in (*rows, ("Rome", "", "", *state["rome_symbols"].values())):
        assert "".join(f"<td>{cell}</td>" for cell in row) in game._repr_html_()
    assert game._repr_html_().endswith(": over.</p>")
    named = paxsim.Game(2, deck=paxsim.Deck("n" * 100, paxsim.load_deck().cards))
    assert f"deck {'n' * 100}, round 0" in named._repr_html_(), "lines are broken in text only"


def test_what_others_wrote_is_no_markup_in_a_notebook():
    @paxsim.policy
    def with_markup(table, me, choice, top=1.0):
        """<script>alert(1)</script>"""
        return 0

    deck = paxsim.Deck("<b>", paxsim.load_deck("assumed").cards, "<i>")
    batch = paxsim.play_batch("first", 2, deck=deck)
    setting, lineup = batch.setting, paxsim.make_lineup([with_markup], 2)
    for shown in (with_markup, deck, batch, setting, lineup, paxsim.Game(2, deck=deck)):
        html = shown._repr_html_()
        assert not any(tag in html for tag in ("<script", "<b>", "<i>")) and "&lt;" in html


def test_games_say_who_won():
    game = paxsim.play([LONG, "first"], seed=1)
    assert repr(game) == str(game) and fits(repr(game)) and "seat 2  first" in repr(game)
    batch = paxsim.play_batch([LONG, "first"], deals=20, rotations="all")
    shown = " ".join(repr(batch).split())
    assert fits(repr(batch)) and shown.startswith("40 games, deck assumed, seed 0; wins: ")
    first = 100 * batch.shares[batch.positions == 1].mean()
    assert f"first {first:.1f} %" in shown and "Rome wins" in shown
    html = batch._repr_html_()
    assert f"<td>first</td><td>{first:.1f}</td>" in html and "<td>Rome</td>" in html
    assert "<p>40 games, deck assumed, seed 0</p>" in html


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
    refused = (
        ("solo", "seats"), ("simulate", "payoffs"), ("compare", "levels"), ("metagame", "payoffs"),
        ("tournament", "states"),
    )  # fmt: skip
    for kind, name in refused:
        plots = results[kind].plot
        assert name not in plots.names
        with pytest.raises(paxsim.PaxsimError, match=f"plot: found no data for {name} in a result"):
            getattr(plots, name)()
    assert plt.get_fignums() == []


def test_a_chart_that_there_is_not_is_told_with_those_that_there_are(results):
    said = r"unknown plot 'seat' \(did you mean 'seats'\?\); choose from strategies, "
    with pytest.raises(AttributeError, match=said):
        _ = results["simulate"].plot.seat


def test_completion_and_errors_offer_the_charts_that_there_is_data_for(results):
    for kind, result in results.items():
        offered = [name for name in dir(result.plot) if not name.startswith("__")]
        assert offered == sorted(result.plot.names), kind
        with pytest.raises(AttributeError) as raised:
            _ = result.plot.nothing
        assert str(raised.value).endswith(f"allowed: {', '.join(result.plot.names)}")
    axes = results["simulate"].plot("seats")
    assert axes.get_title(loc="left") == results["simulate"].plot.seats().get_title(loc="left")
    plt.close("all")


def test_a_result_is_equal_to_its_copy_and_to_no_other(results):
    found = results["simulate"]
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.tables == found.tables
    again.tables["rome"] = again["rome"].head(0)
    assert again != found and found.tables != {} and found != results["tournament"]


def test_a_stored_result_that_is_shown_is_equal_to_the_one_that_was_played(tmp_path):
    played = paxsim.simulate("first", 2, games=20, seed=1, jobs=1, out=tmp_path / "run")
    assert paxsim.load_result(tmp_path / "run") == played


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
    for name in ("simulate", "compare", "tournament", "solo", "ablate", "tune", "testing"):
        assert name in names and getattr(paxsim, name) is not None
    assert all(getattr(paxsim, name) is not None for name in names)


def test_a_table_that_nobody_looks_at_is_not_made():
    made = []

    def make():
        made.append("seats")
        return pd.DataFrame({"seat": [1]})

    tables = Tables({"seats": make, "rome": pd.DataFrame()})
    assert list(tables) == ["seats", "rome"] and "seats" in tables and not made
    assert tables["seats"] is tables["seats"] and made == ["seats"]


def test_in_a_notebook_a_mistake_is_shown_by_the_users_own_lines():
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.play("nobody,random")
    *lines, message = error.value._render_traceback_()
    assert message == f"PaxsimError: {error.value}"
    assert len(lines) == 1 and lines[0].endswith(': paxsim.play("nobody,random")')


def test_a_result_has_as_many_tables_as_it_lists(results):
    assert len(results["simulate"]) == len(list(results["simulate"])) > 1


def test_records_of_a_game_show_what_is_in_them_and_have_fields():
    game = paxsim.Game(players=2, seed=3)
    for record in (game.table, game.me, game.choice):
        assert fits(repr(record)) and len(repr(record).splitlines()) == len(record.dtype.names)
    assert game.table.round == game.table["round"] == 0 and "round: 0" in repr(game.table)
    game.me["memory"][1] = 7
    assert game.me.memory[1] == 7 and "memory: [0.0, 7.0] and zeros, 88 in all" in repr(game.me)


def test_a_game_takes_the_options_that_it_hands_out():
    game, other = paxsim.Game(players=2, seed=3), paxsim.Game(players=2, seed=3)
    game.apply(game.options()[1])
    other.apply(1)
    assert game.state() == other.state()
    for wrong, said in (
        (paxsim.Option("buy"), "^option: found buy; allowed: keep "),
        ("1", "^option must be an integer between 0 and 2, got '1'$"),
    ):
        with pytest.raises(paxsim.PaxsimError, match=said):
            game.apply(wrong)
    while not game.over:
        game.apply(0)
    assert game.choice.count >= 0 and sum(game.result().shares) <= 1
    with pytest.raises(paxsim.PaxsimError, match="allowed: none"):
        game.apply(game._option(0))
