"""Result objects: tables with intervals, and where they come from."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from paxsim.errors import checked_path, unknown
from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.summary import Tables, short_table
from paxsim.experiment.tablefiles import write_tables
from paxsim.files import atomic_write
from paxsim.quoting import as_cell, visible
from paxsim.text import WIDTH, percent

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
        """Games, blocks, seed, deck, rules and version, for tables and figures."""
        played = [match.facts for match in self.matches]
        decks = dict.fromkeys(f"{facts.deck} [{facts.deck_fingerprint}]" for facts in played)
        rules = {facts.rules_fingerprint: _rules_name(facts.rules) for facts in played}
        named = ", ".join(f"{name} [{key}]" for key, name in list(rules.items())[:3])
        more = f" and {len(rules) - 3} more" if len(rules) > 3 else ""
        plan = self.manifest["plan"]
        watched = self.manifest["question"].get("precision") is not None
        note = "; intervals of win rates hold while watched" if watched else ""
        return (
            f"{self.games:,} games in {self.blocks:,} blocks, "
            f"{seeds_named(self.manifest.get('seeds') or [plan['seed']])}, "
            f"deck {', '.join(decks)}, rules {named}{more}, paxsim {plan['version']}{note}"
        )

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

    @property
    def _headline(self) -> pd.DataFrame:
        return short_table(self.main, self.tables[self.main])

    def _repr_html_(self) -> str:
        table = self._headline.to_html(index=False, border=0, escape=True)
        return f"{table}<p>{escape(self._rome)}{escape(self.caption)}</p>"

    def __repr__(self) -> str:
        table = self._headline.to_string(index=False, line_width=WIDTH)
        said = textwrap.wrap(f"{self._rome}{self.caption}", WIDTH)
        return visible("\n".join([table, *said]))

    __str__ = __repr__

    @property
    def _rome(self) -> str:
        """How often Rome won, where that is one number that the headline does not say."""
        if self.main != "strategies" or len(self.matches) > 1 or self.matches[0].players == 1:
            return ""
        rate = self.matches[0].rome_rate()
        return f"Rome wins {percent(rate.estimate, rate.low, rate.high)}; "

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
    """A table as the text of a CSV file, in which no text begins like a formula."""
    written = table.copy()
    for name in written.columns:
        if not pd.api.types.is_numeric_dtype(written[name]):
            written[name] = written[name].map(as_cell)
    return written.to_csv(index=False, float_format=written_number)


def written_number(value: float) -> str:
    """A number as files have it: as many decimals as are the same on every machine."""
    return f"{round(value, DECIMALS):.{SIGNIFICANT}g}"


def _rules_name(changed: dict[str, Any]) -> str:
    return ",".join(f"{k}={v}" for k, v in changed.items()) or "as published"


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as plain values; what is not a number is null."""
    return json.loads(table.to_json(orient="records", double_precision=DECIMALS))
