"""Numbers with their uncertainty as text, for the terminal, notebooks, pages and charts.

An estimate and half the width of its interval have as many decimals as the half needs for its
first digit, at least one: ``34.1 ± 0.5``, ``8.82 ± 0.01``. A lopsided interval shows its ends,
``0.3 [0.1, 0.9]``, and an estimate at the end of the scale its one bound, ``0% (≤ 0.4%)``. A value
without uncertainty stands alone.

Rounding never turns a number into 0 or 100%: such a number gets more decimals (``0.00004``,
``99.998``), and an end of an interval that would need many more is ``>0`` or ``<100``. Only a
difference of either sign may be 0.0.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from decimal import Decimal

#: Longest line of a repr.
WIDTH = 100
MISSING = "–"
#: Shown in place of an interval that can't be computed.
UNKNOWN = "too few games"
#: Factor of rates, which can't exceed it.
PERCENT = 100.0
#: Largest number of decimals of an estimate with its half-width, and of any number.
MAX_DIGITS, FINEST = 3, 7
#: Rounding errors of the computer are smaller.
NOISE = 1e-12
SMALLEST_P = 0.001
#: An interval is lopsided if its middle is further than this part of its half-width from the
#: estimate. With intervals of rates, estimate ± half then never leaves the scale.
LOPSIDED = 1 / 3


def amount(estimate: float, low: float, high: float, unit: float = 1.0, sign: str = "") -> str:
    """Return an estimate with its uncertainty, times a unit (100 for percent).

    Examples
    --------
    >>> amount(8.818, 8.807, 8.829), amount(0.003, 0.001, 0.009, 100)
    ('8.82 ± 0.01', '0.3 [0.1, 0.9]')
    """
    return _format(estimate, low, high, unit, sign)


def percent(estimate: float, low: float, high: float) -> str:
    """Return a rate with its uncertainty in percent.

    Examples
    --------
    >>> percent(0.341, 0.336, 0.346), percent(0.0, 0.0, 0.004)
    ('34.1 ± 0.5%', '0% (≤ 0.4%)')
    """
    return _format(estimate, low, high, PERCENT, after="%")


def brief(estimate: float, low: float, high: float) -> str:
    """Return a rate with the ends of its interval, in whole percent if the interval is wide.

    Examples
    --------
    >>> brief(0.812, 0.778, 0.842), brief(1.0, 0.94, 1.0)
    ('81% [78, 84]', '100% (≥ 94%)')
    """
    return _format(estimate, low, high, PERCENT, after="%", short=True)


def points(estimate: float, low: float, high: float) -> str:
    """Return a difference of two rates: ``+3.2 ± 0.4 percentage points``."""
    return f"{amount(estimate, low, high, PERCENT, '+')} percentage points"


def listing(names: Iterable[object]) -> str:
    """Return ``a, b and c``."""
    words = [str(name) for name in names]
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def quantity(number: int, noun: str) -> str:
    """Return ``1 card``, ``2 cards`` or ``1,000 categories``."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def in_lines(text: str, indent: int = 2) -> str:
    """Wrap text at `WIDTH` characters and indent all lines but the first."""
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def number(value: float, digits: int, sign: str = "") -> str:
    """Return a number with `digits` decimals, or more if it would read as 0."""
    return MISSING if math.isnan(value) else _shown(value, digits, (0.0,), sign)


def in_percent(rate: float, digits: int = 1, sign: str = "") -> str:
    """Return a rate in percent, without sign or interval, that doesn't read as 0 or 100."""
    value = PERCENT * rate
    return MISSING if math.isnan(value) else _shown(value, digits, _marks(PERCENT), sign)


def whole_percent(rate: float) -> str:
    """Return a rate in at most three characters: ``34``, ``<1``, ``>99``."""
    text = in_percent(rate, 0)
    if "." not in text:
        return text
    return "<1" if rate < 0.5 else ">99"


def significant(value: float, figures: int = 6) -> str:
    """Return a number with a number of significant figures: ``0.0123``, ``12.3``, ``0.000082``."""
    return _true_minus(f"{Decimal(f'{value:.{figures}g}'):f}")


def p_value(p: float) -> str:
    """Return ``p = 0.012`` or ``p < 0.001``."""
    text = p_number(p)
    return f"p {text}" if text == MISSING or text.startswith("<") else f"p = {text}"


def p_number(p: float) -> str:
    """Return a p-value for a column: ``0.012``, ``< 0.001``."""
    return f"< {SMALLEST_P}" if p < SMALLEST_P else number(p, 3)


def _true_minus(text: str) -> str:
    return text.replace("-", "−")


