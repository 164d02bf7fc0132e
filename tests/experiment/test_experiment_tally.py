"""Tallies against the plain results of the same games."""

import numpy as np
import pytest

import paxsim
from paxsim.experiment import compare, simulate, solo
from paxsim.experiment.design import Plan, make_match
from paxsim.experiment.run import run_plan
from paxsim.experiment.tally import Layout, in_units, in_wins, merge_tallies
from paxsim.lineup import make_lineup
from paxsim.setting import make_setting
from paxsim.stats import RATE, Moments, contrast, difference_interval

LINEUP = "random,first,random"
BLOCKS = 150


@pytest.fixture(scope="module")
def result():
    return simulate(LINEUP, games=3 * BLOCKS, seed=3)


@pytest.fixture(scope="module")
def batch():
    return paxsim.play_batch(LINEUP, deals=BLOCKS, rotations="all", seed=3)


def by_block(values):
    return values.reshape(BLOCKS, 3, -1)


def plain_interval(per_block):
    """The interval of a rate from its block means, without tallies."""
    units = 840 * 3 * 2
    moments = Moments.of(np.rint(per_block[:, None] * units).astype(int), scale=units)
    return contrast(moments, [1.0], bounds=RATE)


def test_win_rates_by_strategy_are_those_of_the_games(result, batch):
    shares = np.zeros((len(batch), 3))
    np.put_along_axis(shares, batch.positions, batch.shares, axis=1)
    random_seats = by_block(shares[:, [0, 2]]).mean(axis=(1, 2))
    expected = plain_interval(random_seats)
    row = result["strategies"].set_index("strategy").loc["random"]
    assert row["win_rate"] == pytest.approx(expected.estimate, abs=1e-12)
    # The intervals are joint; of two strategies each is close to the one for it alone.
    assert row["win_rate_low"] == pytest.approx(expected.low, abs=0.005)
    assert row["win_rate_high"] == pytest.approx(expected.high, abs=0.005)
    assert row["seats"] == 2 and row["games"] == 3 * BLOCKS and row["blocks"] == BLOCKS


def test_the_interval_of_a_strategy_at_a_seat_is_over_blocks(result, batch):
    """Two positions of a policy meet a seat on the same deal, so their games are correlated."""
    table = result["seat_strategies"].set_index(["strategy", "seat"])
    is_random = batch.positions != 1
    for seat in range(3):
        won = by_block((batch.shares * is_random)[:, [seat]]).sum(axis=(1, 2)) / 2
        expected = plain_interval(won)
        row = table.loc[("random", seat + 1)]
        assert row["win_rate"] == pytest.approx(expected.estimate, abs=1e-12)
        assert row["win_rate_low"] == pytest.approx(expected.low, abs=1e-9)


def test_seats_points_rounds_and_rome_are_those_of_the_games(result, batch):
    seats = result["seats"]["win_rate"].to_numpy()
    assert seats == pytest.approx(batch.shares.mean(axis=0), abs=1e-12)
    assert result["rome"].at[0, "rome_wins"] == pytest.approx(batch.rome_wins.mean())
    alone = (batch.rome_wins & (batch.results["winners"] == 0)).mean()
    assert result["rome"].at[0, "rome_alone"] == pytest.approx(alone)
    fair = (1 - alone) / 3
    assert result["strategies"]["fair_share"].to_numpy() == pytest.approx([fair, fair])
    assert result["games"].at[0, "rounds"] == pytest.approx(batch.rounds.mean())
    points = np.zeros((len(batch), 3))
    np.put_along_axis(points, batch.positions, batch.points, axis=1)
    first = result["points"].set_index("strategy").loc["first"]
    assert first["points"] == pytest.approx(points[:, 1].mean())
    parts = ["categories", "stronger", "fleet_army", "primus", "wealthiest"]
    assert first[parts].sum() == pytest.approx(first["points"])
    friend = result["strategies"]
    assert (friend["won_with_rome"] + friend["won_on_points"]).to_numpy() == pytest.approx(
        friend["win_rate"].to_numpy()
    )


def test_every_row_names_an_example_of_what_it_is_about(result, batch):
    plan = Plan(((make_match(make_setting(3), make_lineup(LINEUP, 3)),),), (BLOCKS,), 3)

    def played(number):
        game = plan.locate_game(int(number))
        return paxsim.play(game.lineup.policies, seed=3, deal=game.deal, rotation=game.rotation)

    for row in result["strategies"].itertuples():
        game = played(row.example_game)
        assert any(game.policies[seat - 1] == row.strategy for seat in game.winners)
    for row in result["seats"].itertuples():
        assert row.seat in played(row.example_game).winners
    for row in result["seat_strategies"].itertuples():
        game = played(row.example_game)
        assert row.seat in game.winners and game.policies[row.seat - 1] == row.strategy
    assert played(result["rome"].at[0, "example_game"]).rome_wins
    # The first such game, not just any.
    first_rome = int(np.flatnonzero(batch.rome_wins)[0])
    assert result["rome"].at[0, "example_game"] == first_rome


