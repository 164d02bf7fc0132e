"""Runs that all studies share, and the section that a study returns."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim import cards
from paxsim.charts.style import PIXELS, WIDE_PIXELS, enlarge_text
from paxsim.errors import PaxsimError, checked_int, is_number, safe_repr
from paxsim.experiment.progress import STORED
from paxsim.experiment.result import DECIMALS, Result, seeds_named, seeds_of
from paxsim.experiment.run import checked_jobs, made_by
from paxsim.experiment.simulation import GROUP_LINEUPS, equal_groups, simulate_lineups, solo
from paxsim.experiment.tournaments import tournament
from paxsim.io import atomic_write, make_folder
from paxsim.lineup import LINEUP_SEED, draw_lineups
from paxsim.policies.files import package_fingerprint
from paxsim.report.subject import Subject
from paxsim.rules import SOLO_LEVELS
from paxsim.setting import MAX_NUMBER
from paxsim.text import percent
from paxsim.version import __version__

#: Games of each run at scale 1, approximately; blocks are always complete.
GAMES = {
    "conspiracy": 240_000,  # 0 to n conspirators among tribunes, every player count
    "groups": 120_000,  # the weakest and the strongest strategies, every player count
    "uniform": 120_000,  # every strategy alone at all seats, every player count
    "tournament": 630_000,  # every strategy against every other, every player count
    "values": 330_000,  # numbers of the rules over their range, on common deals
    "mixed": 400_000,  # the tournament's line-ups on other deals, every player count
    "guests": 160_000,  # every strategy as a guest in the sample line-up, at every seat
    "draft": 140_000,  # the published draft against equal drafts, every player count
    "solo": 220_000,  # every strategy at the five solo levels
    "decks_rome": 160_000,  # the tournament's line-ups on every deck, 2 and 3 players
    "decks_strategies": 240_000,  # a tournament of all strategies on every deck, 4 players
    "decks_seats": 120_000,  # line-ups of the tournament on every deck, 4 players
    "decks_solo": 60_000,  # solo on every deck
    "changes": 240_000,  # rulings and numbers of the rules, one change at a time
    "variance": 100_000,  # deals in all rotations, for luck and skill
    "redealt": 1_200,  # deals with the undealt cards reshuffled at points of the game
    "metagame": 560_000,  # all line-ups of five strategies on four decks, 4 players
    "rounds": 2_300,  # games scored after every round, every player count
}
#: Studies in the order of the page, with the runs that each uses. Shared runs are played once.
STUDIES = {
    "rome": ("conspiracy", "groups", "uniform", "tournament", "solo"),
    "rules": ("values", "changes"),
    "strategies": ("tournament", "guests"),
    "metagame": ("metagame",),
    "luck": ("mixed", "variance", "redealt", "rounds"),
    "seat_bias": ("mixed", "draft"),
    "solo_ladder": ("solo",),
    "decks": ("tournament", "decks_rome", "decks_strategies", "mixed", "decks_seats",
              "decks_solo", "solo"),
}  # fmt: skip
#: Random seed of the report.
SEED = 2026
#: Largest factor for the numbers of games.
MAX_SCALE = 1000
#: Blocks that every match gets, however small the scale.
MIN_BLOCKS = 8
#: Folder of the stored runs, inside the folder of the report.
RUNS_FOLDER = ".runs"

#: An estimate with the ends of its interval.
Estimate = tuple[float, float, float]


def study_games(*studies: str) -> int:
    """Return the games of studies at scale 1; runs that they share count once."""
    return sum(GAMES[run] for run in {run for study in studies for run in STUDIES[study]})


@dataclass(frozen=True)
class Finding:
    """Sentence with the numbers it is made from.

    Attributes
    ----------
    key : str
        Subject of the sentence, e.g. ``rome/2``.
    text : str
        The sentence.
    estimate, low, high : float or None
        The main number and its interval, as in the table.
    sure : bool
        Whether the interval supports a claim.
    cells : dict of str to str
        Contents of the sentence by heading, for tables of similar findings.
    """

    key: str
    text: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    sure: bool = True
    cells: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Table of a section, written as ``NAME.csv``."""

    name: str
    title: str
    data: pd.DataFrame
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """Chart of a section, written as ``NAME.svg``; `alt` describes it in words."""

    name: str
    title: str
    figure: Any
    alt: str
    wide: bool = False


