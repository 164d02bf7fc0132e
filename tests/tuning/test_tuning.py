"""Tuning finds known optima, is confirmed on held-out deals, and can be resumed."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import mistake

import paxsim
from paxsim.cli import run_command
from paxsim.policies.policy import make_policy
from paxsim.tuning import tune_for_ablation, tuner
from paxsim.tuning.arena import CANDIDATE, GOALS, Arena, make_opponents, parse_opponents
from paxsim.tuning.cmaes import FOR_HELD_OUT, Search, make_space

#: A policy that peeks more often the further x and y are from (3, -1), and so loses more often.
POLICY = """
import paxsim
from paxsim.helpers import PEEK, TURN, random_below

@paxsim.policy(signed=["y"])
def distant(table, me, choice, x=1.0, y=1.0, idle=1.0):
    '''Peek more often than is good.'''
    off = abs(x - 3.0) / 4.0 + abs(y + 1.0) / 4.0
    if choice.kind == TURN and random_below(me, 1000) < 1000.0 * off:
        return PEEK
    return 0
"""
SHORT = dict(generations=3, restarts=2, games=8, jobs=1)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("policies") / "distant.py"
    file.write_text(POLICY)
    return file


def files_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --- results ------------------------------------------------------------------------------------


def test_a_known_optimum_is_found_and_confirmed(file):
    result = paxsim.tune(
        str(file), "random", 2, params="x,y", generations=20, restarts=1, games=300, jobs=1
    )
    params = result.policy.params
    assert abs(params["x"] - 3) < 0.5 and abs(params["y"] + 1) < 0.5 and params["idle"] == 1
    table = result.held_out.set_index("role")
    assert table.at["start", "difference_high"] < -0.05
    assert result.generations["mean"].tail(5).mean() > result.generations["mean"].head(5).mean()


def test_the_tuned_policy_comes_first_also_when_the_catalogue_does_better(file, capsys):
    line = f"tune {file} --params idle --opponents random --players 2 --games 20 --generations 2"
    assert run_command([*line.split(), "--restarts", "1", "--jobs", "1"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert paxsim.get_policy(first).name == "distant"
    result = paxsim.tune(str(file), "random", 2, params=["idle"], **SHORT)
    best = result.best_response.label
    assert result.policy.name == "distant" and best in paxsim.list_policies()
    assert result.held_out["role"].head(3).tolist()[2] == "catalogue"
    assert result.held_out["policy"][2] == best and result.held_out["difference_low"][2] > 0
    assert f"{best} of the catalogue does better" in result.verdict
    text, fields = repr(result), json.loads(result.to_json())
    assert text.splitlines()[0] == result.spec == fields["spec"] == [*fields.values()][0]
    for printed in (text, "\n".join(rest)):
        assert printed.index("tuned parameters") < printed.index("initial p") < printed.index(best)
    assert fields["held_out"][0]["policy"].startswith("distant") and fields["best_response"] == best


def test_initial_parameters_are_kept_if_they_do_better(file, monkeypatch):
    def random_walk(self, restart, start, generations, record):
        return self.space.policy_at(np.array([1.0, 3.0, 1.0]))

    monkeypatch.setattr(Search, "run", random_walk)
    result = paxsim.tune(f"{file}:distant:x=3:y=-1", "random", 2, **SHORT)
    assert result.policy.params == {"x": 3.0, "y": -1.0, "idle": 1.0}
    assert result.held_out.set_index("role").at["start", "difference_low"] > 0


def test_the_score_is_the_win_rate_over_independent_blocks():
    row = paxsim.tune("racer", "random", 2, **SHORT).held_out.set_index("role").loc["start"]
    batch = paxsim.play_batch(
        ["racer", "random"], deals=row["blocks"], rotations="all", first_deal=FOR_HELD_OUT
    )
    shares = batch.shares[batch.positions == 0]
    assert row["score"] == row["win_rate"] == pytest.approx(shares.mean(), abs=1e-12)
    assert row["rome_wins"] == pytest.approx(batch.rome_wins.mean(), abs=1e-12)
    blocks = shares.reshape(-1, 2).mean(axis=1)
    half = 1.96 * blocks.std(ddof=1) / len(blocks) ** 0.5
    assert (row["score_high"] - row["score_low"]) / 2 == pytest.approx(half, rel=0.06)


def test_a_coalition_is_scored_on_all_its_seats():
    result = paxsim.tune("racer", "first", 3, coalition=2, goal="rome-loses", **SHORT)
    for _, row in result.held_out.iterrows():
        assert row["score"] == pytest.approx(1 - row["rome_wins"])
        # Rome alone hardly ever wins.
        assert 0.85 < 2 * row["win_rate"] + row["rival_win_rate"] < 1 + 1e-9


def test_goal_points_counts_wins_while_rome_loses():
    result = paxsim.tune("racer", "builder", 2, goal="points", **SHORT)
    row = result.held_out.set_index("role").loc["start"]
    deals = {"deals": int(row["blocks"]), "first_deal": FOR_HELD_OUT, "rotations": "all"}
    batch = paxsim.play_batch(["racer", "builder"], 2, **deals)
    won = batch.shares[batch.positions == 0]
    assert row["score"] == pytest.approx(won[~batch.rome_wins].sum() / len(batch))
    assert 0 < row["score"] == row["won_on_points"] < row["win_rate"]


def test_goal_solo_averages_the_levels():
    result = paxsim.tune("hermit", goal="solo", levels=[1, 3], params="new,starve", **SHORT)
    row = result.held_out.set_index("role").loc["start"]
    deals = int(row["blocks"])
    success = [
        paxsim.play_batch("hermit", solo_level=level, deals=deals, first_deal=FOR_HELD_OUT)
        for level in (1, 3)
    ]
    assert row["score"] == pytest.approx(np.mean([batch.shares.mean() for batch in success]))
    assert not set(result.held_out["policy"]) & {"conspirator", "feeder"}


def test_the_result_does_not_depend_on_threads():
    one, two = (
        paxsim.tune("racer", {"random": 1, "first": 2}, 3, **{**SHORT, "jobs": jobs})
        for jobs in (1, 2)
    )
    assert one.spec == two.spec
    pd.testing.assert_frame_equal(one.held_out, two.held_out)


def test_tune_for_ablation_keeps_restriction_and_seat():
    tuned = tune_for_ablation(
        "builder,random", "land", 2, positions=[1], generations=2, games=8, jobs=1
    )
    assert list(tuned) == [("", 0), ("land", 0)]
    assert tuned["land", 0].label.startswith("restricted:without=land:policy=")
    assert not tuned["", 0].label.startswith("restricted")


def test_tune_for_ablation_uses_the_other_seats_and_its_own_deals(monkeypatch):
    calls = []

    def tune(policy, others, players, *, seed, **_):
        calls.append((policy.label, [other.label for other in others], players, seed))
        return SimpleNamespace(best_response=policy)

    monkeypatch.setattr(tuner, "tune", tune)
    tune_for_ablation("racer,miser,racer", "peek", positions=[3], seed=5)
    labels, others, players, seeds = zip(*calls, strict=True)
    assert labels == ("racer", "restricted:without=peek:policy=racer")
    assert others == (["racer", "miser"],) * 2 and players == (3, 3)
    assert seeds[0] == seeds[1] != 5


# --- opponents and deals ------------------------------------------------------------------------


@given(players=st.integers(2, 8), data=st.data())
def test_every_deal_has_the_coalition_and_a_full_table(players, data):
    coalition = data.draw(st.integers(1, players - 1))
    mixture = data.draw(st.booleans())
    opponents = {"random": 1, "first": 3} if mixture else "random"
    drawn = make_opponents(opponents, players - coalition).draw_seatings(
        coalition, 40, np.random.default_rng(data.draw(st.integers(0, 9)))
    )
    assert sum(drawn.values()) == 40
    for seating in drawn:
        assert len(seating) == players and seating.count(CANDIDATE) == coalition
        assert seating == min(seating[i:] + seating[:i] for i in range(players))
    if not mixture and coalition == 1:
        assert len(drawn) == 1  # equal opponents have one order


def test_policies_of_a_mixture_are_drawn_by_weight():
    opponents = make_opponents({"random": 1, "first": 3}, 3)
    drawn = opponents.draw_seatings(1, 4000, np.random.default_rng(1))
    first = sum(seating.count(1) * deals for seating, deals in drawn.items()) / 12_000
    assert abs(first - 0.75) < 4 * (0.75 * 0.25 / 12_000) ** 0.5


def test_a_mixture_may_have_fewer_or_more_policies_than_seats():
    for mixture in ({"random": 1}, {"random": 1, "first": 1, "miser": 1, "racer:thrift=1": 1}):
        assert make_opponents(mixture, 2).draw_seatings(1, 9, np.random.default_rng(1))
    assert parse_opponents("weighted") == "weighted"
    assert parse_opponents("2*builder:breadth=2, 0.5*random") == {
        "builder:breadth=2": 2,
        "random": 0.5,
    }


def test_seats_and_opponents_are_drawn_anew_for_other_deals():
    settings = (paxsim.make_setting(4),)
    arena = Arena(GOALS["wins"], settings, 1, make_opponents({"random": 1, "first": 1}, 3), seed=1)
    one, again, other = (arena.draw_deals(first, 30) for first in (0, 0, 30))
    assert one == again and sum(part.deals for part in one) == 30
    counts = [{part.seating: part.deals for part in parts} for parts in (one, other)]
    assert counts[0] != counts[1]
    drawn = make_opponents(["random", "first"], 2).draw_seatings(2, 60, np.random.default_rng(1))
    opposite = {seating for seating in drawn if seating[0] == seating[2] == CANDIDATE}
    assert opposite and set(drawn) - opposite


# --- search -------------------------------------------------------------------------------------


def test_parameters_may_be_negative_where_declared_or_by_default():
    def policy(table, me, choice, up=1.0, down=-1.0, none=0.0, either=2.0):
        return 0

    made = make_policy(policy, solo=True, signed=["either"])
    assert made.signed == {"down", "none", "either"}
    space = make_space(made, None)
    assert (space.bounds[:, 0] < 0).tolist() == [False, True, True, True]
    points = np.array(space.random_points(200, np.random.default_rng(0)))
    assert (points[:, 0] >= 0).all() and (points[:, 3] < 0).any() and (points[:, 3] > 0).any()
    assert abs((points == 0).mean() - 0.25) < 4 * (0.25 * 0.75 / points.size) ** 0.5


def made_up_search(score):
    """Return a search with made-up scores: a function of parameter, first deal and deals."""

    def evaluate(policies, first_deal, deals):
        return [score(policy.params["thrift"], first_deal, deals) for policy in policies]

    return Search(make_space("racer", "thrift"), SimpleNamespace(seed=3), 5, evaluate)


def test_a_search_starts_at_the_best_points():
    best, second = made_up_search(lambda thrift, *_: -abs(thrift - 0.9)).starting_points(2)
    assert abs(best[0] - 0.9) < abs(second[0] - 0.9) < 0.05


def test_every_generation_of_every_restart_has_its_own_deals():
    deals = []
    search = made_up_search(lambda thrift, first_deal, count: deals.append(first_deal) or 0.5)
    record = SimpleNamespace(scores=lambda *_: None, add=lambda *_: None)
    for restart in range(2):
        search.run(restart, np.array([1.0]), 3, record)
    assert len(set(deals)) == 6 and np.diff(sorted(set(deals))).min() >= search.deals


def test_similar_policies_of_the_catalogue_are_starting_points():
    space = make_space("hermit", None)
    weighted = paxsim.get_policy("weighted").params
    points = [dict(zip(space.names, point, strict=True)) for point in space.known_points()]
    assert points[0] == paxsim.get_policy("hermit").params
    (similar,) = [point for point in points if point["stronger"] == weighted["stronger"]]
    assert similar == {name: weighted.get(name, 0.0) for name in space.names}
    assert similar["urgency"] == 0  # weighted has no such parameter


# --- record -------------------------------------------------------------------------------------


def tune_into(out, **options):
    return paxsim.tune("racer", "random", 2, out=out, **{**SHORT, **options})


def test_an_interrupted_and_extended_run_ends_with_the_same_files(tmp_path):
    texts = []

    def interrupt(done, expected, text):
        texts.append(text)
        if "restart 2" in text:
            raise KeyboardInterrupt

    whole = tune_into(tmp_path / "whole")
    tune_into(tmp_path / "parts", generations=1, restarts=1)
    with pytest.raises(KeyboardInterrupt):
        tune_into(tmp_path / "parts", progress=interrupt)
    assert texts[0] == "stored games" and "stored games" not in texts[1:]
    assert set(files_of(tmp_path / "parts")) >= {"tuning.json", "generations.csv"}
    (tmp_path / "parts" / "generations.csv").unlink()
    assert tune_into(tmp_path / "parts").spec == whole.spec
    assert files_of(tmp_path / "parts") == files_of(tmp_path / "whole")
    held_out = pd.read_csv(tmp_path / "whole" / "held_out.csv")
    pd.testing.assert_frame_equal(held_out, whole.held_out)
    record = json.loads((tmp_path / "whole" / "result.json").read_text())
    assert record["spec"] == whole.spec and record["config"]["seed"] == 0


def test_folders_with_other_content_are_refused_and_left_alone(tmp_path, capsys):
    line = "tune racer --opponents random --players 2 --games 4 --generations 1 --restarts 1"
    command = [*line.split(), "--jobs", "1", "--out", tmp_path / "out"]
    (tmp_path / "notes.txt").write_text("mine")
    assert "notes.txt" in mistake(capsys, *command[:-1], tmp_path)
    assert files_of(tmp_path) == {"notes.txt": b"mine"}
    assert run_command([str(word) for word in command]) == 0
    capsys.readouterr()
    before = files_of(tmp_path / "out")
    assert "another seed" in mistake(capsys, *command, "--seed", 1)
    assert "another goal" in mistake(capsys, *command, "--goal", "rome-loses")
    assert files_of(tmp_path / "out") == before
    for edited in ("{", "[]", before["tuning.json"].decode().replace("0.", "1.", 1)):
        (tmp_path / "out" / "tuning.json").write_text(edited)
        assert "tuning.json" in mistake(capsys, *command)
        assert (tmp_path / "out" / "tuning.json").read_text() == edited


def test_mistakes_are_one_line_and_leave_no_folder(tmp_path, capsys):
    mistakes = {
        "": "Missing argument",
        "rcer": "did you mean 'racer'",
        "random": "policy random has no parameters",
        "search": "policy search has no parameters",
        "racer --params stronger,trhift": "did you mean 'thrift'",
        "racer --params thrift,thrift": "params",
        "racer --goal win": "did you mean 'wins'",
        "racer --coalition 4": "coalition",
        "racer --players 1": "players",
        "racer --opponents builder,miser": "opponents",
        "racer --opponents 1*builder,x*miser": "'x*miser'",
        "racer --opponents 0*builder": "opponents",
        f"racer --opponents rnadom --out {tmp_path}/new": "did you mean 'random'",
        "racer --generations 0": "generations",
        "racer --restarts 0": "restarts",
        "racer --games none": "games",
        "racer --jobs 0": "jobs",
        "racer --goal solo --levels 6": "levels",
        "racer --out /dev/null/here": "out",
    }
    for arguments, words in mistakes.items():
        assert words in mistake(capsys, "tune", *arguments.split())
    assert list(tmp_path.iterdir()) == []
