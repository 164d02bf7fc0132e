"""Tables in the terminal, all in one style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table


def print_table(
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[str] = (),
    caption: str = "",
) -> None:
    """Print a table; the columns named in `numbers` are set flush right."""
    table = Table(box=box.SIMPLE_HEAD, title_justify="left", caption_justify="left", pad_edge=False)
    table.title = title
    table.caption = caption or None
    for heading in headings:
        right = heading in numbers
        table.add_column(heading, justify="right" if right else "left", no_wrap=right)
    for row in rows:
        table.add_row(*map(str, row))
    Console().print(table)
