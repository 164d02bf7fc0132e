"""The commands that play experiments, as a user meets them."""

import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.commands import COMMAND, paxsim, start

from paxsim.cli import EXIT_INTERRUPTED, run_command

PLAIN = ["--policies", "random,first", "--games", "400", "--seed", "3"]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored") / "run"
    assert run_command(["run", *PLAIN, "--out", str(folder)]) == 0
    return folder


@pytest.mark.whole
def test_json_is_one_object_in_which_only_timing_varies(tmp_path):
    texts = [
        paxsim("run", *PLAIN, "--json", *how).stdout
        for how in (
            ["--jobs", "1"],
            ["--jobs=2", "--out", tmp_path / "run", "--chunk-games", "100", "--csv", tmp_path],
        )
    ]
    found = [json.loads(text) for text in texts]
    assert all(text.count("\n") == 1 for text in texts)
    assert [list(one) for one in found] == [["manifest", "tables", "timing"]] * 2
    assert found[0]["manifest"] == found[1]["manifest"]
    assert found[0]["tables"] == found[1]["tables"]
    assert [one["timing"]["jobs"] for one in found] == [1, 2]
    table = found[0]["tables"]["strategies"]
    assert [row["strategy"] for row in table] == ["random", "first"]
    assert {"win_rate", "win_rate_low", "win_rate_high", "fair_share", "games"} <= table[0].keys()
    assert (tmp_path / "strategies.csv").read_text().startswith("players,solo_level,lineup")
    index = json.loads((tmp_path / "tables.json").read_text())
    assert index["manifest"]["plan"]["seed"] == 3 and "strategies.csv" in index["tables"]


def test_a_piped_run_writes_its_tables_to_stdout_and_nothing_else():
    done = paxsim("run", *PLAIN)
    assert done.returncode == 0 and done.stderr == ""
    last = done.stdout.splitlines()[-1]
    assert re.search(
        r"400 games in 200 blocks, seed 3, deck assumed \[[0-9a-f]{12}\], "
        r"rules as published \[[0-9a-f]{12}\], paxsim \d",
        last,
    )
    assert re.search(r"^Rome wins [\d.]+ ± [\d.]+ % .* rounds", done.stdout, re.MULTILINE)


