"""The meta-game as a question: what is played, what the tables say, and how a set is widened."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import paxsim
from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment import populations as question
from paxsim.experiment.metatables import summary, where_players_end

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


def test_a_pure_state_says_what_its_line_up_says(result):
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


def test_a_coalition_says_what_the_line_up_says_that_it_makes(result):
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


def test_regret_is_what_the_best_answer_gains(result):
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


def test_of_too_many_line_ups_some_are_played_and_the_others_estimated_and_it_is_said(monkeypatch):
    monkeypatch.setattr(question, "MOST_PLAYED", 18)
    found = paxsim.metagame([*NAMES, "racer"], 3, games=18 * 3 * 10, jobs=1)
    payoffs = found["payoffs"]
    assert len(found.matches) == 18 and payoffs["lineup"].nunique() == 20
    guessed = payoffs[~payoffs["played"]]
    assert guessed["lineup"].nunique() == 2 and guessed["win_rate"].notna().all()
    assert guessed["win_rate_low"].isna().all() and (guessed["games"] == 0).all()
    said = summary(found["states"], found["coalitions"])[-1]
    assert said == (
        "Of 20 line-ups 18 were played; the others are estimated from these, too few were played "
        "to tell how well."
    )
    known = found["states"].assign(estimated_error=0.0123)
    assert "to 1.2 percentage points (root mean" in summary(known, found["coalitions"])[-1]


# --- mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--policies random", "policies: found random; allowed: two or more, all different"),
        ("--policies random,random", "all different"),
        ("--policies rnadom,first", "did you mean 'random'"),
        ("--policies random,first --players 1", "players must be between 2 and"),
        ("--policies random,first --players 9", "players: found 9"),
        ("--policies random,first --games 5", "games: found 5 for 5 line-ups of 4 players"),
        ("--policies random,first --games few", "games must be"),
        (
            "--players 8 --policies random,first,miser,racer,builder,tribune,feeder,admiral",
            "policies: found 8, which make 6,435 line-ups of 8 players; allowed: at most 3,500",
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


def states_table(*rows):
    """Made-up states: name, kind, basin, Rome's rate."""
    about = {"players": 4, "stable": True, "stable_draws": 1.0, "draws": 200, "starts": 512,
             "lineups": 5, "lineups_played": 5}  # fmt: skip
    return pd.DataFrame(
        [
            {"state": name, "kind": kind, "basin": basin, "rome_wins": rome,
             "rome_wins_low": rome - 0.01, "rome_wins_high": rome + 0.01, "regret": 0.0,
             "regret_low": 0.0, "regret_high": 0.0, **about}
            for name, kind, basin, rome in rows
        ]
    )  # fmt: skip


def test_the_first_line_says_where_players_end_and_how_rome_fares():
    one = states_table(("a", "pure", 1.0, 0.98), ("b", "pure", 0.0, 0.1))
    expected = "Starting anywhere, players end with a at all seats; there Rome wins 98.0 ± 1.0 %."
    assert where_players_end(one) == expected
    two = states_table(("a", "pure", 0.25, 0.9), ("60 % a + 40 % b", "mixed", 0.65, 0.5))
    assert where_players_end(two) == (
        "It depends on where they start: players end in the mixture 60 % a + 40 % b (65 % of "
        "starts; Rome wins 50.0 ± 1.0 %); or end with a at all seats (25 % of starts; Rome wins "
        "90.0 ± 1.0 %). From 10 % of starts they had not settled."
    )
    cycle = states_table(("cycle a → b → c → a", "cycle", 1.0, 0.3))
    assert "players go round in a cycle a → b → c → a; there Rome" in where_players_end(cycle)


def coalition(**changed):
    """A made-up coalition: three play b and leave a."""
    rates = {"before": 0.25, "after": 0.27, "gain": 0.02, "others_after": 0.22,
             "rome_before": 0.98, "rome_after": 0.3, "temptation": 0.05}  # fmt: skip
    row = {"state": "a", "players": 4, "seats": 3, "strategy": "b", **rates}
    row |= {f"{name}_low": value - 0.01 for name, value in rates.items()}
    row |= {f"{name}_high": value + 0.01 for name, value in rates.items()}
    return {**row, **changed}


def test_a_coalition_is_told_with_what_it_costs_and_does_to_rome():
    states = states_table(("a", "pure", 1.0, 0.98))
    said = summary(states, pd.DataFrame([coalition()]))[1]
    assert said == (
        "Nobody gains by leaving alone once all play a (so in 100 % of 200 redraws of the blocks). "
        "Three who play b together gain: they win 27.0 % of the games each instead of 25.0 % (+2.0 "
        "± 1.0 percentage points), the others 22.0 %; Rome then wins 30.0 ± 1.0 % instead of "
        "98.0 %; but one of them gains another +5.0 ± 1.0 percentage points by breaking it."
    )
    safe = pd.DataFrame([coalition(gain_low=-0.01)])
    assert summary(states, safe)[1].endswith(
        "No two to four seats surely gain by leaving together."
    )


def test_the_command_prints_the_answer_first_then_the_tables(capsys, tmp_path):
    words = ["metagame", "--policies", "random,first", "--players", "2", "--games", "120"]
    assert run_command([*words, "--jobs", "1", "--csv", str(tmp_path / "csv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "players" in lines[0] and "Rome wins" in lines[0]
    text = "\n".join(lines)
    assert "nan" not in text and "4 of 4 rows; all with --csv" in text
    assert {"states.csv", "coalitions.csv", "payoffs.csv"} <= {
        path.name for path in (tmp_path / "csv").iterdir()
    }
    assert run_command([*words, "--jobs", "1", "--json"]) == 0
    assert {"states", "coalitions", "payoffs"} <= {*json.loads(capsys.readouterr().out)["tables"]}
