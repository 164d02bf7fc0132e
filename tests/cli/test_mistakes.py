"""Mistakes in commands: one line that names the problem, exit code 2, and no file left behind."""

import subprocess
import sys

import pytest
from support.commands import mistake
from support.commands import paxsim as command
from support.user_files import write_deck, write_policy

from paxsim.cli import run_command

#: Commands with parts of the expected message.
MISTAKES = [
    # commands and options
    ("tracé", "unknown command 'tracé'"),
    ("rnu", "did you mean 'run'?"),
    ("tournement --games 3", "did you mean 'tournament'?"),
    ("deck shw", "did you mean 'show'?"),
    ("run --gmaes 5", "--games"),
    ("trace --player 3", "--players"),
    ("check", "POLICY"),
    ("compare random", "'B'"),
    ("ablate", "--without"),
    ("metagame", "--policies"),
    ("completion tcsh", "bash, zsh, fish"),
    # numbers
    ("run --players 9", "players must be between 1 and 8, got 9"),
    ("run --players 4-2", "smaller number"),
    ("run --players two", "players must be numbers"),
    ("trace --players four", "'four'"),
    ("run --games 0", "games must be"),
    ("run --games 2.5", "games must be"),
    ("trace --games 2kk", "games must be"),
    ("bench --games many", "games must be"),
    ("bench --jobs 0", "jobs must be"),
    ("run --jobs 0", "jobs"),
    ("run --seed -1", "seed"),
    ("trace --seed x", "--seed"),
    ("trace --deal -1", "deal must be"),
    ("trace --players 2 --rotation 2", "rotation must be between 0 and 1"),
    ("trace --solo-level 6", "solo-level must be between 1 and 5"),
    ("trace --players 2 --solo-level 1", "solo-level"),
    ("solo --levels 6", "levels"),
    ("tournament --players 1", "players"),
    ("compare random first --players 1", "players"),
    ("run --precision little", "precision must be"),
    ("run --precision 0", "precision must be above 0% and below 50% (0.5), got 0% (0)"),
    ("run --precision 200%", "got 200% (2)"),
    ("run --players 1 --policies first,first", "policies must be 1 for 1 player, or"),
    ("run --precision 1% --players 2,3 --policies random", "precision"),
    ("compare random first --delta 150%", "delta"),
    ("check first --deals 0", "deals must be"),
    ("check first --patience 0", "patience"),
    ("tune builder --generations 0", "generations must be"),
    ("play --port 70000", "port must be"),
    ("play --seat 5", "seat must be between 1 and 4"),
    ("play --seat 1,1", "seat must be different"),
    # policies
    ("run --policies rnadom", "did you mean 'random'?"),
    ("check buidler", "did you mean 'builder'?"),
    ("policies buidler", "did you mean 'builder'?"),
    ("trace --policies builder:bread=1", "breadth"),
    ("trace --policies first,,first", "'first,,first'"),
    ("trace --players 3 --policies first,first", "policies"),
    ("run first random --policies first", "not both"),
    ("tournament random", "two or more"),
    ("tournament random random", "different"),
    ("metagame --policies random", "two or more"),
    ("check none.py:mine", "No such file"),
    ("tune builder --goal win", "did you mean 'wins'?"),
    ("tune builder --params bread", "breadth"),
    ("play --players 2 --seat 1,2 --policies first", "policies can't be used"),
    ("run --backend cluster", "unknown backend 'cluster'"),
    # decks and rules
    ("trace --deck asumed", "did you mean 'assumed'?"),
    ("deck show asumed", "did you mean 'assumed'?"),
    ("deck check none.toml", "No such file"),
    ("deck check category.toml", "did you mean 'land'?"),
    ("deck check counts.toml", "complete = false"),
    ("deck check broken.toml", "not valid TOML"),
    ("trace --rules broken.toml", "not valid TOML"),
    ("trace --rules rules.toml", "did you mean 'rome_needs'?"),
    ("run --rules rome_need=5", "did you mean 'rome_needs'?"),
    ("run --rules rome_needs=9", "rome_needs must be between 0 and 8, got 9"),
    ("run --rules rome_needs=many", "'many'"),
    ("run --rules rome_needs", "field=value"),
    ("compare-rules rome_needs", "RULE=A..B"),
    ("compare-rules rome_needs=4...6", "4..7"),
    ("compare-rules rome_needs=5..4", "ascending"),
    ("compare-rules tie=money tie=shared", "twice"),
    ("compare-rules tie=money --policies first --strategies first,random", "not both"),
    ("ablate --without peeek", "did you mean 'peek'?"),
    ("ablate --without peek --generations 3", "--tuned"),
    ("ablate --without peek --tuned --seats all", "--tuned"),
    # files
    ("trace --out nowhere/game.jsonl", "No such file or directory"),
    ("trace --out .", "is a folder"),
    ("trace --out rules.toml/game.jsonl", "Not a directory"),
    ("replay --out nowhere/game.html", "No such file or directory"),
    ("analyse --out nowhere/game.html", "No such file or directory"),
    ("play --terminal --save rules.toml/game.json", "save: cannot write rules.toml/game.json"),
    ("run --csv rules.toml/tables", "csv: cannot write"),
    ("run --out rules.toml/run", "out: cannot write"),
    ("show nowhere", "nowhere"),
    ("replay none.jsonl", "No such file"),
    ("play --resume none.json", "No such file"),
    ("study nothing", "unknown study 'nothing'"),
    ("report --study nothing", "unknown study 'nothing'"),
    # options without effect
    ("trace --game 3", "--game can't be used without --run"),
    ("trace --run somewhere --seed 3", "--seed can't be used with --run"),
    ("trace --trust-policies", "--trust-policies can't be used without --run"),
    ("replay --trust-policies", "--trust-policies can't be used without a run"),
    ("analyse --games 2 --trust-policies", "--trust-policies can't be used without a run"),
    ("play --trust-policies", "--trust-policies can't be used without --resume"),
    ("tune builder --levels 3", "--levels can't be used without --goal solo"),
    ("tune builder --goal solo --players 3", "--players can't be used with --goal solo"),
    ("tune builder --goal solo --coalition 2", "--coalition can't be used with --goal solo"),
    ("tune builder --goal solo --opponents first", "--opponents can't be used with --goal solo"),
    ("replay --number 2", "--number can't be used"),
    ("replay --game 2", "--game can't be used"),
    ("play --resume none.json --seed 3", "--seed can't be used with --resume"),
    ("analyse --csv tables", "--csv can't be used without --games"),
    ("analyse --games 2 --deal 3", "--deal can't be used with --games"),
]


