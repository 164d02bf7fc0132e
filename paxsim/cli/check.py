"""`paxsim check`: the contract test for a policy."""

from __future__ import annotations

import os
import sys

import click

from paxsim.cli import options
from paxsim.cli.console import say, warn


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
    told: set[str] = set()
    for check in checks:
        say(f"{check.setting}: fails in the same way" if check.fault in told else str(check))
        told.add(check.fault or str(check))
    if checks and all(check.problem is None for check in checks):
        for doubt in doubts(found):
            say(f"warning: {doubt}")
        say(f"policy {found.name}: fine")
        return
    warn(f"policy {found.name} fails the check, see above")
    sys.stdout.flush()
    # A stuck policy leaves a thread in compiled code, which only the end of the process stops.
    os._exit(2)
