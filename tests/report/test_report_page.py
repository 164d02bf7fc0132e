"""A tiny report, built for real: its files, its page, and the page in a browser."""

import fcntl
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest
from markupsafe import escape
from numpy._core import _multiarray_umath as umath
from paxsim.report.examples import write_examples
from support.browser import visit
from support.small_report import SCALE, SEED, build_small, small_studies, small_subject

from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.report import budget
from paxsim.report.build import build_report
from paxsim.report.page import _how_often, _why, folded, short_answers, why_weak, write_page
from paxsim.report.study import SUMMARY
from paxsim.text import brief

pytestmark = pytest.mark.whole

#: The committed report.
REPORTS = Path(__file__).parent.parent.parent / "reports"


@pytest.fixture(scope="module")
def subject():
    return small_subject()


@pytest.fixture(scope="module")
def small():
    """Few decks and numbers of the rules."""
    with small_studies():
        yield


@pytest.fixture(scope="module")
def report(small, tmp_path_factory):
    """The folder of a report of a few hundred games a study, built by one worker for all."""
    base = tmp_path_factory.getbasetemp()
    out = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "report"
    out.mkdir(exist_ok=True)
    with open(out / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "index.html").exists():
            build_small(out)
    return out


@pytest.fixture(scope="module")
def html(report):
    return (report / "index.html").read_text("utf-8")


def test_games_to_watch_are_linked_and_open_on_a_board(report, html, subject, tmp_path):
    links = re.findall(r'href="(games/\w+\.html)"', html)
    assert len(set(links)) >= 2 and len(links) == 2 * len(set(links)), "at the top, and in a list"
    again = write_examples(tmp_path, subject, SEED)
    for page in again:
        assert page.read_bytes() == (report / "games" / page.name).read_bytes()
        assert page.stat().st_size < 400_000
    told = json.loads((report / "games" / "games.json").read_text("utf-8"))["games"]
    by_file = {game["file"]: game["said"] for game in told}
    assert "and wins:" in by_file["rome_wins.html"]
    assert "so the players win:" in by_file["players_win.html"]


def test_a_page_of_a_game_that_is_gone_is_said(report, tmp_path):
    shutil.copytree(report, tmp_path / "copy", ignore=shutil.ignore_patterns(".runs"))
    (tmp_path / "copy" / "games" / "rome_wins.html").unlink()
    with pytest.raises(PaxsimError, match="out: cannot read .*rome_wins.html: it is not there"):
        write_page(tmp_path / "copy")


class Page(HTMLParser):
    """Tags, and what is wrong with their nesting."""

    EMPTY = {"meta", "link", "img", "br", "source"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.wrong = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def test_every_study_writes_tables_charts_and_findings(report):
    for name in budget.STUDIES:
        summary = json.loads((report / name / "study.json").read_text("utf-8"))
        assert summary["findings"] and summary["charts"] and summary["tables"]
        for chart in summary["charts"]:
            assert (report / name / f"{chart['name']}.png").stat().st_size > 1000
            assert (report / name / f"{chart['name']}.svg").stat().st_size > 1000
        for table in summary["tables"]:
            written = pd.read_csv(report / name / f"{table['name']}.csv")
            assert len(written) or table["name"] == "beats"
            assert (written["seed"] == SEED).all()
            assert written["version"].notna().all()


def test_the_page_is_well_formed_and_self_contained(report, html):
    page = Page(html)
    assert not page.wrong and not page.open
    assert not re.search(r"(?:https?:)?//[a-z]", html.replace("</", ""))
    sources = [a.get("src") or a.get("href") for _, a in page.tags if "src" in a or "href" in a]
    files = [source for source in sources if not source.startswith(("data:", "#"))]
    kinds = {Path(name).suffix for name in files if not name.startswith("games/")}
    assert kinds == {".svg", ".png", ".csv"}, "what a browser shows, or saves as a table"
    assert all((report / name).exists() for name in files)


def test_everything_in_the_page_has_a_text(html):
    page = Page(html)
    assert len(page.all("img")) >= len(budget.STUDIES)
    assert all(len(image["alt"]) > 20 for image in page.all("img"))
    assert "<svg" not in html


#: A line of text in Matplotlib's SVG: where it begins, its size in hundreds of points, its glyphs.
_LINE = re.compile(r'="translate\(([-\d.]+) [-\d.]+\) scale\(([\d.]+) -[\d.]+\)">(.*?)</g>', re.S)


def cut_texts(folder):
    """Charts below a folder with a line of text that begins or ends outside the picture."""
    found = []
    for path in sorted(folder.glob("*/*.svg")):
        svg = path.read_text("utf-8")
        width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1])
        lines = [(float(x), float(size), glyphs) for x, size, glyphs in _LINE.findall(svg)]
        assert lines, path
        for x, size, glyphs in lines:
            places = [float(n) for n in re.findall(r"<use[^>]*translate\(([\d.]+) ", glyphs)]
            # The last glyph is at least half as wide as a digit.
            if x < 0 or x + size * (max(places, default=0) + 32) > width:
                found.append(f"{path.parent.name}/{path.name}")
    return sorted(set(found))


