"""Attacks by policy files: they end, print, break, and are saved while a run goes on."""

import importlib
import itertools
import json
import os
import pickle
import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pandas as pd
import pytest
from support.mistakes import mistake, write_policy

import paxsim
from paxsim import cli, testing
from paxsim.cli import run_command
from paxsim.experiment import run, simulate
from paxsim.policies import files, registry
from paxsim.testing import check_policy


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- checks and policy files ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--seed -1", "seed must be "),
        ("--deals 0", "deals must be "),
        ("--deals -3", "deals must be "),
        ("--patience inf", "patience must be "),
        ("--patience nan", "patience must be "),
        ("--patience 0", "patience must be "),
    ],
)
def test_a_check_that_would_play_nothing_is_refused(capsys, options, said):
    assert said in mistake(capsys, "check", "random", *options.split())


def test_whatever_goes_wrong_while_a_check_plays_is_a_problem(monkeypatch, capsys):
    def fails(*arguments, **keywords):
        raise MemoryError("no room")

    monkeypatch.setattr("paxsim.testing.play_deals", fails)
    for check in check_policy("first", deals=1):
        assert check.problem == "could not be played: MemoryError('no room')"
        assert check.games == 0
    assert capsys.readouterr() == ("", "")


def test_a_check_that_played_too_little_has_failed(monkeypatch):
    real = testing.play_deals
    monkeypatch.setattr(testing, "play_deals", lambda *a, **k: real(*a[:4], 1, *a[5:], **k))
    problems = [check.problem for check in check_policy("first", deals=3)]
    assert problems[0] == "only 1 of 3 games were played"
    assert all("games were played" in problem for problem in problems)


def unrepeatable(play_deals):
    """The same, but every call plays other deals: what no policy can do, a mistake here might."""
    calls = itertools.count()
    return lambda setting, lineup, seed, *more, **options: play_deals(
        setting, lineup, seed + next(calls), *more, **options
    )


def test_a_check_of_a_policy_that_plays_the_same_games_differently_has_failed(monkeypatch):
    monkeypatch.setattr(testing, "play_deals", unrepeatable(testing.play_deals))
    for check in check_policy("first", deals=2):
        assert check.problem.startswith("plays the same games differently; ")
        assert check.problem.endswith("paxsim.helpers.random_below(me, n) for dice")


def test_a_run_of_policies_that_play_the_same_game_differently_is_refused(here, monkeypatch):
    """Its message names a game that differs; nothing is left behind."""

    @paxsim.policy
    def of_two_minds(table, me, choice):
        return 0

    monkeypatch.setattr(run, "play_deals", unrepeatable(run.play_deals))
    with pytest.raises(paxsim.PolicyError) as error:
        simulate([of_two_minds, "random"], games=20, seed=3, out=here / "run")
    said = str(error.value)
    assert said.startswith("policies: of_two_minds,random play the same game differently; allowed:")
    assert "--seed 3 --deal 0 --rotation 0" in said


def test_a_check_counts_the_games_up_to_the_one_that_failed():
    @paxsim.policy
    def counted_to_failure(table, me, choice):
        return 0 if table.players < 3 else 99

    found = {check.setting: check for check in check_policy(counted_to_failure, deals=2)}
    assert found["2 players"].games == 4 and found["2 players"].problem is None
    assert found["3 players"].games == 0 and "chose option 99" in found["3 players"].problem


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit(0)", "ends the program when it is imported"),
        ("raise SystemExit('bye')", "ends the program"),
        ("raise BaseException('odd')", "BaseException: odd"),
        ("raise ValueError('two\\nlines \\x1b[31m')", "ValueError: two lines \\x1b[31m"),
        ("import no_such_module", "line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        (
            "import paxsim\n\npaxsim.policy(params=3)",
            "line 3: TypeError: policy() got an",
        ),
        ("def broken(:", "mine.py: line 1: SyntaxError: invalid syntax; the line: def broken(:"),
        (
            "from paxsim.helpers import price_of_legoin",
            "mine.py: line 1: paxsim.helpers has no price_of_legoin (did you mean 'price_of_legion'"
            "?); allowed: what paxsim.helpers has; the line: from paxsim.helpers import price_of_",
        ),
        ("x = " + "(" * 3000 + ")" * 3000, "SyntaxError"),
        ("raise SyntaxError", "mine.py: line 1: SyntaxError"),
        ("\0", "null bytes"),
    ],
)
def test_a_policy_file_that_ends_or_breaks_is_one_line(here, capsys, code, said):
    write_policy(here / "mine.py", "unlucky", before=code)
    for words in (["check", "mine.py"], ["run", "--policies", "mine.py", "--games", "10"]):
        assert said in mistake(capsys, *words)


