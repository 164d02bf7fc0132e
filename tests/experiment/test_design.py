"""Designs of experiments: blocks, chunks, looks and the numbers of games."""

import pickle

import numpy as np
import pytest

import paxsim
from paxsim.errors import PaxsimError
from paxsim.experiment.design import MOST_CHUNKS, Chunk, Plan, make_match
from paxsim.experiment.run import play_work
from paxsim.experiment.simulation import MAX_GAMES
from paxsim.experiment.tally import WIN
from paxsim.lineup import MAX_LINEUPS, draw_lineups, make_lineup
from paxsim.policies.registry import HEURISTICS, get_policy
from paxsim.setting import make_setting


def match_of(policies, players, permutations=False):
    setting = make_setting(players)
    return make_match(setting, make_lineup(policies, players), permutations)


def three_bundles(**changes):
    bundles = (
        (match_of("random", 2),),
        (match_of("random,first,builder", 3, permutations=True),),
        (match_of("random", 4), match_of("first", 4)),
    )
    return Plan(bundles, **{"blocks": (120, 35, 17), "seed": 5, **changes})


def chunks_of(plan, chunk_games, looks=False):
    return [
        chunk
        for wave in plan.waves(looks)
        for span in wave
        for chunk in span.cut(plan.chunk_blocks(span, chunk_games, looks))
    ]


def blocks_of(chunks):
    return [(c.bundle, b) for c in chunks for b in range(c.first_block, c.end)]


@pytest.mark.parametrize("chunk_games", [1, 7, 100, 10_000])
def test_chunks_cover_every_block_of_every_bundle_once(chunk_games):
    plan = three_bundles()
    expected = [(i, block) for i, blocks in enumerate(plan.blocks) for block in range(blocks)]
    assert blocks_of(chunks_of(plan, chunk_games)) == expected


def test_gaps_are_what_disjoint_parts_leave_of_a_range():
    span = Chunk(1, 10, 20)
    assert span.without([]) == [span]
    assert span.without([Chunk(1, 10, 5), Chunk(1, 15, 3), Chunk(1, 25, 5)]) == [Chunk(1, 18, 7)]
    assert span.without([span]) == []


def test_looks_are_at_the_same_blocks_for_every_chunk_size_and_number_of_games():
    ends = []
    for blocks in (50_000, 40_000):
        plan = Plan(((match_of("random", 4),),), (blocks,), 0)
        waves = plan.waves(looks=True)
        assert blocks_of(chunks_of(plan, 777, looks=True)) == [(0, b) for b in range(blocks)]
        ends.append([span.end for (span,) in waves])
    assert ends[0][0] == 3_000 and ends[0][-1] == 50_000
    assert ends[1][:-1] == ends[0][: len(ends[1]) - 1]


def test_a_run_of_any_length_has_a_bounded_number_of_chunks():
    for blocks in (10**8, 10**11):
        plan = Plan(((match_of("random", 4),),), (blocks,), 0)
        (span,) = plan.waves(looks=False)[0]
        assert blocks / plan.chunk_blocks(span, 1, looks=False) <= 1.01 * MOST_CHUNKS


def test_game_numbers_run_through_matches_blocks_orders_and_rotations():
    plan = three_bundles()
    # The last bundle: four of one policy, once, and four others in all rotations.
    assert plan.games == 120 * 2 + 35 * 6 + 17 * (4 + 1)
    games = [plan.locate_game(number) for number in range(plan.games)]
    described = {
        (plan.matches.index(g.match), tuple(g.lineup.labels), g.deal, g.rotation) for g in games
    }
    assert len(described) == plan.games
    game = plan.locate_game(120 * 2 + 6 * 10 + 4)
    assert (game.match.players, game.seed, game.deal, game.rotation) == (3, 5, 10, 1)
    with pytest.raises(PaxsimError, match="game"):
        plan.locate_game(plan.games)


def test_groups_of_line_ups_have_seeds_of_their_own():
    plan = three_bundles(groups=3)
    assert [plan.seed_of(bundle) for bundle in range(3)] == [5, 6, 7]
    assert plan.work(Chunk(1, 0, 2)).seed == 6
    assert plan.locate_game(plan.games - 1).seed == 7


def test_permutations_need_few_players():
    assert match_of("random", 5, permutations=True).block_size == 120
    with pytest.raises(PaxsimError, match="at most 5"):
        match_of("random", 6, permutations=True)


@pytest.mark.parametrize("players", [2, 3, 4, 6, 8])
def test_policies_play_about_equally_often_in_a_tournament(players):
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


def test_one_rotation_is_played_where_all_are_the_same_game():
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


def test_a_candidate_sits_at_all_seats_even_among_copies_of_itself():
    result = paxsim.compare("builder", "miser", opponents="builder", players=3, games=60, jobs=1)
    assert (result.games, result.blocks) == (60, 10)
    assert result["comparison"].a_win_rate[0] == pytest.approx(1 / 3)


# --- work -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "permutations"), [(1, False), (8, False), (5, True)])
def test_sums_over_the_most_games_fit_into_64_bits(players, permutations):
    """The largest are products of shares, if one seat won every game."""
    setting = make_setting(players, solo_level=1 if players == 1 else None)
    match = make_match(setting, make_lineup("random", players), permutations)
    largest_of_block = (WIN * match.block_size) ** 2
    blocks = -(-MAX_GAMES // match.block_size)
    # Several line-ups may be played as one bundle, with as many games as all of them.
    assert 5 * blocks * largest_of_block < 2**63


def test_a_worker_adds_up_the_pieces_of_a_large_chunk(monkeypatch):
    work = Plan(((match_of("random", 3),),), (30,), 4).work(Chunk(0, 5, 23))
    whole = play_work(work)
    assert len(work.pieces()) == 1
    monkeypatch.setattr("paxsim.experiment.design.PIECE_GAMES", 14)
    assert [piece.blocks for piece in work.pieces()] == [4, 4, 4, 4, 4, 3]
    pieces = play_work(work)
    assert all(np.array_equal(pieces[name], whole[name]) for name in whole)


def test_a_setting_is_sent_to_workers_without_what_they_can_make():
    setting = make_setting(4)
    before = len(pickle.dumps(setting))
    setting.new_game()
    assert len(pickle.dumps(setting)) == before
    assert pickle.loads(pickle.dumps(setting)) == setting
