"""The command line understands what people type, and says what it did not."""

import json
import os
import subprocess
import sys

import pytest
from support.mistakes import mistake

from paxsim.cli import COMMANDS, cli, console, run_command
from paxsim.cli.options import parse_games
from paxsim.errors import PaxsimError


def test_the_command_alone_shows_all_of_its_help(capsys):
    assert run_command([]) == 0
    alone = capsys.readouterr().out
    assert run_command(["--help"]) == 0
    assert alone == capsys.readouterr().out
    assert all(f"\n  {name} " in alone for name in COMMANDS)


def test_a_mistyped_command_is_answered_with_the_nearest(capsys):
    assert "unknown command 'rnu' (did you mean 'run'?)" in mistake(capsys, "rnu")
    assert "did you mean 'tournament'?" in mistake(capsys, "tournement", "--games", "3")
    said = "unknown deck command 'shw' (did you mean 'show'?); choose from check, list, show"
    assert said in mistake(capsys, "deck", "shw")


def printed_object(capsys, *words):
    assert run_command([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_lists_and_checks_has_one_object_for_programs_too(capsys):
    listed = printed_object(capsys, "policies")
    names = [found["name"] for found in listed["policies"]]
    assert names[:2] == ["random", "first"] and len(names) > 20 and listed["broken"] == []
    (builder,) = printed_object(capsys, "policies", "builder:breadth=0.5")["policies"]
    assert builder["parameters"]["breadth"] == 0.5 and builder["fits"] == "solo, 2-8 players"
    decks = printed_object(capsys, "deck", "list")["decks"]
    assert printed_object(capsys, "deck", "show", "assumed") in decks
    checked = printed_object(capsys, "deck", "check", "assumed")
    assert sum(kind["count"] for kind in checked["cards"]) == 74
    assert checked["players"] == list(range(1, 9)) and checked["unpublished"] == []
    found = printed_object(capsys, "check", "first", "--deals", "1", "--players", "2")
    checks = [{"setting": "2 players", "games": 2, "problem": None}]
    assert found == {"policy": "first", "fine": True, "checks": checks, "warnings": []}


def test_a_failing_game_that_is_being_traced_need_not_be_traced_again(tmp_path, capsys):
    file = tmp_path / "outside.py"
    text = (
        "import paxsim\n@paxsim.policy\ndef outside(table, me, choice):\n    return choice.count\n"
    )
    file.write_text(text, "utf-8")
    words = ["trace", "--players", "2", "--policies", f"{file},first"]
    assert run_command(words) == 2
    out, said = capsys.readouterr()
    assert out.startswith('{"event": "setup"')
    assert said.endswith("at the decision 'keep'; the game up to there is above\n")
    # Written to a file, it is whole or not there.
    assert run_command([*words, "--out", str(tmp_path / "game.jsonl")]) == 2
    assert "; to see this game: paxsim trace " in capsys.readouterr().err


@pytest.mark.parametrize(
    "text, games",
    [("1M", 10**6), ("1m", 10**6), ("1k", 1000), ("1.5k", 1500), ("2G", 2 * 10**9),
     ("1_000_000", 10**6), ("1,000", 1000), ("1e6", 10**6), (" 12 ", 12), ("0.5k", 500)],
)  # fmt: skip
def test_numbers_of_games_are_read_as_people_write_them(text, games):
    assert parse_games(text) == games


@pytest.mark.parametrize(
    "text", ["", "k", "x", "0", "-1k", "1.0005k", "0.5", "inf", "nan", "1kk", "1e99999", "1 M M"]
)
def test_what_is_no_number_of_games_is_refused(text):
    with pytest.raises(PaxsimError, match="allowed: a positive whole number, e.g. 1e6 or 1M"):
        parse_games(text)


@pytest.mark.parametrize("command", ["trace", "bench"])
def test_games_are_read_like_that_where_a_few_are_played_too(command, capsys):
    game = ["--policies", "first", "--players", "2"]
    assert run_command([command, *game, "--games", "0.002k"]) == 0
    out = capsys.readouterr().out
    assert out.count('"event": "score"') == 2 if command == "trace" else "2 games" in out
    said = mistake(capsys, command, *game, "--games", "2kk")
    assert "games: found '2kk'; allowed: a positive whole number, e.g. 1e6 or 1M" in said


@pytest.mark.parametrize(
    "command",
    [
        ["run", "first", "random", "--games", "8"],
        ["tournament", "first", "random", "--players", "2", "--games", "8"],
        ["solo", "first", "random", "--games", "4", "--levels", "1"],
    ],
)
def test_policies_may_be_named_without_an_option(command, capsys):
    assert run_command([*command, "--jobs", "1"]) == 0
    assert "first" in (out := capsys.readouterr().out) and "random" in out
    said = mistake(capsys, *command, "--policies", "first")
    assert "policies: found 'first random' beside --policies; allowed: one of both" in said


def test_one_policy_and_no_player_count_play_four_seats(capsys):
    for words in (["run"], ["run", "first"], ["run", "--policies", "first"]):
        assert run_command([*words, "--games", "8", "--jobs", "1"]) == 0
        assert capsys.readouterr().out.startswith("4 players: win rate of a seat")
    assert run_command(["run", "first", "--solo-level", "2", "--games", "8", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.startswith("Solo: win rate")


def completed(words, capsys, monkeypatch):
    """What a shell offers for the last of some words."""
    monkeypatch.setitem(os.environ, "_PAXSIM_COMPLETE", "bash_complete")
    monkeypatch.setitem(os.environ, "COMP_WORDS", " ".join(["paxsim", *words]))
    monkeypatch.setitem(os.environ, "COMP_CWORD", str(len(words)))
    with pytest.raises(SystemExit):
        cli.main([], prog_name="paxsim")
    return [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    "words, offered",
    [
        (["tour"], "tournament"),
        (["run", "--policies", "builder,trib"], "builder,tribune"),
        (["run", "conspir"], "conspirator"),
        (["run", "--deck", "dou"], "double"),
        (["run", "--rules", "tie=money,rome_ne"], "tie=money,rome_needs="),
        (["ablate", "--with"], "--without"),
    ],
)
def test_shells_complete_commands_policies_decks_and_rules(words, offered, capsys, monkeypatch):
    assert offered in completed(words, capsys, monkeypatch)


def test_completion_says_how_it_is_set_up(capsys):
    assert run_command(["completion"]) == 0
    assert "paxsim completion bash >> ~/.bashrc" in capsys.readouterr().out
    for shell in ("bash", "zsh", "fish"):
        assert run_command(["completion", shell]) == 0
        assert "_PAXSIM_COMPLETE" in capsys.readouterr().out
    assert "unknown shell 'tcsh'" in mistake(capsys, "completion", "tcsh")


def table_at(width, capsys, monkeypatch):
    """A table as a pipe of so many columns shows it."""
    monkeypatch.setattr(console, "PIPED_WIDTH", width)
    console.print_table(
        "Title", ("strategy", "win rate %", "", "with Rome %", "points"),
        [("weighted", "12.3 ± 0.4", "above", "11.1", "8.2 ± 0.1")],
        numbers=("win rate %", "with Rome %", "points"),
    )  # fmt: skip
    return " ".join(capsys.readouterr().out.split())


def test_a_table_without_room_for_a_column_names_it(capsys, monkeypatch):
    whole = table_at(100, capsys, monkeypatch)
    assert "8.2 ± 0.1" in whole and "no room" not in whole
    narrow = table_at(40, capsys, monkeypatch)
    assert "no room for" in narrow and "points" in narrow.partition("no room for")[2]
    for width in range(8, 60):
        said = table_at(width, capsys, monkeypatch)
        left_out = said.partition("no room for")[2]
        for heading, cell in (("win rate %", "12.3 ± 0.4"), ("the verdict", "above"),
                              ("points", "8.2 ± 0.1")):  # fmt: skip
            assert cell in said or heading in left_out, width


def test_who_has_read_enough_is_told_nothing():
    command = f"{sys.executable} -m paxsim policies | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("\n") == 1
