"""The one kind of error that a user can cause."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral


class PaxsimError(ValueError):
    """A mistake in what the user asked for, told in one line.

    The command line prints the message and exits with code 2; a traceback never reaches the user.
    """


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
    near = get_close_matches(str(found), names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return PaxsimError(f"{field}: {str(found)!r} is unknown{hint}; allowed: {', '.join(names)}")


def checked_int(field: str, found: object, low: int, high: int) -> int:
    """Return `found` if it is a whole number within ``low..high``; complain otherwise."""
    # Integral, because numpy's whole numbers are as good as Python's.
    if isinstance(found, Integral) and not isinstance(found, bool) and low <= int(found) <= high:
        return int(found)
    raise PaxsimError(f"{field}: found {found!r}; allowed: a whole number from {low} to {high}")
