"""Tables in the terminal, all in one style."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

#: Columns of a table that goes to a file or a pipe.
PIPED_WIDTH = 120


def print_table(
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[str] = (),
    caption: str = "",
) -> None:
    """Print a table; the columns named in `numbers` are set flush right.

    Where the terminal is narrow, headings and texts are wrapped; numbers never are, and nothing is
    cut off.
    """
    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    texts = [[str(value) for value in row] for row in rows]
    for index, heading in enumerate(headings):
        right = heading in numbers
        words = [*heading.split(), *(row[index] for row in texts)] if right else [""]
        table.add_column(
            heading,
            justify="right" if right else "left",
            min_width=max(map(len, words)),
            overflow="fold",
        )
    for row in texts:
        table.add_row(*row)
    console.print(title, style="bold", highlight=False)
    console.print(table)
    if caption:
        console.print(caption, style="italic", highlight=False)