def test_no_text_of_a_chart_is_cut_at_its_edge(report):
    assert cut_texts(report) == []
    assert cut_texts(REPORTS) == []


def test_findings_that_are_alike_become_one_table_and_none_is_lost():
    findings = [{"key": f"best/{n}", "text": f"With {n} players, one wins.", "sure": n > 2,
                 "cells": {}} for n in (2, 3, 4)]  # fmt: skip
    findings += [{"key": "weak", "text": "With 4 players two lose.", "sure": True, "cells": {}},
                 {"key": "alone", "text": "Rome wins.", "sure": True, "cells": {}}]  # fmt: skip
    table, *others = folded(findings)
    assert table["heading"] == "players" and table["columns"] == ["what was found"]
    assert [(row["of"], row["cells"], row["sure"]) for row in table["rows"]] == [
        ("2", ["one wins."], False), ("3", ["one wins."], True), ("4", ["one wins."], True)
    ]  # fmt: skip
    assert [item["finding"]["key"] for item in others] == ["weak", "alone"]


def test_findings_that_say_it_by_heading_have_a_column_each_and_repeat_no_words():
    findings = [{"key": f"best/{n}", "text": f"With {n} players, it is {n}.", "sure": True,
                 "cells": {"it is": str(n)} | ({"more": "yes"} if n == 4 else {})}
                for n in (2, 3, 4)]  # fmt: skip
    (table,) = folded(findings)
    assert table["columns"] == ["it is", "more"]
    assert [row["cells"] for row in table["rows"]] == [["2", ""], ["3", ""], ["4", "yes"]]
    assert table["always"] == []
    for finding in findings:
        finding["cells"]["so"] = "it is just as it was before"
        finding["cells"]["rate"] = "100 % (at least 99.4 %)"
    (table,) = folded(findings)
    assert table["columns"] == ["it is", "rate", "more"], "a figure stays in its row"
    assert table["always"] == ["In all of these, so: it is just as it was before."]


def test_the_first_screen_answers_in_one_minute(report):
    """How often, on what it depends, who wins with it, and which number to change."""
    answers = short_answers(report, [2, 3, 4])
    assert list(answers) == ["How often does Rome win?", "Why?", "What does it depend on?",
                             "Who wins with it?", "Which number to change?"]  # fmt: skip
    rates = pd.read_csv(report / "rome_rate" / "rome_rate.csv")
    mean = rates[(rates["players"] == 4) & (rates["field"] == "all line-ups")].iloc[0]
    rate = brief(*(mean[f"rome_wins{end}"] for end in ("", "_low", "_high")))
    assert f"With 4 players in {rate} of games" in answers["How often does Rome win?"]
    assert rate.endswith(")"), "no rate without its interval"
    assert "if no seat plays for primus conspiratus" in answers["Why?"]
    assert "with one strategy at all 4 seats" in answers["What does it depend on?"]
    assert " with the deck “" in answers["What does it depend on?"]
    text = " ".join(answers.values())
    assert "±" not in text and "nan" not in text


