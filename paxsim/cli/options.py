"""Parameter types and options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import click
from click.shell_completion import CompletionItem

from paxsim.cards import DEFAULT_DECK, list_decks
from paxsim.errors import PaxsimError, checked_path, safe_repr
from paxsim.rules import field_names

_UNITS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
#: Larger numbers of games are typing mistakes; smaller limits are checked elsewhere.
_MAX_GAMES = 10**15


def parse_games(field: str, text: str) -> int:
    """Return a number of games from text such as ``1e6``, ``1M``, ``1_000_000`` or ``1000k``."""
    plain = text.strip().replace("_", "").replace(",", "").lower()
    unit = _UNITS.get(plain[-1:], 1)
    try:
        number = unit * Decimal(plain if unit == 1 else plain[:-1])
    except ArithmeticError:
        number = Decimal("NaN")
    if not number.is_finite() or not 1 <= number < _MAX_GAMES or number % 1:
        raise PaxsimError(
            f"{field} must be a positive whole number such as 1e6 or 1M, got {safe_repr(text)}"
        )
    return int(number)


def parse_numbers(field: str, text: str) -> list[int]:
    """Return numbers from text such as ``4``, ``2-8`` or ``2,4,6-8``."""
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        if match is None:
            raise PaxsimError(f"{field} must be numbers such as 4, 2-5 or 2,4, got {text!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise PaxsimError(f"{field}: the smaller number of a range comes first, got {text!r}")
        numbers += range(first, last + 1)
    if len(set(numbers)) < len(numbers):
        raise PaxsimError(f"{field} must be different numbers, got {text!r}")
    return numbers


def parse_share(field: str, text: str) -> float:
    """Return a fraction from text such as ``0.2%`` or ``0.002``."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        message = f"{field} must be a share such as 0.2% or 0.002, got {safe_repr(text)}"
        raise PaxsimError(message) from None


class Parsed(click.ParamType):
    """Parameter type with a function that parses text; it gets the option's name for messages."""

    def __init__(self, name: str, parse: Callable[[str, str], Any]):
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if param is None or not isinstance(value, str):
            return value
        return self._parse(max(param.opts, key=len).lstrip("-"), value)


class Names(click.ParamType):
    """Text with names separated by commas that shells can complete."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]]):
        self._names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the last name."""
        before, comma, start = incomplete.rpartition(",")
        names = [name for name in self._names() if name.startswith(start)]
        return [CompletionItem(f"{before}{comma}{name}") for name in names]


def _policy_names() -> Iterable[str]:
    from paxsim.policies import list_policies  # importing policies takes a second

    return list_policies()


FILE, DIR = Parsed("file", checked_path), Parsed("dir", checked_path)
GAMES = Parsed("games", parse_games)
NUMBERS = Parsed("N|A-B|A,B", parse_numbers)
SHARE = Parsed("share", parse_share)
POLICIES = Names(_policy_names)

Decorator = Callable[[Callable], Callable]


def command(name: str, example: str, **settings: Any) -> Callable[[Callable], click.Command]:
    """Declare a command whose help ends with an example."""
    return click.command(name, epilog=f"\b\nExample:\n  paxsim {example}", **settings)


def together(*decorators: Decorator) -> Decorator:
    """Combine options into one decorator that keeps their order."""

    def decorate(function: Callable) -> Callable:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


players = click.option("--players", type=int, help="Number of players, 1 (solo) to 8.")
opponents_count = click.option(
    "--players", type=int, default=4, show_default=True, help="Number of players, 2 to 8."
)
solo_level = click.option("--solo-level", type=int, help="Solo level, 1 to 5.")
levels = click.option(
    "--levels", type=NUMBERS, default="1-5", show_default=True, help="Solo levels."
)
policies = click.option(
    "--policies",
    type=POLICIES,
    default="random",
    show_default=True,
    metavar="A,B,...",
    help="Policies by seat: NAME, NAME:parameter=value or FILE.py:NAME. One plays at all seats.",
)
seed = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
deal = click.option(
    "--deal", type=int, default=0, show_default=True, help="Number of the (first) deal."
)
rotation = click.option(
    "--rotation", type=int, default=0, show_default=True, help="Rotation of the line-up."
)
deck = click.option(
    "--deck",
    type=Names(list_decks),
    default=DEFAULT_DECK,
    show_default=True,
    metavar="NAME|FILE.toml",
    help="Deck, see `paxsim deck list`.",
)
rules = click.option(
    "--rules",
    type=Names(lambda: (f"{name}=" for name in field_names())),
    metavar="FILE.toml|FIELD=VALUE,...",
    help="Changes to the published rules, e.g. rome_needs=5,tie=money.",
)
names = click.argument("names", nargs=-1, metavar="[POLICY]...", type=POLICIES)
csv = click.option("--csv", type=DIR, help="Folder for all tables as CSV files.")
jobs = click.option("--jobs", type=int, help="Number of workers (default: one per core).")
out = click.option("--out", type=DIR, help="Run directory; an existing run is resumed.")
as_json = click.option("--json", "as_json", is_flag=True, help="Output as one JSON object.")
games = click.option(
    "--games", type=GAMES, default="1e5", show_default=True, help="Number of games, e.g. 1e6 or 1M."
)

#: What is played.
setting = together(players, solo_level, deck, rules)
#: A single game.
one_game = together(setting, policies, seed, deal, rotation)
#: Consent to code that somebody else's run names.
trust_policies = click.option(
    "--trust-policies", is_flag=True, help="Run the code of policy files that the run names."
)
#: What a report is about.
subject = together(
    deck,
    rules,
    click.option(
        "--policies",
        metavar="A,B,...",
        help="Policies, two or more (default: all built-in heuristics).",
    ),
    click.option("--players", type=NUMBERS, help="Player counts (default: 2-8)."),
)
#: How an experiment is run, except for the number of games.
run_without_games = together(
    seed,
    deck,
    rules,
    jobs,
    click.option(
        "--backend",
        default="threads",
        show_default=True,
        help="Kind of workers: threads, processes or dask.",
    ),
    click.option("--address", help="Scheduler of a dask cluster, e.g. tcp://host:8786."),
    out,
    csv,
    as_json,
    click.option("--chunk-games", type=int, default=24_000, hidden=True, help="Games per task."),
)
run = together(games, run_without_games)


def is_given(name: str) -> bool:
    """Return whether the user gave a parameter of the current command."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source is not click.core.ParameterSource.DEFAULT


def refuse_given(names: Iterable[str], reason: str) -> None:
    """Refuse options that would have no effect."""
    for name in names:
        if is_given(name):
            raise PaxsimError(f"--{name.replace('_', '-')} can't be used {reason}")


def choose_policies(names: tuple[str, ...], policies: str | None) -> str | None:
    """Return the policies, which can be given as arguments or with ``--policies``."""
    if not names:
        return policies
    if is_given("policies"):
        raise PaxsimError("give policies either as arguments or with --policies, not both")
    return ",".join(names)
