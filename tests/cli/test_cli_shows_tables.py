"""What the terminal shows is what the tables say: numbers, limits, words of judgement."""

import json
import re

import pytest

import paxsim
from paxsim.cli import run_command
from paxsim.cli.options import parse_players, parse_share
from paxsim.cli.progress import command_line


def shown(capsys, *arguments):
    """What a command prints, and the tables of the same command as records by name."""
    assert run_command([*arguments, "--jobs", "1"]) == 0
    text = capsys.readouterr().out
    assert run_command([*arguments, "--jobs", "1", "--json"]) == 0
    return text, json.loads(capsys.readouterr().out)["tables"]


def line_of(text, *words):
    """The first line that has all these words."""
    return next(line for line in text.splitlines() if all(word in line for word in words))


def is_rounded(said, number):
    """Whether a text is a number, as far as its decimals go."""
    decimals = len(said.partition(".")[2])
    return abs(float(said) - number) <= 0.5 * 10**-decimals + 1e-9


def check_spread(line, row, name, unit=1.0):
    """The line has the estimate, with half the width of its interval or with both ends.

    Returns whether it is half the width.
    """
    value, low, high = (unit * row[name + end] for end in ("", "_low", "_high"))
    plain = line.replace("−", "-")  # the terminal has the longer sign
    if value == 0 and re.search(rf" 0 \(at most {high:.1f}\) ", plain):
        return False
    found = re.findall(r"(-?\d[\d.]*) (?:± (\d[\d.]*)|\((-?\d[\d.]*) to (-?\d[\d.]*)\))", plain)
    for estimate, half, begin, end in found:
        pairs = [(half, (high - low) / 2)] if half else [(begin, low), (end, high)]
        if all(is_rounded(*pair) for pair in [(estimate, value), *pairs]):
            return bool(half)
    raise AssertionError(f"{name} {value} ({low} to {high}) is not in {line!r}")


RUN = ("run", "--policies", "tribune,first,tribune", "--games", "300", "--seed", "4")


def test_a_run_shows_the_rates_of_its_tables_with_half_the_width_of_their_limits(capsys):
    text, tables = shown(capsys, *RUN)
    for row in tables["strategies"]:
        line = line_of(text, row["strategy"], "±")
        check_spread(line, row, "win_rate", 100)
        check_spread(line, row, "points")
        assert f"{100 * row['fair_share']:.1f}" in line
        assert f"{100 * row['won_with_rome']:.1f}" in line
        assert f"{100 * row['won_on_points']:.1f}" in line
    assert line_of(text, "tribune (x2)")
    (rome,), (games,) = tables["rome"], tables["games"]
    line = line_of(text, "Rome wins")
    check_spread(line, rome, "rome_wins", 100)
    check_spread(line, games, "rounds")
    check_spread(line, games, "margin")


def test_seats_are_shown_one_below_the_other(capsys):
    text, tables = shown(capsys, *RUN)
    below = text[text.index("By seat") :]
    for row in tables["seats"]:
        line = next(
            line for line in below.splitlines() if line.split()[:1] == [str(row["seat"])]
        )  # fmt: skip
        check_spread(line, row, "win_rate", 100)


def test_who_is_surely_above_the_fair_share_is_said_to_be_and_who_is_below(capsys):
    text, tables = shown(capsys, *RUN)
    best, worst = sorted(tables["strategies"], key=lambda row: -row["over_fair"])
    assert best["p_holm"] < 0.01 > worst["p_holm"]
    assert "above" in line_of(text, best["strategy"], "±")
    assert "below" in line_of(text, worst["strategy"], "±")


def test_nobody_is_said_to_be_above_or_below_by_chance(capsys):
    """A policy against itself with another name: the difference is there, and is not sure."""
    near = ("run", "--policies", "builder,builder:thrift=0.5", "--games", "300", "--seed", "6")
    text, tables = shown(capsys, *near)
    assert all(0.05 < row["p_holm"] < 0.5 for row in tables["strategies"])
    assert "above" not in text and "below" not in text


def test_a_lopsided_interval_is_shown_by_its_ends(capsys):
    text, tables = shown(capsys, "solo", "--policies", "first", "--levels", "5", "--games", "50")
    (row,) = tables["levels"]
    assert row["success"] == 0
    is_half = check_spread(line_of(text, "first"), row, "success", 100)
    assert not is_half


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [("weighted", "first", "Yes"), ("first", "weighted", "No"), ("first", "first", "Not decided")],
)
def test_the_verdict_of_a_comparison_is_in_plain_words(a, b, answer, capsys):
    asked = ("compare", a, b, "--players", "2", "--field", "first")
    text, tables = shown(capsys, *asked, "--games", "800")
    (row,) = tables["comparison"]
    assert row["decision"] == {"Yes": "better", "No": "not better"}.get(answer, "undecided")
    assert f"? {answer}" in text
    check_spread(line_of(text, "difference, paired"), row, "difference", 100)
    check_spread(line_of(text, "difference, unpaired"), row, "unpaired", 100)


def test_a_range_of_player_counts_has_both_its_ends():
    assert parse_players("players", "2-4") == [2, 3, 4]
    assert parse_players("players", "2,5-6") == [2, 5, 6]


def test_a_share_is_a_percentage_or_a_fraction():
    assert parse_share("precision", "0.2%") == pytest.approx(0.002)
    assert parse_share("precision", "0.002") == pytest.approx(0.002)


def test_the_command_that_a_run_keeps_leaves_out_what_does_not_change_its_results(monkeypatch):
    words = "paxsim run --jobs=2 --policies builder --out somewhere --json --seed 3 --jobs 1"
    monkeypatch.setattr("sys.argv", words.split())
    assert command_line() == "paxsim run --policies builder --seed 3"


def test_a_run_to_a_precision_may_take_more_games_than_usual(capsys):
    """A precision that no run reaches is refused with the number of games that it might take."""
    asked = ("run", "--policies", "builder,first", "--precision", "0.01%", "--jobs", "1")
    assert run_command(list(asked)) == 2
    assert "allowed: 20,000,000 (see --games)" in capsys.readouterr().err


def test_the_tables_of_a_result_in_python_are_those_of_the_command(capsys):
    _, tables = shown(capsys, *RUN)
    result = paxsim.simulate("tribune,first,tribune", games=300, seed=4, jobs=1)
    for name, records in tables.items():
        assert len(records) == len(result[name])
        assert [row["games"] for row in records] == result[name]["games"].tolist()


def test_what_stands_below_a_tournament_are_sentences_apart(capsys):
    asked = ("--policies", "builder,first", "--players", "2", "--games", "40")
    text, _ = shown(capsys, "tournament", *asked)
    said = " ".join(text.split())
    assert "Rome wins: in this strategy's games; ratings miss a win rate by up to" in said
