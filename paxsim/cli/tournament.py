"""`paxsim tournament`: everybody against everybody."""

from __future__ import annotations

import click

from paxsim.cli import options
from paxsim.cli.options import how_to_run, parse_games, parse_players, policies_asked
from paxsim.cli.printing import show_tournament
from paxsim.cli.progress import run_experiment


@click.command("tournament")
@options.named
@click.option("--players", default="2-4", show_default=True, metavar="N|A-B|A,B")
@click.option(
    "--policies",
    type=options.POLICIES,
    metavar="A,B,...",
    help="The contestants.  [default: all built-in heuristics]",
)
@how_to_run
def command(named, players, policies, games, seed, deck, rules, **how):
    """Let every policy meet every other; print standings, ratings and payoffs."""
    from paxsim.experiment.questions import tournament
    from paxsim.policies.registry import HEURISTICS

    run_experiment(
        tournament,
        show_tournament,
        policies=policies_asked(named, policies) or ",".join(HEURISTICS),
        players=parse_players("players", players),
        games=parse_games(games),
        seed=seed,
        deck=deck,
        rules=rules,
        **how,
    )
