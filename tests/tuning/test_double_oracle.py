"""Double oracle: best responses join the set of strategies until none gains."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import paxsim
from paxsim.gametheory import metagame
from paxsim.policies.registry import get_policy
from paxsim.tuning.oracle import double_oracle


def grid_oracle(calls, values=(2.0, 3.0)):
    """Return an oracle that picks the best of a few margins against the opponents."""

    def oracle(policy, *, opponents, players, coalition, seed, deck, rules, jobs, **options):
        calls.append((dict(opponents), coalition, options["goal"]))
        name = max(opponents, key=opponents.get)
        candidates = [get_policy(f"{policy}:margin={value}") for value in values]
        seats = [[c] * coalition + [name] * (players - coalition) for c in candidates]
        played = [paxsim.simulate(s, games=80, seed=seed, deck=deck, jobs=1) for s in seats]
        rates = [
            result["strategies"].set_index("strategy").at[c.label, "win_rate"]
            for result, c in zip(played, candidates, strict=True)
        ]
        return SimpleNamespace(best_response=candidates[int(np.argmax(rates))])

    return oracle


def test_best_responses_join_and_only_new_line_ups_are_played(tmp_path, monkeypatch):
    monkeypatch.setattr(metagame, "MOST_DRAWS", metagame.FEWEST_DRAWS)  # cycles take long
    calls = []
    arguments = dict(players=2, games=3 * 2 * 60, tuned="weighted", seats=[1], rounds=3, jobs=1,
                     oracle=grid_oracle(calls), out=tmp_path / "out")  # fmt: skip
    outcome = double_oracle(["first", "random"], **arguments)
    assert "no best response gained more than 1%" in outcome.ended
    joined = outcome.steps[outcome.steps["joined"]]
    assert len(joined) >= 1 and (joined["gain"] > 0.01).all() and (joined["gain_low"] > 0).all()
    assert not outcome.steps["joined"].iloc[-1]
    labels = [policy.label for policy in outcome.strategies]
    assert labels[:2] == ["first", "random"] and len(labels) == 2 + len(joined)
    assert {match.blocks for match in outcome.result.matches} == {60}
    assert outcome.result.timing["played_games"] == outcome.result.games
    lineups = [match.labels for match in outcome.result.matches]
    assert len(lineups) == len({*lineups}) == len(labels) * (len(labels) + 1) // 2
    first_step = paxsim.load_result(tmp_path / "out" / "with-0-1")
    assert all(labels[2] in match.labels for match in first_step.matches)
    assert set(first_step.tables) >= {"payoffs"} and "states" not in first_step.tables
    # The same as playing the final set from the start.
    whole = paxsim.metagame(outcome.strategies, 2, games=len(lineups) * 2 * 60, jobs=1)
    pd.testing.assert_frame_equal(
        outcome.result["states"].drop(columns="rules"), whole["states"].drop(columns="rules")
    )
    assert calls[0][1:] == (1, "wins") and sum(calls[0][0].values()) == pytest.approx(1)


def test_the_number_of_rounds_is_limited():
    arguments = dict(players=3, games=4 * 3 * 40, tuned="weighted", seats=[2], rounds=1, jobs=1)
    outcome = double_oracle(["first", "miser"], oracle=grid_oracle([], (2.0,)), **arguments)
    assert outcome.steps["joined"].tolist() == [True] and outcome.steps["seats"].tolist() == [2]
    assert outcome.ended.startswith("Ended after round 1, the last allowed")


@pytest.mark.parametrize(("players", "seats"), [(2, [1]), (3, [1, 2])])
def test_by_default_one_seat_stays_out_of_the_largest_coalition(players, seats):
    calls = []
    double_oracle(["first", "random"], players, 4 * players * 40, tuned="weighted", rounds=1,
                  margin=0.99, jobs=1, oracle=grid_oracle(calls, (2.0,)))  # fmt: skip
    assert [coalition for _, coalition, _ in calls] == seats