def test_ctrl_c_while_a_policy_is_imported_is_still_ctrl_c(here, capsys):
    write_policy(here / "mine.py", "interrupted", before="raise KeyboardInterrupt")
    assert run_command(["check", "mine.py"]) == cli.EXIT_INTERRUPTED


def test_an_entry_point_that_ends_or_prints_is_one_line(here, capsys, monkeypatch):
    (here / "offered.py").write_text("print('hello')\nraise SystemExit(0)\n")
    monkeypatch.syspath_prepend(here)
    point = EntryPoint("offered", "offered", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    registry.load_entry_points.cache_clear()
    try:
        assert run_command(["policies", "offered"]) == 2
    finally:
        monkeypatch.undo()
        registry.load_entry_points.cache_clear()
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "hello\npaxsim: policy offered: cannot be loaded from offered: SystemExit(0)\n"


def test_what_a_policy_file_prints_does_not_stand_among_the_results(here, capsys):
    write_policy(here / "chatty.py", "chatty", before="print('hello')", after="print('done')")
    words = ["run", "--policies", "chatty.py,random", "--games", "8", "--json"]
    assert run_command(words) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["tables"]
    assert err.startswith("hello\ndone\n")


def test_a_policy_file_in_another_encoding_is_read_as_it_says(here, capsys):
    cookie = "# -*- coding: latin-1 -*-"
    write_policy(here / "old.py", "old_style", before=cookie, idea="Née.", encoding="latin-1")
    found = paxsim.get_policy("old.py")
    assert found.idea == "Née."
    assert len(found.fingerprint) == 12
    assert run_command(["run", "--policies", "old.py,random", "--games", "8", "--out", "r"]) == 0
    assert run_command(["policies", "old.py"]) == 0
    assert "Née." in capsys.readouterr().out


def test_a_policy_file_in_no_encoding_is_one_line(here, capsys):
    write_policy(here / "old.py", "bad_style", idea="Née.", encoding="latin-1")
    assert "codec can't decode byte" in mistake(capsys, "policies", "old.py")


# --- saving a policy while a run goes on ----------------------------------------------------


def as_in_another_process(packed, monkeypatch):
    """Unpack where nothing of a user's has been imported yet."""
    monkeypatch.setattr(files, "_imported", {})
    monkeypatch.setattr(files, "_beside", {})
    built_in = {name: made for name, made in registry._registry.items() if made.built_in}
    monkeypatch.setattr(registry, "_registry", built_in)
    for name in [name for name in sys.modules if name.startswith(("paxsim_file_", "beside_"))]:
        monkeypatch.delitem(sys.modules, name)
    return pickle.loads(packed)


def spoil_by_saving(path):
    path.write_text(path.read_text().replace("return 0", "return choice.count - 1"))


def spoil_by_half_saving(path):
    path.write_bytes(path.read_bytes()[:-30])


def spoil_by_deleting(path):
    path.unlink()


def spoil_by_a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "spoil", [spoil_by_saving, spoil_by_half_saving, spoil_by_deleting, spoil_by_a_folder]
)
def test_a_policy_travels_as_it_was_imported(here, monkeypatch, spoil):
    name = f"travelling_{spoil.__name__}"
    path = write_policy(here / "mine.py", name)
    policy = paxsim.get_policy("mine.py")
    wanted = paxsim.play_batch([policy, "random"], deals=50).results.tobytes()
    spoil(path)
    found = as_in_another_process(pickle.dumps(policy), monkeypatch)
    assert found.name == name and found.origin == policy.origin
    assert paxsim.play_batch([found, "random"], deals=50).results.tobytes() == wanted


