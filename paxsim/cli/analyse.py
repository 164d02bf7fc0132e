"""`paxsim analyse`: where a game turned, and which decisions policies get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from paxsim.cli import options
from paxsim.cli.console import print_table, say
from paxsim.cli.printing import percent
from paxsim.cli.progress import ProgressBar
from paxsim.cli.replay import asked_replay, refuse
from paxsim.cli.trace import given_options
from paxsim.errors import PaxsimError, checked_path
from paxsim.files import check_can_write
from paxsim.text import in_percent, number

_PAGE = "game.html"


@click.command("analyse")
@click.argument("source", required=False, metavar="[TRACE.jsonl|RUN]")
@click.option("--number", type=int, help="Which game of a file of traces (1, 2, 3 ...).")
@click.option("--game", type=int, help="Which game of a run (0, 1, 2 ...).  [default: 0]")
@click.option("--games", help="Judge so many games instead of one, by kind of decision.")
@click.option(
    "--rollouts", type=int, help="Worlds for every option.  [default: 200; with --games 100]"
)
@options.setting
@options.policies
@options.seed
@click.option("--deal", type=int, default=0, show_default=True, help="Which deal.")
@click.option("--rotation", type=int, default=0, show_default=True, help="Shift of the line-up.")
@click.option(
    "--models",
    metavar="A,B,...",
    help="Who plays on, by seat; one plays all.  [default: who played; weighted for others]",
)
@click.option(
    "--yardstick", metavar="NAME", help="Whose choices those of the game are compared with."
)
@click.option("--rollout-seed", type=int, default=0, help="Names the random numbers of rollouts.")
@click.option("--jobs", type=int, help="Threads.  [default: one a core]")
@click.option("--csv", type=options.PATH, metavar="DIR", help="With --games: the table as CSV.")
@click.option(
    "--out",
    type=options.PATH,
    metavar="FILE",
    help="The page of a game [default: game.html]; with --games the chart, as PNG and SVG.",
)
def command(
    source, number, game, games, rollouts, players, solo_level, deck, rules, policies, seed, deal,
    rotation, models, yardstick, rollout_seed, jobs, csv, out,
) -> None:  # fmt: skip
    """Judge the decisions of a game: what every option promised, from what its seat knew.

    Writes the page of the replay with everybody's chances over the game, decisions that cost more
    than their error, turning points, and what was luck and what was play. With --games it says of
    many games which kinds of decision a policy gets wrong, and what that costs it.
    """
    if games is not None:
        for option, found in (("number", number), ("game", game), ("yardstick", yardstick)):
            refuse(found, option, "--games; allowed: one of both")
        given = given_options()
        for option in ("deal", "rotation", "rollout_seed"):
            refuse(given.get(option), option, "--games; allowed: --seed")
        numbers = {
            "players": players, "solo_level": solo_level, "deck": deck, "rules": rules,
            "policies": policies, "seed": seed,
        }  # fmt: skip
        _judge_many(source, games, rollouts, numbers, models, jobs, csv, out)
        return
    refuse(csv, "csv", "one game; allowed: with --games")
    from paxsim.analysis import analyse
    from paxsim.analysis.gamepage import summary

    out = out or Path(_PAGE)
    check_can_write(out)
    replay, played_with = asked_replay(
        "analyse", source, number, game, players, solo_level, deck, rules, policies, seed, deal,
        rotation, out,
    )  # fmt: skip
    replay.command += _settings(rollouts, models, yardstick, rollout_seed)
    with ProgressBar("decisions") as bar:
        found = analyse(
            replay, rollouts=200 if rollouts is None else rollouts, seed=rollout_seed,
            models=models, yardstick=yardstick, deck=played_with, jobs=jobs,
            progress=lambda done, all_of_them: bar.show(done, all_of_them, ""),
        )  # fmt: skip
    found.save(out)
    for sentence in summary(found):
        say(sentence)
    say(f"wrote {out}: {replay.told()[-1]}")


def _settings(rollouts: int | None, models: str | None, yardstick: str | None, seed: int) -> str:
    """What a command has to say besides the game."""
    said = {"rollouts": rollouts, "models": models, "yardstick": yardstick}
    words = [f" --{name} {value}" for name, value in said.items() if value is not None]
    return "".join(words) + (f" --rollout-seed {seed}" if seed else "")


def _judge_many(
    source: str | None,
    games: str,
    rollouts: int | None,
    numbers: dict[str, Any],
    models: str | None,
    jobs: int | None,
    csv: Path | None,
    out: Path | None,
) -> None:
    from paxsim import charts
    from paxsim.analysis import analyse_games
    from paxsim.experiment.tablefiles import check_table_folder

    if csv is not None:
        check_table_folder("csv", csv)
    if out is not None:
        check_can_write(out)
    if source is not None:
        path = checked_path("run", source)
        if not path.is_dir():
            raise PaxsimError(f"games: found with {source}; allowed: with a run or a line-up")
        given = given_options()
        for name in numbers:
            refuse(given.get(name), name, "a run, which says it; allowed: none")
        numbers = {"run": path}
    with ProgressBar("games") as bar:
        found = analyse_games(
            **numbers, games=options.parse_games(games), models=models, jobs=jobs,
            rollouts=100 if rollouts is None else rollouts,
            progress=lambda done, all_of_them: bar.show(done, all_of_them, ""),
        )  # fmt: skip
    if csv is not None:
        found.to_csv(csv)
    rows = [
        (
            row["policy"],
            row["kind"],
            number(row["decisions"], 1),
            in_percent(row["improvable"], 0),
            percent(row, "cost"),
            in_percent(row["cost_of_one"], 2),
        )
        for _, row in found.table.iterrows()
    ]
    heads = ("policy", "decision", "a game", "looks better %", "cost of a game", "of one")
    print_table(
        "What decisions cost a seat, in percentage points of a win", heads, rows,
        numbers=heads[2:],
        caption="looks better %: decisions in which another option won more of the first rollouts; "
        "cost: what it wins beyond the chosen one in fresh rollouts, ± a 95 % interval over "
        "blocks, each alone",
    )  # fmt: skip
    if out is not None:
        png, svg = charts.save(found.plot().figure, out.with_suffix(""))
        say(f"wrote {png} and {svg}")
    say(found.caption)
