"""`paxsim report`: run the standing studies and write the page."""

from __future__ import annotations

import time
from pathlib import Path

import click

from paxsim.cli import EXIT_INTERRUPTED, options
from paxsim.cli.console import print_view, say, warn
from paxsim.cli.options import parse_games, parse_players
from paxsim.cli.progress import show_result
from paxsim.errors import PaxsimError, unknown
from paxsim.views import rows_view


@click.command("show")
@click.argument("directory", type=options.PATH)
@options.as_json
@options.csv
def show_command(directory: Path, as_json: bool, csv: Path | None) -> None:
    """Print the tables of the run in DIRECTORY, without playing."""
    from paxsim.experiment.answers import incomplete, load_result

    result = load_result(directory)
    for name in result.timing["damaged"]:
        warn(f"left out: {name}")
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        say(result.to_json())
        return
    show_result(result)
    missing = incomplete(result)
    if missing:
        say(f"{missing}; to go on: {result.manifest['command']} --out {directory}")
    else:
        say(f"made by: {result.manifest['command']}")


@click.command("report")
@click.option("--scale", default=1.0, show_default=True, help="Factor for all numbers of games.")
@click.option("--seed", type=int, help="Names the deals.  [default: the report's own]")
@click.option("--jobs", type=int, help="Workers.  [default: one a core]")
@click.option(
    "--out",
    type=options.PATH,
    default=Path("reports"),
    show_default=True,
    help="Folder of the report; games that are there are not played again.",
)
@click.option("--study", "studies", multiple=True, help="Only this study (may be repeated).")
@click.option("--page-only", is_flag=True, help="Write the page from what the studies wrote.")
@options.subject
def report_command(scale, seed, jobs, out, studies, page_only, deck, rules, policies, players):
    """Run the standing studies and write OUT/index.html, with tables and charts beside it.

    With a deck, rules, strategies or player counts of your own it is a report about these.
    """
    from paxsim.report.budget import SEED, STUDIES
    from paxsim.report.build import build_report
    from paxsim.report.page import write_page
    from paxsim.report.subject import make_subject

    for name in studies:
        if name not in STUDIES:
            raise unknown("study", name, STUDIES)
    about = make_subject(deck, rules, policies, options.parse_players("players", players))
    try:
        page = (
            write_page(out)
            if page_only
            else build_report(out, scale, SEED if seed is None else seed, jobs, studies, about)
        )
    except KeyboardInterrupt:
        warn(f"interrupted; what is done is kept in {out}: the same command goes on from there")
        click.get_current_context().exit(EXIT_INTERRUPTED)
    say(f"open {page}")


@click.command("study")
@click.argument("name", required=False)
@click.option("--games", help="In all, about.  [default: as many as the report plays]")
@click.option("--seed", type=int, help="Names the deals.  [default: the report's own]")
@click.option("--jobs", type=int, help="Workers.  [default: one a core]")
@click.option(
    "--out",
    type=options.PATH,
    default=Path("reports"),
    show_default=True,
    help="Folder of the report; games that are there are not played again.",
)
@options.subject
def study_command(
    name: str | None,
    games: str | None,
    seed: int | None,
    jobs: int | None,
    out: Path,
    deck: str,
    rules: str | None,
    policies: str | None,
    players: str | None,
) -> None:
    """Carry out the study NAME and print its findings; without a name, list all studies.

    Tables, charts and findings go to OUT/NAME; `paxsim report --page-only` makes a page of what is
    there.
    """
    from paxsim.report.bar import Bar
    from paxsim.report.budget import SEED, study_games
    from paxsim.report.build import run_study
    from paxsim.report.studies import load_study
    from paxsim.report.study import Options
    from paxsim.report.subject import make_subject

    if name is None:
        list_studies()
        return
    load_study(name)
    wanted = study_games(name) if games is None else checked_size(name, games)
    scale = wanted / study_games(name)
    about = make_subject(deck, rules, policies, parse_players("players", players))
    begin = time.monotonic()
    try:
        with Bar(wanted) as bar:
            numbers = (scale, SEED if seed is None else seed, jobs)
            summary = run_study(name, Options(out, *numbers, bar, about))
    except KeyboardInterrupt:
        warn(f"interrupted; what is done is kept in {out}: the same command goes on from there")
        click.get_current_context().exit(EXIT_INTERRUPTED)
    if summary["left_out"]:
        say(f"left out: {summary['left_out']}")
    for finding in summary["findings"]:
        say(f"- {finding['text']}")
    say(
        f"{summary['games']:,} games in {time.monotonic() - begin:.0f} s; "
        f"tables and charts in {out / name}"
    )


def checked_size(name: str, games: str) -> int:
    """A number of games that a study can be scaled to."""
    from paxsim.report.budget import MAX_SCALE, study_games

    wanted, most = parse_games(games), MAX_SCALE * study_games(name)
    if wanted > most:
        raise PaxsimError(f"games: found {games}; allowed for {name}: at most {most:,}")
    return wanted


def list_studies() -> None:
    """Print every study with its question and how much it plays."""
    from paxsim.report.budget import STUDIES, study_games
    from paxsim.report.studies import load_study

    rows = [(name, load_study(name).QUESTION, study_games(name)) for name in STUDIES]
    print_view(rows_view(("name", "question", "games"), rows, "Studies"))
