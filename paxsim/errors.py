"""The one kind of error that a user can cause."""

from __future__ import annotations

import os
import re
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping, Set
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

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


def safe_repr(found: Any) -> str:
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


class PaxsimError(ValueError):
    """A mistake in what the user asked for, told in one line.

    The command line prints the message and exits with code 2; a traceback never reaches the user.
    """

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the user's own lines that led here, and the message.

        Before it the same of its cause, which is a mistake in the user's own code.
        """
        before = [] if self.__cause__ is None else [*_shown(self.__cause__), ""]
        return [*before, *_shown(self)]


def _shown(error: BaseException) -> Iterator[str]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith(_NOT_THE_USERS):
            yield f"line {frame.lineno} of {frame.name}: {frame.line}"
    yield f"{type(error).__name__}: {error}"


#: Where the files of this package, of Python and of what is installed with it are.
_NOT_THE_USERS = (str(Path(__file__).parent), *sysconfig.get_paths().values(), "<frozen")


def unknown(field: str, found: object, allowed: Iterable[str]) -> PaxsimError:
    """Build the error for a name that is not one of the allowed ones.

    Parameters
    ----------
    field : str
        What the name stands for, e.g. ``"deck"``.
    found : object
        What the user gave.
    allowed : iterable of str
        The names that would have been accepted.
    """
    names = [str(name) for name in allowed]
    text = found if isinstance(found, str) else safe_repr(found)
    hint = suggestion(text, names)
    return PaxsimError(f"{field}: {safe_repr(text)} is unknown{hint}; allowed: {', '.join(names)}")


def suggestion(found: str, names: Iterable[str]) -> str:
    """``" (did you mean 'builder'?)"`` if one of the names is close to what was found."""
    near = get_close_matches(found, list(names), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def is_whole(found: object) -> bool:
    """Whether something is a whole number, Python's or numpy's; True and False are none."""
    return isinstance(found, Integral) and not isinstance(found, bool)


def is_number(found: Any) -> bool:
    """Whether something is a number; infinity, "not a number", True and False are none."""
    if not isinstance(found, Real) or isinstance(found, bool):
        return False
    try:
        return isfinite(found)
    except OverflowError:  # too large for a float
        return False


def checked_int(field: str, found: Any, low: int, high: int) -> int:
    """Return `found` if it is a whole number within ``low..high``; complain otherwise."""
    # Nearly all are Python's own numbers, and one look tells.
    if (type(found) is int or is_whole(found)) and low <= int(found) <= high:
        return int(found)
    raise PaxsimError(
        f"{field}: found {safe_repr(found)}; allowed: a whole number from {low} to {high}"
    )


def checked_bool(field: str, found: Any) -> bool:
    """Return `found` if it is true or false, also numpy's; complain otherwise."""
    if isinstance(found, (bool, np.bool_)):
        return bool(found)
    raise PaxsimError(f"{field}: found {safe_repr(found)}; allowed: true or false")


def checked_list(field: str, found: Any, allowed: str) -> list[Any]:
    """Return the items of a list, a tuple or the like, at least one; complain otherwise.

    Texts and mappings have items too, but not those that somebody who gives them means; a set has
    no order.
    """
    unfit = isinstance(found, (str, bytes, Mapping, Set)) or not isinstance(found, Iterable)
    try:
        items = [] if unfit else list(found)
    except TypeError:  # numpy's array of no dimension
        items = []
    if not items:
        raise PaxsimError(f"{field}: found {safe_repr(found)}; allowed: {allowed}")
    return items


def checked_path(field: str, found: Any) -> Path:
    """Return `found` as a path if it can be one; complain otherwise."""
    text = os.fspath(found) if isinstance(found, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise PaxsimError(
            f"{field}: found {safe_repr(found)}; allowed: the name of a file or folder"
        )
    try:
        Path(text).exists()
    except OSError as error:  # it is too long, say
        raise PaxsimError(f"{field}: cannot use {safe_repr(text)}: {error.strerror}") from None
    return Path(text)


#: The extra of the package that brings a library; all others come with the package itself.
_EXTRAS = {
    "cmaes": "tune",
    "dask": "dask",
    "distributed": "dask",
    "gymnasium": "learn",
    "pettingzoo": "learn",
    "starlette": "play",
    "uvicorn": "play",
}


def missing_library(what: str, name: str | None) -> PaxsimError:
    """Build the error for something whose library is not installed."""
    library = (name or "a library").partition(".")[0]
    extra = _EXTRAS.get(library)
    wanted = f"'paxsim[{extra}]'" if extra else "paxsim"
    return PaxsimError(f"{what}: {library} is not installed; allowed: pip install {wanted}")
