"""The scripts in experiments/: each does what its docstring says, with the public interface."""

import ast
import json
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).parent.parent / "experiments"
#: The scripts in a user's manner, and what they take to play few games.
GRIDS = {
    "win_rates": ["--games", "20"],
    "seats": ["--games", "40", "--policy", "random"],
    "rome_needs": ["--games", "20", "--rules", "starting_money=6"],
}


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_is_played_tabulated_and_drawn(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    arguments = [*GRIDS[name], "--jobs", "2", "--out", str(tmp_path / "new" / "folder")]
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    out = tmp_path / "new" / "folder"
    table = pd.read_csv(out / f"{name}.csv")
    assert table["players"].nunique() > 3 and (table["seed"] == 1).all()
    assert (out / f"{name}.png").stat().st_size > 1000
    assert (out / f"{name}.svg").stat().st_size > 1000
    assert "players" in capsys.readouterr().out


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_is_built_on_the_public_interface(name):
    source = (FOLDER / f"{name}.py").read_text("utf-8")
    imported = {
        f"{getattr(node, 'module', None) or ''}.{alias.name}".lstrip(".")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    of_package = {module for module in imported if module.startswith("paxsim")}
    assert of_package == {"paxsim", "paxsim.charts"}
    assert {"joblib.Parallel", "pandas"} <= imported
    assert len(source.splitlines()) < 70
    assert ast.get_docstring(ast.parse(source)).splitlines()[0].endswith("?")


def test_the_tuning_record_has_weights_and_what_they_are_worth(tmp_path, monkeypatch, capsys):
    words = ["defender", "--generations", "2", "--restarts", "1", "--games", "8"]
    monkeypatch.setattr(sys, "argv", ["tune.py", *words, "--out", str(tmp_path)])
    runpy.run_path(str(FOLDER / "tune.py"), run_name="__main__")
    assert len(pd.read_csv(tmp_path / "defender_generations.csv")) == 2
    record = json.loads((tmp_path / "defender.json").read_text("utf-8"))
    assert {"defender", "weighted"} <= {row["policy"] for row in record["held_out"]}
    assert record["spec"] in capsys.readouterr().out


def test_the_catalogue_page_has_its_sections(tmp_path, monkeypatch):
    script = runpy.run_path(str(FOLDER / "catalogue.py"))
    main = script["main"]
    few = ["racer", "starver"]
    for name, value in {"SPEED_DEALS": 4, "HEURISTICS": few, "BUILT_IN": few}.items():
        monkeypatch.setitem(main.__globals__, name, value)
    for name in ("MIXED", "WORLDS"):
        monkeypatch.setitem(main.__globals__, name, [("racer", "starver", "racer", "starver")])
    monkeypatch.setitem(main.__globals__, "PEEKERS", ("racer", "starver", "miser"))
    monkeypatch.setitem(main.__globals__, "CONSPIRATORS", ("racer",))
    page = tmp_path / "catalogue.md"
    monkeypatch.setattr(sys, "argv", ["catalogue.py", "--games", "8", "--out", str(page)])
    main()
    text = page.read_text("utf-8")
    assert text.startswith("# The catalogue of policies")
    assert "| 2 racer: " in text.partition("## Who fights Rome")[2]
    assert "| racer | · | · |" in text.partition("## Alone against")[2]
    assert "## Solo" in text and "| starver, " not in text.partition("## Solo")[2]


def test_the_page_of_searchers_is_made_of_what_was_played(tmp_path, monkeypatch, capsys):
    main = runpy.run_path(str(FOLDER / "strength.py"))["main"]
    small = {"BUDGETS": (1, 2), "PLAYERS": (2, 4), "BAR_BUDGET": 1, "MOST": 2, "COMPARED_AT": 1}
    few = {"BUILT_IN": ("random", "weighted"), "SOLO_LEVELS": (2, 5)}
    few["FIELDS"] = {"weighted": ("weighted",), "mixed": ("opportunist", "tribune")}
    few["BLOCKS"] = few["SOLO_GAMES"] = dict.fromkeys((0, 1, 2), 1)
    for name, value in (small | few).items():
        monkeypatch.setitem(main.__globals__, name, value)
    page = tmp_path / "search.md"
    words = ["strength.py", "--effort", "0.01", "--runs", str(tmp_path / "runs")]
    monkeypatch.setattr(sys, "argv", [*words, "--parts", "bar", "ladder"])
    main()  # a part is played, and no page made of it
    bars = capsys.readouterr().out
    assert bars.count("bar-") == 6 and bars.count("ladder-") == 2 and not page.exists()
    monkeypatch.setattr(sys, "argv", [*words, "--out", str(page)])
    main()
    first = page.read_text("utf-8")
    assert first.count("\n| 2 players: ") == first.count("\n| 4 players: ") == 4
    assert first.count("\n| level ") == 2 and "–" not in first.partition("## What was tried")[0]
    assert "games in all, seed 31415, deck assumed" in first and "{" not in first
    for chart in ("search_ladder", "search_budgets"):
        assert all((tmp_path / f"{chart}.{kind}").exists() for kind in ("png", "svg"))
    cells = capsys.readouterr().out
    assert set(bars.splitlines()) < set(cells.splitlines())

    main()  # everything is stored: read, and not played again
    assert capsys.readouterr().out == cells
    costs = "Processor time"
    assert page.read_text("utf-8").partition(costs)[0] == first.partition(costs)[0]
