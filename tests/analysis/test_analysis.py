"""Analysis: decisions of traces, costs, luck and play, pages and tables."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support import worlds
from support.commands import mistake

import paxsim
from paxsim.analysis import analyse, analyse_games
from paxsim.analysis.game import retrace
from paxsim.analysis.judge import (
    CONFIRMING,
    Decision,
    judge,
    marked,
    models_of,
    write_ledger,
    yardstick_for,
)
from paxsim.board import Replay
from paxsim.cli import run_command
from paxsim.game import decisions
from paxsim.search.evaluation import Models, unseen_end_of
from paxsim.trace import trace_game


def traced(policies, players, seed=3, level=None):
    setting = paxsim.make_setting(players, solo_level=level)
    lineup = paxsim.make_lineup(policies, setting.players)
    return Replay(list(trace_game(setting, lineup, seed, 0, 0)))


@pytest.fixture(scope="module")
def game():
    return traced("weighted,random,tribune,builder", 4)


@pytest.fixture(scope="module")
def analysis(game):
    return analyse(game, rollouts=20, jobs=2)


# --- decisions of a trace --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "players", "level"),
    [("random", 4, None), ("random", 6, None), ("random", None, 5), ("weighted,first", 2, None)],
    ids=["peeks", "reactions and order chosen", "displays", "two"],
)
def test_retrace_finds_every_choice(policies, players, level):
    rules = {"draft_to_bottom": "chosen"} if players == 6 else None
    setting = paxsim.make_setting(players, solo_level=level, rules=rules)
    lineup = paxsim.make_lineup(policies, setting.players)
    for seed in range(3):
        events = list(trace_game(setting, lineup, seed, 0, 0))
        played = [
            (game.table.tobytes(), game.seat, str(game.options()[option]))
            for game, option in decisions(setting, lineup, seed, 0, 0)
        ]
        retraced = retrace(events)[1]
        assert played == [
            (one.game.table.tobytes(), one.seat, str(one.game.options()[one.chosen]))
            for one in retraced
        ]
        for decision in retraced:
            if decision.kind in ("keep", "place"):
                event = events[decision.step]
                assert event["event"] == (decision.kind if decision.round else "draft")
                assert event["seat"] == decision.seat


def changed(events, place, **changes):
    other = [dict(event) for event in events]
    other[place].update(changes)
    return other


def test_retrace_refuses_a_game_that_cannot_be_played_so(game):
    events = game.events
    place = next(i for i, event in enumerate(events) if event["event"] == "buy")
    for trace, deck, message in (
        (changed(events, 0, seed=4), None, r"event 1 \(setup\)"),
        (changed(events, 0, seed=None), None, "no seed"),
        (changed(events, 0, deck_name="mine"), None, "'mine' is not in the package"),
        (events, "cheap", "other cards"),
        (changed(events, place, price=99), None, rf"event {place + 1} \(buy\)"),
    ):
        with pytest.raises(paxsim.PaxsimError, match=message):
            retrace(trace, deck)


# --- policies in rollouts --------------------------------------------------------------------


def test_models_are_the_policies_that_played_or_stand_ins(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(f"open({str(tmp_path / 'imported')!r}, 'w')")
    seated = ["tribune:focus=3.0", "person", "search", f"{mine}:thrifty"]
    labels = [policy.label for policy in models_of(seated, 4).policies]
    assert labels == ["tribune:focus=3.0", "weighted", "weighted", "weighted"]
    assert not (tmp_path / "imported").exists(), "a trace must not cause code to be imported"
    assert [p.label for p in models_of(["person"], 1).policies] == ["hermit"]
    assert [p.label for p in models_of([], 3, "racer").policies] == ["racer"] * 3
    for models in ("racer,first", "search"):
        with pytest.raises(paxsim.PaxsimError):
            models_of(seated, 4, models)


def test_yardstick_lets_rome_win_about_as_often_as_the_models():
    setting = paxsim.make_setting(3)
    assert yardstick_for(setting, models_of(["conspirator"] * 3, 3), 1).label == "weighted"
    assert yardstick_for(setting, models_of(["defender"] * 3, 3), 1).label == "defender"


# --- cost of decisions -----------------------------------------------------------------------


class Coins:
    """Models in which every option wins with a given chance."""

    def __init__(self, chances):
        self.chances = chances

    def sample(self, game, options, rollouts, seed):
        rng = np.random.default_rng([*seed, 99])
        wins = rng.random((rollouts, len(options))) < [self.chances[one] for one in options]
        return np.repeat(wins[:, :, None], game.setting.players + 1, axis=2).astype(float)


@pytest.fixture(scope="module")
def placing():
    """A decision with many options."""
    retraced = retrace(traced("random", 4).events)[1]
    return next(one for one in retraced if one.kind == "place" and len(one.options) > 5)


def judge_many(placing, chances, rollouts, times, seed):
    return [
        judge(Decision(number, placing.game, placing.chosen, 0), Coins(chances), rollouts, seed)
        for number in range(times)
    ]


def test_cost_is_unbiased_if_all_options_are_equal(placing):
    """The best of many options looks better by some 8 points; new rollouts show that it isn't."""
    verdicts = judge_many(placing, dict.fromkeys(placing.options, 0.5), 50, 400, seed=1)
    looked = [
        v.chances.max() - v.chances[v.decision.options.index(placing.chosen)] for v in verdicts
    ]
    costs = np.array([verdict.cost for verdict in verdicts])
    error = costs.std() / len(costs) ** 0.5
    assert np.mean(looked) > 0.07
    assert abs(costs.mean()) < 4 * error < 0.02
    assert marked(verdicts).sum() == 0


