"""Numbers with their uncertainty: enough digits, and never 0 or 100% for what is not."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paxsim
from paxsim.stats import clopper_pearson
from paxsim.text import (
    amount,
    brief,
    in_percent,
    listing,
    number,
    p_number,
    p_value,
    percent,
    points,
    significant,
    whole_percent,
)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((0.341, 0.336, 0.346), "34.1 ± 0.5%"),
        ((0.5, 0.4996, 0.5004), "50.00 ± 0.04%"),
        ((0.0, 0.0, 0.002), "0% (≤ 0.2%)"),
        ((1.0, 0.9996, 1.0), "100% (≥ 99.96%)"),
        ((0.003, 0.001, 0.009), "0.3% [0.1, 0.9]"),
        ((4 / 9, 0.01263, 0.9804), "44.4% [1.3, 98.0]"),
        ((1 / 3, 0.0004, 0.9554), "33.33% [0.04, 95.54]"),
        ((0.25, 0.25, 0.25), "25.0%"),
        ((0.25, 0.2498, 0.25), "25.0%"),
        ((0.2499, 0.2498, 0.25), "24.99 ± 0.01%"),
        ((0.98, 0.958, 1.0), "98.0% [95.8, 100.0]"),
        ((0.12, math.nan, math.nan), "12.0% (too few games)"),
    ],
)
def test_percent(interval, text):
    assert percent(*interval) == text


@pytest.mark.parametrize(
    ("half", "text"),
    [
        (12.0, "2.0 ± 12.0"),
        (0.0951, "2.0 ± 0.1"),  # rounds to 0.1, so a second digit would be noise
        (0.0949, "2.00 ± 0.09"),
        (0.0094, "2.000 ± 0.009"),
        (1e-9, "2.0000000 ± < 0.0000001"),
        (0.0, "2.0"),
        (math.inf, "2.0 (too few games)"),
    ],
)
def test_the_half_width_determines_the_digits(half, text):
    assert amount(2.0, 2.0 - half, 2.0 + half) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((0.0, 0.0, 3e-7), "0 (≤ 0.00003)"),
        ((0.0, 0.0, 3e-12), "0 (≤ 0.0000001)"),
        ((1.0, 0.9999997, 1.0), "100 (≥ 99.99997)"),
        ((0.0003, 0.0, 0.009), "0.03 [0.00, 0.90]"),
        ((0.9997, 0.991, 1.0), "99.97 [99.10, 100.00]"),
        ((0.2, 2e-7, 0.9), "20.0 [>0, 90.0]"),
        ((-0.001, -0.002, -9e-7), "−0.1 [−0.2, <0]"),
        ((0.98, 0.958, 0.9999999), "98.0 [95.8, <100]"),
        ((0.00004, 1e-8, 0.07), "0.004 [>0, 7.0]"),
        ((0.9950, 0.9904, 0.9996), "99.50 ± 0.46"),  # 99.5 ± 0.5 would include 100
        ((0.0, -0.004, 0.0), "0 (≥ −0.4)"),
        ((0.00001, -0.004, 0.004), "0.0 ± 0.4"),
        ((1.0, 0.0, 1.0), "100.0 [0.0, 100.0]"),
        ((math.nan, math.nan, math.nan), "–"),
    ],
)
def test_numbers_near_the_ends_of_the_scale(interval, text):
    assert amount(*interval, 100) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((0.809, 0.777, 0.841), "81% [78, 84]"),
        ((0.517, 0.512, 0.522), "51.7% [51.2, 52.2]"),
        ((1.0, 0.938, 1.0), "100% (≥ 94%)"),
        ((0.0, 0.0, 0.03), "0% (≤ 3%)"),
        ((1.0, 0.986, 1.0), "100% (≥ 98.6%)"),
        ((1.0, 0.0, 1.0), "100% [0, 100]"),
        ((0.8, 0.6, 0.9999), "80% [60, <100]"),
        ((0.0004, 0.00001, 0.03), "0.04% [>0, 3]"),
        ((0.003, 0.0, 0.03), "0.3% [0.0, 3.0]"),
    ],
)
def test_brief_rates_are_rounded_to_whole_percent(interval, text):
    assert brief(*interval) == text


def test_differences_have_a_sign_and_exclude_zero_as_their_interval_does():
    assert points(0.032, 0.028, 0.036) == "+3.2 ± 0.4 percentage points"
    assert points(-0.017, -0.0339, -0.0001) == "−1.70 ± 1.69 percentage points"
    assert points(-0.0001, -0.0051, 0.0049) == "+0.0 ± 0.5 percentage points"


def test_numbers_without_an_interval():
    assert in_percent(0.3414) == "34.1" and in_percent(0.3414, 0) == "34"
    assert in_percent(-0.0) == in_percent(1e-17) == "0.0" and in_percent(0.02, sign="+") == "+2.0"
    assert in_percent(math.nan) == number(math.nan, 1) == p_number(math.nan) == "–"
    assert number(-1234.56, 1) == "−1234.6"
    assert significant(0.012345, 3) == "0.0123" and significant(2e7, 2) == "20000000"
    assert (p_value(1e-9), p_value(0.0123)) == ("p < 0.001", "p = 0.012")
    assert listing("a") == "a" and listing("abc") == "a, b and c"
    rates = (0.0, 0.004, 0.006, 0.341, 0.994, 0.996, 1.0)
    assert [whole_percent(r) for r in rates] == ["0", "<1", "1", "34", "99", ">99", "100"]


@pytest.mark.parametrize("games", [10, 100, 10_000])
@pytest.mark.parametrize("wins", range(1, 10))
def test_an_exact_interval_with_a_half_width_stays_on_the_scale(wins, games):
    for won in (wins, games - wins):
        low, high = clopper_pearson(won, games)
        if "±" in percent(won / games, low, high):
            half = (high - low) / 2
            assert half <= won / games <= 1 - half


#: Rates of every size, many of them close to 0 or 1.
_SMALL = st.integers(1, 120).map(lambda n: 10 ** (-n / 10))
RATES = st.one_of(
    st.sampled_from([0.0, 1.0]), st.floats(0.001, 0.999), _SMALL, _SMALL.map(lambda x: 1 - x)
)


def _read(text: str) -> list[float]:
    """Return the numbers in a text; a bound such as ``>0`` is not 0."""
    matches = re.findall(r"([<>] ?)?([+−]?[0-9.]+)", text)
    return [float(n.replace("−", "-")) + (1e-9 if side else 0) for side, n in matches]


@given(st.lists(RATES, min_size=3, max_size=3).map(sorted), st.sampled_from([1, -1]))
def test_nothing_reads_as_0_or_100_that_is_not(interval, direction):
    low, estimate, high = (100 * rate for rate in sorted(direction * rate for rate in interval))
    zero, full = (lambda x: abs(x) <= 1e-12), (lambda x: abs(x - 100) <= 1e-12)
    rates = (estimate / 100, low / 100, high / 100)
    rates_only = (percent(*rates), brief(*rates)) if direction > 0 else ()
    for text in (amount(*rates, 100), *rates_only):
        assert (zero(low) and zero(high)) or zero(estimate) or re.search("[1-9]", text)
        numbers = _read(text)
        assert (numbers[0] != 0 or zero(estimate)) and (numbers[0] != 100 or full(estimate))
        if "±" in text:
            value, half = numbers
            least, most = abs(value) - half, abs(value) + half
            assert half != 0 or high - low < 1e-11
            assert least > 1e-9 or min(abs(low), abs(high)) < 1e-9 or half < 1e-6
            assert most < 100 - 1e-9 or max(abs(low), abs(high)) > 100 - 1e-9 or half < 1e-6
        elif "[" in text:
            for shown, true in zip(numbers[1:], (low, high), strict=True):
                assert (shown != 0 or zero(true)) and (shown != 100 or full(true))
        elif "(" in text:
            end = low if "≥" in text else high
            assert zero(estimate) or full(estimate)
            assert (numbers[1] != 0 or zero(end)) and (numbers[1] != 100 or full(end))


@given(RATES, st.sampled_from([1, -1]), st.integers(0, 2))
def test_a_rate_without_interval_reads_as_0_or_100_only_if_it_is(rate, direction, digits):
    value = _read(in_percent(direction * rate, digits))[0]
    assert (value != 0 or rate < 1e-14) and (value != 100 or direction * rate > 1 - 1e-14)
    text = whole_percent(rate)
    assert len(text) <= 3 and (text != "0" or rate == 0) and (text != "100" or rate == 1)


def test_percentages_are_formatted_in_one_place():
    by_hand = re.compile(r"\{100 \* [^{}]*:[^{}]*\}|:\.\d%\}")
    package = Path(paxsim.__file__).parent
    assert not [str(p) for p in package.rglob("*.py") if by_hand.search(p.read_text("utf-8"))]
