"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from paxsim.cards import DEFAULT_DECK
from paxsim.errors import checked_path


class _NamedPath(click.ParamType):
    """A path as it was typed; an empty one is a mistake, and not the current folder."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        field = max(param.opts, key=len).lstrip("-") if param is not None else self.name
        return checked_path(field, value)


PATH = _NamedPath()

players = click.option("--players", type=int, help="Number of players, 1 (solo) to 8.")
solo_level = click.option("--solo-level", type=int, help="Solo level, 1 to 5.")
policies = click.option(
    "--policies",
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
    default=DEFAULT_DECK,
    show_default=True,
    metavar="NAME|FILE.toml",
    help="The cards of one copy of the game; see `paxsim deck list`.",
)
rules = click.option(
    "--rules",
    metavar="FILE.toml|FIELD=VALUE,...",
    help="What differs from the published rules, e.g. rome_needs=5,tie=money.",
)
csv = click.option("--csv", type=PATH, metavar="DIR", help="Write every table as CSV here.")


def setting(function: Callable) -> Callable:
    """The options that say what is played: players, solo level, deck and rules."""
    for option in (rules, deck, solo_level, players):
        function = option(function)
    return function
