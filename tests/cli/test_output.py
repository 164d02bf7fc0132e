"""Output in terminals, pipes and full disks; text of other people is shown but never obeyed."""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import COMMAND, mistake
from support.user_files import write_deck

from paxsim.cli import console, run_command
from paxsim.cli.console import escape_unencodable, print_view
from paxsim.errors import visible
from paxsim.table_views import rows_view

PLAYED = "run --policies random,first --games 8"
FULL = Path("/dev/full")
NO_ROOM = "paxsim: can't read or write the output: No space left on device\n"
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device here is always full")


@given(st.text(st.characters()))
def test_visible_text_has_no_control_characters(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 for c in shown)


def test_markup_in_tables_is_printed_as_it_stands(capsys):
    rows = [["[d]", "[/e]"], ["\x1b[1m", "x\ny"]]
    print_view(rows_view(["[a]", "[/c]"], rows, "[/b]", "[/f]"))
    out = capsys.readouterr().out
    for text in ("[/b]", "[a]", "[/c]", "[d]", "[/e]", "[/f]", "\\x1b[1m", "x y"):
        assert text in out
    assert "\x1b" not in out


def test_note_of_a_deck_is_printed_as_it_stands(tmp_path, capsys):
    path = write_deck(tmp_path / "mine.toml", note="[bold]by\nhand[/] :smile:")
    assert run_command(["deck", "show", str(path)]) == 0
    assert "[bold]by hand[/] :smile:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["\x1b[31mred.toml", "two\nlines.toml", "\udcff.toml", "[/b].toml"]
)
def test_file_name_in_a_message_is_printed_on_one_line(capsys, name):
    assert "deck: cannot read " in mistake(capsys, "deck", "show", name)


def table_at(width, capsys, monkeypatch):
    """Return a table as a pipe of a certain width shows it."""
    monkeypatch.setattr(console, "PIPED_WIDTH", width)
    headings = ("strategy", "win rate %", "vs. fair", "with Rome %", "points")
    print_view(rows_view(headings, [("weighted", 12.345, "above", 11.123, 8.234)], "Title"))
    return " ".join(capsys.readouterr().out.split())


def test_narrow_table_names_the_columns_without_room(capsys, monkeypatch):
    assert "not enough room" not in table_at(100, capsys, monkeypatch)
    cells = {"win rate %": "12.3", "vs. fair": "above", "with Rome %": "11.1", "points": "8.2"}
    for width in range(8, 60):
        shown, _, hidden = table_at(width, capsys, monkeypatch).partition("not enough room for")
        assert [h in hidden for h in cells] == [c not in shown for c in cells.values()], width


@pytest.mark.whole
def test_terminal_of_80_columns_cuts_off_nothing():
    words = ["run", "--games", "800000", "--chunk-games", "2000", "--policies",
             "random,first,random,first"]  # fmt: skip
    master, slave = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    process = subprocess.Popen([*COMMAND, *words], cwd="/", env=environment, **streams)
    os.close(slave)
    text = b""
    try:
        while data := os.read(master, 65536):
            text += data
    except OSError:  # the other end is closed
        pass
    assert process.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    lines = [line for part in plain.split("\n") for line in part.split("\r") if line.strip()]
    bars = [line for line in lines if "games/s" in line][:-1]
    assert bars and all("%" in line for line in bars)
    table = [line.rstrip() for line in lines if line not in bars]
    rows = [line for line in table if "·" not in line]
    assert max(map(len, rows)) <= 80 and not any("…" in line for line in table)


@needs_full
@pytest.mark.parametrize(
    "words", ["--help", "deck list", "trace --policies random,first", PLAYED, "policies --json"]
)
def test_full_disk_behind_stdout_is_one_line(words, capsys, monkeypatch):
    with FULL.open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert run_command(words.split()) == 2
    assert capsys.readouterr().err == NO_ROOM


@needs_full
def test_full_disk_is_reported_once_by_the_process():
    command = [*COMMAND, "deck", "list"]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (2, NO_ROOM)
        assert subprocess.run(command, stdout=full, stderr=full).returncode == 2


def test_closed_streams_are_no_error():
    closed = "import os, sys; os.close(1); os.close(2); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", closed, *COMMAND, "deck", "list"]
    assert subprocess.run(command).returncode == 0


def test_characters_that_the_terminal_lacks_are_escaped(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    escape_unencodable()
    assert run_command(PLAYED.split()) == 0
    assert b" \\xb1 " in raw.getvalue()
