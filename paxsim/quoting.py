"""Texts that come from users: which may be a name, and how the others are shown.

A terminal obeys control characters, and a spreadsheet obeys a cell that begins like a formula.
What a user's file says must be read, and not obeyed.
"""

from __future__ import annotations

import re
from typing import Any

#: Control characters, line separators, halves of characters, and marks that turn the direction of
#: writing: none of them can be seen, and all of them change how the rest is seen.
_UNSEEN = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
_ANY_UNSEEN = re.compile(f"[{_UNSEEN}]")
#: The same without the line feed and the tabulator, which only lay a text out.
_HARMFUL = re.compile(f"(?![\n\t])[{_UNSEEN}]")
#: What begins a formula in a spreadsheet, in either width.
_FORMULA = re.compile("[=+\\-@\t\r＝＋－＠]")
#: Texts in messages are cut after so many characters.
_LONGEST = 300


def visible(text: str) -> str:
    """The text with every unseen character spelled out, as in ``\\x1b``; lines stay lines."""
    return _HARMFUL.sub(_spelled, text)


def one_line(text: str) -> str:
    """The text in one line, with unseen characters spelled out."""
    return visible(" ".join(text.split()))


def _spelled(match: re.Match) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def is_name(found: Any, longest: int) -> bool:
    """Whether something may be a name: a text that is seen as it is, in one line, not too long."""
    return (
        isinstance(found, str)
        and 0 < len(found.strip()) <= len(found) <= longest
        and not _ANY_UNSEEN.search(found)
    )


def is_prose(found: Any, longest: int) -> bool:
    """Whether something may be a note: a text of any lines that is seen as it is."""
    return isinstance(found, str) and len(found) <= longest and not _HARMFUL.search(found)


def told(found: Any) -> str:
    """What a user gave, for a message: one line, not too long, whatever it is."""
    try:
        text = repr(found)
    except Exception:  # a number of five thousand digits, say
        text = f"something of type {type(found).__name__}"
    text = one_line(text) if "\n" in text else visible(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def as_cell(value: Any) -> Any:
    """A value for a CSV file: a text that would be taken for a formula gets a ``'`` before it."""
    if isinstance(value, str) and (_FORMULA.match(value) or _marked(value)):
        return f"'{value}"
    return value


def from_cell(value: Any) -> Any:
    """The inverse of `as_cell`."""
    return value[1:] if isinstance(value, str) and _marked(value) else value


def _marked(text: str) -> bool:
    """Whether a text looks as if `as_cell` had marked it."""
    stripped = text.lstrip("'")
    return stripped != text and bool(_FORMULA.match(stripped))
