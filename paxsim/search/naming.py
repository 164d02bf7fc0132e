"""How a line-up names a searcher, and how a searcher's label is put together again.

``search:kind=tree:rollouts=64:self=hermit(stronger=20:starve=12)+weighted:opponents=tribune``. What
stands in parentheses are parameters of a policy that plays rollouts, as they stand behind its name
elsewhere; outside of them, ``:`` separates what is said of the searcher.
"""

from __future__ import annotations

from collections.abc import Sequence

from paxsim.errors import PaxsimError, unknown
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy, parse_setting

NAME = "search"
#: Stands for the catalogue, weighed by what a rival has done so far.
ADAPTIVE = "adaptive"


def read_settings(
    text: str, numbers: Sequence[str], words: Sequence[str]
) -> tuple[dict[str, float], dict[str, str]]:
    """What is said of a searcher behind its name.

    Parameters
    ----------
    text : str
        All behind ``search:``.
    numbers, words : sequence of str
        The settings that there are: those that are numbers, and the others.
    """
    found_numbers: dict[str, float] = {}
    found_words: dict[str, str] = {}
    for part in split_outside(text, ":"):
        said = part.partition("(")[0]
        name, _, _ = (word.strip() for word in said.partition("="))
        if "=" not in said and found_words:  # self=mine.py:thrifty
            found_words[list(found_words)[-1]] += f":{part}"
        elif name in found_words or name in found_numbers:
            raise PaxsimError(f"policy {NAME}: {name}: given twice; allowed: once")
        elif name in words:
            found_words[name] = part.partition("=")[2].strip()
        elif name in numbers:
            found_numbers.update([parse_setting(NAME, part)])
        else:
            raise unknown(f"policy {NAME}: parameter", name, [*numbers, *words])
    return found_numbers, found_words


def split_outside(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand outside of parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if not 0 <= depth <= 1:
            break
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth != 0:
        raise PaxsimError(
            f"policy {NAME}: found {text!r}; allowed: parentheses in pairs, "
            "as in NAME(parameter=number:parameter=number)"
        )
    return [part.strip() for part in parts]


def read_policies(field: str, text: str, most: int, also: str = "") -> tuple[Policy, ...]:
    """The policies of ``A+B(parameter=number)+C``.

    Parameters
    ----------
    field : str
        What they are for, for messages.
    text : str
        What was said.
    most : int
        How many there may be.
    also : str
        What else is allowed there, for messages.
    """
    names = split_outside(text, "+")
    if not all(names):
        raise PaxsimError(
            f"policy {NAME}: {field}: found {text!r} with an empty name; allowed: A+B+C{also}"
        )
    if len(names) > most:
        raise PaxsimError(f"policy {NAME}: {field}: found {len(names)}; allowed: at most {most}")
    return tuple(find_policy(_unfolded(name)) for name in names)


def _unfolded(name: str) -> str:
    """``hermit(a=1:b=2)`` as it is written where there is nothing else: ``hermit:a=1:b=2``."""
    head, opened, rest = name.partition("(")
    if not opened:
        return name
    if not rest.endswith(")"):
        raise PaxsimError(
            f"policy {NAME}: found {name!r}; allowed: NAME(parameter=number:parameter=number)"
        )
    return f"{head}:{rest[:-1]}" if rest[:-1].strip() else head


def folded(policy: Policy, text: str) -> str:
    """A policy's label or spec with its changed parameters in parentheses."""
    changed = policy.label[len(policy.name) + 1 :]
    return f"{text[: -len(changed) - 1]}({changed})" if changed else text
