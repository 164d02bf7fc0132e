"""Attacks on the user's data: every one is refused in one line, or harmless as equal results show.

First run directories, then tables, then files that commands write, then what a stored run counts
and replays. What fingerprints cover is in `test_attacks_fingerprint.py`.
"""

import errno
import json
import os
import shutil
import stat
import subprocess
import threading

import pytest
from support.commands import COMMAND

from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment import (
    ablate,
    compare,
    compare_rules,
    load_result,
    simulate,
    solo,
    tournament,
)
from paxsim.experiment.design import fingerprint_of, root_of
from paxsim.experiment.result import TABLES
from paxsim.experiment.store import lock_folder, read_manifest
from paxsim.io import atomic_write

GAMES = 60
PLAIN = ["run", "--policies", "random,first", "--games", "60", "--seed", "9"]


def run(out, **changes):
    """A run of three chunks."""
    asked = {"policies": "random,first", "games": GAMES, "seed": 9, "chunk_games": 20, **changes}
    return simulate(**asked, out=out, jobs=1)


def numbers(result):
    return json.loads(result.to_json())["tables"]


def content(folder):
    """Everything in a folder: bytes of files, targets of links, names of folders."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {os.readlink(path)}"
        else:
            found[name] = path.read_bytes() if path.is_file() else "no file"
    return found


def chunk_files(folder):
    return sorted((folder / "chunks").glob("bundle-*.parquet"))


def refused(capsys, *arguments):
    """What a command says that is refused: one line, and exit code 2."""
    assert run_command([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("paxsim: ")
    return err


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "run"
    run(folder)
    return folder


@pytest.fixture(scope="module")
def expected(finished):
    return numbers(load_result(finished))


@pytest.fixture
def copy(finished, tmp_path):
    """A finished run that a test may spoil."""
    return shutil.copytree(finished, tmp_path / "run")


@pytest.fixture
def no_games(monkeypatch):
    """Nothing can be played: what is refused is refused before."""
    monkeypatch.setattr("paxsim.experiment.run.play_work", None)
    monkeypatch.setattr("paxsim.experiment.run.warm", None)


# --- run directories ------------------------------------------------------------------------

PROJECT = [".env", ".gitignore", "notes.txt", "src/main.py", "manifest.toml"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder that somebody works in, and the current one."""
    folder = tmp_path / "project"
    for name in PROJECT:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"mine: {name}")
    (folder / ".link").symlink_to(".env")
    monkeypatch.chdir(folder)
    return folder


def test_a_run_does_not_begin_in_somebodys_project(project, no_games, capsys):
    before = content(project)
    for _ in range(2):
        assert "holds other files (.env, .gitignore, .link" in refused(capsys, *PLAIN, "--out", ".")
    assert content(project) == before


@pytest.mark.parametrize("name", [".hidden", "Manifest.json", "CHUNKS", "manifest.json.bak", " "])
def test_a_folder_with_any_file_is_not_taken_for_an_empty_one(name, tmp_path, no_games):
    (tmp_path / name).write_text("mine")
    with pytest.raises(PaxsimError, match="holds other files"):
        run(tmp_path)
    assert content(tmp_path) == {name: b"mine"}


COMMANDS = [
    [*PLAIN, "--out", ""],
    [*PLAIN, "--csv", ""],
    ["tournament", "--out", ""],
    ["compare", "random", "first", "--out", " "],
    ["solo", "--csv", ""],
    ["report", "--out", ""],
    ["trace", "--out", ""],
    ["trace", "--run", ""],
    ["show", ""],
    ["show", "nowhere", "--csv", ""],
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_an_empty_name_is_not_the_current_folder(arguments, project, no_games, capsys):
    before = content(project)
    assert "must be a file or folder name" in refused(capsys, *arguments)
    assert content(project) == before


@pytest.mark.parametrize("out", ["", " ", "\0", 7])
def test_python_takes_no_empty_name_either(out, project, no_games, finished):
    before = content(project)
    for ask in (run, load_result, load_result(finished).to_csv, load_result(finished).to_json):
        with pytest.raises(PaxsimError, match="must be a file or folder name"):
            ask(out)
    assert content(project) == before


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".manifest.json.x7k2",
        ".manifest.json.0123456789abcdef.part",
        "chunks/.keep",
        "chunks/.bundle-0000-block-000000000000.parquet.x7k2",
        "chunks/.bundle-0000-block-000000000000.parquet.0123456789abcdef.part",
        "chunks/notes.txt",
        "chunks/bundle.parquet",
    ],
)
def test_files_of_others_in_a_run_survive_and_change_nothing(name, copy, finished, expected):
    """Also where they look like what a run that was killed leaves; it was not this one."""
    (copy / name).write_text("mine")
    (copy / ".link").symlink_to("/nowhere")
    chunk_files(copy)[1].unlink()
    assert numbers(run(copy)) == expected
    after = content(copy)
    assert after.pop(name) == b"mine" and after.pop(".link") == "link to /nowhere"
    assert after == content(finished)


