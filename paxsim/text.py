"""Numbers in words, for the terminal and the page: one rule for both.

An estimate is shown with half the width of its interval, and both with as many decimals as that
half needs for its first digit: ``34.1 ± 0.5``, ``8.82 ± 0.01``; at least one decimal, at most
three. What counts is the half as it will be printed, so 0.097 is shown as 0.1 and not as 0.10:
more decimals would be noise, fewer would hide how sure the number is.

Near the ends of a scale an interval is lopsided, and a half-width would allow for less than none
or more than all; there the ends themselves are said: ``0.3 (0.1 to 0.9)``. An interval without 0
never looks as if it had it: it gets more decimals. Minus signs are as long
as plus signs, there is no minus zero, and what is no number is a dash.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence

#: No line that Python shows of an object has more characters than this.
WIDTH = 100
#: What stands where there is no number.
MISSING = "–"
#: What is said of an interval that there is not.
UNKNOWN = "how sure is not known"
#: Factor of rates, which can't be more than this.
PERCENT = 100.0
#: Decimals, at most.
MOST_DIGITS = 3
#: p-values below this are all the same.
SMALLEST_P = 0.001
#: An interval is lopsided if its middle is further than this part of its half-width from the
#: estimate. With Wilson's intervals, estimate ± half then never leaves the scale.
LOPSIDED = 1 / 3


def amount(estimate: float, low: float, high: float, unit: float = 1.0, sign: str = "") -> str:
    """``8.82 ± 0.01``, or ``0.3 (0.1 to 0.9)`` where the interval is lopsided; without a unit.

    Parameters
    ----------
    estimate, low, high : float
        The number and the ends of its interval.
    unit : float
        What all three are multiplied by: 100 shows rates in percent.
    sign : str
        ``"+"`` shows the sign of numbers above 0 too.
    """
    return _said(estimate, low, high, unit, sign)


def percent(estimate: float, low: float, high: float) -> str:
    """A rate: ``34.1 ± 0.5 %``; at the ends of the scale ``0 % (at most 0.2 %)``.

    A rate that can only be a little less than a round number, as a fair share can, is that number.
    """
    if estimate == 0:
        return f"0 % (at most {in_percent(high, _digits(100 * high))} %)"
    if estimate == 1:
        return f"100 % (at least {in_percent(low, _digits(100 * (1 - low)))} %)"
    if high == estimate and in_percent(low) == in_percent(high):
        return f"{in_percent(estimate)} %"
    return _said(estimate, low, high, PERCENT, after=" %")


def points(estimate: float, low: float, high: float) -> str:
    """A difference of two rates: ``+3.2 ± 0.4 percentage points``."""
    return f"{amount(estimate, low, high, PERCENT, '+')} percentage points"


def span(values: Sequence[float]) -> str:
    """Rates from the lowest to the highest: ``between 12 and 34 %``, or the one value there is."""
    low, high = (in_percent(value, 0) for value in (min(values), max(values)))
    return f"{low} %" if low == high else f"between {low} and {high} %"


def listing(names: Iterable[object]) -> str:
    """``a, b and c``."""
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def in_lines(text: str, indent: int = 2) -> str:
    """A text in lines of at most `WIDTH` characters, those after the first one indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def number(value: float, digits: int, sign: str = "") -> str:
    """A number with so many decimals and a true minus sign."""
    return MISSING if math.isnan(value) else _true_minus(f"{value:{sign}z.{digits}f}")


def in_percent(rate: float, digits: int = 1, sign: str = "") -> str:
    """A rate, or a difference of rates, that is said without its interval: ``34.1``."""
    return number(PERCENT * rate, digits, sign)


def significant(value: float, figures: int = 6) -> str:
    """A number of any size with so many figures that count: ``0.0123``, ``12.3``."""
    return _true_minus(f"{value:.{figures}g}")


def _true_minus(said: str) -> str:
    return said.replace("-", "−")


def _said(
    estimate: float, low: float, high: float, unit: float, sign: str = "", after: str = ""
) -> str:
    """An estimate with its uncertainty, the unit after it."""
    if math.isnan(estimate):
        return MISSING
    estimate, low, high = unit * estimate, unit * low, unit * high
    half = (high - low) / 2
    if not math.isfinite(half):
        return f"{number(estimate, 1, sign)}{after} ({UNKNOWN})"
    digits = _digits(half)
    if abs((low + high) / 2 - estimate) <= LOPSIDED * half:
        while digits < MOST_DIGITS and low * high > 0 and _reach(estimate, half, digits)[0] <= 0:
            digits += 1
        least, most = _reach(estimate, half, digits)
        beyond_all = unit == PERCENT and high <= PERCENT and estimate >= 0 and most > PERCENT
        if not beyond_all and (low < 0 or least >= 0):
            return f"{number(estimate, digits, sign)} ± {number(half, digits)}{after}"
    digits = _digits(half)
    while digits < MOST_DIGITS and low > 0 and round(low, digits) == 0:
        digits += 1
    said = (number(end, digits, sign) for end in (low, high))
    return f"{number(estimate, digits, sign)}{after} ({' to '.join(said)}{after})"


def _reach(estimate: float, half: float, digits: int) -> tuple[float, float]:
    """Ends of an interval about the size of an estimate, as they look with so many decimals."""
    size, width = round(abs(estimate), digits), round(half, digits)
    return round(size - width, digits), round(size + width, digits)


def p_value(p: float) -> str:
    """``p = 0.012``; one that is smaller than anybody needs to know is ``p < 0.001``."""
    said = p_number(p)
    return f"p {said}" if said == MISSING or said.startswith("<") else f"p = {said}"


def p_number(p: float) -> str:
    """The same for a column of p-values: ``0.012``, ``< 0.001``."""
    return f"< {SMALLEST_P}" if p < SMALLEST_P else number(p, 3)


def _digits(half: float) -> int:
    """Decimals that show the first digit of a half-width."""
    return 1 if half <= 0 or half >= 0.095 else 2 if half >= 0.0095 else 3
