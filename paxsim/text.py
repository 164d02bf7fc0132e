"""Numbers in words, for the terminal and the page: one rule for both.

An estimate is shown with half the width of its interval, and both with as many decimals as that
half needs for its first digit: ``34.1 ± 0.5``, ``8.82 ± 0.01``; at least one decimal. What counts
is the half as it will be printed, so 0.097 is shown as 0.1 and not as 0.10: more decimals would be
noise, fewer would hide how sure the number is.

Near the ends of a scale an interval is lopsided, and a half-width would allow for less than none
or more than all; there the ends themselves are said: ``0.3 (0.1 to 0.9)``. What was never seen, or
always, is said by the one end that is left: ``0 (at most 0.2)``, ``100 (at least 99.8)``.

What is not 0 never reads as 0, and what is not all of the games never as 100 %: such a number gets
more decimals, as many as its first digit needs (``0.00004``, ``99.998``). An end of an interval
that would need many more than the number itself is said in words: ``20.0 (just over 0 to 90.0)``,
``−0.1 (−0.2 to just under 0)``. That holds in sentences for everybody (`brief`) too. Only a
difference that may be above or below 0 is 0.0 where its half-width says so. An interval without 0
or 100 % does not look as if it had it. Minus signs are as long as plus signs, there is no minus
zero, and what is no number is a dash.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from decimal import Decimal

#: No line that Python shows of an object has more characters than this.
WIDTH = 100
#: What stands where there is no number.
MISSING = "–"
#: What is said of an interval that there is not.
UNKNOWN = "how sure is not known"
#: Factor of rates, which can't be more than this.
PERCENT = 100.0
#: Decimals that an estimate and its half-width may have together so that neither says too much.
MOST_DIGITS = 3
#: Decimals, at most; what would need more is only said to be less than their last one.
FINEST = 7
#: Nearer to 0 or to all than this is nothing but rounding in the computer.
NOISE = 1e-12
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
    if high == estimate and in_percent(low) == in_percent(high):
        return f"{in_percent(estimate)} %"
    return _said(estimate, low, high, PERCENT, after=" %")


def brief(estimate: float, low: float, high: float) -> str:
    """A rate in a sentence for everybody: ``81 % (78 to 84)``, in whole percent if it can be.

    ``100 % (at least 94)``, ``0 % (at most 3)``.
    """
    return _said(estimate, low, high, PERCENT, after=" %", short=True)


def points(estimate: float, low: float, high: float) -> str:
    """A difference of two rates: ``+3.2 ± 0.4 percentage points``."""
    return f"{amount(estimate, low, high, PERCENT, '+')} percentage points"


def listing(names: Iterable[object]) -> str:
    """``a, b and c``."""
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def in_lines(text: str, indent: int = 2) -> str:
    """A text in lines of at most `WIDTH` characters, those after the first one indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def number(value: float, digits: int, sign: str = "") -> str:
    """A number with so many decimals, more if it would read as 0, and a true minus sign."""
    return MISSING if math.isnan(value) else _shown(value, digits, (0.0,), sign)


def in_percent(rate: float, digits: int = 1, sign: str = "") -> str:
    """A rate, or a difference of rates, that is said without its interval: ``34.1``.

    With more decimals if it would read as 0 or as 100.
    """
    value = PERCENT * rate
    return MISSING if math.isnan(value) else _shown(value, digits, _marks(PERCENT), sign)


def whole_percent(rate: float) -> str:
    """A rate where there is room for three characters: ``34``, ``<1``, ``>99``."""
    said = in_percent(rate, 0)
    if "." not in said:
        return said
    return "<1" if rate < 0.5 else ">99"


def significant(value: float, figures: int = 6) -> str:
    """A number of any size with so many figures that count: ``0.0123``, ``12.3``, ``0.000082``."""
    return _true_minus(f"{Decimal(f'{value:.{figures}g}'):f}")


def _true_minus(said: str) -> str:
    return said.replace("-", "−")


def _marks(unit: float) -> tuple[float, ...]:
    """What no other number may read as: none, and of rates all."""
    return (0.0, PERCENT) if unit == PERCENT else (0.0,)


def _fixed(value: float, digits: int, sign: str = "") -> str:
    return _true_minus(f"{value:{sign}z.{digits}f}")


def _reads_as(value: float, digits: int, marks: Iterable[float]) -> float | None:
    """The mark that a number would be taken for and is not; None if there is none."""
    printed = float(f"{value:.{digits}f}")
    return next((m for m in marks if printed == m and abs(value - m) > NOISE), None)


