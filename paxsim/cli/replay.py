"""`paxsim replay`: a game as a page to watch."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paxsim.cli import options
from paxsim.cli.console import say
from paxsim.cli.trace import checked_game, deck_of_run, given_options, texts_of_run
from paxsim.errors import PaxsimError, checked_path

if TYPE_CHECKING:
    from paxsim.board import Replay

#: Options that name a game by its numbers, and have no meaning for a trace or a run.
_NUMBERS = ("players", "solo_level", "deck", "rules", "policies", "seed", "deal", "rotation")


@click.command("replay")
@click.argument("source", required=False, metavar="[TRACE.jsonl|RUN]")
@click.option("--number", type=int, help="Which game of a file of traces (1, 2, 3 ...).")
@click.option("--game", type=int, help="Which game of a run (0, 1, 2 ...).  [default: 0]")
@options.setting
@options.policies
@options.seed
@click.option("--deal", type=int, default=0, show_default=True, help="Which deal.")
@click.option("--rotation", type=int, default=0, show_default=True, help="Shift of the line-up.")
@click.option(
    "--out",
    type=options.PATH,
    default="game.html",
    show_default=True,
    metavar="FILE",
    help="The page, in one file.",
)
def command(
    source, number, game, players, solo_level, deck, rules, policies, seed, deal, rotation, out
) -> None:
    """Put a game on a board: one page with all in it, which needs no network.

    The game is that of a trace, one of a stored run, or, without either, the one that the options
    name.
    """
    replay, _ = asked_replay(
        "replay", source, number, game, players, solo_level, deck, rules, policies, seed, deal,
        rotation, out,
    )  # fmt: skip
    replay.save(out)
    say(f"wrote {out}: {replay.told()[-1]}")


def asked_replay(
    command_name: str, source, number, game, players, solo_level, deck, rules, policies, seed,
    deal, rotation, out,
) -> tuple[Replay, Any]:  # fmt: skip
    """The game that options name, and the deck that was given or is known.

    Parameters
    ----------
    command_name : str
        Who asks; goes into the command that makes the page again.
    """
    from paxsim.board import Replay
    from paxsim.board.reading import events_of
    from paxsim.trace import trace_lines

    path = None if source is None else checked_path("trace", source)
    if path is not None and path.is_dir():
        refuse(number, "number", "a run; allowed: --game")
        first = game or 0
        lines = "".join(texts_of_run(path, first, 1, given_options())).splitlines()
        said = f"paxsim {command_name} {shlex.quote(str(path))} --game {first} --out {out}"
        return Replay(events_of(lines), said), deck_of_run(path, first)
    if path is not None:
        refuse(game, "game", "a trace; allowed: --number")
        for name in _NUMBERS:
            if name != "deck" or command_name == "replay":
                refuse(given_options().get(name), name, "a trace, which says it; allowed: none")
        replay = Replay.read(path, number)
        replay.command = replay.command.replace("paxsim replay", f"paxsim {command_name}", 1)
        return replay, given_options().get("deck")
    refuse(number, "number", "no trace; allowed: TRACE.jsonl --number N")
    refuse(game, "game", "no run; allowed: RUN --game N, or --deal")
    setting, lineup = checked_game(
        players, solo_level, deck, rules, policies, seed, deal, 1, rotation
    )
    lines = list(trace_lines(setting, lineup, seed, deal, 1, rotation))
    said = _command(command_name, setting, lineup, seed, deal, rotation, out)
    return Replay(events_of(lines), said), setting.deck


def refuse(found: object, option: str, where: str) -> None:
    """An option that says nothing about what was asked for is a mistake."""
    if found is not None:
        raise PaxsimError(f"{option.replace('_', '-')}: found {found} with {where}")


def _command(name: str, setting, lineup, seed: int, deal: int, rotation: int, out: Path) -> str:
    """The command that makes the page again, with the files of policies and deck."""
    from paxsim.failures import replay_command

    traced = replay_command(setting, lineup, seed, deal, rotation)
    return f"{traced.replace('paxsim trace', f'paxsim {name}', 1)} --out {out}"
