"""The answer of a result at a glance: the few columns that say it, numbers with their intervals.

What Python shows of a result, as text and in notebooks; the terminal's tables say more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from paxsim.text import amount, in_percent

#: The most characters of a text in a cell: as many as leave room for the numbers beside it.
_CELL = 36


@dataclass(frozen=True)
class Column:
    """A column of a short table.

    Attributes
    ----------
    heading : str
        What stands above it.
    cell : callable
        What stands in it, from a row of the whole table.
    """

    heading: str
    cell: Callable[[Any], str]


def _text(heading: str, name: str | None = None) -> Column:
    return Column(heading, lambda row: _cut(str(row[name or heading])))


def _rate(heading: str, name: str) -> Column:
    """A rate or a difference of rates, in percent."""
    return Column(heading, lambda row: _spread(row, name, 100.0))


def _number(heading: str, name: str) -> Column:
    return Column(heading, lambda row: _spread(row, name, 1.0))


def _percent(heading: str, name: str) -> Column:
    """A rate without an interval."""
    return Column(heading, lambda row: in_percent(row[name]))


def _spread(row: Any, name: str, unit: float) -> str:
    return amount(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[: _CELL - 3]}..."


#: By the table that answers the question.
_COLUMNS = {
    "strategies": (
        _text("players"), _text("strategy"), _rate("win rate %", "win_rate"),
        _percent("fair %", "fair_share"), _percent("with Rome %", "won_with_rome"),
    ),
    "standings": (
        _text("players"), _text("strategy"), _rate("win rate %", "win_rate"),
        _percent("fair %", "fair_share"), _percent("Rome wins %", "rome_wins"),
    ),
    "comparison": (
        _text("a"), _rate("a wins %", "a_win_rate"), _text("b"), _rate("b wins %", "b_win_rate"),
        _rate("difference", "difference"), _text("a is", "decision"),
    ),
    "rule_changes": (
        _text("rules"), _rate("Rome wins %", "rome_wins"), _rate("change", "rome_change"),
    ),
    "restrictions": (
        _text("without"), _text("strategy"), _rate("wins % with it", "base_win_rate"),
        _rate("without it", "win_rate"), _rate("Rome's change", "rome_change"),
    ),
    "states": (
        _text("state"), _rate("Rome wins %", "rome_wins"), _rate("starts %", "basin"),
        _rate("regret", "regret"), _percent("stable %", "stable_draws"),
    ),
    "levels": (
        _text("strategy"), _text("level"), _rate("success %", "success"),
        _number("rounds", "rounds"),
    ),
}  # fmt: skip


def short_table(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """The columns of a table that say the answer, as texts; all of them if it has no short form."""
    columns = _COLUMNS.get(name)
    if columns is None:
        return table
    rows = [[column.cell(row) for column in columns] for _, row in table.iterrows()]
    return pd.DataFrame(rows, columns=[column.heading for column in columns])


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
