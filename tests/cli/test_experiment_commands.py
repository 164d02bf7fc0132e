"""Commands that play experiments: tables, stored runs, resuming and replaying their games."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from support.commands import COMMAND, mistake, paxsim, start
from support.user_files import write_policy

from paxsim.cli import EXIT_INTERRUPTED, run_command

PLAIN = ["--policies", "random,first", "--games", "400", "--seed", "3"]
#: Games, blocks, seed, deck, rules and version.
PROVENANCE = (
    r"400 games in 200 blocks · seed 3 · deck assumed \[[0-9a-f]{12}\] · published rules · "
    r"paxsim \d\S*"
)


def printed(capsys, *words):
    assert run_command(list(map(str, words))) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored") / "run"
    assert run_command(["run", *PLAIN, "--out", str(folder)]) == 0
    return folder


def test_run_prints_tables_rome_and_provenance(capsys):
    lines = printed(capsys, "run", *PLAIN).splitlines()
    assert lines[0].startswith("2 players")
    assert re.fullmatch(PROVENANCE, lines[-2])
    assert re.fullmatch(r"[\d.]+ s, [\d,]+ games/s", lines[-1])
    assert any(re.match(r"Rome wins [\d.]+( ± [\d.]+%|%)", line) for line in lines)


@pytest.mark.whole
def test_json_is_one_object_in_which_only_timing_varies(tmp_path):
    texts = [
        paxsim("run", *PLAIN, "--json", *options).stdout
        for options in (
            ["--jobs", "1"],
            ["--jobs=2", "--out", tmp_path / "run", "--chunk-games", "100", "--csv", tmp_path],
        )
    ]
    assert all(text.count("\n") == 1 for text in texts)
    first, second = map(json.loads, texts)
    assert list(first) == ["manifest", "tables", "timing"]
    assert first["tables"] == second["tables"]
    table = first["tables"]["strategies"]
    assert [row["strategy"] for row in table] == ["random", "first"]
    assert {"win_rate", "win_rate_low", "win_rate_high", "fair_share", "games"} <= table[0].keys()
    assert (tmp_path / "strategies.csv").read_text().startswith("players,solo_level,lineup")


@pytest.mark.parametrize(
    ("arguments", "tables"),
    [
        ("tournament --policies random,first --players 2-3 --games 60",
         {"standings", "payoffs", "ratings"}),
        ("compare first random --players 2 --games 80", {"comparison"}),
        ("compare first random --opponents first --until-decided --delta 1% --games 80",
         {"comparison"}),
        ("solo --policies random --levels 1-2 --games 50", {"levels", "campaigns"}),
        ("metagame --policies random,first --players 2 --games 60",
         {"states", "coalitions", "payoffs"}),
        ("compare-rules rome_needs=5 --policies first --players 2 --games 40", set()),
        ("ablate --without peek --policies first,random --games 40", {"restrictions"}),
        ("run first --permutations --precision 5% --games 3000", set()),
    ],
)  # fmt: skip
def test_every_experiment_prints_its_tables(arguments, tables, capsys):
    found = json.loads(printed(capsys, *arguments.split(), "--json"))["tables"]
    assert tables <= set(found)
    for name in tables:
        assert found[name] and {"games", "blocks", "deck"} <= found[name][0].keys(), name
    assert "nan" not in printed(capsys, *arguments.split())


def test_plan_prints_the_number_of_games_and_plays_none(capsys):
    for words in ("run random first --precision 2%", "compare first random --delta 2%"):
        text = printed(capsys, *words.split(), "--plan")
        assert re.search(r"\d games", text) and "Rome wins" not in text


@pytest.mark.parametrize("words", ["run", "run first", "run --policies first"])
def test_single_policy_plays_four_seats(words, capsys):
    lines = printed(capsys, *words.split(), "--games", "8", "--jobs", "1").splitlines()
    assert lines[0].startswith("4 players")
    solo = [*words.split(), "--solo-level", "2", "--games", "8"]
    assert printed(capsys, *solo).startswith("Solo")


@pytest.mark.parametrize(
    "words",
    ["run first random --games 8", "tournament first random --players 2 --games 8",
     "solo first random --games 4 --levels 1"],
)  # fmt: skip
def test_policies_can_be_arguments(words, capsys):
    out = printed(capsys, *words.split(), "--jobs", "1")
    assert "first" in out and "random" in out


def test_speed_is_that_of_the_games_played_now(tmp_path, capsys):
    out = [*PLAIN, "--out", str(tmp_path / "run"), "--games"]
    assert [run_command(["run", *out, games]) for games in ("400", "600")] == [0, 0]
    lines = [capsys.readouterr().out.splitlines()[-1]]
    lines.append(printed(capsys, "run", *out, "600").splitlines()[-1])
    assert re.fullmatch(r"[\d.]+ s, [\d,]+ games/s \(200 games played now\)", lines[0])
    assert re.fullmatch(r"[\d.]+ s, all games were stored", lines[1])


def test_show_prints_the_tables_of_the_run(stored, capsys):
    played = printed(capsys, "run", *PLAIN, "--out", stored).splitlines()
    shown = printed(capsys, "show", stored).splitlines()
    assert shown[: len(played) - 1] == played[:-1]  # the last line has the speed
    assert re.match(PROVENANCE, played[-2])


def test_example_game_of_a_row_can_be_replayed(stored, capsys, tmp_path):
    tables = json.loads(printed(capsys, "show", stored, "--json"))["tables"]
    for row in tables["seat_strategies"]:
        game = ["--game", row["example_game"]]
        lines = printed(capsys, "trace", "--run", stored, *game).splitlines()
        events = [json.loads(line) for line in lines]
        assert events[0]["policies"][row["seat"] - 1] == row["strategy"]
        assert row["seat"] in events[-1]["winners"]
        printed(capsys, "replay", stored, *game, "--out", tmp_path / "game.html")
        assert "<!DOCTYPE html>" in (tmp_path / "game.html").read_text("utf-8")


@pytest.mark.whole
def test_replay_needs_consent_and_the_same_policy(tmp_path, capsys):
    file, out = write_policy(tmp_path / "mine.py", "altered"), tmp_path / "run"
    policies = f"{file}:altered,random"
    assert paxsim("run", "--policies", policies, "--games", "4", "--out", out).returncode == 0
    words = ["trace", "--run", str(out), "--game", "1"]
    assert "--trust-policies" in mistake(capsys, *words)
    assert run_command([*words, "--trust-policies"]) == 0
    write_policy(file, "altered", answer="choice.count - 1")
    capsys.readouterr()
    assert run_command([*words, "--trust-policies"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "altered" in err and err.count("\n") == 1


@pytest.mark.whole
def test_ctrl_c_stops_a_run_that_can_be_resumed(tmp_path):
    out = tmp_path / "run"
    command = ["run", "--policies", "random,first", "--games", "4000000", "--chunk-games", "4000",
               "--jobs", "2", "--out", out]  # fmt: skip
    process = start(*command)
    while len(list(out.glob("chunks/*"))) < 3 and process.poll() is None:
        time.sleep(0.01)
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert time.monotonic() - begin < 10
    assert (process.returncode, output) == (EXIT_INTERRUPTED, "")
    last = errors.splitlines()[-1]
    assert re.match(r"paxsim: interrupted after [\d,]+ games; .* to resume$", last)
    assert str(out) in last and "Traceback" not in errors
    shown = paxsim("show", out)
    assert shown.returncode == 0 and "paxsim run" in shown.stdout.splitlines()[-1]
    assert not list(out.rglob(".*"))


def test_ctrl_c_before_anything_is_stored(tmp_path, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("paxsim.tuning.tuner.tune", interrupt)
    words = ["tune", "racer", "--players", "3", "--out", str(tmp_path / "tuning")]
    assert run_command(words) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == ("paxsim: interrupted after 0 games; nothing is stored yet\n")


def test_trace_writes_json_lines_from_setup_to_score(tmp_path, capsys):
    words = "trace --players 3 --policies random,first,builder --seed 7 --deal 5 --games 0.002k"
    text = printed(capsys, *words.split())
    events = [json.loads(line) for line in text.splitlines()]
    setups = [event["game"] for event in events if event["event"] == "setup"]
    assert setups == [{"deal": 5, "rotation": 0}, {"deal": 6, "rotation": 0}]
    assert sum(event["event"] == "score" for event in events) == 2
    file = tmp_path / "game.jsonl"
    file.write_text("older")
    assert printed(capsys, *words.split(), "--out", file) == ""
    assert file.read_text() == text and list(tmp_path.iterdir()) == [file]
    sentences = printed(capsys, *words.split(), "--text").splitlines()
    assert len(sentences) == len(events) and not sentences[0].startswith("{")


def test_solo_trace_needs_only_its_level(capsys):
    lines = printed(capsys, "trace", "--solo-level", "3", "--policies", "hermit").splitlines()
    setup, score = json.loads(lines[0]), json.loads(lines[-1])
    assert (setup["players"], setup["solo_level"]) == (1, 3)
    assert isinstance(score["solo_won"], bool)


def test_reader_of_a_pipe_that_leaves_ends_the_command_quietly():
    for words in (["trace", "--games", "300"], ["policies"]):
        quoted = " ".join(f"'{word}'" for word in [*COMMAND, *words])
        script = f"{quoted} | head -n 1; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
