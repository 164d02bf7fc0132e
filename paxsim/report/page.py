"""The page: one file with everything in it, made from what the studies wrote."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.store import load_json
from paxsim.experiment.tally import MEMBER
from paxsim.io import FLAG, NUMBER, TEXT, Each, Kind, atomic_write, misfit, one_of, whole
from paxsim.report.budget import HEADLINE_PLAYERS, STUDIES
from paxsim.report.examples import read_examples
from paxsim.report.readback import damaged, read_table, reading
from paxsim.report.study import SUMMARY
from paxsim.report.subject import STAND_INS
from paxsim.setting import MAX_NUMBER
from paxsim.text import brief, in_percent, listing, number
from paxsim.views import View, page_view

#: How the fields are called, in the order of the rows.
FIELDS = {"weak": "weak field", "all line-ups": "all line-ups", "strong": "strong field"}
#: Rates this near to a half are about a half.
HALF, ABOUT = 0.5, 0.05
#: Strategies that win on points less often than this hardly ever do.
HARDLY = 0.05
#: Seats that play for primus conspiratus, in words.
SEATS = ("no seat", "one seat", "two seats", "three seats", "four seats")


def rome_table(out: Path, players: list[int]) -> dict[str, Any] | None:
    """Rome's rate by who plays, a row a situation and a column a player count.

    None as long as the study of Rome's rate has not run.
    """
    folder = out / "rome_rate"
    if not (folder / "rome_rate.csv").exists():
        return None
    fields, seats = read_table(folder, "rome_rate"), read_table(folder, "conspirators")
    with reading(folder / "rome_rate.csv"):
        shown = [n for n in players if (fields["players"] == n).any()]
        rows = [*_by_seats(seats, shown), *_by_field(fields, shown)]
        games = int(fields["games"].sum() + seats["games"].sum())
    return {"players": shown, "rows": rows, "games": f"{games:,}"}


def short_answers(out: Path, players: list[int]) -> dict[str, str]:
    """What somebody can say after one minute, by question; what no study has asked is not there.

    In round numbers, each with its interval in brackets.
    """
    found: dict[str, str] = {}
    for study, question, make in (
        ("rome_rate", "How often does Rome win?", _how_often),
        ("rome_rate", "Why?", _why),
        ("rome_rate", "What does it depend on?", _who_matters),
        ("rome_rate", "Who wins with it?", _who_wins),
        ("dose_response", "Which number to change?", _which_number),
    ):
        if (out / study / SUMMARY).exists():
            with reading(out / study / SUMMARY):
                found[question] = make(out, players)
    decks = out / "decks"
    if (decks / "rome.csv").exists() and "What does it depend on?" in found:
        with reading(decks / "rome.csv"):
            found["What does it depend on?"] += _by_deck(read_table(decks, "rome"), players)
    return found


def _how_often(out: Path, players: list[int]) -> str:
    table = read_table(out / "rome_rate", "rome_rate")
    rows = table[table["field"] == "all line-ups"].set_index("players")
    *others, most = [n for n in players if n in rows.index] or [int(rows.index[0])]
    row = rows.loc[most]
    text = f"With {most} players in {_brief(row)} of games, "
    if row["lineups"] == 1:
        text += "in the one line-up (who sits at the table) that these strategies make"
    else:
        text += (
            f"on average over the {int(row['lineups'])} line-ups (who sits at the table) that were "
            f"drawn from all strategies; among these it goes from {_brief(row, 'lowest_lineup')} "
            f"to {_brief(row, 'highest_lineup')}"
        )
    rest = [f"with {n} players {_brief(rows.loc[n])}" for n in others]
    return f"{'; '.join([text, *rest])}."


def _why(out: Path, players: list[int]) -> str:
    """What seats that play for Rome do to it, and whether that pays."""
    most, table = _headline(read_table(out / "rome_rate", "conspirators"), players)
    rows = table.set_index("conspirators")
    rome = (
        f"with {most} players Rome wins {_brief(rows.loc[0])} if no seat plays for primus "
        f"conspiratus, {_brief(rows.loc[1])} if one does"
    )
    rome += f", {_brief(rows.loc[2])} if two do" if most > 2 else ""
    if rows.at[1, "rome_wins_low"] <= rows.at[0, "rome_wins_high"]:
        return f"Not because one player plays for it: {rome}."
    joining = _headline(read_table(out / "rome_rate", "joining"), players)[1]
    first = joining.set_index("conspirators").loc[0]
    pays = first["joined_low"] > first["tribune_high"]
    said = "and it pays to be that one" if pays else "though it does not surely pay"
    return f"Because one player who plays for it does much, {said}: {rome}."


def why_weak(out: Path, players: list[int]) -> str:
    """Why Rome wins more in the weak field than where all play against it; empty if it does not."""
    folder = out / "rome_rate"
    if not (folder / "rome_rate.csv").exists():
        return ""
    tables = (read_table(folder, name) for name in ("rome_rate", "conspirators", "alike"))
    with reading(folder / "rome_rate.csv"):
        (most, fields), (_, seats), (_, alike) = (_headline(table, players) for table in tables)
        weak = fields.set_index("field").loc["weak"]
        none = seats.set_index("conspirators").loc[0]
        rates = alike.set_index("strategy")
        named = [name for name in str(weak["members"]).split(", ") if name in rates.index]
        if weak["rome_wins_low"] <= none["rome_wins_high"] or not named or STAND_INS[0] in named:
            return ""
        said = [f"{_brief(rates.loc[name])} with {name}" for name in named]
    return (
        "The weak field does not play for Rome either, but who wins little need not keep Rome "
        f"down: with one of them at all {most} seats Rome wins {', '.join(said)}; with tribune "
        f"{_brief(none)}."
    )


def _brief(row: pd.Series, name: str = "rome_wins") -> str:
    return brief(*(float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))


def _headline(table: pd.DataFrame, players: list[int]) -> tuple[int, pd.DataFrame]:
    """The largest player count of the headlines that a table has, and its rows."""
    known = table["players"].tolist()
    most = max([n for n in players if n in known] or known[:1])
    return most, table[table["players"] == most]


def _who_matters(out: Path, players: list[int]) -> str:
    most, alike = _headline(read_table(out / "rome_rate", "alike"), players)
    rows = alike.sort_values("rome_wins", kind="stable")
    least, greatest = rows.iloc[0], rows.iloc[-1]
    return (
        f"On who plays: with one strategy at all {most} seats Rome wins from {_brief(least)} with "
        f"“{least['strategy']}” to {_brief(greatest)} with “{greatest['strategy']}”."
    )


def _by_deck(table: pd.DataFrame, players: list[int]) -> str:
    rows = _headline(table, players)[1].sort_values("rome_wins", kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    return (
        " And on the cards, whose symbols and values are not published: over all line-ups from "
        f"{_brief(low)} with the deck “{low['deck']}” to {_brief(high)} with the deck "
        f"“{high['deck']}”."
    )


def _who_wins(out: Path, players: list[int]) -> str:
    most, table = _headline(read_table(out / "rome_rate", "friends"), players)
    rows = table.sort_values("with_rome", ascending=False, kind="stable").head(3)
    named = [f"“{row['strategy']}” {_brief(row, 'with_rome')}" for _, row in rows.iterrows()]
    text = (
        "The player who holds primus conspiratus. Those who manage this most often, with "
        f"{most} players, in so many of the games they play: {', '.join(named)}."
    )
    most_points = rows.loc[rows["on_points"].idxmax()]
    if most_points["on_points"] < HARDLY:
        text += (
            " They hardly ever win on points: most often "
            f"“{most_points['strategy']}”, in {_brief(most_points, 'on_points')}."
        )
    return text


def _which_number(out: Path, players: list[int]) -> str:
    crossings = read_table(out / "dose_response", "crossings")
    values = read_table(out / "dose_response", "values")
    crossing = crossings[crossings["crosses"]]
    if crossing.empty:
        return "None that was tried brings Rome to a half by itself."
    reach = (crossing["highest"] - crossing["lowest"]).sort_values(ascending=False, kind="stable")
    parts = [
        _nearest_to_half(row, values[values["rule"] == row["rule"]])
        for _, row in crossing.loc[reach.index].iterrows()
    ]
    now = values[values["in_force"]].iloc[0]
    return (
        f"To bring Rome to about a half: {'; or '.join(parts)}. "
        f"({int(now['players'])} players, all line-ups, deck “{now['deck']}”; with other cards "
        "another value may be needed.)"
    )


def _nearest_to_half(row: pd.Series, values: pd.DataFrame) -> str:
    """The value of a number that brings Rome to about a half, or else the two around it."""
    now = values[values["in_force"]].iloc[0]["value"]
    named = f"instead of {now} {row['meaning']} ({row['rule']})"
    best = values.loc[(values["rome_wins"] - HALF).abs().idxmin()]
    if abs(best["rome_wins"] - HALF) <= ABOUT:
        return f"{best['value']} {named}: {_brief(best)}"
    # A column with empty cells is read as broken numbers.
    ends = [f"{end:g}" if isinstance(end, float) else end for end in (row["from"], row["to"])]
    return (
        f"between {ends[0]} and {ends[1]} {named}: {_brief(row, 'at_from')} and "
        f"{_brief(row, 'at_to')}"
    )


def _by_seats(table: pd.DataFrame, players: list[int]) -> list[dict[str, Any]]:
    """With no, one, two ... seats that play for primus conspiratus."""
    rows = []
    for seats in range(max(players) + 1):
        cells = []
        for count in players:
            found = table[(table["players"] == count) & (table["conspirators"] == seats)]
            cells.append(_cell(found.iloc[0]) if len(found) else None)
        many = SEATS[seats] if seats < len(SEATS) else f"{seats} seats"
        verb = "do" if seats > 1 else "does"
        who = f"{many} {verb}" if seats else "no seat plays for primus conspiratus"
        rows.append({"who": who, "members": "", "cells": cells, "group": "seats"})
    return rows


def _by_field(table: pd.DataFrame, players: list[int]) -> list[dict[str, Any]]:
    """In the weak and the strong field, and over all line-ups."""
    rows = []
    for field, said in FIELDS.items():
        found = table[table["field"] == field].set_index("players")
        cells = [_cell(found.loc[count]) if count in found.index else None for count in players]
        rows.append(
            {"who": said, "members": found["members"].iloc[0], "cells": cells, "group": "fields"}
        )
    return rows


def _cell(row: Any) -> dict[str, str]:
    """Rome's rate in percent, half its interval, and the range over line-ups where there is one.

    At the ends of the scale the interval's other end stands for the half.
    """
    rate, low, high = (float(row[f"rome_wins{end}"]) for end in ("", "_low", "_high"))
    half = (high - low) / 2
    digits = 0 if half >= 0.0095 else 1
    sure = f"±{number(100 * half, 1)}"
    if rate + half > 1:
        sure = f"≥{in_percent(low)}"
    elif rate < half:
        sure = f"≤{in_percent(high)}"
    ends = ""
    if not pd.isna(row.get("lowest_lineup")):
        ends = f"{in_percent(row['lowest_lineup'], 0)} to {in_percent(row['highest_lineup'], 0)}"
    return {"value": in_percent(rate, digits), "sure": sure, "range": ends}


def shown_table(table: pd.DataFrame) -> View:
    """Return the columns worth reading; a line-up that names nobody is not."""
    if "lineup" in table and {*", ".join(table["lineup"].map(str)).split(", ")} == {MEMBER}:
        table = table.drop(columns="lineup")
    return page_view(table)


#: How sentences begin that have others like them, and the heading for what tells them apart.
BEGINNINGS = {
    "players": re.compile(r"With (\d+) players,? "),
    "deck": re.compile(r"Deck (.+?): "),
    "level": re.compile(r"At solo level (\d+) "),
}
#: Fewer stay sentences.
FEWEST = 3
#: Words of so many characters that every row has are said once, below the table.
LONG_WORDS = 20


def folded(findings: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Findings in their order; those that are alike as one item with ``rows``.

    Yields
    ------
    dict
        Either ``finding``, or ``heading``, ``columns`` and ``rows`` of what tells findings apart
        (a number, a name), the cells, and whether it is sure, and ``always``: sentences of what
        would stand in every row.
    """
    for (heading, _), group in groupby(findings, key=_kind):
        alike = list(group)
        if heading and len(alike) >= FEWEST:
            columns = _alike_columns(alike)
            same = {name: alike[0]["cells"][name] for name in columns if _is_same(alike, name)}
            columns = [name for name in columns if name not in same]
            rows = [_row(heading, finding, columns) for finding in alike]
            always = [f"In all of these, {name}: {said}." for name, said in same.items()]
            yield {"heading": heading, "columns": columns or ["what was found"], "rows": rows,
                   "always": always}  # fmt: skip
        else:
            yield from ({"finding": finding} for finding in alike)


def _kind(finding: dict[str, Any]) -> tuple[str, str]:
    """What tells a finding from those like it, and what these have in common."""
    for heading, beginning in BEGINNINGS.items():
        if beginning.match(finding["text"]):
            return heading, finding["key"].partition("/")[0]
    return "", finding["key"]


def _alike_columns(findings: list[dict[str, Any]]) -> list[str]:
    """The headings of all findings, in their order; none if one of them has none."""
    if not all(finding["cells"] for finding in findings):
        return []
    return list(dict.fromkeys(name for finding in findings for name in finding["cells"]))


def _is_same(findings: list[dict[str, Any]], name: str) -> bool:
    """Whether a column has the same long words, and no figures, in every row."""
    first, *others = (finding["cells"].get(name, "") for finding in findings)
    words = len(first) >= LONG_WORDS and not re.search(r"\d", first)
    return words and all(said == first for said in others)


def _row(heading: str, finding: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    found = BEGINNINGS[heading].match(finding["text"])
    assert found  # its kind says so
    cells = [finding["cells"].get(name, "") for name in columns]
    return {
        "of": found[1],
        "cells": cells or [finding["text"][found.end() :]],
        "sure": finding["sure"],
    }


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


def _is_wide(shown: View) -> bool:
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
