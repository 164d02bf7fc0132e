"""`paxsim trace`: whole games as JSON Lines."""

from __future__ import annotations

from pathlib import Path

import click

from paxsim.cli import options
from paxsim.errors import PaxsimError, checked_int
from paxsim.files import atomic_write


@click.command("trace")
@options.setting
@options.policies
@options.seed
@click.option("--deal", type=int, default=0, show_default=True, help="The first deal.")
@click.option("--games", type=int, default=1, show_default=True, help="How many deals.")
@click.option("--rotation", type=int, default=0, show_default=True, help="Shift of the line-up.")
@click.option("--run", "directory", type=Path, metavar="DIR", help="Replay a game of a stored run.")
@click.option("--game", type=int, help="Which game of the run (0, 1, 2 ...).  [default: 0]")
@click.option("--out", type=Path, metavar="FILE", help="Write here instead of to the terminal.")
def command(
    players, solo_level, deck, rules, policies, seed, deal, games, rotation, directory, game, out
) -> None:
    """Play games and write down every event, hidden cards included, as JSON Lines."""
    if directory is not None:
        setting, lineup, seed, deal, rotation = game_of_run(directory, game or 0)
    elif game is not None:
        raise PaxsimError("game: found without a run; allowed: with --run DIR, or --deal instead")
    else:
        setting, lineup = checked_game(
            players, solo_level, deck, rules, policies, seed, deal, games, rotation
        )
    write_traces(setting, lineup, seed, deal, games, rotation, out)


def game_of_run(directory: Path, game: int) -> tuple:
    """Setting, line-up, seed, deal and rotation of a game of a stored run."""
    from paxsim.experiment.store import plan_of, read_manifest

    plan = plan_of(read_manifest(directory))
    match, lineup, deal, rotation = plan.locate_game(game)
    return match.setting, lineup, plan.seed, deal, rotation


def checked_game(players, solo_level, deck, rules, policies, seed, deal, games, rotation) -> tuple:
    """Setting and line-up of the games asked for."""
    from paxsim.playing import prepare
    from paxsim.setting import MAX_NUMBER

    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    checked_int("games", games, 1, MAX_NUMBER)
    checked_int("seed", seed, 0, MAX_NUMBER)
    checked_int("deal", deal, 0, MAX_NUMBER - games)
    checked_int("rotation", rotation, 0, setting.players - 1)
    return setting, lineup


def write_traces(setting, lineup, seed, deal, games, rotation, out: Path | None) -> None:
    """Write traces to a file, all or nothing, or to the terminal."""
    from paxsim.trace import trace_lines

    lines = trace_lines(setting, lineup, seed, deal, games, rotation)
    if out is None:
        for line in lines:
            click.echo(line)
        return
    with atomic_write(out) as file:
        for line in lines:
            file.write(line + "\n")
