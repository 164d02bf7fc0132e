"""`paxsim run`: play a line-up."""

from __future__ import annotations

import click

from paxsim.cli import options
from paxsim.cli.console import say
from paxsim.cli.options import how_to_run, parse_games, parse_players, parse_share, policies_asked
from paxsim.cli.printing import show_simulation
from paxsim.cli.progress import run_experiment


@click.command("run")
@options.named
@click.option(
    "--players",
    metavar="N|A-B|A,B",
    help="Player counts, e.g. 4 or 2-8.  [default: one a policy; 4 if there is one policy]",
)
@options.solo_level
@options.policies
@click.option("--precision", help="Play until every win rate is this sure, e.g. 0.2%.")
@click.option("--permutations", is_flag=True, help="All permutations, not just rotations.")
@click.option("--plan", is_flag=True, help="Say how many games it will take; do not play them.")
@how_to_run
def command(
    named,
    players,
    solo_level,
    policies,
    precision,
    permutations,
    plan,
    games,
    seed,
    deck,
    rules,
    **how,
):
    """Play a line-up and print win rates by strategy and seat, with intervals."""
    from paxsim.experiment.questions import PRECISION_GAMES, simulate, simulation_size

    wanted = parse_games(games)
    ctx = click.get_current_context()
    if precision is not None and ctx.get_parameter_source("games").name == "DEFAULT":
        wanted = PRECISION_GAMES
    counts = parse_players("players", players)
    asked = dict(
        policies=policies_asked(named, policies),
        players=counts,
        games=wanted,
        seed=seed,
        precision=None if precision is None else parse_share("precision", precision),
        solo_level=solo_level,
        deck=deck,
        rules=rules,
        permutations=permutations,
    )
    if plan:
        say("\n".join(simulation_size(**asked)))
    else:
        run_experiment(simulate, show_simulation, **asked, **how)
