"""Ablation: the same deals with and without something, and differences within blocks."""

import json

import pandas as pd
import pytest
from support import oracle_tables as oracle
from support.commands import mistake
from support.oracle_tables import Match

import paxsim
from paxsim.cli import run_command
from paxsim.experiment import load_result

LINEUP = ["weighted", "builder", "tribune"]


def restricted(without, policy):
    return f"restricted:without={without}:policy={policy}"


def by_block(match, positions):
    """Win rate of a seat of these positions, block by block, from raw games."""
    mine = match.seats[match.seats.position.isin(positions)]
    return mine.groupby("block").share.mean().to_numpy()


def test_changes_are_differences_within_blocks_of_the_same_deals():
    result = paxsim.ablate(LINEUP, "peek,intrigue+land", games=240, seed=8, jobs=1)
    table = result["restrictions"]
    rows = [(words, place) for words in ("peek", "land+intrigue") for place in range(3)]
    assert table["strategy"].tolist() == LINEUP * 2 and set(table["seats"]) == {"1"}
    for row, (words, place) in zip(table.to_dict("records"), rows, strict=True):
        bound = [*LINEUP]
        bound[place] = restricted(words, LINEUP[place])
        base, variant = Match(LINEUP, 80, 8), Match(bound, 80, 8)
        change = by_block(variant, [place]) - by_block(base, [place])
        expected = oracle.spread("win_change", oracle.difference_interval(change))
        rome = [m.games.groupby("block").rome.mean().to_numpy() for m in (base, variant)]
        expected |= oracle.spread("rome_change", oracle.difference_interval(rome[1] - rome[0]))
        expected |= oracle.spread("rome_wins", oracle.rate_interval(pd.Series(rome[1])))
        free = oracle.rate_interval(pd.Series(by_block(base, [place])))
        expected |= oracle.spread("base_win_rate", free)
        for column, value in expected.items():
            assert row[column] == pytest.approx(value, abs=1e-9), column
        assert (row["games"], row["blocks"]) == (480, 80)
        example = row["example_game"]  # one of the restricted seat's games, which come second
        assert example % 480 >= 240 if row["win_rate"] > 0 else pd.isna(example)
    assert (table["p_holm"] < 0.05).any() and (table["p_holm"] > 0.05).any()


def test_all_seats_together_have_a_row_for_each_strategy():
    lineup = ["builder", "random", "builder"]
    result = paxsim.ablate(lineup, "buy", games=120, seed=3, seats="all", jobs=1)
    table = result["restrictions"]
    assert table["strategy"].tolist() == ["builder", "random"] and table["position"].isna().all()
    base = Match(lineup, 40, 3)
    variant = Match([restricted("buy", policy) for policy in lineup], 40, 3)
    for row, places in zip(table.to_dict("records"), ([0, 2], [1]), strict=True):
        change = by_block(variant, places) - by_block(base, places)
        # Blocks are counted in which a seat differs, not those in which the mean of two does.
        each = [by_block(variant, [place]) - by_block(base, [place]) for place in places]
        found = oracle.difference_interval(change, count=max(map(oracle.differing, each)))
        for column, value in oracle.spread("win_change", found).items():
            assert row[column] == pytest.approx(value, abs=1e-9), column


def test_a_power_is_taken_from_all_by_the_rules():
    result = paxsim.ablate("augur", "double-draw+peek,discount", 2, 80, seats="all", jobs=1)
    rules = [bundle[1].facts.rules for bundle in result.bundles]
    assert rules[0] == {"religion_two": 10_000, "religion_three": 10_000}
    assert rules[1] == {"discount_step": 10_000}
    labels = [bundle[1].labels for bundle in result.bundles]
    assert labels == [(restricted("peek", "augur"),) * 2, ("augur", "augur")]


def test_something_that_never_happens_changes_nothing():
    """With 4 players nobody can react."""
    table = paxsim.ablate("weighted", "react", 4, 200, jobs=1)["restrictions"]
    assert len(table) == 1, "four equal positions are restricted once"
    assert table["win_change"].tolist() == table["rome_change"].tolist() == [0.0]


@pytest.mark.parametrize(
    "lineup, positions",
    [
        ("random", [1]),
        ("random,first,random,first", [1, 2]),
        ("random,random,first,first", [1, 2, 3, 4]),
        ("random,first,first,first", [1, 2, 3, 4]),
    ],
)
def test_equivalent_positions_are_restricted_once(lineup, positions):
    table = paxsim.ablate(lineup, "peek", 4, 8, jobs=1)["restrictions"]
    assert table["position"].tolist() == positions


def test_words_for_several_things_are_replaced():
    asked = paxsim.ablate("first", "categories,peek,actions", 2, 4, jobs=1)["restrictions"]
    words = [*paxsim.CATEGORIES, "peek", "buy", "react", "second"]
    assert asked["without"].tolist() == words, "each once"
    cards = paxsim.ablate("first", ["cards"], 2, 4, jobs=1, positions=[2])["restrictions"]
    assert cards["without"].tolist() == [str(card) for card in paxsim.load_deck("assumed").counts]
    assert set(cards["position"]) == {2}
    powers = paxsim.ablate("first", "powers", 2, 4, jobs=1, seats="all")["restrictions"]
    assert powers["without"].tolist() == ["double-draw", "discount", "bonus", "senator-income"]


def test_solo_has_a_seat_to_restrict_too():
    table = paxsim.ablate("hermit", "land", solo_level=2, games=100, jobs=1)["restrictions"]
    (row,) = table.to_dict("records")
    assert row["win_change"] < -0.2 and row["rome_change"] == pytest.approx(-row["win_change"])


def test_a_stored_run_is_shown_as_it_was_printed(tmp_path, capsys):
    command = ["ablate", "--without", "intrigue,peek", "--policies", "weighted,builder"]
    assert run_command([*command, "--games", "200", "--jobs", "1", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert run_command(["show", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    table = printed.partition("1,600 games")[0]
    assert "intrigue" in table and shown.startswith(table)
    asked = paxsim.ablate("weighted,builder", "intrigue,peek", games=200, jobs=1)
    assert load_result(tmp_path)["restrictions"].equals(asked["restrictions"])
    assert run_command([*command, "--games", "200", "--json", "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["restrictions"][0]["without"] == "intrigue"


MISTAKES = [
    (["--without", "intrige"], "'intrige' (did you mean 'intrigue'?)"),
    (["--without", ""], "without must be"),
    (["--without", "peek,"], "without must be"),
    (["--without", "peek++buy"], "got 'peek++buy'"),
    (["--without", "land/9/9"], "deck assumed: unknown card 'land/9/9'"),
    (["--without", "double-draw"], "a single seat can't decline double-draw"),
    (["--without", "categories+peek"], "without: unknown category, action or card 'categories'"),
    (["--without", "peek", "--seats", "2"], "seats must be 1 (one at a time) or all, got '2'"),
    (["--without", "peek", "--seats", "all", "--positions", "1"], "seats must be 1"),
    (["--without", "peek", "--positions", "3"], "positions must be between 1 and 2, got 3"),
    (["--without", "peek", "--policies", "nobody"], "unknown policy 'nobody'"),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES)
def test_a_mistake_is_refused_in_one_line(options, message, capsys):
    assert message in mistake(capsys, "ablate", "--players", "2", "--games", "8", *options)
