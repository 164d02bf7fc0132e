"""What is planned: blocks, chunks, looks and the numbers of games."""

import numpy as np
import pytest

import paxsim
from paxsim.errors import PaxsimError
from paxsim.experiment.design import Plan, make_match
from paxsim.lineup import MAX_LINEUPS, draw_lineups, make_lineup
from paxsim.policies.registry import HEURISTICS, get_policy
from paxsim.setting import make_setting


def match_of(policies, players, permutations=False):
    setting = make_setting(players)
    return make_match(setting, make_lineup(policies, players), permutations)


def three_bundles(chunk_games=100):
    bundles = (
        (match_of("random", 2),),
        (match_of("random,first,builder", 3, permutations=True),),
        (match_of("random", 4), match_of("first", 4)),
    )
    return Plan(bundles, (120, 35, 17), seed=5, chunk_games=chunk_games)


@pytest.mark.parametrize("chunk_games", [1, 7, 100, 10_000])
def test_chunks_cover_every_block_of_every_bundle_once(chunk_games):
    plan = three_bundles(chunk_games)
    (wave,) = plan.chunks()
    for bundle, blocks in enumerate(plan.blocks):
        played = [
            block
            for chunk in wave
            if chunk.bundle == bundle
            for block in range(chunk.first_block, chunk.first_block + chunk.blocks)
        ]
        assert played == list(range(blocks))


def test_looks_are_at_the_same_blocks_for_every_chunk_size():
    ends = []
    for chunk_games in (10, 1_000, 24_000):
        plan = Plan(((match_of("random", 4),),), (50_000,), 0, chunk_games)
        waves = plan.chunks(looks=True)
        assert [c.first_block for w in waves for c in w] == sorted(
            c.first_block for w in waves for c in w
        )
        assert sum(c.blocks for w in waves for c in w) == 50_000
        ends.append([wave[-1].first_block + wave[-1].blocks for wave in waves])
    assert ends[0] == ends[1] == ends[2]
    assert ends[0][0] == 3_000 and ends[0][-1] == 50_000


def test_game_numbers_run_through_matches_blocks_orders_and_rotations():
    plan = three_bundles()
    # The last bundle: four of one policy, once, and four others in all rotations.
    assert plan.games == 120 * 2 + 35 * 6 + 17 * (4 + 1)
    seen = [plan.locate_game(number) for number in range(plan.games)]
    described = {
        (plan.matches.index(match), tuple(lineup.labels), deal, rotation)
        for match, lineup, deal, rotation in seen
    }
    assert len(described) == plan.games
    match, lineup, deal, rotation = plan.locate_game(120 * 2 + 6 * 10 + 4)
    assert (match.players, deal, rotation) == (3, 10, 1)
    with pytest.raises(PaxsimError, match="game"):
        plan.locate_game(plan.games)


def test_a_plan_is_the_same_whatever_the_size_of_its_chunks():
    assert three_bundles(10).fingerprint == three_bundles(999).fingerprint


def test_permutations_are_refused_where_there_are_too_many():
    assert match_of("random", 5, permutations=True).block_size == 120
    with pytest.raises(PaxsimError, match="at most 5"):
        match_of("random", 6, permutations=True)


@pytest.mark.parametrize("players", [2, 3, 4, 6, 8])
def test_everybody_plays_about_equally_often_in_a_tournament(players):
    policies = [get_policy(name) for name in HEURISTICS]
    lineups = draw_lineups(policies, players)
    assert len(lineups) <= MAX_LINEUPS
    assert all(len(set(map(id, lineup))) == players for lineup in lineups)
    seats = [sum(policy in lineup for lineup in lineups) for policy in policies]
    assert max(seats) - min(seats) <= 1


def test_fewer_policies_than_seats_still_meet_one_another():
    policies = [get_policy("random"), get_policy("first")]
    lineups = draw_lineups(policies, 4)
    counts = sorted(sum(policy is policies[0] for policy in lineup) for lineup in lineups)
    assert counts == [1, 2, 3]
    assert np.ptp([len(lineup) for lineup in lineups]) == 0


# --- one policy at all seats ----------------------------------------------------------------


def test_where_all_rotations_are_the_same_game_one_is_played_and_counted():
    result = paxsim.simulate("builder", players=4, games=12, seed=3, jobs=1)
    assert (result.games, result.blocks) == (12, 12)
    batch = paxsim.play_batch("builder", 4, deals=12, rotations="all", seed=3)
    shares = batch.shares.reshape(12, 4, 4)
    assert (shares == shares[:, :1]).all(), "the same game four times"
    seats = result["seats"].win_rate.to_numpy()
    assert seats == pytest.approx(shares[:, 0].mean(axis=0))


@pytest.mark.parametrize(
    "policies", ["random", ["builder", "builder:thrift=0.8"]], ids=["draws", "another"]
)
def test_other_line_ups_are_played_in_all_rotations(policies):
    result = paxsim.simulate(policies, players=2, games=12, seed=3, jobs=1)
    assert (result.games, result.blocks) == (12, 6)


def test_a_candidate_sits_everywhere_although_its_field_is_like_it():
    result = paxsim.compare("builder", "miser", field="builder", players=3, games=60, jobs=1)
    assert (result.games, result.blocks) == (60, 10)
    assert result["comparison"].a_win_rate[0] == pytest.approx(1 / 3)
