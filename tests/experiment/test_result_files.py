"""Folders of tables: written again, and never over files of the user."""

import json
import os

import pytest
from support.commands import mistake

import paxsim
from paxsim.cli import run_command
from paxsim.experiment.result import TABLES

PLAIN = ["run", "--policies", "random,first", "--games", "60", "--seed", "9"]


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def result():
    return paxsim.simulate("random,first", games=60, seed=9, jobs=1)


@pytest.fixture
def no_games(monkeypatch):
    """Nothing can be played: what is refused is refused before."""
    monkeypatch.setattr("paxsim.experiment.run.play_work", None)
    monkeypatch.setattr("paxsim.experiment.run.warm", None)


def test_tables_may_go_into_the_folder_of_their_run(tmp_path):
    words = [*PLAIN, "--out", str(tmp_path), "--csv", str(tmp_path)]
    contents = []
    for _ in range(2):
        assert run_command(words) == 0
        contents.append(content(tmp_path))
    assert contents[0] == contents[1]
    assert {"seats.csv", "tables.json", "manifest.json"} <= contents[0].keys()


def test_tables_replace_those_of_another_command(tmp_path):
    again, once = tmp_path / "again", tmp_path / "once"
    for seed, folder in (("1", again), ("2", again), ("2", once)):
        assert run_command([*PLAIN[:-1], seed, "--csv", str(folder)]) == 0
    assert content(again)["seats.csv"] == content(once)["seats.csv"]
    assert json.loads(content(again)["tables.json"])["manifest"]["plan"]["seed"] == 2


def test_csv_and_parquet_share_a_folder_with_other_files(tmp_path, result):
    (tmp_path / "manifest.json").write_text("mine")
    for _ in range(2):
        result.to_csv(tmp_path)
        result.to_parquet(tmp_path)
    assert (tmp_path / "manifest.json").read_text() == "mine"
    assert {"seats.csv", "seats.parquet"} <= content(tmp_path).keys()


@pytest.mark.parametrize("name", ["seats.csv", "campaigns.csv", "tables.json"])
@pytest.mark.parametrize("among", [False, True])
def test_a_file_of_the_user_is_refused_before_games_are_played(
    name, among, tmp_path, result, no_games, capsys
):
    if among:
        result.to_csv(tmp_path)
    (tmp_path / name).write_text("mine")
    before = content(tmp_path)
    message = mistake(capsys, *PLAIN, "--csv", tmp_path)
    assert name in message and ("was not written by paxsim" in message or "was changed" in message)
    assert content(tmp_path) == before


def test_an_edited_table_is_refused(tmp_path, result):
    result.to_csv(tmp_path)
    with open(tmp_path / "seats.csv", "a") as file:
        file.write("my remark\n")
    before = content(tmp_path)
    with pytest.raises(paxsim.PaxsimError, match=r"seats\.csv was changed"):
        result.to_csv(tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_a_table_that_is_no_file_is_refused(kind, tmp_path, result):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    place = tmp_path / "tables" / "seats.csv"
    place.parent.mkdir()
    place.symlink_to(precious) if kind == "link" else place.mkdir()
    with pytest.raises(paxsim.PaxsimError, match=r"seats\.csv"):
        result.to_csv(place.parent)
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("written", [1, 2, 4])
def test_tables_are_written_again_after_a_killed_attempt(written, tmp_path, result, monkeypatch):
    """The index is written first and has the digests of the old files and of the new ones."""
    other = paxsim.simulate("random,first", games=60, seed=10, jobs=1)
    result.to_csv(tmp_path)
    left = [written]

    def killed(*names, replace=os.replace):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        replace(*names)

    for _ in range(2):
        left[0] = written
        with monkeypatch.context() as patch:
            patch.setattr("paxsim.io.os.replace", killed)
            with pytest.raises(KeyboardInterrupt):
                other.to_csv(tmp_path)
    other.to_csv(tmp_path)
    assert (tmp_path / "seats.csv").read_text().count("\n") == 3


def test_all_tables_of_all_questions_are_checked_beforehand():
    small = {"games": 24, "jobs": 1}
    results = [
        paxsim.simulate("random", 2, **small),
        paxsim.tournament("random,first", 2, **small),
        paxsim.compare("random", "first", players=2, **small),
        paxsim.compare_rules("random", ["rome_needs=5"], 2, **small),
        paxsim.ablate("random", "peek", 2, **small),
        paxsim.solo("random", [1, 2], **small),
        paxsim.metagame("random,first", 2, **small),
        paxsim.experiment.simulate_lineups(["random"], 2, **small),
        paxsim.experiment.vary_rules({"rome_needs": [3]}, ["random"], 2, **small),
    ]
    elsewhere = {"habits", "steps"}  # of analyse_games and double_oracle
    assert {name for result in results for name in result.tables} | elsewhere == set(TABLES)
