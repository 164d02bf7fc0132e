"""A tiny report, built for real: its files, its page, and the page in a browser."""

import fcntl
import json
import os
import re
import shutil
from html.parser import HTMLParser

import pandas as pd
import pytest
from browser import visit

from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.report import budget
from paxsim.report.build import build_report
from paxsim.report.page import write_page
from paxsim.studies import decks, fields

SEED = 5
COUNTS = (2, 3, 4)


@pytest.fixture(scope="module")
def small():
    """Few strategies, decks and player counts, so that nothing but the machinery takes time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fields, "MIXED", ("random", "first") * 4)
        patch.setattr(fields, "strategies", lambda: ["random", "first", "miser", "racer"])
        patch.setattr(fields, "solo_strategies", lambda: ["random", "miser"])
        patch.setattr(fields, "PLAYERS", COUNTS)
        patch.setattr(decks, "deck_names", lambda: ["assumed", "cheap", "double"])
        yield patch


@pytest.fixture(scope="module")
def report(small, tmp_path_factory):
    """The folder of a report of a few hundred games a study, built by one worker for all."""
    base = tmp_path_factory.getbasetemp()
    out = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "report"
    out.mkdir(exist_ok=True)
    with open(out / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "index.html").exists():
            build_report(out, scale=0.0005, seed=SEED, jobs=2)
    return out


@pytest.fixture(scope="module")
def html(report):
    return (report / "index.html").read_text("utf-8")


class Page(HTMLParser):
    """Tags, and what is wrong with their nesting."""

    EMPTY = {"meta", "link", "img", "br"}

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


def test_the_page_is_well_formed_and_self_contained(html):
    page = Page(html)
    assert not page.wrong and not page.open
    assert not re.search(r"(?:https?:)?//[a-z]", html.replace("</", ""))
    sources = [a.get("src") or a.get("href") for _, a in page.tags if "src" in a or "href" in a]
    assert all(source.startswith(("data:", "#")) for source in sources)


def test_everything_in_the_page_has_a_text(html):
    page = Page(html)
    assert len(page.all("img")) >= len(budget.STUDIES)
    assert all(len(image["alt"]) > 20 for image in page.all("img"))
    assert "<svg" not in html


def test_contents_lead_to_sections(html):
    page = Page(html)
    ids = {a["id"] for _, a in page.tags if "id" in a}
    links = {a["href"][1:] for a in page.all("a")}
    assert set(budget.STUDIES) <= links <= ids


def test_the_page_leads_with_the_deck_and_rome(html):
    first = html.index("The symbols and values of the printed cards are not published")
    assert first < html.index("How often Rome wins</h3>") < html.index('id="decks"')
    for name in budget.STUDIES:
        assert f"paxsim study {name} --games" in html


def test_building_again_plays_nothing_and_writes_the_same_page(report, html, tmp_path, monkeypatch):
    from paxsim.experiment import run

    again = tmp_path / "again"
    shutil.copytree(report, again)
    monkeypatch.setattr(run, "play_work", None)
    build_report(again, 0.0005, SEED, jobs=1, studies=["solo_ladder", "seat_bias"])
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


@pytest.mark.parametrize("width", [360, 1280], ids=["phone", "desktop"])
def test_the_page_in_a_browser(report, tmp_path, width):
    seen = visit(report / "index.html", width, tmp_path)
    assert seen.errors == []
    assert seen.requests == []
    assert seen.probe["width"] == width
    assert seen.probe["content"] <= width, "the page scrolls sideways"
    assert seen.probe["broken"] == 0
    assert seen.probe["sorted"] == 1 and seen.probe["rows"]