@pytest.mark.parametrize(("words", "part"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_mistake_is_one_line_and_leaves_nothing(words, part, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deck = write_deck(tmp_path / "counts.toml").read_text().replace("complete = false\n", "")
    (tmp_path / "counts.toml").write_text(deck)
    (tmp_path / "category.toml").write_text(deck.replace('"land"', '"lnad"'))
    (tmp_path / "broken.toml").write_text('name = "x\n')
    (tmp_path / "rules.toml").write_text("rome_need = 5\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert part in mistake(capsys, *words.split())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_process_ends_with_code_2_and_one_line(tmp_path):
    done = command("trace", "--players", "9", "--out", "game.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "paxsim: players must be between 1 and 8, got 9\n"
    assert list(tmp_path.iterdir()) == []


def test_missing_library_is_named_with_its_installation():
    code = """
import sys
sys.modules["pandas"] = None
sys.argv = ["paxsim", "run", "--games", "10"]
from paxsim.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "paxsim: run needs pandas, which is not installed: pip install paxsim\n"


@pytest.mark.parametrize(
    "words",
    ["run --games 4 --out {long}", "run --games 4 --csv {long}", "trace --out {long}",
     "show {long}", "trace --run {long}",
     "run --deck {long}.toml", "run --rules {long}.toml", "check {long}.py"],
)  # fmt: skip
@pytest.mark.parametrize("long", ["x" * 300, "x/" * 3000 + "x"], ids=["name", "path"])
def test_too_long_path_is_one_line(words, long, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "File name too long" in mistake(capsys, *words.format(long=long).split())
    assert not list(tmp_path.iterdir())


def test_policies_of_the_same_name_are_refused(tmp_path, capsys):
    files = [write_policy(tmp_path / f"file{i}.py", "twin", answer=f"{i} * 0") for i in (0, 1)]
    specs = ",".join(f"{file}:twin" for file in files)
    out = tmp_path / "run"
    assert "twin" in mistake(capsys, "run", "--policies", specs, "--games", "10", "--out", out)
    assert not out.exists()


def test_failing_policy_is_reported_below_its_trace(tmp_path, capsys):
    file = write_policy(tmp_path / "outside.py", "outside", answer="choice.count")
    words = ["trace", "--players", "2", "--policies", f"{file},first"]
    assert run_command(words) == 2
    out, err = capsys.readouterr()
    assert out.startswith('{"event": "setup"') and err.count("\n") == 1
    assert "policy outside" in err and "paxsim trace" not in err
    assert "paxsim trace" in mistake(capsys, *words, "--out", tmp_path / "game.jsonl")
    assert not (tmp_path / "game.jsonl").exists()
