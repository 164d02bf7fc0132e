"""Everything that the command line prints goes through here: shown, never obeyed.

Names, notes, paths and messages may come from anybody's file, with markup or control characters.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from paxsim.errors import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: Columns of a table that goes to a file or a pipe.
PIPED_WIDTH = 120
#: What a column without a heading has: whether the number before it is surely above or below.
VERDICT = "the verdict"
#: Texts are wrapped to no fewer characters than this.
TEXT_WIDTH = 12


def say(text: str) -> None:
    """Print lines of results."""
    click.echo(visible(text))


def warn(text: str) -> None:
    """Print one line on stderr; where that is not possible, there is nobody to tell."""
    with contextlib.suppress(OSError):
        click.echo(f"paxsim: {one_line(text)}", err=True)


def let_everything_be_written() -> None:
    """A character that the terminal's encoding lacks is spelled out, and never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def give_up(stream: object) -> None:
    """Send what is still to be written to nowhere, so that Python does not complain at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
        os.close(nowhere)


def make_console(stderr: bool = False, width: int | None = None) -> Console:
    """A console on which square brackets and colons are nothing but characters."""
    from rich.console import Console  # here: most commands print no table, and rich takes a while

    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def print_table(
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[str] = (),
    caption: str = "",
) -> None:
    """Print a table; the columns named in `numbers` are set flush right.

    Where the terminal is narrow, headings and texts are wrapped; numbers never are. If that is not
    enough, the last columns are left out, and named.
    """
    from rich.text import Text

    in_terminal = sys.stdout is not None and sys.stdout.isatty()
    console = make_console(width=None if in_terminal else PIPED_WIDTH)
    texts = [[one_line(str(value)) for value in row] for row in rows]
    shown = len(headings)
    table = _make_table(headings, texts, numbers)
    while shown > 1 and _least_width(table) > console.width:
        shown -= 1
        table = _make_table(headings[:shown], texts, numbers)
    console.print(Text(one_line(title)), style="bold")
    console.print(table)
    if caption:
        console.print(Text(one_line(caption)), style="italic")
    if left_out := [heading or VERDICT for heading in headings[shown:]]:
        said = f"no room for {', '.join(left_out)}: a wider window shows all columns"
        console.print(Text(one_line(said)), style="italic")


def _make_table(
    headings: Sequence[str], texts: Sequence[Sequence[str]], numbers: Sequence[str]
) -> Table:
    """A table of as many columns as there are headings."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for index, heading in enumerate(headings):
        right = heading in numbers
        widest = max((len(row[index]) for row in texts), default=0)
        longest_word = max(map(len, heading.split()), default=0)
        table.add_column(
            Text(heading),
            justify="right" if right else "left",
            min_width=max(longest_word, widest if right else min(widest, TEXT_WIDTH)),
            overflow="fold",
        )
    for row in texts:
        table.add_row(*(Text(cell) for cell in row[: len(headings)]))
    return table


def _least_width(table: Table) -> int:
    """The characters that a table needs from left to right, with all texts wrapped.

    (What `rich.measure` says is too little where paddings are put together.)
    """
    between = 3  # columns: a divider, and a space on each side of it
    return sum(column.min_width or 0 for column in table.columns) + between * len(table.columns) - 1
