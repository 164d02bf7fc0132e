"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from paxsim.cards import DEFAULT_DECK, list_decks
from paxsim.errors import PaxsimError, checked_path, safe_repr
from paxsim.rules import field_names


class _NamedPath(click.ParamType):
    """A path as it was typed; an empty one is a mistake, and not the current folder."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        field = max(param.opts, key=len).lstrip("-") if param is not None else self.name
        return checked_path(field, value)


PATH = _NamedPath()


class _Listed(click.ParamType):
    """A text, as a rule several names with commas between them, that shells can complete."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]]):
        self._names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin like the last one."""
        before, comma, begun = incomplete.rpartition(",")
        names = [name for name in self._names() if name.startswith(begun)]
        return [CompletionItem(f"{before}{comma}{name}") for name in names]


def _policy_names() -> Iterable[str]:
    from paxsim.policies import list_policies  # not when a command merely starts

    return list_policies()


POLICIES = _Listed(_policy_names)

players = click.option("--players", type=int, help="Number of players, 1 (solo) to 8.")
solo_level = click.option("--solo-level", type=int, help="Solo level, 1 to 5.")
policies = click.option(
    "--policies",
    type=POLICIES,
    default="random",
    show_default=True,
    metavar="A,B,...",
    help="Who plays, by seat: names, NAME:parameter=value, or FILE.py:NAME. One plays all seats.",
)
seed = click.option(
    "--seed", type=int, default=0, show_default=True, help="Names the sequence of deals."
)
deck = click.option(
    "--deck",
    type=_Listed(list_decks),
    default=DEFAULT_DECK,
    show_default=True,
    metavar="NAME|FILE.toml",
    help="The cards of one copy of the game; see `paxsim deck list`.",
)
rules = click.option(
    "--rules",
    type=_Listed(lambda: (f"{name}=" for name in field_names())),
    metavar="FILE.toml|FIELD=VALUE,...",
    help="What differs from the published rules, e.g. rome_needs=5,tie=money.",
)
named = click.argument("named", nargs=-1, metavar="[POLICY]...", type=POLICIES)
csv = click.option("--csv", type=PATH, metavar="DIR", help="Write every table as CSV here.")


def setting(function: Callable) -> Callable:
    """The options that say what is played: players, solo level, deck and rules."""
    for option in (rules, deck, solo_level, players):
        function = option(function)
    return function


def subject(function: Callable) -> Callable:
    """The options that say what a report is about."""
    decorators = (
        deck,
        rules,
        click.option(
            "--policies",
            metavar="A,B,...",
            help="The strategies, two or more.  [default: all built-in heuristics]",
        ),
        click.option("--players", metavar="N|A-B|A,B", help="Player counts.  [default: 2-8]"),
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


#: For programs, wherever a command has an answer.
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")


def how_to_run(function: Callable) -> Callable:
    """The options of every command that plays an experiment."""
    games = click.option(
        "--games", default="1e5", show_default=True, help="How many, e.g. 1e6 or 1M."
    )
    return games(how_to_run_beside_games(function))


def how_to_run_beside_games(function: Callable) -> Callable:
    """The same without the number of games, which some commands explain in their own words."""
    decorators = (
        seed,
        deck,
        rules,
        click.option("--jobs", type=int, help="Workers.  [default: one a core]"),
        click.option(
            "--backend",
            default="threads",
            show_default=True,
            help="Where workers run: threads, processes or dask.",
        ),
        click.option("--address", help="Scheduler of a dask cluster, e.g. tcp://host:8786."),
        click.option("--out", type=PATH, metavar="DIR", help="Keep the run here; resumes."),
        click.option("--csv", type=PATH, metavar="DIR", help="Write every table as CSV here."),
        as_json,
        click.option(
            "--chunk-games", type=int, default=24_000, hidden=True, help="Games a task, about."
        ),
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def policies_asked(named: tuple[str, ...], policies: str | None) -> str | None:
    """The policies of a command, which may be named with or without the option."""
    if not named:
        return policies
    given = click.get_current_context().get_parameter_source("policies")
    if given is not None and given.name != "DEFAULT":
        raise PaxsimError(
            f"policies: found {' '.join(named)!r} beside --policies; allowed: one of both"
        )
    return ",".join(named)


#: What may stand behind a number of games.
_UNITS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
#: No number of games, but a slip of the finger; how many may be played is said elsewhere.
_TOO_MANY = 10**15


def parse_games(text: str) -> int:
    """``"1e6"``, ``"1M"``, ``"1_000_000"`` or ``"1000k"`` as a whole number."""
    plain = text.strip().replace("_", "").replace(",", "").lower()
    unit = _UNITS.get(plain[-1:], 1)
    try:
        number = unit * Decimal(plain if unit == 1 else plain[:-1])
    except ArithmeticError:
        number = Decimal("0.5")
    if not number.is_finite() or not 1 <= number < _TOO_MANY or number % 1:
        raise PaxsimError(
            f"games: found {safe_repr(text)}; allowed: a positive whole number, e.g. 1e6 or 1M"
        )
    return int(number)


def parse_players(field: str, text: str | None) -> list[int] | None:
    """``"4"``, ``"2-8"`` or ``"2,4,6-8"`` as numbers, e.g. player counts."""
    if text is None:
        return None
    counts: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        if match is None:
            raise PaxsimError(f"{field}: found {text!r}; allowed: e.g. 4, 2-5 or 2,4,5")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise PaxsimError(f"{field}: found {text!r}; allowed: the smaller number first")
        counts += range(first, last + 1)
    if len(set(counts)) < len(counts):
        raise PaxsimError(f"{field}: found {text!r}; allowed: every number once")
    return counts


def parse_share(field: str, text: str) -> float:
    """``"0.2%"`` or ``"0.002"`` as a fraction."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise PaxsimError(
            f"{field}: found {safe_repr(text)}; allowed: e.g. 0.2% or 0.002"
        ) from None
