"""Tables as they are displayed in the terminal, in notebooks and on pages."""

import math

import numpy as np
import pandas as pd
import pytest

import paxsim
from paxsim import table_views
from paxsim.table_views import COLUMNS, FIRST_ROWS, View, blocks_of, page_view, to_text, view_of


def texts(view):
    return view.headings, view.texts


def test_an_interval_is_folded_into_its_estimate_and_sorted_by_value():
    table = pd.DataFrame(
        [{"players": 2, "win_rate": 0.5, "win_rate_low": 0.49, "win_rate_high": 0.51, "seed": 1}]
    )
    view = page_view(table)
    assert texts(view) == (["players", "win rate %"], [["2", "50.0 ± 1.0"]])
    assert float(view.rows[0][1].sort) == 0.5 and view.numbers == [True, True]


def test_page_views_start_with_the_deck_and_omit_constant_columns():
    table = pd.DataFrame({"state": ["racer", "mixed"], "share_racer": [1, 0], "lineups": [5, 5],
                          "gain": [-0.1, -0.025], "deck": ["dear", "flat"]})  # fmt: skip
    headings, rows = texts(page_view(table))
    assert headings == ["deck", "state", "racer %", "gain, pp"]
    assert rows[1] == ["flat", "mixed", "0.0", "−2.5"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"), (np.bool_(False), "no"), ("a", "a"), (None, ""), (pd.NA, ""),
        (math.nan, "–"), (3, "3"), (np.int64(12_345), "12,345"), (4.0, "4"), (1.234, "1.23"),
    ],
)  # fmt: skip
def test_cells_of_plain_values(value, text):
    assert table_views.cell({"x": value}, "x").text == text


def test_p_values_are_never_zero():
    assert table_views.cell({"change_p": 0.0}, "change_p").text == "< 0.001"


def test_text_leaves_out_the_last_columns_where_they_do_not_fit():
    wide = View(["name", "a" * 60, "b" * 60], [False, True, True], [[table_views.Cell("x")] * 3])
    lines = to_text(wide).splitlines()
    assert lines[0].split() == ["name", "a" * 60] and max(map(len, lines)) <= 100


@pytest.fixture(scope="module")
def results():
    return {
        "simulate": paxsim.simulate("builder,first,random", games=60, jobs=1),
        "same": paxsim.simulate("tribune", 4, games=40, jobs=1),
        "solo": paxsim.solo("hermit", (1, 2), games=20, jobs=1),
        "tournament": paxsim.tournament("builder,first,random", 2, games=60, jobs=1),
        "compare": paxsim.compare("builder", "first", players=2, games=80, jobs=1),
        "compare_rules": paxsim.compare_rules("first", ["rome_needs=5"], 2, games=40, jobs=1),
        "ablate": paxsim.ablate("builder,first", "peek,buy", games=40, jobs=1),
        "metagame": paxsim.metagame("builder,first,random", 2, games=400, jobs=1),
    }


KINDS = ("simulate", "same", "solo", "tournament", "compare", "compare_rules", "ablate", "metagame")


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_has_views_whose_columns_its_tables_have(results, kind):
    blocks = list(blocks_of(results[kind]))
    shown = [block for block in blocks if isinstance(block, View)]
    assert shown and all(view.rows and view.headings for view in shown)
    assert all(len(view.rows) <= FIRST_ROWS + 8 for view in shown)
    for view in shown:
        assert not any("nan" in text for row in view.texts for text in row)


@pytest.mark.parametrize("kind", KINDS)
def test_a_repr_is_the_headline_and_where_it_comes_from(results, kind):
    result = results[kind]
    lines = repr(result).splitlines()
    assert max(map(len, lines)) <= 100
    assert "seed 0" in repr(result) and "paxsim" in lines[-1]
    html = result._repr_html_()
    assert html.startswith("<table>") and "seed 0" in html


def test_declared_columns_exist_in_some_table(results):
    columns = {name for r in results.values() for t in r.tables.values() for name in t.columns}
    elsewhere = {"contender", "score", "rival_win_rate", "kind", "policy", "decisions", "joined",
                 "improvable", "cost", "cost_of_one", "round", "rule", "value", "in_force",
                 "seat1_over_fair", "verdict"}  # fmt: skip
    declared = {name for names in COLUMNS.values() for name in names.split()}
    assert declared <= columns | elsewhere


def test_a_policy_at_all_seats_has_its_fair_share_without_an_interval(results):
    (row,) = next(iter(blocks_of(results["same"]))).texts
    assert row[:2] == ["tribune (×4)", "25.0"]


def test_sequential_words_appear_only_where_a_run_stops_early(results):
    fixed = " ".join(block for block in blocks_of(results["compare"]) if isinstance(block, str))
    assert "sequential" not in fixed and "decided" not in fixed and "p " in fixed


def test_view_of_shows_the_columns_that_a_table_has():
    assert view_of(pd.DataFrame({"rules": ["a"], "x": [1]}), "rule_changes").headings == ["rules"]
