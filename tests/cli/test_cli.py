"""The command line: what it prints, and that a mistake is one clear line and leaves nothing."""

import json
import subprocess
import sys

import click
import pytest
from support.commands import COMMAND
from support.commands import paxsim as command

import paxsim
from paxsim.cards import CATEGORIES, COPY_COUNTS
from paxsim.cli import COMMANDS, cli, run_command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def deck_text(changes=None, name="mine"):
    """A deck file with the published counts, but for these."""
    counts = {**COPY_COUNTS, **(changes or {})}
    return f'name = "{name}"\nnote = "counted"\n' + "".join(
        f'[[cards]]\ncategory = "{category}"\nsymbols = 1\nvalue = 2\ncount = {count}\n'
        for category, count in counts.items()
    )


def printed(capsys, *arguments):
    """The standard output of a command that succeeds and complains about nothing."""
    code = run_command(list(map(str, arguments)))
    out, err = capsys.readouterr()
    assert (code, err) == (0, ""), err
    return out


# --- help -----------------------------------------------------------------------------------


def all_commands(group=cli, words=()):
    """Every command and subcommand with its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        yield (*words, name), found
        if isinstance(found, click.Group):
            yield from all_commands(found, (*words, name))


def test_the_help_lists_every_command_with_a_sentence(capsys):
    text = printed(capsys, "--help")
    assert text == printed(capsys, "-h")
    text = text.partition("Commands:")[2]
    for name in COMMANDS:
        line = next(line for line in text.splitlines() if line.startswith(f"  {name} "))
        assert len(line.split()) > 3, line


@pytest.mark.parametrize("words", [words for words, _ in all_commands()], ids=" ".join)
def test_every_command_and_each_of_its_options_is_explained(words, capsys):
    text = printed(capsys, *words, "--help")
    assert text.startswith(f"Usage: paxsim {' '.join(words)} ")
    found = dict(all_commands())[words]
    assert found.help and found.help.rstrip().endswith((".", "?"))
    for parameter in found.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.opts[0] in text
            assert parameter.help or parameter.metavar, parameter.opts


def test_the_version_is_that_of_the_package(capsys):
    assert printed(capsys, "--version").strip().endswith(paxsim.__version__)


# --- decks and policies ---------------------------------------------------------------------


def test_deck_list_names_every_deck_with_its_assumption(capsys):
    text = printed(capsys, "deck", "list")
    words = text.split()
    for name in paxsim.list_decks():
        assert name in words
        assert paxsim.load_deck(name).note.split()[0] in words


def test_deck_show_counts_the_cards_of_each_kind(capsys):
    text = printed(capsys, "deck", "show", "assumed")
    assert paxsim.load_deck("assumed").fingerprint in text
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()}
    assert rows["category"] == ["1/1", "1/2", "2/3", "2/4", "cards", "symbols", "value"]
    assert rows["army"] == ["2", "4", "2", "2", "10", "14", "24"]
    assert rows["land"] == ["3", "4", "3", "2", "12", "17", "28"]


def test_deck_check_shows_an_owners_deck_and_how_to_use_it(folder, capsys):
    (folder / "mine.toml").write_text(deck_text())
    text = printed(capsys, "deck", "check", "mine.toml")
    assert "Deck mine, fingerprint" in text and all(name in text for name in CATEGORIES)
    assert text.endswith("mine.toml: fine; use it with --deck mine.toml\n")
    trace = printed(capsys, "trace", "--players", "2", "--deck", "mine.toml")
    assert json.loads(trace.splitlines()[0])["deck_name"] == "mine"


def test_policies_lists_name_idea_parameters_and_where_it_fits(capsys):
    text = " ".join(printed(capsys, "policies").split())
    for name in paxsim.list_policies():
        policy = paxsim.get_policy(name)
        assert name in text and policy.fits in text
        assert " ".join(policy.idea.split()[:2]) in text
    assert "breadth=" in text and "solo, 2-8 players" in text


def test_policies_describes_those_that_are_named(capsys):
    text = printed(capsys, "policies", "builder:breadth=9", "feeder")
    assert "builder (solo, 2-8 players; from paxsim.policies.builder)" in text
    assert "  breadth = 9\n" in text
    assert "feeder (2-8 players;" in text and "makes no sense there" in text
    assert "miser" not in text


# --- traces ---------------------------------------------------------------------------------

TRACE = ["trace", "--players", "3", "--policies", "random,first,builder", "--seed", "7"]


def test_a_trace_is_json_lines_from_setup_to_score(capsys):
    lines = printed(capsys, *TRACE, "--deal", "5", "--games", "2").splitlines()
    events = [json.loads(line) for line in lines]
    setups = [event for event in events if event["event"] == "setup"]
    assert [setup["game"] for setup in setups] == [
        {"deal": 5, "rotation": 0},
        {"deal": 6, "rotation": 0},
    ]
    assert events[0] is setups[0] and events[-1]["event"] == "score"
    assert sum(event["event"] == "score" for event in events) == 2


def test_a_file_gets_what_the_terminal_would(folder, capsys):
    expected = printed(capsys, *TRACE)
    (folder / "game.jsonl").write_text("something older")
    assert printed(capsys, *TRACE, "--out", "game.jsonl") == ""
    assert (folder / "game.jsonl").read_text() == expected
    assert [path.name for path in folder.iterdir()] == ["game.jsonl"]


def test_a_solo_game_needs_only_its_level(capsys):
    lines = printed(capsys, "trace", "--solo-level", "3", "--policies", "hermit").splitlines()
    setup, score = json.loads(lines[0]), json.loads(lines[-1])
    assert (setup["players"], setup["solo_level"]) == (1, 3)
    assert isinstance(score["solo_won"], bool)


def test_a_reader_that_has_seen_enough_ends_the_command_quietly():
    words = " ".join(f"'{word}'" for word in [*COMMAND, "trace", "--games", "300"])
    done = subprocess.run(["bash", "-c", f"{words} | head -n 1"], capture_output=True, text=True)
    assert done.stdout.startswith('{"event": "setup"') and done.stderr == ""


# --- bad input ------------------------------------------------------------------------------

BAD_INPUT = {
    "no players": (["trace", "--players", "0"], "players", "0", "from 1 to 8"),
    "nine players": (["trace", "--players", "9"], "players", "9", "from 1 to 8"),
    "players in words": (["trace", "--players", "four"], "--players", "'four'", "integer"),
    "too few policies": (["trace", "--players", "3", "--policies", "first,first"], "policies",
                         "found 2 for 3 players", "3, or one that plays every seat"),
    "an empty policy": (["trace", "--policies", "first,,first"], "policies", "'first,,first'",
                        "A,B,C"),
    "unknown policy": (["trace", "--policies", "buidler"], "policy", "'buidler'", "builder"),
    "unknown policy to check": (["check", "buidler"], "policy", "'buidler'", "builder"),
    "unknown policy to list": (["policies", "buidler"], "policy", "'buidler'", "builder"),
    "unknown parameter": (["trace", "--policies", "builder:bread=1"], "parameter", "'bread'",
                          "breadth"),
    "missing policy file": (["check", "none.py:mine"], "policy", "none.py", "No such file"),
    "unknown deck": (["trace", "--deck", "asumed"], "deck", "'asumed'", "assumed"),
    "unknown deck to show": (["deck", "show", "asumed"], "deck", "'asumed'", "assumed"),
    "missing deck file": (["deck", "check", "none.toml"], "deck", "none.toml", "No such file"),
    "unknown category": (["deck", "check", "category.toml"], "category", "'gold'", "wealth"),
    "wrong counts": (["deck", "check", "counts.toml"], "count", "land 11 instead of 12",
                     "complete = false"),
    "wrong counts in a game": (["trace", "--deck", "counts.toml"], "count",
                               "land 11 instead of 12", "complete = false"),
    "a deck that does not parse": (["deck", "check", "broken.toml"], "deck", "broken.toml",
                                   "not valid TOML"),
    "rules that do not parse": (["trace", "--rules", "broken.toml"], "rules", "broken.toml",
                                "not valid TOML"),
    "unknown rule": (["trace", "--rules", "rome_need=5"], "field", "'rome_need'", "rome_needs"),
    "unknown rule in a file": (["trace", "--rules", "rules.toml"], "field", "'rome_need'",
                               "rome_needs"),
    "a rule out of range": (["trace", "--rules", "rome_needs=9"], "rome_needs", "9",
                            "from 0 to 8"),
    "a rule that is no number": (["trace", "--rules", "rome_needs=many"], "rome_needs", "'many'",
                                 "whole number"),
    "a rule with no value": (["trace", "--rules", "rome_needs"], "rules", "'rome_needs'",
                             "field=value"),
    "a level with two players": (["trace", "--players", "2", "--solo-level", "1"], "solo-level",
                                 "level 1 with 2 players", "1 player"),
    "unknown level": (["trace", "--solo-level", "6"], "solo-level", "6", "from 1 to 5"),
    "a negative seed": (["trace", "--seed", "-1"], "seed", "-1", "from 0"),
    "a negative deal": (["trace", "--deal", "-1"], "deal", "-1", "from 0"),
    "no games": (["trace", "--games", "0"], "games", "0", "a positive whole number"),
    "a rotation too far": (["trace", "--players", "2", "--rotation", "2"], "rotation", "2",
                           "from 0 to 1"),
    "no deals to check": (["check", "first", "--deals", "0"], "deals", "0", "from 1"),
    "no patience": (["check", "first", "--patience", "0"], "patience", "0", "above 0"),
    "out into nowhere": (["trace", "--out", "nowhere/game.jsonl"], "out", "nowhere/game.jsonl",
                         "No such file or directory"),
    "out is a folder": (["trace", "--out", "."], "out", ".", "the name of a file"),
    "out below a file": (["trace", "--out", "rules.toml/game.jsonl"], "out",
                         "rules.toml/game.jsonl", "Not a directory"),
    "a game without a run": (["trace", "--game", "3"], "game", "without a run", "--run DIR"),
    "unknown command": (["tracé"], "command", "'tracé'", ""),
    "unknown option": (["trace", "--player", "3"], "option", "--player", "--players"),
    "a missing argument": (["check"], "argument", "'POLICY'", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_one_line_and_leaves_nothing_behind(name, folder, capsys):
    arguments, field, found, allowed = BAD_INPUT[name]
    (folder / "category.toml").write_text(deck_text().replace("intrigue", "gold"))
    (folder / "counts.toml").write_text(deck_text({"land": 11}))
    (folder / "broken.toml").write_text('name = "x\n')
    (folder / "rules.toml").write_text("rome_need = 5\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run_command(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("paxsim: ") and err.count("\n") == 1 and "Traceback" not in err
    for part in (field, found, allowed):
        assert part.lower() in err.lower(), err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_mistake_ends_the_process_with_code_2_and_no_traceback(folder):
    done = command("trace", "--players", "9", "--out", "game.jsonl", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "paxsim: players must be between 1 and 8, got 9\n"
    assert list(folder.iterdir()) == []


def test_a_command_whose_libraries_are_not_installed_says_how_to_get_them():
    code = """
import sys
sys.modules["pandas"] = None
sys.argv = ["paxsim", "run", "--games", "10"]
from paxsim.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == ("paxsim: run needs pandas, which is not installed: pip install paxsim\n")
