"""What a study works with: it asks questions, and writes tables, charts and findings.

A study is a module of `paxsim.studies` with a function ``run(study)``; nothing here knows which
there are. Games are kept in run directories below ``OUT/.runs``, under names that depend on
everything that shapes them, so an interrupted study goes on where it stopped and a run that
several studies use is played once.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from paxsim import cards, charts
from paxsim.errors import checked_int
from paxsim.experiment.result import DECIMALS, Result, as_csv
from paxsim.experiment.run import checked_jobs, made_by
from paxsim.io import atomic_write, make_folder
from paxsim.policies.files import package_fingerprint
from paxsim.report.bar import Silent
from paxsim.report.budget import GAMES, SEED, study_games
from paxsim.report.subject import Subject
from paxsim.setting import MAX_NUMBER
from paxsim.version import __version__

#: Where run directories are kept, inside the folder that a study writes to.
RUNS = ".runs"
#: The file that says what a study wrote.
SUMMARY = "study.json"
MIN_BLOCKS = 8
#: Pixels that a chart is wide at the least where the page shows it: one for a narrow page on a
#: phone; one for a wide page in the smallest window that has it, and on paper; one without a
#: narrow variant, which is scrolled sideways. See ``templates/style.css``.
NARROW, WIDE, SCROLLED = 350, 710, 670


@dataclass(frozen=True)
class Options:
    """How a study is carried out.

    Attributes
    ----------
    out : pathlib.Path
        Folder of the report; a study writes into ``OUT/NAME``.
    scale : float
        Factor for all numbers of games.
    seed : int
        Names the deals.
    jobs : int, optional
        Workers; by default one a core.
    progress : Silent
        Is told about games.
    subject : Subject
        Deck, rules, who plays, and with how many.
    """

    out: Path
    scale: float = 1.0
    seed: int = SEED
    jobs: int | None = None
    progress: Silent = field(default_factory=Silent)
    subject: Subject = field(default_factory=Subject)

    def __post_init__(self) -> None:
        """Whatever can't be played is said before anything is written."""
        checked_int("seed", self.seed, 0, MAX_NUMBER)
        checked_jobs(self.jobs)


@dataclass(frozen=True)
class Finding:
    """A sentence and the numbers that it was made from.

    Attributes
    ----------
    key : str
        What it is about, e.g. ``rome/2``.
    text : str
        The sentence.
    estimate, low, high : float or None
        The number that it is about and its interval, as in the table.
    sure : bool
        Whether the sentence claims something that the interval supports.
    cells : dict of str to str
        What the sentence says by heading, for a table of findings that are alike.
    """

    key: str
    text: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    sure: bool = True
    cells: dict[str, str] = field(default_factory=dict)


