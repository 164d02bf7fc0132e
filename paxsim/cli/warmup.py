"""`paxsim warmup`: compile ahead."""

from __future__ import annotations

import time

import click

from paxsim.cli.console import say

#: Compiled code of other versions goes after so many days without use.
DAYS_KEPT = 30


@click.command("warmup")
def command() -> None:
    """Compile the engine, the built-in policies and rollouts: later commands start at once."""
    from paxsim.engine.cache import code_folder, remove_unused
    from paxsim.experiment.counting import warm_counting
    from paxsim.playing import warm_up
    from paxsim.search.outlook import warm_rollouts

    begin = time.perf_counter()
    for what in warm_up():
        say(f"  {what} ({time.perf_counter() - begin:.1f} s)")
    warm_counting()
    say(f"  tally ({time.perf_counter() - begin:.1f} s)")
    warm_rollouts()
    say(f"  rollouts of hints and analyses ({time.perf_counter() - begin:.1f} s)")
    folder = code_folder()
    if folder is None:
        say("nothing is kept: no cache folder can be used; see PAXSIM_CACHE_DIR")
        return
    removed = remove_unused(DAYS_KEPT)
    if removed:
        say(f"removed compiled code of {removed} versions, unused for {DAYS_KEPT} days")
    say(f"ready; compiled code is kept in {folder.parent}")
