"""The page: one file with everything in it, made from what the studies wrote."""

from __future__ import annotations

import base64
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.manifest import load_json
from paxsim.files import atomic_write
from paxsim.report.alike import folded
from paxsim.report.budget import HEADLINE_PLAYERS, STUDIES
from paxsim.report.display import Shown, shown_table
from paxsim.report.examples import read_examples
from paxsim.report.firstscreen import rome_table, short_answers, why_weak
from paxsim.report.readback import damaged, read_table, reading
from paxsim.report.study import SUMMARY
from paxsim.setting import MAX_NUMBER
from paxsim.shapes import FLAG, NUMBER, TEXT, Each, Kind, misfit, one_of, whole
from paxsim.text import listing

PAGE = "index.html"
#: Tables with more rows are closed at first.
LONG = 24
#: A table of one row with more columns than this is shown upright, a line a column.
FEW_COLUMNS = 6
#: Characters that fit beside one another on paper, with a gap between columns; and how many a
#: table may have in the longest cells of its columns, or its rows become towers.
SHEET, GAP, LONGEST = 130, 2, 220
#: Findings of a study that are shown among the first ones of the page.
LEADING = {
    "strategies": ("best/2", "best/4"),
    "decided": ("decided/4",),
    "seat_bias": ("seat/4",),
    "luck_and_skill": ("luck/4",),
    "solo_ladder": ("solo/1", "campaign"),
}
#: What the first screen says besides its table: of each study the last of these keys that it has.
#: A star stands for any deck; the report's own comes first.
FIRST = {
    "rome_rate": ("joining/2", "joining/3", "joining/4"),
    "metagame": ("metagame/*/together/2", "metagame/*/together/3"),
}
#: How a sentence begins that stands in a table of decks.
_ON_DECK = re.compile(r"^Deck (.+?): ")


