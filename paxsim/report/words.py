"""Numbers in words: rates and differences with their uncertainty, lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def percent(estimate: float, low: float, high: float) -> str:
    """``34.1 ± 0.5 %``; at the ends of the scale ``0 % (at most 0.2 %)``."""
    if estimate == 0:
        return f"0 % (at most {_number(100 * high, 100 * high)} %)"
    if estimate == 1:
        return f"100 % (at least {_number(100 * low, 100 * (1 - low))} %)"
    half = 50 * (high - low)
    return f"{_number(100 * estimate, half)} ± {_number(half, half)} %"


def points(estimate: float, low: float, high: float) -> str:
    """A difference of two rates: ``+3.2 ± 0.4 percentage points``."""
    half = 50 * (high - low)
    return f"{_number(100 * estimate, half, '+')} ± {_number(half, half)} percentage points"


def amount(estimate: float, low: float, high: float) -> str:
    """``8.82 ± 0.01``, without a unit."""
    half = (high - low) / 2
    return f"{_number(estimate, half)} ± {_number(half, half)}"


def _number(value: float, uncertainty: float, sign: str = "") -> str:
    """A number with as many digits as its uncertainty allows."""
    digits = 1 if uncertainty >= 0.095 else 2 if uncertainty >= 0.0095 else 3
    text = f"{value:{sign}.{digits}f}"
    return text.replace("-", "−")


def span(values: Sequence[float]) -> str:
    """``between 12 and 34 %``, or the one value there is."""
    low, high = (f"{100 * value:.0f}" for value in (min(values), max(values)))
    return f"{low} %" if low == high else f"between {low} and {high} %"


def listing(names: Iterable[object]) -> str:
    """``a, b and c``."""
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def table_size(players: int) -> str:
    """``2 players``, or ``solo``."""
    return "solo" if players == 1 else f"{players} players"


def side_of(low: float, high: float, reference: float) -> int:
    """1 if an interval lies above a reference, -1 below, 0 if it holds it."""
    return 1 if low > reference else -1 if high < reference else 0


def against_half(low: float, high: float) -> str:
    """How a rate compares with one half."""
    return {
        1: "more than half of all games",
        -1: "less than half of all games",
        0: "not clearly more or less than half of all games",
    }[side_of(low, high, 0.5)]
