"""`paxsim policies`: who can play."""

from __future__ import annotations

import click

from paxsim.cli.console import print_table, say, warn


@click.command("policies")
@click.argument("names", nargs=-1)
def command(names: tuple[str, ...]) -> None:
    """List all policies, or describe those NAMED: idea, parameters, where it fits."""
    from paxsim.policies import find_policy, policy_names
    from paxsim.policies.registry import load_entry_points

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
    for error in load_entry_points().values():
        warn(str(error))


def describe(found) -> None:
    """Print a policy's docstring and parameters."""
    import inspect

    say(f"{found.name} ({found.fits}; from {found.origin})")
    say(inspect.getdoc(found.function) or "(no description)")
    for key, value in found.params.items():
        say(f"  {key} = {value:g}")
    say("")
