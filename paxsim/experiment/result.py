"""Result objects: tables with intervals, and what they were made from."""

from __future__ import annotations

import hashlib
import json
import os
import textwrap
from collections import UserDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from paxsim import table_views
from paxsim.errors import PaxsimError, checked_path, one_line, unknown, visible
from paxsim.experiment import tables
from paxsim.experiment.design import Facts, facts_of
from paxsim.experiment.estimates import MatchMeasures, measure, reached
from paxsim.experiment.store import readable, stored_tallies
from paxsim.experiment.tables import DECIMALS
from paxsim.experiment.tally import (
    Tally,
    merge_tallies,
    pooled_facts,
    pooled_tally,
    renumber_examples,
)
from paxsim.io import atomic_write, check_can_write, make_folder, parse_json, remove_folders
from paxsim.setting import MAX_NUMBER
from paxsim.text import WIDTH, percent
from paxsim.version import __version__

if TYPE_CHECKING:
    from paxsim.charts.accessor import Plots

#: Significant digits of numbers in files, besides `DECIMALS`: the last digits of a float may differ
#: from machine to machine.
SIGNIFICANT = 10


class Tables(UserDict[str, Any]):
    """The tables of a result by name, each made when it is first used.

    A tournament has thousands of rows of which a study may need ten.
    """

    def __getitem__(self, name: str) -> pd.DataFrame:
        table = self.data[name]
        if callable(table):
            table = self.data[name] = table()
        return table

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tables):
            return NotImplemented
        return list(self) == list(other) and all(self[name].equals(other[name]) for name in self)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        sizes = ((name, *table.shape) for name, table in self.items())
        return "\n".join(
            f"{name:<{width}}  {rows:>4} {'row' if rows == 1 else 'rows'}, {columns} columns"
            for name, rows, columns in sizes
        )


