"""`paxsim warmup`: compile ahead."""

from __future__ import annotations

import time

import click


@click.command("warmup")
def command() -> None:
    """Compile the engine and all built-in policies, so that later commands start at once."""
    from paxsim.engine.compiling import cache_folder
    from paxsim.playing import warm_up

    begin = time.perf_counter()
    for what in warm_up():
        click.echo(f"  {what} ({time.perf_counter() - begin:.1f} s)")
    click.echo(f"ready; compiled code is kept in {cache_folder()}")
