"""Attacks by way of files and terminals: what others wrote is read and shown, and never obeyed.

Nothing that a user can do ends in a traceback: a mistake is one line and exit code 2.
"""

import io
import os
import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import COMMAND
from support.mistakes import mistake, write_deck

import paxsim
from paxsim import charts
from paxsim.cards import unpublished_cards
from paxsim.cli import run_command
from paxsim.cli.console import let_everything_be_written, print_table
from paxsim.errors import visible
from paxsim.experiment.result import as_csv


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Every test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- decks and rules ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["\x1b[31mred", "two\nlines", "bell\a", "\u202egnp", "nul\0", "c1 \x9b31m", "\u2028", ""],
)
def test_a_name_that_is_not_seen_as_it_is_is_refused(here, capsys, name):
    path = write_deck(here / "mine.toml", name=name)
    assert "deck mine.toml: name: found " in mistake(capsys, "deck", "show", path.name)
    with pytest.raises(paxsim.PaxsimError, match="name: found"):
        paxsim.Deck(name, (paxsim.Card("land", 1, 1),))


def test_a_note_may_have_lines_but_no_control_characters(here, capsys):
    write_deck(here / "fine.toml", note="counted\nby hand\t(twice)")
    assert run_command(["deck", "show", "fine.toml"]) == 0
    assert "counted by hand (twice)" in capsys.readouterr().out
    write_deck(here / "mine.toml", note="\x1b]0;title\a")
    assert "deck mine.toml: note: found " in mistake(capsys, "deck", "show", "mine.toml")


MARKUP = ["[/b]", "[my copy]", "[bold red]alarm[/]", "[link=x]", ":smile:", "a\\[b]", "[/]"]


@pytest.mark.parametrize("name", MARKUP)
def test_markup_in_names_and_notes_is_printed_as_it_stands(here, capsys, name):
    write_deck(here / "mine.toml", name=name, note=f"note {name}")
    for words in (
        ["deck", "show", "mine.toml"],
        ["deck", "check", "mine.toml"],
        ["run", "--policies", "random", "--players", "2", "--games", "4", "--deck", "mine.toml"],
        ["bench", "--games", "2", "--repeats", "1", "--deck", "mine.toml"],
    ):
        assert run_command(words) == 0
        assert name in capsys.readouterr().out


def test_markup_is_printed_wherever_a_table_has_text(capsys):
    print_table("[/b]", ["[a]", "[/c]"], [["[d]", "[/e]"], ["\x1b[1m", "x\ny"]], caption="[/f]")
    out = capsys.readouterr().out
    for text in ("[/b]", "[a]", "[/c]", "[d]", "[/e]", "[/f]", "\\x1b[1m", "x y"):
        assert text in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    "name", ["\x1b[31mred.toml", "two\nlines.toml", "\udcff.toml", "[/b].toml"]
)
def test_a_file_name_is_shown_and_not_obeyed(capsys, name):
    assert "deck: cannot read " in mistake(capsys, "deck", "show", name)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name = '\xff'", "is not a text file in UTF-8"),
        (b"\xff\xfen\0a\0", "is not a text file in UTF-8"),
        (b"x = " + b"[" * 5000, "is not valid TOML"),
        (b"x = " + b"1" * 5000, "is not valid TOML"),
        (b"x = {" * 400, "is not valid TOML"),
        (b"name = '\0'", "is not valid TOML"),
    ],
)
@pytest.mark.parametrize("option", ["--deck", "--rules"])
def test_a_damaged_toml_file_is_one_line(here, capsys, option, content, said):
    (here / "my.toml").write_bytes(content)
    assert said in mistake(capsys, "run", option, "my.toml", "--games", "4")


@pytest.mark.parametrize(
    ("symbols", "value", "beyond"),
    [(1, 1, None), (2, 4, None), (1, 9, "land/1/9"), (3, 2, "land/3/2"), (1, 0, "land/1/0")],
)
def test_deck_check_says_what_goes_beyond_what_is_published(here, capsys, symbols, value, beyond):
    write_deck(here / "mine.toml", symbols=symbols, value=value)
    assert run_command(["deck", "check", "mine.toml"]) == 0
    out = capsys.readouterr().out
    assert ("Outside what is published" in out) == (beyond is not None)
    assert (": fine;" in out) == (beyond is None)
    assert beyond is None or f"1 to 4): {beyond}\n" in out


def test_decks_of_the_package_stay_within_what_is_published(shipped_deck):
    assert unpublished_cards(shipped_deck) == []


# --- where results go -----------------------------------------------------------------------


def simulated(name):
    deck = paxsim.Deck(name, (paxsim.Card("land", 1, 1),) * 60)
    return paxsim.simulate("random,first", games=20, deck=deck)


@pytest.mark.parametrize("name", ["$x_{$", "$\\frac$ 100 $", "\\$ ^_{}"])
def test_dollars_in_names_are_no_formulas_in_charts(here, name):
    """Neither in the package's figures nor in one's own, which is drawn in another style."""
    result = simulated(name)
    table = result["rome"].assign(deck=[name])
    own = plt.figure(figsize=(2, 2)).add_subplot()
    charts.forest(table, "rome_wins", by="deck", label="x", title=name, ax=own)
    charts.seat_bars(result).figure.canvas.draw()
    own.figure.canvas.draw()
    charts.save(own.figure, here / "saved")
    assert name in own.get_title(loc="left") + own.get_title()
    assert [label.get_text() for label in own.get_yticklabels()] == [name]
    plt.close("all")


