"""Run directories: resumed, extended, damaged or foreign, a run mixes nothing and loses nothing."""

import errno
import json
import os
import random
import shutil
import signal
import time

import numpy as np
import pytest
from support.commands import mistake, start
from support.commands import paxsim as command

import paxsim
from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment import compare, load_result, simulate, solo, tournament
from paxsim.experiment.design import Plan
from paxsim.experiment.result import incomplete
from paxsim.experiment.store import FORMAT, RunStore, lock_folder, read_manifest

GAMES = 60
PLAIN = ["run", "--policies", "random,first", "--games", "60", "--seed", "9"]
RECEIVED = """
import pathlib, paxsim
pathlib.Path({mark!r}).touch()

@paxsim.policy
def mine(table, me, choice):
    return {choice}
"""


def run(out, **changes):
    """Play a run of three chunks."""
    arguments = {"policies": "random,first", "games": GAMES, "seed": 9, "chunk_games": 20}
    return simulate(**{**arguments, **changes}, out=out, jobs=1)


def tables(result):
    return json.loads(result.to_json())["tables"]


def content(folder):
    """Return everything in a folder: bytes of files, targets of links, names of folders."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            files[name] = f"link to {os.readlink(path)}"
        else:
            files[name] = path.read_bytes() if path.is_file() else "no file"
    return files


def chunk_files(folder):
    return sorted((folder / "chunks").glob("bundle-*.parquet"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "run"
    run(folder)
    return folder


@pytest.fixture(scope="module")
def expected(finished):
    return tables(load_result(finished))


@pytest.fixture
def copy(finished, tmp_path):
    """A finished run that a test may damage."""
    return shutil.copytree(finished, tmp_path / "run")


@pytest.fixture
def no_games(monkeypatch):
    """Nothing can be played: what is refused is refused before."""
    monkeypatch.setattr("paxsim.experiment.run.play_work", None)
    monkeypatch.setattr("paxsim.experiment.run.warm", None)


@pytest.fixture
def played(monkeypatch):
    """The games of all chunks that are played."""
    games = []
    work = Plan.work

    def counted(plan, chunk):
        games.append(chunk.blocks * plan.block_games(chunk.bundle))
        return work(plan, chunk)

    monkeypatch.setattr(Plan, "work", counted)
    return games


# --- resumed and extended -------------------------------------------------------------------

QUESTIONS = {
    "simulate": lambda games, **run: simulate("random,first,random", 3, games, 9, **run),
    "several player counts": lambda games, **run: simulate("first", [2, 3], games, 9, **run),
    "tournament": lambda games, **run: tournament("random,first,miser", [2, 3], games, 4, **run),
    "compare": lambda games, **run: compare("builder", "miser", "first", 3, games, 2, **run),
    "solo": lambda games, **run: solo("random,first", [1, 2], games, 5, **run),
}


def test_a_finished_run_is_not_played_again(copy, no_games):
    result = run(copy)
    assert result.games == GAMES and result.notices == [] and result.timing["played_games"] == 0


@pytest.mark.parametrize("kind", QUESTIONS)
def test_an_extended_run_plays_what_is_missing_and_equals_a_long_one(kind, tmp_path, played):
    ask, out = QUESTIONS[kind], tmp_path / "run"
    first = ask(310, jobs=1, chunk_games=70, out=out)
    before = content(out)
    played.clear()
    extended = ask(1000, jobs=1, chunk_games=50, out=out)
    assert sum(played) == extended.games - first.games == extended.timing["played_games"] > 0
    assert "310" in extended.notices[0] or "planned" in extended.notices[0]
    after = content(out)
    assert all(after[name] == before[name] for name in before if name != "manifest.json")
    whole = tables(ask(1000, jobs=1))
    assert tables(extended) == whole == tables(load_result(out))
    assert load_result(out).timing["damaged"] == []


def test_missing_chunks_are_played_again_in_any_cut(tmp_path):
    ask, out = QUESTIONS["tournament"], tmp_path / "run"
    ask(300, out=out, jobs=1, chunk_games=50)
    for games in (420, 1000):
        for chunk in chunk_files(out)[::3]:
            chunk.unlink()
        extended = ask(games, out=out, jobs=1, chunk_games=11)
    assert tables(extended) == tables(ask(1000, jobs=1)) == tables(load_result(out))


@pytest.mark.whole
def test_a_killed_run_is_resumed_and_ends_with_the_same_tables(tmp_path):
    words = ["run", "--policies", "random,first", "--seed", "4", "--chunk-games", "100",
             "--jobs", "2"]  # fmt: skip
    out, dice = tmp_path / "killed", random.Random(20_26)
    done = 0
    for _ in range(3):
        process = start(*words, "--games", "8000", "--out", out)
        target = done + dice.randint(1, 20)
        while len(chunk_files(out)) < target and process.poll() is None:
            time.sleep(0.001)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.returncode == -signal.SIGKILL, "the run was over before it was killed"
        done = len(chunk_files(out))
    assert "of 8,000 games so far" in incomplete(load_result(out))
    last, whole = (
        json.loads(command(*words, "--games", "8000", *more, "--json").stdout)
        for more in (["--out", out], [])
    )
    assert last["tables"] == whole["tables"] and last["manifest"] == whole["manifest"]


def test_a_run_killed_before_its_new_manifest_is_written_stays_as_it_was(copy, monkeypatch):
    before = content(copy)
    with monkeypatch.context() as patch:
        patch.setattr("paxsim.io.os.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(copy, games=1000)
    assert {k: v for k, v in content(copy).items() if not k.startswith(".")} == before
    assert run(copy).games == GAMES


def test_unfinished_files_of_a_killed_run_are_removed(copy):
    chunk = chunk_files(copy)[0]
    unfinished = [copy / ".manifest.json.7.part", chunk.with_name(f".{chunk.name}.12.part")]
    others = [copy / ".notes.part", chunk.with_name(".bundle-mine.7.part")]
    for path in unfinished + others:
        path.touch()
    run(copy)
    assert [path.exists() for path in unfinished + others] == [False, False, True, True]


def test_fewer_games_than_the_run_has_are_refused(copy):
    before = content(copy)
    with pytest.raises(PaxsimError, match="games must be at least .* 60, got 40"):
        run(copy, games=40)
    assert content(copy) == before


def test_a_run_that_reached_its_precision_has_nothing_to_add(tmp_path, played):
    arguments = {"policies": "random,first", "seed": 1, "precision": 0.02, "jobs": 1}
    first = simulate(**arguments, games=40_000, out=tmp_path / "run")
    assert first.games < 40_000 and incomplete(load_result(tmp_path / "run")) == ""
    played.clear()
    again = simulate(**arguments, games=80_000, out=tmp_path / "run")
    assert played == [] and tables(again) == tables(first)


def test_an_undecided_comparison_is_resumed_with_the_looks_of_a_long_one(tmp_path, played):
    arguments = {"a": "first", "b": "racer", "opponents": "first", "players": 2, "seed": 1,
                 "jobs": 1, "sequential": True, "delta": -0.006}  # fmt: skip
    stored = {"out": tmp_path / "run", "chunk_games": 900}
    first, second = (compare(**arguments, games=n, **stored).games for n in (14_000, 20_000))
    assert 14_000 == first < second == sum(played) < 20_000
    whole = compare(**arguments, games=20_000)
    assert whole.games == second
    assert tables(load_result(tmp_path / "run")) == tables(whole)


# --- another run ----------------------------------------------------------------------------

CHANGES = [
    ({"seed": 10}, "seed was 9 and is now 10"),
    ({"policies": "first,random"}, "policies was random,first and is now first,random"),
    ({"deck": "cheap"}, "deck was assumed and is now cheap"),
    ({"rules": "rome_needs=5"}, "rome_needs was not given and is now 5"),
    ({"policies": "random", "players": [2, 3]}, "number of bundles was 1 and is now 2"),
    ({"precision": 0.2}, "precision was not given and is now 0.2"),
]


@pytest.mark.parametrize("games", [GAMES, 1000])
@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_another_run_in_the_same_folder_is_refused(finished, change, words, games):
    before = content(finished)
    with pytest.raises(PaxsimError, match="holds another run") as error:
        run(finished, games=games, **change)
    assert words in str(error.value) and "\n" not in str(error.value)
    assert content(finished) == before


def test_a_changed_policy_file_is_another_run(tmp_path):
    file = tmp_path / "mine.py"
    for choice in ("0", "choice.count - 1"):
        file.write_text(RECEIVED.format(mark=str(tmp_path / "mark"), choice=choice))
        if choice == "0":
            run(tmp_path / "run", policies=f"{file}:mine,random")
    with pytest.raises(PaxsimError, match="the code of a policy has changed"):
        run(tmp_path / "run", policies=f"{file}:mine,random")


def test_a_chunk_of_another_run_is_reported_and_played_again(copy, finished, tmp_path):
    run(tmp_path / "other", seed=10)
    shutil.copy(chunk_files(tmp_path / "other")[1], chunk_files(copy)[1])
    shown = load_result(copy)
    assert shown.games == GAMES - 20 and "another run" in shown.timing["damaged"][0]
    assert chunk_files(copy)[1].name in run(copy).notices[0]
    assert content(copy) == content(finished)


@pytest.mark.parametrize("chunk_games", [2, 14, 60])
def test_overlapping_chunks_of_the_same_run_count_once(chunk_games, copy, expected, tmp_path):
    run(tmp_path / "other", chunk_games=chunk_games)
    for path in chunk_files(tmp_path / "other"):
        if not (copy / "chunks" / path.name).exists():
            shutil.copy(path, copy / "chunks")
    assert tables(run(copy)) == expected == tables(load_result(copy))


@pytest.mark.parametrize(
    "name",
    [
        "bundle-0-blocks-0-10.parquet",
        "bundle-0000-blocks-000000000000-000000000010 (copy).parquet",
        "bundle-0000-blocks-000000000000-000000000010.parquet.bak",
        "bundle-0001-blocks-000000000000-000000000010.parquet",
        "bundle-0000-blocks-000000000000-000000000090.parquet",
    ],
)
def test_a_copied_chunk_is_reported_and_counted_once(name, copy, expected):
    shutil.copy(chunk_files(copy)[0], copy / "chunks" / name)
    shown = load_result(copy)
    assert shown.games == GAMES and tables(shown) == expected
    assert shown.timing["damaged"] == [f"{name}: not a chunk of this run"]
    assert tables(run(copy)) == expected


def test_only_one_run_at_a_time_writes_to_a_folder(copy):
    lock = lock_folder(copy)
    try:
        with pytest.raises(PaxsimError, match="another run is writing"):
            run(copy)
    finally:
        os.close(lock)
    run(copy)


def test_a_folder_that_is_replaced_while_it_is_locked_is_not_written(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    lock = fcntl.flock

    def replace_it(handle, how):
        shutil.rmtree(tmp_path / "run")
        (tmp_path / "run").mkdir()
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", replace_it)
    with pytest.raises(PaxsimError, match="another run is writing"):
        run(tmp_path / "run")
    assert content(tmp_path) in ({}, {"run": "no file"})


# --- damage ---------------------------------------------------------------------------------


def truncate(path):
    path.write_bytes(path.read_bytes()[:-40])


def empty(path):
    path.write_bytes(b"")


def replace_by_another_chunk(path):
    shutil.copy(chunk_files(path.parent.parent)[-1], path)


def replace_by_a_text(path):
    path.write_text("hello")


DAMAGES = [truncate, empty, replace_by_another_chunk, replace_by_a_text]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_chunk_is_reported_and_played_again(damage, copy, finished):
    victim = chunk_files(copy)[1]
    damage(victim)
    assert load_result(copy).games == GAMES - 20
    result = run(copy)
    assert len(result.notices) == 1 and victim.name in result.notices[0]
    assert victim.name in result.timing["damaged"][0]
    assert content(copy) == content(finished)


def test_a_flipped_bit_never_changes_a_number(copy, expected):
    victim = chunk_files(copy)[0]
    good = victim.read_bytes()
    for place in np.random.default_rng(1).integers(0, len(good), 25):
        bad = bytearray(good)
        bad[place] ^= 1 << (place % 8)
        victim.write_bytes(bytes(bad))
        assert tables(run(copy)) == expected, place


def test_a_lost_folder_of_chunks_is_played_again(copy, finished):
    shutil.rmtree(copy / "chunks")
    run(copy)
    assert content(copy) == content(finished)


def test_a_full_disk_is_reported_and_finished_chunks_stay(copy, finished, monkeypatch):
    for path in chunk_files(copy)[1:]:
        path.unlink()
    before = content(copy)
    with monkeypatch.context() as patch:
        patch.setattr("paxsim.io.os.fsync", no_space)
        with pytest.raises(PaxsimError, match="write .*No space left"):
            run(copy)
    assert content(copy) == before
    run(copy)
    assert content(copy) == content(finished)


def no_space(handle):
    raise OSError(errno.ENOSPC, "No space left on device")


# --- nothing of the user's is overwritten ---------------------------------------------------


@pytest.mark.parametrize("name", ["notes.txt", "Manifest.json", "CHUNKS", "manifest.json.bak", " "])
def test_a_new_run_needs_an_empty_folder(name, tmp_path, no_games):
    (tmp_path / name).write_text("mine")
    with pytest.raises(PaxsimError, match="must be a new or empty folder"):
        run(tmp_path)
    assert content(tmp_path) == {name: b"mine"}


def test_chunks_without_a_manifest_are_refused(copy):
    (copy / "manifest.json").unlink()
    with pytest.raises(PaxsimError, match="must be a new or empty folder"):
        run(copy)


@pytest.mark.parametrize("name", [".env", "notes.txt", "chunks/.keep", "chunks/notes.txt"])
def test_other_files_in_a_run_survive_and_change_nothing(name, copy, finished, expected):
    (copy / name).write_text("mine")
    chunk_files(copy)[1].unlink()
    assert tables(run(copy)) == expected
    after = content(copy)
    assert after.pop(name) == b"mine" and after == content(finished)


@pytest.mark.parametrize("place", ["manifest.json", "chunks", "chunk"])
def test_a_run_does_not_write_through_links(place, copy, tmp_path):
    path = chunk_files(copy)[1] if place == "chunk" else copy / place
    path.rename(tmp_path / "elsewhere")
    if place == "chunk":
        (tmp_path / "elsewhere").write_text("mine")
    elif place == "chunks":
        shutil.rmtree(tmp_path / "elsewhere")
        (tmp_path / "elsewhere").mkdir()
    before = content(tmp_path / "elsewhere") or (tmp_path / "elsewhere").stat().st_size
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PaxsimError, match="is a link"):
        run(copy, games=80)
    assert before == (content(tmp_path / "elsewhere") or (tmp_path / "elsewhere").stat().st_size)


@pytest.mark.parametrize("name", ["link", "file", "file/below", "link/below/it", "x" * 300])
def test_a_folder_that_cannot_be_made_is_reported_before_games_are_played(name, tmp_path, no_games):
    (tmp_path / "link").symlink_to("nothing")
    (tmp_path / "file").write_text("mine")
    before = content(tmp_path)
    with pytest.raises(PaxsimError, match="out: can"):
        run(tmp_path / name)
    assert content(tmp_path) == before


@pytest.mark.parametrize("name", ["-x", "a\nb", "'; rm -rf $HOME", "ö ✓", "%s{0}", "a/../b"])
def test_an_odd_name_is_a_name(name, tmp_path, finished, expected):
    run(tmp_path / name)
    assert content(tmp_path / name) == content(finished)
    assert tables(load_result(tmp_path / name)) == expected


@pytest.mark.parametrize(
    "wrong",
    [["--seed", "-1"], ["--jobs", "0"], ["--policies", "rnadom"], ["--backend", "none"]],
    ids=" ".join,
)
def test_a_refused_command_leaves_no_folder(wrong, tmp_path, capsys):
    folders = ["--out", tmp_path / "a" / "run", "--csv", tmp_path / "b" / "tables"]
    mistake(capsys, *PLAIN, *wrong, *folders)
    assert content(tmp_path) == {}


def test_a_run_that_fails_before_its_first_chunk_leaves_nothing_behind(tmp_path, monkeypatch):
    file = tmp_path / "broken.py"
    file.write_text(
        "import paxsim\n\n@paxsim.policy\ndef broken(table, me, choice):\n    return 'a'\n"
    )
    with pytest.raises(PaxsimError, match="broken"):
        run(tmp_path / "a" / "run", policies=f"{file}:broken,random")
    assert not (tmp_path / "a").exists()
    monkeypatch.setattr("paxsim.io.os.fsync", no_space)
    with pytest.raises(PaxsimError, match="No space left"):
        run(tmp_path / "a" / "run")
    assert not (tmp_path / "a").exists()


# --- manifests and runs that somebody else made ---------------------------------------------


def test_the_manifest_says_what_was_played_and_where(finished):
    manifest = read_manifest(finished)
    match = manifest["plan"]["bundles"][0][0]
    for key in ("deck_fingerprint", "rules_fingerprint", "policy_fingerprints"):
        assert match[key]
    assert manifest["plan"]["seed"] == 9 and manifest["plan"]["version"]
    assert {"python", "numpy", "numba"} <= manifest["machine"].keys()
    assert sum(manifest["decks"][match["deck_fingerprint"]]["cards"].values()) > 0


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b"1" * 5000, b'{"name": "my web page"}'],
)
def test_a_file_that_is_no_manifest_is_refused_and_kept(text, copy, capsys):
    (copy / "manifest.json").write_bytes(text)
    for words in (["show", copy], ["trace", "--run", copy], [*PLAIN, "--out", copy]):
        assert "manifest.json" in mistake(capsys, *words)
    assert (copy / "manifest.json").read_bytes() == text


def test_an_old_format_is_refused_with_its_version(copy, capsys):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["format"], manifest["plan"]["version"] = FORMAT - 1, "0.0.7"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert f"format {FORMAT - 1} of paxsim 0.0.7" in mistake(capsys, "show", copy)


def test_a_changed_manifest_is_refused_everywhere(copy, capsys):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["command"] = "rm -rf ~"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    before = content(copy)
    for words in (["show", copy], ["trace", "--run", copy], [*PLAIN, "--out", copy]):
        assert "was changed" in mistake(capsys, *words)
    assert content(copy) == before


def test_a_received_run_runs_no_code_without_consent(tmp_path, capsys):
    file, mark = tmp_path / "mine.py", tmp_path / "mark"
    file.write_text(RECEIVED.format(mark=str(mark), choice="0"))
    words = ["run", "--policies", f"{file}:mine,random", "--games", "8", "--out", tmp_path / "run"]
    done = command(*words)
    assert done.returncode == 0, done.stderr
    mark.unlink()
    assert command("show", tmp_path / "run").returncode == 0
    run, page = tmp_path / "run", ["--out", tmp_path / "game.html"]
    for words in (["trace", "--run", run], ["replay", run, *page], ["analyse", run, *page],
                  ["analyse", run, "--games", 2]):  # fmt: skip
        message = mistake(capsys, *words)
        assert str(file) in message and "--trust-policies" in message
    assert not mark.exists()
    trusted = command("trace", "--run", tmp_path / "run", "--trust-policies")
    assert trusted.returncode == 0 and mark.exists()


def test_a_shown_run_has_the_tables_of_the_run(finished, expected, no_games):
    assert tables(run(finished)) == expected
    with pytest.raises(PaxsimError, match="can't read"):
        load_result(finished / "nowhere")


def test_a_store_keeps_its_lock_until_it_is_closed(finished):
    with (
        RunStore(finished, read_manifest(finished)),
        pytest.raises(PaxsimError, match="is writing"),
    ):
        run(finished)
    run(finished)


# --- games of a run -------------------------------------------------------------------------


def traced(capsys, folder, *arguments):
    assert run_command(["trace", "--run", str(folder), *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


def test_several_games_of_a_run_have_consecutive_numbers(finished, capsys):
    one_by_one = [line for game in (7, 8, 9) for line in traced(capsys, finished, "--game", game)]
    assert traced(capsys, finished, "--game", 7, "--games", 3) == one_by_one
    setups = [json.loads(line)["game"] for line in one_by_one if '"setup"' in line]
    assert setups == [
        {"deal": 3, "rotation": 1},
        {"deal": 4, "rotation": 0},
        {"deal": 4, "rotation": 1},
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "0"], "games"),
        (["--game", "58", "--games", "3"], "games must be between 1 and 2, got 3"),
        (["--game", "60"], "game must be between 0 and 59, got 60"),
        (["--game", "-1"], "game must be"),
        (["--game", "7", "--seed", "10"], "seed"),
    ],
)
def test_games_that_the_run_does_not_have_are_refused(arguments, words, finished, capsys):
    assert words in mistake(capsys, "trace", "--run", finished, *arguments)


def test_chunks_of_slow_policies_are_small(tmp_path, monkeypatch):
    @paxsim.policy(compiled=False)
    def slow(table, me, choice):
        return 0

    monkeypatch.setattr("paxsim.experiment.run.CHUNK_SECONDS", 0.0)
    paxsim.simulate([slow, "first"], games=8, out=tmp_path / "run")
    assert len(list(tmp_path.glob("run/chunks/*"))) == 4  # one for each block