def test_the_modules_beside_a_policy_travel_with_it(here, monkeypatch):
    package = here / "beside_package"
    package.mkdir()
    (package / "__init__.py").write_text("from beside_package.part import ANSWER\n")
    (package / "part.py").write_text("ANSWER = 0\n")
    (here / "beside_module.py").write_text("from beside_package import ANSWER\n")
    before = "from beside_module import ANSWER"
    write_policy(here / "mine.py", "with_neighbours", before=before, answer="ANSWER")
    policy = paxsim.get_policy("mine.py")
    wanted = paxsim.play_batch([policy, "random"], deals=50).results.tobytes()
    packed = pickle.dumps(policy)
    (package / "part.py").write_text("ANSWER = 1\n")
    (here / "beside_module.py").unlink()
    found = as_in_another_process(packed, monkeypatch)
    assert paxsim.play_batch([found, "random"], deals=50).results.tobytes() == wanted


def test_a_policy_of_a_package_is_imported_there_and_must_be_the_same(here, monkeypatch):
    package = here / "beside_offered"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "numbers.py").write_text("ANSWER = 0\n")
    before = "from .numbers import ANSWER"
    path = write_policy(package / "plays.py", "packaged", before=before, answer="ANSWER")
    monkeypatch.syspath_prepend(here)
    policy = importlib.import_module("beside_offered.plays").packaged
    packed = pickle.dumps(policy)
    assert as_in_another_process(packed, monkeypatch).name == "packaged"
    path.write_text(path.read_text() + "# edited\n")
    with pytest.raises(paxsim.PaxsimError, match="beside_offered.plays has changed"):
        as_in_another_process(packed, monkeypatch)


def test_a_module_that_was_loaded_again_travels_as_it_is_now(here, monkeypatch):
    path = write_policy(here / "beside_reloaded.py", "reloaded")
    monkeypatch.syspath_prepend(here)
    module = importlib.import_module("beside_reloaded")
    first = pickle.dumps(module.reloaded)
    write_policy(path, "reloaded", answer="choice.count - 1")
    importlib.invalidate_caches()
    second = pickle.dumps(importlib.reload(module).reloaded)
    path.unlink()
    answers = []
    for packed in (first, second):
        policy = as_in_another_process(packed, monkeypatch)
        answers.append(policy.function(None, None, SimpleNamespace(count=5)))
    assert answers == [0, 4]


def test_a_file_saved_twice_within_a_second_is_not_mistaken_for_itself(here):
    """Python's own cache of compiled files goes by size and second."""
    names = []
    for answer in ("0", "1"):
        path = write_policy(here / "quick.py", "quickly_saved", answer=answer)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        names.append(paxsim.get_policy("quick.py").function(None, None, None))
    assert names == [0, 1]
    assert not (here / "__pycache__").exists()


def test_saving_the_policy_while_processes_play_changes_nothing(here):
    path = write_policy(here / "mine.py", "saved_meanwhile")
    sizes = dict(players=2, games=400, chunk_games=40)
    wanted = paxsim.simulate("mine.py,random", **sizes)["strategies"]
    policy = paxsim.get_policy("mine.py")

    def save_again(standing, games):
        path.write_text("this is (no Python")

    path.write_text("nor (is this")
    found = paxsim.simulate(
        [policy, "random"], **sizes, backend="processes", jobs=2, progress=save_again
    )
    pd.testing.assert_frame_equal(found["strategies"], wanted)


DEADLY = """
import multiprocessing, os
if multiprocessing.current_process().name != "MainProcess":
    {end}
"""


@pytest.mark.parametrize("end", ["os._exit(3)", "raise ValueError('not here')"])
@pytest.mark.whole
def test_a_worker_that_dies_is_one_line(here, capsys, end):
    write_policy(here / "mine.py", f"deadly_{len(end)}", before=DEADLY.format(end=end))
    words = "run --policies mine.py,random --games 400 --chunk-games 40 --backend processes"
    line = mistake(capsys, *words.split(), "--jobs", "2")
    assert "backend: a worker ended before its work was done: " in line
    assert "_exit" in end or "ValueError: not here" in line


def test_a_mistake_in_a_module_that_a_policy_imports_is_told_with_that_modules_name(tmp_path):
    (tmp_path / "beside_it.py").write_text("x = 1\ny = 2\ndef broken(:\n")
    file = tmp_path / "importing.py"
    file.write_text("import beside_it\n# nothing\n# an innocent line\n")
    with pytest.raises(
        paxsim.PaxsimError, match=r"line 1: .*beside_it.py, line 3.*the line: import"
    ):
        paxsim.get_policy(str(file))