def test_the_number_to_change_is_the_one_nearest_to_a_half(tmp_path):
    folder = tmp_path / "dose_response"
    folder.mkdir()
    (folder / SUMMARY).write_text("{}")
    ends = {f"at_{name}{end}": rate + shift for name, rate in (("from", 0.7), ("to", 0.3))
            for end, shift in (("", 0), ("_low", -0.02), ("_high", 0.02))}  # fmt: skip
    pd.DataFrame([
        {"rule": "rome_needs", "meaning": "categories", "crosses": True, "lowest": 0.1,
         "highest": 0.9},
        {"rule": "gold", "meaning": "Aurei", "crosses": True, "lowest": 0.3, "highest": 0.8,
         "from": 8, "to": 12, **ends},
    ]).to_csv(folder / "crossings.csv")  # fmt: skip
    rates = {"rome_needs": {3: 0.9, 4: 0.8, 5: 0.48, 6: 0.1}, "gold": {4: 0.8, 8: 0.7, 12: 0.3}}
    rows = [{"players": 4, "deck": "flat", "rule": rule, "value": v, "in_force": v == 4,
             "rome_wins": r, "rome_wins_low": r - 0.02, "rome_wins_high": r + 0.02}
            for rule, found in rates.items() for v, r in found.items()]  # fmt: skip
    pd.DataFrame(rows).to_csv(folder / "values.csv")
    said = short_answers(tmp_path, [4])["Which number to change?"]
    assert said == (
        "To bring Rome to about a half: 5 instead of 4 categories (rome_needs): 48 % (46 to 50); "
        "or between 8 and 12 instead of 4 Aurei (gold): 70 % (68 to 72) and 30 % (28 to 32). "
        "(4 players, all line-ups, deck “flat”; with other cards another value "
        "may be needed.)"
    )


def rates(folder, name, rows):
    """A table of the study of Rome's rate, with intervals of one point to either side."""
    table = pd.DataFrame(rows)
    for column in ("rome_wins", "tribune", "joined"):
        if column in table:
            table[f"{column}_low"], table[f"{column}_high"] = (
                table[column] - 0.01,
                table[column] + 0.01,
            )
    (folder / "rome_rate").mkdir(exist_ok=True)
    table.to_csv(folder / "rome_rate" / f"{name}.csv")


@pytest.mark.parametrize(
    ("one", "joined", "said"),
    [
        (0.6, 0.5, "Because one player who plays for it does much, and it pays to be that one"),
        (0.6, 0.25, "Because one player who plays for it does much, though it does not surely pay"),
        (0.21, 0.5, "Not because one player plays for it"),
    ],
)
def test_why_rome_wins_is_said_from_the_tables(tmp_path, one, joined, said):
    rates(tmp_path, "conspirators", [{"players": 4, "conspirators": seats, "rome_wins": rate}
                                     for seats, rate in enumerate((0.2, one, 0.9))])  # fmt: skip
    rates(tmp_path, "joining", [{"players": 4, "conspirators": 0, "tribune": 0.25,
                                 "joined": joined}])  # fmt: skip
    assert _why(tmp_path, [4]).startswith(f"{said}: with 4 players Rome wins 20 % (19 to 21) if no")


def test_one_line_up_alone_has_no_range(tmp_path):
    rates(tmp_path, "rome_rate", [{"players": 4, "field": "all line-ups", "rome_wins": 0.5,
                                   "lineups": 1}])  # fmt: skip
    assert _how_often(tmp_path, [4]) == (
        "With 4 players in 50 % (49 to 51) of games, in the one line-up (who sits at the table) "
        "that these strategies make."
    )


def test_why_a_weak_field_loses_to_rome_is_said_only_if_it_does(tmp_path):
    rates(tmp_path, "conspirators", [{"players": 4, "conspirators": 0, "rome_wins": 0.2}])
    rates(tmp_path, "alike", [{"players": 4, "strategy": "miser", "rome_wins": 0.9}])
    for rate, said in ((0.6, "Rome wins 90 % (89 to 91) with miser; with tribune 20 %"), (0.2, "")):
        weak = {"players": 4, "field": "weak", "members": "miser, mine", "rome_wins": rate}
        rates(tmp_path, "rome_rate", [weak])
        found = why_weak(tmp_path, [4])
        assert said in found and bool(found) == bool(said)


