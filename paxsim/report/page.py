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
from paxsim.report.subject import CONSPIRATOR, HEADLINE_PLAYERS
from paxsim.text import brief, in_percent, number
from paxsim.views import View, page_view

#: Populations in the order of the rows of the first table, with their names there.
POPULATIONS = {"weak": "weak strategies", "all line-ups": "all line-ups",
               "strong": "strong strategies"}  # fmt: skip
#: Rates this near to a half are about a half.
HALF, ABOUT = 0.5, 0.05
#: Strategies that win on points less often than this hardly ever do.
HARDLY = 0.05
#: Fewer similar findings stay sentences.
FEWEST = 3
#: Rows of a table on the page; tables with more than `LONG` are closed at first.
SHOWN_ROWS, LONG = 40, 24
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
        answers=short_answers(by_name),
        why_weak=why_weak(by_name),
        alone=_sentence(by_name, "rome", "alone"),
        hero=by_name["rome"].charts[0] if "rome" in by_name else None,
        deck_summary=_sentence(by_name, "decks", "deck/summary"),
        claims=decks_section["claims"].to_dict("records") if decks_section else [],
        leading=leading,
        strategies=strategies,
        decks=decks,
        examples=examples,
    )


def _sentence(sections: Sections, study: str, *keys: str) -> str:
    """Return the sentence of the last of these keys that a study has; a star stands for any."""
    findings = sections[study].findings if study in sections else []
    for key in reversed(keys):
        for finding in findings:
            if fnmatchcase(finding.key, key):
                return finding.text
    return ""


# --- the first screen -----------------------------------------------------------------------


def rome_table(sections: Sections) -> dict[str, Any] | None:
    """Return Rome's rate, a row per situation and a column per player count."""
    if "rome" not in sections:
        return None
    rates, conspirators = sections["rome"]["rates"], sections["rome"]["conspirators"]
    counts = _counts(rates)

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


def short_answers(sections: Sections) -> dict[str, str]:
    """Return short answers by question, each figure with its interval."""
    answers: dict[str, str] = {}
    if "rome" in sections:
        rome = sections["rome"]
        answers["How often does Rome win?"] = _how_often(rome["rates"])
        answers["Why?"] = _why(rome["conspirators"], rome["joining"])
        answers["What does it depend on?"] = _who_matters(rome["uniform"])
        if "decks" in sections:
            answers["What does it depend on?"] += f" {_by_deck(sections['decks']['rome'])}"
        answers["Who wins with it?"] = _who_wins(rome["friends"])
    if "rules" in sections:
        rules = sections["rules"]
        answers["Which number to change?"] = _which_number(rules["crossings"], rules["values"])
    for question, study, keys in (
        ("Does playing for Rome pay?", "rome", ("joining/2", "joining/3", "joining/4")),
        ("Does fighting it together pay?", "metagame",
         ("metagame/*/together/2", "metagame/*/together/3")),
    ):  # fmt: skip
        if sentence := _sentence(sections, study, *keys):
            answers[question] = sentence
    return answers


def _counts(table: pd.DataFrame) -> list[int]:
    """Return the headline player counts of a table, or else its first."""
    counts = table["players"].tolist()
    return [n for n in HEADLINE_PLAYERS if n in counts] or counts[:1]


def _headline(table: pd.DataFrame) -> tuple[int, pd.DataFrame]:
    """Return the largest headline player count of a table, and its rows."""
    most = max(_counts(table))
    return most, table[table["players"] == most]


def _brief(row: Any, name: str = "rome_wins") -> str:
    return brief(*estimate_of(row, name))


def _how_often(rates: pd.DataFrame) -> str:
    rows = rates[rates["population"] == "all line-ups"].set_index("players")
    *others, most = _counts(rates)
    row = rows.loc[most]
    text = f"With {most} players in {_brief(row)} of games, "
    if row["lineups"] == 1:
        text += "in the only line-up of these strategies"
    else:
        text += (
            f"on average over {int(row['lineups'])} line-ups drawn from all strategies, from "
            f"{_brief(row, 'lowest_lineup')} to {_brief(row, 'highest_lineup')}"
        )
    return "; ".join([text, *(f"with {n} players {_brief(rows.loc[n])}" for n in others)]) + "."


