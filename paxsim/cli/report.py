"""`paxsim report`: run the standing studies and write the page."""

from __future__ import annotations

from pathlib import Path

import click

from paxsim.cli import EXIT_INTERRUPTED, options
from paxsim.cli.console import say, warn
from paxsim.errors import unknown


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
def command(scale, seed, jobs, out, studies, page_only, deck, rules, policies, players):
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
