"""The progress line: in terminals and notebooks, and as lines in files."""

import io
import itertools

import numpy as np
import pytest

import paxsim
from paxsim.experiment import progress
from paxsim.report.study import Runs
from paxsim.report.subject import make_subject


def clock(step):
    """Return a clock that advances by a step at every look."""
    ticks = itertools.count(step=step)
    return lambda: float(next(ticks))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    for name in ("DELAY", "PAUSE", "FILE_PAUSE"):
        monkeypatch.setattr(progress, name, 0.0)


@pytest.mark.parametrize(
    ("numbers", "line"),
    [
        ((250, 1000, 50.0), "[#####...............]  25%  50 games/s  15 s left"),
        ((1234, None, 100.0), "1,234 games  100 games/s"),
        ((0, 1000, 0.0), "[....................]   0%"),
        ((5, 10, 0.5), "[##########..........]  50%  0.5 games/s  10 s left"),
    ],
)
def test_a_line_has_share_speed_and_time_left(numbers, line):
    assert progress.line_of(*numbers, "games") == line


def test_a_short_run_shows_nothing_and_a_long_one_is_erased(monkeypatch):
    for step, wanted in ((0.001, False), (1.0, True)):
        monkeypatch.setattr("sys.stderr", stream := Terminal())
        with progress.ProgressBar(clock=clock(step)) as bar:
            for games in range(100, 600, 100):
                bar(games, 500, "wins % random 30.0")
        assert bar.done == 500
        assert ("wins %" in stream.getvalue()) == wanted
        assert not wanted or stream.getvalue().endswith("\r\x1b[K")


def test_a_run_counts_the_games_of_every_chunk():
    calls = []
    result = paxsim.simulate(
        "random,first", games=2_000, seed=1, jobs=1, chunk_games=600,
        progress=lambda done, expected, text: calls.append((done, expected)),
    )  # fmt: skip
    done = [0, *(number for number, _ in calls)]
    assert calls[-1] == (result.games, result.games) == (2_000, 2_000)
    assert {after - before for before, after in itertools.pairwise(done)} == {200, 600}


def test_stored_games_and_those_of_an_earlier_task_do_not_count_as_speed(monkeypatch):
    monkeypatch.setattr(progress, "_display", lambda: (shown.append, 0.0))
    shown = []
    bar = progress.ProgressBar(clock=clock(1.0))
    for done, text in ((900, progress.STORED), (1800, progress.STORED), (1810, ""), (10, "")):
        bar(done, 5000, text)
    for done in (20, 30):
        bar(done, None)
    speeds = [float(line.split(" games/s")[0].split()[-1]) for line in shown if "games/s" in line]
    assert max(speeds) <= 10


def test_a_resumed_report_does_not_count_stored_games_as_speed(tmp_path):
    calls = []
    runs = [Runs(make_subject(), tmp_path, progress=lambda *call: calls.append(call)) for _ in "12"]
    for each in runs:
        each.ask("solo", paxsim.solo, policies="first", levels=1, games=40)
        each.compute("luck", 10, lambda: {"shares": np.zeros(1)})
    assert [text for *_, text in calls] == ["solo", "luck", progress.STORED, progress.STORED]


def test_a_file_gets_a_line_every_few_seconds(monkeypatch):
    monkeypatch.setattr("sys.stderr", stream := io.StringIO())
    with progress.ProgressBar(clock=clock(1.0)) as bar:
        for games in range(50):
            bar(games, 50)
    lines = stream.getvalue().splitlines()
    assert 3 <= len(lines) <= 5 and all("games/s" in line for line in lines)


@pytest.mark.parametrize(
    ("run", "wanted"), [({}, True), ({"progress": False}, False), ({"progress": print}, False)]
)
def test_functions_show_it_unless_told_otherwise(run, wanted, impatient, monkeypatch):
    monkeypatch.setattr("sys.stderr", stream := Terminal())
    paxsim.simulate("random,first", games=400, chunk_games=100, jobs=1, **run)
    assert ("games/s" in stream.getvalue()) == wanted


def test_a_notebook_shows_it_in_the_cell(impatient, monkeypatch):
    shown = []
    monkeypatch.setattr(progress, "_display", lambda: (shown.append, 0.0))
    paxsim.tournament("random,first", 2, games=400, chunk_games=100, jobs=1)
    assert "75%" in "".join(shown) and shown[-1] == ""


@pytest.mark.parametrize("wrong", [True, 1, "yes"])
def test_progress_must_be_a_function_or_false(wrong):
    with pytest.raises(paxsim.PaxsimError, match="progress"):
        paxsim.simulate("random", games=8, progress=wrong)
