"""Running studies and writing their files and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paxsim import cards, charts
from paxsim.board.replay import Replay
from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import checked_int, checked_list, checked_path
from paxsim.experiment.progress import ProgressBar
from paxsim.experiment.result import as_csv
from paxsim.io import atomic_write, make_folder
from paxsim.playing import play_batch, trace_command
from paxsim.policies.policy import Policy
from paxsim.report.page import render
from paxsim.report.studies import load_study
from paxsim.report.study import MAX_SCALE, SEED, STUDIES, Runs, Section, study_games
from paxsim.report.subject import make_subject
from paxsim.rules import Rules
from paxsim.setting import make_setting
from paxsim.trace import trace_game
from paxsim.version import __version__

PAGE = "index.html"
#: Deals from which the games to watch are chosen.
EXAMPLE_DEALS = 600


def make_report(
    out: str | Path = "reports",
    *,
    scale: float = 1.0,
    seed: int = SEED,
    jobs: int | None = None,
    studies: Iterable[str] | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    policies: str | Policy | Sequence[str | Policy] | None = None,
    players: Sequence[int] | None = None,
) -> Path:
    """Run the standing studies and write them on one page.

    Games are kept in ``OUT/.runs``, so an interrupted report continues where it stopped, and a
    finished one is written again without playing.

    Parameters
    ----------
    out : path
        Folder of the report: ``index.html``, and a folder of tables and charts for each study.
    scale : float
        Factor for all numbers of games.
    seed : int
        Random seed.
    jobs : int, optional
        Number of workers; by default one per core.
    studies : iterable of str, optional
        Names of studies; by default all.
    deck, rules
        See `paxsim.load_deck` and `paxsim.load_rules`.
    policies : str or sequence, optional
        Two or more strategies; by default the built-in heuristics.
    players : sequence of int, optional
        Player counts, 2 to 8; by default all.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    PaxsimError
        If an argument is invalid, or the folder can't be written.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.make_report("report", scale=0.01, studies=["seat_bias"])  # doctest: +SKIP
    PosixPath('report/index.html')
    """
    listed = tuple(STUDIES) if studies is None else studies
    names = checked_list("studies", listed, "a list of names of studies")
    for name in names:
        load_study(name)  # a wrong name fails before hours of games, not after
    subject = make_subject(deck, rules, policies, players)
    out = checked_path("out", out)
    with ProgressBar() as bar:
        runs = Runs(subject, out, scale, seed, jobs, bar, names)
        sections = [_run_study(name, runs) for name in names]
    for section in sections:
        write_section(section, runs)
    facts = {"games": f"{sum(runs.games_of.values()):,}", "seed": seed, "scale": f"{scale:g}",
             "version": __version__}  # fmt: skip
    decks = {name: cards.load_deck(name).note for name in cards.list_decks()}
    page = render(sections, facts, subject.ideas, {subject.deck.name: subject.deck.note, **decks},
                  subject.title, example_games(runs))  # fmt: skip
    make_folder(out, "out")
    with atomic_write(out / PAGE) as file:
        file.write(page)
    return out / PAGE


def run_study(
    name: str,
    *,
    games: int | None = None,
    seed: int = SEED,
    jobs: int | None = None,
    out: str | Path = "reports",
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    policies: str | Policy | Sequence[str | Policy] | None = None,
    players: Sequence[int] | None = None,
) -> Section:
    """Run one standing study, and write its tables and charts.

    Parameters
    ----------
    name : str
        Name of the study; ``paxsim study`` lists all.
    games : int, optional
        Games in all, approximately; by default as many as in the report.
    out : path
        Folder of the report; the study writes to ``OUT/NAME``.
    seed, jobs, deck, rules, policies, players
        As for `make_report`.

    Returns
    -------
    Section
        Findings, tables and charts.

    Raises
    ------
    PaxsimError
        If an argument is invalid, or the folder can't be written.

    Examples
    --------
    >>> import paxsim
    >>> section = paxsim.run_study("solo_ladder", games=1000)  # doctest: +SKIP
    >>> section.headline.text  # doctest: +SKIP
    'At solo level 1 senators does best: 43.8 ± 1.2% success.'
    """
    load_study(name)
    subject = make_subject(deck, rules, policies, players)
    usual = study_games(name)
    games = usual if games is None else checked_int("games", games, 1, MAX_SCALE * usual)
    out = checked_path("out", out)
    with ProgressBar() as bar:
        runs = Runs(subject, out, games / usual, seed, jobs, bar, [name])
        section = _run_study(name, runs)
    write_section(section, runs)
    return section


def _run_study(name: str, runs: Runs) -> Section:
    section: Section = load_study(name).run(runs)
    section.command = runs.command(name)
    return section


def write_section(section: Section, runs: Runs) -> None:
    """Write the tables of a section as CSV and its charts as SVG."""
    folder = runs.out / section.name
    if section.tables:
        make_folder(folder, "out")
    for table in section.tables:
        source = {"seed": runs.seed, "version": __version__}
        data = table.data.assign(**{k: v for k, v in source.items() if k not in table.data})
        with atomic_write(folder / f"{table.name}.csv") as file:
            file.write(as_csv(data))
    for chart in section.charts:
        charts.save(chart.figure, folder / chart.name, png=False)


def example_games(runs: Runs) -> list[dict[str, str]]:
    """Return games to watch: a usual win of Rome, a usual win of the players, and a close one.

    They are chosen from deals of the sample line-up. Each has a ``title``, its ``result`` in a
    sentence and the ``command`` that shows it on a board.
    """
    players = runs.subject.table
    setting = make_setting(players, **runs.subject.setting)
    batch = play_batch(runs.sample_lineup(players), players, deals=EXAMPLE_DEALS, seed=runs.seed,
                       **runs.subject.setting)  # fmt: skip
    rome, rounds = batch.results["rome_wins"].astype(bool), batch.results["rounds"]
    points = np.sort(batch.results["points"][:, :players], axis=1)
    margins = points[:, -1] - points[:, -2]
    examples = []
    for name, title, among, measure in (
        ("rome_wins", "A win of Rome of usual length", rome, rounds),
        ("players_win", "A win of the players by a usual margin", ~rome, margins),
        ("close", "The closest win of the players", ~rome, None),
    ):
        if not among.any():
            continue
        target = 0 if measure is None else np.median(measure[among])
        distance = np.abs((margins if measure is None else measure) - target)
        place = int(np.argmin(np.where(among, distance, np.inf)))
        deal = int(batch.results["deal"][place])
        events = list(trace_game(setting, batch.lineup, runs.seed, deal, 0))
        trace = trace_command(setting, batch.lineup, runs.seed, deal, 0)
        command = f"{trace.replace('paxsim trace', 'paxsim replay', 1)} --out {name}.html"
        result = Replay(events, command).sentences()[-1]
        examples.append({"title": title, "result": result, "command": command})
    return examples
