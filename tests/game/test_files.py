"""Files are written completely or not at all, and nothing else is touched."""

import contextlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import mistake

from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.io import atomic_write, check_can_write, make_folder, remove_folders

GAME = ["--policies", "first", "--players", "2"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder="."):
    return {path.name: path.read_text() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("before", [{}, {"file": "older"}])
def test_file_appears_only_when_it_is_complete(before):
    for name, text in before.items():
        Path(name).write_text(text)
    with pytest.raises(RuntimeError), atomic_write(Path("file")) as file:
        file.write("half")
        raise RuntimeError
    assert files() == before
    with atomic_write(Path("file")) as file:
        file.write("whole")
        assert files().get("file") == before.get("file")
    assert files() == {"file": "whole"}
    with atomic_write(Path("file"), mode="wb") as file:
        file.write(b"bytes")
    assert files() == {"file": "bytes"}


def test_link_stays_a_link():
    Path("target").write_text("older")
    Path("link").symlink_to("target")
    with atomic_write(Path("link")) as file:
        file.write("newer")
    assert Path("link").is_symlink() and files()["target"] == "newer"


def test_device_is_written_to():
    with atomic_write(Path(os.devnull)) as file:
        file.write("nothing")
    assert not Path(os.devnull).is_file()


@pytest.mark.skipif(os.name != "posix", reason="what runs is unknown")
def test_rests_of_killed_processes_are_removed_when_a_file_is_written_again(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    rest = tmp_path / f".a[1].csv.{ended.pid}.part"
    others = [tmp_path / f".{name}.part" for name in (f"b.{ended.pid}", "a[1].csv.1", "a[1].csv.x")]
    for path in (rest, *others):
        path.write_text("half")
    with atomic_write(tmp_path / "a[1].csv") as file:
        file.write("whole")
    assert {*tmp_path.iterdir()} == {tmp_path / "a[1].csv", *others}


@pytest.mark.parametrize(
    ("path", "part"),
    [(".", "is a folder, not a file"), ("none/file", "No such file or directory"),
     ("kept/file", "Not a directory"), ("x" * 300, "File name too long")],
)  # fmt: skip
def test_impossible_file_is_one_line_before_and_after_the_work(path, part):
    Path("kept").write_text("mine")
    with pytest.raises(PaxsimError, match=rf"^out: .*{part}$"), atomic_write(Path(path)):
        pass
    if len(path) < 300:
        with pytest.raises(PaxsimError, match=rf"^csv: .*{part}$"):
            check_can_write(Path(path), "csv")
    check_can_write(Path("kept"))
    assert files() == {"kept": "mine"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_folder_without_permission_is_one_line():
    Path("closed").mkdir(mode=0o500)
    with pytest.raises(PaxsimError, match="Permission denied"):
        check_can_write(Path("closed/file"))


def test_folders_are_removed_only_if_they_are_new_and_empty():
    Path("old").mkdir()
    made = make_folder(Path("old/a/b"), "out")
    assert [str(path) for path in made] == ["old/a", "old/a/b"]
    Path("old/a/file").write_text("mine")
    remove_folders(made)
    assert files() == {"file": "mine"} and not Path("old/a/b").exists()
    with pytest.raises(PaxsimError, match="^out: cannot write old/a/file/new"):
        make_folder(Path("old/a/file/new"), "out")
    assert files() == {"file": "mine"}


@contextlib.contextmanager
def small_disk():
    """Limit all files to a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        yield
    finally:  # at once, because pytest may write its report to a file
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("option", ["--csv", "--out"])
def test_full_disk_leaves_no_incomplete_file(option, capsys):
    words = ["run", "--policies", "random,first", "--games", "8", option, "folder"]
    with small_disk():
        assert "File too large" in mistake(capsys, *words)
    assert not files()


def test_tables_of_other_people_are_not_replaced(capsys):
    words = ["run", "--games", "2", *GAME, "--csv", "new"]
    assert run_command(words) == 0
    capsys.readouterr()
    index = json.loads(files("new")["tables.json"])
    assert "games.csv" in index["tables"]
    assert run_command([*words, "--seed", "1"]) == 0  # its own tables are
    capsys.readouterr()
    Path("new/games.csv").write_text("mine")
    before = files("new")
    assert "new/games.csv" in mistake(capsys, *words)
    assert files("new") == before
