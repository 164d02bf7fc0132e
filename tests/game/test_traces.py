"""Traces: pieces of whole lines, whatever the size of the log."""

import contextlib
import json

import numpy as np
import pytest

import paxsim
from paxsim import trace
from paxsim.cli import run_command
from paxsim.engine.records import BUY, LARGEST_STEP
from paxsim.policies import registry
from paxsim.policies.policy import make_policy
from paxsim.trace import trace_game, trace_lines, trace_texts


def failing(table, me, choice):
    """Return an option that does not exist from the fourth round on."""
    return choice.count if table.round > 3 and choice.kind == BUY else 0


FAILING = make_policy(failing, solo=True)
#: A deck of other kinds, with the largest card.
ODD_DECK = paxsim.Deck(
    name="odd",
    cards=tuple(
        paxsim.Card(category, symbols, value)
        for category in paxsim.CATEGORIES
        for symbols, value in ((1, 0), (1, 3), (2, 4), (3, 12), (1, 3), (31, 255))
        for _ in range(2)
    ),
)
#: Few and many players, drafts that show cards, long lists, and a policy that fails.
GAMES = {
    "two": ("builder,random", 2, {}),
    "eight": ("random", 8, {}),
    "solo level 5": ("random", 1, {"solo_level": 5}),
    "one legion": ("random", 2, {"rules": {"legions": 1, "religion_two": 0, "rome_hidden": 0}}),
    "twelve legions": ("random", 6, {"rules": {"legions": 12, "rome_hidden": 1, "rome_open": 5}}),
    "free reactions": ("random", 4, {"rules": {"reactions": True, "reaction_price": 0}}),
    "odd deck": ("random", 8, {"deck": ODD_DECK}),
    "failing": (["builder", FAILING, "random"], 3, {}),
    "failing alone": ([FAILING], 1, {"solo_level": 4}),
}


def trace_of(policies, players, setting):
    """Return the lines of four games, up to a failure if there is one."""
    lines = []
    lineup = paxsim.make_lineup(policies, players)
    with contextlib.suppress(paxsim.PolicyError):
        lines += trace_lines(paxsim.make_setting(players, **setting), lineup, 9, 5, 4, 0)
    return lines


@pytest.mark.parametrize("name", GAMES)
def test_a_trace_is_the_same_however_often_the_log_is_emptied(name, monkeypatch):
    """With room for one word it is emptied after every step, also in the middle of a line."""
    expected = trace_of(*GAMES[name])
    assert expected and all(json.dumps(json.loads(line)) == line for line in expected)
    for full in (1, 40, 1500):
        monkeypatch.setattr(trace, "FULL", full)
        assert trace_of(*GAMES[name]) == expected


@pytest.mark.parametrize("full", [1, 40, trace.FULL])
def test_every_piece_of_a_trace_is_whole_lines(full, monkeypatch):
    monkeypatch.setattr(trace, "FULL", full)
    setting = paxsim.make_setting(solo_level=4)
    texts = list(trace_texts(setting, paxsim.make_lineup("random", 1), 3, 0, 60, 0))
    assert len(texts) > 1 and all(text.endswith("\n") for text in texts)
    events = [json.loads(line) for text in texts for line in text.splitlines()]
    assert sum(event["event"] == "score" for event in events) == 60


def test_texts_are_forgotten_when_there_are_too_many_and_made_again(monkeypatch):
    setting, lineup = paxsim.make_setting(4), paxsim.make_lineup("random", 4)
    trace._texts.clear()
    expected = list(trace_lines(setting, lineup, 1, 0, 40, 0))
    remembered = len(trace._texts)
    monkeypatch.setattr(trace, "_MAX_TEXTS", 50)
    assert list(trace_lines(setting, lineup, 1, 0, 40, 0)) == expected
    assert 0 < len(trace._texts) < remembered


