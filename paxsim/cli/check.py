"""`paxsim check`: the contract test for a policy."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from paxsim.cli import options
from paxsim.cli.console import say, warn

if TYPE_CHECKING:
    from paxsim.testing import Check


def said_of(checks: list[Check]) -> Iterator[str]:
    """What to say of every table; a failure once, with the other tables that it is met at."""
    alike: dict[str, list[Check]] = {}
    for check in checks:
        alike.setdefault(check.fault or str(check), []).append(check)
    for first, *others in alike.values():
        yield str(first)
        if others:
            tables = "1 other table" if len(others) == 1 else f"{len(others)} other tables"
            where = ", ".join(check.setting for check in others)
            yield f"fails in the same way at {tables}: {where}"


@click.command("check")
@click.argument("policy")
@click.option(
    "--deals", type=int, help="Deals a player count.  [default: 40, and fewer for a searcher]"
)
@click.option("--seed", type=int, default=0, show_default=True, help="Names the deals.")
@click.option(
    "--patience",
    type=float,
    default=20.0,
    show_default=True,
    help="Seconds for a player count, after which the policy counts as stuck.",
)
@click.option("--plain", is_flag=True, help="In plain Python: slow, with print and breakpoint().")
@options.deck
@options.rules
@click.option("--players", metavar="N|A-B|A,B", help="Player counts, 1 is solo.  [default: all]")
def command(
    policy: str,
    deals: int | None,
    seed: int,
    patience: float,
    plain: bool,
    deck: str,
    rules: str | None,
    players: str | None,
) -> None:
    """Play POLICY (a name or FILE.py:NAME) through every player count and solo level."""
    from paxsim.doubts import doubts
    from paxsim.policies import find_policy
    from paxsim.testing import check_policy

    found = find_policy(policy)
    checks = check_policy(
        found,
        deals=deals,
        seed=seed,
        patience=patience,
        plain=plain,
        deck=deck,
        rules=rules,
        players=options.parse_players("players", players),
    )
    for line in said_of(checks):
        say(line)
    if checks and all(check.problem is None for check in checks):
        for doubt in doubts(found):
            say(f"warning: {doubt}")
        say(f"policy {found.name}: fine")
        return
    warn(f"policy {found.name} fails the check, see above")
    sys.stdout.flush()
    # A stuck policy leaves a thread in compiled code, which only the end of the process stops.
    os._exit(2)
