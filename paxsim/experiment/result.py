"""Result objects: tables with intervals, and where they come from."""

from __future__ import annotations

import hashlib
import json
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from paxsim import views
from paxsim.errors import PaxsimError, checked_path, unknown, visible
from paxsim.experiment.design import fingerprint_of
from paxsim.experiment.estimates import MatchMeasures
from paxsim.io import atomic_write, check_can_write, make_folder, read_regular, remove_folders
from paxsim.text import WIDTH, percent

INDEX = "tables.json"
#: All tables that there are, over all questions.
TABLES = (
    "strategies",
    "seats",
    "seat_strategies",
    "rome",
    "points",
    "games",
    "standings",
    "payoffs",
    "ratings",
    "comparison",
    "rule_changes",
    "restrictions",
    "levels",
    "campaigns",
    "habits",
)


def check_table_folder(field: str, folder: str | Path) -> None:
    """See that tables can be written to a folder before games are played for them.

    Parameters
    ----------
    field : str
        The option that names the folder, which is also the suffix of the files: ``"csv"``.
    folder : str or pathlib.Path
        Where they are to be; it is not made yet.
    """
    path = checked_path(field, folder)
    made = make_folder(path, field)
    try:
        there = _refuse_others_files(field, path, [f"{name}.{field}" for name in TABLES])
        for name in (INDEX, *there):
            check_can_write(path / name, field)
    finally:
        remove_folders(made)


def write_tables(
    field: str, folder: str | Path, tables: dict[str, bytes], about: dict[str, Any]
) -> None:
    """Write tables as ``NAME.FIELD`` into a folder, with ``tables.json``.

    Parameters
    ----------
    field, folder
        As for `check_table_folder`; the folder is made if it does not exist.
    tables : dict of str to bytes
        Contents by name.
    about : dict
        What they were made with.
    """
    path = checked_path(field, folder)
    files = {f"{name}.{field}": data for name, data in tables.items()}
    make_folder(path, field)
    there = _refuse_others_files(field, path, files)
    known = _read_index(field, path)
    # The index goes first, with what is there behind what is to be: whoever is killed on the way
    # leaves files that are known all the same.
    for name, data in files.items():
        known[name] = list(dict.fromkeys([_digest(data), there.get(name, _digest(data))]))
    index = {"tables": known, **about}
    index["digest"] = fingerprint_of(index)
    with atomic_write(path / INDEX, field) as file:
        file.write(json.dumps(index, indent=1) + "\n")
    for name, data in files.items():
        with atomic_write(path / name, field, mode="wb") as file:
            file.write(data)


