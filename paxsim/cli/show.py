"""`paxsim show`: the tables of a stored run."""

from __future__ import annotations

from pathlib import Path

import click

from paxsim.cli import options
from paxsim.cli.console import say, warn


@click.command("show")
@click.argument("directory", type=options.PATH)
@options.as_json
@options.csv
def command(directory: Path, as_json: bool, csv: Path | None) -> None:
    """Print the tables of the run in DIRECTORY, without playing."""
    from paxsim.cli.printing import SHOWN
    from paxsim.experiment.answers import incomplete, show

    result = show(directory)
    for name in result.timing["damaged"]:
        warn(f"left out: {name}")
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        say(result.to_json())
        return
    SHOWN[result.manifest["question"]["kind"]](result)
    say(result.caption)
    missing = incomplete(result)
    if missing:
        say(f"{missing}; to go on: {result.manifest['command']} --out {directory}")
    else:
        say(f"made by: {result.manifest['command']}")
