"""Commands that run the studies of the report."""

from __future__ import annotations

import time
from pathlib import Path

import click

from paxsim.cli import EXIT_INTERRUPTED, options
from paxsim.cli.console import print_view, say, warn
from paxsim.errors import PaxsimError, unknown
from paxsim.views import rows_view

_seed = click.option("--seed", type=int, help="Random seed (default: the report's own).")
_out = click.option(
    "--out",
    type=options.DIR,
    default=Path("reports"),
    show_default=True,
    help="Folder of the report; stored games are not played again.",
)


def _end_interrupted(out: Path) -> None:
    warn(f"interrupted; results so far are in {out}: run the same command to resume")
    click.get_current_context().exit(EXIT_INTERRUPTED)


@options.command("report", "report --scale 0.1 --players 2-4 --out my-report")
@click.option("--scale", default=1.0, show_default=True, help="Factor of all numbers of games.")
@_seed
@options.jobs
@_out
@click.option("--study", "studies", multiple=True, help="A single study (may be repeated).")
@click.option("--page-only", is_flag=True, help="Write the page from stored results only.")
@options.subject
def report_command(scale, seed, jobs, out, studies, page_only, deck, rules, policies, players):
    """Run all studies and write the report page.

    The page is OUT/index.html, with tables and charts beside it. It can be about another deck,
    other rules, policies or player counts.
    """
    from paxsim.report.budget import SEED, STUDIES
    from paxsim.report.build import build_report
    from paxsim.report.page import write_page
    from paxsim.report.subject import make_subject

    for name in studies:
        if name not in STUDIES:
            raise unknown("study", name, STUDIES)
    about = make_subject(deck, rules, policies, players)
    try:
        page = (
            write_page(out)
            if page_only
            else build_report(out, scale, SEED if seed is None else seed, jobs, studies, about)
        )
    except KeyboardInterrupt:
        _end_interrupted(out)
    say(f"open {page}")


@options.command("study", "study rome_rate --games 1e5")
@click.argument("name", required=False)
@click.option(
    "--games", type=options.GAMES, help="Total number of games (default: as in the report)."
)
@_seed
@options.jobs
@_out
@options.subject
def study_command(name, games, seed, jobs, out, deck, rules, policies, players):
    """Run one study, or list all of them.

    Prints the findings of the study NAME and writes its tables and charts to OUT/NAME.
    """
    from paxsim.report.bar import Bar
    from paxsim.report.budget import MAX_SCALE, SEED, study_games
    from paxsim.report.build import run_study
    from paxsim.report.studies import load_study
    from paxsim.report.study import Options
    from paxsim.report.subject import make_subject

    if name is None:
        list_studies()
        return
    load_study(name)
    usual = study_games(name)
    games = usual if games is None else games
    if games > MAX_SCALE * usual:
        raise PaxsimError(f"games must be at most {MAX_SCALE * usual:,} for {name}, got {games:,}")
    about = make_subject(deck, rules, policies, players)
    begin = time.monotonic()
    try:
        with Bar(games) as bar:
            numbers = (games / usual, SEED if seed is None else seed, jobs)
            summary = run_study(name, Options(out, *numbers, bar, about))
    except KeyboardInterrupt:
        _end_interrupted(out)
    if summary["left_out"]:
        say(f"left out: {summary['left_out']}")
    for finding in summary["findings"]:
        say(f"- {finding['text']}")
    say(
        f"{summary['games']:,} games in {time.monotonic() - begin:.0f} s; "
        f"tables and charts in {out / name}"
    )


def list_studies() -> None:
    """Print every study with its question and number of games."""
    from paxsim.report.budget import STUDIES, study_games
    from paxsim.report.studies import load_study

    rows = [(name, load_study(name).QUESTION, study_games(name)) for name in STUDIES]
    print_view(rows_view(("name", "question", "games"), rows, "Studies"))
