"""A game judged: its decisions are found again, costs are honest, luck and play add up."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from search.test_search import change_what_is_hidden
from support import imagined

import paxsim
from paxsim.analysis import analyse, analyse_games
from paxsim.analysis.judge import CONFIRMING, judge, marked, models_of, write_ledger, yardstick_for
from paxsim.analysis.retrace import Decision, retrace
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
def found(game):
    return analyse(game, rollouts=20, jobs=2)


# --- the decisions of a trace ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "players", "level"),
    [("random", 4, None), ("random", 6, None), ("random", None, 5), ("weighted,first", 2, None)],
    ids=["peeks", "reactions", "displays", "two"],
)
def test_every_choice_of_a_trace_is_found_again(policies, players, level):
    setting = paxsim.make_setting(players, solo_level=level)
    lineup = paxsim.make_lineup(policies, setting.players)
    for seed in range(3):
        _, again = retrace(list(trace_game(setting, lineup, seed, 0, 0)))
        played = [
            (game.table.tobytes(), game.seat, str(game.options()[option]))
            for game, option in decisions(setting, lineup, seed, 0, 0)
        ]
        told = [
            (one.game.table.tobytes(), one.seat, str(one.game.options()[one.chosen]))
            for one in again
        ]
        assert told == played


def test_a_choice_shows_in_the_event_of_its_step(game):
    for decision in retrace(game.events)[1]:
        event = game.events[decision.step]
        if decision.kind in ("keep", "place"):
            assert event["event"] == {"keep": "draft"}.get(decision.kind, decision.kind)
            assert event["seat"] == decision.seat


def changed(events, place, **changes):
    other = [dict(event) for event in events]
    other[place].update(changes)
    return other


def test_a_game_that_was_not_played_so_is_refused(game):
    events = game.events
    with pytest.raises(paxsim.PaxsimError, match=r"event 1 \(setup\): not what the rules lead to"):
        retrace(changed(events, 0, seed=4))
    with pytest.raises(paxsim.PaxsimError, match="seed: found no numbers of the game"):
        retrace(changed(events, 0, seed=None))
    with pytest.raises(paxsim.PaxsimError, match=r"deck: found 'mine'.*allowed: its file"):
        retrace(changed(events, 0, deck_name="mine"))
    with pytest.raises(paxsim.PaxsimError, match="deck: found cheap with other cards"):
        retrace(events, deck="cheap")
    place = next(i for i, event in enumerate(events) if event["event"] == "buy")
    with pytest.raises(paxsim.PaxsimError, match=rf"event {place + 1} \(buy\)"):
        retrace(changed(events, place, price=99))


# --- who plays on ----------------------------------------------------------------------------


def test_those_who_played_play_on_and_weighted_for_the_others(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(f"open({str(tmp_path / 'imported')!r}, 'w')")
    seated = ["tribune:focus=3.0", "person", "search", f"{mine}:thrifty"]
    labels = [policy.label for policy in models_of(seated, 4).policies]
    assert labels == ["tribune:focus=3.0", "weighted", "weighted", "weighted"]
    assert not (tmp_path / "imported").exists(), "a trace must not name code to be run"
    assert [p.label for p in models_of(["person"], 1).policies] == ["hermit"]
    assert [p.label for p in models_of([], 3, "racer").policies] == ["racer"] * 3
    with pytest.raises(paxsim.PaxsimError, match="models: found 2 for 4 seats"):
        models_of(seated, 4, "racer,first")
    with pytest.raises(paxsim.PaxsimError, match="found a searcher in its own rollouts"):
        models_of(seated, 4, "search")


def test_the_yardstick_lets_rome_win_about_as_often_as_those_who_play():
    setting = paxsim.make_setting(3)
    assert yardstick_for(setting, models_of(["conspirator"] * 3, 3), 1).label == "weighted"
    assert yardstick_for(setting, models_of(["defender"] * 3, 3), 1).label == "defender"


# --- what a decision cost --------------------------------------------------------------------


class Coins:
    """Models of a made-up world: every option wins with a chance of its own."""

    def __init__(self, chances):
        self.chances = chances

    def sample(self, game, options, rollouts, seed):
        rng = np.random.default_rng([*seed, 99])
        wins = rng.random((rollouts, len(options))) < [self.chances[one] for one in options]
        return np.repeat(wins[:, :, None], game.setting.players + 1, axis=2).astype(float)


@pytest.fixture(scope="module")
def placing():
    """A decision with many options."""
    _, found = retrace(traced("random", 4).events)
    return next(one for one in found if one.kind == "place" and len(one.options) > 5)


def test_where_all_options_are_alike_nothing_is_lost_on_average(placing):
    """The best of many looks better by some 8 points; fresh worlds don't fall for it."""
    models = Coins(dict.fromkeys(placing.options, 0.5))
    verdicts = [
        judge(Decision(number, placing.game, placing.chosen, 0), models, 50, 1)
        for number in range(400)
    ]
    looked = [
        v.chances.max() - v.chances[v.decision.options.index(placing.chosen)] for v in verdicts
    ]
    costs = np.array([verdict.cost for verdict in verdicts])
    error = costs.std() / len(costs) ** 0.5
    assert np.mean(looked) > 0.07
    assert abs(costs.mean()) < 4 * error < 0.02
    assert marked(verdicts).sum() == 0


