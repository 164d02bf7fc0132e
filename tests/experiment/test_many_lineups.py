"""Many line-ups as one: pooled sums against the raw games, and rules over a range of values."""

import numpy as np
import pytest
from scipy import stats
from support.commands import mistake

import paxsim
from paxsim.cli import run_command
from paxsim.experiment import (
    load_result,
    simulate_lineups,
    tournament,
    vary_rules,
)
from paxsim.experiment.estimates import rome_pool
from paxsim.experiment.result import seeds_of
from paxsim.experiment.simulation import equal_groups
from paxsim.experiment.store import plan_of
from paxsim.lineup import draw_lineups
from paxsim.policies import get_policy

LINEUPS = (["racer", "miser", "first"], ["miser", "random", "racer"])
DEALS, SEED = 30, 4


def rates(rules=None):
    """Return Rome's wins, the first seat's share over fair and rounds, by deal."""
    means = []
    for lineup in LINEUPS:
        batch = paxsim.play_batch(lineup, deals=DEALS, rotations="all", seed=SEED, rules=rules)
        seat = batch.shares[:, 0] - batch.shares.mean(axis=1)
        by_game = np.column_stack([batch.rome_wins, seat, batch.results["rounds"]])
        means.append(by_game.reshape(DEALS, -1, 3).mean(axis=1))
    return np.mean(means, axis=0)


def test_a_deal_is_one_block_for_any_number_of_line_ups():
    result = simulate_lineups(LINEUPS, 3, games=DEALS * 6, seed=SEED)
    row = result["rome"].iloc[0]
    assert (row["blocks"], row["games"]) == (DEALS, DEALS * 6)
    assert row["rome_wins"] == pytest.approx(rates()[:, 0].mean(), abs=1e-12)
    rounds = result["games"].iloc[0]
    ends = stats.t.interval(0.95, DEALS - 1, rates()[:, 2].mean(), stats.sem(rates()[:, 2]))
    assert (rounds["rounds_low"], rounds["rounds_high"]) == pytest.approx(ends, abs=1e-9)
    assert result["lineups"]["rome_wins"].mean() == pytest.approx(row["rome_wins"], abs=1e-12)


