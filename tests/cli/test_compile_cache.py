"""Compiled code that is kept between processes is never stale, never in the way, and never a crash.

Each test starts processes on copies of the package. They compile two small entry points, each with
a helper from another file: the score of a game, and the policy `random`.
"""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from support.imports import PACKAGE, imported_files, reached_from

from paxsim.engine import cache as code_cache

#: Scores a game that has not begun and asks `random` once; prints points and answer.
SCRIPT = """
import json, sys
import numpy as np
import paxsim
from paxsim import cli
from paxsim.engine.loop import score_game
from paxsim.engine.records import address_of, game_dtype, result_dtype

if "as-command" in sys.argv:
    cli.run_command(["deck", "--help"])
if "edit" in sys.argv:
    with open(sys.argv[-1], "a") as file:
        file.write("\\n\\n@kernel\\ndef wealth_of(game, seat):\\n    return -seat\\n")
games = paxsim.make_setting(3).new_game().view(game_dtype)
result = np.zeros(1, result_dtype)
score_game(address_of(games), address_of(result))
game, result = games[0], result[0]
game["choices"][0]["count"] = 1
answer = paxsim.get_policy("random").compiled(game["table"], game["seats"][0], game["choices"][0])
print(json.dumps([result["points_wealthiest"][:3].tolist(), answer]))
"""
#: Nobody has anything, so all are wealthiest.
EXPECTED = [[4, 4, 4], 0]
#: What `wealth_of` makes of it after the edit.
EDITED = [[4, 0, 0], 0]

#: Compiles a heuristic, then has a helper of the user's answer: Rome holds all but two categories.
HELPER_AFTER_HEURISTIC = """
import json
import paxsim
from paxsim import helpers
from paxsim.engine.records import game_dtype

assert paxsim.get_policy("starver").compiled is not None

@paxsim.helper
def held(table, me):
    return helpers.rome_holds(table, me)

game = paxsim.make_setting(3).new_game().view(game_dtype)[0]
game["table"]["strongest"][:2] = 99
print(json.dumps(held(game["table"], game["seats"][0])))
"""


def start(root, *arguments, script=SCRIPT, **variables):
    """Start a script with the package that is in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("PAXSIM_CACHE_DIR", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**environment, **{name: str(value) for name, value in variables.items()}},
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """The script's answer, and what it said on stderr."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1]), err


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder with a copy of the package, and of its bytecode, so that processes start soon."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "paxsim")
    return root


@pytest.fixture(scope="module")
def filled(package, tmp_path_factory):
    """A cache that two processes filled, both of which began when it was empty."""
    cache = tmp_path_factory.mktemp("cache")
    both = [start(package, "as-command", PAXSIM_CACHE_DIR=cache) for _ in range(2)]
    for process in both:
        answer, said = finish(process)
        assert answer == EXPECTED
        assert said.count("compiling the engine") == 1
    return cache


@pytest.mark.whole
def test_after_two_processes_at_once_nothing_is_left_to_compile(package, filled):
    answer, said = finish(start(package, "as-command", PAXSIM_CACHE_DIR=filled))
    assert answer == EXPECTED
    assert said == ""


@pytest.mark.whole
def test_an_edited_helper_is_noticed_even_if_edited_after_the_import(package, filled, tmp_path):
    shutil.copytree(package, tmp_path, dirs_exist_ok=True)
    scoring = tmp_path / "paxsim/engine/scoring.py"
    answer, _ = finish(start(tmp_path, "edit", scoring, PAXSIM_CACHE_DIR=filled))
    assert answer == EXPECTED  # as imported
    answer, _ = finish(start(tmp_path, PAXSIM_CACHE_DIR=filled))
    assert answer == EDITED
    answer, said = finish(start(package, "as-command", PAXSIM_CACHE_DIR=filled))
    assert answer == EXPECTED
    assert said == ""  # the old version's code is still there


@pytest.mark.whole
def test_a_users_helper_is_answered_after_a_heuristic_was_compiled(package, tmp_path):
    """The call, of parts that both have in them, once ended the process."""
    for _ in range(2):  # with an empty cache, and with the heuristic's code in it
        process = start(package, script=HELPER_AFTER_HEURISTIC, PAXSIM_CACHE_DIR=tmp_path)
        assert finish(process)[0] == 5


@pytest.mark.whole
def test_damaged_files_are_compiled_again(package, filled, tmp_path):
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    files = sorted(tmp_path.rglob("*.nb?"))
    assert len(files) >= 4  # an index and the code of each entry point
    for number, path in enumerate(files):
        content = bytearray(path.read_bytes())
        middle = len(content) // 2
        if number % 3:
            del content[middle:]
        else:
            content[middle] ^= 0xFF
        path.write_bytes(content)
    answer, said = finish(start(package, "as-command", PAXSIM_CACHE_DIR=tmp_path))
    assert answer == EXPECTED
    assert "compiling the engine" in said
    answer, said = finish(start(package, "as-command", PAXSIM_CACHE_DIR=tmp_path))
    assert answer == EXPECTED
    assert said == ""


@pytest.mark.whole
def test_nothing_can_be_written(package):
    """Neither to the package nor to the home folder; and a pipe is told nothing."""
    before = sorted(package.rglob("*"))
    folders = [path for path in [package, *before] if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        answer, said = finish(start(package, HOME="/dev/null"))
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert answer == EXPECTED
    assert said == ""
    assert sorted(package.rglob("*")) == before


def test_code_of_versions_that_nobody_uses_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(tmp_path))
    names = ["0123456789abcdef", "fedcba9876543210", "not-ours", code_cache.FINGERPRINT]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").touch()
        last_used = time.time() - (20 if name == "fedcba9876543210" else 40) * 86400
        os.utime(tmp_path / name, (last_used, last_used))
    assert code_cache.remove_unused(days=30) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_compiled_code_stands_in_fingerprinted_files_only():
    fingerprinted = {path for pattern in code_cache.COMPILED for path in PACKAGE.glob(pattern)}
    playing = [*PACKAGE.glob("engine/*.py"), *PACKAGE.glob("policies/*.py")]
    assert reached_from(playing) <= fingerprinted
    for path in set(PACKAGE.rglob("*.py")) - fingerprinted - set(PACKAGE.glob("cli/*.py")):
        compilers = {PACKAGE / "engine/cache.py", PACKAGE / "engine/jit.py"}
        assert not compilers & set(imported_files(path)), path
