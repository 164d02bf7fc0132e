"""PaxsimError, the only kind of error that a user can cause, and checks that raise it."""

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

#: Characters that may be invisible, or change how the rest of a text is displayed.
_UNUSUAL = re.compile("[^ -~\n\t]")
#: Values are cut to this length in messages.
_MAX_LENGTH = 300


def visible(text: str) -> str:
    """Return the text with invisible characters escaped, as in ``\\x1b``; line breaks stay."""
    return _UNUSUAL.sub(lambda match: _escape(match[0]), text)


def _escape(character: str) -> str:
    printable = character.isprintable()
    return character if printable else character.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """Return the text as one line, with invisible characters escaped."""
    return visible(" ".join(text.split()))


def is_name(value: Any, max_length: int) -> bool:
    """Return whether a value is usable as a name: visible text on one line, not too long."""
    is_line = isinstance(value, str) and value.isprintable() and bool(value.strip())
    return is_line and len(value) <= max_length


def is_prose(value: Any, max_length: int) -> bool:
    """Return whether a value is usable as a note: visible text that is not too long."""
    return isinstance(value, str) and len(value) <= max_length and visible(value) == value


def safe_repr(value: Any) -> str:
    """Return the `repr` of any value for a message: on one line and not too long."""
    try:
        text = repr(value)
    except Exception:  # e.g. an integer of more than 4,300 digits
        text = f"a value of type {type(value).__name__}"
    text = one_line(text) if "\n" in text else visible(text)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 3]}..."


class PaxsimError(ValueError):
    """Mistake in what the user asked for, explained in one line.

    The command line prints the message and exits with code 2, without a traceback.
    """

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: the user's own lines, and the message.

        A cause is an error in the user's own code and comes first.
        """
        before = [] if self.__cause__ is None else [*_user_lines(self.__cause__), ""]
        return [*before, *_user_lines(self)]


#: Where this package, Python and installed packages are.
_LIBRARIES = (str(Path(__file__).parent), *sysconfig.get_paths().values(), "<frozen")


def _user_lines(error: BaseException) -> Iterator[str]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith(_LIBRARIES):
            yield f"line {frame.lineno} of {frame.name}: {frame.line}"
    yield f"{type(error).__name__}: {error}"


def unknown(field: str, value: object, allowed: Iterable[str]) -> PaxsimError:
    """Build the error for a name that does not exist.

    `field` says what the name stands for, and may begin with where it was found.

    Examples
    --------
    >>> unknown("deck mine: category", "lnad", ["land", "army"])
    PaxsimError("deck mine: unknown category 'lnad' (did you mean 'land'?); choose from land, army")
    """
    names = [str(name) for name in allowed]
    text = value if isinstance(value, str) else safe_repr(value)
    where, colon, noun = field.rpartition(": ")
    choices = f"; choose from {', '.join(names)}" if names else "; there are none"
    return PaxsimError(
        f"{where}{colon}unknown {noun} {safe_repr(text)}{suggestion(text, names)}{choices}"
    )


def suggestion(text: str, names: Iterable[str]) -> str:
    """Return ``" (did you mean 'builder'?)"`` if one of the names is similar to the text."""
    matches = get_close_matches(text, list(names), n=1)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def is_integer(value: object) -> bool:
    """Return whether a value is an integer, of Python or NumPy, but not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, of Python or NumPy, but not a boolean."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # too large for a float
        return False


def checked_int(field: str, value: Any, low: int, high: int) -> int:
    """Return `value` as an int if it is an integer between `low` and `high`; raise otherwise."""
    is_int = type(value) is int or is_integer(value)  # the first test is the fast one
    if is_int and low <= int(value) <= high:
        return int(value)
    span = f"{low}" if low == high else f"between {low} and {high}"
    kind = "" if is_int else "an integer " if low < high else "the integer "
    raise PaxsimError(f"{field} must be {kind}{span}, got {safe_repr(value)}")


def checked_bool(field: str, value: Any) -> bool:
    """Return `value` as a bool if it is a boolean, of Python or NumPy; raise otherwise."""
    numpy_type = getattr(value, "dtype", None)  # NumPy is not imported for this
    if isinstance(value, bool) or str(numpy_type) == "bool":
        return bool(value)
    raise PaxsimError(f"{field} must be true or false, got {safe_repr(value)}")


def checked_list(field: str, value: Any, expected: str) -> list[Any]:
    """Return the items of a list, tuple or other sequence with at least one item; raise otherwise.

    Strings, mappings and sets are refused although they can be iterated over. The message says that
    `field` must be what `expected` describes, e.g. ``"a list of numbers"``.
    """
    refused = isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable)
    try:
        items = [] if refused else list(value)
    except TypeError:  # a NumPy array without dimensions
        items = []
    if not items:
        raise PaxsimError(f"{field} must be {expected}, got {safe_repr(value)}")
    return items


def checked_path(field: str, value: Any) -> Path:
    """Return `value` as a path; raise if it can't be one."""
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise PaxsimError(f"{field} must be a file or folder name, got {safe_repr(value)}")
    try:
        Path(text).exists()
    except OSError as error:  # e.g. the name is too long
        raise PaxsimError(f"{field}: can't use {safe_repr(text)}: {error.strerror}") from None
    return Path(text)


#: The extra of this package that installs a library; other libraries come with the package.
_EXTRAS = {
    "cmaes": "tune",
    "dask": "dask",
    "distributed": "dask",
    "gymnasium": "learn",
    "pettingzoo": "learn",
    "starlette": "play",
    "uvicorn": "play",
}


def missing_library(feature: str, name: str | None) -> PaxsimError:
    """Build the error for a feature whose library is not installed."""
    library = (name or "a library").partition(".")[0]
    extra = _EXTRAS.get(library)
    wanted = f"'paxsim[{extra}]'" if extra else "paxsim"
    return PaxsimError(f"{feature} needs {library}, which is not installed: pip install {wanted}")
