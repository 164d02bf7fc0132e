"""Double oracle: best responses join the set of strategies until none gains."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import paxsim
from paxsim.gametheory import metagame
from paxsim.policies.registry import get_policy
from paxsim.tuning.oracle import double_oracle

# --- widening -------------------------------------------------------------------------------


def grid_oracle(calls, values=(2.0, 3.0)):
    """Return an oracle that picks the best of a few margins against the opponents."""

    def oracle(policy, *, opponents, players, coalition, seed, deck, rules, jobs, **how):
        calls.append((dict(opponents), coalition, how["goal"]))
        name = max(opponents, key=opponents.get)
        candidates = [get_policy(f"{policy}:margin={value}") for value in values]
        seats = [[c] * coalition + [name] * (players - coalition) for c in candidates]
        played = [paxsim.simulate(s, games=80, seed=seed, deck=deck, jobs=1) for s in seats]
        rates = [
            found["strategies"].set_index("strategy").at[c.label, "win_rate"]
            for found, c in zip(played, candidates, strict=True)
        ]
        return SimpleNamespace(best=candidates[int(np.argmax(rates))])

    return oracle


def test_a_set_is_widened_by_what_gains_and_only_new_line_ups_are_played(tmp_path, monkeypatch):
    monkeypatch.setattr(metagame, "MOST_DRAWS", metagame.FEWEST_DRAWS)  # ways go round for long
    calls = []
    asked = dict(players=2, games=3 * 2 * 60, tuned="weighted", seats=[1], rounds=3, jobs=1,
                 oracle=grid_oracle(calls), out=tmp_path / "out")  # fmt: skip
    found = double_oracle(["first", "random"], **asked)
    assert found.ended.startswith("It ended because no answer of 1 seat gained more than 1 % of")
    joined = found.steps[found.steps["joined"]]
    assert len(joined) >= 1 and (joined["gain"] > 0.01).all() and (joined["gain_low"] > 0).all()
    assert not found.steps["joined"].iloc[-1]
    labels = [policy.label for policy in found.strategies]
    assert labels[:2] == ["first", "random"] and len(labels) == 2 + len(joined)
    assert {match.blocks for match in found.result.matches} == {60}
    lineups = [match.labels for match in found.result.matches]
    assert len(lineups) == len({*lineups}) == len(labels) * (len(labels) + 1) // 2
    first_step = paxsim.load_result(tmp_path / "out" / "with-0-1")
    assert all(labels[2] in match.labels for match in first_step.matches)
    assert set(first_step.tables) >= {"payoffs"} and "states" not in first_step.tables
    # The widened game is the one that would have been played at once.
    whole = paxsim.metagame(found.strategies, 2, games=len(lineups) * 2 * 60, jobs=1)
    pd.testing.assert_frame_equal(
        found.result["states"].drop(columns="rules"), whole["states"].drop(columns="rules")
    )
    assert calls[0][1:] == (1, "wins") and sum(calls[0][0].values()) == pytest.approx(1)


def test_widening_says_when_its_rounds_are_over():
    asked = dict(players=3, games=4 * 3 * 40, tuned="weighted", seats=[2], rounds=1, jobs=1)
    found = double_oracle(["first", "miser"], oracle=grid_oracle([], (2.0,)), **asked)
    assert found.steps["joined"].tolist() == [True] and found.steps["seats"].tolist() == [2]
    assert found.ended.startswith("It ended after 1 of at most 1 rounds")
