"""Where something stands in the source of a function, for messages about it."""

from __future__ import annotations

import linecache
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from paxsim.quoting import one_line

#: Longer lines of a source are cut when they are quoted.
QUOTED = 70


#: What notebooks call the file of a cell, which is nowhere.
_CELL = re.compile(r"ipykernel_\d+[/\\]\d+\.py$|^<ipython-input-")


def is_cell(file: str) -> bool:
    """Whether a file is a cell of a notebook."""
    return _CELL.search(file) is not None


def place_in(file: str, line: int) -> str:
    """``"line 12 of mine.py"``, ``"line 3 of the cell In[28]"``."""
    return f"line {line} of {_cell_name(file) if is_cell(file) else Path(file).name}"


def _cell_name(file: str) -> str:
    """The cell by its number, where IPython knows it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"the cell In[{numbers[file]}]" if file in numbers else "the cell"


def place(function: Callable, line: int) -> str:
    """The same of a function's file."""
    return place_in(function.__code__.co_filename, line)


def quoted(function: Callable, line: int) -> str:
    """``"; the line: return 0"``, or nothing where there is no source to show."""
    return quoted_from(function.__code__.co_filename, line)


def quoted_from(file: str, line: int) -> str:
    """The same of a file."""
    text = linecache.getline(file, line).strip() if line else ""
    text = textwrap.shorten(one_line(text), QUOTED, placeholder=" ...")
    return f"; the line: {text}" if text else ""
