"""The scripts in experiments/: each does what its docstring says, with the public interface."""

import ast
import json
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

import paxsim
import paxsim.search
from paxsim.cli.options import parse_numbers
from paxsim.cli.scripting import own_place, run_script, script_parser

pytestmark = pytest.mark.whole

FOLDER = Path(__file__).parent.parent.parent / "experiments"
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
    options = {f"paxsim.cli.scripting.{name}" for name in ("run_script", "script_parser")}
    assert of_package == {"paxsim", "paxsim.charts", *options}
    assert {"joblib.Parallel", "pandas"} <= imported
    assert len(source.splitlines()) < 70


def run(name, *words, **changed):
    """Run a script with other values of its globals."""
    main = runpy.run_path(str(FOLDER / f"{name}.py"))["main"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [f"{name}.py", *words])
        for variable, value in changed.items():
            patch.setitem(main.__globals__, variable, value)
        run_script(main)


def test_a_grid_has_the_player_counts_that_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for name, counts in (("win_rates", "3"), ("seats", "2-5"), ("rome_needs", "2,4")):
        run(name, *GRIDS[name], "--players", counts, "--deck", "cheap", "--out", str(tmp_path))
        table = pd.read_csv(tmp_path / f"{name}.csv")
        assert sorted(table["players"].unique()) == parse_numbers("players", counts)
        assert (table["deck"] == "cheap").all()


#: Scripts that keep a committed file, with what makes them quick, and what they write.
KEEPERS = {
    "tune": (["defender", "--generations", "1", "--restarts", "1", "--games", "8",
              "--players", "5"], {}, "tuning"),
    "profiles": (["--games", "2", "--players", "2,3", "--policies", "racer,first"], {},
                 "profiles.toml"),
    "catalogue": (["--games", "8", "--policies", "racer,first"],
                  {"MIXED": [("racer",) * 4], "WORLDS": [("racer",) * 4],
                   "PEEKERS": ("racer", "starver", "miser"), "CONSPIRATORS": ("racer",)},
                  "catalogue.md"),
    "strength": (["--effort", "0.01"],
                 {"BUDGETS": (1, 2), "PLAYERS": (4,), "BAR_BUDGET": 1, "MOST": 2,
                  "COMPARED_AT": 1, "BUILT_IN": ("random",), "SOLO_LEVELS": (2,),
                  "FIELDS": {"weighted": ("weighted",), "mixed": ("opportunist", "tribune")},
                  "BLOCKS": dict.fromkeys((0, 1, 2), 1),
                  "SOLO_GAMES": dict.fromkeys((0, 1, 2), 1)},
                 "search.md"),
}  # fmt: skip


@pytest.mark.parametrize("name", KEEPERS)
def test_another_deck_and_rules_leave_the_committed_file_alone(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    words, changed, written = KEEPERS[name]
    committed = FOLDER.parent / "docs" / "search.md", Path(paxsim.search.__file__).parent
    before = [path.stat().st_mtime_ns for path in (committed[0], committed[1] / "profiles.toml")]
    run(name, *words, "--deck", "cheap", "--rules", "rome_needs=5", **changed)
    (place,) = (tmp_path / "runs").glob(f"cheap-rome-needs-5*/{written}")
    assert str(place.relative_to(tmp_path)) in capsys.readouterr().out
    if place.is_file() and name != "profiles":
        text = place.read_text("utf-8")
        assert "rome_needs=5" in text and "cheap" in text and "What was tried" not in text
    after = [path.stat().st_mtime_ns for path in (committed[0], committed[1] / "profiles.toml")]
    assert before == after and not (tmp_path / "docs").exists()


@pytest.mark.parametrize("name", [*GRIDS, *KEEPERS])
def test_a_mistake_in_an_option_is_one_line(name, capsys):
    words = ["defender"] if name == "tune" else []
    with pytest.raises(SystemExit) as left:
        run(name, *words, "--rules", "rome_needs=99")
    err = capsys.readouterr().err
    assert left.value.code == 2 and err.count("\n") == 1
    assert "rome_needs must be between 0 and 8, got 99" in err


def test_what_is_asked_of_the_usual_game_goes_where_it_always_went():
    parser = script_parser("What?", policies=("racer", "miser"), players=(2, 3))
    usual = Path("docs/page.md")

    def place(*words):
        return own_place(usual, parser, parser.parse_args(words))

    assert (
        place() == place("--deck", "assumed", "--policies", "racer,miser", "--jobs", "3") == usual
    )
    others = [("--deck", "cheap"), ("--rules", "rome_needs=5"), ("--rules", "rome_needs=6"),
              ("--policies", "miser,racer"), ("--players", "2")]  # fmt: skip
    places = {place(*words) for words in others}
    assert len(places) == len(others) and usual not in places
    assert {path.name for path in places} == {"page.md"}


def test_a_user_script_is_told_its_mistakes_in_one_line(capsys):
    def main():
        paxsim.simulate("racer", 1, games=0)

    with pytest.raises(SystemExit) as left:
        run_script(main)
    assert left.value.code == 2 and "got 0" in capsys.readouterr().err


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
    for name, value in {"HEURISTICS": few, "BUILT_IN": few}.items():
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
    assert "| 2 racer: " in text.partition("## Fighting Rome")[2]
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
    assert "games, seed 31415, deck assumed" in first and "{" not in first
    for chart in ("search_ladder", "search_budgets"):
        assert all((tmp_path / f"{chart}.{kind}").exists() for kind in ("png", "svg"))
    cells = capsys.readouterr().out
    assert set(bars.splitlines()) < set(cells.splitlines())

    main()  # everything is stored: read, and not played again
    assert capsys.readouterr().out == cells
    costs = "Processor time"
    assert page.read_text("utf-8").partition(costs)[0] == first.partition(costs)[0]
