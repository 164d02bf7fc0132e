"""Replays: pages, commands that make them, and traces that are refused."""

import copy
import json
import re

import pytest
from support.commands import mistake

import paxsim
from paxsim.board import Replay
from paxsim.board.replay import steps_of
from paxsim.cli import run_command
from paxsim.trace import trace_game


@pytest.fixture(scope="module")
def events():
    lineup = paxsim.make_lineup("weighted,random,tribune", 3)
    return list(trace_game(paxsim.make_setting(3), lineup, 5, 0, 0))


def write_trace(path, events):
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    return path


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def steps_in(file):
    return data_of(file.read_text("utf-8"))["steps"]


# --- the page -------------------------------------------------------------------------------


def test_page_loads_nothing_from_elsewhere(events):
    page = Replay(events).page()
    addresses = set(re.findall(r"(?:https?:)?//[\w.]+[^\s\"']*", page.replace("</", "")))
    assert {a for a in addresses if a.startswith("http")} == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page and "<link" in page
    assert not re.search(r"\ssrc=|@import|url\(", page)


def test_names_in_a_trace_are_never_markup(events):
    named = copy.deepcopy(events)
    named[0]["policies"][0] = "</script><script>alert(1)</script>"
    page = Replay(named).page()
    assert "<script>alert" not in page
    assert data_of(page)["head"]["names"][0] == named[0]["policies"][0]
    assert "<script>alert" not in Replay(named)._repr_html_()


def test_notebook_shows_the_game_that_was_played():
    result = paxsim.play("random,first,builder", seed=3, deal=4, rotation=2)
    replay = paxsim.replay(result)
    frame = replay._repr_html_()
    assert frame.startswith("<iframe") and "builder · random · first" in frame
    totals = [player["points"]["total"] for player in replay.events[-1]["players"]]
    assert totals == result.points


def test_terminal_and_page_use_the_same_sentences(capsys, tmp_path):
    game = ["--players", "2", "--policies", "random", "--seed", "3"]
    assert run_command(["trace", *game, "--text"]) == 0
    sentences = capsys.readouterr().out.splitlines()
    assert run_command(["replay", *game, "--out", str(tmp_path / "game.html")]) == 0
    steps = steps_in(tmp_path / "game.html")
    on_page = [{**step["all"], **step.get("by", [{}])[0]}["text"] for step in steps]
    assert on_page[:-2] + on_page[-1:] == sentences  # the page also reveals Rome's cards
    assert on_page[-2].startswith("Rome reveals ")


# --- commands -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ["--players", "3", "--policies", "random,first,builder", "--rotation", "2", "--deal", "7"],
        ["--solo-level", "2", "--policies", "random", "--seed", "12"],
        ["--players", "2", "--policies", "weighted:money=0.5,first", "--rules", "rome_needs=5"],
        ["--players", "2", "--policies", "first", "--deck", "cheap"],
    ],
    ids=["rotation", "solo", "rules", "deck"],
)
def test_command_on_the_page_makes_the_page_again(options, tmp_path):
    trace, out = tmp_path / "a.jsonl", tmp_path / "b.html"
    assert run_command(["trace", *options, "--out", str(trace)]) == 0
    read = paxsim.replay(trace)
    words = read.command.replace("game.html", str(out)).split()
    assert words[:2] == ["paxsim", "replay"] and run_command(words[1:]) == 0
    assert steps_in(out) == steps_of(read.events)


def test_command_in_a_notebook_makes_the_page_again(tmp_path):
    out = tmp_path / "a.html"
    rules, deck = {"rome_needs": 5}, "cheap"
    game = paxsim.play("weighted:money=0.5,first", seed=3, rotation=1, rules=rules, deck=deck)
    replay = paxsim.replay(game)
    words = replay.command.replace("game.html", str(out)).split()
    assert words[:2] == ["paxsim", "replay"] and run_command(words[1:]) == 0
    assert steps_in(out) == steps_of(replay.events)


def test_file_of_several_games_needs_a_number(tmp_path, capsys):
    path, out = tmp_path / "games.jsonl", tmp_path / "two.html"
    assert run_command(["trace", "--players", "2", "--games", "3", "--out", str(path)]) == 0
    assert "--number" in mistake(capsys, "replay", path, "--out", out)
    for number in (0, 4):
        assert f"got {number}" in mistake(capsys, "replay", path, "--number", number, "--out", out)
    assert not out.exists()
    assert run_command(["replay", str(path), "--number", "2", "--out", str(out)]) == 0
    expected = trace_game(paxsim.make_setting(2), paxsim.make_lineup("random", 2), 0, 1, 0)
    assert steps_in(out) == steps_of(expected)


