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
from support.browser import visit
from support.small_report import SCALE, SEED, SUBJECT, build_small, small_studies

from paxsim import charts
from paxsim.cli import run_command
from paxsim.report.build import make_report
from paxsim.report.page import ANSWERS, answers_of, grouped_findings, render, shown_table
from paxsim.report.study import STUDIES, Finding, Section, Table
from paxsim.report.subject import make_subject
from paxsim.text import percent

FACTS = {"games": "8", "seed": 1, "scale": "1", "version": "0"}
whole = pytest.mark.whole


@pytest.fixture(scope="module")
def small():
    """Few decks and numbers of the rules."""
    with small_studies():
        yield


@pytest.fixture(scope="module")
def report(small, tmp_path_factory):
    """Folder of a report of a few hundred games per study, built by one worker for all."""
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


class Page(HTMLParser):
    """Tags of a page, and errors of their nesting."""

    EMPTY = {"meta", "link", "img", "br", "input"}

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


# --- files and page -------------------------------------------------------------------------


@whole
def test_the_page_is_well_formed_and_refers_only_to_files_beside_it(report, html):
    page = Page(html)
    assert not page.wrong and not page.open
    assert not re.search(r"(?:https?:)?//[a-z]", html.replace("</", "")) and "base64" not in html
    sources = [a.get("src") or a.get("href") for _, a in page.tags if "src" in a or "href" in a]
    files = {name for name in sources if not name.startswith(("data:", "#"))}
    on_disk = {str(path.relative_to(report)) for path in report.glob("*/*.*")
               if ".runs" not in path.parts}  # fmt: skip
    assert files == on_disk and {Path(name).suffix for name in files} == {".svg", ".csv"}
    ids = {a["id"] for _, a in page.tags if "id" in a}
    links = {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")}
    assert set(STUDIES) <= links <= ids
    images = page.all("img")
    assert len(images) >= len(STUDIES) and all(len(image["alt"]) > 20 for image in images)
    headings = [a["data-heading"] for a in page.all("th") if "data-heading" in a]
    assert len(headings) == html.count('<button type="button">') > 20 and all(headings)


@whole
def test_every_study_writes_tables_charts_and_its_command(report, html):
    for name in STUDIES:
        assert list((report / name).glob("*.svg"))
        assert f"paxsim study {name} --games" in html
        for path in (report / name).glob("*.csv"):
            table = pd.read_csv(path)
            assert len(table) or path.stem == "beats"
            assert (table["seed"] == SEED).all() and table["version"].notna().all()


@whole
def test_every_strategy_and_deck_has_a_line(html):
    for policy in make_subject(**SUBJECT).policies.values():
        assert f"<dt>{policy.label}</dt><dd>{escape(policy.idea)}" in html
    for name in ("conspirator", "tribune", "deck assumed", "deck steep", "primus conspiratus"):
        assert re.search(f"<dt[^>]*>{name}</dt><dd>.", html), name


@whole
def test_a_figure_of_the_page_is_repeated_by_the_command_it_prints(report, html, capsys):
    (command,) = re.findall(r"To play one number again: paxsim ([^<]*)</p>", html)
    assert run_command([*shlex.split(unescape(command)), "--json"]) == 0
    again = pd.DataFrame(json.loads(capsys.readouterr().out)["tables"]["rule_values"])
    page = pd.read_csv(report / "rules" / "values.csv")
    page = page[page["rule"] == again["rule"][0]].reset_index(drop=True)
    assert len(again) == len(page) > 2
    for name in ("value", "rome_wins", "rome_wins_low", "rome_change_high", "rounds", "games"):
        assert again[name].astype(float).tolist() == pytest.approx(page[name].tolist(), abs=1e-8,
                                                                   nan_ok=True)  # fmt: skip


@whole
def test_building_again_plays_nothing_and_writes_the_same_page_with_nothing_cut(
    report, html, tmp_path, monkeypatch
):
    """Text of SVG files has no width, so the figures are measured."""
    from paxsim.experiment import run

    again = tmp_path / "again"
    shutil.copytree(report, again)
    drawn = {}
    monkeypatch.setattr(run, "play_work", None)
    monkeypatch.setattr(charts, "save", lambda figure, stem, png: drawn.update({stem: figure}))
    make_report(again, scale=SCALE, seed=SEED, jobs=1, **SUBJECT)
    assert (again / "index.html").read_text("utf-8") == html
    assert len(drawn) > 20
    for stem, figure in drawn.items():
        figure.draw_without_rendering()
        box = figure.get_tightbbox()
        width, height = figure.get_size_inches()
        assert min(box.x0, box.y0) > -0.05 and box.x1 < width + 0.05, stem
        assert box.y1 < height + 0.05, stem


@whole
def test_a_study_alone_writes_the_same_table_and_prints_its_findings(
    report, html, tmp_path, capsys
):
    (command,) = re.findall(r"<code>paxsim (study solo_ladder .*)</code>", html)
    words = shlex.split(unescape(command))
    assert run_command([*words, "--jobs", "1", "--out", str(tmp_path)]) == 0
    name = "solo_ladder/levels.csv"
    assert (tmp_path / name).read_bytes() == (report / name).read_bytes()
    out = capsys.readouterr().out
    assert out.count("\n- ") >= 5 and "- At solo level 1 " in out


def digests(folder):
    """Return the digest of every file of a report but its stored runs."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".") and ".runs" not in path.parts
    }


@whole
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of processors are those of x86")
def test_another_processor_writes_the_same_files(report, tmp_path):
    """With the functions of an old processor, and one worker instead of two."""
    newer = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    old = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(newer),
           "MPLBACKEND": "Agg"}  # fmt: skip
    script = Path(__file__).parent.parent / "support" / "small_report.py"
    words = [sys.executable, script, tmp_path, "luck", "metagame", "strategies"]
    subprocess.run(words, env={**os.environ, **old}, check=True,
                   capture_output=True)  # fmt: skip
    here, there = digests(report), digests(tmp_path)
    del there["index.html"]  # of some studies alone
    assert len(there) > 25 and set(there) <= set(here)
    assert [name for name in there if here[name] != there[name]] == []


OWN = """import paxsim


@paxsim.policy
def thrifty(table, me, choice, top=3.0):
    \"\"\"Buy nothing.\"\"\"
    return choice.count - 1
"""


@whole
def test_a_report_can_be_about_another_deck_and_strategy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deck = resources.files("paxsim").joinpath("decks", "assumed.toml").read_text("utf-8")
    (tmp_path / "own.toml").write_text(deck.replace('name = "assumed"', 'name = "my-copy"'))
    (tmp_path / "own.py").write_text(OWN)
    words = ["report", "--deck", "own.toml", "--policies", "own.py:thrifty,miser,racer",
             "--rules", "rome_needs=5", "--players", "2-3", "--out", "own", "--scale", "0.0001",
             "--study", "rome", "--study", "decks"]  # fmt: skip
    assert run_command(words) == 0
    page = (tmp_path / "own" / "index.html").read_text("utf-8")
    assert "deck my-copy; rules rome_needs=5; thrifty, miser, racer; 2, 3 players" in page
    assert "<dt>thrifty</dt><dd>Buy nothing." in page
    assert "Left out. " in page and "this report: conspirator and tribune." in page
    assert "--deck own.toml --rules rome_needs=5 --policies own.py:thrifty,miser,racer" in page
    table = pd.read_csv(tmp_path / "own" / "rome" / "lineups.csv")
    assert set(table["deck"]) == {"my-copy"} and set(table["players"]) == {2, 3}


# --- the first screen -----------------------------------------------------------------------


@whole
def test_the_page_leads_with_short_answers_and_their_intervals(report, html):
    order = ["means that a <b>player</b> wins with it", *(question for question, *_ in ANSWERS),
             "strong strategies", "heuristic players", 'alt="', "What depends on the assumed deck",
             "Contents"]  # fmt: skip
    places = [html.index(words) for words in order]
    assert places == sorted(places)
    rates = pd.read_csv(report / "rome" / "rates.csv")
    mean = rates[(rates["players"] == 4) & (rates["population"] == "all line-ups")].iloc[0]
    rate = percent(*(mean[f"rome_wins{end}"] for end in ("", "_low", "_high")))
    assert f"With 4 players Rome wins {rate} of games" in html.replace("\u00a0", " ")


def test_an_answer_is_the_first_finding_that_a_study_has():
    findings = [Finding(f"metagame/d/together/{n}", name) for n, name in ((2, "two"), (3, "three"))]
    sections = {"metagame": Section("metagame", "", "", findings)}
    assert list(answers_of(sections).values()) == ["three"]
    sections["metagame"].findings.pop()
    sections["rome"] = Section("rome", "", "", [Finding("rome/2", "Rome")])
    assert list(answers_of(sections).values()) == ["Rome", "two"]


# --- sections -------------------------------------------------------------------------------


def test_similar_findings_become_one_table_and_none_is_lost():
    findings = [Finding(f"best/{n}", "", sure=n > 2, cells={"it is": str(n)} | (
        {"more": "yes"} if n == 4 else {})) for n in (2, 3, 4)]  # fmt: skip
    findings += [Finding("weak", "two"), Finding("alone", "Rome")]
    table, *others = grouped_findings(findings)
    assert (table["heading"], table["columns"]) == ("players", ["it is", "more"])
    assert [(row["of"], row["cells"], row["sure"]) for row in table["rows"]] == [
        ("2", ["2", ""], False), ("3", ["3", ""], True), ("4", ["4", "yes"], True)]  # fmt: skip
    assert [item["finding"].key for item in others] == ["weak", "alone"]
    assert len(list(grouped_findings(findings[:2]))) == 2, "too few for a table"


def test_a_long_table_shows_its_first_rows():
    shown = shown_table(Table("t", "t", pd.DataFrame({"deck": range(100)})))
    assert (shown["rows"], len(shown["view"].rows), shown["long"]) == (100, 50, True)


def test_a_page_escapes_the_text_of_tables_and_sections():
    seats = Section("seat_bias", "Seats <b>", "Who is <script>?", command="paxsim")
    seats.table("seats", "Seats", pd.DataFrame({"deck": ["=<script>", "b"], "games": [8, 8]}))
    html = render([seats], FACTS, {}, {"assumed": ""})
    assert html.count("<script>") == 1, "that of the page"
    assert "Seats &lt;b&gt;" in html and ">=&lt;script&gt;</td>" in html


# --- in a browser ---------------------------------------------------------------------------


@whole
@pytest.mark.parametrize("width", [390, 770, 1280], ids=["phone", "tablet", "desktop"])
def test_the_page_in_a_browser(report, tmp_path, width):
    visited = visit(report / "index.html", width, tmp_path)
    assert visited.errors == [] and visited.requests == []
    probe = visited.probe
    assert probe["width"] == width and probe["content"] <= width, "the page scrolls sideways"
    assert probe["broken"] == 0
    assert probe["sorted"] == 1 and probe["rows"]
    assert probe["unreached"] == 0, "a last column can't be scrolled to"
    assert probe["lost"] == 0, "a first column does not stay in view"
    assert probe["unsaid"] == [], "a hint to scroll is missing or wrong"
    assert probe["hinted"] > 0
    assert probe["cut"] == 0, "a finding is wider than the page"
    assert 1 <= probe["filtered"]["shown"] < probe["filtered"]["all"]
    assert len(probe["charts"]) > 20
    for name, shown in probe["charts"]:
        svg = (report / name).read_text("utf-8")
        points = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1])
        sizes = [float(size) for size in re.findall(r"font(?:-size)?: [^;\"]*?([\d.]+)px", svg)]
        assert min(sizes) * shown / points >= 8.9, f"text of {name} is too small"


#: Width of A4 without margins, in the browser's pixels.
PAPER = 718


@whole
def test_in_print_every_table_is_complete(report, tmp_path):
    visited = visit(report / "index.html", PAPER, tmp_path, printed=True)
    assert visited.errors == []
    assert visited.probe["widest"] <= PAPER
    assert visited.probe["hinted"] == 0
    assert visited.probe["printed"] >= 6.5, "a table is printed too small"
