"""Where something stands in the source of a function, for messages about it."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable
from pathlib import Path

from paxsim.quoting import one_line

#: Longer lines of a source are cut when they are quoted.
QUOTED = 70


def place(function: Callable, line: int) -> str:
    """``"line 12 of mine.py"``."""
    return f"line {line} of {Path(function.__code__.co_filename).name}"


def quoted(function: Callable, line: int) -> str:
    """``"; the line: return 0"``, or nothing where there is no source to show."""
    text = linecache.getline(function.__code__.co_filename, line).strip() if line else ""
    text = textwrap.shorten(one_line(text), QUOTED, placeholder=" ...")
    return f"; the line: {text}" if text else ""