def test_a_decision_is_marked_if_it_is_sure_among_all_that_were_looked_at():
    """Benjamini and Hochberg: the second smallest of five p-values counts five halves of it."""
    ps = [0.9, 0.001, 0.019, 0.2, 0.04]
    verdicts = [SimpleNamespace(p=p, cost=0.1) for p in ps]
    assert marked(verdicts).tolist() == [False, True, True, False, False]
    verdicts[1].cost = -0.1  # what did not cost anything is no mistake
    assert marked(verdicts).tolist() == [False, False, True, False, False]


def test_what_was_really_better_is_found_with_its_size_and_error(placing):
    better = next(one for one in placing.options if one != placing.chosen)
    models = Coins({**dict.fromkeys(placing.options, 0.3), better: 0.6})
    verdicts = [
        judge(Decision(number, placing.game, placing.chosen, 0), models, 100, 2)
        for number in range(50)
    ]
    assert all(verdict.better == better for verdict in verdicts)
    costs = np.array([verdict.cost for verdict in verdicts])
    error = np.mean([verdict.cost_error for verdict in verdicts])
    expected = np.sqrt((0.3 * 0.7 + 0.6 * 0.4) / (CONFIRMING * 100))
    assert costs.mean() == pytest.approx(0.3, abs=4 * error / 50**0.5)
    assert error == pytest.approx(expected, rel=0.1)
    assert costs.std() == pytest.approx(error, rel=0.35)
    assert marked(verdicts).all()


def test_a_decision_is_judged_by_what_its_seat_knew(game):
    random, workspace = np.random.default_rng(3), imagined.new_workspace()
    _, found = retrace(game.events)
    models = models_of(game.setup["policies"], 4)
    for decision in found[20:90:23]:
        other = decision.game.copy()
        known = imagined.what_is_known(workspace, decision.game._address)
        change_what_is_hidden(other.record, known, random)
        one, two = (
            judge(Decision(0, each, decision.chosen, 0), models, 10, 5)
            for each in (decision.game, other)
        )
        assert one.chances.tolist() == two.chances.tolist() and one.cost == two.cost


def test_every_seat_is_played_on_by_its_own_models():
    """Against three conspirators Rome wins, against three defenders it does not."""
    _, found = retrace(traced("weighted", 4).events)
    rome = {}
    for rivals in ("conspirator", "defender"):
        seated = ["weighted", "random", *[rivals] * 2]
        decision = next(one for one in found if one.seat == 1 and one.round == 1)
        samples = models_of(seated, 4).sample(decision.game, [decision.chosen], 200, [1])
        rome[rivals] = samples[..., -1].mean()
    assert rome["conspirator"] > rome["defender"] + 0.3