def test_game_of_a_run_is_replayed_by_its_number(tmp_path, capsys):
    run, out = str(tmp_path / "run"), tmp_path / "game.html"
    options = ["--players", "2", "--policies", "random,first", "--seed", "3", "--games", "40"]
    assert run_command(["run", *options, "--jobs", "1", "--out", run]) == 0
    assert run_command(["replay", run, "--game", "7", "--out", str(out)]) == 0
    capsys.readouterr()
    assert run_command(["trace", "--run", run, "--game", "7"]) == 0
    traced = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert steps_in(out) == steps_of(traced)
    command = data_of(out.read_text("utf-8"))["head"]["command"]
    assert command.endswith(f"run --game 7 --out {out}")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["missing.jsonl"], "missing.jsonl"),
        (["--number", "2"], "number"),
        (["--game", "2"], "game"),
        (["{trace}", "--game", "2"], "game"),
        (["{trace}", "--seed", "2"], "seed"),
        (["--players", "9"], "players"),
        (["{trace}", "--out", "/nowhere/at/all.html"], "/nowhere/at/all.html"),
    ],
)
def test_contradictory_options_are_refused(arguments, word, events, tmp_path, capsys):
    trace = str(write_trace(tmp_path / "game.jsonl", events))
    words = [trace if word == "{trace}" else word for word in arguments]
    assert word in mistake(capsys, "replay", *words)


# --- damaged traces -------------------------------------------------------------------------


def first(events, name):
    return next(event for event in events if event["event"] == name)


#: Changes of a trace, and a part of the message.
DAMAGE = {
    "card not in hand": (lambda e: first(e, "play").update(card="land/9/9"), "(play)"),
    "card not drawn": (lambda e: first(e, "place").update(card="land/9/9"), "(place)"),
    "another card drawn": (lambda e: first(e, "reveal").update(cards=["land/9/9"]), "(reveal)"),
    "other cards bought": (lambda e: first(e, "buy").update(cards=["land/9/9"]), "(buy)"),
    "other cards seen": (lambda e: first(e, "peek").update(seen=["land/9/9"] * 3), "(peek)"),
    "unknown seat": (lambda e: first(e, "play").update(seat=7), "(play)"),
    "unknown legion": (lambda e: first(e, "buy").update(legion=9), "(buy)"),
    "unknown event": (lambda e: first(e, "play").update(event="dance"), "unknown event 'dance'"),
    "unknown rule": (lambda e: e[0].update(rules={"x": 1}), "rule"),
    "another version": (lambda e: e[0].update(version=7), "version 1, not 7"),
    "unknown place": (
        lambda e: [x for x in e if x.get("to") == "legion"][0].update(to="x"),
        "(place)",
    ),
    "file of rules": (lambda e: e[0].update(rules="mine.toml"), "dictionary"),
    "half a character": (lambda e: e[0].update(deck_name="\ud800"), "not JSON"),
    "too many cards": (lambda e: e[0]["deck"].extend(["land/1/2"] * 999), "240"),
    "missing field": (lambda e: first(e, "buy").pop("price"), "'price'"),
    "number for cards": (lambda e: first(e, "buy").update(cards=5), "(buy) does not fit the lines"),
    "policy that is no name": (lambda e: e[0]["policies"].insert(0, ["x"]), "policies must be"),
    "policies for other seats": (lambda e: e[0]["policies"].pop(), "policies must be"),
    "missing end": (lambda e: e.pop(), "before the score"),
    "more after the end": (lambda e: e.append(e[-2]), "already over"),
    "missing beginning": (lambda e: e.pop(0), "begins with a 'setup'"),
    "empty deck": (lambda e: e[0].update(deck=e[0]["deck"][:1]), "(draft)"),
    "no events": (lambda e: e.clear(), "no events"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_trace_is_refused_in_one_line(name, events, tmp_path, capsys):
    damage, message = DAMAGE[name]
    damaged = copy.deepcopy(events)
    damage(damaged)
    path, out = write_trace(tmp_path / "damaged.jsonl", damaged), tmp_path / "game.html"
    error = mistake(capsys, "replay", path, "--out", out)
    assert message in error
    assert not re.search("list|object|index|range|subscript|type", error)  # Python's words
    assert not out.exists()


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"{", b"[1]\n", b'"text"\n', b'{"event": 5}\n', b"[" * 100_000]
)
def test_other_files_are_refused_in_one_line(content, tmp_path, capsys):
    (tmp_path / "game.jsonl").write_bytes(content)
    assert "game.jsonl" in mistake(capsys, "replay", tmp_path / "game.jsonl")