class Study:
    """A study while it runs.

    Parameters
    ----------
    name, title, question : str
        Its file name, its heading, and the question that it answers.
    options : Options
        How it is carried out.
    """

    def __init__(self, name: str, title: str, question: str, options: Options):
        self.name, self.title, self.question, self.options = name, title, question, options
        self.folder = options.out / name
        self.subject = options.subject
        self.left_out = ""
        self.runs: dict[str, int] = {}
        self._charts: list[dict[str, Any]] = []
        self._tables: list[dict[str, Any]] = []
        self._findings: list[Finding] = []

    def games(self, run: str) -> int:
        """Games of a run of the plan, at this study's scale."""
        return max(1, round(GAMES[run] * self.options.scale))

    def ask(self, run: str, question: Callable[..., Result], **arguments: Any) -> Result:
        """Ask one of the questions of `paxsim.experiment`, going on with what is there.

        Parameters
        ----------
        run : str
            Name of the run in the plan, or that name, a dash and more.
        question : callable
            ``simulate``, ``tournament``, ``compare_rules`` or ``solo``.
        **arguments
            Its arguments, without workers; deck, rules and seed are those of the report unless
            they are given.
        """
        arguments = {**self.subject.setting, "seed": self.options.seed, **arguments}
        folder = self._run_folder(run, question.__name__, arguments)
        self.options.progress.begin(self.name, run)
        with made_by(self.command):
            result = question(
                **arguments,
                jobs=self.options.jobs,
                out=folder,
                progress=self.options.progress.played,
            )
        self.runs[folder.name] = result.games
        return result

    def compute(
        self,
        run: str,
        games: int,
        function: Callable[..., dict[str, np.ndarray]],
        *,
        how: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> dict[str, np.ndarray]:
        """Named arrays from a function that plays by itself, kept on disk like a run.

        Parameters
        ----------
        run : str
            As for `ask`.
        games : int
            How many it plays.
        function : callable
            Gives the arrays.
        how : mapping, optional
            Arguments that do not change what it gives, such as ``jobs``.
        **arguments
            Its other arguments.
        """
        folder = self._run_folder(run, function.__name__, {"games": games, **arguments})
        self.options.progress.begin(self.name, run)
        path = folder.with_suffix(".npz")
        found = _stored_arrays(path)
        if found is None:
            found = function(**arguments, **(how or {}))
            make_folder(path.parent, "out")
            with atomic_write(path, mode="wb") as file:
                np.savez(file, **found)  # type: ignore[arg-type]
        self.options.progress.count(games)
        self.runs[folder.name] = games
        return found

    def _run_folder(self, run: str, kind: str, arguments: dict[str, Any]) -> Path:
        """Where a run is kept: under its name and a digest of all that shapes its games."""
        shaped_by = [kind, arguments, __version__, package_fingerprint(), _shipped_decks(),
                     self.subject.fingerprint]  # fmt: skip
        text = json.dumps(shaped_by, sort_keys=True, default=_named)
        digest = hashlib.sha256(text.encode()).hexdigest()[:10]
        # A user's strategy is named by its file, whose name may have any characters.
        return self.options.out / RUNS / f"{re.sub(r'[^a-zA-Z0-9_-]+', '_', run)}-{digest}"

    @property
    def command(self) -> str:
        """The command that makes this study again."""
        games = round(study_games(self.name) * self.options.scale)
        words = ["paxsim", "study", self.name, "--games", games, "--seed", self.options.seed]
        return shlex.join(map(str, [*words, *self.subject.words]))

    # --- what it writes ---------------------------------------------------------------------

    def table(self, name: str, title: str, table: pd.DataFrame, note: str = "") -> pd.DataFrame:
        """Write a table as CSV; return it with the footer for charts made from it."""
        written = table.reset_index(drop=True)
        for column, value in (("seed", self.options.seed), ("version", __version__)):
            if column not in written:
                written[column] = value
        with atomic_write(self._file(f"{name}.csv")) as file:
            file.write(as_csv(written))
        self._tables.append({"name": name, "title": title, "note": note})
        return table

    def chart(self, name: str, title: str, figure: Any, alt: str, narrow: Any = None) -> None:
        """Write a figure as PNG and SVG.

        Parameters
        ----------
        name, title : str
            File name without suffix, and heading.
        figure : matplotlib.figure.Figure or Axes
            What to write.
        alt : str
            What the chart shows, for those who can't see it.
        narrow : matplotlib.figure.Figure, optional
            The same for a narrow page, written as ``NAME_narrow.svg``; without it a narrow page
            shows a part of the chart at a time.
        """
        figure = figure if hasattr(figure, "savefig") else figure.figure
        charts.readable(figure, SCROLLED if narrow is None else WIDE)
        charts.save(figure, self._file(name))
        if narrow is not None:
            charts.readable(narrow, NARROW)
            charts.save(narrow, self._file(f"{name}_narrow"), png=False)
        self._charts.append(
            {"name": name, "title": title, "alt": alt, "narrow": narrow is not None}
        )

    def _file(self, name: str) -> Path:
        """A file of the study; the folder is made when there is something to put into it."""
        make_folder(self.folder, "out")
        return self.folder / name

    def find(self, *findings: Finding) -> None:
        """Keep findings, the most important first."""
        self._findings.extend(findings)

    def leave_out(self, reason: str) -> None:
        """Say why nothing is asked."""
        self.left_out = reason

    def finish(self) -> dict[str, Any]:
        """Write the summary of what the study found and wrote."""
        summary = {
            "name": self.name,
            "title": self.title,
            "question": self.question,
            "seed": self.options.seed,
            "scale": self.options.scale,
            "version": __version__,
            "command": self.command,
            "subject": self.subject.title,
            "left_out": self.left_out,
            "strategies": self.subject.ideas,
            "decks": _notes(self.subject.deck),
            "games": sum(self.runs.values()),
            "runs": self.runs,
            "findings": [plain(asdict(finding)) for finding in self._findings],
            "charts": self._charts,
            "tables": self._tables,
        }
        with atomic_write(self._file(SUMMARY)) as file:
            file.write(json.dumps(summary, indent=1) + "\n")
        return summary


def _named(argument: Any) -> Any:
    """Decks and rule sets by what tells them from others."""
    return getattr(argument, "fingerprint", None) or str(argument)


def _stored_arrays(path: Path) -> dict[str, np.ndarray] | None:
    """Named arrays from a file; None if it is not there or damaged, and they are to be made."""
    try:
        with np.load(path) as stored:
            return dict(stored)
    except (OSError, ValueError, EOFError, KeyError, BadZipFile, zlib.error):
        return None


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Numpy's numbers as Python's, and what is not a number as None: ready for JSON."""
    found = {key: v.item() if isinstance(v, np.generic) else v for key, v in values.items()}
    return {key: _plain_number(v) if isinstance(v, float) else v for key, v in found.items()}


def _plain_number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, DECIMALS)


def _notes(deck: cards.Deck) -> dict[str, str]:
    """What each deck is, the report's own first."""
    shipped = {name: cards.load_deck(name).note for name in cards.list_decks()}
    return {deck.name: deck.note, **shipped}


def _shipped_decks() -> dict[str, str]:
    """The cards of the decks that arguments name."""
    return {name: cards.load_deck(name).fingerprint for name in cards.list_decks()}
