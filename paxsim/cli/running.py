"""What the commands that play experiments share: options, the progress bar, how results appear."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from paxsim.cli import EXIT_INTERRUPTED, options
from paxsim.cli.progress import ProgressBar
from paxsim.cli.terminal import say, warn
from paxsim.errors import PaxsimError
from paxsim.quoting import told

#: Options that change how a run is carried out and not what it plays.
_VARYING = ("--jobs", "--backend", "--address", "--out", "--json", "--csv", "--chunk-games")


def how_to_run(function: Callable) -> Callable:
    """The options of every command that plays an experiment."""
    decorators = (
        click.option("--games", default="1e5", show_default=True, help="How many, e.g. 1e6."),
        options.seed,
        options.deck,
        options.rules,
        click.option("--jobs", type=int, help="Workers.  [default: one a core]"),
        click.option(
            "--backend",
            default="threads",
            show_default=True,
            help="Where workers run: threads, processes or dask.",
        ),
        click.option("--address", help="Scheduler of a dask cluster, e.g. tcp://host:8786."),
        click.option("--out", type=options.PATH, metavar="DIR", help="Keep the run here; resumes."),
        click.option(
            "--csv", type=options.PATH, metavar="DIR", help="Write every table as CSV here."
        ),
        click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout."),
        click.option(
            "--chunk-games", type=int, default=24_000, hidden=True, help="Games a task, about."
        ),
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def parse_games(text: str) -> int:
    """``"1e6"`` or ``"1000000"`` as a whole number."""
    try:
        number = float(text.replace("_", "").replace(",", ""))
    except ValueError:
        number = 0.5
    if not number.is_integer() or number < 1:
        raise PaxsimError(f"games: found {told(text)}; allowed: a positive whole number, e.g. 1e6")
    return int(number)


def parse_players(field: str, text: str | None) -> list[int] | None:
    """``"4"``, ``"2-8"`` or ``"2,4,6-8"`` as numbers, e.g. player counts."""
    if text is None:
        return None
    counts: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        if match is None:
            raise PaxsimError(f"{field}: found {text!r}; allowed: e.g. 4, 2-5 or 2,4,5")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise PaxsimError(f"{field}: found {text!r}; allowed: the smaller number first")
        counts += range(first, last + 1)
    if len(set(counts)) < len(counts):
        raise PaxsimError(f"{field}: found {text!r}; allowed: every number once")
    return counts


def parse_share(field: str, text: str) -> float:
    """``"0.2%"`` or ``"0.002"`` as a fraction."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise PaxsimError(f"{field}: found {told(text)}; allowed: e.g. 0.2% or 0.002") from None


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
    shown: Callable[[Any], None],
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
    shown : callable
        Prints the result for a person.
    """
    from paxsim.experiment.tablefiles import check_table_folder

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
        _say_interrupted(bar.games, out)
    for notice in notices:
        warn(notice)
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        say(result.to_json())
    else:
        shown(result)
        seconds = result.timing["seconds"]
        rate = result.games / max(result.timing["playing_seconds"], 1e-9)
        say(f"{result.caption}; {seconds:.1f} s, {rate:,.0f} games a second")


def _say_interrupted(games: int, out: Path | None) -> NoReturn:
    """End a run that the user stopped, and say how to go on."""
    kept = (
        f"what is done is kept in {out}: the same command goes on from there"
        if out
        else "nothing is kept; with --out DIR it would be, and the same command would go on"
    )
    warn(f"interrupted after {games:,} games; {kept}")
    click.get_current_context().exit(EXIT_INTERRUPTED)
