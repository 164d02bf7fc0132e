"""The bar of questions that are asked in Python: there where somebody looks, and nowhere else."""

import io
import itertools
from types import SimpleNamespace

import pytest

import paxsim
from paxsim.experiment import progress


def seconds(step):
    """A clock on which every look takes so long."""
    ticks = itertools.count(step=step)
    return lambda: float(next(ticks))


def test_it_says_how_far_a_run_is():
    assert (
        progress.in_words(250, 1000, 50.0) == "[#####...............]  25 %  50 games/s  15 s left"
    )
    assert progress.in_words(1234, None, 100.0) == "1,234 games  100 games/s"
    assert progress.in_words(0, 1000, 0.0) == "[....................]   0 %  "


def test_a_short_run_shows_none_and_a_long_one_leaves_nothing():
    for step, wanted in ((0.001, False), (1.0, True)):
        shown = []
        made = progress.Bar(shown.append, seconds(step))
        for games in range(100, 600, 100):
            made.update(SimpleNamespace(games=games, expected=500), 100)
        made.close()
        assert bool(shown) == wanted
        assert not wanted or (len(shown) > 2 and shown[-1] == "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)


@pytest.mark.parametrize(
    ("stream", "how", "wanted"),
    [
        (Terminal, {}, True),
        (Terminal, {"progress": False}, False),
        (Terminal, {"progress": lambda standing, games: None}, False),
        (io.StringIO, {}, False),
    ],
)
def test_a_terminal_shows_it_unless_told_otherwise(stream, how, wanted, impatient, monkeypatch):
    told = stream()
    monkeypatch.setattr("sys.stderr", told)
    paxsim.simulate("random,first", games=400, chunk_games=100, jobs=1, **how)
    assert ("100 %" in told.getvalue()) == wanted
    assert not wanted or told.getvalue().endswith("\r\x1b[K")


def test_a_notebook_shows_it_in_the_cell(impatient, monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    def display(content, raw, display_id):
        shown.append(content["text/plain"])
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(progress, "_in_notebook", lambda: True)
    paxsim.tournament("random,first", 2, games=400, chunk_games=100, jobs=1)
    assert "100 %" in "".join(shown) and shown[-1] == ""


@pytest.mark.parametrize("wrong", [True, 1, "yes"])
def test_what_is_no_progress_is_one_line(wrong):
    with pytest.raises(paxsim.PaxsimError, match="allowed: a function, or False for no bar"):
        paxsim.simulate("random", games=8, progress=wrong)
