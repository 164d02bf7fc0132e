"""The page: one file with everything in it, made from what the studies wrote."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.manifest import load_json
from paxsim.files import atomic_write
from paxsim.quoting import from_cell, one_line
from paxsim.report.budget import HEADLINE_PLAYERS, STUDIES
from paxsim.report.display import shown_table
from paxsim.report.study import SUMMARY
from paxsim.setting import MAX_NUMBER
from paxsim.shapes import FLAG, NUMBER, TEXT, Each, Kind, misfit, one_of, whole
from paxsim.text import listing, percent, span

PAGE = "index.html"
#: Tables with more rows are closed at first.
LONG = 24
#: Findings of a study that are shown among the first ones of the page.
LEADING = {
    "seat_bias": ("seat/4",),
    "strategies": ("best/2", "best/4"),
    "solo_ladder": ("solo/1", "campaign"),
    "rulings": ("numbers/rome",),
    "luck_and_skill": ("luck/4", "leads/4"),
}


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
    html = environment.get_template("index.html.j2").render(
        studies=studies,
        deck_findings=_deck_findings(studies),
        rome=rome_in_short(out),
        leading=leading_findings(studies),
        facts=_facts(studies),
    )
    path = out / PAGE
    with atomic_write(path) as file:
        file.write(html)
    return path


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
    "games": whole(0, MAX_NUMBER),
    "runs": Each(whole(0, MAX_NUMBER)),
    "findings": [{"key": TEXT, "text": TEXT, "sure": FLAG}],
    "charts": [{"name": _FILE_NAME, "title": TEXT, "alt": TEXT}],
    "tables": [{"name": _FILE_NAME, "title": TEXT, "note": TEXT}],
}


def _read_summary(path: Path) -> dict[str, Any]:
    """What a study says that it wrote."""
    summary = load_json(path, "out")
    problem = misfit(summary, _SUMMARY)
    if problem is None and summary["name"] != path.parent.name:
        problem = f"name: found {summary['name']!r}; allowed: {path.parent.name!r}"
    if problem is not None:
        raise _damaged(path, problem)
    return summary


def _damaged(path: Path, problem: str) -> PaxsimError:
    return PaxsimError(f"out: {path} is damaged: {problem}; allowed: run the study again")


def _load(summary: dict[str, Any], folder: Path) -> dict[str, Any]:
    charts = [{**chart, "uri": _data_uri(folder / f"{chart['name']}.svg")}
              for chart in summary["charts"]]  # fmt: skip
    tables = []
    for table in summary["tables"]:
        with _reading(folder / f"{table['name']}.csv"):
            shown = shown_table(read_table(folder, table["name"]))
        tables.append({**table, "shown": shown, "long": len(shown.rows) > LONG})
    return {**summary, "charts": charts, "tables": tables}


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """What goes wrong with the contents of a study's file, as one line that names it."""
    try:
        yield
    except PaxsimError:
        raise
    except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
        raise _damaged(path, one_line(f"{type(error).__name__}: {error}")) from None


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """A table as a study wrote it."""
    path = folder / f"{name}.csv"
    try:
        table = pd.read_csv(path, keep_default_na=True)
    except OSError as error:
        raise PaxsimError(f"out: cannot read {path}: {error.strerror}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise _damaged(path, one_line(str(error))) from None
    texts = [column for column in table if not pd.api.types.is_numeric_dtype(table[column])]
    return table.assign(**{column: table[column].map(from_cell) for column in texts})


def _data_uri(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PaxsimError(f"out: cannot read {path}: {error.strerror}") from None
    return f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"


def _deck_findings(studies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What depends on the assumed deck; the page leads with it."""
    return next((study["findings"] for study in studies if study["name"] == "decks"), [])


def leading_findings(studies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The other findings that stand at the top, each with the study that tells more."""
    found = []
    for study in studies:
        by_key = {finding["key"]: finding for finding in study["findings"]}
        for key in LEADING.get(study["name"], ()):
            if key in by_key:
                found.append({**by_key[key], "study": study["name"], "title": study["title"]})
    return found


def rome_in_short(out: Path) -> list[dict[str, Any]]:
    """Rome's rate with 2, 3 and 4 players: how sure it is, and over fields and decks.

    Empty as long as the study of Rome's rate has not run.
    """
    folder = out / "rome_rate"
    if not (folder / "rome_rate.csv").exists():
        return []
    rates = read_table(folder, "rome_rate")
    decks = read_table(out / "decks", "rome") if (out / "decks" / "rome.csv").exists() else None
    with _reading(folder / "rome_rate.csv"):
        return _rome_rows(rates, decks)


def _rome_rows(rates: pd.DataFrame, decks: pd.DataFrame | None) -> list[dict[str, Any]]:
    rows = []
    for players in HEADLINE_PLAYERS:
        here = rates[rates["players"] == players]
        mixed = here[here["field"] == "mixed"].iloc[0]
        row = {
            "players": players,
            "rate": percent(*(mixed[f"rome_wins{end}"] for end in ("", "_low", "_high"))),
            "games": f"{int(mixed['games']):,}",
            "fields": span(here["rome_wins"].tolist()),
            "decks": "",
        }
        if decks is not None:
            row["decks"] = span(decks[decks["players"] == players]["rome_wins"].tolist())
        rows.append(row)
    return rows


def _facts(studies: list[dict[str, Any]]) -> dict[str, Any]:
    """Games, seed and version of the whole report; runs that studies share count once."""
    runs = {name: games for study in studies for name, games in study["runs"].items()}
    return {
        "games": f"{sum(runs.values()):,}",
        "seeds": listing(dict.fromkeys(study["seed"] for study in studies)),
        "versions": listing(dict.fromkeys(study["version"] for study in studies)),
        "scale": listing(dict.fromkeys(f"{study['scale']:g}" for study in studies)),
    }
