"""`paxsim tune`: the best parameters of a policy."""

from __future__ import annotations

from typing import Any

import click

from paxsim.cli import options
from paxsim.cli.console import print_table, say
from paxsim.cli.options import PATH, parse_games, parse_players
from paxsim.cli.printing import percent
from paxsim.cli.progress import ProgressBar, say_interrupted

#: Contenders of the held-out table that are printed; the record has them all.
_SHOWN = 8


@click.command("tune")
@click.argument("policy")
@click.option(
    "--field",
    default="weighted",
    show_default=True,
    metavar="A,B,...|W*A,W*B,...",
    help="Who plays the other seats: one policy, one a seat, or a mixture with weights.",
)
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option(
    "--goal",
    default="wins",
    show_default=True,
    help="What counts: wins, points, rome-loses or solo.",
)
@click.option(
    "--coalition", type=int, default=1, show_default=True, help="Seats that POLICY takes."
)
@click.option("--params", metavar="A,B,...", help="Parameters to tune.  [default: all]")
@click.option("--generations", type=int, help="Of each restart.")
@click.option("--restarts", type=int, help="How many searches, each from its own start.")
@click.option("--games", help="For each candidate and generation.")
@click.option("--levels", default="1-5", show_default=True, help="Solo levels, for --goal solo.")
@options.seed
@options.deck
@options.rules
@click.option("--jobs", type=int, help="Threads.  [default: one a core]")
@click.option("--out", type=PATH, metavar="DIR", help="Keep the record here; resumes.")
@options.as_json
def command(policy, field, generations, restarts, games, levels, out, as_json, **asked):
    """Find the parameters with which POLICY does best in a field, for a goal.

    What is found is confirmed on held-out deals, beside the catalogue in the same seats. The last
    line is the best policy, to be pasted wherever a policy is named.
    """
    from paxsim.tuning.field import parse_field
    from paxsim.tuning.question import GAMES, GENERATIONS, RESTARTS, tune

    bar = ProgressBar()
    try:
        with bar:
            answer = tune(
                policy,
                parse_field(field),
                generations=GENERATIONS if generations is None else generations,
                restarts=RESTARTS if restarts is None else restarts,
                games=GAMES if games is None else parse_games(games),
                levels=parse_players("levels", levels),
                out=out,
                progress=lambda standing: bar.show(
                    standing.games, standing.expected, standing.said
                ),
                **asked,
            )
    except KeyboardInterrupt:
        say_interrupted(bar.games, out)
    if as_json:
        say(answer.to_json())
    else:
        show_answer(answer)


def show_answer(answer: Any) -> None:
    """What was found, beside the best of the others; the policy stands alone in the last line."""
    table = answer.held_out
    shown = table[(table.index < _SHOWN) | (table["role"] != "catalogue")]
    numbers = ("figure %", "difference", "seat wins %", "rival wins %", "Rome wins %")
    rows = [
        (
            row["role"] if row["role"] != "catalogue" else row["policy"],
            percent(row, "figure"),
            "" if row["role"] == "tuned" else percent(row, "difference"),
            percent(row, "win_rate"),
            percent(row, "rival_win_rate"),
            percent(row, "rome_wins"),
        )
        for _, row in shown.iterrows()
    ]
    print_table(
        f"Held-out deals: figure is {answer.figure}",
        ("contender", *numbers),
        rows,
        numbers=numbers,
        caption=f"{len(shown)} of {len(table)} contenders; difference: to the tuned one, paired",
    )
    say(f"{answer.verdict}\n{answer.caption}\n{answer.spec}")
