"""The one kind of error that a user can cause."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping, Set
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.quoting import told


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
    text = found if isinstance(found, str) else told(found)
    hint = suggestion(text, names)
    return PaxsimError(f"{field}: {told(text)} is unknown{hint}; allowed: {', '.join(names)}")


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
    raise PaxsimError(f"{field}: found {told(found)}; allowed: a whole number from {low} to {high}")


def checked_bool(field: str, found: Any) -> bool:
    """Return `found` if it is true or false, also numpy's; complain otherwise."""
    if isinstance(found, (bool, np.bool_)):
        return bool(found)
    raise PaxsimError(f"{field}: found {told(found)}; allowed: true or false")


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
        raise PaxsimError(f"{field}: found {told(found)}; allowed: {allowed}")
    return items


def checked_path(field: str, found: Any) -> Path:
    """Return `found` as a path if it can be one; complain otherwise."""
    text = os.fspath(found) if isinstance(found, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise PaxsimError(f"{field}: found {told(found)}; allowed: the name of a file or folder")
    try:
        Path(text).exists()
    except OSError as error:  # it is too long, say
        raise PaxsimError(f"{field}: cannot use {told(text)}: {error.strerror}") from None
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
