"""The command line of a study script."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import click

from paxsim.errors import checked_path
from paxsim.report.plan import SEED, study_games
from paxsim.report.progress import Bar
from paxsim.report.study import Options, Study


def study_main(
    name: str, title: str, question: str, run: Callable[[Study], None], text: str | None
) -> None:
    """Run a study script: ``--games``, ``--seed``, ``--jobs``, ``--out``.

    Parameters
    ----------
    name, title, question : str
        The study's file name, heading and question.
    run : callable
        Carries it out.
    text : str
        The script's docstring, for ``--help``.
    """
    everything = study_games(name)

    @click.command(name, help=text, context_settings={"help_option_names": ["-h", "--help"]})
    @click.option("--games", default=str(everything), show_default=True, help="In all, about.")
    @click.option("--seed", default=SEED, show_default=True, help="Names the deals.")
    @click.option("--jobs", type=int, help="Workers.  [default: one a core]")
    @click.option("--out", default="reports", show_default=True, help="Folder; resumes.")
    def command(games: str, seed: int, jobs: int | None, out: str) -> None:
        from paxsim.cli.running import parse_games
        from paxsim.cli.terminal import say, warn

        wanted = parse_games(games)
        folder = checked_path("out", out)
        begin = time.monotonic()
        with Bar(wanted) as bar:
            how = Options(folder, wanted / everything, seed, jobs, bar)
            study = Study(name, title, question, how)
            run(study)
            summary = study.finish()
        for finding in summary["findings"]:
            say(f"- {finding['text']}")
        warn(
            f"{summary['games']:,} games in {time.monotonic() - begin:.0f} s; "
            f"tables and charts in {study.folder}"
        )

    from paxsim.cli import EXIT_INTERRUPTED, exit_code_of
    from paxsim.cli.terminal import let_everything_be_written, warn

    let_everything_be_written()
    try:
        command.main(standalone_mode=False, prog_name=f"{name}.py")
    except KeyboardInterrupt:
        warn("interrupted; the same command goes on from there")
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        sys.exit(exit_code_of(error, [name]))
