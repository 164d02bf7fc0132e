"""Tuning finds what there is to find, says when that is not the best, and can be interrupted."""

import json
import signal
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import start
from support.mistakes import mistake

import paxsim
from paxsim.cli import EXIT_INTERRUPTED, run_command
from paxsim.policies.policy import make_policy
from paxsim.tuning.arena import GOALS, TUNED, Arena, make_field, parse_field
from paxsim.tuning.cmaes import FOR_HELD_OUT, Search, make_space

#: Peeks the more often the further its parameters are from (3, -1), which loses; a third parameter
#: does nothing.
MADE_UP = """
import paxsim
from paxsim.helpers import PEEK, TURN, random_below

@paxsim.policy(signed=["y"])
def made_up(table, me, choice, x=1.0, y=1.0, idle=1.0):
    '''Peek more often than is good.'''
    off = abs(x - 3.0) / 4.0 + abs(y + 1.0) / 4.0
    if choice.kind == TURN and random_below(me, 1000) < 1000.0 * off:
        return PEEK
    return 0
"""
SHORT = dict(generations=3, restarts=2, games=20, jobs=1)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    file = tmp_path_factory.mktemp("made_up") / "made_up.py"
    file.write_text(MADE_UP)
    return file


def files_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --- what is found --------------------------------------------------------------------------


def test_a_known_best_is_found_and_confirmed(made_up):
    answer = paxsim.tune(
        str(made_up), "random", 2, params="x,y", generations=30, restarts=1, games=400, jobs=1
    )
    found = answer.tuned.params
    assert abs(found["x"] - 3) < 0.5 and abs(found["y"] + 1) < 0.5 and found["idle"] == 1
    table = answer.held_out.set_index("role")
    assert table.at["start", "difference_high"] < -0.05
    assert answer.generations["mean"].tail(5).mean() > answer.generations["mean"].head(5).mean()


