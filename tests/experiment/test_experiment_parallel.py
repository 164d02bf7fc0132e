"""The same numbers from one worker or many, in threads, processes or a dask cluster."""

import json
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor

import pytest

from paxsim.errors import PaxsimError
from paxsim.experiment import compare, run, simulate, tournament

MINE = '''
import paxsim

@paxsim.policy
def mine(table, me, choice, place=0.5):
    """Take the option at a certain place of the list."""
    return int(place * (choice.count - 1))
'''


def numbers(result):
    """Return manifest and tables, which must not vary."""
    content = json.loads(result.to_json())
    return content["manifest"], content["tables"]


@pytest.fixture(scope="module")
def own_policy(tmp_path_factory):
    file = tmp_path_factory.mktemp("own") / "mine.py"
    file.write_text(MINE)
    return f"{file}:mine:place=0.75"


def play(policy, **how):
    return simulate([policy, "random"], games=600, seed=8, **{"chunk_games": 100, **how})


@pytest.fixture(scope="module")
def expected(own_policy):
    return numbers(play(own_policy, jobs=1))


@pytest.fixture(scope="module")
def cluster():
    """A dask cluster of two worker processes on this machine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as two_workers:
        yield two_workers


@pytest.mark.parametrize("chunk_games", [2, 34, 100, 10_000])
@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_workers_and_chunks_change_no_bit(own_policy, expected, jobs, chunk_games):
    assert numbers(play(own_policy, jobs=jobs, chunk_games=chunk_games)) == expected


def test_processes_change_no_bit(own_policy, expected):
    result = play(own_policy, jobs=2, backend="processes")
    assert numbers(result) == expected
    assert result.timing["backend"] == "processes" and result.timing["jobs"] == 2


def test_a_dask_cluster_of_two_processes_changes_no_bit(own_policy, expected, cluster):
    result = play(own_policy, backend="dask", address=cluster.scheduler_address)
    assert numbers(result) == expected
    assert result.timing["jobs"] == 2, "by default all workers of the cluster"


def test_games_are_played_in_the_cluster(own_policy, cluster, monkeypatch):
    """Nothing can be played in this process once the policies are compiled."""
    play(own_policy, jobs=1)

    def here(*_):
        raise AssertionError("played here")

    monkeypatch.setattr("paxsim.experiment.run._play_blocks", here)
    address = cluster.scheduler_address
    assert play(own_policy, backend="dask", address=address).games == 600
    with pytest.raises(AssertionError, match="played here"):
        play(own_policy, jobs=1)


def test_a_watched_run_stops_at_the_same_game_for_any_workers_and_chunks():
    def watched(**how):
        return numbers(compare("first", "random", "random", 2, 60_000, 1, sequential=True, **how))

    alone = watched(jobs=1)
    assert alone[1]["comparison"][0]["games"] < 60_000
    assert watched(jobs=2, chunk_games=777) == alone


def test_a_tournament_is_the_same_for_any_workers_and_chunks():
    def played(**how):
        return numbers(tournament("random,first", players=[2, 3], games=240, **how))

    assert played(jobs=2, chunk_games=30) == played(jobs=1)


@pytest.mark.whole
def test_a_policy_of_a_script_works_in_processes(tmp_path):
    """The script is called __main__, which other processes can't import."""
    script = tmp_path / "script.py"
    script.write_text(
        MINE
        + """
from paxsim.experiment import simulate

if __name__ == "__main__":
    both = [
        simulate([mine, "random"], games=200, chunk_games=50, jobs=2, backend=backend)
        for backend in ("threads", "processes")
    ]
    print(both[0].to_json().partition('"timing"')[0] == both[1].to_json().partition('"timing"')[0])
"""
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.stdout.strip() == "True", done.stderr


def test_a_policy_that_fails_in_another_process_is_named_with_its_game(tmp_path):
    file = tmp_path / "late.py"
    file.write_text(
        "import paxsim\n\n@paxsim.policy\ndef late(table, me, choice):\n"
        "    return 99 if table.round > 5 else 0\n"
    )
    with pytest.raises(PaxsimError, match=r"policy late at seat . .*option 99.*paxsim trace"):
        play(f"{file}:late", jobs=2, backend="processes")


def test_a_cluster_that_does_not_answer_is_reported_within_seconds(tmp_path, monkeypatch):
    assert run.ANSWER_SECONDS < 10
    monkeypatch.setattr(run, "ANSWER_SECONDS", 1)
    with pytest.raises(PaxsimError, match="no dask scheduler answers at tcp://127.0.0.1:9"):
        play("random", backend="dask", address="tcp://127.0.0.1:9", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"jobs": 0}, "jobs must be between"),
        ({"jobs": 1.5}, "jobs must be an integer"),
        ({"backend": "thread"}, "did you mean 'threads'"),
        ({"address": "tcp://host:1"}, "address needs the dask backend"),
        ({"backend": "dask", "address": "nonsense"}, "address"),
    ],
)
def test_wrong_run_options_are_refused_before_anything_is_written(tmp_path, how, words):
    with pytest.raises(PaxsimError, match=words):
        play("random", out=tmp_path / "run", **how)
    assert not (tmp_path / "run").exists()


@pytest.mark.whole
def test_the_chunks_of_a_killed_worker_are_played_again(own_policy, expected):
    from joblib.externals.loky import reusable_executor

    killed = []

    def kill_one(done, _expected, _text):
        if not killed:
            killed.append(next(iter(reusable_executor._executor._processes)))
            os.kill(killed[0], signal.SIGKILL)

    result = play(own_policy, jobs=2, backend="processes", progress=kill_one)
    assert killed and numbers(result) == expected


def repeated(chunks):
    """Answer twice and in any order."""
    answers = [*chunks, *chunks]
    random.Random(3).shuffle(answers)
    yield from answers


def forgetful(chunks):
    """Lose every third chunk with its worker."""
    yield from (c for i, c in enumerate(chunks) if i % 3 or len(chunks) < 3)


def breaking(chunks):
    """Lose all workers after half of the chunks."""
    yield from chunks[: -(-len(chunks) // 2)]
    if len(chunks) > 1:
        raise BrokenExecutor("killed")


@pytest.mark.parametrize("answering", [repeated, forgetful, breaking])
def test_every_chunk_counts_once_whatever_happens_to_workers(
    own_policy, expected, answering, monkeypatch, tmp_path
):
    def play_chunks(plan, chunks, jobs):
        return ((chunk, run.play_work(plan.work(chunk))) for chunk in answering(chunks))

    monkeypatch.setattr(run, "play_chunks", play_chunks)
    for _ in range(2):
        assert numbers(play(own_policy, jobs=1, out=tmp_path / "run")) == expected
    assert len(list((tmp_path / "run" / "chunks").iterdir())) == 6


@pytest.mark.parametrize(("answers", "message"), [(0, "no answer"), (1, "a worker ended")])
def test_workers_that_finish_nothing_end_the_run(answers, message, monkeypatch):
    attempts = []

    def play_chunks(plan, chunks, jobs):
        attempts.append(chunks)
        if answers:
            raise BrokenExecutor("killed")
        return iter(())

    monkeypatch.setattr(run, "play_chunks", play_chunks)
    with pytest.raises(PaxsimError, match=message):
        play("random", backend="processes", jobs=2)
    assert len(attempts) == run.MOST_FRUITLESS + 1