# --- luck and play ---------------------------------------------------------------------------


def always(*ends):
    """Samples that all end alike: with the usual option, and with the one chosen."""
    return np.repeat(np.array([ends], float), 4, axis=0)


def test_in_a_made_up_world_draws_and_choices_are_told_apart_to_the_last_bit():
    start, result = np.array([0.5, 0.5, 0.25]), np.array([0.0, 1.0, 0.0])
    samples = [
        always([0.625, 0.375, 0.25], [0.75, 0.25, 0.25]),  # dealt well, and chosen well
        always([0.25, 0.75, 0.5], [0.25, 0.75, 0.5]),  # a bad draw, and the usual choice
        always([0.25, 0.75, 0.5], [0.125, 0.875, 0.5]),  # no draw, and a bad choice
    ]
    same, drawn = np.array([False, True, False]), np.array([True, True, False])
    ledger = write_ledger(start, result, samples, same, drawn)
    assert ledger.draws[:, 0].tolist() == [0.125, -0.5, 0.0, -0.125]
    assert ledger.choices[:, 0].tolist() == [0.125, 0.0, -0.125]
    assert ledger.draws[:, 2].tolist() == [0.0, 0.25, 0.0, -0.5]
    total = ledger.luck() + ledger.choices.sum(axis=0)
    assert total.tolist() == (result - start).tolist()
    assert ledger.play_of(np.array([True, False, False]))[0].tolist() == [0.125, -0.125, 0.0]


def test_where_nothing_changed_estimates_are_pooled():
    ends = np.array([0.5, 0.5, 0.0])
    samples = [always([0.25, 0.75, 0], [0.25, 0.75, 0]), always([0.5, 0.5, 0], [0.5, 0.5, 0])]
    ledger = write_ledger(ends, ends, samples, np.array([True, True]), np.array([True, False]))
    assert ledger.before[:, 0].tolist() == ledger.after[:, 0].tolist() == [0.375, 0.375]
    assert not ledger.choices.any() and not ledger.choice_errors.any()
    assert ledger.draws[1].tolist() == [0, 0, 0] and not ledger.draw_errors[1].any()


def test_the_error_of_a_choice_is_that_of_a_paired_difference():
    rng = np.random.default_rng(4)
    usual = rng.random((500, 3)) < 0.5
    chosen = usual ^ (rng.random((500, 3)) < 0.1)
    samples = np.stack([usual, chosen], axis=1).astype(float)
    ends = np.zeros(3)
    ledger = write_ledger(ends, ends, [samples], np.array([False]), np.array([True]))
    differences = samples[:, 1] - samples[:, 0]
    expected = differences.std(axis=0, ddof=1) / 500**0.5
    assert np.allclose(ledger.choice_errors[0], expected)
    assert np.allclose(ledger.draw_errors[0], samples[:, 0].std(axis=0, ddof=1) / 500**0.5)


def test_on_average_over_deals_a_spectators_chance_is_the_share_of_games_won():
    setting, deals = paxsim.make_setting(3), 80
    policies = tuple(paxsim.get_policy(name) for name in ("starver", "scout", "racer"))
    lineup = paxsim.make_lineup(list(policies), 3)
    told, won = [], []
    for deal in range(deals):
        game = first = None
        for number, (at, _) in enumerate(decisions(setting, lineup, 8, deal, 0)):
            first = unseen_end_of(at) if number == 0 else first
            if number == 15:
                game = at.copy()
        assert game is not None
        option = [-1]
        told.append(Models(policies).sample(game, option, 40, [deal], first).mean(axis=(0, 1)))
        won.append([*at_end(setting, lineup, deal)])
    gap = np.array(told) - np.array(won)
    error = gap.std(axis=0) / deals**0.5
    assert (np.abs(gap.mean(axis=0)) < 4 * error).all() and (error < 0.06).all()


