"""The scripts in experiments/: each does what its docstring says, with the public interface."""

import ast
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
    "rome_needs": ["--games", "20"],
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
    script = runpy.run_path(str(FOLDER / "tune.py"))
    main = script["main"]
    for name, value in {"DEALS": 1, "LINEUPS": 1, "POPULATION": 4}.items():
        monkeypatch.setitem(main.__globals__, name, value)
    words = ["--policy", "weighted", "--generations", "2", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["tune.py", *words])
    main()
    assert len(pd.read_csv(tmp_path / "weighted_generations.csv")) == 2
    assert '"held_out"' in (tmp_path / "weighted.json").read_text("utf-8")


def test_the_catalogue_page_has_its_sections(tmp_path, monkeypatch):
    script = runpy.run_path(str(FOLDER / "catalogue.py"))
    main = script["main"]
    few = ["racer", "starver"]
    for name, value in {"SPEED_DEALS": 4, "HEURISTICS": few, "BUILT_IN": few}.items():
        monkeypatch.setitem(main.__globals__, name, value)
    monkeypatch.setitem(main.__globals__, "MIXED", [("racer", "starver", "racer", "starver")])
    page = tmp_path / "catalogue.md"
    monkeypatch.setattr(sys, "argv", ["catalogue.py", "--games", "8", "--out", str(page)])
    main()
    text = page.read_text("utf-8")
    assert text.startswith("# The catalogue of policies")
    assert "## Solo" in text and "| starver, " not in text.partition("## Solo")[2]


def test_the_page_of_searchers_is_made_of_what_was_played(tmp_path, monkeypatch):
    page = tmp_path / "search.md"
    words = ["--blocks", "2", "--rollouts", "1", "--players", "2", "--out", str(page)]
    monkeypatch.setattr(sys, "argv", ["strength.py", *words])
    runpy.run_path(str(FOLDER / "strength.py"), run_name="__main__")
    text = page.read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith(("| 1 ", "| solo level "))]
    assert len(rows) == 8 and "| against | plain policy | 1 |" in text
    assert "84 games in all, seed 20, deck assumed" in text and "{" not in text