def test_cost_of_a_worse_choice_is_found_with_its_error(placing):
    better = next(one for one in placing.options if one != placing.chosen)
    chances = {**dict.fromkeys(placing.options, 0.3), better: 0.6}
    verdicts = judge_many(placing, chances, 100, 50, seed=2)
    assert all(verdict.better == better for verdict in verdicts)
    costs = np.array([verdict.cost for verdict in verdicts])
    error = np.mean([verdict.cost_error for verdict in verdicts])
    expected = np.sqrt((0.3 * 0.7 + 0.6 * 0.4) / (CONFIRMING * 100))
    assert costs.mean() == pytest.approx(0.3, abs=4 * error / 50**0.5)
    assert error == pytest.approx(expected, rel=0.1)
    assert costs.std() == pytest.approx(error, rel=0.35)
    assert marked(verdicts).all()


def test_marks_are_adjusted_by_benjamini_and_hochberg():
    """The second smallest of five p-values counts five halves of it."""
    ps = [0.9, 0.001, 0.019, 0.2, 0.04]
    verdicts = [SimpleNamespace(p=p, cost=0.1) for p in ps]
    assert marked(verdicts).tolist() == [False, True, True, False, False]
    verdicts[1].cost = -0.1
    assert marked(verdicts).tolist() == [False, False, True, False, False]


def test_verdict_depends_only_on_what_the_seat_knew(game):
    random, workspace = np.random.default_rng(3), worlds.new_workspace()
    models = models_of(game.setup["policies"], 4)
    for decision in retrace(game.events)[1][20:90:23]:
        other = decision.game.copy()
        beliefs = worlds.beliefs_of(workspace, decision.game._address)
        worlds.change_hidden_state(other.record, beliefs, random)
        one, two = (
            judge(Decision(0, each, decision.chosen, 0), models, 10, 5)
            for each in (decision.game, other)
        )
        assert one.chances.tolist() == two.chances.tolist() and one.cost == two.cost


def test_every_seat_has_its_own_model():
    """With conspirators Rome wins more often than with defenders."""
    retraced = retrace(traced("weighted", 4).events)[1]
    rome = {}
    for rivals in ("conspirator", "defender"):
        seated = ["weighted", "random", *[rivals] * 2]
        decision = next(one for one in retraced if one.seat == 1 and one.round == 1)
        samples = models_of(seated, 4).sample(decision.game, [decision.chosen], 200, [1])
        rome[rivals] = samples[..., -1].mean()
    assert rome["conspirator"] > rome["defender"] + 0.3


# --- luck and play ---------------------------------------------------------------------------


def always(*ends):
    """Return samples that all end the same: with the usual option, and with the chosen one."""
    return np.repeat(np.array([ends], float), 4, axis=0)


def test_ledger_separates_draws_from_choices_exactly():
    start, result = np.array([0.5, 0.5, 0.25]), np.array([0.0, 1.0, 0.0])
    samples = [
        always([0.625, 0.375, 0.25], [0.75, 0.25, 0.25]),  # a good deal and a good choice
        always([0.25, 0.75, 0.5], [0.25, 0.75, 0.5]),  # a bad draw and the usual choice
        always([0.25, 0.75, 0.5], [0.125, 0.875, 0.5]),  # no draw and a bad choice
    ]
    same, drawn = np.array([False, True, False]), np.array([True, True, False])
    ledger = write_ledger(start, result, samples, same, drawn)
    assert ledger.draws[:, 0].tolist() == [0.125, -0.5, 0.0, -0.125]
    assert ledger.choices[:, 0].tolist() == [0.125, 0.0, -0.125]
    assert ledger.draws[:, 2].tolist() == [0.0, 0.25, 0.0, -0.5]
    total = ledger.draws.sum(axis=0) + ledger.choices.sum(axis=0)
    assert total.tolist() == (result - start).tolist()
    assert ledger.play_of(np.array([True, False, False]))[0].tolist() == [0.125, -0.125, 0.0]


