"""Cache of compiled code: shared between processes, never stale, never a reason to fail."""

import json
import os
import pickle
import shutil
import subprocess
import sys
import time

import pytest
from numba import types
from support.imports import PACKAGE, imported_files

from paxsim.engine import cache as code_cache
from paxsim.engine.cache import DIGEST, enable_cache
from paxsim.engine.jit import kernel, whole

NUMBERS = {"hawk": 7, "dove": 11}


def compiled(name, module=__name__):
    """Return a compiled function that adds its own number, loaded from the cache if possible."""
    space = {"number": NUMBERS[name], "__name__": module}
    exec("def decide(x):\n return x + number\n", space)
    space["decide"] = kernel(space["decide"])
    exec(compile(f"def {name}(x):\n return decide(x)\n", f"<policy {name}>", "exec"), space)
    dispatcher = whole(space[name])
    enable_cache(dispatcher)
    dispatcher.compile(types.int64(types.int64))
    return dispatcher


def was_loaded(dispatcher):
    return sum(dispatcher.stats.cache_hits.values()) == 1


@pytest.fixture
def notices(monkeypatch):
    lines = []
    code_cache._notify_once.cache_clear()
    monkeypatch.setattr(code_cache, "notify", lines.append)
    return lines


@pytest.fixture
def folder(tmp_path, monkeypatch, notices):
    """Folder of a cache that holds both functions."""
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(tmp_path / "cache"))
    for name in NUMBERS:
        compiled(name)
    assert all(was_loaded(compiled(name)) for name in NUMBERS)
    return tmp_path / "cache" / DIGEST


class Bomb:
    """Object that makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_folder_that_others_can_write_is_not_used(folder, notices, tmp_path, mode):
    folder.chmod(mode)
    for file in folder.glob("*.nbi"):
        file.write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    dispatcher = compiled("hawk")
    assert dispatcher(1) == 8 and not was_loaded(dispatcher)
    assert not (tmp_path / "exploded").exists()
    assert sum("another user" in line for line in notices) == 1


def test_folder_of_another_owner_is_not_used(folder, notices):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    os.chown(folder, 12345, 12345)
    assert not was_loaded(compiled("hawk"))
    assert any("another user" in line for line in notices)


def test_new_folder_is_private_with_any_umask(tmp_path, monkeypatch):
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(tmp_path / "new"))
    before = os.umask(0)
    try:
        compiled("hawk")
    finally:
        os.umask(before)
    assert was_loaded(compiled("hawk"))
    assert (tmp_path / "new" / DIGEST).stat().st_mode & 0o077 == 0


def test_function_of_the_same_name_in_another_module_is_compiled(folder):
    other = compiled("hawk", module="paxsim.errors")
    assert other(1) == 8
    assert not was_loaded(other)


def test_code_of_another_version_is_not_loaded(folder, monkeypatch):
    older = folder.with_name("0" * 16)
    folder.rename(older)
    monkeypatch.setattr(code_cache, "DIGEST", older.name)
    assert not was_loaded(compiled("hawk"))


@pytest.mark.parametrize("name", ["x" * 300, "/dev/null/cache", "nul\0"])
def test_impossible_cache_folder_is_no_error(monkeypatch, notices, name):
    monkeypatch.setattr(code_cache, "cache_folder", lambda: code_cache.Path(name))
    assert compiled("dove")(1) == 12


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x05.", pickle.dumps([])])
def test_damaged_files_are_compiled_again(folder, content):
    for file in folder.iterdir():
        file.write_bytes(content)
    assert compiled("hawk")(1) == 8
    assert was_loaded(compiled("hawk"))


def test_truncated_files_are_compiled_again(folder):
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert compiled("hawk")(1) == 8
    assert was_loaded(compiled("hawk"))


def test_unused_versions_are_removed_after_30_days(tmp_path, monkeypatch):
    monkeypatch.setenv("PAXSIM_CACHE_DIR", str(tmp_path))
    names = ["0123456789abcdef", "fedcba9876543210", "not-ours", DIGEST]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").touch()
        last_used = time.time() - (20 if name == "fedcba9876543210" else 40) * 86400
        os.utime(tmp_path / name, (last_used, last_used))
    assert code_cache.remove_unused(days=30) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_digest_covers_every_compiled_module():
    covered = {path for pattern in code_cache.COMPILED_SOURCES for path in PACKAGE.glob(pattern)}
    compilers = {PACKAGE / "engine/cache.py", PACKAGE / "engine/jit.py"}
    for path in set(PACKAGE.rglob("*.py")) - covered - set(PACKAGE.glob("cli/*.py")):
        assert not compilers & set(imported_files(path)), path


#: Scores a game that has not begun, where all seats tie for wealthiest, and asks `random` once.
SCRIPT = """
import json, sys
import numpy as np
import paxsim
from paxsim.engine import cache
from paxsim.engine.loop import score_game
from paxsim.engine.records import address_of, game_dtype, result_dtype

