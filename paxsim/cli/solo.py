"""`paxsim solo`: success by level."""

from __future__ import annotations

import click

from paxsim.cli import options
from paxsim.cli.options import how_to_run, parse_games, parse_players, policies_asked
from paxsim.cli.printing import show_solo
from paxsim.cli.progress import run_experiment


@click.command("solo")
@options.named
@options.policies
@click.option("--levels", default="1-5", show_default=True, metavar="N|A-B|A,B")
@how_to_run
def command(named, policies, levels, games, seed, deck, rules, **how):
    """How often policies win at each solo level, and a whole campaign."""
    from paxsim.experiment.questions import solo

    run_experiment(
        solo,
        show_solo,
        policies=policies_asked(named, policies),
        levels=parse_players("levels", levels),
        games=parse_games(games),
        seed=seed,
        deck=deck,
        rules=rules,
        **how,
    )