def _shown(value: float, digits: int, marks: Iterable[float], sign: str = "") -> str:
    """A number with so many decimals, or as many as tell it from a mark."""
    mark = _reads_as(value, digits, marks)
    if mark is None:
        return _fixed(value, digits, sign)
    digits = _digits(abs(value - mark))
    if _reads_as(value, digits, (mark,)) is None:
        return _fixed(value, digits, sign)
    side, least = ("<", 10.0**-digits) if value > mark else (">", -(10.0**-digits))
    return f"{side} {_fixed(mark + least, digits, sign)}"


def _said(
    estimate: float,
    low: float,
    high: float,
    unit: float,
    sign: str = "",
    after: str = "",
    short: bool = False,
) -> str:
    """An estimate with its uncertainty, the unit after it.

    In short: the ends of the interval and never its half, without their unit, and no decimals where
    it is wide.
    """
    if math.isnan(estimate):
        return MISSING
    estimate, low, high = unit * estimate, unit * low, unit * high
    marks = _marks(unit)
    half = (high - low) / 2
    if not math.isfinite(half):
        return f"{_shown(estimate, 1, marks, sign)}{after} ({UNKNOWN})"
    fewest = 0 if short and half >= 0.95 else 1
    closing = "" if short else after
    for end, other, word in ((low, high, "most"), (high, low, "least")):
        if half > NOISE and estimate == end and end in marks:
            if other in marks:
                break  # all that is possible: there is no one end that is left
            bound = _shown(other, _digits(abs(other - end), fewest), marks, sign).lstrip("<> ")
            return f"{_fixed(end, 0)}{after} (at {word} {bound}{closing})"
    digits = _digits(half, fewest)
    # What may be above and below 0 may also be said to be 0.
    about = marks[1:] if low < 0 < high else marks
    if not short and abs((low + high) / 2 - estimate) <= LOPSIDED * half:
        for more in range(digits, max(digits, MOST_DIGITS) + 1):
            if _keeps_within(estimate, half, (low, high), more, unit):
                width = _shown(half, more, (0.0,))
                return f"{_shown(estimate, more, about, sign)} ± {width}{after}"
    found = ((estimate, about), (low, marks), (high, marks))
    needed = (_digits(abs(value - mark)) for value, of in found
              if (mark := _reads_as(value, digits, of)) is not None)  # fmt: skip
    # All have one decimal more for the sake of one of them. An estimate that needs more has them
    # alone, and an end is said in words.
    digits = max([digits, *(more for more in needed if more <= digits + 1)])
    value = _shown(estimate, digits, about, sign)
    ends = (_end(value, digits, marks, sign) for value in (low, high))
    return f"{value}{after} ({' to '.join(ends)}{closing})"


def _end(value: float, digits: int, marks: Iterable[float], sign: str) -> str:
    """An end of an interval with so many decimals; in words if it would read as a mark."""
    mark = _reads_as(value, digits, marks)
    if mark is None:
        return _fixed(value, digits, sign)
    return f"just {'over' if value > mark else 'under'} {_fixed(mark, 0)}"


def _keeps_within(
    estimate: float, half: float, ends: tuple[float, float], digits: int, unit: float
) -> bool:
    """Whether estimate ± half, with so many decimals, has 0 and 100 % only if the interval has."""
    size, width = round(abs(estimate), digits), round(half, digits)
    least, most = round(size - width, digits), round(size + width, digits)
    near, far = sorted(map(abs, ends))
    over_none = ends[0] < 0 < ends[1] or (least > 0 if near > NOISE else least >= 0)
    rates = unit == PERCENT and far <= PERCENT
    return over_none and (not rates or (most < PERCENT if far < PERCENT else most <= PERCENT))


def p_value(p: float) -> str:
    """``p = 0.012``; one that is smaller than anybody needs to know is ``p < 0.001``."""
    said = p_number(p)
    return f"p {said}" if said == MISSING or said.startswith("<") else f"p = {said}"


def p_number(p: float) -> str:
    """The same for a column of p-values: ``0.012``, ``< 0.001``."""
    return f"< {SMALLEST_P}" if p < SMALLEST_P else number(p, 3)


def _digits(half: float, fewest: int = 1) -> int:
    """Decimals that show the first digit of a half-width, at least so many."""
    enough = (n for n in range(fewest, FINEST) if half <= NOISE or half >= 0.95 * 10.0**-n)
    return next(enough, FINEST)