if "notices" in sys.argv:
    cache.notify = lambda text: print(text, file=sys.stderr)
if "edit" in sys.argv:
    with open(sys.argv[-1], "a") as file:
        file.write("\\n\\n@kernel\\ndef wealth_of(game, seat):\\n    return -seat\\n")
games = paxsim.make_setting(3).new_game().view(game_dtype)
result = np.zeros(1, result_dtype)
score_game(address_of(games), address_of(result))
game, result = games[0], result[0]
game["choices"][0]["count"] = 1
option = paxsim.get_policy("random").compiled(game["table"], game["seats"][0], game["choices"][0])
print(json.dumps([result["points_wealthiest"][:3].tolist(), option]))
"""
EXPECTED = [[4, 4, 4], 0]
AFTER_EDIT = [[4, 0, 0], 0]

#: A user's helper that shares parts with a compiled heuristic: Rome holds four categories.
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
    """Start a script with the copy of the package in a folder."""
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
    """Return what the script printed as JSON, and its notices."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1]), err


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "paxsim")
    return root


@pytest.fixture(scope="module")
def filled(package, tmp_path_factory):
    """Cache filled by two processes that started with an empty one."""
    cache = tmp_path_factory.mktemp("cache")
    both = [start(package, "notices", PAXSIM_CACHE_DIR=cache) for _ in range(2)]
    for process in both:
        answer, notices = finish(process)
        assert answer == EXPECTED
        assert notices.count("compiling the engine") == 1
    return cache


@pytest.mark.whole
def test_next_process_compiles_nothing(package, filled):
    assert finish(start(package, "notices", PAXSIM_CACHE_DIR=filled)) == (EXPECTED, "")


@pytest.mark.whole
def test_edited_source_is_compiled_and_the_old_version_kept(package, filled, tmp_path):
    shutil.copytree(package, tmp_path, dirs_exist_ok=True)
    scoring = tmp_path / "paxsim/engine/scoring.py"
    answer, _ = finish(start(tmp_path, "edit", scoring, PAXSIM_CACHE_DIR=filled))
    assert answer == EXPECTED  # as imported, before the edit
    answer, _ = finish(start(tmp_path, PAXSIM_CACHE_DIR=filled))
    assert answer == AFTER_EDIT
    assert finish(start(package, "notices", PAXSIM_CACHE_DIR=filled)) == (EXPECTED, "")


@pytest.mark.whole
def test_users_helper_runs_after_a_heuristic_was_compiled_or_loaded(package, filled):
    for _ in range(2):  # the cache has no heuristic at first
        process = start(package, script=HELPER_AFTER_HEURISTIC, PAXSIM_CACHE_DIR=filled)
        assert finish(process)[0] == 5


@pytest.mark.whole
def test_read_only_package_and_home_are_no_error(package):
    before = sorted(package.rglob("*"))
    folders = [path for path in [package, *before] if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert finish(start(package, HOME="/dev/null")) == (EXPECTED, "")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert sorted(package.rglob("*")) == before
