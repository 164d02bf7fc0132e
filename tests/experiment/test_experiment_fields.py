"""Fields of many line-ups: pooled sums against the raw games, and rules over a range of values."""

import json
import shutil

import numpy as np
import pytest
from paxsim.experiment.fieldgroups import equal_groups, merge_groups, seeds_of
from scipy import stats

import paxsim
from paxsim.cli import run_command
from paxsim.experiment import load_result, simulate_field, tournament, vary_rules
from paxsim.experiment.estimates import rome_pool
from paxsim.lineup import draw_lineups
from paxsim.policies import get_policy
from paxsim.report.subject import make_subject

LINEUPS = (["racer", "miser", "first"], ["miser", "random", "racer"])
DEALS, SEED = 30, 4


def rates(rules=None):
    """Rome's wins, the first seat's share over fair and rounds: means over all games of a deal."""
    found = []
    for lineup in LINEUPS:
        batch = paxsim.play_batch(lineup, deals=DEALS, rotations="all", seed=SEED, rules=rules)
        seat = batch.shares[:, 0] - batch.shares.mean(axis=1)
        by_game = np.column_stack([batch.rome_wins, seat, batch.results["rounds"]])
        found.append(by_game.reshape(DEALS, -1, 3).mean(axis=1))
    return np.mean(found, axis=0)


def test_a_deal_is_one_block_whatever_the_number_of_line_ups():
    result = simulate_field(LINEUPS, 3, games=DEALS * 6, seed=SEED)
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
    assert "4 (in force)" in out and "shared (in force)" in out and "starting_money=8" in out
    text = (tmp_path / "tables" / "rule_values.csv").read_text("utf-8")
    assert text.count("\n") == 1 + 3 + 2


AMONG = "compare-rules rome_needs=3 --players 3 --games 60 --seed 4 --strategies racer,miser,first"


def test_rules_are_varied_over_all_line_ups_of_a_tournament_and_these_are_named(tmp_path, capsys):
    """In groups with a seed each: against the raw games of every line-up."""
    strategies = ["racer", "miser", "first", "random"]
    assert run_command([*f"{AMONG},random --json".split()]) == 0
    told = json.loads(capsys.readouterr().out)
    found = [get_policy(name) for name in strategies]
    lineups = [[one.label for one in lineup] for lineup in draw_lineups(found, 3)]
    assert told["manifest"]["lineups"] == lineups and len(lineups) == 4
    seeds = told["manifest"]["seeds"]
    assert seeds == [4, 5] and len(lineups) % len(seeds) == 0
    wins = []
    for number, lineup in enumerate(lineups):
        seed = seeds[number * len(seeds) // len(lineups)]
        batch = paxsim.play_batch(lineup, deals=5, rotations="all", seed=seed,
                                  rules="rome_needs=3")  # fmt: skip
        wins.append(batch.rome_wins.mean())
    row = next(row for row in told["tables"]["rule_values"] if row["value"] == 3)
    assert row["rome_wins"] == pytest.approx(np.mean(wins), abs=1e-9) and row["games"] == 60


def test_who_plays_is_said_and_a_run_in_groups_is_kept(tmp_path, capsys):
    assert run_command(["compare-rules", *WIDE.split(), "--out", str(tmp_path / "run")]) == 0
    first = capsys.readouterr().out
    assert "Who plays: 6 line-ups of 4 strategies, first, miser, racer, random" in first
    assert "seeds 0 to 1, deck assumed" in first
    assert run_command(["show", str(tmp_path / "run")]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[:8] == first.splitlines()[:8]
    shutil.rmtree(tmp_path / "run" / "group-2-of-2")
    assert run_command(["show", str(tmp_path / "run")]) == 2
    assert "has 1 of 2 groups of line-ups" in capsys.readouterr().err
    assert run_command(["compare-rules", *WIDE.split(), "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.splitlines()[:8] == first.splitlines()[:8]
    more = [*WIDE.replace("--players 2", "--players 3").split(), "--out", str(tmp_path)]
    assert run_command(["compare-rules", *more]) == 2
    assert "holds other files (run)" in capsys.readouterr().err


WIDE = "rome_needs=3 --players 2 --games 48 --strategies racer,miser,first,random"


def test_the_usual_population_is_that_of_the_report(capsys):
    words = ["compare-rules", "rome_needs=3", "--players", "7", "--games", "1", "--json"]
    assert run_command(words) == 0
    lineups = json.loads(capsys.readouterr().out)["manifest"]["lineups"]
    subject = make_subject()
    drawn = draw_lineups([subject.policies[spec] for spec in subject.strategies], 7)
    assert lineups == [[one.label for one in lineup] for lineup in drawn]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rome_needs=5 --policies racer --strategies racer,miser", "strategies: given beside"),
        ("rome_needs=5 --strategies racer", "two or more"),
        ("rome_needs", "rules: found 'rome_needs'; allowed: RULE=A..B"),
        ("rome_needs=7..4", "allowed: the smaller number first"),
        ("rome_needs=4..x", "allowed: whole numbers at both ends"),
        ("rome_needs=1..99", "at most 20 values"),
        ("rome_needs=4,99", "rome_needs must be between 0 and 8, got 99"),
        ("rome_needs=4", "one value or more besides 4"),
        ("rome_needs=5 rome_needs=6", "rome_needs: given twice"),
        ("luck=1..3", "unknown field 'luck'"),
        ("draft_sizes=2,3", "draft_sizes"),
        ("rome_needs=4..6 --players 1", "players must be between 2 and 8, got 1"),
        ("rome_needs=4..6 --policies racer,miser", "policies: 4 players need"),
    ],
)
def test_a_bad_range_is_one_line(words, said, capsys):
    assert run_command(["compare-rules", *words.split(), "--games", "10"]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_a_policy_is_checked_with_the_deck_rules_and_player_counts_asked_for(capsys):
    words = "check first --deals 2 --deck cheap --rules rome_needs=5 --players 1,3"
    assert run_command(words.split()) == 0
    out = capsys.readouterr().out
    assert "solo level 5: 2 games, fine" in out and "3 players: 6 games, fine" in out
    assert "2 players" not in out
    assert run_command(["check", "first", "--rules", "rome_needs=99"]) == 2


def test_groups_of_a_field_on_deals_of_their_own_add_up():
    """Against the raw games: the block means of both groups, one below the other."""
    groups = equal_groups([*LINEUPS, *reversed(LINEUPS)], 2)
    assert [len(group) for group in groups] == [2, 2]
    parts = [simulate_field(group, 3, games=DEALS * 6, seed=SEED + k)
             for k, group in enumerate(groups)]  # fmt: skip
    result = merge_groups(parts)
    rates = [part["rome"].iloc[0]["rome_wins"] for part in parts]
    row = result["rome"].iloc[0]
    assert row["rome_wins"] == pytest.approx(np.mean(rates))
    assert row["blocks"] == 2 * DEALS and row["games"] == 12 * DEALS
    assert seeds_of(result) == [SEED, SEED + 1] and len(result["lineups"]) == 4
    total = sum(match.moments.total for part in parts for match in part.matches)
    assert (result.matches[0].moments.total == total).all()
    changed = [vary_rules({"rome_needs": [3]}, group, 3, DEALS * 6, SEED + k)
               for k, group in enumerate(groups)]  # fmt: skip
    both = merge_groups(changed)["rule_values"]
    means = [part["rule_values"]["rome_change"].iloc[0] for part in changed]
    assert both["rome_change"].iloc[0] == pytest.approx(np.mean(means))
    assert merge_groups(parts[:1]) is parts[0]


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