def test_numbers_are_written_as_they_are():
    table = pd.DataFrame({"n": [-1, 2], "x": [-0.5, None], "t": ["-1", "b"], "b": [True, False]})
    assert as_csv(table) == "n,x,t,b\n-1,-0.5,-1,True\n2,,b,False\n"


def test_a_script_in_a_name_is_text_in_html():
    html = simulated("<script>alert(1)</script>")._repr_html_()
    assert "<script" not in html and "&lt;script&gt;alert(1)" in html


FULL = Path("/dev/full")
NO_ROOM = "paxsim: cannot read or write the output: No space left on device\n"
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device here is always full")
PLAYED = "run --policies random,first --games 8"


@needs_full
@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "deck list",
        "trace --policies random,first",
        PLAYED,
        f"{PLAYED} --json",
        "policies",
    ],
)
def test_a_full_disk_behind_stdout_is_one_line(words, capsys, monkeypatch):
    with FULL.open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run_command(words.split()) == 2
    assert capsys.readouterr().err == NO_ROOM


@needs_full
def test_a_full_disk_is_not_complained_about_when_the_program_ends():
    with FULL.open("w") as full:
        done = subprocess.run(
            [*COMMAND, "deck", "list"], stdout=full, stderr=subprocess.PIPE, text=True
        )
        assert (done.returncode, done.stderr) == (2, NO_ROOM)
        both = subprocess.run([*COMMAND, "deck", "list"], stdout=full, stderr=full)
        assert both.returncode == 2


def test_streams_that_are_closed_are_no_reason_to_fail():
    script = [*COMMAND, "deck", "list"]
    closed = "import os, sys; os.close(1); os.close(2); os.execv(sys.argv[1], sys.argv[1:])"
    assert subprocess.run([sys.executable, "-c", closed, *script]).returncode == 0


def test_a_terminal_that_knows_few_characters_gets_the_rest_spelled_out(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    let_everything_be_written()
    assert run_command(PLAYED.split()) == 0
    assert b" \\xb1 " in raw.getvalue()


@pytest.fixture
def small_disk():
    """No file may grow beyond a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("option", ["--csv", "--out"])
def test_a_full_disk_behind_a_folder_is_one_line_and_leaves_no_half_file(
    here, capsys, small_disk, option
):
    words = ["run", "--policies", "random,first", "--games", "8", option, "folder"]
    small_disk()
    line = mistake(capsys, *words)
    assert "File too large" in line
    assert [path for path in Path("folder").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "words",
    [
        "run --games 4 --out {long}",
        "run --games 4 --csv {long}",
        "trace --out {long}",
        "show {long}",
        "show {long} --csv x",
        "trace --run {long}",
        "report --out {long}",
        "report --page-only --out {long}",
        "run --deck {long}.toml",
        "run --rules {long}.toml",
        "check {long}.py",
    ],
)
@pytest.mark.parametrize("long", ["x" * 300, "x/" * 3000 + "x"], ids=["long name", "long path"])
def test_an_over_long_path_is_one_line(capsys, here, words, long):
    line = mistake(capsys, *words.format(long=long).split())
    assert "File name too long" in line and len(line) < 7000
    assert not list(here.iterdir())


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(("flag", "said"), [(0, "Permission denied"),
                                            (os.ST_RDONLY, "Read-only file system")])  # fmt: skip
def test_why_a_file_cannot_be_written_is_said_alike(here, capsys, monkeypatch, there, flag, said):
    """Also before there is work to be lost (`analyse`), and where a file would be replaced."""
    if there:
        (here / "kept").write_text("mine")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=flag))
    monkeypatch.setattr("paxsim.analysis.analyse", None)  # the work is not begun
    game = ["--policies", "first", "--players", "2", "--out", "kept"]
    for words in (["analyse", *game], ["analyse", "--games", "2", *game], ["trace", *game]):
        assert mistake(capsys, *words) == f"paxsim: out: cannot write kept: {said}\n"
    words = ["run", "--games", "2", "--policies", "first", "--csv", "new"]
    assert f"csv: cannot write new/tables.json: {said}" in mistake(capsys, *words)
    assert [path.read_text() for path in here.iterdir()] == ["mine"] * there


def test_a_table_that_may_not_be_replaced_is_told_before_any_is(here, capsys, monkeypatch):
    words = ["run", "--games", "2", "--policies", "first", "--csv", "new"]
    assert run_command(words) == 0
    capsys.readouterr()
    before = {path: path.read_bytes() for path in (here / "new").iterdir()}
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "games.csv")
    said = mistake(capsys, *words, "--seed", "1")
    assert said == "paxsim: csv: cannot write new/games.csv: Permission denied\n"
    assert {path: path.read_bytes() for path in (here / "new").iterdir()} == before


@pytest.mark.parametrize("words", ["report --out", "report --page-only --out", "run --csv"])
def test_a_file_where_a_folder_should_be_is_one_line(here, capsys, words):
    (here / "file").write_text("mine")
    assert "file" in mistake(capsys, *words.split(), "file")
    assert (here / "file").read_text() == "mine"


# --- texts ----------------------------------------------------------------------------------


@given(st.text(st.characters()))
def test_what_is_shown_has_nothing_that_a_terminal_obeys(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 for c in shown)


def test_a_mistake_of_several_lines_is_printed_in_one(capsys):
    line = mistake(capsys, "deck", "show", "no\nsuch\x1b[31m deck")
    assert line.startswith("paxsim: deck: 'no\\nsuch\\x1b[31m deck' is unknown")