def test_values_of_a_rule_are_compared_within_deals():
    result = vary_rules({"starting_money": [9, 5, 1]}, LINEUPS, 3, DEALS * 6, SEED)
    table = result["rule_values"].set_index("value")
    assert table.index.tolist() == [1, 5, 9] and table["in_force"].tolist() == [False, True, False]
    base, rich = rates(), rates({"starting_money": 9})
    found = table.loc[9]
    assert found["rome_wins"] == pytest.approx(rich[:, 0].mean(), abs=1e-12)
    assert found["seat1_over_fair"] == pytest.approx(rich[:, 1].mean(), abs=1e-12)
    for name, column in (("rome", 0), ("seat1", 1), ("rounds", 2)):
        assert found[f"{name}_change"] == pytest.approx((rich - base)[:, column].mean(), abs=1e-12)
    assert np.isnan(table.at[5, "rome_change"])
    # Games are numbered rule set after rule set, the one in force first.
    assert (table.loc[[5, 9, 1], "example_game"] // (DEALS * 6)).tolist() == [0, 1, 2]


def test_a_stored_run_shows_the_same_table(tmp_path):
    result = vary_rules({"rome_needs": [3]}, LINEUPS, 3, 60, SEED, out=tmp_path / "run")
    again = load_result(tmp_path / "run")
    assert again["rule_values"].equals(result["rule_values"])


def test_the_command_takes_ranges_and_lists_and_keeps_other_rules(tmp_path, capsys):
    words = "compare-rules rome_needs=4..6 tie=money --players 3 --policies racer,miser,first"
    words += f" --games 30 --rules starting_money=8 --csv {tmp_path / 'tables'}"
    assert run_command(words.split()) == 0
    out = capsys.readouterr().out
    assert "rome_needs" in out and "starting_money=8" in out
    text = (tmp_path / "tables" / "rule_values.csv").read_text("utf-8")
    assert text.count("\n") == 1 + 3 + 2


STRATEGIES = ["racer", "miser", "first", "random"]


def test_rules_are_varied_over_all_line_ups_of_a_tournament(tmp_path):
    """In groups with deals of their own, compared with the raw games of every line-up."""
    stored = {"out": tmp_path / "run", "jobs": 1}
    lineups = draw_lineups([get_policy(name) for name in STRATEGIES], 3)
    result = vary_rules({"rome_needs": [3]}, lineups, 3, 60, SEED, **stored)
    assert len(lineups) == 4 and seeds_of(result) == [SEED, SEED + 1]
    wins = [
        paxsim.play_batch(lineup, deals=5, rotations="all", seed=SEED + number // 2,
                          rules="rome_needs=3").rome_wins.mean()
        for number, lineup in enumerate(lineups)
    ]  # fmt: skip
    row = result["rule_values"].set_index("value").loc[3]
    assert row["rome_wins"] == pytest.approx(np.mean(wins), abs=1e-9) and row["games"] == 60
    assert load_result(tmp_path / "run")["rule_values"].equals(result["rule_values"])
    game = plan_of(tmp_path / "run").locate_game(int(row["example_game"]))
    assert game.match.setting.rules.rome_needs == 3 and game.seed in (SEED, SEED + 1)
    played = paxsim.play(game.lineup.policies, seed=game.seed, deal=game.deal,
                         rotation=game.rotation, rules="rome_needs=3")  # fmt: skip
    assert played.rome_wins


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rome_needs=5 --policies racer --strategies racer,miser", "not both"),
        ("rome_needs=5 --strategies racer", "two or more"),
        ("rome_needs", "values must be RULE=A..B"),
        ("rome_needs=4..x", "whole numbers"),
        ("rome_needs=4,99", "rome_needs must be between 0 and 8, got 99"),
        ("rome_needs=4", "rome_needs must have 1 to 23 values besides 4"),
        ("rome_needs=5 rome_needs=6", "rome_needs is given twice"),
        ("luck=1..3", "unknown field 'luck'"),
        ("draft_sizes=2,3", "draft_sizes"),
        ("rome_needs=4..6 --players 1", "players"),
    ],
)
def test_a_bad_range_is_refused_in_one_line(words, message, capsys):
    assert message in mistake(capsys, "compare-rules", *words.split(), "--games", "10")


def test_groups_of_line_ups_on_their_own_deals_add_up(monkeypatch):
    """The block means of both groups, one below the other."""
    monkeypatch.setattr("paxsim.experiment.simulation.GROUP_LINEUPS", 2)
    lineups = [*LINEUPS, *reversed(LINEUPS)]
    result = simulate_lineups(lineups, 3, games=DEALS * 12, seed=SEED)
    parts = [simulate_lineups(lineups[2 * k : 2 * k + 2], 3, games=DEALS * 6, seed=SEED + k)
             for k in range(2)]  # fmt: skip
    row = result["rome"].iloc[0]
    assert row["rome_wins"] == pytest.approx(np.mean([p["rome"].rome_wins[0] for p in parts]))
    assert row["blocks"] == 2 * DEALS and row["games"] == 12 * DEALS
    assert seeds_of(result) == [SEED, SEED + 1] and len(result["lineups"]) == 4
    total = sum(match.moments.total for part in parts for match in part.matches)
    assert (result.matches[0].moments.total == total).all()


@pytest.mark.parametrize(("lineups", "most", "size"), [(120, 15, 15), (7, 15, 7), (13, 8, 1)])
def test_groups_have_one_size(lineups, most, size):
    groups = equal_groups(range(lineups), most)
    assert {len(group) for group in groups} == {size}
    assert [member for group in groups for member in group] == list(range(lineups))


def test_rome_over_the_line_ups_of_a_tournament_is_the_mean_of_all_its_games():
    result = tournament(["racer", "miser", "first"], players=[2], games=180, seed=SEED)
    pool = rome_pool(result.matches)
    table = result["rome"]
    assert pool.rate == pytest.approx(np.average(table["rome_wins"], weights=table["games"]))
    by_deal = np.mean([match.superblock_rome()[:30] / 2 for match in result.matches], axis=0)
    assert pool.interval().se == pytest.approx(stats.sem(by_deal))
