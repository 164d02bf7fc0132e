"""Output of the command line: lines, warnings and tables.

Names, notes and paths may come from other people's files, so control characters are escaped and
markup is not interpreted.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

import click

from paxsim.errors import one_line, visible
from paxsim.text import in_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from paxsim.table_views import View

#: Width of a table that goes to a file or a pipe.
PIPED_WIDTH = 120
#: Texts are wrapped to no fewer characters than this.
MIN_TEXT_WIDTH = 12


def say(text: str) -> None:
    """Print lines of results."""
    click.echo(visible(text))


def say_wrapped(text: str) -> None:
    """Print lines of results, wrapped at `paxsim.text.WIDTH` characters."""
    say("\n".join(in_lines(line, 0) for line in text.split("\n")))


def warn(text: str) -> None:
    """Print one line on stderr, if there is one."""
    with contextlib.suppress(OSError):
        click.echo(f"paxsim: {one_line(text)}", err=True)


def escape_unencodable() -> None:
    """Escape characters that the encoding of the terminal lacks instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discard_output(stream: object) -> None:
    """Discard what is still buffered, so that Python doesn't fail when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[attr-defined]
        os.close(null)


def make_console(stderr: bool = False, width: int | None = None) -> Console:
    """Return a rich console that doesn't interpret markup."""
    from rich.console import Console

    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def print_blocks(blocks: object) -> None:
    """Print the views and sentences of a result."""
    for block in blocks:  # type: ignore[attr-defined]
        if isinstance(block, str):
            say_wrapped(block)
        else:
            print_view(block)


def print_view(view: View) -> None:
    """Print a table.

    In a narrow terminal headings and texts are wrapped, numbers never; columns for which there is
    still no room are left out and named.
    """
    from rich.text import Text

    in_terminal = sys.stdout is not None and sys.stdout.isatty()
    console = make_console(width=None if in_terminal else PIPED_WIDTH)
    shown = len(view.headings)
    table = _rich_table(view)
    while shown > 1 and _min_width(table) > console.width:
        shown -= 1
        table = _rich_table(view.first(shown))
    console.print(Text(one_line(view.title)), style="bold")
    console.print(table)
    if view.caption:
        console.print(Text(one_line(view.caption)), style="italic", end="\n\n")
    if hidden := view.headings[shown:]:
        advice = " (widen the window)" if in_terminal else ""
        note = f"not enough room for: {', '.join(hidden)}{advice}"
        console.print(Text(one_line(note)), style="italic", end="\n\n")


def _rich_table(view: View) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    rows = [[one_line(text) for text in row] for row in view.texts]
    for index, (heading, right) in enumerate(zip(view.headings, view.numbers, strict=True)):
        widest = max((len(row[index]) for row in rows), default=0)
        longest_word = max(map(len, heading.split()), default=0)
        table.add_column(
            Text(heading),
            justify="right" if right else "left",
            min_width=max(longest_word, widest if right else min(widest, MIN_TEXT_WIDTH)),
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _min_width(table: Table) -> int:
    """Return the width of a table with all texts wrapped (rich underestimates it)."""
    return sum(column.min_width or 0 for column in table.columns) + 2 * len(table.columns)