def _marks(unit: float) -> tuple[float, ...]:
    """Return the values that no other number may read as: 0, and 100 for rates."""
    return (0.0, PERCENT) if unit == PERCENT else (0.0,)


def _fixed(value: float, digits: int, sign: str = "") -> str:
    return _true_minus(f"{value:{sign}z.{digits}f}")


def _reads_as(value: float, digits: int, marks: Iterable[float]) -> float | None:
    """Return the mark that a number would be mistaken for, if any."""
    printed = float(f"{value:.{digits}f}")
    return next((m for m in marks if printed == m and abs(value - m) > NOISE), None)


def _shown(value: float, digits: int, marks: Iterable[float], sign: str = "") -> str:
    """Return a number with `digits` decimals, or as many as distinguish it from a mark."""
    mark = _reads_as(value, digits, marks)
    if mark is None:
        return _fixed(value, digits, sign)
    digits = _digits(abs(value - mark))
    if _reads_as(value, digits, (mark,)) is None:
        return _fixed(value, digits, sign)
    side, least = ("<", 10.0**-digits) if value > mark else (">", -(10.0**-digits))
    return f"{side} {_fixed(mark + least, digits, sign)}"


def _format(
    estimate: float,
    low: float,
    high: float,
    unit: float,
    sign: str = "",
    after: str = "",
    short: bool = False,
) -> str:
    """Return an estimate with its uncertainty; a short one shows the ends of its interval."""
    if math.isnan(estimate):
        return MISSING
    estimate, low, high = unit * estimate, unit * low, unit * high
    marks = _marks(unit)
    half = (high - low) / 2
    if not math.isfinite(half):
        return f"{_shown(estimate, 1, marks, sign)}{after} ({UNKNOWN})"
    at_end = estimate in (low, high) and estimate not in marks
    if half <= NOISE or (at_end and _fixed(low, 1) == _fixed(high, 1)):
        return f"{_shown(estimate, 1, marks, sign)}{after}"
    fewest = 0 if short and half >= 0.95 else 1
    for end, other, relation in ((low, high, "≤"), (high, low, "≥")):
        if estimate == end and end in marks and other not in marks:
            bound = _shown(other, _digits(abs(other - end), fewest), marks, sign).lstrip("<> ")
            return f"{_fixed(end, 0)}{after} ({relation} {bound}{after})"
    digits = _digits(half, fewest)
    around = marks[1:] if low < 0 < high else marks
    if not short and abs((low + high) / 2 - estimate) <= LOPSIDED * half:
        for more in range(digits, max(digits, MAX_DIGITS) + 1):
            if _keeps_within(estimate, half, (low, high), more, unit):
                width = _shown(half, more, (0.0,))
                return f"{_shown(estimate, more, around, sign)} ± {width}{after}"
    triple = ((estimate, around), (low, marks), (high, marks))
    needed = (_digits(abs(value - mark)) for value, of in triple
              if (mark := _reads_as(value, digits, of)) is not None)  # fmt: skip
    # All three get one decimal more for the sake of one of them, but not many more.
    digits = max([digits, *(more for more in needed if more <= digits + 1)])
    value = _shown(estimate, digits, around, sign)
    ends = (_end(value, digits, marks, sign) for value in (low, high))
    return f"{value}{after} [{', '.join(ends)}]"


def _end(value: float, digits: int, marks: Iterable[float], sign: str) -> str:
    """Return an end of an interval, as ``>0`` or the like if it would read as a mark."""
    mark = _reads_as(value, digits, marks)
    if mark is None:
        return _fixed(value, digits, sign)
    return f"{'>' if value > mark else '<'}{_fixed(mark, 0)}"


def _keeps_within(
    estimate: float, half: float, ends: tuple[float, float], digits: int, unit: float
) -> bool:
    """Return whether estimate ± half, rounded, includes 0 and 100% only if the interval does."""
    size, width = round(abs(estimate), digits), round(half, digits)
    least, most = round(size - width, digits), round(size + width, digits)
    near, far = sorted(map(abs, ends))
    over_none = ends[0] < 0 < ends[1] or (least > 0 if near > NOISE else least >= 0)
    rates = unit == PERCENT and far <= PERCENT
    return over_none and (not rates or (most < PERCENT if far < PERCENT else most <= PERCENT))


def _digits(half: float, fewest: int = 1) -> int:
    """Return the decimals that show the first digit of a half-width."""
    enough = (n for n in range(fewest, FINEST) if half <= NOISE or half >= 0.95 * 10.0**-n)
    return next(enough, FINEST)
