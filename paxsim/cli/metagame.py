"""`paxsim metagame`: what players do who answer each other."""

from __future__ import annotations

from typing import Any

import click

from paxsim.cli.console import say
from paxsim.cli.metaprinting import show_metagame, show_steps
from paxsim.cli.options import how_to_run_beside_games, parse_games, parse_players, parse_share
from paxsim.cli.progress import ProgressBar, command_line, run_experiment, say_interrupted
from paxsim.errors import PaxsimError


@click.command("metagame")
@click.option(
    "--policies",
    required=True,
    metavar="A,B,...",
    help="The strategies that players choose among: names, NAME:parameter=value, or FILE.py:NAME.",
)
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option("--games", help="In all, e.g. 1e6.  [default: 10,000 blocks of each line-up]")
@click.option(
    "--widen",
    is_flag=True,
    help="Add best answers to where the players end, until nothing gains any more.",
)
@click.option(
    "--tuned", default="weighted", show_default=True, help="With --widen: what is tuned to answer."
)
@click.option(
    "--seats", default="1-3", show_default=True, help="With --widen: seats that answer together."
)
@click.option(
    "--margin", default="1%", show_default=True, help="With --widen: what an answer must gain."
)
@click.option("--rounds", type=int, default=3, show_default=True, help="With --widen: at most.")
@click.option("--generations", type=int, help="With --widen: of each tuning.")
@how_to_run_beside_games
def command(policies, players, games, widen, tuned, seats, margin, rounds, generations, **how):
    """Where do players end who answer each other, and how often does Rome win there?

    Every mixture of the policies at the table is played. From what they win follow the states in
    which players end, whether somebody gains by leaving them alone or together, and how sure that
    is.
    """
    asked = {"policies": policies, "players": players}
    asked["games"] = None if games is None else parse_games(games)
    if widen:
        numbers = parse_players("seats", seats)
        effort = {} if generations is None else {"generations": generations}
        share = parse_share("margin", margin)
        _widen(**asked, tuned=tuned, seats=numbers, margin=share, rounds=rounds, effort=effort,
               **how)  # fmt: skip
        return
    from paxsim.experiment.metaquestion import metagame

    run_experiment(metagame, show_metagame, **asked, **how)


def _widen(*, backend: str, address: str | None, csv: Any, as_json: bool, **asked: Any) -> None:
    """Widen the set under a progress bar, and show what came of it."""
    from paxsim.experiment.tablefiles import check_table_folder
    from paxsim.tuning.widening import widen

    if backend != "threads" or address is not None:
        raise PaxsimError(f"backend: found {backend}; allowed with --widen: threads")
    if csv is not None:
        check_table_folder("csv", csv)
    bar = ProgressBar()
    try:
        with bar:
            found = widen(
                **asked,
                progress=bar.update,
                answering=lambda standing: bar.show(
                    standing.games, standing.expected, f"looking for an answer: {standing.said}"
                ),
                command=command_line(),
            )
    except KeyboardInterrupt:
        say_interrupted(bar.games, asked["out"])
    found.result.tables["steps"] = found.steps
    if csv is not None:
        found.result.to_csv(csv)
    if as_json:
        say(found.result.to_json())
        return
    show_metagame(found.result)
    show_steps(found.steps)
    say(f"{found.ended}\n{found.result.caption}")
    say(",".join(policy.spec for policy in found.strategies))