@dataclass(eq=False)
class Result:
    """Outcome of an experiment: tables with intervals.

    Results are equal if the same question was asked of the same games.

    Attributes
    ----------
    manifest : dict
        What was played: command, seed, version, decks, rules and policies, with digests.
    bundles : list of list of MatchMeasures
        The estimates behind the tables.
    tables : Tables
        Tidy tables, one row per group; ``result[name]`` is one of them.
    main : str
        Name of the table that answers the question.
    timing : dict
        What varies from run to run: seconds, workers, games played now (and not stored before).
    notices : list of str
        What to know about the run besides its tables, such as damaged files.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.simulate("random", players=2, games=200, progress=False)
    >>> result.games
    200
    >>> list(result)
    ['strategies', 'seats', 'seat_strategies', 'rome', 'points', 'games']
    >>> result["seats"]["seat"].tolist()
    [1, 2]
    """

    manifest: dict[str, Any]
    bundles: list[list[MatchMeasures]]
    tables: Tables
    main: str
    timing: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        varying = ("digest", "machine")
        mine, others = (
            {key: value for key, value in result.manifest.items() if key not in varying}
            for result in (self, other)
        )
        return mine == others and self.tables == other.tables

    @property
    def matches(self) -> list[MatchMeasures]:
        """The estimates of all matches."""
        return [match for bundle in self.bundles for match in bundle]

    @property
    def games(self) -> int:
        """Games played."""
        return sum(match.games for match in self.matches)

    @property
    def blocks(self) -> int:
        """Blocks played, over all bundles."""
        return sum(bundle[0].blocks for bundle in self.bundles)

    @property
    def caption(self) -> str:
        """Games, blocks, seed, deck, rules and version in one line."""
        played = [match.facts for match in self.matches]
        decks = dict.fromkeys(f"{facts.deck} [{facts.deck_fingerprint}]" for facts in played)
        rules = list(dict.fromkeys(_rules_name(facts.rules) for facts in played))
        more = f" and {len(rules) - 3} more" if len(rules) > 3 else ""
        parts = [
            f"{self.games:,} games in {self.blocks:,} blocks",
            seeds_named(seeds_of(self)),
            f"deck {', '.join(decks)}",
            "published rules" if rules == ["published"] else f"rules {', '.join(rules[:3])}{more}",
            f"paxsim {self.manifest['plan']['version']}",
        ]
        if self.manifest["question"].get("precision") is not None:
            parts.append("intervals of win rates allow for stopping early")
        return " · ".join(parts)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if not isinstance(name, str) or name not in self.tables:
            raise unknown("table", name, self.tables)
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the tables."""
        return iter(self.tables)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.tables)

    def __bool__(self) -> bool:
        """Return True, even if there are no tables."""
        return True

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    @property
    def plot(self) -> Plots:
        """Charts of this result: ``plot()`` is the one that fits, ``plot.seats()`` and so on."""
        from paxsim.charts.accessor import Plots  # a layer above, loaded when used

        return Plots(self)

    def _repr_html_(self) -> str:
        view = table_views.headline(self.main, self.tables[self.main])
        return table_views.to_html(view, " · ".join([*self._rome, self.caption]))

    def __repr__(self) -> str:
        view = table_views.headline(self.main, self.tables[self.main])
        caption = textwrap.wrap(" · ".join([*self._rome, self.caption]), WIDTH)
        return visible("\n".join([table_views.to_text(view), *caption]))

    @property
    def _rome(self) -> list[str]:
        """Rome's rate, if it is one number that the headline doesn't show."""
        if self.main != "strategies" or len(self["rome"]) > 1 or self["rome"]["players"][0] == 1:
            return []
        (row,) = self["rome"].to_dict("records")
        return [f"Rome wins {percent(*(row[f'rome_wins{end}'] for end in ('', '_low', '_high')))}"]

    def to_csv(self, folder: str | Path) -> None:
        """Write every table as ``NAME.csv`` into a folder, with ``tables.json``.

        Parameters
        ----------
        folder : str or pathlib.Path
            The folder; it is made if it does not exist.

        Raises
        ------
        PaxsimError
            If a file would replace one that was not written in this way, or was changed since.
        """
        tables = {name: as_csv(table).encode() for name, table in self.tables.items()}
        write_tables("csv", folder, tables, self._about)

    def to_parquet(self, folder: str | Path) -> None:
        """Write every table as ``NAME.parquet`` into a folder, as `to_csv` does."""
        tables = {name: table.to_parquet(index=False) for name, table in self.tables.items()}
        write_tables("parquet", folder, tables, self._about)

    @property
    def _about(self) -> dict[str, Any]:
        return {"caption": self.caption, "manifest": self.manifest}

    def to_json(self, path: str | Path | None = None) -> str:
        """Return manifest, tables (as records) and timing as a JSON object.

        Parameters
        ----------
        path : str or pathlib.Path, optional
            File to which the object is also written.
        """
        text = json.dumps(
            {
                "manifest": self.manifest,
                "tables": {name: records(table) for name, table in self.tables.items()},
                "timing": self.timing,
            }
        )
        if path is not None:
            with atomic_write(checked_path("path", path), "path") as file:
                file.write(text + "\n")
        return text


def _rules_name(changed: dict[str, Any]) -> str:
    return ",".join(f"{k}={v}" for k, v in changed.items()) or "published"


def seeds_of(result: Result) -> list[int]:
    """Return the seeds of a result's deals: one for each group of line-ups."""
    plan = result.manifest["plan"]
    return [(plan["seed"] + group) % (MAX_NUMBER + 1) for group in range(plan["groups"])]


def seeds_named(seeds: Sequence[int]) -> str:
    """Return the seeds of a run in words."""
    first, last = min(seeds), max(seeds)
    return f"seed {first}" if first == last else f"seeds {first} to {last}"


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as the text of a CSV file."""
    return table.to_csv(index=False, float_format=written_number)


def written_number(value: float) -> str:
    """Return a number as written to files, with the same digits on every machine."""
    return f"{round(value, DECIMALS):.{SIGNIFICANT}g}"


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values; what is not a number is None."""
    return json.loads(table.to_json(orient="records", double_precision=DECIMALS))


# --- from tallies to a result ---------------------------------------------------------------


