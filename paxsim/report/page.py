"""Page of a report, rendered from its sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from paxsim.experiment.tally import MEMBER
from paxsim.report.study import Finding, Section, Table, estimate_of
from paxsim.report.subject import HEADLINE_PLAYERS
from paxsim.table_views import View, page_view
from paxsim.text import in_percent, number

#: Populations in the order of the rows of the first table, with their names there.
POPULATIONS = {"weak": "weak strategies", "all line-ups": "all line-ups",
               "strong": "strong strategies"}  # fmt: skip
#: Questions of the first screen, with the study and the findings that may answer each.
ANSWERS = (
    ("How often does Rome win?", "rome", "rome/4", "rome/*"),
    ("Why?", "rome", "conspiracy/4", "conspiracy/*"),
    ("Does playing for Rome pay?", "rome", "joining/4", "joining/*"),
    ("Who wins with it?", "rome", "friends/4", "friends/*"),
    ("Does it depend on the strategies?", "rome", "uniform"),
    ("And on the cards?", "decks", "deck/rome/4", "deck/rome/*"),
    ("Which number to change?", "rules", "half"),
    ("Does fighting Rome together pay?", "metagame", "metagame/*/together/3",
     "metagame/*/together/2"),
)  # fmt: skip
#: Fewer similar findings stay sentences.
FEWEST = 3
#: Rows of a table on the page; tables with more than `LONG` are closed at first.
SHOWN_ROWS, LONG = 50, 24
#: A table of one row with more columns than this is shown upright.
FEW_COLUMNS = 6
#: Characters that fit beside one another on paper, with a gap between columns, and characters of
#: the longest cells of a table.
SHEET, GAP, LONGEST = 130, 2, 220
#: Findings of each study that are repeated at the top of the page.
LEADING = {
    "strategies": ("best/2", "best/4"),
    "luck": ("standing/4", "luck/4"),
    "seat_bias": ("seat/4",),
    "solo_ladder": ("solo/1", "campaign"),
}

Sections = Mapping[str, Section]


def render(
    sections: Sequence[Section],
    facts: Mapping[str, Any],
    strategies: Mapping[str, str],
    decks: Mapping[str, str],
    title: str = "",
    examples: Sequence[Mapping[str, str]] = (),
) -> str:
    """Return the page of a report as HTML.

    Parameters
    ----------
    sections : sequence of Section
        What the studies returned, in the order of the page.
    facts : mapping
        ``games``, ``seed``, ``scale`` and ``version`` of the report.
    strategies, decks : mapping of str to str
        Description of each by its name, the deck of the report first.
    title : str
        Difference of the subject from the package's own report.
    examples : sequence of mapping
        Games to watch: ``title``, ``result`` and ``command``.
    """
    environment = Environment(
        loader=PackageLoader("paxsim.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["unbroken"] = lambda text: text.replace(" ± ", "\u00a0±\u00a0")
    environment.filters["grouped"] = grouped_findings
    environment.filters["shown"] = shown_table
    by_name = {section.name: section for section in sections if not section.left_out}
    leading = [(section, finding) for name, section in by_name.items()
               for finding in section.findings if finding.key in LEADING.get(name, ())]  # fmt: skip
    decks_section = by_name.get("decks")
    return environment.get_template("index.html.j2").render(
        sections=sections,
        title=title,
        facts=facts,
        rome=rome_table(by_name),
        answers=answers_of(by_name),
        alone=_sentence(by_name, "rome", "alone"),
        hero=by_name["rome"].charts[0] if "rome" in by_name else None,
        deck_summary=_sentence(by_name, "decks", "deck/summary"),
        claims=decks_section["claims"].to_dict("records") if decks_section else [],
        leading=leading,
        strategies=strategies,
        decks=decks,
        examples=examples,
    )


def _sentence(sections: Sections, study: str, key: str) -> str:
    """Return the sentence of a study with a key, in which a star stands for any; else nothing."""
    findings = sections[study].findings if study in sections else []
    return next((finding.text for finding in findings if fnmatchcase(finding.key, key)), "")


# --- the first screen -----------------------------------------------------------------------


def rome_table(sections: Sections) -> dict[str, Any] | None:
    """Return Rome's rate, a row per situation and a column per player count."""
    if "rome" not in sections:
        return None
    rates, conspirators = sections["rome"]["rates"], sections["rome"]["conspirators"]
    counts = [n for n in HEADLINE_PLAYERS if (rates["players"] == n).any()]
    counts = counts or [int(rates["players"].iloc[0])]

    def row(table: pd.DataFrame, who: str, group: str, members: str = "") -> dict[str, Any]:
        by_count = table.set_index("players")
        cells = [_cell(by_count.loc[n]) if n in by_count.index else None for n in counts]
        return {"who": who, "members": members, "cells": cells, "group": group}

    names = ("no seat plays for primus conspiratus", "one seat does", "two seats do",
             "three seats do", "four seats do")  # fmt: skip
    rows = [
        row(conspirators[conspirators["conspirators"] == seats], names[seats], "seats")
        for seats in range(min(max(counts), len(names) - 1) + 1)
    ]
    for name, who in POPULATIONS.items():
        table = rates[rates["population"] == name]
        rows.append(row(table, who, "populations", table["members"].iloc[0]))
    games = int(rates["games"].sum() + conspirators["games"].sum())
    return {"players": counts, "rows": rows, "games": f"{games:,}"}


