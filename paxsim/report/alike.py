"""Findings that say the same of every player count, deck or level become one table."""

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


def folded(findings: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Findings in their order; those that are alike as one item with ``rows``.

    Yields
    ------
    dict
        Either ``finding``, or ``heading`` and ``rows`` of what tells findings apart (a number, a
        name), the rest of the sentence, and whether it is sure.
    """
    for (heading, _), group in groupby(findings, key=_kind):
        alike = list(group)
        if heading and len(alike) >= FEWEST:
            yield {"heading": heading, "rows": [_row(heading, finding) for finding in alike]}
        else:
            yield from ({"finding": finding} for finding in alike)


def _kind(finding: dict[str, Any]) -> tuple[str, str]:
    """What tells a finding from those like it, and what these have in common."""
    for heading, beginning in BEGINNINGS.items():
        if beginning.match(finding["text"]):
            return heading, finding["key"].partition("/")[0]
    return "", finding["key"]


def _row(heading: str, finding: dict[str, Any]) -> dict[str, Any]:
    found = BEGINNINGS[heading].match(finding["text"])
    assert found  # its kind says so
    return {"of": found[1], "text": finding["text"][found.end() :], "sure": finding["sure"]}
