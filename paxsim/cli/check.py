"""`paxsim check`: the contract test for a policy."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

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
@options.as_json
def command(
    policy: str,
    deals: int | None,
    seed: int,
    patience: float,
    plain: bool,
    deck: str,
    rules: str | None,
    players: str | None,
    as_json: bool,
) -> None:
    """Play POLICY (a name or FILE.py:NAME) through every player count and solo level."""
    from paxsim.doubts import doubts
    from paxsim.policies import find_policy
    from paxsim.testing import run_checks

    found = find_policy(policy)
    counts = options.parse_players("players", players)
    checks = run_checks(found, deals, seed, patience, plain, deck, rules, counts)
    warnings = doubts(found, played=not plain) if checks.fine else []
    if as_json:
        tables = [asdict(check) for check in checks]
        answer = {"policy": found.name, "fine": checks.fine, "checks": tables, "warnings": warnings}
        say(json.dumps(answer))
    else:
        for line in checks.lines():
            say(line)
        for doubt in warnings:
            say(f"warning: {doubt}")
    if checks.fine:
        if not as_json:
            say(f"policy {found.name}: fine")
        return
    warn(f"policy {found.name} fails the check, see above")
    sys.stdout.flush()
    # A stuck policy leaves a thread in compiled code, which only the end of the process stops.
    os._exit(2)
