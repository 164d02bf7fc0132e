"""Run directories: killed, damaged, foreign, full or read-only, a run loses nothing."""

import errno
import json
import os
import random
import shutil
import signal
import time

import numpy as np
import pytest
from support.commands import paxsim, start

from paxsim.errors import PaxsimError
from paxsim.experiment import load_result, simulate
from paxsim.experiment.design import root_of
from paxsim.experiment.store import lock_folder, read_manifest

GAMES = 600


def run(out, **changes):
    """A run of six chunks."""
    asked = {"policies": "random,first", "games": GAMES, "seed": 9, "chunk_games": 100, **changes}
    notices = []
    return simulate(**asked, out=out, jobs=1, notices=notices), notices


def content(folder):
    """Every file of a folder, hidden ones included, with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def chunk_files(folder):
    return sorted((folder / "chunks").glob("bundle-*.parquet"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "run"
    run(folder)
    return folder


@pytest.fixture
def copy(finished, tmp_path):
    """A finished run that a test may spoil."""
    return shutil.copytree(finished, tmp_path / "run")


@pytest.mark.whole
def test_a_run_killed_again_and_again_ends_with_the_bytes_of_one_that_was_not(tmp_path):
    command = ["run", "--policies", "random,first", "--games", "8000", "--seed", "4",
               "--chunk-games", "100", "--jobs", "2"]  # fmt: skip
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    expected = paxsim(*command, "--out", whole, "--json")
    assert expected.returncode == 0, expected.stderr
    dice = random.Random(20_26)
    done = 0
    for _ in range(3):
        process = start(*command, "--out", killed)
        target = done + dice.randint(1, 20)
        while len(chunk_files(killed)) < target and process.poll() is None:
            time.sleep(0.001)
        time.sleep(dice.random() * 0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.returncode == -signal.SIGKILL, "the run was over before it was killed"
        done = len(chunk_files(killed))
    assert 0 < done < 80
    last = paxsim(*command, "--out", killed, "--json")
    assert content(killed) == content(whole)
    found, wanted = json.loads(last.stdout), json.loads(expected.stdout)
    assert found["tables"] == wanted["tables"] and found["manifest"] == wanted["manifest"]


def test_a_finished_run_is_not_played_again(copy, monkeypatch):
    monkeypatch.setattr("paxsim.experiment.run.play_work", None)
    result, notices = run(copy)
    assert result.games == GAMES and notices == []


def truncate(path):
    path.write_bytes(path.read_bytes()[:-40])


def empty(path):
    path.write_bytes(b"")


def flip_a_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0x10
    path.write_bytes(bytes(data))


def take_a_neighbours_place(path):
    shutil.copy(chunk_files(path.parent.parent)[-1], path)


def become_something_else(path):
    path.write_text("hello")


SPOILERS = [truncate, empty, flip_a_bit, take_a_neighbours_place, become_something_else]


@pytest.mark.parametrize("spoil", SPOILERS)
def test_a_damaged_chunk_is_named_and_played_again(spoil, copy, finished):
    victim = chunk_files(copy)[2]
    spoil(victim)
    result, notices = run(copy)
    assert len(notices) == 1 and victim.name in notices[0]
    assert result.timing["damaged"] and victim.name in result.timing["damaged"][0]
    assert content(copy) == content(finished)


def test_every_flipped_bit_that_changes_a_number_is_noticed(copy, finished):
    """Any byte may go bad: the numbers are right afterwards, or the file was played again."""
    expected = load_result(finished).to_json()
    victim = chunk_files(copy)[0]
    good = victim.read_bytes()
    for place in np.random.default_rng(1).integers(0, len(good), 25):
        bad = bytearray(good)
        bad[place] ^= 1 << (place % 8)
        victim.write_bytes(bytes(bad))
        result, _ = run(copy)
        found = json.loads(result.to_json())
        assert found["tables"] == json.loads(expected)["tables"], place


def test_a_chunk_of_another_run_is_named_and_played_again(copy, finished, tmp_path):
    other = tmp_path / "other"
    run(other, seed=10)
    shutil.copy(chunk_files(other)[1], chunk_files(copy)[1])
    shown = load_result(copy)
    assert shown.games == GAMES - 100
    assert "another run" in shown.timing["damaged"][0]
    _, notices = run(copy)
    assert chunk_files(copy)[1].name in notices[0]
    assert content(copy) == content(finished)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 10}, "seed was 9 and is now 10"),
        ({"policies": "first,random"}, "policies was random,first and is now first,random"),
        ({"deck": "cheap"}, "deck was assumed and is now cheap"),
        ({"rules": "rome_needs=5"}, "rules was as published and is now rome_needs=5"),
        ({"policies": "random", "players": [2, 3]}, "the number of line-ups was 1 and is now 2"),
        ({"precision": 0.2}, "precision was not given and is now 0.2"),
    ],
)
def test_another_run_into_the_same_folder_is_refused_in_words(finished, change, words):
    before = content(finished)
    with pytest.raises(PaxsimError, match="holds another run") as caught:
        run(finished, **change)
    assert words in str(caught.value)
    assert content(finished) == before


def test_a_changed_policy_file_is_another_run(tmp_path):
    file = tmp_path / "mine.py"
    text = "import paxsim\n\n@paxsim.policy\ndef plain(table, me, choice):\n    return {}\n"
    file.write_text(text.format("0"))
    run(tmp_path / "run", policies=f"{file}:plain,random")
    file.write_text(text.format("choice.count - 1"))
    with pytest.raises(PaxsimError, match="the source of policy plain has changed"):
        run(tmp_path / "run", policies=f"{file}:plain,random")


def test_a_run_goes_on_with_the_chunks_it_began_with(copy, finished):
    chunk_files(copy)[3].unlink()
    run(copy, chunk_games=37)
    assert content(copy) == content(finished)


def test_what_a_killed_run_left_half_written_is_finished(copy, finished):
    chunk_files(copy)[0].unlink()
    own = f".bundle-0000-block-000000000000.parquet.{root_of(read_manifest(copy)['plan'])}.part"
    (copy / "chunks" / own).write_bytes(b"half")
    run(copy)
    assert content(copy) == content(finished)


def test_two_runs_can_not_write_to_one_folder(copy):
    lock = lock_folder(copy)
    try:
        with pytest.raises(PaxsimError, match="another run"):
            run(copy)
    finally:
        os.close(lock)
    run(copy)


def test_a_changed_manifest_is_noticed(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["plan"]["seed"] = 77
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(PaxsimError, match="was changed"):
        read_manifest(copy)
    (copy / "manifest.json").write_text("{")
    with pytest.raises(PaxsimError, match="damaged"):
        load_result(copy)


def test_a_full_disk_is_said_in_one_line_and_what_was_done_stays(copy, finished, monkeypatch):
    for path in chunk_files(copy)[3:]:
        path.unlink()
    before = content(copy)

    def no_space(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("paxsim.io.os.fsync", no_space)
        with pytest.raises(PaxsimError, match="cannot write .*No space left"):
            run(copy)
    assert content(copy) == before
    run(copy)
    assert content(copy) == content(finished)


def test_a_folder_that_can_not_be_made_is_said_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr("paxsim.experiment.run.play_work", None)
    (tmp_path / "file").write_text("")
    with pytest.raises(PaxsimError, match="cannot write"):
        run(tmp_path / "file" / "run")


def test_a_folder_with_chunks_of_unknown_origin_is_refused(copy):
    (copy / "manifest.json").unlink()
    with pytest.raises(PaxsimError, match=r"no manifest\.json"):
        run(copy)


def test_a_policy_that_can_not_be_compiled_leaves_no_folder_behind(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text(
        "import paxsim\n\n@paxsim.policy\ndef broken(table, me, choice):\n    return 'a'\n"
    )
    with pytest.raises(PaxsimError, match="broken"):
        run(tmp_path / "run", policies=f"{file}:broken,random")
    assert not (tmp_path / "run").exists()


def test_the_manifest_says_what_was_played_and_where(finished):
    manifest = read_manifest(finished)
    match = manifest["plan"]["bundles"][0][0]
    for key in ("deck_fingerprint", "rules_fingerprint", "policy_fingerprints"):
        assert match[key]
    assert manifest["plan"]["seed"] == 9 and manifest["plan"]["version"]
    assert {"python", "numpy", "numba"} <= manifest["machine"].keys()
    assert sum(manifest["decks"][match["deck_fingerprint"]]["cards"].values()) > 0


def test_show_gives_the_tables_of_the_run_without_playing(finished, monkeypatch):
    result, _ = run(finished)
    monkeypatch.setattr("paxsim.experiment.run.play_work", None)
    shown = load_result(finished)
    assert json.loads(shown.to_json())["tables"] == json.loads(result.to_json())["tables"]
    with pytest.raises(PaxsimError, match="cannot read"):
        load_result(finished / "nowhere")
