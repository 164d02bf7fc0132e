"""Experiments with a progress line, and their results shown."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from paxsim.cli import EXIT_INTERRUPTED
from paxsim.cli.console import print_blocks, say, warn
from paxsim.experiment.progress import ProgressBar
from paxsim.views import blocks_of

#: Options that change how a run is carried out and not what it plays.
_VARYING = ("--jobs", "--backend", "--address", "--out", "--json", "--csv", "--chunk-games")


def command_line() -> str:
    """The command as typed, without what does not change its results."""
    words: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        name = word.partition("=")[0]
        if skip:
            skip = False
        elif name in _VARYING:
            skip = "=" not in word and name != "--json"
        else:
            words.append(word)
    return shlex.join(["paxsim", *words])


def run_experiment(
    question: Callable[..., Any],
    *,
    jobs: int | None,
    backend: str,
    address: str | None,
    out: Path | None,
    csv: Path | None,
    as_json: bool,
    chunk_games: int,
    **arguments: Any,
) -> None:
    """Ask a question with a progress bar and show its result.

    Parameters
    ----------
    question : callable
        One of `paxsim.experiment.questions`.
    """
    from paxsim.experiment.result import check_table_folder

    if csv is not None:
        check_table_folder("csv", csv)  # before playing: it would be a pity about the games
    notices: list[str] = []
    bar = ProgressBar()
    try:
        with bar:
            result = question(
                **arguments,
                jobs=jobs,
                backend=backend,
                address=address,
                out=out,
                chunk_games=chunk_games,
                progress=bar.update,
                command=command_line(),
                notices=notices,
            )
    except KeyboardInterrupt:
        say_interrupted(bar.done, out)
    for notice in notices:
        warn(notice)
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        say(result.to_json())
    else:
        show_result(result)


def show_result(result: Any) -> None:
    """Print the tables of a result and where they come from."""
    print_blocks(blocks_of(result))
    timing = result.timing
    speed = ""
    if "playing_seconds" in timing:
        rate = timing.get("played_games", result.games) / max(timing["playing_seconds"], 1e-9)
        speed = f" · {timing['seconds']:.1f} s, {rate:,.0f} games/s"
    say(f"{result.caption}{speed}")


def say_interrupted(games: int, out: Path | None) -> NoReturn:
    """End a run that the user stopped, and say how to go on."""
    if out is None:
        kept = "nothing is kept; with --out DIR it would be, and the same command would go on"
    elif out.exists():
        kept = f"what is done is kept in {out}: the same command goes on from there"
    else:  # stopped while it compiled, say
        kept = "there is nothing to keep yet"
    warn(f"interrupted after {games:,} games; {kept}")
    click.get_current_context().exit(EXIT_INTERRUPTED)