def write_page(out: Path) -> Path:
    """Write ``OUT/index.html`` from the studies' files in `out`; return its path."""
    studies = read_studies(out)
    environment = Environment(
        loader=PackageLoader("paxsim.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["folded"] = folded
    environment.filters["unbroken"] = unbroken
    html = environment.get_template("index.html.j2").render(
        studies=studies,
        title=studies[0]["subject"],
        rome=rome_table(out, list(HEADLINE_PLAYERS)),
        answers=short_answers(out, list(HEADLINE_PLAYERS)),
        why_weak=why_weak(out, list(HEADLINE_PLAYERS)),
        hero=_hero(studies),
        first=_first_findings(studies),
        alone=_finding(studies, "rome_rate", "alone"),
        decks=_deck_claims(studies),
        leading=leading_findings(studies),
        facts=_facts(studies),
        strategies=studies[0]["strategies"],
        deck_notes=studies[0]["decks"],
        games=read_examples(out),
    )
    path = out / PAGE
    with atomic_write(path) as file:
        file.write(html)
    return path


def unbroken(text: str) -> str:
    """A sentence in which no line ends between a number and what belongs to it."""
    return text.replace(" ± ", "\u00a0±\u00a0").replace(" %", "\u00a0%")


def read_studies(out: Path) -> list[dict[str, Any]]:
    """What the studies wrote, in the order of the page, with tables and charts loaded."""
    found = []
    for name in STUDIES:
        path = checked_path("out", out) / name / SUMMARY
        if path.exists():
            found.append(_load(_read_summary(path), path.parent))
    if not found:
        raise PaxsimError(f"out: no study has written to {out}; allowed: run the studies first")
    return found


_FILE_NAME = Kind(lambda found: isinstance(found, str) and found.isidentifier(), "a file's name")
_SUMMARY = {
    "name": one_of(*STUDIES),
    "title": TEXT,
    "question": TEXT,
    "seed": whole(0, MAX_NUMBER),
    "scale": NUMBER,
    "version": TEXT,
    "command": TEXT,
    "subject": TEXT,
    "left_out": TEXT,
    "strategies": Each(TEXT),
    "decks": Each(TEXT),
    "games": whole(0, MAX_NUMBER),
    "runs": Each(whole(0, MAX_NUMBER)),
    "findings": [{"key": TEXT, "text": TEXT, "sure": FLAG, "cells": Each(TEXT)}],
    "charts": [{"name": _FILE_NAME, "title": TEXT, "alt": TEXT, "narrow": FLAG}],
    "tables": [{"name": _FILE_NAME, "title": TEXT, "note": TEXT}],
}


def _read_summary(path: Path) -> dict[str, Any]:
    """What a study says that it wrote."""
    summary = load_json(path, "out")
    problem = misfit(summary, _SUMMARY)
    if problem is None and summary["name"] != path.parent.name:
        problem = f"name: found {summary['name']!r}; allowed: {path.parent.name!r}"
    if problem is not None:
        raise damaged(path, problem)
    return summary


def _load(summary: dict[str, Any], folder: Path) -> dict[str, Any]:
    charts = []
    for chart in summary["charts"]:
        narrow = folder / f"{chart['name']}_narrow.svg" if chart["narrow"] else None
        charts.append(
            {
                **chart,
                "uri": _data_uri(folder / f"{chart['name']}.svg"),
                "narrow": _data_uri(narrow) if narrow else "",
            }
        )
    tables = []
    for table in summary["tables"]:
        with reading(folder / f"{table['name']}.csv"):
            found = read_table(folder, table["name"])
            shown = shown_table(found)
            claims = found.to_dict("records") if table["name"] == "claims" else []
        tables.append(
            {
                **table,
                "shown": shown,
                "long": len(shown.rows) > LONG,
                "upright": len(shown.rows) == 1 and len(shown.headings) > FEW_COLUMNS,
                "wide": _is_wide(shown),
                "claims": claims,
            }
        )
    return {**summary, "charts": charts, "tables": tables}


def _is_wide(shown: Shown) -> bool:
    """Whether a table is too wide for a sheet of paper, even if cells are broken between words."""
    rows = ([cell.text for cell in row] for row in shown.rows)
    columns = list(zip(shown.headings, *rows, strict=True))
    words = (max(map(len, unbroken(" ".join(cells)).split(" "))) + GAP for cells in columns)
    return sum(words) > SHEET or sum(max(map(len, cells)) for cells in columns) > LONGEST


def _data_uri(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PaxsimError(f"out: cannot read {path}: {error.strerror}") from None
    return f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"


def _finding(studies: list[dict[str, Any]], study: str, key: str) -> str:
    """The first sentence of a study with a key; empty if there is none."""
    found = (f["text"] for s in studies if s["name"] == study for f in s["findings"]
             if fnmatchcase(f["key"], key))  # fmt: skip
    return next(found, "")


def _first_findings(studies: list[dict[str, Any]]) -> dict[str, str]:
    """The sentences of the first screen, by study."""
    found = {
        study: next(filter(None, (_finding(studies, study, key) for key in reversed(keys))), "")
        for study, keys in FIRST.items()
    }
    return {study: _ON_DECK.sub(r"On the deck \1, ", text) for study, text in found.items()}


def _hero(studies: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The picture of the first screen: the first chart of the study of Rome's rate."""
    charts = [c for study in studies if study["name"] == "rome_rate" for c in study["charts"]]
    return {**charts[0], "study": "rome_rate"} if charts else None


def _deck_claims(studies: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What depends on the deck: the summary, and the claims as a table."""
    for study in studies:
        if study["name"] == "decks" and study["findings"]:
            claims = next(table for table in study["tables"] if table["name"] == "claims")
            return {"summary": study["findings"][0]["text"], "claims": claims["claims"]}
    return None


def leading_findings(studies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The other findings that stand at the top, each with the study that tells more."""
    found = []
    for study in studies:
        by_key = {finding["key"]: finding for finding in study["findings"]}
        for key in LEADING.get(study["name"], ()):
            if key in by_key:
                found.append({**by_key[key], "study": study["name"], "title": study["title"]})
    return found


def _facts(studies: list[dict[str, Any]]) -> dict[str, Any]:
    """Games, seed and version of the whole report; runs that studies share count once."""
    runs = {name: games for study in studies for name, games in study["runs"].items()}
    return {
        "games": f"{sum(runs.values()):,}",
        "seeds": listing(dict.fromkeys(study["seed"] for study in studies)),
        "versions": listing(dict.fromkeys(study["version"] for study in studies)),
        "scale": listing(dict.fromkeys(f"{study['scale']:g}" for study in studies)),
    }
