"""Commands that run the studies of the report."""

from __future__ import annotations

from pathlib import Path

import click

from paxsim.cli import EXIT_INTERRUPTED, options
from paxsim.cli.console import print_view, say, warn
from paxsim.table_views import rows_view

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
@options.subject
def report_command(scale, seed, jobs, out, studies, deck, rules, policies, players):
    """Run all studies and write the report page.

    The page is OUT/index.html, with tables and charts beside it. It can be about another deck,
    other rules, policies or player counts.
    """
    from paxsim.report.build import make_report
    from paxsim.report.study import SEED

    try:
        page = make_report(
            out, scale=scale, seed=SEED if seed is None else seed, jobs=jobs,
            studies=studies or None,
            deck=deck, rules=rules, policies=policies, players=players,
        )  # fmt: skip
    except KeyboardInterrupt:
        _end_interrupted(out)
    say(f"open {page}")


@options.command("study", "study rome --games 1e5")
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
    from paxsim.report.build import run_study
    from paxsim.report.study import SEED

    if name is None:
        list_studies()
        return
    try:
        section = run_study(
            name, games=games, seed=SEED if seed is None else seed, jobs=jobs, out=out, deck=deck,
            rules=rules, policies=policies, players=players,
        )  # fmt: skip
    except KeyboardInterrupt:
        _end_interrupted(out)
    if section.left_out:
        say(f"left out: {section.left_out}")
        return
    for finding in section.findings:
        say(f"- {finding.text}")
    say(f"tables and charts in {out / name}")


def list_studies() -> None:
    """Print every study with its question and number of games."""
    from paxsim.report.studies import load_study
    from paxsim.report.study import STUDIES, study_games

    rows = [(name, load_study(name).QUESTION, study_games(name)) for name in STUDIES]
    print_view(rows_view(("name", "question", "games"), rows, "Studies"))