def test_a_run_killed_before_its_manifest_was_there_begins_again(finished, tmp_path):
    fingerprint = root_of(read_manifest(finished)["plan"])
    (tmp_path / "run" / "chunks").mkdir(parents=True)
    (tmp_path / "run" / f".manifest.json.{fingerprint}.part").write_text('{"form')
    run(tmp_path / "run")
    assert content(tmp_path / "run") == content(finished)


def test_an_unfinished_manifest_of_another_run_stays_where_it_is(finished, tmp_path):
    other = tmp_path / "run" / ".manifest.json.0123456789abcdef.part"
    other.parent.mkdir()
    other.write_text("{")
    run(tmp_path / "run")
    assert other.read_text() == "{"
    other.unlink()
    assert content(tmp_path / "run") == content(finished)


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symlink", "hard link"])
def test_what_a_run_has_not_finished_is_not_written_through_a_link(link, copy, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    victim = chunk_files(copy)[0]
    victim.unlink()
    link(precious, victim.parent / f".{victim.name}.{root_of(read_manifest(copy)['plan'])}.part")
    with pytest.raises(PaxsimError, match="was not left by a run"):
        run(copy)
    assert precious.read_text() == "mine"


def test_a_folder_of_chunks_elsewhere_is_refused(copy, tmp_path):
    (copy / "chunks").rename(tmp_path / "elsewhere")
    (copy / "chunks").symlink_to(tmp_path / "elsewhere")
    chunk_files(copy)[0].unlink()
    before = content(tmp_path / "elsewhere")
    with pytest.raises(PaxsimError, match="chunks is not a folder; allowed: one that a run made"):
        run(copy)
    assert content(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("new", [True, False], ids=["new run", "stored run"])
def test_a_file_where_the_chunks_should_be_is_refused(new, copy):
    shutil.rmtree(copy / "chunks")
    (copy / "chunks").write_text("mine")
    if new:
        (copy / "manifest.json").unlink()
    before = content(copy)
    with pytest.raises(PaxsimError, match="chunks"):
        run(copy)
    assert content(copy) == before


def test_chunks_that_were_thrown_away_are_played_again(copy, finished):
    shutil.rmtree(copy / "chunks")
    run(copy)
    assert content(copy) == content(finished)


def as_link(path, target):
    path.symlink_to(target)


def as_fifo(path, _):
    os.mkfifo(path)


def as_folder(path, _):
    path.mkdir()


@pytest.mark.parametrize("become", [as_link, as_fifo, as_folder])
def test_a_chunk_that_is_no_regular_file_is_refused_and_shown_as_left_out(become, copy, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    victim = chunk_files(copy)[1]
    victim.unlink()
    become(victim, precious)
    before = os.lstat(victim)
    with pytest.raises(PaxsimError, match="is not a regular file; allowed: what a run wrote"):
        run(copy)
    assert os.lstat(victim) == before and precious.read_text() == "mine"
    shown = load_result(copy)
    assert shown.games == GAMES - 20 and victim.name in shown.timing["damaged"][0]


def test_a_link_to_a_folder_is_as_good_as_the_folder(tmp_path, finished):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    run(tmp_path / "link")
    run(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and content(tmp_path / "real") == content(finished)


def test_a_link_to_nothing_and_a_file_are_no_folder(tmp_path, no_games, monkeypatch):
    monkeypatch.setattr("paxsim.experiment.run.warm", lambda plan: None)
    (tmp_path / "link").symlink_to("nothing")
    (tmp_path / "file").write_text("mine")
    before = content(tmp_path)
    for name in ("link", "file", "file/below", "link/below/it"):
        with pytest.raises(PaxsimError, match="out: cannot write"):
            run(tmp_path / name)
    assert content(tmp_path) == before


@pytest.mark.parametrize(
    "name", ["-x", "a\nb", "[/b] [my copy]", "'; rm -rf $HOME", "ö ✓", "%s{0}", "x" * 255, "a/../b"]
)
def test_an_odd_name_is_a_name(name, tmp_path, finished, expected):
    run(tmp_path / name)
    assert content(tmp_path / name) == content(finished)
    assert numbers(load_result(tmp_path / name)) == expected


def test_a_name_that_is_too_long_leaves_nothing_behind(tmp_path, capsys):
    out = tmp_path / "new" / ("x" * 300) / "run"
    assert "File name too long" in refused(capsys, *PLAIN, "--out", out)
    assert content(tmp_path) == {}


def test_a_folder_that_may_not_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    def mkdir(path, *_, **__):
        if path.name == "run":
            raise PermissionError(errno.EACCES, "Permission denied")
        os.mkdir(path)

    monkeypatch.setattr("pathlib.Path.mkdir", mkdir)
    with pytest.raises(PaxsimError, match="cannot write .*Permission denied"):
        run(tmp_path / "a" / "b" / "run")
    assert content(tmp_path) == {}


def test_a_disk_that_is_full_at_the_manifest_leaves_nothing_behind(tmp_path, monkeypatch):
    def no_space(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("paxsim.io.os.fsync", no_space)
    with pytest.raises(PaxsimError, match="No space left"):
        run(tmp_path / "a" / "run")
    assert content(tmp_path) == {}


@pytest.mark.parametrize(
    "wrong",
    [["--seed", "-1"], ["--jobs", "0"], ["--policies", "rnadom"], ["--backend", "none"]],
    ids=" ".join,
)
def test_a_refused_run_leaves_neither_folder(wrong, tmp_path, capsys):
    folders = ["--out", tmp_path / "a" / "run", "--csv", tmp_path / "b" / "tables"]
    refused(capsys, *PLAIN, *wrong, *folders)
    assert content(tmp_path) == {}


def test_a_folder_that_is_replaced_while_it_is_locked_is_not_written(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    locked = fcntl.flock

    def replace_it(handle, how):
        shutil.rmtree(tmp_path / "run")
        (tmp_path / "run").mkdir()
        locked(handle, how)

    monkeypatch.setattr(fcntl, "flock", replace_it)
    with pytest.raises(PaxsimError, match="is being written by another run"):
        run(tmp_path / "run")
    assert content(tmp_path / "run") == {}


def test_a_run_that_is_refused_by_the_lock_removes_nothing(tmp_path, monkeypatch):
    """The other one may have made the folder just now, and have nothing in it yet."""
    (tmp_path / "run").mkdir()
    lock = lock_folder(tmp_path / "run")
    try:
        with pytest.raises(PaxsimError, match="is being written by another run"):
            run(tmp_path / "run")
    finally:
        os.close(lock)
    assert (tmp_path / "run").is_dir() and content(tmp_path / "run") == {}


# --- what a stored run counts ---------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "bundle-0000-block-000000000007.parquet",
        "bundle-0-block-0.parquet",
        "bundle-0000-block-0.parquet",
        "bundle-+000-block-000000000000.parquet",
        "bundle-0000-block-000000000000 (copy).parquet",
        "bundle-0000-block-000000000000.parquet.bak",
        "BUNDLE-0000-BLOCK-000000000000.parquet",
        "bundle-0001-block-000000000000.parquet",
    ],
)
def test_a_copied_chunk_is_named_and_counted_once(name, copy, expected):
    shutil.copy(chunk_files(copy)[0], copy / "chunks" / name)
    shown = load_result(copy)
    assert shown.games == GAMES and numbers(shown) == expected
    assert shown.timing["damaged"] == [f"{name}: not a chunk of this run"]
    assert numbers(run(copy)) == expected


@pytest.mark.parametrize("chunk_games", [2, 14, 60])
def test_chunks_of_the_same_run_cut_otherwise_are_not_counted_twice(
    chunk_games, copy, expected, tmp_path
):
    """They have the same plan and the right numbers, and overlap."""
    run(tmp_path / "other", chunk_games=chunk_games)
    own = {path.name for path in chunk_files(copy)}
    for path in chunk_files(tmp_path / "other"):
        if path.name not in own:
            shutil.copy(path, copy / "chunks")
    assert numbers(load_result(copy)) == numbers(run(copy)) == expected
    for path in chunk_files(tmp_path / "other"):
        shutil.copy(path, copy / "chunks")  # now also in the places of others
    assert numbers(run(copy)) == expected  # those in the places of others were played again


def test_a_watched_run_counts_every_chunk_once(tmp_path):
    asked = {"games": 30_000, "precision": 0.011, "chunk_games": 2_000}
    played = run(tmp_path / "run", **asked)
    files = chunk_files(tmp_path / "run")
    assert 12_000 <= played.games < 30_000
    shutil.copy(files[0], files[0].with_name("bundle-0000-block-000000000001.parquet"))
    assert numbers(load_result(tmp_path / "run")) == numbers(played)


def test_chunks_swapped_between_two_runs_are_left_out(copy, tmp_path, expected, finished):
    other = tmp_path / "other"
    run(other, seed=10)
    before = numbers(load_result(other))
    for one, two in zip(chunk_files(copy)[:2], chunk_files(other)[:2], strict=True):
        data = one.read_bytes(), two.read_bytes()
        one.write_bytes(data[1])
        two.write_bytes(data[0])
    for folder in (copy, other):
        shown = load_result(folder)
        assert shown.games == 20
        assert all("a chunk of another run" in name for name in shown.timing["damaged"])
    assert numbers(run(copy)) == expected and numbers(run(other, seed=10)) == before
    assert content(copy) == content(finished)


def test_two_chunks_in_each_others_place_are_left_out(copy, expected):
    one, two = chunk_files(copy)[:2]
    data = one.read_bytes()
    two.replace(one)
    two.write_bytes(data)
    assert load_result(copy).games == 20
    assert numbers(run(copy)) == expected


def test_a_manifest_swapped_between_two_runs_is_noticed(copy, tmp_path):
    run(tmp_path / "other", seed=10)
    shutil.copy(tmp_path / "other" / "manifest.json", copy)
    with pytest.raises(PaxsimError, match="games of 0 of its 1 line-ups"):
        load_result(copy)
    before = content(copy)
    with pytest.raises(PaxsimError, match="seed was 10 and is now 9"):
        run(copy)
    assert content(copy) == before


def question_of_another_kind(manifest):
    manifest["question"]["kind"] = "tournament"


def no_question(manifest):
    del manifest["question"]


def watched(manifest):
    manifest["question"]["precision"] = 0.5


def other_cards(manifest):
    (deck,) = manifest["decks"].values()
    card = next(iter(deck["cards"]))
    deck["cards"][card] += 1


def other_command(manifest):
    manifest["command"] = "rm -rf ~"


def other_chunks(manifest):
    manifest["chunk_games"] = 1


def other_policy(manifest):
    manifest["policies"]["random"] = "first"


def other_plan(manifest):
    manifest["plan"]["blocks"] = [10]


def other_plan_with_its_fingerprint(manifest):
    manifest["plan"]["blocks"] = [10]
    manifest["fingerprint"] = fingerprint_of(manifest["plan"])


def no_digest(manifest):
    del manifest["digest"]


CHANGES = [question_of_another_kind, no_question, watched, other_cards, other_command,
           other_chunks, other_policy, other_plan, other_plan_with_its_fingerprint,
           no_digest]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_manifest_is_refused_everywhere(change, copy, capsys):
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    before = content(copy)
    for command in (["show", copy], ["trace", "--run", copy], [*PLAIN, "--out", copy]):
        assert "manifest.json was changed" in refused(capsys, *command)
    assert content(copy) == before


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"name": "my web page"}']
)
def test_a_manifest_of_something_else_is_refused_and_kept(text, copy, capsys):
    (copy / "manifest.json").write_bytes(text)
    for command in (["show", copy], ["trace", "--run", copy], [*PLAIN, "--out", copy]):
        assert "manifest.json" in refused(capsys, *command)
    assert (copy / "manifest.json").read_bytes() == text


def test_a_manifest_that_is_a_fifo_is_not_waited_for(copy, capsys):
    (copy / "manifest.json").unlink()
    os.mkfifo(copy / "manifest.json")
    assert "Not a regular file" in refused(capsys, "show", copy)


# --- tables ---------------------------------------------------------------------------------


def test_tables_may_go_into_the_folder_of_their_run(tmp_path, finished, expected, capsys):
    command = [*PLAIN, "--chunk-games", "20", "--out", tmp_path / "x", "--csv", tmp_path / "x"]
    kept = []
    for _ in range(2):
        assert run_command([str(word) for word in command]) == 0
        kept.append(content(tmp_path / "x"))
    assert kept[0] == kept[1] and {"seats.csv", "tables.json", "manifest.json"} <= kept[0].keys()
    assert numbers(load_result(tmp_path / "x")) == expected
    below = [*PLAIN, "--out", tmp_path / "y", "--csv", tmp_path / "y" / "tables"]
    for _ in range(2):
        assert run_command([str(word) for word in below]) == 0
    assert (tmp_path / "y" / "tables" / "seats.csv").read_bytes() == kept[0]["seats.csv"]


def test_tables_do_no_harm_to_the_run_of_another_command(copy, finished, expected, capsys):
    other = ["run", "--policies", "first", "--players", "3", "--games", "9", "--csv", copy]
    assert run_command([str(word) for word in other]) == 0
    assert numbers(load_result(copy)) == expected and numbers(run(copy)) == expected
    assert content(finished).items() <= content(copy).items()


def test_a_manifest_of_the_users_is_not_written_over(tmp_path, finished):
    (tmp_path / "manifest.json").write_text("mine")
    load_result(finished).to_csv(tmp_path)
    load_result(finished).to_parquet(tmp_path)
    assert (tmp_path / "manifest.json").read_text() == "mine"
    assert (tmp_path / "seats.csv").exists() and (tmp_path / "seats.parquet").exists()


@pytest.mark.parametrize("name", ["seats.csv", "campaigns.csv", "tables.json"])
def test_a_table_of_the_users_is_refused_before_anything_is_played(
    name, tmp_path, no_games, capsys
):
    (tmp_path / name).write_text("mine")
    said = refused(capsys, *PLAIN, "--csv", tmp_path)
    assert name in said and "is in the way: not written by paxsim" in said
    assert content(tmp_path) == {name: b"mine"}


def test_a_table_of_the_users_among_tables_of_a_run_is_refused(
    tmp_path, finished, no_games, capsys
):
    load_result(finished).to_csv(tmp_path)
    (tmp_path / "campaigns.csv").write_text("mine")
    before = content(tmp_path)
    said = refused(capsys, *PLAIN, "--csv", tmp_path)
    assert "campaigns.csv is in the way: not written by paxsim" in said
    assert content(tmp_path) == before


def test_tables_are_written_over_by_the_same_command_and_by_another_one(tmp_path, capsys):
    folders = tmp_path / "again", tmp_path / "once"
    for seed, folder in (("1", 0), ("2", 0), ("2", 1)):
        command = [*PLAIN[:-1], seed, "--csv", str(folders[folder])]
        assert run_command(command) == 0
    again, once = map(content, folders)
    assert again["seats.csv"] == once["seats.csv"]
    assert json.loads(again["tables.json"])["manifest"]["plan"]["seed"] == 2


def test_a_table_that_the_user_has_edited_is_refused(tmp_path, finished, no_games, capsys):
    load_result(finished).to_csv(tmp_path)
    with open(tmp_path / "seats.csv", "a") as file:
        file.write("my remark\n")
    before = content(tmp_path)
    assert "changed since it was written" in refused(capsys, *PLAIN, "--csv", tmp_path)
    with pytest.raises(PaxsimError, match="changed since it was written"):
        load_result(finished).to_csv(tmp_path)
    assert content(tmp_path) == before


def test_an_index_that_was_changed_proves_nothing(tmp_path, finished):
    load_result(finished).to_csv(tmp_path)
    index = json.loads((tmp_path / "tables.json").read_text())
    index["caption"] = "my remark"
    (tmp_path / "tables.json").write_text(json.dumps(index))
    with pytest.raises(PaxsimError, match=r"tables\.json is in the way"):
        load_result(finished).to_csv(tmp_path)


@pytest.mark.parametrize("become", [as_link, as_fifo, as_folder])
def test_a_table_that_is_no_regular_file_is_refused(become, tmp_path, finished):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    become(tmp_path / "seats.csv", precious)
    with pytest.raises(PaxsimError, match=r"seats\.csv is in the way"):
        load_result(finished).to_csv(tmp_path)
    assert precious.read_text() == "mine" and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("written", [1, 2, 4])
def test_tables_that_were_killed_half_way_are_written_again(
    written, tmp_path, finished, monkeypatch
):
    """The index goes first and knows the old files and the new ones."""
    first, second = load_result(finished), run(None, seed=10)
    first.to_csv(tmp_path / "tables")
    second.to_csv(tmp_path / "whole")
    for result in (second, run(None, seed=11), second):
        left = [written]

        def killed(*names, left=left, replace=os.replace):
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            replace(*names)

        with monkeypatch.context() as patch:
            patch.setattr("paxsim.io.os.replace", killed)
            with pytest.raises(KeyboardInterrupt):
                result.to_csv(tmp_path / "tables")
    second.to_csv(tmp_path / "tables")
    after, whole = content(tmp_path / "tables"), content(tmp_path / "whole")
    assert after.pop("tables.json") and whole.pop("tables.json") and after == whole


def test_every_table_of_every_question_is_looked_for_beforehand():
    """A table that is not in the list would be found in the way only after playing."""
    small = {"games": 24, "jobs": 1}
    results = [
        simulate("random", 2, **small),
        tournament("random,first", 2, **small),
        compare("random", "first", players=2, **small),
        compare_rules("random", ["rome_needs=5"], 2, **small),
        ablate("random", "peek", 2, **small),
        solo("random", [1, 2], **small),
    ]
    analysed = {"habits"}  # of `paxsim.analyse_games`, which is no run
    assert {name for result in results for name in result.tables} | analysed == set(TABLES)


# --- files that commands write --------------------------------------------------------------

TRACE = ["trace", "--policies", "random,first", "--players", "2", "--seed", "4"]


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    path = tmp_path_factory.mktemp("traced") / "game.jsonl"
    assert run_command([*TRACE, "--out", str(path)]) == 0
    return path.read_text()


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path, traced):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real.jsonl").write_text("old")
    (tmp_path / "link").symlink_to("folder/real.jsonl")
    (tmp_path / "link to link").symlink_to("link")
    (tmp_path / "to be").symlink_to("folder/new.jsonl")
    for name in ("link to link", "to be"):
        assert run_command([*TRACE, "--out", str(tmp_path / name)]) == 0
    assert content(tmp_path) == {
        "folder": "no file",
        "folder/real.jsonl": traced.encode(),
        "folder/new.jsonl": traced.encode(),
        "link": "link to folder/real.jsonl",
        "link to link": "link to link",
        "to be": "link to folder/new.jsonl",
    }


def test_a_link_to_itself_is_refused(tmp_path, capsys):
    (tmp_path / "loop").symlink_to("loop")
    assert "Too many levels of symbolic links" in refused(
        capsys, *TRACE, "--out", tmp_path / "loop"
    )
    assert os.readlink(tmp_path / "loop") == "loop"


@pytest.mark.parametrize("linked", [False, True])
def test_a_fifo_is_written_to_and_stays_one(linked, tmp_path, traced):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    if linked:
        (tmp_path / "link").symlink_to("fifo")
    heard = []
    reader = threading.Thread(target=lambda: heard.append(fifo.read_text()))
    reader.start()
    assert run_command([*TRACE, "--out", str(tmp_path / "link" if linked else fifo)]) == 0
    reader.join(10)
    assert heard == [traced] and stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_device_is_written_to_and_stays_one(tmp_path):
    (tmp_path / "nowhere").symlink_to(os.devnull)
    for path in (os.devnull, tmp_path / "nowhere"):
        assert run_command([*TRACE, "--out", str(path)]) == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode) and (tmp_path / "nowhere").is_symlink()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_what_was_sent_to_the_same_file_before_stays_there(name, tmp_path, traced):
    if not os.path.exists(name):
        pytest.skip(f"{name} is not there")
    target = tmp_path / "all.jsonl"
    target.write_text("before\n")
    with open(target, "a") as file:
        subprocess.run([*COMMAND, *TRACE, "--out", name], stdout=file, check=True, cwd=tmp_path)
    assert target.read_text() == "before\n" + traced


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(mode)
    with atomic_write(path) as file:
        file.write("new")
    assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    path = tmp_path / "mine"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(PaxsimError, match="Permission denied"), atomic_write(path) as file:
        file.write("new")
    assert path.read_text() == "old"


