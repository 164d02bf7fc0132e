"""Numbers in words: as many digits as are sure, the same in the terminal and on the page."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paxsim
from paxsim.cli.printing import percent as terminal_percent
from paxsim.cli.printing import plus_minus
from paxsim.report.page import _cell as first_screen_cell
from paxsim.report.page import shown_table, unbroken
from paxsim.stats import wilson
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
    ("interval", "said"),
    [
        ((0.341, 0.336, 0.346), "34.1 ± 0.5 %"),
        ((0.5, 0.4996, 0.5004), "50.00 ± 0.04 %"),
        ((0.0, 0.0, 0.002), "0 % (at most 0.2 %)"),
        ((1.0, 0.99, 1.0), "100 % (at least 99.0 %)"),
        ((1.0, 0.9996, 1.0), "100 % (at least 99.96 %)"),
        ((0.003, 0.001, 0.009), "0.3 % (0.1 to 0.9 %)"),
    ],
)
def test_a_rate_is_said_in_percent(interval, said):
    assert percent(*interval) == said


@pytest.mark.parametrize(
    ("half", "said"),
    [
        (12.0, "2.0 ± 12.0"),
        (0.1, "2.0 ± 0.1"),
        (0.0951, "2.0 ± 0.1"),  # printed as 0.1, so a second digit would say nothing
        (0.0949, "2.00 ± 0.09"),
        (0.0096, "2.00 ± 0.01"),
        (0.0094, "2.000 ± 0.009"),
        (0.0001, "2.0000 ± 0.0001"),
        (1e-9, "2.0000000 ± < 0.0000001"),
        (0.0, "2.0 ± 0.0"),
        (math.inf, "2.0 (how sure is not known)"),
    ],
)
def test_the_half_width_decides_on_the_digits(half, said):
    assert amount(2.0, 2.0 - half, 2.0 + half) == said


def test_a_lopsided_interval_is_said_by_its_ends():
    assert amount(0.1, 0.0, 0.9) == "0.1 (0.0 to 0.9)"
    assert amount(0.5, 0.0, 0.9) == "0.5 ± 0.5"


def test_a_wide_interval_has_no_more_decimals_than_a_narrow_one():
    assert percent(4 / 9, 0.01263, 0.9804) == "44.4 % (1.3 to 98.0 %)"
    assert percent(1 / 3, 0.0004, 0.9554) == "33.33 % (0.04 to 95.54 %)"


def test_a_fair_share_is_said_without_the_hundredths_it_may_lack():
    assert percent(0.25, 0.2498, 0.25) == "25.0 %"
    assert percent(0.25, 0.2480, 0.25) == "25.0 % (24.8 to 25.0 %)"
    assert percent(0.2499, 0.2498, 0.25) == "24.99 ± 0.01 %"


def test_no_rate_with_its_half_width_is_above_all_or_below_none():
    assert percent(0.98, 0.958, 1.0) == "98.0 % (95.8 to 100.0 %)"
    assert amount(0.98, 0.958, 1.0, 100) == "98.0 (95.8 to 100.0)"
    assert amount(0.4, 0.0, 0.9) == "0.4 (0.0 to 0.9)"


def test_an_interval_without_zero_does_not_look_as_if_it_had_it():
    assert points(-0.017, -0.0339, -0.0001) == "−1.70 ± 1.69 percentage points"
    assert points(-0.017, -0.035, 0.001) == "−1.7 ± 1.8 percentage points"


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.0, "p < 0.001"), (1e-9, "p < 0.001"), (0.0123, "p = 0.012"), (1, "p = 1.000")],
)
def test_no_p_value_is_said_to_be_nothing(p, said):
    assert p_value(p) == said


@pytest.mark.parametrize("games", [10, 100, 10_000])
@pytest.mark.parametrize("wins", range(1, 10))
def test_no_rate_is_said_to_be_below_none_or_above_all(wins, games):
    for won in (wins, games - wins):
        low, high = wilson(won, games)
        said = percent(won / games, low, high)
        if "±" in said:
            half = (high - low) / 2
            assert half <= won / games <= 1 - half


def test_points_have_a_sign():
    assert points(0.032, 0.028, 0.036) == "+3.2 ± 0.4 percentage points"
    assert points(-0.032, -0.036, -0.028) == "−3.2 ± 0.4 percentage points"


def test_there_is_no_minus_zero_and_no_nan():
    assert amount(-0.01, -0.51, 0.49) == "0.0 ± 0.5"
    assert points(-0.0001, -0.0051, 0.0049) == "+0.0 ± 0.5 percentage points"
    assert amount(math.nan, math.nan, math.nan) == "–"


def test_rates_and_numbers_without_an_interval():
    assert in_percent(0.3414) == "34.1"
    assert in_percent(0.3414, 0) == "34" and in_percent(0.3414, 2) == "34.14"
    assert in_percent(-0.0) == in_percent(1e-17) == "0.0" and in_percent(0.02, sign="+") == "+2.0"
    assert in_percent(-0.02, sign="+") == "−2.0"
    assert in_percent(math.nan) == number(math.nan, 1) == "–"
    assert number(-1234.56, 1) == "−1234.6"
    assert significant(0.012345, 3) == "0.0123" and significant(-0.5) == "−0.5"
    assert significant(8.2e-5, 2) == "0.000082" and significant(2e7, 2) == "20000000"
    assert p_number(0.0123) == "0.012" and p_number(1e-9) == "< 0.001" and p_number(math.nan) == "–"


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((0.0, 0.0, 0.004), "0 (at most 0.4)"),
        ((0.0, 0.0, 3e-7), "0 (at most 0.00003)"),
        ((0.0, 0.0, 3e-12), "0 (at most 0.0000001)"),
        ((1.0, 0.996, 1.0), "100 (at least 99.6)"),
        ((1.0, 0.9999997, 1.0), "100 (at least 99.99997)"),
        ((0.0003, 0.0, 0.009), "0.03 (0.00 to 0.90)"),
        ((0.9997, 0.991, 1.0), "99.97 (99.10 to 100.00)"),
        ((0.999999, 0.9999985, 0.9999995), "99.99990 ± 0.00005"),
        ((0.2, 2e-7, 0.9), "20.0 (just over 0 to 90.0)"),
        ((-0.001, -0.002, -9e-7), "−0.1 (−0.2 to just under 0)"),
        ((0.98, 0.958, 0.9999999), "98.0 (95.8 to just under 100)"),
        ((1.0e-7, 4e-8, 4e-7), "0.000010 (0.000004 to 0.000040)"),
        ((0.00004, 1e-8, 0.07), "0.004 (just over 0 to 7.0)"),
        ((0.9950, 0.9904, 0.9996), "99.50 ± 0.46"),  # 99.5 ± 0.5 would have 100
        ((0.0, -0.004, 0.0), "0 (at least −0.4)"),
        ((-3e-7, -4e-7, -2e-7), "−0.00003 ± 0.00001"),
        ((0.00001, -0.004, 0.004), "0.0 ± 0.4"),  # may be more or less than none
        ((0.001, -0.00001, 0.004), "0.1 (just under 0 to 0.4)"),
        ((1.0, 0.0, 1.0), "100.0 (0.0 to 100.0)"),
    ],
)
def test_what_is_not_none_or_all_does_not_read_so(interval, said):
    assert amount(*interval, 100) == said


#: Rates of every size, many of them next to none or all.
_SMALL = st.integers(1, 120).map(lambda n: 10 ** (-n / 10))
RATES = st.one_of(
    st.sampled_from([0.0, 1.0]), st.floats(0.001, 0.999), _SMALL, _SMALL.map(lambda x: 1 - x)
)


def _read(said: str) -> list[float]:
    """The numbers of a sentence; one that is only said to lie below or above is no round one."""
    found = re.findall(r"([<>] |just over |just under )?([+−]?[0-9.]+)", said)
    return [float(n.replace("−", "-")) + (1e-9 if side else 0) for side, n in found]


@given(st.lists(RATES, min_size=3, max_size=3).map(sorted), st.sampled_from([1, -1]))
def test_nothing_reads_as_none_or_all_that_is_not(interval, direction):
    low, estimate, high = (100 * rate for rate in sorted(direction * rate for rate in interval))
    none, all_ = (lambda x: abs(x) <= 1e-12), (lambda x: abs(x - 100) <= 1e-12)
    rates = (estimate / 100, low / 100, high / 100)
    rates_only = (percent(*rates), brief(*rates)) if direction > 0 else ()
    for said in (amount(*rates, 100), *rates_only):
        assert (none(low) and none(high)) or re.search("[1-9]", said)
        numbers = _read(said)
        assert (numbers[0] != 0 or none(estimate)) and (numbers[0] != 100 or all_(estimate))
        if "±" in said:
            value, half = numbers
            least, most = abs(value) - half, abs(value) + half
            assert half != 0 or high - low < 1e-11
            assert least > 1e-9 or min(abs(low), abs(high)) < 1e-9 or half < 1e-6
            assert most < 100 - 1e-9 or max(abs(low), abs(high)) > 100 - 1e-9 or half < 1e-6
        elif "to" in said:
            for number_said, true in zip(numbers[1:], (low, high), strict=True):
                assert (number_said != 0 or none(true)) and (number_said != 100 or all_(true))
        elif "at" in said:
            assert none(estimate) or all_(estimate)
            end = low if "least" in said else high
            assert (numbers[1] != 0 or none(end)) and (numbers[1] != 100 or all_(end))


@given(RATES, st.sampled_from([1, -1]), st.integers(0, 2))
def test_a_rate_without_its_interval_reads_as_none_or_all_only_if_it_is(rate, direction, digits):
    value = float(_read(in_percent(direction * rate, digits))[0])
    assert (value != 0 or rate < 1e-14) and (value != 100 or direction * rate > 1 - 1e-14)
    assert rate < 1e-12 or _read(number(direction * rate, digits))[0] != 0
    said = whole_percent(rate)
    assert len(said) <= 3 and (said != "0" or rate == 0) and (said != "100" or rate == 1)


def test_whole_percents_say_what_is_less_than_one_or_more_than_ninety_nine():
    said = [whole_percent(rate) for rate in (0.0, 0.004, 0.006, 0.341, 0.994, 0.996, 1.0)]
    assert said == ["0", "<1", "1", "34", "99", ">99", "100"]


def test_nobody_writes_percent_by_hand():
    """One formatter: what is shown of a rate is said by `paxsim.text`."""
    by_hand = re.compile(r"\{100 \* [^{}]*:[^{}]*\}|:\.\d%\}")
    package = Path(paxsim.__file__).parent
    found = [str(path) for path in package.rglob("*.py") if by_hand.search(path.read_text("utf-8"))]
    assert not found


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((0.809, 0.777, 0.841), "81 % (78 to 84)"),
        ((0.517, 0.512, 0.522), "51.7 % (51.2 to 52.2)"),
        ((1.0, 0.938, 1.0), "100 % (at least 94)"),
        ((0.0, 0.0, 0.03), "0 % (at most 3)"),
        ((1.0, 0.996, 1.0), "100 % (at least 99.6)"),
        ((1.0, 0.986, 1.0), "100 % (at least 98.6)"),
        ((0.0, 0.0, 3e-7), "0 % (at most 0.00003)"),
        ((0.0, 0.0, 3e-12), "0 % (at most 0.0000001)"),
        ((1.0, 0.0, 1.0), "100 % (0 to 100)"),
        ((0.2, 2e-7, 0.9), "20 % (just over 0 to 90)"),
        ((0.8, 0.6, 0.9999), "80 % (60 to just under 100)"),
        ((0.998, 0.97, 0.9999), "99.8 % (97.0 to just under 100)"),
        ((0.0004, 0.00001, 0.03), "0.04 % (just over 0 to 3)"),
        ((0.003, 0.0, 0.03), "0.3 % (0.0 to 3.0)"),
        ((0.5, math.nan, math.nan), "50.0 % (how sure is not known)"),
        ((math.nan, 0.1, 0.2), "–"),
    ],
)
def test_a_rate_for_everybody_is_in_round_numbers(interval, said):
    assert brief(*interval) == said


def test_listings():
    assert listing("a") == "a"
    assert listing("abc") == "a, b and c"


@pytest.mark.parametrize("half", [0.2, 0.01, 0.00096, 0.0003, 0.00002])
@pytest.mark.parametrize("rate", [0.0, 0.004, 0.3, 1.0])
def test_terminal_and_page_say_the_same(rate, half):
    low, high = max(0.0, rate - half), min(1.0, rate + half)
    row = {"win_rate": rate, "win_rate_low": low, "win_rate_high": high}
    points = {"points": -rate, "points_low": -high, "points_high": -low}
    cells = shown_table(pd.DataFrame([row | points])).rows[0]
    assert [cell.text for cell in cells] == [
        terminal_percent(row, "win_rate"),
        plus_minus(points, "points"),
    ]


def test_a_shown_table_folds_intervals_and_keeps_the_order_of_numbers():
    rate = {"win_rate": 0.5, "win_rate_low": 0.49, "win_rate_high": 0.51}
    table = pd.DataFrame([{"players": 2, **rate, "seed": 1}])
    shown = shown_table(table)
    assert shown.headings == ["players", "win rate %"]
    assert shown.rows[0][1].text == "50.0 ± 1.0"
    assert float(shown.rows[0][1].sort) == 0.5


def test_a_shown_table_has_shares_of_strategies_in_percent_and_leaves_out_what_is_always_the_same():
    rows = [{"state": name, "share_racer": share, "lineups": 5, "gain": -share / 10}
            for name, share in (("racer", 1.0), ("mixed", 0.25))]  # fmt: skip
    shown = shown_table(pd.DataFrame(rows))
    assert shown.headings == ["state", "racer %", "gain, points"]
    assert [cell.text for cell in shown.rows[1]] == ["mixed", "25.0", "−2.5"]


def shown(**columns):
    table = shown_table(pd.DataFrame(columns))
    return table.headings, [[cell.text for cell in row] for row in table.rows]


def test_rows_that_differ_by_their_deck_begin_with_it_and_whole_shares_are_in_percent():
    headings, rows = shown(state=["racer", "racer"], share_racer=[1, 0], deck=["dear", "flat"])
    assert headings == ["deck", "state", "racer %"]
    assert rows == [["dear", "racer", "100.0"], ["flat", "racer", "0.0"]]


def test_a_line_up_that_names_nobody_is_left_out():
    member = "any member"
    assert shown(lineup=[f"{member}, {member}", member], rounds=[5, 6])[0] == ["rounds"]
    assert shown(lineup=[f"{member}, {member}", "racer"], rounds=[5, 6])[0] == ["lineup", "rounds"]


def test_rates_that_nearly_never_occur_and_chances_are_not_said_as_zero():
    _, rows = shown(success=[3.66e-7, 0.0, 0.02], success_low=[1.54e-7, 0.0, 0.01],
                    success_high=[1.042e-6, 2e-9, 0.03], change_p=[0.0, 0.04, 0.5])  # fmt: skip
    assert rows == [["0.00004 (0.00002 to 0.00010)", "< 0.001"],
                    ["0 (at most 0.0000002)", "0.040"], ["2.0 ± 1.0", "0.500"]]  # fmt: skip


def test_no_line_ends_between_a_number_and_what_belongs_to_it():
    assert unbroken("wins 5.1 ± 0.2 % of all") == "wins 5.1\u00a0±\u00a00.2\u00a0% of all"


@pytest.mark.parametrize(
    ("interval", "value", "sure"),
    [
        ((0.5, 0.47, 0.53), "50", "±3.0"),
        ((0.5, 0.495, 0.505), "50.0", "±0.5"),
        ((0.99, 0.97, 1.0), "99", "≥97.0"),
        ((0.01, 0.0, 0.03), "1", "≤3.0"),
    ],
)
def test_the_first_screen_has_rates_with_their_halves_or_their_other_end(interval, value, sure):
    row = dict(zip(("rome_wins", "rome_wins_low", "rome_wins_high"), interval, strict=True))
    assert first_screen_cell(row) == {"value": value, "sure": sure, "range": ""}
    ends = {"lowest_lineup": 0.12, "highest_lineup": 0.9}
    assert first_screen_cell(row | ends)["range"] == "12 to 90"
