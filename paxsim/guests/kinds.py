"""The compiler's types and signatures, as a user would call them."""

from __future__ import annotations

import re

from paxsim.guests.scene import RECORDS

#: By how a type's name begins.
_KINDS = {
    "int": "a whole number",
    "uint": "a whole number",
    "Literal[int]": "a whole number",
    "float": "a number with a fraction",
    "bool": "True or False",
    "array": "an array",
    "readonly": "an array",
    "nestedarray": "an array",
    "none": "None",
    "unicode": "a text",
    "Literal[str]": "a text",
    "list": "a list",
    "reflected list": "a list",
    "Tuple": "a tuple",
    "UniTuple": "a tuple",
    "class(": "a type",
    "Function(<class": "a type",
    **{name: f"the record {name}" for name in RECORDS},
}
FRACTION = _KINDS["float"]


def in_words(kind: str) -> str:
    """A type of the compiler's."""
    for beginning, words in _KINDS.items():
        if kind.startswith(beginning):
            return words
    return kind


def unfit_call(story: str) -> tuple[str, list[str]] | None:
    """The function that the compiler knows no form of for its arguments, and their types."""
    found = re.search(r"No implementation of function.*?>{3} (\w+)\((.*?)\)\n", story, re.DOTALL)
    return (found[1], _split(found[2])) if found else None


def argument_in_words(argument: str) -> str:
    """The type of an argument, with its name if it has one."""
    name, equals, kind = argument.partition("=")
    named = bool(equals) and name.isidentifier()
    return f"{name}={in_words(kind)}" if named else in_words(argument)


def dimensions(kind: str) -> int:
    """How many dimensions an array has; 0 if it is none."""
    nested = re.search(r"nestedarray\(\w+, \(([\d, ]+)\)\)", kind)
    if nested:
        return len(re.findall(r"\d+", nested[1]))
    plain = re.search(r"array\(\w+, (\d)d", kind)
    return int(plain[1]) if plain else 0


def _split(arguments: str) -> list[str]:
    """A list of types at its outer commas."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