def _cell(row: Any) -> dict[str, str]:
    """Return Rome's rate in percent, half its interval, and the range over line-ups if any.

    At the ends of the scale the limit of the interval replaces the half.
    """
    rate, low, high = estimate_of(row, "rome_wins")
    half = (high - low) / 2
    spread = f"±{number(100 * half, 1)}"
    if rate + half > 1:
        spread = f"≥{in_percent(low)}"
    elif rate < half:
        spread = f"≤{in_percent(high)}"
    ends = ""
    if not pd.isna(row.get("lowest_lineup")):
        ends = f"{in_percent(row['lowest_lineup'], 0)} to {in_percent(row['highest_lineup'], 0)}"
    value = in_percent(rate, 0 if half >= 0.0095 else 1)
    return {"value": value, "spread": spread, "range": ends}


def answers_of(sections: Sections) -> dict[str, str]:
    """Return the findings that answer the questions of the first screen, by question."""
    answers = {}
    for question, study, *keys in ANSWERS:
        sentences = [_sentence(sections, study, key) for key in keys]
        if text := next(filter(None, sentences), ""):
            answers[question] = text
    return answers


# --- the sections ---------------------------------------------------------------------------


def grouped_findings(findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    """Yield findings in their order, similar ones as one table.

    Yields
    ------
    dict
        Either ``finding``, or ``heading``, ``columns`` and ``rows`` (the number or name of each,
        its cells, and whether it is sure).
    """
    for subject, group in groupby(findings, key=lambda finding: finding.key.partition("/")[0]):
        similar = list(group)
        if len(similar) < FEWEST or not all(finding.cells for finding in similar):
            yield from ({"finding": finding} for finding in similar)
            continue
        columns = list(dict.fromkeys(name for finding in similar for name in finding.cells))
        rows = [
            {
                "of": finding.key.rpartition("/")[2],
                "cells": [finding.cells.get(name, "") for name in columns],
                "sure": finding.sure,
            }
            for finding in similar
        ]
        heading = "level" if subject == "solo" else "players"
        yield {"heading": heading, "columns": columns, "rows": rows}


def shown_table(table: Table) -> dict[str, Any]:
    """Return a table as the template shows it: its first rows, and their layout."""
    data = table.data
    if "lineup" in data and {*", ".join(data["lineup"].map(str)).split(", ")} == {MEMBER}:
        data = data.drop(columns="lineup")  # it names no strategy
    view = page_view(data.head(SHOWN_ROWS))
    return {
        "view": view,
        "rows": len(data),
        "long": len(data) > LONG,
        "upright": len(data) == 1 and len(view.headings) > FEW_COLUMNS,
        "wide": _is_wide(view),
    }


def _is_wide(view: View) -> bool:
    """Return whether a table is too wide for a sheet of paper, even if cells are wrapped."""
    columns = list(zip(view.headings, *view.texts, strict=True))
    words = (max(len(word) for cell in cells for word in re.split(r"(?<!±) (?!±)", cell)) + GAP
             for cells in columns)  # fmt: skip
    return sum(words) > SHEET or sum(max(map(len, cells)) for cells in columns) > LONGEST