def test_ledger_pools_estimates_of_an_unchanged_state():
    ends = np.array([0.5, 0.5, 0.0])
    samples = [always([0.25, 0.75, 0], [0.25, 0.75, 0]), always([0.5, 0.5, 0], [0.5, 0.5, 0])]
    ledger = write_ledger(ends, ends, samples, np.array([True, True]), np.array([True, False]))
    assert ledger.before[:, 0].tolist() == ledger.after[:, 0].tolist() == [0.375, 0.375]
    assert not ledger.choices.any() and not ledger.choice_errors.any()
    assert ledger.draws[1].tolist() == [0, 0, 0] and not ledger.draw_errors[1].any()


def test_error_of_a_choice_is_that_of_a_paired_difference():
    rng = np.random.default_rng(4)
    usual = rng.random((500, 3)) < 0.5
    chosen = usual ^ (rng.random((500, 3)) < 0.1)
    samples = np.stack([usual, chosen], axis=1).astype(float)
    ends = np.zeros(3)
    ledger = write_ledger(ends, ends, [samples], np.array([False]), np.array([True]))
    differences = samples[:, 1] - samples[:, 0]
    assert np.allclose(ledger.choice_errors[0], differences.std(axis=0, ddof=1) / 500**0.5)
    assert np.allclose(ledger.draw_errors[0], samples[:, 0].std(axis=0, ddof=1) / 500**0.5)


def test_spectators_chance_is_on_average_the_rate_of_wins():
    """Over 80 deals the mean gap is within four standard errors of 0."""
    setting, deals = paxsim.make_setting(3), 80
    policies = tuple(paxsim.get_policy(name) for name in ("starver", "scout", "racer"))
    lineup = paxsim.make_lineup(list(policies), 3)
    gaps = []
    for deal in range(deals):
        games = [at.copy() for at, _ in decisions(setting, lineup, 8, deal, 0)]
        end = unseen_end_of(games[0])
        chance = Models(policies).sample(games[15], [-1], 40, [deal], end).mean(axis=(0, 1))
        batch = paxsim.play_batch(list(policies), 3, first_deal=deal, seed=8)
        gaps.append(chance - [*batch.shares[0], float(batch.rome_wins[0])])
    error = np.std(gaps, axis=0) / deals**0.5
    assert (np.abs(np.mean(gaps, axis=0)) < 4 * error).all() and (error < 0.06).all()


def test_luck_and_play_add_up(analysis, game):
    table = analysis.luck_and_play()
    parts = table["draws"] + table["own_choices"] + table["other_choices"]
    assert np.allclose(parts, table["change"], atol=1e-12)
    assert table["result"].tolist() == [*game.events[-1]["shares"], game.events[-1]["rome_wins"]]
    chances = analysis.chances()
    assert chances.iloc[-1]["seat 1"] == table["result"][0]
    assert chances.iloc[0]["Rome"] == table["start"].iloc[-1]
    assert chances[["seat 1", "seat 2", "seat 3", "seat 4", "Rome"]].stack().between(0, 1).all()


def test_choices_of_the_yardstick_change_nothing():
    analysis = analyse(traced("first", 3), rollouts=4, yardstick="first", jobs=2)
    table = analysis.luck_and_play()
    assert not analysis.ledger.choices.any()
    assert np.allclose(table["draws"], table["change"], atol=1e-12)


# --- analyses --------------------------------------------------------------------------------


def test_result_depends_on_the_seed_but_not_on_threads(game, analysis):
    alone = analyse(game, rollouts=20, jobs=1)
    assert alone.decisions().equals(analysis.decisions())
    assert alone.luck_and_play().equals(analysis.luck_and_play())
    assert alone.page() == analysis.page()
    other = analyse(game, rollouts=8, seed=1, jobs=2)
    assert not other.decisions().equals(analysis.decisions())


def test_tables_cover_every_option_of_every_decision(analysis, game):
    table = analysis.decisions()
    retraced = retrace(game.events)[1]
    assert table.groupby("decision").size().tolist() == [len(one.options) for one in retraced]
    assert (table.groupby("decision")["chosen"].sum() == 1).all()
    assert table["win_chance"].dropna().between(0, 1).all()
    mistakes = analysis.mistakes()
    assert (mistakes["cost"] > 1.6 * mistakes["cost_error"]).all()
    assert set(mistakes["seat"]) <= {1, 2, 3, 4} and len(mistakes) == analysis.marked.sum()
    turns = analysis.turning_points()
    assert (turns["change"].abs() > 3 * turns["error"]).all()
    assert turns["step"].is_monotonic_increasing


