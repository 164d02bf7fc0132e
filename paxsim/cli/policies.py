"""`paxsim policies`: who can play."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from paxsim.cli import options
from paxsim.cli.console import print_table, say, warn

if TYPE_CHECKING:
    from paxsim.policies.policy import Policy


@click.command("policies")
@click.argument("names", nargs=-1)
@options.as_json
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List all policies, or describe those NAMED: idea, parameters, where it fits."""
    from paxsim.policies import find_policy, policy_names
    from paxsim.policies.registry import load_entry_points

    if as_json:
        listed = [_as_object(find_policy(name)) for name in names or policy_names()]
        broken = [str(error) for _, error in load_entry_points()]
        say(json.dumps({"policies": listed, "broken": broken}))
        return
    if names:
        for name in names:
            describe(find_policy(name))
        return
    rows = []
    for name in policy_names():
        found = find_policy(name)
        params = ", ".join(f"{key}={value:g}" for key, value in found.params.items())
        if len(found.params) > 6:
            params = f"{len(found.params)} weights, see `paxsim policies {name}`"
        rows.append((name, found.idea, params, found.fits))
    print_table("Policies", ("name", "idea", "parameters", "fits"), rows)
    for _, error in load_entry_points():
        warn(str(error))


def _as_object(found: Policy) -> dict[str, object]:
    """A policy as JSON has it."""
    return {
        "name": found.name,
        "idea": found.idea,
        "parameters": dict(found.params),
        "fits": found.fits,
        "origin": found.origin,
    }


def describe(found: Policy) -> None:
    """Print a policy's docstring and parameters."""
    import inspect

    say(f"{found.name} ({found.fits}; from {found.origin})")
    say(inspect.getdoc(found.function) or "(no description)")
    for key, value in found.params.items():
        say(f"  {key} = {value:g}")
    say("")
