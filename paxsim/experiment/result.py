"""Result objects: tables with intervals, and where they come from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from paxsim.errors import checked_path, unknown
from paxsim.experiment.measures import MatchMeasures
from paxsim.experiment.tablefiles import write_tables
from paxsim.files import atomic_write
from paxsim.quoting import as_cell


@dataclass
class Result:
    """The outcome of an experiment.

    Attributes
    ----------
    manifest : dict
        What was played: command, seed, version, decks, rules, policies, with fingerprints.
    bundles : list of list of MatchMeasures
        The measures behind the tables.
    tables : dict of str to pandas.DataFrame
        Tidy tables, one row a group.
    main : str
        The table that answers the question.
    timing : dict
        What varies from run to run: seconds, workers.
    """

    manifest: dict[str, Any]
    bundles: list[list[MatchMeasures]]
    tables: dict[str, pd.DataFrame]
    main: str
    timing: dict[str, Any] = field(default_factory=dict)

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
            f"{self.games:,} games in {self.blocks:,} blocks, seed {plan['seed']}, "
            f"deck {', '.join(decks)}, rules {named}{more}, paxsim {plan['version']}{note}"
        )

    def __getitem__(self, name: str) -> pd.DataFrame:
        if not isinstance(name, str) or name not in self.tables:
            raise unknown("table", name, self.tables)
        return self.tables[name]

    def _repr_html_(self) -> str:
        return f"{self.tables[self.main].to_html(index=False)}<p>{escape(self.caption)}</p>"

    def __str__(self) -> str:
        return f"{self.tables[self.main].to_string(index=False)}\n{self.caption}"

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
    return written.to_csv(index=False)


def _rules_name(changed: dict[str, Any]) -> str:
    return ",".join(f"{k}={v}" for k, v in changed.items()) or "as published"


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as plain values; what is not a number is null."""
    return json.loads(table.to_json(orient="records", double_precision=15))
