"""Tables in the terminal, all in one style."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

#: Columns of a table that goes to a file or a pipe.
PIPED_WIDTH = 120
#: Texts are wrapped to no fewer characters than this.
TEXT_WIDTH = 12


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
        widest = max((len(row[index]) for row in texts), default=0)
        longest_word = max(map(len, heading.split()), default=0)
        table.add_column(
            heading,
            justify="right" if right else "left",
            min_width=max(longest_word, widest if right else min(widest, TEXT_WIDTH)),
            overflow="fold",
        )
    for row in texts:
        table.add_row(*row)
    console.print(title, style="bold", highlight=False)
    console.print(table)
    if caption:
        console.print(caption, style="italic", highlight=False)
