"""Meta-games: what is played, what the tables and the sentences say."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import paxsim
from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment import tournaments

NAMES = ["random", "first", "miser"]


@pytest.fixture(scope="module")
def result():
    return paxsim.metagame(NAMES, 3, games=10 * 3 * 40, seed=5, jobs=1)


# --- what is played -------------------------------------------------------------------------


def test_every_multiset_of_the_strategies_plays_the_same_deals(result):
    lineups = [match.labels for match in result.matches]
    assert len(lineups) == len({*lineups}) == 10
    assert all(list(found) == sorted(found, key=NAMES.index) for found in lineups)
    assert {match.blocks for match in result.matches} == {40} and len(result.bundles) == 10
    same = paxsim.simulate("random,first,first", games=120, seed=5, jobs=1)
    row = result["payoffs"].query("lineup == '1 random + 2 first' and strategy == 'first'").iloc[0]
    expected = same.matches[0].win_rate([1, 2])
    found = tuple(row[name] for name in ("win_rate", "win_rate_low", "win_rate_high"))
    assert found == (expected.estimate, expected.low, expected.high)
    assert row["rome_wins"] == same["rome"].at[0, "rome_wins"]
    assert row["blocks"] == 40 and row["seats"] == 2


def test_a_pure_state_has_the_rates_of_its_line_up(result):
    states = result["states"].set_index("state")
    for name in NAMES:
        # (Where nobody draws random numbers, all rotations are the same game, and one is played.)
        (match,) = [match for match in result.matches if {*match.labels} == {name}]
        games = 40 * match.facts.block_size
        alike = paxsim.simulate(name, 3, games=games, seed=5, jobs=1)["rome"].iloc[0]
        for column in ("rome_wins", "rome_wins_low", "rome_wins_high"):
            assert states.at[name, column] == alike[column]
        assert states.at[name, f"share_{name}"] == 1
    assert states["basin"].sum() <= 1 + 1e-9
    assert {"games", "blocks", "deck", "rules", "strategies", "lineups"} <= {*states.columns}


def test_a_coalition_has_the_rates_of_the_line_up_that_it_makes(result):
    payoffs = result["payoffs"].set_index(["lineup", "strategy"])
    row = result["coalitions"].query("state == 'random' and strategy == 'miser' and seats == 2")
    (row,) = [found for _, found in row.iterrows()]
    there = payoffs.loc[("1 random + 2 miser", "miser")]
    assert row["after"] == pytest.approx(there["win_rate"])
    assert row["others_after"] == payoffs.loc[("1 random + 2 miser", "random"), "win_rate"]
    assert row["rome_after"] == there["rome_wins"]
    before = payoffs.loc[("3 random", "random")]
    assert row["before"] == pytest.approx(before["win_rate"])
    assert row["gain"] == pytest.approx(there["win_rate"] - before["win_rate"])
    assert row["gain_low"] <= row["gain"] <= row["gain_high"]
    # Who leaves the two alone meets a table that was played too.
    options = [("1 random + 1 first + 1 miser", "first"), ("2 random + 1 miser", "random")]
    best = max(payoffs.loc[option, "win_rate"] for option in options)
    assert row["temptation"] == pytest.approx(best - there["win_rate"])


def test_regret_is_the_gain_of_the_best_response(result):
    payoffs = result["payoffs"].set_index(["lineup", "strategy"])["win_rate"]
    states = result["states"].set_index("state")
    best = max(
        payoffs["2 random + 1 first", "first"],
        payoffs["2 random + 1 miser", "miser"],
        payoffs["3 random", "random"],
    )
    expected = best - payoffs["3 random", "random"]
    assert states.at["random", "regret"] == pytest.approx(expected)


def test_a_stored_meta_game_goes_on_and_is_shown_with_the_same_tables(tmp_path, result):
    asked = {"players": 3, "games": 1200, "seed": 5, "jobs": 1, "out": tmp_path / "run"}
    stored = paxsim.metagame(NAMES, **asked)
    for chunk in sorted((tmp_path / "run" / "chunks").iterdir())[::2]:
        chunk.unlink()
    paxsim.metagame(NAMES, **asked)
    shown = paxsim.load_result(tmp_path / "run")
    for name, table in result.tables.items():
        pd.testing.assert_frame_equal(stored[name], table)
        pd.testing.assert_frame_equal(shown[name], table)
    with pytest.raises(PaxsimError, match="holds another run"):
        paxsim.metagame(["random", "first"], **asked)


def test_of_too_many_line_ups_some_are_played_and_the_others_estimated(monkeypatch):
    monkeypatch.setattr(tournaments, "MOST_PLAYED", 18)
    found = paxsim.metagame([*NAMES, "racer"], 3, games=18 * 3 * 10, jobs=1)
    payoffs = found["payoffs"]
    assert len(found.matches) == 18 and payoffs["lineup"].nunique() == 20
    guessed = payoffs[~payoffs["played"]]
    assert guessed["lineup"].nunique() == 2 and guessed["win_rate"].notna().all()
    assert guessed["win_rate_low"].isna().all() and (guessed["games"] == 0).all()
    states = found["states"].iloc[0]
    assert (states["lineups"], states["lineups_played"]) == (20, 18)


# --- mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--policies random", "policies must be two or more, all different, got random"),
        ("--policies random,random", "all different"),
        ("--policies rnadom,first", "did you mean 'random'"),
        ("--policies random,first --players 1", "players must be between 2 and"),
        ("--policies random,first --players 9", "players must be between"),
        (
            "--policies random,first --games 5",
            "games must be at least 40 for 5 line-ups of 4 players",
        ),
        ("--policies random,first --games few", "games must be"),
        (
            "--players 8 --policies random,first,miser,racer,builder,tribune,feeder,admiral",
            "8 policies make 6,435 line-ups of 8 players, more than 3,500",
        ),
    ],
)
def test_a_mistake_is_one_line(arguments, said, capsys, tmp_path, monkeypatch):
    check_mistake("metagame", arguments, said, capsys, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--seats 0-2", "seats must be"),
        ("--seats 4", "seats must be"),
        ("--margin much", "margin must be"),
        ("--margin 100%", "margin"),
        ("--rounds 0", "rounds must be"),
    ],
)
def test_a_mistake_of_double_oracle_is_one_line(arguments, said, capsys, tmp_path, monkeypatch):
    words = f"--policies random,first {arguments}"
    check_mistake("double-oracle", words, said, capsys, tmp_path, monkeypatch)


def check_mistake(command, arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_command([command, *arguments.split(), "--out", "run"]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


# --- sentences ------------------------------------------------------------------------------


def test_the_command_prints_states_and_writes_all_tables(capsys, tmp_path):
    words = ["metagame", "--policies", "random,first", "--players", "2", "--games", "120"]
    assert run_command([*words, "--jobs", "1", "--csv", str(tmp_path / "csv")]) == 0
    text = capsys.readouterr().out
    assert "states" in text and "Rome wins" in text and "nan" not in text
    assert {"states.csv", "coalitions.csv", "payoffs.csv"} <= {
        path.name for path in (tmp_path / "csv").iterdir()
    }
    assert run_command([*words, "--jobs", "1", "--json"]) == 0
    assert {"states", "coalitions", "payoffs"} <= {*json.loads(capsys.readouterr().out)["tables"]}
