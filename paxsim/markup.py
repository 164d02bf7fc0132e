"""Tables as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """A table with a sentence below it; without rows the sentence alone."""
    body = "".join(_row("td", row) for row in rows)
    table = f"<table>{_row('th', headings)}{body}</table>" if body else ""
    return f"{table}<p>{escape(caption)}</p>"


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"