def test_the_largest_step_of_a_game_fits_behind_a_full_log(monkeypatch):
    """Two whole copies of 120 cards: one legion for all of them, or twelve."""
    monkeypatch.setattr(trace, "FULL", 1)
    kinds = [paxsim.Card(category, 1, 0) for category in paxsim.CATEGORIES]
    deck = paxsim.Deck(name="large", cards=(*kinds * 17, paxsim.Card("land", 31, 255)))
    largest = 0
    for legions in (1, 12):
        rules = {"cards_added": 120, "rome_open": 16, "rome_hidden": 16, "legions": legions}
        setting = paxsim.make_setting(8, deck=deck, rules=rules)
        for policy in ("random", "first"):
            lineup = paxsim.make_lineup(policy, 8)
            steps = trace._logged(setting, lineup, 1, 0, 2, 0)
            largest = max(largest, *map(len, steps))
    assert 240 < largest < LARGEST_STEP / 2


def test_the_score_of_a_game_does_not_depend_on_the_game_before():
    """Shares of the win are worked out in the same place for all games of a trace."""
    rules = {"rome_needs": 8}
    setting, lineup = paxsim.make_setting(3, rules=rules), paxsim.make_lineup("random", 3)
    batch = paxsim.play_batch("random", 3, deals=300, seed=5, rules=rules)
    scores = [
        json.loads(line)
        for line in trace_lines(setting, lineup, 5, 0, 300, 0)
        if line.startswith('{"event": "score"')
    ]
    assert [score["shares"] for score in scores] == batch.shares.tolist()
    assert np.unique(batch.shares).size > 2  # also shared ones
    assert [score["rome_categories"] for score in scores] == (
        batch.results["rome_categories"].tolist()
    )


def test_events_are_the_lines_of_a_trace_read_back():
    setting, lineup = paxsim.make_setting(2), paxsim.make_lineup("builder", 2)
    lines = trace_lines(setting, lineup, 5, 9, 1, 1)
    assert list(trace_game(setting, lineup, 5, 9, 1)) == [json.loads(line) for line in lines]


def test_trace_games_yields_the_events_of_consecutive_deals():
    events = list(paxsim.trace_games("builder,random", games=2, seed=5, deal=9, rotation=1))
    setting, lineup = paxsim.make_setting(2), paxsim.make_lineup("builder,random", 2)
    deals = [trace_game(setting, lineup, 5, deal, 1) for deal in (9, 10)]
    assert events == [event for deal in deals for event in deal]
    for wrong in ({"games": 0}, {"deal": -1}, {"seed": -1}, {"rotation": 2}, {"players": 9}):
        with pytest.raises(paxsim.PaxsimError, match=rf"^{next(iter(wrong))} must be "):
            list(paxsim.trace_games("random,first", **{"players": 2, **wrong}))


FUSSY = """
import paxsim

@paxsim.policy
def fussy(table, me, choice):
    # fails if its draft shows two cards of one category, which takes a few games
    if choice.kind == 1 and choice.drawn[0] & 7 == choice.drawn[1] & 7:
        {fails}
    return 0
"""
COMMAND = ["trace", "--policies", "fussy.py,random", "--seed", "2", "--games", "500"]


@pytest.mark.parametrize("fails", ["return 99", "raise ValueError"])
def test_policy_that_fails_in_a_later_game(fails, tmp_path, capsys, monkeypatch):
    """The terminal has the lines before that, and a file is not written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))
    (tmp_path / "fussy.py").write_text(FUSSY.format(fails=fails))
    assert run_command(COMMAND) == 2
    out, err = capsys.readouterr()
    assert err.startswith("paxsim: policy fussy at seat 1 ") and "decision 'keep'" in err
    deal = int(err.split("--deal ")[1].split()[0])
    assert 0 < deal < 500
    events = [json.loads(line)["event"] for line in out.splitlines()]
    assert events.count("setup") == deal + 1 and events.count("score") == deal
    assert events[-1] == "setup"
    (tmp_path / "old.jsonl").write_text("old")
    for name in ("old.jsonl", "new.jsonl"):
        assert run_command([*COMMAND, "--out", name]) == 2
    assert capsys.readouterr().out == ""
    assert [path.name for path in tmp_path.glob("*.jsonl")] == ["old.jsonl"]
    assert (tmp_path / "old.jsonl").read_text() == "old"
