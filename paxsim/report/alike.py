"""Findings that say the same of every player count, deck or level become one table.

Where each of them says by heading what it has found (`Finding.cells`), these are the columns;
otherwise the sentences stand below one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

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
            columns = _columns(alike)
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


def _columns(findings: list[dict[str, Any]]) -> list[str]:
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