def test_a_better_policy_of_the_catalogue_is_the_answer_and_is_said_to_be(made_up, capsys):
    line = f"tune {made_up} --params idle --field random --players 2 --games 20 --generations 2"
    assert run_command([*line.split(), "--restarts", "1", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "which is not the best: " in said
    best = said.splitlines()[-1]
    assert best in paxsim.list_policies() and f" {best} " in said
    answer = paxsim.tune(f"{made_up}", "random", 2, params=["idle"], **SHORT)
    assert not answer.best_is_tuned
    assert answer.spec == answer.held_out["policy"][0] != answer.tuned.label
    assert answer.held_out["difference_low"][0] > 0


def test_the_answer_can_be_pasted_and_is_what_was_measured():
    answer = paxsim.tune("racer", "random", 2, **SHORT)
    row = answer.held_out.set_index("role").loc["tuned"]
    pasted = paxsim.get_policy(answer.tuned.spec)
    batch = paxsim.play_batch(
        [pasted, "random"], deals=row["blocks"], rotations="all", first_deal=FOR_HELD_OUT
    )
    shares = batch.shares[batch.positions == 0]
    assert row["figure"] == row["win_rate"] == pytest.approx(shares.mean(), abs=1e-12)
    assert row["rome_wins"] == pytest.approx(batch.rome_wins.mean(), abs=1e-12)
    # The interval is that of independent blocks.
    blocks = shares.reshape(-1, 2).mean(axis=1)
    half = 1.96 * blocks.std(ddof=1) / len(blocks) ** 0.5
    assert (row["figure_high"] - row["figure_low"]) / 2 == pytest.approx(half, rel=0.05)


def test_a_coalition_is_measured_at_all_its_seats_and_rome_by_its_losses():
    answer = paxsim.tune("racer", "first", 3, coalition=2, goal="rome-loses", **SHORT)
    for _, row in answer.held_out.iterrows():
        assert row["figure"] == pytest.approx(1 - row["rome_wins"])
        # Nobody but the three wins, and Rome alone hardly ever does.
        assert 0.9 < 2 * row["win_rate"] + row["rival_win_rate"] < 1 + 1e-9


def test_wins_on_points_are_those_that_rome_did_not_win():
    answer = paxsim.tune("racer", "builder", 2, goal="points", **SHORT)
    row = answer.held_out.set_index("role").loc["start"]
    deals = {"deals": int(row["blocks"]), "first_deal": FOR_HELD_OUT, "rotations": "all"}
    batch = paxsim.play_batch(["racer", "builder"], 2, **deals)
    won = batch.shares[batch.positions == 0]
    assert row["figure"] == pytest.approx(won[~batch.rome_wins].sum() / len(batch))
    assert 0 < row["figure"] == row["won_on_points"] < row["win_rate"]


def test_solo_counts_all_levels_alike():
    answer = paxsim.tune("hermit", goal="solo", levels=[1, 3], params="new,starve", **SHORT)
    row = answer.held_out.set_index("role").loc["start"]
    deals = int(row["blocks"])
    success = [
        paxsim.play_batch("hermit", solo_level=level, deals=deals, first_deal=FOR_HELD_OUT)
        for level in (1, 3)
    ]
    assert row["figure"] == pytest.approx(np.mean([batch.shares.mean() for batch in success]))
    assert set(answer.held_out["policy"]) & {"conspirator", "feeder"} == set()


def test_the_answer_does_not_depend_on_threads():
    answers = [
        paxsim.tune("racer", {"random": 1, "first": 2}, 3, **{**SHORT, "jobs": jobs})
        for jobs in (1, 2)
    ]
    assert answers[0].spec == answers[1].spec
    pd.testing.assert_frame_equal(answers[0].held_out, answers[1].held_out)


# --- where it is measured -------------------------------------------------------------------


@given(players=st.integers(2, 8), data=st.data())
def test_every_deal_has_the_coalition_and_a_full_table(players, data):
    coalition = data.draw(st.integers(1, players - 1))
    mixture = data.draw(st.booleans())
    field = {"random": 1, "first": 3} if mixture else "random"
    drawn = make_field(field, players - coalition).draw_seatings(
        coalition, 40, np.random.default_rng(data.draw(st.integers(0, 9)))
    )
    assert sum(drawn.values()) == 40
    for seating in drawn:
        assert len(seating) == players and seating.count(TUNED) == coalition
        assert seating == min(seating[i:] + seating[:i] for i in range(players))
    if not mixture and coalition == 1:
        assert len(drawn) == 1  # rivals that are all alike have one order


def test_rivals_of_a_mixture_come_as_often_as_they_weigh():
    field = make_field({"random": 1, "first": 3}, 3)
    drawn = field.draw_seatings(1, 4000, np.random.default_rng(1))
    first = sum(seating.count(1) * deals for seating, deals in drawn.items()) / 12_000
    assert abs(first - 0.75) < 4 * (0.75 * 0.25 / 12_000) ** 0.5


def test_a_mixture_may_be_of_one_policy_or_of_more_than_there_are_seats():
    for field in ({"random": 1}, {"random": 1, "first": 1, "miser": 1, "racer:thrift=1": 1}):
        assert len(paxsim.tune("racer", field, 3, **SHORT).held_out) > 10


def test_a_mixture_on_the_command_line_has_weights():
    assert parse_field("weighted") == "weighted"
    assert parse_field("2*builder:breadth=2, 0.5*random") == {"builder:breadth=2": 2, "random": 0.5}


def test_parameters_may_be_negative_where_the_policy_says_so_or_its_default_is():
    def wishful(table, me, choice, up=1.0, down=-1.0, none=0.0, either=2.0):
        return 0

    policy = make_policy(wishful, solo=True, signed=["either"])
    assert policy.signed == {"down", "none", "either"}
    space = make_space(policy, None)
    assert (space.bounds[:, 0] < 0).tolist() == [False, True, True, True]
    points = np.array(space.scattered(200, np.random.default_rng(0)))
    assert (points[:, 0] >= 0).all() and (points[:, 3] < 0).any() and (points[:, 3] > 0).any()


def test_the_company_of_other_deals_is_drawn_anew():
    settings = (paxsim.make_setting(4),)
    arena = Arena(GOALS["wins"], settings, 1, make_field({"random": 1, "first": 1}, 3), seed=1)
    one, again, other = (arena.draw_sittings(first, 30) for first in (0, 0, 30))
    assert one == again and sum(sitting.deals for sitting in one) == 30
    counts = [{s.seating: s.deals for s in sittings} for sittings in (one, other)]
    assert counts[0] != counts[1]


def test_who_sits_beside_whom_is_drawn_too():
    drawn = make_field(["random", "first"], 2).draw_seatings(2, 60, np.random.default_rng(1))
    apart = {seating for seating in drawn if seating.index(TUNED) + 2 == 2 and seating[2] == TUNED}
    assert apart and set(drawn) - apart  # tuned seats opposite each other, and side by side


def test_a_quarter_of_the_values_of_scattered_points_are_left_out():
    points = np.array(make_space("hermit", None).scattered(400, np.random.default_rng(0)))
    left_out = (points == 0).mean()
    assert abs(left_out - 0.25) < 4 * (0.25 * 0.75 / points.size) ** 0.5


def searched(measure):
    """A search whose figures are made up: `measure` is told parameters, first deal and deals."""

    def figures(policies, first_deal, deals):
        return [measure(policy.params["thrift"], first_deal, deals) for policy in policies]

    return Search(make_space("racer", "thrift"), SimpleNamespace(seed=3), 5, figures)


def test_a_search_starts_at_the_best_of_all_points_looked_at():
    best, second = searched(lambda thrift, *_: -abs(thrift - 0.9)).starting_points(2)
    assert abs(best[0] - 0.9) < abs(second[0] - 0.9) < 0.05


def test_every_generation_of_every_restart_has_deals_of_its_own():
    deals = []
    search = searched(lambda thrift, first_deal, count: deals.append(first_deal) or 0.5)
    record = SimpleNamespace(figures=lambda *_: None, note=lambda *_: None)
    for restart in range(2):
        search.run(restart, np.array([1.0]), 3, record)
    assert len(set(deals)) == 6
    gaps = np.diff(sorted(set(deals)))
    assert gaps.min() >= search.deals


def test_policies_lend_their_values_under_the_same_names():
    space = make_space("hermit", None)
    weighted = paxsim.get_policy("weighted").params
    points = [dict(zip(space.names, point, strict=True)) for point in space.incumbents()]
    assert points[0] == paxsim.get_policy("hermit").params
    (lent,) = [point for point in points if point["stronger"] == weighted["stronger"]]
    assert lent == {name: weighted.get(name, 0.0) for name in space.names}
    assert lent["urgency"] == 0  # which weighted does not know


# --- the record -----------------------------------------------------------------------------


def test_an_interrupted_tuning_ends_with_the_same_bytes(tmp_path):
    calls = 0

    def interrupt(standing):
        nonlocal calls
        calls += 1
        if "restart 2" in standing.said and calls % 3 == 0:
            raise KeyboardInterrupt

    ask = lambda out, **how: paxsim.tune("racer", "random", 2, out=out, **SHORT, **how)  # noqa: E731
    whole = ask(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        ask(tmp_path / "parts", progress=interrupt)
    assert set(files_of(tmp_path / "parts")) == {"tuning.json", "generations.csv"}
    assert ask(tmp_path / "parts").spec == whole.spec
    assert files_of(tmp_path / "parts") == files_of(tmp_path / "whole")
    assert ask(tmp_path / "whole").spec == whole.spec  # nothing is left to search
    held_out = pd.read_csv(tmp_path / "whole" / "held_out.csv")
    pd.testing.assert_frame_equal(held_out, whole.held_out)
    record = json.loads((tmp_path / "whole" / "answer.json").read_text())
    assert record["spec"] == whole.spec and record["about"]["seed"] == 0


def test_a_tuning_may_go_on_for_longer(tmp_path):
    ask = lambda out, generations: paxsim.tune(  # noqa: E731
        "racer", "random", 2, out=out, **{**SHORT, "generations": generations}
    )
    ask(tmp_path / "longer", 2)
    assert ask(tmp_path / "longer", 4).spec == ask(tmp_path / "whole", 4).spec
    assert files_of(tmp_path / "longer") == files_of(tmp_path / "whole")


@pytest.mark.whole
def test_ctrl_c_leaves_nothing_half_written_and_the_same_command_goes_on(tmp_path):
    out = tmp_path / "out"
    line = ["tune", "racer", "--field", "random", "--players", "2", "--games", "400", "--out", out]
    process = start(*line, "--generations", "100000")
    limit = time.monotonic() + 120
    while (
        not (out / "generations.csv").exists()
        or len((out / "generations.csv").read_text().splitlines()) < 3
    ):
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, error = process.communicate(timeout=60)
    assert process.returncode == EXIT_INTERRUPTED and said == ""
    assert error.count("\n") == 1 and "the same command goes on" in error
    assert set(files_of(out)) == {"tuning.json", "generations.csv"}
    done = len(pd.read_csv(out / "generations.csv"))
    figures = json.loads((out / "tuning.json").read_text())["figures"]
    assert len(figures[0]) == done >= 2


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path, capsys):
    short = "tune racer --field random --players 2 --games 4 --generations 1 --restarts 1 --jobs 1"
    ask = [*short.split(), "--out", tmp_path / "out"]
    (tmp_path / "notes.txt").write_text("mine")
    assert "holds other files (notes.txt)" in mistake(capsys, *ask[:-1], tmp_path)
    assert files_of(tmp_path) == {"notes.txt": b"mine"}
    assert run_command([str(word) for word in ask]) == 0
    capsys.readouterr()
    before = files_of(tmp_path / "out")
    assert "holds another tuning, with another seed;" in mistake(capsys, *ask, "--seed", 1)
    assert "another goal" in mistake(capsys, *ask, "--goal", "rome-loses")
    assert files_of(tmp_path / "out") == before
    for edited in ("{", "[]", before["tuning.json"].decode().replace("0.", "1.", 1)):
        (tmp_path / "out" / "tuning.json").write_text(edited)
        assert "tuning.json" in mistake(capsys, *ask)
        assert (tmp_path / "out" / "tuning.json").read_text() == edited


def test_a_mistake_leaves_no_folder_behind(tmp_path, capsys):
    assert "unknown" in mistake(
        capsys, "tune", "racer", "--field", "rnadom", "--out", tmp_path / "a"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("tune", "Missing argument"),
        ("tune rcer", "did you mean 'racer'"),
        ("tune random", "policy random: has no parameters to tune"),
        ("tune search", "policy search: has no parameters to tune"),
        ("tune racer --params stronger,trhift", "did you mean 'thrift'"),
        ("tune racer --params thrift,thrift", "every parameter once"),
        ("tune racer --goal win", "did you mean 'wins'"),
        ("tune racer --coalition 4", "coalition must be between 1 and 3, got 4"),
        ("tune racer --coalition 0", "coalition: found 0"),
        ("tune racer --players 1", "players: found 1"),
        ("tune racer --players 9", "players: found 9"),
        ("tune racer --field builder,miser", "field: found 2 policies for 3 seats"),
        ("tune racer --field 1*builder,x*miser", "found 'x*miser'"),
        ("tune racer --field 0*builder", "not all 0"),
        ("tune racer --field -1*builder", "field: found '-1*builder'"),
        ("tune racer --generations 0", "generations: found 0"),
        ("tune racer --restarts 0", "restarts: found 0"),
        ("tune racer --games none", "games: found 'none'"),
        ("tune racer --jobs 0", "jobs: found 0"),
        ("tune racer --seed -1", "seed: found -1"),
        ("tune racer --goal solo --levels 6", "levels: found 6"),
        ("tune racer --out /dev/null/here", "out: cannot write"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(arguments, words, capsys):
    assert words in mistake(capsys, *arguments.split())