@dataclass
class Section:
    """Section of a report: what a study found.

    Attributes
    ----------
    name, title, question : str
        Name of the study, heading, and the question it answers.
    findings : list of Finding
        Sentences, the headline first.
    tables : list of Table
        Tables.
    charts : list of Chart
        Charts.
    left_out : str
        Reason why the question does not apply to the subject; empty if it does.
    command : str
        Command that repeats the study.
    """

    name: str
    title: str
    question: str
    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    left_out: str = ""
    command: str = ""

    @property
    def headline(self) -> Finding | None:
        """The main finding."""
        return self.findings[0] if self.findings else None

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return the table of a name."""
        return next(table.data for table in self.tables if table.name == name)

    def find(self, *findings: Finding) -> None:
        """Add findings."""
        self.findings.extend(findings)

    def table(self, name: str, title: str, data: pd.DataFrame, note: str = "") -> pd.DataFrame:
        """Add a table and return it, rounded so that it is the same on every machine."""
        data = data.reset_index(drop=True).round(DECIMALS)
        self.tables.append(Table(name, title, data, note))
        return data

    def chart(self, name: str, title: str, figure: Any, alt: str, wide: bool = False) -> None:
        """Add a chart; a wide one takes the whole page, and is scrolled sideways on a phone."""
        enlarge_text(figure, WIDE_PIXELS if wide else PIXELS)
        self.charts.append(Chart(name, title, figure, alt, wide))


class Runs:
    """Runs of a report, shared by all studies.

    Each run is kept below ``OUT/.runs``, in a folder named by everything that shapes its games.
    An interrupted report therefore continues where it stopped.

    Parameters
    ----------
    subject : Subject
        Deck, rules, strategies and player counts.
    out : pathlib.Path
        Folder of the report.
    scale : float
        Factor for all numbers of games.
    seed : int
        Random seed.
    jobs : int, optional
        Number of workers; by default one per core.
    progress : callable, optional
        Called as ``progress(done, expected, text)``.
    studies : sequence of str
        Studies whose games are expected.

    Attributes
    ----------
    games_of : dict of str to int
        Games of every run played or loaded so far, by the name of its folder.
    """

    def __init__(
        self,
        subject: Subject,
        out: Path,
        scale: float = 1.0,
        seed: int = SEED,
        jobs: int | None = None,
        progress: Callable[..., None] | None = None,
        studies: Sequence[str] = tuple(STUDIES),
    ):
        if not is_number(scale) or not 0 < scale <= MAX_SCALE:
            raise PaxsimError(
                f"scale must be above 0 and at most {MAX_SCALE}, got {safe_repr(scale)}"
            )
        self.subject, self.out, self.scale = subject, out, scale
        self.seed = checked_int("seed", seed, 0, MAX_NUMBER)
        checked_jobs(jobs)
        self.jobs, self._progress = jobs, progress
        self.games_of: dict[str, int] = {}
        self._done, self._expected = 0, round(scale * study_games(*studies))

    def games(self, run: str) -> int:
        """Return the games of a run at this scale."""
        return max(1, round(GAMES[run] * self.scale))

    def command(self, study: str) -> str:
        """Return the command that repeats a study."""
        games = round(study_games(study) * self.scale)
        words = ["paxsim", "study", study, "--games", games, "--seed", self.seed]
        return shlex.join(map(str, [*words, *self.subject.options]))

    # --- playing ----------------------------------------------------------------------------

    def ask(self, run: str, question: Callable[..., Result], **arguments: Any) -> Result:
        """Run an experiment, or load what is stored of it and play the rest.

        Parameters
        ----------
        run : str
            Key of `GAMES`, or that key, a dash and more.
        question : callable
            A function of `paxsim.experiment`.
        **arguments
            Its arguments; deck, rules and seed are those of the report unless given.
        """
        arguments = {**self.subject.setting, "seed": self.seed, **arguments}
        folder = self._folder(run, question.__name__, arguments)
        before = self._done

        def progress(done: int, _: int | None, text: str) -> None:
            self._count(before + done - self._done, text or run)

        with made_by(shlex.join(["paxsim", "report", "--seed", str(self.seed)])):
            result = question(**arguments, jobs=self.jobs, out=folder, progress=progress)
        self.games_of[folder.name] = result.games
        return result

    def compute(
        self,
        run: str,
        games: int,
        function: Callable[..., dict[str, np.ndarray]],
        *,
        neutral: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> dict[str, np.ndarray]:
        """Return the named arrays that a function computes from its games, stored like a run.

        `neutral` are arguments that do not change the arrays, such as ``jobs``.
        """
        folder = self._folder(run, function.__name__, {"games": games, **arguments})
        path = folder.with_suffix(".npz")
        arrays = _stored_arrays(path)
        text = STORED
        if arrays is None:
            text = run
            arrays = function(**arguments, **(neutral or {}))
            make_folder(path.parent, "out")
            with atomic_write(path, mode="wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
        self._count(games, text)
        self.games_of[folder.name] = games
        return arrays

    def _count(self, games: int, text: str) -> None:
        self._done += games
        if self._progress is not None:
            self._progress(self._done, max(self._expected, self._done + 1), text)

    def _folder(self, run: str, kind: str, arguments: dict[str, Any]) -> Path:
        """Return the folder of a run: its name and a digest of all that shapes its games."""
        decks = {name: cards.load_deck(name).fingerprint for name in cards.list_decks()}
        shaped_by = [kind, arguments, __version__, package_fingerprint(), decks,
                     self.subject.fingerprint]  # fmt: skip
        text = json.dumps(shaped_by, sort_keys=True, default=_identity)
        digest = hashlib.sha256(text.encode()).hexdigest()[:10]
        # The file of a user's strategy may have any characters in its name.
        return self.out / RUNS_FOLDER / f"{re.sub(r'[^a-zA-Z0-9_-]+', '_', run)}-{digest}"

    # --- runs that several studies use ------------------------------------------------------

    @functools.cached_property
    def tournament(self) -> Result:
        """Every strategy against every other, with every player count."""
        names, counts = self.subject.strategies, self.subject.players
        games = self.tournament_games(self.games("tournament"), counts)
        return self.ask("tournament", tournament, policies=names, players=list(counts), games=games)

    @functools.cached_property
    def mixed(self) -> dict[int, Result]:
        """The tournament's line-ups on other deals, by player count."""
        lineups = {n: self.lineups(n) for n in self.subject.players}
        return self.ask_lineups("mixed", lineups, self.games("mixed"))

    @functools.cached_property
    def solo(self) -> Result:
        """Every solo strategy at the five levels."""
        names = self.subject.solo_strategies
        games = max(MIN_BLOCKS, self.games("solo") // (len(names) * len(SOLO_LEVELS)))
        return self.ask("solo", solo, policies=names, levels=list(SOLO_LEVELS), games=games)

    # --- who plays --------------------------------------------------------------------------

    def lineups(self, players: int) -> list[list[str]]:
        """Return the line-ups of the tournament for a player count."""
        spec_of = {id(policy): spec for spec, policy in self.subject.policies.items()}
        policies = [self.subject.policies[spec] for spec in self.subject.strategies]
        return [[spec_of[id(one)] for one in each] for each in draw_lineups(policies, players)]

    def sample_lineup(self, players: int) -> list[str]:
        """Return the sample line-up: one draw from the strategies, seated in turn."""
        names = self.subject.strategies
        order = np.random.default_rng(LINEUP_SEED).permutation(len(names))
        return [names[order[seat % len(names)]] for seat in range(players)]

    def sample_labels(self, players: int) -> list[str]:
        """Return the labels of the sample line-up."""
        return [self.subject.policies[spec].label for spec in self.sample_lineup(players)]

    def tournament_games(self, games: int, counts: Sequence[int]) -> int:
        """Return the games per player count of a tournament of about `games` in all.

        Every line-up gets the two blocks without which there are no intervals.
        """
        sizes = [count * len(self.lineups(count)) for count in counts]
        return max(games // len(counts), 2 * max(sizes))

    def ask_lineups(
        self, run: str, lineups: dict[int, list[list[str]]], games: int
    ) -> dict[int, Result]:
        """Play line-ups by player count, about `games` in all."""
        deals = games // sum(players * len(each) for players, each in lineups.items())
        return {
            players: self.ask_groups(
                f"{run}-{players}", simulate_lineups, each, deals, players=players
            )
            for players, each in lineups.items()
        }

    def ask_groups(
        self,
        run: str,
        question: Callable[..., Result],
        lineups: list[list[str]],
        deals: int,
        *,
        players: int,
        most: int = GROUP_LINEUPS,
        **arguments: Any,
    ) -> Result:
        """Run an experiment with many line-ups, each playing `deals` or the fewest possible."""
        deals = max(2, -(-MIN_BLOCKS // len(equal_groups(lineups, most))), deals)
        games = deals * players * len(lineups)
        return self.ask(run, question, lineups=lineups, players=players, games=games, **arguments)


def _identity(argument: Any) -> Any:
    """Return what distinguishes a deck or a rule set."""
    return getattr(argument, "fingerprint", None) or str(argument)


def _stored_arrays(path: Path) -> dict[str, np.ndarray] | None:
    """Return named arrays from a file; None if it is missing or damaged."""
    try:
        with np.load(path) as stored:
            return dict(stored)
    except Exception:  # NumPy and zipfile raise anything on a damaged file
        return None


# --- tables and sentences -------------------------------------------------------------------


def with_ends(*names: str) -> list[str]:
    """Return the columns of estimates and of the ends of their intervals."""
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


def estimate_of(row: Any, name: str) -> Estimate:
    """Return an estimate of a row with the ends of its interval."""
    value, low, high = (float(row[column]) for column in with_ends(name))
    return value, low, high


def rate_of(row: Any, name: str) -> str:
    """Return a rate of a row in percent, with its uncertainty."""
    return percent(*estimate_of(row, name))


def sign_against(low: float, high: float, reference: float) -> int:
    """Return 1 if an interval lies above a reference, -1 if below, 0 if it contains it."""
    return 1 if low > reference else -1 if high < reference else 0


def joined(results: Sequence[Result], table: str) -> pd.DataFrame:
    """Return a table of several results as one."""
    return pd.concat([result[table] for result in results], ignore_index=True)


def caption(results: Sequence[Result], players: Sequence[int] | None = None) -> str:
    """Return the footer of a chart made from results, or from some of their player counts."""
    bundles = [
        [match for match in bundle if players is None or match.players in players]
        for result in results
        for bundle in result.bundles
    ]
    games = sum(match.games for bundle in bundles for match in bundle)
    blocks = sum(bundle[0].blocks for bundle in bundles if bundle)
    facts = [match.facts for bundle in bundles for match in bundle]
    seed = seeds_named([seed for result in results for seed in seeds_of(result)])
    decks = list(dict.fromkeys(each.deck for each in facts))
    rules = list(dict.fromkeys(each.rules_text for each in facts))
    deck = f"deck {decks[0]}" if len(decks) == 1 else f"{len(decks)} decks"
    rule = f"{rules[0]} rules" if len(rules) == 1 else f"{len(rules)} rule sets"
    version = results[0].manifest["plan"]["version"]
    return f"{games:,} games in {blocks:,} blocks, {seed}, {deck}, {rule}, paxsim {version}"


def games_caption(runs: Runs, games: str, deck: str = "") -> str:
    """Return the footer of a chart whose games are no result of an experiment."""
    deck = deck or f"deck {runs.subject.deck.name}"
    rules = runs.subject.rules.describe()
    return f"{games}, seed {runs.seed}, {deck}, {rules} rules, paxsim {__version__}"