def in_a_terminal(columns, *arguments):
    """What a command writes to a terminal of a certain width, bar and all."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=slave,
        stderr=slave,
        stdin=slave,
        cwd="/",
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm"},
    )
    os.close(slave)
    text = b""
    try:
        while data := os.read(master, 65536):
            text += data
    except OSError:  # how Linux says that the other end is closed
        pass
    assert process.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    return [line for part in plain.split("\n") for line in part.split("\r") if line.strip()]


@pytest.mark.whole
def test_at_80_columns_nothing_is_cut_off_and_the_bar_shows_rate_time_and_wins():
    lines = in_a_terminal(
        80, "run", "--players", "4", "--games", "400000", "--chunk-games", "2000",
        "--policies", "random,first,random,first",
    )  # fmt: skip
    bars = [line for line in lines if "wins %" in line]
    assert any(re.search(r"\d+%.*\d:\d\d.*games/s.*wins %.*random \d", line) for line in bars)
    table = [line for line in lines if line not in bars and "compiling" not in line]
    assert max(len(line.rstrip()) for line in table[:-2]) <= 80
    assert not any("…" in line for line in table)
    assert any("random (x2)" in line for line in table)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run --games 0", "games: found '0'"),
        ("run --games 2.5", "games: found '2.5'"),
        ("run --games many", "games: found 'many'"),
        ("run --games 1e15", "games"),
        ("run --players 3 --policies random,first", "policies: 3 players need"),
        ("run --players 9", "players: found 9"),
        ("run --players 4-2", "smaller number first"),
        ("run --players two", "players: found 'two'"),
        ("run --policies rnadom", "did you mean 'random'"),
        ("run --policies random,,first", "empty name"),
        ("run --deck asumed", "did you mean 'assumed'"),
        ("run --rules rome_need=5", "rome_needs"),
        ("run --jobs 0", "jobs: found 0"),
        ("run --backend cluster", "unknown backend 'cluster'"),
        ("run --precision 0", "precision"),
        ("run --precision little", "precision: found 'little'"),
        ("run --precision 1% --players 2,3 --policies random", "one at a time"),
        ("run --players 2 --precision 0.01% --games 1000", "would take about"),
        ("run --seed -1", "seed: found -1"),
        ("run --gmaes 5", "--games"),
        ("run --csv /dev/null/tables", "csv: cannot write"),
        ("run --out /dev/null/run", "out: cannot write"),
        ("tournament --policies random", "two or more"),
        ("tournament --policies random,random", "all different"),
        ("tournament --players 1", "2 to 8"),
        ("compare random first --players 1", "2 to 8"),
        ("compare random first --field first,first --players 2", "field: found 2"),
        ("compare random first --delta 150%", "delta"),
        ("compare random", "Missing argument"),
        ("solo --levels 6", "levels: found 6"),
        ("solo --levels 2-1", "levels: found '2-1'"),
        ("show /nowhere", "cannot read"),
        ("trace --run /nowhere --game 1", "cannot read"),
        ("trace --game 1", "game"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, words, capsys):
    assert run_command(arguments.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("paxsim: ")
    assert words in err


def test_two_policies_of_one_name_are_refused(tmp_path, capsys):
    files = []
    for number in (0, 1):
        file = tmp_path / f"file{number}.py"
        file.write_text(
            f"import paxsim\n\n@paxsim.policy\ndef twin(table, me, choice):\n"
            f"    return {number} * 0\n"
        )
        files.append(f"{file}:twin")
    out = tmp_path / "run"
    assert (
        run_command(["run", "--policies", ",".join(files), "--games", "10", "--out", str(out)]) == 2
    )
    err = capsys.readouterr().err
    assert "policy twin is defined in both" in err and err.count("\n") == 1
    assert not out.exists()


@pytest.mark.whole
def test_ctrl_c_stops_within_seconds_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    out = tmp_path / "run"
    command = ["run", "--policies", "random,first", "--games", "4000000", "--chunk-games", "4000",
               "--jobs", "2", "--out", out]  # fmt: skip
    process = start(*command)
    while len(list(out.glob("chunks/bundle*"))) < 3 and process.poll() is None:
        time.sleep(0.01)
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert time.monotonic() - begin < 10  # a second or two on a machine with nothing else to do
    assert process.returncode == EXIT_INTERRUPTED
    assert output == "" and "Traceback" not in errors
    assert re.fullmatch(
        r"paxsim: interrupted after [\d,]+ games; what is done is kept in .*: "
        r"the same command goes on from there\n",
        errors,
    )
    shown = paxsim("show", out)
    assert (
        shown.returncode == 0 and "of 4,000,000 games so far; to go on: paxsim run" in shown.stdout
    )
    assert not list(out.rglob(".*"))


def test_ctrl_c_before_anything_is_done_names_no_folder(tmp_path, capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("paxsim.tuning.tuner.tune", stopped)
    out = tmp_path / "tuning"
    words = ["tune", "racer", "--opponents", "builder", "--players", "3", "--out", str(out)]
    assert run_command(words) == EXIT_INTERRUPTED
    said = capsys.readouterr().err
    assert said == "paxsim: interrupted after 0 games; there is nothing to keep yet\n"


def test_show_prints_the_tables_of_the_run(stored, capsys):
    assert run_command(["run", *PLAIN, "--out", str(stored)]) == 0
    played = capsys.readouterr().out
    assert run_command(["show", str(stored)]) == 0
    shown = capsys.readouterr().out
    # All but the last line, which has the time it took.
    assert played.splitlines()[:-1] == shown.splitlines()[: len(played.splitlines()) - 1]
    assert "made by: " in shown


def test_the_game_that_a_row_names_can_be_replayed(stored, capsys):
    assert run_command(["show", str(stored), "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    for row in tables["seat_strategies"]:
        assert run_command(["trace", "--run", str(stored), "--game", str(row["example_game"])]) == 0
        events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert events[0]["seed"] == 3
        assert events[0]["policies"][row["seat"] - 1] == row["strategy"]
        assert row["seat"] in events[-1]["winners"]


@pytest.mark.whole
def test_a_policy_that_has_changed_since_is_said_when_its_game_is_replayed(tmp_path, capsys):
    file = tmp_path / "mine.py"
    text = "import paxsim\n\n@paxsim.policy\ndef altered(table, me, choice):\n    return {}\n"
    file.write_text(text.format(0))
    out = str(tmp_path / "run")
    policies = f"{file}:altered,random"
    assert paxsim("run", "--policies", policies, "--games", "4", "--out", out).returncode == 0
    assert run_command(["trace", "--run", out, "--game", "1"]) == 0
    file.write_text(text.format("choice.count - 1"))
    capsys.readouterr()
    assert run_command(["trace", "--run", out, "--game", "1"]) == 2
    assert "policy altered has changed since" in capsys.readouterr().err


def test_plan_says_how_many_games_it_takes_and_plays_none(capsys):
    assert run_command(["run", "--policies", "random,first", "--precision", "2%", "--plan"]) == 0
    assert "±2% takes about" in capsys.readouterr().out
    assert (
        run_command(["compare", "first", "random", "--players", "2", "--delta", "2%", "--plan"])
        == 0
    )
    assert "takes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "tables"),
    [
        ("tournament --policies random,first --players 2-3 --games 60",
         {"standings", "payoffs", "ratings"}),
        ("compare first random --players 2 --games 80 --delta 1%", {"comparison"}),
        ("solo --policies random --levels 1-2 --games 50", {"levels", "campaigns"}),
        ("metagame --policies random,first --players 2 --games 60",
         {"states", "coalitions", "payoffs"}),
    ],
)  # fmt: skip
def test_every_question_has_its_tables(arguments, tables, capsys):
    assert run_command([*arguments.split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["tables"]
    common = {"strategies", "seats", "seat_strategies", "rome", "points", "games"}
    assert set(found) == tables | common
    for name in tables:
        assert all({"games", "blocks", "deck", "rules"} <= row.keys() for row in found[name]), name
    assert run_command(arguments.split()) == 0
    assert "nan" not in capsys.readouterr().out


def test_ratings_are_of_strategies_alone_and_say_how_well_they_fit(capsys):
    words = ["--policies", "random,first", "--players", "2", "--games", "400", "--json"]
    assert run_command(["tournament", *words]) == 0
    ratings = json.loads(capsys.readouterr().out)["tables"]["ratings"]
    assert {row["strategy"] for row in ratings} == {"random", "first"}
    assert all(row["readable"] == (row["sure_misfit"] <= 0.05) for row in ratings)
    assert all(row["rating_low"] <= row["rating"] <= row["rating_high"] for row in ratings)


def test_a_permuted_run_can_be_watched_and_kept(tmp_path: Path, capsys):
    out = str(tmp_path / "run")
    words = "run --policies random,first,random --permutations --precision 5% --games 30000"
    assert run_command([*words.split(), "--out", out]) == 0
    first = capsys.readouterr().out
    assert "hold while watched" in first
    assert run_command(["show", out]) == 0
    assert "made by" in capsys.readouterr().out
