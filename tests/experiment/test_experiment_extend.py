"""A stored run is extended to more games: what is there stays, what is missing is played."""

import itertools
import json
import os
import signal
import time

import pytest
from paxsim.experiment.answers import incomplete
from support.commands import start

from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment import compare, load_result, simulate, solo, tournament
from paxsim.experiment.design import Plan, cut_into_chunks
from paxsim.experiment.store import read_manifest

QUESTIONS = {
    "simulate": lambda games, **how: simulate("random,first,random", 3, games, 9, **how),
    "several player counts": lambda games, **how: simulate("first", [2, 3], games, 9, **how),
    "tournament": lambda games, **how: tournament("random,first,miser", [2, 3], games, 4, **how),
    "compare": lambda games, **how: compare("builder", "miser", "first", 3, games, 2, **how),
    "solo": lambda games, **how: solo("random,first", [1, 2], games, 5, **how),
}


def content(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def tables(result):
    return json.loads(result.to_json())["tables"]


@pytest.fixture
def played(monkeypatch):
    """Counts the games that are handed out to be played."""
    games = []
    work = Plan.work

    def counted(plan, chunk):
        games.append(chunk.blocks * plan.block_games(chunk.bundle))
        return work(plan, chunk)

    monkeypatch.setattr(Plan, "work", counted)
    return games


@pytest.mark.parametrize("kind", QUESTIONS)
def test_an_extended_run_plays_what_is_missing_and_has_the_tables_of_a_long_one(
    kind, tmp_path, played
):
    ask = QUESTIONS[kind]
    how = {"jobs": 1, "chunk_games": 70, "out": tmp_path / "run"}
    first = ask(310, **how)
    before = content(tmp_path / "run")
    played.clear()
    extended = ask(1000, **how)
    assert sum(played) == extended.games - first.games > 0
    after = content(tmp_path / "run")
    assert {k: v for k, v in after.items() if k in before and k != "manifest.json"} == {
        k: v for k, v in before.items() if k != "manifest.json"
    }, "a chunk was written again"
    whole = ask(1000, jobs=1)
    assert tables(extended) == tables(whole)
    assert tables(load_result(tmp_path / "run")) == tables(whole)
    assert load_result(tmp_path / "run").timing["damaged"] == []
    played.clear()
    ask(1000, **how)
    assert played == [], "the command of the extended run has nothing to do"


def test_a_run_can_be_extended_again_and_before_it_is_finished(tmp_path, played):
    ask, out = QUESTIONS["tournament"], tmp_path / "run"
    ask(300, out=out, jobs=1, chunk_games=50)
    for games in (420, 1000):
        for chunk in sorted((out / "chunks").iterdir())[::3]:
            chunk.unlink()
        extended = ask(games, out=out, jobs=1, chunk_games=11)
    assert len(read_manifest(out)["earlier_blocks"]) == 2
    assert tables(extended) == tables(ask(1000, jobs=1)) == tables(load_result(out))


@pytest.mark.whole
def test_a_run_killed_while_it_is_extended_goes_on_and_ends_with_the_same_bytes(
    tmp_path, monkeypatch, capsys
):
    command = ["run", "--policies", "random,first", "--seed", "4", "--chunk-games", "100",
               "--jobs", "2"]  # fmt: skip
    whole, killed = tmp_path / "whole", tmp_path / "killed"

    def run(games, out):
        words = [*command, "--games", str(games), "--out", str(out)]
        monkeypatch.setattr("sys.argv", ["paxsim", *words])
        assert run_command(words) == 0
        return capsys.readouterr().err

    for out in (whole, killed):
        run(550, out)
    assert "the run had 550 games planned" in run(8000, whole)
    begun = len(content(killed))
    process = start(*command, "--games", "8000", "--out", killed)
    while len(content(killed)) < begun + 5 and process.poll() is None:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "the run was over before it was killed"
    assert "of 8,000 games so far" in incomplete(load_result(killed))
    run(8000, killed)
    assert content(killed) == content(whole)


def test_killed_before_its_manifest_is_written_the_run_is_what_it_was(tmp_path, monkeypatch):
    ask, out = QUESTIONS["simulate"], tmp_path / "run"
    ask(310, out=out, jobs=1)
    before = content(out)
    with monkeypatch.context() as patch:
        patch.setattr("paxsim.io.os.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ask(1000, out=out, jobs=1)
    assert {k: v for k, v in content(out).items() if not k.startswith(".")} == before
    assert ask(310, out=out, jobs=1).games == 312


@pytest.mark.parametrize(
    ("games", "change", "words"),
    [
        (200, {}, "games: found 201 and .* holds a run of 312; allowed: as many, more to extend"),
        (1000, {"seed": 3}, "holds another run: seed was 9 and is now 3"),
        (1000, {"deck": "cheap"}, "holds another run: .*deck was assumed and is now cheap"),
        (1000, {"precision": 0.2}, "holds another run: precision was not given and is now 0.2"),
        (1000, {"rules": "rome_needs=5"}, "rules was as published and is now rome_needs=5"),
    ],
)
def test_what_is_not_the_same_run_with_more_games_is_refused(tmp_path, games, change, words):
    out = tmp_path / "run"
    asked = {"policies": "random,first,random", "seed": 9}
    simulate(**asked, games=310, out=out, jobs=1)
    before = content(out)
    with pytest.raises(PaxsimError, match=words):
        simulate(**{**asked, **change}, games=games, out=out, jobs=1)
    assert content(out) == before


def test_a_run_that_reached_its_precision_has_nothing_to_add(tmp_path, played):
    asked = {"policies": "random,first", "seed": 1, "precision": 0.02, "jobs": 1}
    first = simulate(**asked, games=40_000, out=tmp_path / "run")
    assert first.games < 40_000
    played.clear()
    again = simulate(**asked, games=80_000, out=tmp_path / "run")
    assert played == [] and tables(again) == tables(first)


def test_a_precision_that_was_refused_for_want_of_games_is_reached_with_more(tmp_path, played):
    asked = {"policies": "random,first", "seed": 1, "precision": 0.0105, "jobs": 1}
    with pytest.raises(PaxsimError, match="would take about"):
        simulate(**asked, games=13_000, out=tmp_path / "run")
    first = sum(played)
    found = simulate(**asked, games=60_000, out=tmp_path / "run")
    assert 0 < first < sum(played) == found.games < 60_000
    assert tables(found) == tables(simulate(**asked, games=60_000))


def test_an_undecided_comparison_goes_on_to_the_looks_of_a_long_one(tmp_path, played):
    asked = {"a": "first", "b": "racer", "field": "first", "players": 2, "seed": 1, "jobs": 1,
             "sequential": True, "delta": -0.006}  # fmt: skip
    how = {"out": tmp_path / "run", "chunk_games": 900}
    first, second = (compare(**asked, games=games, **how).games for games in (14_000, 20_000))
    assert 14_000 == first < second == sum(played) < 20_000
    whole = compare(**asked, games=20_000)
    assert whole.games == second
    assert tables(load_result(tmp_path / "run")) == tables(whole)


def test_the_last_chunks_of_a_long_run_are_smaller_so_that_workers_end_together():
    [chunks] = cut_into_chunks([7, 1_000], [4, 4], 100)
    sizes = [chunk.blocks for chunk in chunks]
    assert sizes == [7, *[25] * 36, *[7, 7, 7, 4] * 4]
    assert [c.first_block for c in chunks[1:]] == list(itertools.accumulate(sizes[1:-1], initial=0))


def test_a_short_run_and_one_of_many_small_bundles_are_cut_as_they_were():
    [short] = cut_into_chunks([200], [4], 100)
    assert [chunk.blocks for chunk in short] == [25] * 8
    [many] = cut_into_chunks([5] * 50, [4] * 50, 100)
    assert [chunk.blocks for chunk in many] == [5] * 50


@pytest.mark.parametrize("looks", [False, True])
def test_the_chunks_of_an_extended_run_cover_its_blocks_once(looks):
    stages = [3_001, 7_777, 7_778, 50_000]
    for count in range(1, len(stages) + 1):
        *earlier, blocks = stages[:count]
        waves = cut_into_chunks([blocks], [4], 1000, looks, [[n] for n in earlier])
        chunks = [chunk for wave in waves for chunk in wave]
        covered = [b for c in chunks for b in range(c.first_block, c.first_block + c.blocks)]
        assert covered == list(range(blocks))
        if looks:  # and looks are where they would have been
            ends = [wave[-1].first_block + wave[-1].blocks for wave in waves]
            fresh = cut_into_chunks([blocks], [4], 1000, looks)
            assert ends == [wave[-1].first_block + wave[-1].blocks for wave in fresh]