def test_a_few_equal_rollouts_are_not_certain(analysis):
    ledger = analysis.ledger
    zeros = {name: getattr(ledger, name) * 0 for name in ("draw_errors", "choice_errors")}
    turns = replace(analysis, rollouts=2, ledger=replace(ledger, **zeros)).turning_points()
    assert len(turns) and (turns["error"] > 0.1).all()
    assert (turns["change"].abs() > 3 * turns["error"]).all()


def test_random_play_costs_more_than_weighted_play():
    habits = analyse_games("weighted,random", games=6, rollouts=12, seed=4, models="weighted")
    table = habits.table.set_index(["policy", "kind"])
    total = table["cost"]["random", "all"]
    assert total > 0.15 and table["cost"]["weighted", "all"] < total / 2
    by_kind = table.loc["random"].drop("all")
    assert by_kind["cost"].sum() == pytest.approx(total)
    assert by_kind["decisions"].sum() == pytest.approx(table["decisions"]["random", "all"])
    assert (table["blocks"] == 6).all() and "6 games, 6 blocks" in habits.caption
    values = habits.costs.query("policy == 'random' and kind == 'place'")["cost"]
    half = 2.571 * values.std() / 6**0.5  # t with 5 degrees of freedom
    row = table.loc["random", "place"]
    assert row["cost"] == pytest.approx(values.mean())
    assert (row["cost_high"] - row["cost_low"]) / 2 == pytest.approx(half, rel=1e-3)


# --- the command -----------------------------------------------------------------------------


def test_command_writes_a_page_and_a_summary(tmp_path, capsys):
    trace, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    run = ["trace", "--players", "2", "--policies", "random,first", "--seed", "5", "--out"]
    assert run_command([*run, str(trace)]) == 0
    assert run_command(["analyse", str(trace), "--rollouts", "4", "--out", str(page)]) == 0
    output = capsys.readouterr().out
    assert "Draws changed" in output and "decisions are marked" in output
    text = page.read_text("utf-8")
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert len(data["analysis"]["graph"]["lines"]) == 3
    assert data["head"]["command"].startswith(f"paxsim analyse {trace}")
    assert "--rollouts 4" in data["head"]["command"]


def test_command_on_a_run_writes_a_table_and_a_chart(tmp_path, capsys):
    run, chart, tables = tmp_path / "run", tmp_path / "chart", tmp_path / "tables"
    lineup = ["--players", "2", "--policies", "random,first", "--seed", "1"]
    assert run_command(["run", *lineup, "--games", "200", "--out", str(run)]) == 0
    words = ["analyse", str(run), "--games", "4", "--rollouts", "3"]
    assert run_command([*words, "--out", str(chart), "--csv", str(tables)]) == 0
    assert "4 games, 4 blocks" in capsys.readouterr().out
    assert chart.with_suffix(".png").stat().st_size > 5000 and chart.with_suffix(".svg").exists()
    table = pd.read_csv(tables / "habits.csv")
    assert set(table["policy"]) == {"random", "first"} and "all" in set(table["kind"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["TRACE", "--rollouts", "1"], "rollouts"),
        (["TRACE", "--games", "5"], "--games"),
        (["TRACE", "--game", "5"], "game"),
        (["TRACE", "--players", "3"], "players"),
        (["TRACE", "--models", "nobody"], "'nobody'"),
        (["TRACE", "--yardstick", "search"], "search"),
        (["TRACE", "--deck", "cheap"], "cheap"),
        (["TRACE", "--csv", "tables"], "csv"),
        (["nothing.jsonl"], "nothing.jsonl"),
        (["--games", "0.5"], "games"),
        (["--games", "1"], "games"),
        (["--games", "5", "--deal", "3"], "deal"),
        (["--players", "2", "--out", "no/x.html"], "No such file"),
        (["--players", "2", "--out", "TRACE/x.html"], "Not a directory"),
        (["--players", "2", "--games", "4", "--out", "."], "folder"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value),
)
def test_mistake_is_one_line_and_writes_nothing(
    game, tmp_path, monkeypatch, capsys, words, message
):
    """Nothing is written, and a file that can't be written is refused before games are judged."""
    if "--out" in words:
        for name in ("analyse", "analyse_games"):
            monkeypatch.setattr(f"paxsim.analysis.{name}", None)  # calling it would be an error
    monkeypatch.chdir(tmp_path)
    trace = tmp_path / "game.jsonl"
    trace.write_text("".join(json.dumps(event) + "\n" for event in game.events))
    words = [word.replace("TRACE", str(trace)) for word in words]
    assert message in mistake(capsys, "analyse", *words)
    assert list(tmp_path.iterdir()) == [trace]