def _refuse_others_files(field: str, folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Digests of files that are there and were written before; another one is refused."""
    known = _read_index(field, folder)
    there = {}
    for name in names:
        if os.path.lexists(folder / name):
            try:
                there[name] = _digest(read_regular(folder / name))
            except OSError as error:
                raise _in_the_way(field, folder / name, error.strerror) from None
            if name not in known:
                raise _in_the_way(field, folder / name, "not written by paxsim")
            if there[name] not in known[name]:
                raise _in_the_way(field, folder / name, "changed since it was written")
    return there


def _read_index(field: str, folder: Path) -> dict[str, list[str]]:
    path = folder / INDEX
    if not os.path.lexists(path):
        return {}
    try:
        index = json.loads(read_regular(path).decode("utf-8"))
        if index.pop("digest") == fingerprint_of(index):
            return index["tables"]
    except OSError as error:
        raise _in_the_way(field, path, error.strerror) from None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        pass
    raise _in_the_way(field, path, "not written by paxsim, or changed since")


def _in_the_way(field: str, path: Path, why: str | None) -> PaxsimError:
    return PaxsimError(f"{field}: {path} is in the way: {why}; allowed: another folder")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


#: A table, or what makes it.
Making: TypeAlias = pd.DataFrame | Callable[[], pd.DataFrame]


class Tables(MutableMapping[str, pd.DataFrame]):
    """The tables of a result by name; shown as a list of what there is.

    One that nobody looks at is not made: a tournament has thousands of rows of which a study may
    need ten.
    """

    def __init__(self, tables: Mapping[str, Making]) -> None:
        self._tables = dict(tables)

    def __getitem__(self, name: str) -> pd.DataFrame:
        found = self._tables[name]
        if not isinstance(found, pd.DataFrame):
            found = self._tables[name] = found()
        return found

    def __setitem__(self, name: str, table: pd.DataFrame) -> None:
        self._tables[name] = table

    def __delitem__(self, name: str) -> None:
        del self._tables[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tables  # without making it

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tables):
            return NotImplemented
        return list(self) == list(other) and all(self[name].equals(other[name]) for name in self)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [
            f"{name:<{width}}  {len(table):>4} {'row' if len(table) == 1 else 'rows'}, "
            f"{len(table.columns)} columns"
            for name, table in self.items()
        ]
        return "\n".join(lines)


if TYPE_CHECKING:
    from paxsim.charts.accessor import Plots

#: Decimals of numbers in files, and digits of those above 1: the last ones of a float may differ
#: from machine to machine.
DECIMALS, SIGNIFICANT = 9, 10


def seeds_named(seeds: Sequence[int]) -> str:
    """The seeds of a run in words."""
    first, last = min(seeds), max(seeds)
    return f"seed {first}" if first == last else f"seeds {first} to {last}"


@dataclass(eq=False)
class Result:
    """The outcome of an experiment; equal to another one that says the same of the same question.

    Attributes
    ----------
    manifest : dict
        What was played: command, seed, version, decks, rules, policies, with fingerprints.
    bundles : list of list of MatchMeasures
        The measures behind the tables.
    tables : Tables
        Tidy tables, one row a group; ``result[name]`` is one of them.
    main : str
        The table that answers the question.
    timing : dict
        What varies from run to run: seconds, workers.
    """

    manifest: dict[str, Any]
    bundles: list[list[MatchMeasures]]
    tables: Tables
    main: str
    timing: dict[str, Any] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self._asked() == other._asked() and self.tables == other.tables

    def _asked(self) -> dict[str, Any]:
        """What the manifest says of the question, and not of how its games were played or kept."""
        kept = ("chunk_games", "earlier_blocks", "digest", "machine")
        return {name: said for name, said in self.manifest.items() if name not in kept}

    @property
    def matches(self) -> list[MatchMeasures]:
        """The measures of all matches."""
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
        plan = self.manifest["plan"]
        parts = [
            f"{self.games:,} games in {self.blocks:,} blocks",
            seeds_named(self.manifest.get("seeds") or [plan["seed"]]),
            f"deck {', '.join(decks)}",
            f"rules {', '.join(rules[:3])}{more}",
            f"paxsim {plan['version']}",
        ]
        if self.manifest["question"].get("precision") is not None:
            parts.append("intervals of win rates allow for stopping early")
        return " · ".join(parts)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if not isinstance(name, str) or name not in self.tables:
            raise unknown("table", name, self.tables)
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the tables."""
        return iter(self.tables)

    def __len__(self) -> int:
        """How many tables there are."""
        return len(self.tables)

    def __bool__(self) -> bool:
        """A result is one, whatever it has."""
        return True

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    @property
    def plot(self) -> Plots:
        """Charts of this result: ``plot()`` is the one that fits, ``plot.seats()`` and so on."""
        from paxsim.charts.accessor import Plots  # charts are drawn by those above, when asked for

        return Plots(self)

    def _repr_html_(self) -> str:
        view = views.headline(self.main, self.tables[self.main])
        return views.to_html(view, " · ".join([*self._rome, self.caption]))

    def __repr__(self) -> str:
        view = views.headline(self.main, self.tables[self.main])
        caption = textwrap.wrap(" · ".join([*self._rome, self.caption]), WIDTH)
        return visible("\n".join([views.to_text(view), *caption]))

    __str__ = __repr__

    @property
    def _rome(self) -> list[str]:
        """Rome's rate, where it is one number that the headline doesn't show."""
        if self.main != "strategies" or len(self["rome"]) > 1 or self["rome"]["players"][0] == 1:
            return []
        (row,) = self["rome"].to_dict("records")
        return [f"Rome wins {percent(*(row[f'rome_wins{end}'] for end in ('', '_low', '_high')))}"]

    def to_csv(self, folder: str | Path) -> None:
        """Write every table as ``NAME.csv`` into a folder, with ``tables.json``.

        Files there that were not written so are not written over. A text that a spreadsheet would
        take for a formula has a ``'`` before it.
        """
        tables = {name: as_csv(table).encode() for name, table in self.tables.items()}
        write_tables("csv", folder, tables, self._about)

    def to_parquet(self, folder: str | Path) -> None:
        """Write every table as ``NAME.parquet`` into a folder, as `to_csv` does."""
        tables = {name: table.to_parquet(index=False) for name, table in self.tables.items()}
        write_tables("parquet", folder, tables, self._about)

    @property
    def _about(self) -> dict[str, Any]:
        """Tables outside a run directory still say what they were made with."""
        return {"caption": self.caption, "manifest": self.manifest}

    def to_json(self, path: str | Path | None = None) -> str:
        """One JSON object of manifest, tables (as records) and timing; also written to a path."""
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


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as the text of a CSV file."""
    return table.to_csv(index=False, float_format=written_number)


def written_number(value: float) -> str:
    """A number as files have it: as many decimals as are the same on every machine."""
    return f"{round(value, DECIMALS):.{SIGNIFICANT}g}"


def _rules_name(changed: dict[str, Any]) -> str:
    return ",".join(f"{k}={v}" for k, v in changed.items()) or "published"


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as plain values; what is not a number is null."""
    return json.loads(table.to_json(orient="records", double_precision=DECIMALS))
