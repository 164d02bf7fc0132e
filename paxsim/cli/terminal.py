"""Everything that the command line prints goes through here or `tables`: shown, never obeyed.

Names, notes, paths and messages may come from anybody's file, with markup or control characters.
"""

from __future__ import annotations

import contextlib
import os
import sys

import click

from paxsim.quoting import one_line, visible


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
