"""`paxsim restrict`: what a category, a card, an action or a power is worth."""

from __future__ import annotations

from typing import Any

import click

from paxsim.cli import options
from paxsim.cli.options import how_to_run, parse_games, parse_players
from paxsim.cli.printing import show_restrictions
from paxsim.cli.progress import ProgressBar, run_experiment, say_interrupted
from paxsim.errors import PaxsimError


@click.command("restrict")
@click.option(
    "--without",
    required=True,
    metavar="A,B+C,...",
    help="A category, a card (land/2/4), peek, buy, react, second (more than one card a turn); for "
    "all seats also double-draw, discount, bonus, senator-income. A+B: together. categories, "
    "actions, cards, powers: each of them.",
)
@click.option(
    "--seats", default="1", show_default=True, metavar="1|all", help="Whom it is forbidden to."
)
@click.option("--positions", metavar="N|A-B|A,B", help="Only these of the line-up, one at a time.")
@click.option("--tuned", is_flag=True, help="Tune those who have it and those who have not, first.")
@click.option("--generations", type=int, help="Of the tuning.")
@options.players
@options.solo_level
@options.policies
@how_to_run
def command(
    without, seats, positions, tuned, generations, players, solo_level, policies, games, **how
):
    """What is it worth? Win rates, and Rome's, when a seat, or all, may not use something."""
    from paxsim.experiment.restrictions import ONE, restrict

    asked = dict(
        policies=policies,
        without=without,
        players=players,
        positions=parse_players("positions", positions),
    )
    wanted = parse_games(games)
    answers = None
    if tuned:
        if seats != ONE or solo_level is not None:
            raise PaxsimError("tuned: found with all seats, or solo; allowed: one seat of 2 to 8")
        answers = _tuned(asked, generations, how)
    elif generations is not None:
        raise PaxsimError("generations: found without --tuned; allowed: with it")
    run_experiment(
        restrict,
        show_restrictions,
        **asked,
        games=wanted,
        seats=seats,
        answers=answers,
        solo_level=solo_level,
        **how,
    )


def _tuned(asked: dict[str, Any], generations: int | None, how: dict[str, Any]) -> Any:
    """The tuned answers, under a progress bar of their own."""
    from paxsim.tuning.adapting import GENERATIONS, tuned_answers

    bar = ProgressBar()
    try:
        with bar:
            return tuned_answers(
                **asked,
                generations=GENERATIONS if generations is None else generations,
                progress=lambda standing: bar.show(
                    standing.games, standing.expected, standing.said
                ),
                **{key: how[key] for key in ("seed", "deck", "rules", "jobs")},
            )
    except KeyboardInterrupt:
        say_interrupted(bar.games, None)
