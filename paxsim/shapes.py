"""Whether something read from JSON has the shape that a program relies on.

A shape is written as the thing itself: a dictionary of keys that must be there, a list with the
shape of all its items, `Each` for the values of a dictionary with any keys, `Kind` for what is
neither. What is wrong is told by its place, such as ``plan.bundles[0][1].players``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from paxsim.errors import is_number, is_whole
from paxsim.quoting import is_name, told


class Kind(NamedTuple):
    """A single value: a test, and what the test lets through, in words."""

    fits: Callable[[Any], bool]
    allowed: str


class Each(NamedTuple):
    """A dictionary with any texts as keys, whose values have one shape."""

    shape: Any


ANYTHING = Kind(lambda found: True, "anything")
TEXT = Kind(lambda found: isinstance(found, str), "a text")
NAME = Kind(lambda found: is_name(found, 10_000), "a text of one line")
FLAG = Kind(lambda found: isinstance(found, bool), "true or false")
NUMBER = Kind(is_number, "a number")


def whole(low: int, high: int) -> Kind:
    """A whole number within ``low..high``."""
    return Kind(
        lambda found: is_whole(found) and low <= found <= high,
        f"a whole number from {low} to {high}",
    )


def one_of(*names: str) -> Kind:
    """One of several texts."""
    return Kind(lambda found: isinstance(found, str) and found in names, " or ".join(names))


def optional(kind: Kind) -> Kind:
    """The same, or null."""
    return Kind(lambda found: found is None or kind.fits(found), f"{kind.allowed}, or null")


def misfit(found: Any, shape: Any, where: str = "") -> str | None:
    """The first place at which something does not have a shape, in words; None if it has it."""
    if isinstance(shape, Kind):
        if shape.fits(found):
            return None
        return f"{where or 'content'}: found {told(found)}; allowed: {shape.allowed}"
    if isinstance(shape, list):
        if not isinstance(found, list):
            return f"{where or 'content'}: found {told(found)}; allowed: a list"
        places = ((item, shape[0], f"{where}[{i}]") for i, item in enumerate(found))
    else:
        if not isinstance(found, dict):
            return f"{where or 'content'}: found {told(found)}; allowed: an object"
        prefix = f"{where}." if where else ""
        inner = dict.fromkeys(found, shape.shape) if isinstance(shape, Each) else shape
        for key in inner:
            if key not in found:
                return f"{prefix}{key}: missing"
        places = ((found[key], inner[key], f"{prefix}{key}") for key in inner)
    return next((said for place in places if (said := misfit(*place)) is not None), None)
