"""`paxsim warmup`: compile ahead."""

from __future__ import annotations

import time

import click

#: Compiled code of other versions goes after so many days without use.
DAYS_KEPT = 30


@click.command("warmup")
def command() -> None:
    """Compile the engine and all built-in policies, so that later commands start at once."""
    from paxsim.engine.compiling import code_folder, remove_unused
    from paxsim.playing import warm_up

    begin = time.perf_counter()
    for what in warm_up():
        click.echo(f"  {what} ({time.perf_counter() - begin:.1f} s)")
    folder = code_folder()
    if folder is None:
        click.echo("nothing is kept: the cache folder can't be written; see PAXSIM_CACHE_DIR")
        return
    removed = remove_unused(DAYS_KEPT)
    if removed:
        click.echo(f"removed compiled code of {removed} versions, unused for {DAYS_KEPT} days")
    click.echo(f"ready; compiled code is kept in {folder.parent}")