def make_result(manifest: dict[str, Any], tallies: Mapping[int, Tally]) -> Result:
    """Build the result of a run from its manifest and the tallies by bundle."""
    question, facts = manifest["question"], facts_of(manifest["plan"])
    numbered = _numbered(facts, manifest["plan"]["blocks"], tallies)
    watched = question.get("precision")
    bundles = [measure(*pair, watched) for pair in zip(facts, numbered, strict=True)]
    shown = bundles
    if (lineups := question.get("lineups")) is not None:
        shown = _pooled(facts, numbered, lineups, manifest["plan"]["groups"])
    answers = _answers(question, list(chain.from_iterable(bundles)), shown)
    names = _OF_STRATEGIES if shown is bundles else _OF_LINEUPS
    matches = list(chain.from_iterable(shown))
    common = {name: partial(getattr(tables, name), matches) for name in names}
    made = Tables({**answers, **common, **answers})  # in this order, and answers come first
    return Result(manifest, shown, made, next(iter(answers), "strategies"))


#: Tables of every experiment, and of one in which several line-ups count as one.
_OF_STRATEGIES = ("strategies", "seats", "seat_strategies", "rome", "points", "games")
_OF_LINEUPS = ("seats", "rome", "games")


def _answers(
    question: dict[str, Any],
    matches: list[MatchMeasures],
    bundles: Sequence[Sequence[MatchMeasures]],
) -> dict[str, Any]:
    """Return the tables that answer a kind of question, the most important first."""
    kind = question["kind"]
    if kind == "simulate":
        return {}
    if kind == "tournament":
        makers = (tables.standings, tables.payoffs, tables.ratings)
        return {make.__name__: partial(tables.by_players, make, matches) for make in makers}
    if kind == "compare":
        a, b = matches
        return {"comparison": tables.comparison(a, b, question)}
    if kind == "compare_rules":
        return {"rule_changes": tables.rule_changes(bundles)}
    if kind == "ablate":
        return {"restrictions": tables.restrictions(question, bundles)}
    if kind == "solo":
        levels = {"levels": tables.levels(matches)}
        whole = [bundle for bundle in bundles if len(bundle) > 1]
        return {**levels, "campaigns": tables.campaigns(whole)} if whole else levels
    if kind == "metagame":
        from paxsim.experiment.metatables import metagame_tables, payoff_table  # with game theory

        if question["added"]:  # part of a game, which says nothing by itself about its states
            return {"payoffs": payoff_table(question["strategies"], matches)}
        return metagame_tables(question["strategies"], matches)
    if kind == "simulate_lineups":
        pooled = list(chain.from_iterable(bundles))
        return {"rome": partial(tables.rome, pooled), "lineups": partial(tables.rome, matches)}
    if kind == "vary_rules":
        return {"rule_values": partial(tables.rule_values, question["fields"], bundles)}
    raise PaxsimError(f"paxsim {__version__} has no question {kind!r}")


def _numbered(
    facts: Sequence[Sequence[Facts]], blocks: Sequence[int], tallies: Mapping[int, Tally]
) -> list[Tally]:
    """Return the tallies with examples numbered over all games of the run."""
    numbered, first = [], 0
    for i, (bundle, count) in enumerate(zip(facts, blocks, strict=True)):
        firsts = []
        for match in bundle:
            firsts.append(first)
            first += count * match.block_size
        numbered.append(renumber_examples(tallies[i], firsts))
    return numbered


def _pooled(
    facts: Sequence[Sequence[Facts]], tallies: Sequence[Tally], lineups: int, groups: int
) -> list[list[MatchMeasures]]:
    """Return the estimates over all line-ups: those of a bundle, and of all groups, count as one.

    Groups have deals of their own, so their blocks are independent. They differ in who plays, which
    makes blocks differ more, so the intervals are conservative.
    """
    pooled = [pooled_tally(*pair, lineups) for pair in zip(facts, tallies, strict=True)]
    firsts = range(0, len(facts), groups)
    merged = [reduce(merge_tallies, pooled[first : first + groups]) for first in firsts]
    shown = [pooled_facts(facts[first], lineups) for first in firsts]
    return [measure(*pair) for pair in zip(shown, merged, strict=True)]