def test_a_figure_of_the_page_is_got_again_by_the_command_that_it_prints(report, html, capsys):
    (command,) = re.findall(r"To play one number again: paxsim ([^<]*)</p>", html)
    assert run_command([*shlex.split(unescape(command)), "--json"]) == 0
    again = pd.DataFrame(json.loads(capsys.readouterr().out)["tables"]["rule_values"])
    page = pd.read_csv(report / "dose_response" / "values.csv")
    page = page[page["rule"] == again["rule"][0]].reset_index(drop=True)
    assert len(again) == len(page) > 2
    for name in ("value", "rome_wins", "rome_wins_low", "rome_change_high", "rounds", "games"):
        assert again[name].astype(float).tolist() == pytest.approx(page[name].tolist(), abs=1e-8,
                                                                   nan_ok=True)  # fmt: skip


def test_contents_lead_to_sections(html):
    page = Page(html)
    ids = {a["id"] for _, a in page.tags if "id" in a}
    links = {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")}
    assert set(budget.STUDIES) <= links <= ids


def test_the_page_leads_with_what_rome_wins_means_who_plays_and_what_to_change(html):
    order = ["means that a <b>player</b> wins with it", "How often does Rome win?", "Why?",
             "no seat plays for primus conspiratus", "What does it depend on?",
             "Who wins with it?", "Which number to change?", "Does playing for Rome pay?",
             "And fighting it together?", "strong field", "heuristic players", 'alt="',
             "What depends on the assumed deck", "Contents"]  # fmt: skip
    places = [html.index(words) for words in order]
    assert places == sorted(places)
    for name in budget.STUDIES:
        assert f"paxsim study {name} --games" in html


def test_every_strategy_and_deck_has_a_line(html, subject):
    for policy in subject.found.values():
        assert f"<dt>{policy.label}</dt><dd>{html_text(policy.idea)}" in html
    for name in ("conspirator", "tribune", "deck assumed", "deck steep", "primus conspiratus"):
        assert re.search(f"<dt[^>]*>{name}</dt><dd>.", html), name


def html_text(text):
    """A text as the page has it."""
    return str(escape(text))


def test_building_again_plays_nothing_and_writes_the_same_page(
    report, html, subject, tmp_path, monkeypatch
):
    from paxsim.experiment import run

    again = tmp_path / "again"
    shutil.copytree(report, again)
    monkeypatch.setattr(run, "play_work", None)
    build_report(again, SCALE, SEED, 1, ["solo_ladder", "seat_bias"], subject)
    assert (again / "index.html").read_text("utf-8") == html


def test_a_study_alone_gives_the_same_table_and_says_its_findings(small, report, tmp_path, capsys):
    summary = json.loads((report / "solo_ladder" / "study.json").read_text("utf-8"))
    words = summary["command"].split()
    assert words[:3] == ["paxsim", "study", "solo_ladder"]
    assert run_command([*words[1:], "--jobs", "1", "--out", str(tmp_path)]) == 0
    name = "solo_ladder/levels.csv"
    assert (tmp_path / name).read_bytes() == (report / name).read_bytes()
    out = capsys.readouterr().out
    for finding in summary["findings"]:
        assert f"- {finding['text']}\n" in out


def dispatched():
    """The parts of the processor that numpy uses here beyond the oldest it was built for."""
    return [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]


def digests(folder):
    """Every file of a report but its stored runs, by its name."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock" and ".runs" not in path.parts
    }


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of processors are those of x86")
def test_another_processor_writes_the_same_report(report, tmp_path):
    """With the products and functions of an old one, and one worker instead of two."""
    old = {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched()),
        "MPLBACKEND": "Agg",
    }
    script = Path(__file__).parent.parent / "support" / "small_report.py"
    subprocess.run(
        [sys.executable, script, tmp_path],
        env={**os.environ, **old},
        check=True,
        capture_output=True,
    )
    here, there = digests(report), digests(tmp_path)
    assert len(here) > 60 and set(here) == set(there)
    assert [name for name in here if here[name] != there[name]] == []


def test_a_page_without_studies_is_refused(tmp_path):
    with pytest.raises(PaxsimError, match="no study has written"):
        write_page(tmp_path)


def test_the_plan_plays_two_million_games():
    assert sum(budget.GAMES.values()) >= 2_000_000
    assert {run for runs in budget.STUDIES.values() for run in runs} == set(budget.GAMES)


def test_the_browser_notices_a_request(tmp_path):
    page = tmp_path / "bad.html"
    table = "<table class=sortable><thead><tr><th><button>x</button></th></tr></thead>"
    page.write_text(
        f"<body>{table}<tbody></tbody></table><img src=http://example.com/x>"
        "<script>throw new Error('bad')</script></body>"
    )
    seen = visit(page, 360, tmp_path)
    assert seen.requests == ["http://example.com/x"]
    assert seen.probe["broken"] == 1
    assert any("bad" in line for line in seen.errors)


@pytest.mark.parametrize("width", [390, 770, 1280], ids=["phone", "tablet", "desktop"])
def test_the_page_in_a_browser(report, tmp_path, width):
    seen = visit(report / "index.html", width, tmp_path)
    assert seen.errors == []
    assert seen.requests == []
    assert seen.probe["width"] == width
    assert seen.probe["content"] <= width, "the page scrolls sideways"
    assert seen.probe["broken"] == 0
    assert seen.probe["sorted"] == 1 and seen.probe["rows"]
    assert seen.probe["unreached"] == 0, "a last column can't be scrolled to"
    assert seen.probe["lost"] == 0, "a first column does not stay in view"
    assert seen.probe["unsaid"] == [], "what can be scrolled does not say so, or what can't does"
    assert seen.probe["hinted"] > 0
    assert seen.probe["cut"] == 0, "a finding is wider than the page"
    assert seen.probe["charts"] > 10
    assert seen.probe["text"] >= 9, "a chart has text that is too small to be read"
    assert 1 <= seen.probe["filtered"]["shown"] < seen.probe["filtered"]["all"]


#: Width of A4 less margins, in the browser's pixels.
PAPER = 718


def test_in_print_every_table_is_whole(report, tmp_path):
    seen = visit(report / "index.html", PAPER, tmp_path, printed=True)
    assert seen.errors == []
    assert seen.probe["widest"] <= PAPER
    assert seen.probe["hinted"] == 0
    assert seen.probe["printed"] >= 6.5, "a table is printed too small"


def test_headings_that_print_repeats_are_no_buttons(html):
    """A browser repeats a table's heading on every sheet, but not the buttons in it."""
    page = Page(html)
    headings = [a["data-heading"] for a in page.all("th") if "data-heading" in a]
    assert len(headings) == html.count('<button type="button">') > 20 and all(headings)


MINE = """import paxsim


@paxsim.policy
def thrifty(table, me, choice, top=3.0):
    \"\"\"Buy nothing.\"\"\"
    return choice.count - 1
"""


def test_a_report_about_a_deck_and_a_strategy_of_ones_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    deck = resources.files("paxsim").joinpath("decks", "assumed.toml").read_text("utf-8")
    (tmp_path / "mine.toml").write_text(deck.replace('name = "assumed"', 'name = "my copy"'))
    (tmp_path / "mine.py").write_text(MINE)
    words = ["report", "--deck", "mine.toml", "--policies", "mine.py:thrifty,miser,racer",
             "--rules", "rome_needs=5", "--players", "2-3", "--out", "mine", "--scale", "0.0001",
             "--study", "rome_rate", "--study", "decks"]  # fmt: skip
    assert run_command(words) == 0
    page = (tmp_path / "mine" / "index.html").read_text("utf-8")
    assert "deck my copy; rules rome_needs=5; thrifty, miser, racer; 2, 3 players" in page
    assert "<dt>thrifty</dt><dd>Buy nothing." in page
    assert "Left out. Every figure of this page is for deck my copy" in page
    assert "Not among the strategies of this report: conspirator and tribune." in page
    table = pd.read_csv(tmp_path / "mine" / "rome_rate" / "lineups.csv")
    assert set(table["deck"]) == {"my copy"} and set(table["players"]) == {2, 3}
    command = json.loads((tmp_path / "mine/rome_rate/study.json").read_text("utf-8"))["command"]
    assert "--deck mine.toml --rules rome_needs=5 --policies mine.py:thrifty,miser,racer" in command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--policies miser", "allowed in a report: two or more"),
        ("--policies miser,miser", "policies: found miser; allowed"),
        ("--players 1-3", "players: found 1"),
        ("--deck none", "unknown deck 'none'"),
        ("--rules rome_needs=99", "rome_needs: found 99"),
    ],
)
@pytest.mark.parametrize("command", ["report", "study solo_ladder"])
def test_a_mistake_about_the_subject_is_one_line(
    command, words, said, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert run_command([*command.split(), *words.split()]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())
