"""Parameter types: numbers of games, lists of numbers, shares and paths."""

import pytest

from paxsim.cli.options import parse_games, parse_numbers, parse_share
from paxsim.errors import PaxsimError


@pytest.mark.parametrize(
    ("text", "games"),
    [("1M", 10**6), ("1m", 10**6), ("1k", 1000), ("1.5k", 1500), ("2G", 2 * 10**9),
     ("1_000_000", 10**6), ("1,000", 1000), ("1e6", 10**6), (" 12 ", 12), ("0.5k", 500)],
)  # fmt: skip
def test_games(text, games):
    assert parse_games("games", text) == games


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("4", [4]), ("2-5", [2, 3, 4, 5]), ("2,4, 6-7", [2, 4, 6, 7]), ("10-11", [10, 11])],
)
def test_numbers(text, numbers):
    assert parse_numbers("players", text) == numbers


@pytest.mark.parametrize(("text", "share"), [("0.2%", 0.002), ("0.002", 0.002), ("1%", 0.01)])
def test_shares(text, share):
    assert parse_share("delta", text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("parse", "texts"),
    [
        (parse_games, ["", "k", "x", "0", "-1k", "1.0005k", "0.5", "inf", "nan", "1kk", "1e99999",
                       "1 M M", "1e15"]),
        (parse_numbers, ["", "x", "2-", "-2", "5-2", "2,2", "2-4,3", "1.5", "2;3"]),
        (parse_share, ["", "%", "much", "1%%", "1/2"]),
    ],
)  # fmt: skip
def test_other_text_is_refused_with_the_name_of_the_option(parse, texts):
    for text in texts:
        with pytest.raises(PaxsimError, match=r"^option\b.*\S") as error:
            parse("option", text)
        assert repr(text) in str(error.value) and "\n" not in str(error.value)