def test_the_longest_name_that_a_file_can_have_is_allowed(tmp_path, traced):
    path = tmp_path / ("x" * 255)
    assert run_command([*TRACE, "--out", str(path)]) == 0
    assert path.read_text() == traced and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "wrong", [["--seed", "-1"], ["--games", "-3"], ["--rotation", "2"], ["--deck", "none"]]
)
def test_a_refused_trace_leaves_the_old_file(wrong, tmp_path, capsys):
    (tmp_path / "game.jsonl").write_text("old")
    refused(capsys, *TRACE, *wrong, "--out", tmp_path / "game.jsonl")
    refused(capsys, *TRACE, *wrong, "--out", tmp_path / "new.jsonl")
    assert content(tmp_path) == {"game.jsonl": b"old"}


@pytest.mark.parametrize("wrong", [["--seed", "-1"], ["--jobs", "0"], ["--scale", "0"]])
def test_a_refused_report_leaves_no_folder(wrong, tmp_path, capsys):
    refused(capsys, "report", *wrong, "--out", tmp_path / "a" / "report")
    assert content(tmp_path) == {}


# --- replaying games of a run ---------------------------------------------------------------


def replayed(capsys, folder, *arguments):
    assert run_command(["trace", "--run", str(folder), *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "option",
    [
        ("--seed", "10", "9"),
        ("--policies", "first,random", "random,first"),
        ("--policies", "random", "random,first"),
        ("--deck", "cheap", "assumed"),
        ("--players", "3", "2"),
        ("--rules", "rome_needs=5", "published"),
        ("--deal", "4", "3"),
        ("--rotation", "0", "1"),
        ("--solo-level", "1", "None"),
    ],
)
def test_an_option_that_contradicts_the_run_is_refused_by_name(option, finished, capsys):
    name, wrong, right = option
    said = refused(capsys, "trace", "--run", finished, "--game", "7", name, wrong)
    assert said.startswith(f"paxsim: {name[2:]}: found {wrong} with game 7 of a run")
    assert f"allowed: {right}, as in the run" in said


def test_options_that_say_what_the_run_says_are_fine(finished, capsys):
    plain = replayed(capsys, finished, "--game", 7)
    same = ["--seed", 9, "--policies", "random,first", "--deck", "assumed", "--players", 2,
            "--rules", "published", "--deal", 3, "--rotation", 1]  # fmt: skip
    assert replayed(capsys, finished, "--game", 7, *same) == plain


def test_the_default_of_an_option_contradicts_nothing_unless_it_is_typed(finished, capsys):
    replayed(capsys, finished, "--game", 7)
    refused(capsys, "trace", "--run", finished, "--game", "7", "--seed", "0")


def test_several_games_of_a_run_are_those_with_the_next_numbers(finished, capsys):
    one_by_one = [line for game in (7, 8, 9) for line in replayed(capsys, finished, "--game", game)]
    assert replayed(capsys, finished, "--game", 7, "--games", 3) == one_by_one
    setups = [json.loads(line)["game"] for line in one_by_one if '"setup"' in line]
    assert setups == [
        {"deal": 3, "rotation": 1},
        {"deal": 4, "rotation": 0},
        {"deal": 4, "rotation": 1},
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "-3"], "games: found '-3'; allowed: a positive whole number"),
        (["--games", "0"], "games: found '0'"),
        (["--game", "58", "--games", "3"], "games must be between 1 and 2, got 3"),
        (["--game", "60"], "game: found 60"),
        (["--game", "-1"], "game: found -1"),
    ],
)
def test_games_that_the_run_does_not_have_are_refused(arguments, words, finished, capsys):
    assert words in refused(capsys, "trace", "--run", finished, *arguments)