def at_end(setting, lineup, deal):
    batch = paxsim.play_batch(list(lineup.policies), setting.players, first_deal=deal, seed=8)
    return [*batch.shares[0], float(batch.rome_wins[0])]


def test_the_parts_of_a_real_game_add_up(found, game):
    table = found.luck_and_play()
    parts = table["draws"] + table["own_choices"] + table["other_choices"]
    assert np.allclose(parts, table["change"], atol=1e-12)
    assert table["result"].tolist() == [*game.events[-1]["shares"], game.events[-1]["rome_wins"]]
    chances = found.chances()
    assert chances.iloc[-1]["seat 1"] == table["result"][0]
    assert chances.iloc[0]["Rome"] == table["start"].iloc[-1]
    assert chances[["seat 1", "seat 2", "seat 3", "seat 4", "Rome"]].stack().between(0, 1).all()


def test_who_plays_like_the_yardstick_changes_nothing():
    found = analyse(traced("first", 3), rollouts=4, yardstick="first", jobs=2)
    table = found.luck_and_play()
    assert not found.ledger.choices.any()
    assert np.allclose(table["draws"], table["change"], atol=1e-12)


# --- the whole -------------------------------------------------------------------------------


def test_the_seed_says_all_on_any_number_of_threads(game, found):
    alone = analyse(game, rollouts=20, jobs=1)
    assert alone.decisions().equals(found.decisions())
    assert alone.luck_and_play().equals(found.luck_and_play()) and alone.page() == found.page()
    other = analyse(game, rollouts=20, seed=1, jobs=2)
    assert not other.decisions().equals(found.decisions())


def test_every_option_of_every_decision_is_told(found, game):
    table = found.decisions()
    _, taken = retrace(game.events)
    assert table.groupby("decision").size().tolist() == [len(one.options) for one in taken]
    assert (table.groupby("decision")["chosen"].sum() == 1).all()
    assert table["win_chance"].dropna().between(0, 1).all()
    mistakes = found.mistakes()
    assert (mistakes["cost"] > 1.6 * mistakes["cost_error"]).all()
    assert set(mistakes["seat"]) <= {1, 2, 3, 4} and len(mistakes) == found.marked.sum()
    turns = found.turning_points()
    assert (turns["change"].abs() > 3 * turns["error"]).all() and turns[
        "step"
    ].is_monotonic_increasing


def test_a_few_worlds_that_agree_are_hardly_sure(found):
    zeros = {name: getattr(found.ledger, name) * 0 for name in ("draw_errors", "choice_errors")}
    agreed = replace(found, rollouts=2, ledger=replace(found.ledger, **zeros))
    turns = agreed.turning_points()
    assert len(turns) and (turns["error"] > 0.1).all()
    assert (turns["change"].abs() > 3 * turns["error"]).all()


def test_random_play_costs_more_than_weighted_plays():
    habits = analyse_games("weighted,random", games=6, rollouts=12, seed=4, models="weighted")
    table = habits.table.set_index(["policy", "kind"])
    total = table["cost"]["random", "all"]
    assert total > 0.15 and table["cost"]["weighted", "all"] < total / 2
    by_kind = table.loc["random"].drop("all")
    assert by_kind["cost"].sum() == pytest.approx(total)
    assert by_kind["decisions"].sum() == pytest.approx(table["decisions"]["random", "all"])
    assert (table["blocks"] == 6).all() and "6 games, 6 blocks" in habits.caption
    values = habits.costs.query("policy == 'random' and kind == 'place'")["cost"]
    half = 2.571 * values.std() / 6**0.5  # t of 5 degrees of freedom
    row = table.loc["random", "place"]
    assert row["cost"] == pytest.approx(values.mean())
    assert (row["cost_high"] - row["cost_low"]) / 2 == pytest.approx(half, rel=1e-3)


