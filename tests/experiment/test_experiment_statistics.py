"""Coverage of intervals, over real games and simulated ones, and stopping rules."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest

from paxsim.errors import PaxsimError
from paxsim.experiment import compare, comparison_size, simulate, simulation_size
from paxsim.experiment.design import Chunk, Facts, Plan, make_match
from paxsim.experiment.estimates import MatchMeasures, Pool, reached, watched_rate
from paxsim.experiment.run import play_work
from paxsim.experiment.tables import campaign_chance
from paxsim.experiment.tally import SUPERBLOCKS, WIN, Layout, merge_tallies
from paxsim.lineup import make_lineup
from paxsim.setting import make_setting


def test_intervals_over_real_games_have_95_percent_coverage():
    """500 runs of 60 blocks each, compared with all 30,000 blocks together.

    With 500 runs, a true 95 % is measured outside of 92 to 98 % with probability 0.002.
    """
    runs, blocks = 500, 60
    match = make_match(make_setting(2), make_lineup("random,first", 2))
    plan = Plan(((match,),), (runs * blocks,), 11)
    tallies = [play_work(plan.work(chunk)) for chunk in Chunk(0, 0, runs * blocks).cut(blocks)]
    whole = tallies[0]
    for tally in tallies[1:]:
        whole = merge_tallies(whole, tally)

    def measured(tally):
        measures = MatchMeasures([match.facts], 0, tally)
        yield "strategy", measures.win_rate([1])
        yield "over fair", measures.over_fair_shares()[measures.labels[0]]
        yield "cell", measures.cell_rate(0, "first")
        yield "points", measures.points[measures.labels[0]]
        yield "rounds", measures.measure("rounds")

    truth = {name: interval.estimate for name, interval in measured(whole)}
    held = dict.fromkeys(truth, 0)
    for tally in tallies:
        for name, interval in measured(tally):
            held[name] += truth[name] in interval
    assert all(0.92 * runs <= count <= 0.98 * runs for count in held.values()), held


def test_intervals_pooled_over_line_ups_on_common_deals_hold():
    """Deals that favour a strategy do so in all its line-ups, whose results are correlated."""
    rng = np.random.default_rng(5)
    repeats, blocks, lineups, seats = 500, 1000, 4, 4
    held = 0
    for _ in range(repeats):
        deal = np.clip(0.3 + 0.15 * rng.standard_normal(blocks), 0, 1)
        won = rng.binomial(seats * lineups, deal)
        wins = np.bincount(np.arange(blocks) % SUPERBLOCKS, won, SUPERBLOCKS).astype(np.int64)
        games = np.full(SUPERBLOCKS, blocks // SUPERBLOCKS * seats * lineups)
        held += TRUE_RATE in Pool(wins, games, blocks).interval()
    # 95 % +- 3 standard errors of 500 repeats.
    assert 0.92 <= held / repeats <= 0.98


def _clipped_mean():
    normal = np.random.default_rng(0).standard_normal(4_000_000)
    return float(np.clip(0.3 + 0.15 * normal, 0, 1).mean())


TRUE_RATE = _clipped_mean()


def solo_bundle(wins):
    """Measures of made-up solo games; wins by block and level, 0 or 1."""
    blocks, levels = wins.shape
    layout = Layout(1)
    vectors = np.zeros((blocks, levels * layout.size), np.int64)
    vectors[:, layout.place("share", 0) :: layout.size] = WIN * wins
    tally = {
        "blocks": np.array([blocks]),
        "sums": vectors.sum(axis=0),
        "products": vectors.T @ vectors,
    }
    names = ("made up",), ("",), "assumed", "", {}, "published", ""
    facts = [Facts(1, 1, *names, ((0,),), (0,))] * levels
    return [MatchMeasures(facts, i, tally) for i in range(levels)]


@pytest.mark.parametrize("common", [0.0, 0.8])
def test_the_chance_of_a_campaign_holds_for_levels_on_common_deals(common):
    """Whether luck is common to the levels or not: the interval has the width that this makes."""
    rng = np.random.default_rng(6)
    chances = np.array([0.7, 0.5, 0.35])
    repeats, held = 500, 0
    for _ in range(repeats):
        own, shared = rng.random((400, 3)), rng.random((400, 1))
        luck = np.where(rng.random((400, 3)) < common, shared, own)
        held += chances.prod() in campaign_chance(solo_bundle((luck < chances).astype(np.int64)))
    assert 0.92 <= held / repeats <= 0.98  # +- 3 standard errors


def test_a_campaign_with_a_level_never_won_may_still_be_possible():
    wins = np.zeros((100, 2), np.int64)
    wins[:60, 0] = 1
    chance = campaign_chance(solo_bundle(wins))
    assert chance.estimate == 0 and chance.low == 0
    assert 0.005 < chance.high < 0.05


def test_a_run_with_a_precision_stops_when_all_rates_have_it():
    result = simulate("random,first", precision=0.02, games=10**6, seed=2)
    assert 0 < result.games < 100_000
    for name, table in (("win_rate", "strategies"), ("rome_wins", "rome")):
        half = (result[table][f"{name}_high"] - result[table][f"{name}_low"]) / 2
        assert (half <= 0.02).all()
    assert "stopping early" in result.caption
    fixed = simulate("random,first", games=result.games, seed=2)
    width = [
        (r["strategies"]["win_rate_high"] - r["strategies"]["win_rate_low"]).max()
        for r in (result, fixed)
    ]
    assert width[0] > 1.3 * width[1]


def test_the_precision_of_a_run_is_that_of_its_worst_rate():
    rates = [(0.5, 0.25), (0.1, 0.001)]
    measures = SimpleNamespace(blocks=1000, watched_variances=lambda: rates)
    halves = [watched_rate(1000, *rate, 0.02).half_width for rate in rates]
    assert reached(measures, 0.02) == halves[0] > halves[1]


def test_a_precision_beyond_reach_says_how_many_games_it_takes():
    with pytest.raises(PaxsimError, match="requires about") as caught:
        simulate("random,first", precision=0.01, games=5_000, seed=2)
    needed = int(re.search(r"about ([\d,]+) games", str(caught.value))[1].replace(",", ""))
    result = simulate("random,first", precision=0.01, games=int(1.2 * needed), seed=2)
    assert result.games > 5_000 and reached(result.matches[0], 0.01) <= 0.01


def test_games_that_turn_out_too_few_are_played_and_reported(monkeypatch):
    """The first look may be too optimistic."""
    looks = itertools.chain([0], itertools.repeat(10**9))
    monkeypatch.setattr("paxsim.experiment.estimates.games_when_watched", lambda *_: next(looks))
    result = simulate("random,first", precision=0.001, games=20_000)
    assert result.games == 20_000
    assert "±" in result.notices[0] and "reached" in result.notices[0]


def test_the_estimated_size_of_a_run_is_right():
    (text,) = simulation_size("random,first", precision=0.015)
    fixed = int(re.search(r"--games (\d+)", text)[1])
    table = simulate("random,first", games=fixed, seed=77)["strategies"]
    half = (table["win_rate_high"] - table["win_rate_low"]).max() / 2
    assert half == pytest.approx(0.015, rel=0.1)
    (text,) = simulation_size("random,first", games=fixed)
    assert "±1.5%" in text


def test_the_size_of_a_comparison_is_estimated():
    (text,) = comparison_size("first", "random", "random", 2, delta=0.02)
    assert re.search(r"2 percentage points with 80% chance takes [\d,]+ blocks", text)
    with pytest.raises(PaxsimError, match="delta"):
        comparison_size("first", "random", "random", 2, delta=0)


def test_a_sequential_comparison_stops_early_with_wider_intervals():
    asked = dict(a="first", b="random", opponents="random", players=2, seed=4)
    watched = compare(**asked, games=200_000, sequential=True)
    row = watched["comparison"].iloc[0]
    assert row["decision"] == "better" and row["games"] < 100_000
    assert {"p", "decision", "delta", "e_value"} & {*row.index} == {"decision", "delta", "e_value"}
    result = compare(**asked, games=int(row["games"]))
    fixed = result["comparison"].iloc[0]
    words = result.to_json() + repr(result)
    assert not re.search(r"decision\b|delta|e_value|sequential|decided", words)
    assert fixed["difference"] == row["difference"]
    assert row["difference_low"] < fixed["difference_low"] < row["difference"]
    assert fixed["p"] < 1e-6


def test_a_difference_beyond_all_rates_is_refuted():
    asked = dict(a="first", b="random", opponents="random", players=2, games=20_000)
    assert (
        compare(**asked, delta=0.6, sequential=True)["comparison"].at[0, "decision"] == "not better"
    )
    for delta in (1, -1, float("nan"), "2"):
        with pytest.raises(PaxsimError, match="delta"):
            compare(**asked, delta=delta, sequential=True)
    with pytest.raises(PaxsimError, match="delta is only for --until-decided"):
        compare(**asked, delta=0.1)


def test_a_policy_compared_with_itself_has_no_difference():
    row = compare("first", "first", "random", 2, games=400)["comparison"].iloc[0]
    assert row["difference"] == 0 and row["p"] == 1
    assert row["difference_low"] < 0 < row["difference_high"]
