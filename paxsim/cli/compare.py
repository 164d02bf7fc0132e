"""`paxsim compare`: two policies in one field, on the same deals."""

from __future__ import annotations

import click

from paxsim.cli.console import say
from paxsim.cli.options import how_to_run, parse_games, parse_share
from paxsim.cli.printing import show_comparison
from paxsim.cli.progress import run_experiment


@click.command("compare")
@click.argument("a")
@click.argument("b")
@click.option("--field", default="random", show_default=True, help="Who plays the other seats.")
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option("--delta", default="0", show_default=True, help="Better by at least, e.g. 1%.")
@click.option("--sequential", is_flag=True, help="Stop as soon as the test has decided.")
@click.option("--plan", is_flag=True, help="Say how many games finding --delta takes.")
@how_to_run
def command(a, b, field, players, delta, sequential, plan, games, seed, deck, rules, **how):
    """Is policy A better than policy B in the same field, deal by deal?"""
    from paxsim.experiment.pairedquestions import compare, comparison_size

    asked = dict(
        a=a,
        b=b,
        field=field,
        players=players,
        games=parse_games(games),
        seed=seed,
        delta=parse_share("delta", delta),
        deck=deck,
        rules=rules,
    )
    if plan:
        say("\n".join(comparison_size(**asked)))
    else:
        run_experiment(compare, show_comparison, **asked, sequential=sequential, **how)