def load_result(path: str | Path) -> Result:
    """Load the result of a stored run, without playing and without importing any policy.

    Parameters
    ----------
    path : str or pathlib.Path
        The run directory. Damaged files in it are left out; ``timing["damaged"]`` lists them.

    Returns
    -------
    Result

    Raises
    ------
    PaxsimError
        If the folder holds no run, one of another version, or one that lacks a whole line-up.

    Examples
    --------
    >>> import tempfile
    >>> import paxsim
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = paxsim.simulate("first", players=2, games=20, out=folder, progress=False)
    ...     paxsim.load_result(folder).games
    20
    """
    path = checked_path("run", path)
    with readable(path):
        manifest, tallies, damaged = stored_tallies(path)
        expected = len(manifest["plan"]["bundles"])
        if len(tallies) < expected:
            raise PaxsimError(
                f"run: {path} has games of {len(tallies)} of its {expected} line-ups; "
                f"to resume: {one_line(str(manifest['command']))} --out {path}"
            )
        result = make_result(manifest, tallies)
        tables = result.tables
        result.tables = Tables({name: partial(_table, path, tables, name) for name in tables})
        _ = result.caption, incomplete(result)
    result.timing = {"damaged": damaged}
    return result


def _table(path: Path, tables: Tables, name: str) -> pd.DataFrame:
    """Return a table of a stored run, which may have been edited."""
    with readable(path):
        return tables[name]


def incomplete(result: Result) -> str:
    """Return what a stored run lacks, in words; empty if it is complete or stopped by its rule."""
    question = result.manifest["question"]
    planned = result.manifest["plan"]["games"]
    if result.games == planned:
        return ""
    precision = question.get("precision")
    if precision and reached(result.matches[0], precision) <= precision:
        return ""
    if question.get("sequential") and result["comparison"].at[0, "decision"] != "undecided":
        return ""
    return f"{result.games:,} of {planned:,} games so far"


# --- folders of tables ----------------------------------------------------------------------

#: Names and digests of the files that were written to a folder.
INDEX = "tables.json"
#: All tables of all kinds of questions.
TABLES = (
    "strategies", "seats", "seat_strategies", "rome", "points", "games", "standings", "payoffs",
    "ratings", "comparison", "rule_changes", "restrictions", "levels", "campaigns", "lineups",
    "rule_values", "states", "coalitions", "steps", "habits",
)  # fmt: skip


def check_table_folder(field: str, folder: str | Path) -> None:
    """Check that tables can be written to a folder, before hours of simulation.

    The `field` is the option that names the folder, and the suffix of the files: ``"csv"``.
    """
    path = checked_path(field, folder)
    made = make_folder(path, field)
    try:
        _refuse_other_files(field, path, [f"{name}.{field}" for name in TABLES])
        for name in (INDEX, *os.listdir(path)):
            if name == INDEX or name in _read_index(field, path):
                check_can_write(path / name, field)
    finally:
        remove_folders(made)


def write_tables(
    field: str, folder: str | Path, tables: dict[str, bytes], about: dict[str, Any]
) -> None:
    """Write contents as ``NAME.FIELD`` into a folder, with ``tables.json`` about them."""
    path = checked_path(field, folder)
    files = {f"{name}.{field}": data for name, data in tables.items()}
    make_folder(path, field)
    present = _refuse_other_files(field, path, files)
    index = _read_index(field, path)
    # The index is written first, with old and new digests, so that a killed process leaves files
    # that are recognised the next time.
    for name, data in files.items():
        index[name] = list(dict.fromkeys([_digest(data), present.get(name, _digest(data))]))
    with atomic_write(path / INDEX, field) as file:
        file.write(json.dumps({"tables": index, **about}, indent=1) + "\n")
    for name, data in files.items():
        with atomic_write(path / name, field, mode="wb") as file:
            file.write(data)


def _refuse_other_files(field: str, folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Check that no file of a user would be replaced; return digests of the present files."""
    index, present = _read_index(field, folder), {}
    for name in names:
        path = folder / name
        if os.path.lexists(path):
            try:
                present[name] = _digest(path.read_bytes())
            except OSError as error:
                raise PaxsimError(f"{field}: can't replace {path}: {error.strerror}") from None
            if present[name] not in index.get(name, []):
                why = "was changed since" if name in index else "was not written by paxsim"
                raise PaxsimError(f"{field}: {path} {why}; use another folder")
    return present


def _read_index(field: str, folder: Path) -> dict[str, list[str]]:
    path = folder / INDEX
    if not os.path.lexists(path):
        return {}
    try:
        index = parse_json(path.read_bytes().decode("utf-8"))["tables"]
        return {str(name): list(digests) for name, digests in index.items()}
    except OSError as error:
        raise PaxsimError(f"{field}: can't replace {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise PaxsimError(
            f"{field}: {path} was not written by paxsim; use another folder"
        ) from None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