# --- the command -----------------------------------------------------------------------------


def test_the_command_writes_a_page_and_says_what_was_luck(tmp_path, capsys):
    trace, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    run = ["trace", "--players", "2", "--policies", "random,first", "--seed", "5", "--out"]
    assert run_command([*run, str(trace)]) == 0
    words = ["analyse", str(trace), "--rollouts", "4", "--out", str(page)]
    assert run_command(words) == 0
    said = capsys.readouterr().out
    assert "draws changed" in said and "cost more than their error" in said
    text = page.read_text("utf-8")
    shown = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert len(shown["analysis"]["graph"]["lines"]) == 3
    assert "paxsim analyse --players 2" in shown["head"]["command"]
    assert "--rollouts 4" in shown["head"]["command"]


def test_many_games_of_a_run_become_a_table_and_a_chart(tmp_path, capsys):
    stored, chart, tables = tmp_path / "run", tmp_path / "chart", tmp_path / "tables"
    lineup = ["--players", "2", "--policies", "random,first", "--seed", "1"]
    assert run_command(["run", *lineup, "--games", "200", "--out", str(stored)]) == 0
    asked = ["analyse", str(stored), "--games", "4", "--rollouts", "3"]
    assert run_command([*asked, "--out", str(chart), "--csv", str(tables)]) == 0
    said = capsys.readouterr().out
    assert "What decisions cost a seat" in said and "4 games, 4 blocks" in said
    assert chart.with_suffix(".png").stat().st_size > 5000 and chart.with_suffix(".svg").exists()
    table = pd.read_csv(tables / "habits.csv")
    assert set(table["policy"]) == {"random", "first"} and "all" in set(table["kind"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["TRACE", "--rollouts", "1"], "rollouts: found 1; allowed"),
        (["TRACE", "--games", "5"], "games: found with"),
        (["TRACE", "--game", "5"], "game: found 5 with a trace; allowed: --number"),
        (["TRACE", "--players", "3"], "players: found 3 with a trace"),
        (["TRACE", "--models", "nobody"], "'nobody' is unknown"),
        (["TRACE", "--yardstick", "search"], "found a searcher in its own rollouts"),
        (["TRACE", "--deck", "cheap"], "deck: found cheap with other cards"),
        (["TRACE", "--csv", "tables"], "csv: found tables with one game"),
        (["NOTHING"], "trace: cannot read"),
        (["--games", "0.5"], "games: found"),
        (["--games", "1"], "games: found 1; allowed"),
        (["--games", "5", "--deal", "3"], "deal: found 3 with --games"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value),
)
def test_a_mistake_is_one_line_and_writes_nothing(game, tmp_path, monkeypatch, capsys, words, says):
    monkeypatch.chdir(tmp_path)
    trace = tmp_path / "game.jsonl"
    trace.write_text("".join(json.dumps(event) + "\n" for event in game.events))
    named = {"TRACE": str(trace), "NOTHING": str(tmp_path / "nothing.jsonl")}
    assert run_command(["analyse", *(named.get(word, word) for word in words)]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == [trace]


@pytest.mark.parametrize("more", [[], ["--games", "4"]])
def test_a_page_that_can_not_be_written_is_refused_before_anything_is_judged(
    tmp_path, capsys, monkeypatch, more
):
    for name in ("analyse", "analyse_games"):
        monkeypatch.setattr(f"paxsim.analysis.{name}", None)  # to call it would be an error
    (tmp_path / "file").write_text("")
    places = {"no/x.html": "No such file", "file/x.html": "Not a directory", ".": "is a folder"}
    for place, said in places.items():
        out = tmp_path / place
        command = ["analyse", "--players", "2", "--policies", "first", *more, "--out", str(out)]
        assert run_command(command) == 2
        err = capsys.readouterr().err
        assert err.startswith("paxsim: out: ") and err.count("\n") == 1 and said in err