def test_a_row_without_an_example_has_an_empty_cell():
    table = solo("random", levels=5, games=20)["levels"]
    assert table["success"].item() == 0
    assert table["example_game"].isna().all()


def test_tallies_merge_to_the_same_numbers_however_the_work_is_cut():
    bundle = (make_match(make_setting(2), make_lineup("random,first", 2)),)
    plan = Plan((bundle,), (90,), 1)
    whole, cut = (run_plan(plan, jobs=1, chunk_games=size)[0] for size in (10_000, 14))
    assert whole.keys() == cut.keys()
    for name, array in whole.items():
        assert np.array_equal(array, cut[name]), name
    twice = merge_tallies(whole, whole)
    assert twice["blocks"][0] == 180
    assert np.array_equal(twice["0/win_example"], whole["0/win_example"])


def test_permutations_play_every_order_once():
    result = simulate("random,first,random", games=60, seed=2, permutations=True)
    assert result.games == 60 and result.blocks == 10
    orders = result.manifest["plan"]["bundles"][0][0]["orders"]
    assert sorted(map(tuple, orders)) == [(0, 1, 2), (0, 2, 1)]


def test_each_player_count_plays_the_number_of_games_asked_for():
    result = simulate("random", players=[2, 3, 4], games=120)
    assert result["games"].set_index("players")["games"].to_dict() == {2: 120, 3: 120, 4: 120}
    assert result["games"].set_index("players")["blocks"].to_dict() == {2: 60, 3: 40, 4: 30}


def test_a_comparison_is_that_of_the_games_block_by_block():
    result = compare("first", "random", opponents="random", players=2, games=800, seed=6)
    row = result["comparison"].iloc[0]
    found = []
    for candidate in ("first", "random"):
        batch = paxsim.play_batch([candidate, "random"], deals=200, rotations="all", seed=6)
        shares = np.zeros((400, 2))
        np.put_along_axis(shares, batch.positions, batch.shares, axis=1)
        found.append(shares[:, 0].reshape(200, 2).mean(axis=1))
    difference = found[0] - found[1]
    assert row["difference"] == pytest.approx(difference.mean(), abs=1e-12)
    paired = difference.var(ddof=1)
    unpaired = found[0].var(ddof=1) + found[1].var(ddof=1)
    assert row["variance_factor"] == pytest.approx(unpaired / paired)
    differing = int(np.count_nonzero(difference))
    error = float(np.sqrt(paired / 200))
    expected = difference_interval(float(difference.mean()), error, 200, differing)
    assert row["difference_low"] == pytest.approx(expected.low, abs=1e-9)
    assert row["difference_high"] == pytest.approx(expected.high, abs=1e-9)
    assert 1.972 * error < (expected.high - expected.low) / 2 < 2.1 * error
    assert row["games"] == 800 and row["blocks"] == 200


def test_blocks_of_different_sizes_are_compared_by_their_means():
    """Identical players play a deal once, where others play it in all rotations."""
    blocks, players = 60, ("miser", "racer")
    setting = make_setting(2)
    bundle = tuple(make_match(setting, make_lineup([name, "miser"], 2)) for name in players)
    tally = run_plan(Plan((bundle,), (blocks,), 6), jobs=1)[0]
    rounds = [
        paxsim.play_batch([name, "miser"], deals=blocks, rotations="all", seed=6)
        .results["rounds"]
        .reshape(blocks, 2)
        .mean(axis=1)
        for name in players
    ]
    differing = int(np.count_nonzero(rounds[0] != rounds[1]))
    assert 0 < differing < blocks
    assert tally["1/differing"][Layout(2).place("rounds")] == differing


def test_super_blocks_hold_the_wins_of_every_200th_deal():
    match = make_match(make_setting(2), make_lineup("random,first", 2))
    plan = Plan(((match,),), (450,), 1)
    tally = run_plan(plan, jobs=1, chunk_games=74)[0]  # chunks begin in the middle of a round
    batch = paxsim.play_batch("random,first", deals=450, rotations="all", seed=1)
    shares = np.zeros((900, 2))
    np.put_along_axis(shares, batch.positions, batch.shares, axis=1)
    alone = batch.results["winners"] == 0
    expected = np.zeros((200, 3))
    np.add.at(expected, batch.results["deal"] % 200, np.column_stack([shares, alone]))
    assert np.array_equal(tally["0/superblocks"], np.rint(expected * 840))
    rome = np.bincount(batch.results["deal"] % 200, batch.rome_wins, 200)
    assert np.array_equal(tally["0/rome_superblocks"], rome)
    held = batch.results["rome_held"][:, None] >> np.arange(7) & 1
    assert np.array_equal(tally["0/rome_held"], held.sum(axis=0))


def test_sums_of_shares_are_rounded_to_exact_units():
    """Of any number of winners, and as many of them as a long run has in a super-block."""
    for winners in range(1, 9):
        shares = np.full(1000, 1 / winners) * 1_000_003
        assert in_units(1 / winners) * winners == in_units(1)
        assert in_units(shares.sum()) * winners == in_units(1) * 1000 * 1_000_003
    units = np.arange(10_000) * 7_919
    assert np.array_equal(in_units(in_wins(units)), units)