def _why(conspirators: pd.DataFrame, joining: pd.DataFrame) -> str:
    most, table = _headline(conspirators)
    rows = table.set_index("conspirators")
    rome = (
        f"with {most} players Rome wins {_brief(rows.loc[0])} if no seat plays for primus "
        f"conspiratus, {_brief(rows.loc[1])} if one does"
    )
    rome += f", {_brief(rows.loc[2])} if two do" if most > 2 else ""
    if rows.at[1, "rome_wins_low"] <= rows.at[0, "rome_wins_high"]:
        return f"Not because one player plays for it: {rome}."
    first = _headline(joining)[1].set_index("conspirators").loc[0]
    pays = first["joined_low"] > first["tribune_high"]
    verdict = "and it pays to be that player" if pays else "though it does not clearly pay"
    return f"One player who plays for it makes a large difference, {verdict}: {rome}."


def why_weak(sections: Sections) -> str:
    """Return why Rome wins more with weak strategies than with tribunes; empty if it does not."""
    if "rome" not in sections:
        return ""
    rome = sections["rome"]
    (most, rates), (_, seats), (_, uniform) = (
        _headline(rome[name]) for name in ("rates", "conspirators", "uniform")
    )
    weak = rates.set_index("population").loc["weak"]
    none = seats.set_index("conspirators").loc[0]
    by_strategy = uniform.set_index("strategy")
    names = [name for name in str(weak["members"]).split(", ") if name in by_strategy.index]
    if weak["rome_wins_low"] <= none["rome_wins_high"] or not names or CONSPIRATOR in names:
        return ""
    parts = [f"{_brief(by_strategy.loc[name])} with {name}" for name in names]
    return (
        "Weak strategies do not play for Rome either, but do not stop it: with one of them at all "
        f"{most} seats Rome wins {', '.join(parts)}; with tribune {_brief(none)}."
    )


def _who_matters(uniform: pd.DataFrame) -> str:
    most, table = _headline(uniform)
    rows = table.sort_values("rome_wins", kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    return (
        f"On who plays: with one strategy at all {most} seats Rome wins from {_brief(low)} with "
        f"“{low['strategy']}” to {_brief(high)} with “{high['strategy']}”."
    )


def _by_deck(rome: pd.DataFrame) -> str:
    rows = _headline(rome)[1].sort_values("rome_wins", kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    return (
        "And on the cards, whose symbols and values are not published: over all line-ups from "
        f"{_brief(low)} with the deck “{low['deck']}” to {_brief(high)} with the deck "
        f"“{high['deck']}”."
    )


def _who_wins(friends: pd.DataFrame) -> str:
    most, table = _headline(friends)
    rows = table.sort_values("with_rome", ascending=False, kind="stable").head(3)
    names = [f"“{row['strategy']}” {_brief(row, 'with_rome')}" for _, row in rows.iterrows()]
    text = (
        "The player who holds primus conspiratus. With "
        f"{most} players, these win with Rome in the largest share of their games: "
        f"{', '.join(names)}."
    )
    best = rows.loc[rows["on_points"].idxmax()]
    if best["on_points"] < HARDLY:
        text += (
            f" They hardly ever win on points: at most {_brief(best, 'on_points')}, "
            f"“{best['strategy']}”."
        )
    return text


def _which_number(crossings: pd.DataFrame, values: pd.DataFrame) -> str:
    rows = crossings[crossings["crosses"]]
    if rows.empty:
        return "No single number that was tried brings Rome to a half."
    reach = (rows["highest"] - rows["lowest"]).sort_values(ascending=False, kind="stable")
    parts = [_nearest_to_half(row, values[values["rule"] == row["rule"]])
             for _, row in rows.loc[reach.index].iterrows()]  # fmt: skip
    now = values[values["in_force"]].iloc[0]
    return (
        f"To bring Rome to about a half: {'; or '.join(parts)}. "
        f"({int(now['players'])} players, all line-ups, deck “{now['deck']}”; with other cards "
        "another value may be needed.)"
    )


def _nearest_to_half(row: pd.Series, values: pd.DataFrame) -> str:
    """Return the value that brings Rome to about a half, or else the two around it."""
    now = values[values["in_force"]].iloc[0]["value"]
    rule = f"instead of {now} {row['meaning']} ({row['rule']})"
    best = values.loc[(values["rome_wins"] - HALF).abs().idxmin()]
    if abs(best["rome_wins"] - HALF) <= ABOUT:
        return f"{best['value']} {rule}: {_brief(best)}"
    return (
        f"between {row['from']} and {row['to']} {rule}: {_brief(row, 'at_from')} and "
        f"{_brief(row, 'at_to')}"
    )


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
