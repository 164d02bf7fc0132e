"""From a row of a table to a sentence: what several studies need for it."""

from __future__ import annotations

from typing import Any


def numbers(row: Any, name: str) -> tuple[float, float, float]:
    """A row's estimate with the ends of its interval."""
    return float(row[name]), float(row[f"{name}_low"]), float(row[f"{name}_high"])


def side_of(low: float, high: float, reference: float) -> int:
    """1 if an interval lies above a reference, -1 below, 0 if it holds it."""
    return 1 if low > reference else -1 if high < reference else 0
